"""Reads YAML as Helm does (sigs.k8s.io/yaml), into values with origins.

The grammar is that of flint's own parser; the types of plain scalars are those of Go's library, which follows YAML 1.1:
`yes` and `on` are bools, `0777` is a number.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
from flink_flint.linter.flink.yaml.yaml_nodes import MAPPING, SCALAR, SEQUENCE, Node
from flink_flint.linter.flink.yaml.yaml_parser import compose
from flink_flint.linter.formats.helm.rendering.go_printing import float_text
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, MarkedBool, MarkedFloat
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, joined, replaced, sliced
from flink_flint.linter.formats.syntax.yaml_scalars import extract_scalar
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, Origin
from flink_flint.linter.text.spans import Span

_BOOLS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NULLS = ("", "~", "null", "Null", "NULL")
_FLOATS = {
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGER = regex(r"[-+]?(?:0|[1-9]\d*|0[0-7]+|0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+)")
_FLOAT = regex(r"[-+]?(?:\.\d++|\d++(?:\.\d*+)?)(?:[eE][-+]?\d++)?")
_POINT_FLOAT = regex(r"\.\d++(?:[eE][-+]?\d++)?")
_DATE = regex(r"\d{4}-\d\d?-\d\d?(?:[Tt ]\d\d?:\d\d?:\d\d?(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?")
_SEPARATOR = regex(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_FOLLOWING_LINE = regex(r"(?:[ \t]*\r?\n)*+[ ]*(.?)")
_ESCAPED_QUOTE = regex(r"\\\\|\\'")
_MAX_RETRIES = 20
_MAX_DEPTH = 100
_INT64 = 1 << 63


def read_yaml(text: str, budget: Budget) -> object:
    """Parse the first YAML document in a text; keep the origins of its scalars.

    Raises `NotRendered` if the text is not valid.
    """
    budget.text(len(text))
    budget.spend(len(text) // 8)
    first = _SEPARATOR.search(text)
    start, end = 0, len(text)
    if first is not None:
        if text[: first.start()].strip() and not _only_comments(text[: first.start()]):
            end = first.start()
        else:
            start = first.end()
            second = _SEPARATOR.search(text, start)
            end = len(text) if second is None else second.start()
    text = sliced(text, start, end)
    for _ in range(_MAX_RETRIES):
        try:
            root = compose(str(text)).root
            break
        except YamlError as error:
            text = _accepted_by_go(text, error)
    else:
        raise NotRendered("not valid YAML")
    return None if root is None else _Reader(text, budget).value(root, 0)


def _accepted_by_go(text: str, error: YamlError) -> str:
    """Return an equivalent text without what only the Java library rejects, whose grammar the parser has."""
    if "leading empty lines" in error.problem and error.context_at is not None:
        end = text.find("\n", error.context_at)
        following = _FOLLOWING_LINE.match(text, end + 1) if end >= 0 else None
        if following is None or following[1] in ("#", ""):  # a block scalar without lines, followed by a comment
            return replaced(text, [(error.context_at, len(text) if end < 0 else end, '""')])
    if "unknown escape character '(39)" in error.problem:
        start = text.rfind("\n", 0, error.at) + 1
        end = text.find("\n", error.at)
        found = _ESCAPED_QUOTE.finditer(text, start, len(text) if end < 0 else end)
        edits = [(match.start(), match.end(), "'") for match in found if match[0] == "\\'"]
        if edits:
            return replaced(text, edits)
    raise NotRendered(f"not valid YAML: {error.problem}")


def _only_comments(text: str) -> bool:
    return all(not line.strip() or line.lstrip().startswith(("#", "%")) for line in text.splitlines())


class _Reader:
    def __init__(self, text: str, budget: Budget) -> None:
        self.text, self.plain, self.budget = text, str(text), budget
        fragments = text.fragments if isinstance(text, MarkedText) else ()
        self.file = fragments[0].origin if len(fragments) == 1 else None
        """The place of the whole text, if it is a part of a single file."""

    def origin(self, span: Span) -> Origin | None:
        """Return the place of a span of the text."""
        if self.file is not None:
            return Origin(self.file.path, Span(self.file.span.start + span.start, self.file.span.start + span.end))
        if not isinstance(self.text, MarkedText):
            return None
        return self.text.part(span.start, max(span.end, span.start + 1)).origin()

    def value(self, node: Node, depth: int) -> object:
        """Return the value of a node; the budget bounds what aliases repeat."""
        self.budget.spend(1)
        if depth > _MAX_DEPTH:
            raise NotRendered("values are nested too deeply")
        if node.kind == SCALAR:
            return self._scalar(node)
        origin = self.origin(Span(node.start, node.end))
        if node.kind == SEQUENCE:
            return List((self.value(item, depth + 1) for item in node.items), origin=origin)
        found = Map(origin=origin)
        merged: list[Node] = []
        for key, value in node.pairs:
            if key.kind != SCALAR:
                raise NotRendered("a key of a mapping is not a scalar")
            if key.scalar == "<<" and key.style == "plain":
                merged += value.items if value.kind == SEQUENCE else [value]
            else:
                found.put(self._key(key), self.value(value, depth + 1))
        for node_of_merge in merged:
            if node_of_merge.kind == MAPPING:
                base = self.value(node_of_merge, depth + 1)
                assert isinstance(base, Map)
                for name, one in base.items():
                    found.setdefault(name, one)
        return found

    def _key(self, node: Node) -> str:
        value = self._scalar(node)
        if isinstance(value, str):
            return value
        text = "null" if value is None else node.scalar
        if isinstance(value, MarkedBool):
            text = "true" if value else "false"
        elif isinstance(value, float):
            text = float_text(value, largest_exponent=21)
        return self._mark(text, Span(node.start, node.end))

    def _mark(self, text: str, span: Span) -> str:
        origin = self.origin(span)
        return text if origin is None else MarkedText((Fragment(text, origin),))

    def _scalar(self, node: Node) -> object:
        text, tag, span = node.scalar, node.tag, Span(node.start, node.end)
        written_tag = self.plain[node.mark : node.start]
        is_text = node.style != "plain" or "!!str" in written_tag or (tag.startswith("!") and not tag.startswith("!!"))
        if is_text:
            return self._text(node, text, span)
        typed = _typed(text)
        if isinstance(typed, str):
            return self._text(node, text, span)
        if typed is None:
            return None
        origin = self.origin(span)
        return MarkedBool(typed, origin) if isinstance(typed, bool) else MarkedFloat(typed, origin)

    def _text(self, node: Node, text: str, span: Span) -> str:
        if self.plain[span.start : span.end] == text:
            return sliced(self.text, span.start, span.end)
        if not isinstance(self.text, MarkedText):
            return text
        if not text:
            return self._mark(text, span)
        extract = extract_scalar(self.plain, span, node.style, text, is_rendered=True)
        if extract.text != text:
            return self._mark(text, span)
        parts: list[str] = []
        for piece in extract.pieces:
            written = sliced(self.text, piece.span.start, piece.span.end)
            parts.append(written if written == piece.text else self._mark(piece.text, piece.span))
        return joined(parts)


@lru_cache(maxsize=4096)
def _typed(text: str) -> str | bool | float | None:
    """Return the value of a plain scalar in Go's YAML library."""
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if text in _FLOATS:
        return _FLOATS[text]
    first = text[0]
    if first == ".":
        return float(text) if _POINT_FLOAT.fullmatch(text) else text
    if first not in "+-0123456789":
        return text
    plain = text.replace("_", "")
    if _INTEGER.fullmatch(plain):
        number = _integer(plain)
        if -_INT64 <= number < 2 * _INT64:
            return float(number)
    if _FLOAT.fullmatch(plain):
        return float(plain)
    return text


def _integer(text: str) -> int:
    digits = text.lstrip("+-")
    sign = -1 if text.startswith("-") else 1
    if len(digits) > 100:
        return 2 * _INT64
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return sign * int(digits, 8)
    return sign * int(digits, 0)


def is_plain_text(text: str) -> bool:
    """Return whether Go's YAML library reads a plain scalar as a string, rather than as a timestamp or other type."""
    return isinstance(_typed(text), str) and not _DATE.fullmatch(text)

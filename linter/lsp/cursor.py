"""Finds the key or value at the cursor, and its option, in text that may not parse while it is being typed.

Only the lines around the cursor are read. In YAML, the indentation determines the mappings that contain a line; the
name or the existing settings of a mapping show whether it contains Flink settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.flink.file_loading import CONFIG_YAML
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer
    from flink_flint.linter.model.document import Document, FileFormat

_PAIR = (
    r"(?P<lead>[ \t]*(?:- +)*)(?P<quote>[\"']?)(?P<key>[^\s\"':#=]*)[\"']?(?P<gap>[ \t]*:(?:[ \t]+|$))?"
    r"(?P<value>.*)"
)
_PROPERTY = r"(?P<lead>[ \t]*)(?P<quote>)(?P<key>[^\s=:#!]*)(?P<gap>[ \t]*[=:][ \t]*)?(?P<value>.*)"
_VALUE = r"(?:'[^';]*'?|\"[^\";]*\"?|[^;'\"]*)?"
_STATEMENT = rf"(?i)\bSET\s+(?P<quote>['\"]?)(?P<key>[\w.<>\-]*)['\"]?(?P<gap>\s*=\s*)?(?P<value>{_VALUE})"
_HEADER = r"[|>][-+0-9]{0,2}[ \t]*(?:#.*)?"
_FLAT_TEXTS = r"flink[-_.]?conf(?:ig(?:uration)?)?(?:[-_.][\w-]+)?(?:\.(?:ya?ml|conf))?|FLINK_PROPERTIES"
_NESTED_TEXTS = r"config\.ya?ml"
_MAPPINGS = ("flinkConfiguration",)
"""Fields of custom resources and deployments that contain settings."""
_PROPERTIES = "FLINK_PROPERTIES"
_FAR = 4_000
"""How many lines above the cursor are read."""


class Spot(NamedTuple):
    """A key or value that is being typed, with the mappings that contain it."""

    is_value: bool
    parents: str
    """The mappings that contain the typed key, each followed by a dot, such as ``execution.checkpointing.``."""
    written: str
    """The typed key as written, without the mappings that contain it."""
    span: Span
    """The span that a completion replaces: the typed key, or the typed value without its quotes."""
    typed: str
    """The text of `span` up to the cursor."""
    separator: str
    """The text to insert between key and value (``": "`` or ``"="``); empty if it is present or not needed."""
    may_nest: bool = False
    """Whether the completion may insert a nested mapping."""

    @property
    def key(self) -> str:
        """The full dotted key, including the mappings that contain it."""
        return self.parents + self.written


class _Line(NamedTuple):
    """A line of YAML above the cursor that contains it."""

    number: int
    key: str
    is_text: bool
    """Whether a block of text begins after it."""


def spot_at(buffer: Buffer, offset: int, file_format: FileFormat, documents: Sequence[Document]) -> Spot | None:
    """Return the key or value at an offset; None if no Flink settings are expected there."""
    number = buffer.line_of(offset)
    span = buffer.line(number)
    line = buffer.text[span.start : span.end]
    if line.lstrip().startswith(file_format.comments):
        return None
    kind = file_format.kind
    if kind == "sql":
        return _in_statement(line, span.start, offset)
    if kind == "properties" and _is_properties(documents):
        return _found(re.match(_PROPERTY, line), span.start, offset, "", "=")
    if kind == "flink-conf":
        return _found(re.match(_PAIR, line), span.start, offset, "", ": ")
    if "sql" in kind or kind in ("source", "logging"):
        return None
    mappings = _mappings(buffer, number, offset)
    nested = _in_yaml(buffer, mappings, documents, is_all=kind == CONFIG_YAML)
    if nested is None:
        return None
    parents, may_nest = nested
    return _found(re.match(_PAIR, line), span.start, offset, parents, ": ", may_nest=may_nest)


def _is_properties(documents: Sequence[Document]) -> bool:
    return not documents or documents[0].path.endswith(".properties")


def _found(
    match: re.Match[str] | None, base: int, offset: int, parents: str, separator: str, *, may_nest: bool = False
) -> Spot | None:
    if match is None:
        return None
    start, end = base + match.start("key"), base + match.end("key")
    if match["gap"] and offset >= base + match.end("gap"):
        value = re.sub(r"(?<!\s)\s++#.*", "", match["value"]).rstrip()
        lead = len(value) - len(value.lstrip("'\""))
        first = base + match.start("value") + lead
        last = first + len(value[lead:].rstrip("'\""))
        if not first <= offset <= max(last, first):
            return None
        span = Span(first, last)
        return Spot(True, parents, match["key"], span, match.string[first - base : offset - base], "")
    if not start <= offset <= end:
        return None
    goes_on = bool(match["gap"]) or bool(match["value"].strip())
    typed = match.string[start - base : offset - base]
    return Spot(False, parents, match["key"], Span(start, end), typed, "" if goes_on else separator, may_nest)


def _in_statement(line: str, base: int, offset: int) -> Spot | None:
    for match in re.finditer(_STATEMENT, line):
        if base + match.start() <= offset <= base + match.end():
            return _found(match, base, offset, "", "")
    return None


def _mappings(buffer: Buffer, number: int, offset: int) -> list[_Line]:
    """Return the parent lines of a line, the nearest first; for blank lines the cursor's column decides."""
    span = buffer.line(number)
    line = buffer.text[span.start : span.end]
    depth = len(line) - len(line.lstrip(" ")) if line.strip() else offset - span.start
    if line.lstrip(" ").startswith("- "):
        depth += 1  # the dash belongs to the mapping above, the key after it to a new one
    found: list[_Line] = []
    for above in range(number - 1, max(-1, number - _FAR), -1):
        if depth <= 0:
            break
        span = buffer.line(above)
        text = buffer.text[span.start : span.end]
        content = text.strip()
        if not content or content.startswith("#"):
            continue
        if content.startswith("---"):
            break
        indent = len(text) - len(text.lstrip(" "))
        if indent < depth:
            match = re.match(_PAIR, text)
            assert match is not None
            key, value = match["key"], match["value"]
            if not match["gap"]:
                value = content.lstrip("- ")
                key = ""
            found.append(_Line(above, key, re.fullmatch(_HEADER, value.strip()) is not None))
            depth = indent
    return found


def _in_yaml(
    buffer: Buffer, mappings: Sequence[_Line], documents: Sequence[Document], *, is_all: bool
) -> tuple[str, bool] | None:
    """Return the parents of a key within its settings, and whether keys may be nested; None outside of settings."""
    for depth, line in enumerate(mappings):
        inner = [one.key for one in reversed(mappings[:depth])]
        if line.is_text:
            if re.fullmatch(_NESTED_TEXTS, line.key):
                return _joined(inner), True
            return ("", False) if _is_flat_text(buffer, line) else None
    roots = None
    for depth, line in enumerate(mappings):
        inner = [one.key for one in reversed(mappings[:depth])]
        if line.key in _MAPPINGS:
            return _joined(inner), True
        if roots is None:
            roots = set(_roots(buffer, documents)) if not is_all else set()
        if line.number in roots and all(inner):
            return _joined(inner), True
    return (_joined([line.key for line in reversed(mappings)]), True) if is_all else None


def _joined(keys: Iterable[str]) -> str:
    return "".join(f"{key}." for key in keys)


def _is_flat_text(buffer: Buffer, line: _Line) -> bool:
    """Return whether a block of text is a flink-conf.yaml, by its name, its variable, or its first lines."""
    if re.fullmatch(_FLAT_TEXTS, line.key):
        return True
    around = [buffer.line(number) for number in (line.number - 1, line.number + 1) if 0 <= number < len(buffer.starts)]
    return any(_PROPERTIES in buffer.text[span.start : span.end] for span in around)


def _roots(buffer: Buffer, documents: Sequence[Document]) -> Iterator[int]:
    """Yield the lines of the mappings that contain settings, according to the documents."""
    seen = set()
    for document in documents:
        for entry in document.entries:
            if entry.style != "implied":
                start = entry.path_spans[0].start
                number = buffer.line_of(start)
                column = start - buffer.starts[number]
                if column and (number - 1, column) not in seen:
                    above = _mappings(buffer, number, start)
                    if above and not above[0].is_text:
                        yield above[0].number
                seen.add((number, column))

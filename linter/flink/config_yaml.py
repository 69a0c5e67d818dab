"""Reads `config.yaml` as Flink 1.19 and later do: flattened YAML, rejected as a whole on any error.

Most files are read by a line reader that supports the plain forms of YAML; whatever it is not certain about is read
with the full grammar in `yaml_parser`, with the same result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flink_flint.linter.flink.parsed_file import CODE_POINT_LIMIT, ConfigurationFile, Entry, Refusal
from flink_flint.linter.flink.values import text_of
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
    from flink_flint.linter.flink.yaml.yaml_nodes import Document, Node

_UNUSUAL_ASCII = regex(r"[^\n\r -~]|\r(?!\n)")
_UNUSUAL = (  # compiled only for texts beyond ASCII, as that takes longer than reading a file
    "[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)
_PLAIN = (
    r"(?:[^ \n\r\-?:,\[\]{}\#&*!|>'\"%@`]|-(?![ \n\r]))"
    r"(?:[^ :\#\n\r]++|:(?![ \n\r])|(?<! )\#|[ ]++(?![ \#\n\r]))*+"
)
_SINGLE = r"'(?:[^'\n\r]++|'')*+'"
_DOUBLE = r'"[^"\\\n\r]*+"'
_FLOW_ITEM = r"[A-Za-z0-9_/+$](?:[A-Za-z0-9_/+$.;=@\-]++|[ ]++(?=[A-Za-z0-9_/+$.;=@\-]))*+"
_SCALAR = rf"({_PLAIN})|({_SINGLE})|({_DOUBLE})"
_END = r"(?: ++\#[^\n]*+| *+)\r?\n"
_KEY = regex(rf"( *+)([A-Za-z_][A-Za-z0-9_./\-]*+) *+:(?: ++(?:{_SCALAR}|(\[[^\]\n]*+\])))?{_END}")
_ITEM = regex(rf"( *+)- ++(?:{_SCALAR}){_END}")
_FLOW = regex(rf"\[ *+(?:{_FLOW_ITEM} *+(?:, *+{_FLOW_ITEM} *+)*+)?\]")
_NO_CONTENT = regex(r"(?: *+(?:\#[^\n]*+)?\r?\n)*+")
_START = regex(r"--- *+\r?\n")
_NOT_STRINGS = frozenset(("true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL"))
_MAX_KEY = 1000
_MAX_LEVELS = 500
_STYLES = ("plain", "single", "double")
_SAFE_IN_FLOW = regex(r"[A-Za-z0-9_/+$](?:[A-Za-z0-9_/+$.;=@ \-]*[A-Za-z0-9_/+$.;=@\-])?")


class _Unsure(Exception):  # noqa: N818 - not an error: the full grammar decides
    """The line reader is not certain; the full grammar must read the text."""


def read_config_yaml(text: str) -> ConfigurationFile:
    """Read `text` as Flink reads `config.yaml`, which is the same in every release that has the file.

    The text is the result of `decode`.
    """
    try:
        return _read_lines(text)
    except _Unsure:
        return _read_yaml(text)


class _Level(NamedTuple):
    """One open block mapping."""

    indent: int
    prefix: str
    parents: tuple[Span, ...]
    keys: set[str]


class _Owner(NamedTuple):
    """A key whose value follows, with everything its entry needs."""

    key: str
    bounds: tuple[int, int]
    level: _Level
    nested: bool

    def entry(self, text: str, bounds: tuple[int, int], values: list[object], style: str) -> Entry:
        """Return the entry for a list."""
        shown = f"[{', '.join(map(str, values))}]" if all(map(_is_plain, values)) else text_of(values)
        return Entry(
            self.key, values, shown, self.bounds, bounds, text[slice(*bounds)], style,
            parents=self.level.parents, nested=self.nested,
        )  # fmt: skip


def _read_lines(text: str) -> ConfigurationFile:
    """Read the plain forms of YAML; raise _Unsure at the first line that is not one of them."""
    unusual = _UNUSUAL_ASCII if text.isascii() else regex(_UNUSUAL)
    if len(text) >= CODE_POINT_LIMIT or unusual.search(text):
        raise _Unsure
    result = ConfigurationFile()
    entries = result.entries
    body = text if text.endswith("\n") else text + "\n"
    end = len(body)
    pos = _skip(body, 0)
    if start := _START.match(body, pos):
        pos = _skip(body, start.end())
    levels: list[_Level] = []
    level = _Level(-1, "", (), set())  # no mapping yet: the first key opens the root
    owner: _Owner | None = None
    items: list[object] | None = None  # of the block sequence being read
    items_indent = items_start = items_end = 0

    while pos < end:
        line = _KEY.match(body, pos)
        if line is None:
            line = _ITEM.match(body, pos)
            if line is None:
                raise _Unsure
            pos = _skip(body, line.end())
            indent = line.end(1) - line.start(1)
            if items is None:
                if owner is None or indent < level.indent:
                    raise _Unsure
                items, items_indent, items_start = [], indent, line.end(1)
            elif indent != items_indent:
                raise _Unsure
            group = 2 if line[2] is not None else 3 if line[3] is not None else 4
            items.append(_scalar(line[group], group - 2))
            items_end = line.end(group)
            continue
        pos = _skip(body, line.end())
        indent = line.end(1) - line.start(1)
        if owner is not None:
            if items is not None:
                entries.append(owner.entry(text, (items_start, items_end), items, "block"))
                items = None
            elif indent > level.indent:
                levels.append(level)
                parents = (*level.parents, Span(*owner.bounds))
                level = _Level(indent, f"{owner.key}.", parents, set())
            else:
                raise _Unsure  # a key without a value
            owner = None
        elif level.indent < 0:
            level = _Level(indent, "", (), set())
        while indent < level.indent:
            if not levels:
                raise _Unsure
            level = levels.pop()
        name = line[2]
        if indent != level.indent or name in level.keys or name in _NOT_STRINGS or len(name) > _MAX_KEY:
            raise _Unsure
        level.keys.add(name)
        key, bounds = level.prefix + name, line.span(2)
        for group in (3, 4, 5):
            raw = line[group]
            if raw is not None:
                value = _scalar(raw, group - 3)
                entries.append(
                    Entry(
                        key, value, text_of(value), bounds,
                        line.span(group), raw, _STYLES[group - 3],
                        parents=level.parents, nested=bool(levels),
                    )
                )  # fmt: skip
                break
        else:
            owner = _Owner(key, bounds, level, bool(levels))
            raw = line[6]
            if raw is not None:
                if _FLOW.fullmatch(raw) is None:
                    raise _Unsure
                inside = raw[1:-1].strip(" ")
                parts = [_scalar(part.strip(" "), 0) for part in inside.split(",")] if inside else []
                entries.append(owner.entry(text, line.span(6), parts, "flow"))
                owner = None
            elif len(levels) > _MAX_LEVELS:
                raise _Unsure
    if owner is not None:
        if items is None:
            raise _Unsure
        entries.append(owner.entry(text, (items_start, items_end), items, "block"))
    result.mark_overridden()
    return result


def _skip(body: str, pos: int) -> int:
    """Return the offset after blank lines and comments."""
    return _NO_CONTENT.match(body, pos).end()  # type: ignore[union-attr]


def _scalar(raw: str, quotes: int) -> object:
    """Return the value of a scalar on one line; quotes are 0 plain, 1 single, 2 double (without escapes)."""
    if quotes:
        return raw[1:-1].replace("''", "'") if quotes == 1 else raw[1:-1]
    first = raw[0]
    if first in "tfTFnN~":
        if raw in _NOT_STRINGS or raw == "~":
            if first in "nN~":
                raise _Unsure  # a null, which Flink rejects
            return first in "tT"
    elif first in "-+.0123456789":
        if raw.isdecimal() and raw.isascii() and len(raw) < 4000:
            return int(raw)
        from flink_flint.linter.flink.yaml.yaml_core_schema import FLOAT, INT, make_float, make_integer, resolve

        tag = resolve(raw)
        if tag == INT:
            return make_integer(raw)
        if tag == FLOAT:
            try:
                return make_float(raw)
            except ValueError:
                raise _Unsure from None
    return raw


def _is_plain(value: object) -> bool:
    """Return whether an item of a list is a string that is written without quotes."""
    if not isinstance(value, str) or not _SAFE_IN_FLOW.fullmatch(value):
        return False
    try:
        return isinstance(_scalar(value, 0), str)
    except _Unsure:
        return False


# The full grammar


def _read_yaml(text: str) -> ConfigurationFile:
    from flink_flint.linter.flink.yaml.yaml_constructor import construct
    from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
    from flink_flint.linter.flink.yaml.yaml_parser import compose

    result = ConfigurationFile()
    if len(text) > CODE_POINT_LIMIT and _goes_on_beyond_limit(text):
        result.refusals.append(_too_large(text))
        return result
    try:
        document = compose(text)
        errors = construct(document)
    except YamlError as error:
        document, errors = None, [error]
    if document is not None:
        _flatten(text, document, result)
    if errors:
        # only the error that Flink would report gets its full text, because its place requires counting lines
        result.refusals[:0] = [_refusal(text, error, full=place == 0) for place, error in enumerate(errors)]
        if not errors[0].plain:
            result.warnings.append("Failed to parse YAML configuration")
    if result.refusals:
        from flink_flint.linter.flink import invalid_config_yaml as recovery

        unreadable = result.refusals[0].reason in ("encoding", "binary", "too-large", "nesting")
        if not unreadable and (rendered := recovery.blank_templates(text)) is not None:
            _take_template(text, rendered, read_config_yaml(rendered), result)
        elif document is None:
            _recover(text, result, errors[0])
    return result


def _take_template(text: str, rendered: str, read: ConfigurationFile, result: ConfigurationFile) -> None:
    """Keep the entries read without the template tags that break the file, and report only the tags."""
    at = next(place for place, char in enumerate(text) if char != rendered[place])
    for entry in read.entries:
        raw = text[slice(*entry.value_span)]
        if raw != entry.raw:
            entry.raw = entry.text = raw
            entry.value = raw
    message = "the file is a template: what Flink will read is known only when it is rendered"
    error = result.refusals[0].error
    result.entries = read.entries
    result.refusals = [Refusal("template", message, Span(at, at + 1), error=error)]


_MAX_RETRIES = 8
_MAX_RETRY_LENGTH = 100_000


def _recover(text: str, result: ConfigurationFile, error: YamlError) -> None:
    """Blank out the lines that break the grammar, one by one, and read what remains."""
    from flink_flint.linter.flink import invalid_config_yaml as recovery
    from flink_flint.linter.flink.yaml.yaml_constructor import construct
    from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
    from flink_flint.linter.flink.yaml.yaml_parser import NON_PRINTABLE, compose

    original = text
    if error.reason in ("encoding", "binary"):
        bad = re.findall(NON_PRINTABLE, text)
        if len(bad) > _MAX_RETRIES and len(bad) * 20 > len(text):
            return
        text = re.sub(NON_PRINTABLE, "\ufffd", text)
    rest, broken, document = text, [], None
    for _ in range(_MAX_RETRIES if len(text) <= _MAX_RETRY_LENGTH else 0):
        if error.reason not in ("encoding", "binary"):
            start, end = recovery.culprit(rest, error)
            if start == end or rest[start] == "#":
                break
            broken.append(start)
            rest = rest[:start] + "#" * (end - start) + rest[end:]
        try:
            document = compose(rest)
            break
        except YamlError as following:
            if following.reason in ("tab", "reserved-indicator"):  # others may result from the blanks
                result.refusals.append(_refusal(text, following, full=False))
            error = following
    if document is None:
        result.entries = recovery.salvage(text, None)
    else:
        remains = ConfigurationFile()
        later = construct(document)
        _flatten(rest, document, remains)
        result.refusals += [_refusal(text, found, full=False) for found in later if found.reason == "duplicate-key"]
        # the value of a key without one may have been replaced by a blank
        result.entries = [entry for entry in remains.entries if entry.value is not None]
        result.entries += recovery.salvage(text, broken)
        result.entries.sort(key=lambda entry: entry.key_span)
    for entry in result.entries:
        entry.raw = original[slice(*entry.value_span)]
    result.mark_overridden()


def _goes_on_beyond_limit(text: str) -> bool:
    """Return whether there is content so late that Flink's parser gives up before the end."""
    line = text.rfind("\n", 0, CODE_POINT_LIMIT) + 1
    end = text.find("\n", CODE_POINT_LIMIT)
    if not text[line : line + 1_000].lstrip(" ").startswith("#") and (end < 0 or end > line + 1_000):
        return True
    return end >= 0 and _NO_CONTENT.match(text + "\n", end + 1).end() < len(text)  # type: ignore[union-attr]


def _too_large(text: str) -> Refusal:
    return Refusal(
        "too-large",
        f"config.yaml has {len(text)} characters; Flink reads at most {CODE_POINT_LIMIT}",
        Span(CODE_POINT_LIMIT, CODE_POINT_LIMIT),
        error=f"The incoming YAML document exceeds the limit: {CODE_POINT_LIMIT} code points.",
    )


_WORDS = {
    "tab": "a tab must not indent or begin a value in config.yaml; Flink refuses the whole file",
    "reserved-indicator": "a plain value must not begin with this character in YAML; put it in quotes",
    "undefined-alias": "an alias names an anchor that is not defined before it",
    "multiple-documents": "config.yaml must contain one YAML document, but a second begins here",
    "encoding": "config.yaml must be UTF-8, and a byte here is not; Flink refuses the whole file",
    "binary": "a character here is not printable, which YAML does not allow",
    "unknown-tag": "Flink's YAML parser cannot construct a value for this tag",
    "nesting": "the collections are nested too deep, or contain themselves",
}


def _refusal(text: str, error: YamlError, *, full: bool = True) -> Refusal:
    start = min(error.at, len(text))
    span = Span(start, max(start, min(error.end, len(text))))
    key = ""
    message = _WORDS.get(error.reason, f"Flink refuses the whole file: {error.problem}")
    java = error.java_message(text) if full else error.problem
    if error.reason == "duplicate-key":
        key = error.problem.removeprefix("found duplicate key ")
        message = f"the key {key!r} occurs twice in one mapping; Flink refuses the whole file"
    elif error.reason == "encoding":
        java = "java.nio.charset.MalformedInputException: Input length = 1"
    return Refusal(error.reason, message, span, key, java)


_CAST = "class {0} cannot be cast to class {1} ({0} and {1} are in module java.base of loader 'bootstrap')"


def _java_class(value: object) -> str:
    if isinstance(value, str):
        return "java.lang.String"
    if isinstance(value, bool):
        return "java.lang.Boolean"
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return "java.lang.Integer"
        return "java.lang.Long" if -(2**63) <= value < 2**63 else "java.math.BigInteger"
    if isinstance(value, float):
        return "java.lang.Double"
    if isinstance(value, list):
        return "java.util.ArrayList"
    if isinstance(value, dict):
        return f"java.util.LinkedHash{'Map' if type(value) is dict else 'Set'}"
    return "[B"


def _flatten(text: str, document: Document, result: ConfigurationFile) -> None:
    """Add the entries of a composed document, and the reasons why Flink would reject them."""
    from flink_flint.linter.flink.yaml.yaml_nodes import MAPPING, YamlSet

    root = document.root
    if root is None or root.made is None:
        return
    if root.kind != MAPPING or isinstance(root.made, YamlSet):
        message = f"config.yaml must be a mapping of keys to values, not {_kind(root.made)}"
        error = _CAST.format(_java_class(root.made), "java.util.Map")
        result.refusals.append(Refusal("not-a-mapping", message, Span(root.start, root.end), error=error))
        return
    limit = 10_000 + len(text) // 2
    nulls: list[Refusal] = []
    # One frame per mapping being walked: its node, the position, the prefix and the spans of its path
    frames: list[tuple[Node, int, str, tuple[Span, ...]]] = [(root, 0, "", ())]
    open_nodes = {id(root)}
    while frames:
        node, place, prefix, spans = frames.pop()
        pairs = node.pairs
        if place == len(pairs):
            open_nodes.discard(id(node))
            continue
        frames.append((node, place + 1, prefix, spans))
        key_node, value_node = pairs[place]
        made = key_node.made
        key_span = Span(key_node.start, key_node.end)
        if not isinstance(made, str) and made is not None:
            written = text[key_node.start : key_node.end]
            message = f"the key {written} is {_kind(made)}, not a string; Flink refuses the whole file"
            error = _CAST.format(_java_class(made), "java.lang.String")
            result.refusals.append(Refusal("non-string-key", message, key_span, prefix + written, error))
        key = prefix + (made if isinstance(made, str) else "null" if made is None else text_of(made))
        path = (*spans, key_span)
        value = value_node.made
        if value_node.kind == MAPPING and not isinstance(value, YamlSet):
            if id(value_node) in open_nodes or len(frames) > 1000:
                message = f"the mapping {key} contains itself; Flink overflows its stack on it"
                result.refusals.append(Refusal("nesting", message, key_span, key, "java.lang.StackOverflowError"))
                return
            open_nodes.add(id(value_node))
            frames.append((value_node, 0, f"{key}.", path))
            continue
        if len(result.entries) > limit:
            message = f"aliases expand the file to more than {limit} settings"
            result.refusals.append(Refusal("too-large", message, key_span, key))
            return
        raw = text[value_node.start : value_node.end]
        shown = "" if value is None else text_of(value)
        result.entries.append(
            Entry(
                key, value, shown, key_span, (value_node.start, value_node.end), raw, value_node.style,
                parents=spans, nested=bool(spans),
            )
        )  # fmt: skip
    result.mark_overridden()
    for entry in result.entries:
        if entry.value is None and not entry.overridden:
            message = f"{entry.key} has no value; Flink refuses the whole file because of it"
            span = entry.value_span if entry.raw else entry.key_span
            nulls.append(Refusal("null-value", message, span, entry.key, "Value must not be null."))
    result.refusals += nulls


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, dict) else "a text"

"""`config.yaml`, as Flink reads it from 1.19 on: YAML, flattened, and refused as a whole for one fault.

Most files are settled by a line reader that knows the plain shapes of YAML; whatever it is not certain
about goes to the full grammar in `yaml_core`, with the same result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from linter.flink.entries import CONFIG_YAML, MAX_CHARACTERS, ConfigurationFile, Entry, Refusal, too_long
from linter.flink.releases import NEWEST
from linter.flink.values import text_of
from linter.text import Span

if TYPE_CHECKING:
    from linter.flink.yaml_core import Document, Node, YamlError

_CODE_POINT_LIMIT = 3 * 1024 * 1024

_UNUSUAL = re.compile(
    "[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)
_PLAIN = (
    r"(?:[^ \n\r\-?:,\[\]{}\#&*!|>'\"%@`]|-(?![ \n\r]))"
    r"(?:[^ :\#\n\r]++|:(?![ \n\r])|(?<! )\#|[ ]++(?![ \#\n\r]))*+"
)
_SINGLE = r"'(?:[^'\n\r]++|'')*+'"
_DOUBLE = r'"[^"\\\n\r]*+"'
_FLOW_ITEM = r"[A-Za-z0-9_/+$](?:[A-Za-z0-9_/+$.;=@\-]++|[ ]++(?=[A-Za-z0-9_/+$.;=@\-]))*+"
_CONTENT = re.compile(
    r"( *+)(?:"
    r"([A-Za-z_][A-Za-z0-9_./\-]*+) *+:"
    rf"(?: ++(?:({_PLAIN})|({_SINGLE})|({_DOUBLE})|(\[ *+(?:{_FLOW_ITEM} *+(?:, *+{_FLOW_ITEM} *+)*+)?\])))?"
    rf"|(-) ++(?:({_PLAIN})|({_SINGLE})|({_DOUBLE}))"
    r")(?: ++\#[^\n]*+| *+)\r?\n"
)
_NO_CONTENT = re.compile(r"(?: *+(?:\#[^\n]*+)?\r?\n)*+")
_START = re.compile(r"--- *+\r?\n")
_NOT_STRINGS = frozenset(("true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL"))
_MAX_KEY = 1000
_SAFE_IN_FLOW = re.compile(r"[A-Za-z0-9_/+$](?:[A-Za-z0-9_/+$.;=@ \-]*[A-Za-z0-9_/+$.;=@\-])?")


class _Unsure(Exception):  # noqa: N818 - not an error: the full grammar decides
    """The line reader is not certain; the full grammar must read the text."""


def read_config_yaml(text: str, index: int = NEWEST, *, name: str = CONFIG_YAML) -> ConfigurationFile:
    """Read a text as Flink reads `config.yaml`.

    The parser is the same in every release that has the file; `index` is accepted so that callers need
    not know that. The text is what `decode` made.
    """
    del index
    try:
        return _read_lines(text)
    except _Unsure:
        return _read_yaml(text, name)


class _Level(NamedTuple):
    """One open block mapping."""

    indent: int
    prefix: str
    spans: tuple[Span, ...]
    keys: set[str]


def _read_lines(text: str) -> ConfigurationFile:
    """Read the plain shapes of YAML; raises _Unsure at the first line that is anything else."""
    if len(text) >= _CODE_POINT_LIMIT or _UNUSUAL.search(text):
        raise _Unsure
    result = ConfigurationFile()
    entries = result.entries
    body = text if text.endswith("\n") else text + "\n"
    end = len(body)
    pos = _NO_CONTENT.match(body).end()  # type: ignore[union-attr]
    start = _START.match(body, pos)
    if start:
        pos = start.end()
    levels: list[_Level] = []
    level: _Level | None = None
    pending: tuple[str, Span] | None = None  # a key without a value on its line
    items: list[Span] | None = None  # the values of the block sequence being read
    values: list[object] = []
    items_indent = items_start = 0
    owner: tuple[str, Span, tuple[Span, ...], bool] | None = None

    while True:
        pos = _NO_CONTENT.match(body, pos).end()  # type: ignore[union-attr]
        line = _CONTENT.match(body, pos) if pos < end else None
        if line is None:
            if pos < end:
                raise _Unsure
            break
        pos = line.end()
        indent = line.end(1) - line.start(1)
        if line[7]:
            group = 8 if line[8] is not None else 9 if line[9] is not None else 10
            if items is None:
                if pending is None or level is None or indent < level.indent:
                    raise _Unsure
                key, key_span = pending
                owner = (level.prefix + key, key_span, (*level.spans, key_span), len(levels) > 1)
                pending = None
                items, values, items_indent, items_start = [], [], indent, line.start(7)
            elif indent != items_indent:
                raise _Unsure
            items.append(Span(*line.span(group)))
            values.append(_scalar(line[group], group - 8))
            continue
        if items is not None:
            assert owner is not None
            entries.append(_list_entry(text, owner, Span(items_start, items[-1].end), values))
            items = None
        elif pending is not None:
            if level is None or indent <= level.indent:
                raise _Unsure  # a key without a value
            key, key_span = pending
            level = _Level(indent, f"{level.prefix}{key}.", (*level.spans, key_span), set())
            levels.append(level)
            pending = None
            if len(levels) > 500:
                raise _Unsure
        if level is None:
            level = _Level(indent, "", (), set())
            levels.append(level)
        while indent < level.indent:
            levels.pop()
            if not levels:
                raise _Unsure
            level = levels[-1]
        key = line[2]
        if indent != level.indent or key in level.keys or key in _NOT_STRINGS or len(key) > _MAX_KEY:
            raise _Unsure
        level.keys.add(key)
        key_span = Span(*line.span(2))
        for group in (3, 4, 5):
            raw = line[group]
            if raw is not None:
                value = _scalar(raw, group - 3)
                entries.append(
                    Entry(
                        level.prefix + key, value, value if isinstance(value, str) else text_of(value),
                        key_span, Span(*line.span(group)), raw, ("plain", "single", "double")[group - 3],
                        path_spans=(*level.spans, key_span), nested=len(levels) > 1,
                    )
                )  # fmt: skip
                break
        else:
            raw = line[6]
            if raw is None:
                pending = (key, key_span)
                continue
            inside = raw[1:-1].strip(" ")
            parts = [_scalar(part.strip(" "), 0) for part in inside.split(",")] if inside else []
            owner = (level.prefix + key, key_span, (*level.spans, key_span), len(levels) > 1)
            entries.append(_list_entry(text, owner, Span(*line.span(6)), parts, style="flow"))
    if pending is not None:
        raise _Unsure
    if items is not None:
        assert owner is not None
        entries.append(_list_entry(text, owner, Span(items_start, items[-1].end), values))
    if len(levels) > 1 or any("." in entry.key for entry in entries):
        result.mark_overridden()
    return result


def _scalar(raw: str, quotes: int) -> object:
    """The value of a scalar on one line: 0 plain, 1 single, 2 double quotes (without escapes)."""
    if quotes:
        return raw[1:-1].replace("''", "'") if quotes == 1 else raw[1:-1]
    first = raw[0]
    if first in "tfTFnN~":
        if raw in _NOT_STRINGS:
            if first in "nN":
                raise _Unsure
            return first in "tT"
        if raw == "~":
            raise _Unsure
    elif first in "-+.0123456789$":
        if first == "$":
            return raw
        if raw.isdecimal() and raw.isascii() and len(raw) < 4000:
            return int(raw)
        from linter.flink.core_schema import FLOAT, INT, make_float, make_integer, resolve

        tag = resolve(raw)
        if tag == INT:
            return make_integer(raw)
        if tag == FLOAT:
            if raw[1:2] == ".":  # +.inf is a number to the grammar and none to Java
                raise _Unsure
            return make_float(raw)
    return raw


def _list_entry(
    text: str, owner: tuple[str, Span, tuple[Span, ...], bool], span: Span, values: list[object],
    style: str = "block",
) -> Entry:  # fmt: skip
    key, key_span, path_spans, nested = owner
    if all(isinstance(value, str) and _SAFE_IN_FLOW.fullmatch(value) for value in values) and not any(
        isinstance(value, str) and not isinstance(_reread(value), str) for value in values
    ):
        shown = f"[{', '.join(map(str, values))}]"
    else:
        shown = text_of(values)
    raw = text[span.start : span.end]
    return Entry(key, values, shown, key_span, span, raw, style, path_spans=path_spans, nested=nested)


def _reread(value: str) -> object:
    """What a text would be if it were written plain; None for a null."""
    try:
        return _scalar(value, 0) if value else None
    except _Unsure:
        return None


# The full grammar


def _read_yaml(text: str, name: str) -> ConfigurationFile:
    from linter.flink import yaml_core

    result = ConfigurationFile()
    if len(text) > _CODE_POINT_LIMIT and _content_beyond_limit(text):
        result.refusals.append(_too_large(text))
        return result
    try:
        document = yaml_core.compose(text)
    except yaml_core.YamlError as error:
        result.refusals.append(_refusal(text, error))
        if not error.plain:
            result.warnings.append("Failed to parse YAML configuration")
        if _read_template(text, result, name):
            return result
        _recover(text, result, error)
        result.mark_overridden()
        return result
    errors = yaml_core.construct(document)
    _flatten(text, document, result)
    if errors:
        result.refusals[:0] = [_refusal(text, error) for error in errors]
        if not errors[0].plain:
            result.warnings.append("Failed to parse YAML configuration")
    if result.refusals:
        _read_template(text, result, name)
    return result


def _content_beyond_limit(text: str) -> bool:
    """Whether anything but comments stands so late that Flink's parser gives up before it."""
    start = text.find("\n", _CODE_POINT_LIMIT)
    return start >= 0 and re.compile(r"(?:[ ]*(?:\#[^\n]*)?(?:\n|\Z))*+").match(text, start + 1).end() < len(text)  # type: ignore[union-attr]


def _too_large(text: str) -> Refusal:
    return Refusal(
        "too-large",
        f"config.yaml has {len(text)} characters; Flink reads at most {_CODE_POINT_LIMIT}",
        Span(_CODE_POINT_LIMIT, _CODE_POINT_LIMIT),
        error=f"The incoming YAML document exceeds the limit: {_CODE_POINT_LIMIT} code points.",
    )


_WORDS = {
    "tab": "a tab may not indent or begin a value in config.yaml; Flink refuses the whole file",
    "reserved-indicator": "a plain value may not begin with this character in YAML; put it in quotes",
    "undefined-alias": "an alias names an anchor that is not defined before it",
    "multiple-documents": "config.yaml must hold one YAML document, and a second begins here",
    "encoding": "config.yaml must be UTF-8, and a byte here is not; Flink refuses the whole file",
    "binary": "a character here is not printable, and YAML allows none such",
    "unknown-tag": "Flink's YAML parser cannot make a value of this tag",
    "nesting": "the collections are nested too deep, or hold themselves",
}


def _refusal(text: str, error: YamlError) -> Refusal:
    start = min(error.at, len(text))
    span = Span(start, max(start, min(error.end, len(text))))
    key = ""
    message = _WORDS.get(error.reason, f"Flink refuses the whole file: {error.problem}")
    java = error.java_message(text)
    if error.reason == "duplicate-key":
        key = error.problem.removeprefix("found duplicate key ")
        message = f"the key {key!r} stands twice in one mapping; Flink refuses the whole file"
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
    """The entries of a composed document, and why Flink would not take them."""
    from linter.flink.yaml_core import MAPPING, YamlSet

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
    # One frame a mapping being walked: its node, how far, the prefix and the spans of its path
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
                message = f"the mapping {key} holds itself; Flink overflows its stack on it"
                result.refusals.append(Refusal("nesting", message, key_span, key, "java.lang.StackOverflowError"))
                return
            open_nodes.add(id(value_node))
            frames.append((value_node, 0, f"{key}.", path))
            continue
        if len(result.entries) > limit:
            message = f"aliases blow the file up to more than {limit} settings"
            result.refusals.append(Refusal("too-large", message, key_span, key))
            return
        value_span = Span(value_node.start, value_node.end)
        raw = text[value_node.start : value_node.end]
        if value is None:
            shown = ""
        else:
            shown = value if isinstance(value, str) else text_of(value)
        result.entries.append(
            Entry(
                key, value, shown, key_span, value_span, raw, value_node.style,
                path_spans=path, nested=len(path) > 1,
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

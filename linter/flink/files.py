"""Flink's two configuration files, as Flink loads or refuses them, with places.

`flink-conf.yaml` (up to 1.20) is read line by line and is not YAML: a line that does not suit is dropped
with a warning. `config.yaml` (from 1.19) is YAML, and one fault makes Flink refuse all of it. Either way
the result holds every entry that can be made out, so that rules and editors can point at things in a
file that Flink would refuse.

Most files are settled by a line reader that knows the plain shapes of YAML; whatever it is not certain
about goes to the full grammar in `yaml_core`, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from linter.flink.releases import FIRST_CONFIG_YAML, LAST_FLINK_CONF, NEWEST
from linter.flink.values import JAVA_BLANKS, text_of
from linter.text import Span

if TYPE_CHECKING:
    from linter.flink.yaml_core import Document, Node, YamlError

FLINK_CONF = "flink-conf.yaml"
CONFIG_YAML = "config.yaml"

MAX_CHARACTERS = 16 * 1024 * 1024
"""A text beyond this is not read: no configuration is that long, and a reader must stay responsive."""

_NEW_WARNINGS = 8  # index of 1.17: the warnings no longer quote the line

_CODE_POINT_LIMIT = 3 * 1024 * 1024


class Entry:
    """One setting as it stands in a file.

    `key` is flattened as Flink holds it; `value` is what Flink's file parser made of it (a str from
    `flink-conf.yaml`); `text` is the value as Configuration.toMap() holds it; `raw` the value as written.
    Spans are offsets into the decoded text: `key_span` covers the last segment's scalar of a nested key,
    `path_spans` those of all segments, `value_span` the value as written with its quotes.
    """

    __slots__ = (
        *("comment", "indent", "key", "key_span", "nested", "overridden", "path_spans", "raw", "style"),
        *("text", "value", "value_span"),
    )

    def __init__(
        self, key: str, value: object, text: str, key_span: Span, value_span: Span, raw: str, style: str, *,
        path_spans: tuple[Span, ...] | None = None, nested: bool = False, indent: int = 0,
        comment: Span | None = None,
    ) -> None:  # fmt: skip
        self.key, self.value, self.text = key, value, text
        self.key_span, self.value_span, self.raw, self.style = key_span, value_span, raw, style
        self.path_spans = (key_span,) if path_spans is None else path_spans
        self.nested, self.indent, self.comment = nested, indent, comment
        self.overridden = False

    def __repr__(self) -> str:
        return f"Entry({self.key!r}, {self.value!r})"


class Skipped(NamedTuple):
    """A line of `flink-conf.yaml` that Flink drops, with what its author probably meant.

    `reason`: missing-space (``a:b``), tab (a tab where the space belongs), equals, empty-value, empty-key,
    comment-only-value (nothing is left before the ``#``), list-item, continuation, document-marker,
    no-separator. `key` and `value` are best guesses, empty where there is nothing to guess.
    """

    reason: str
    span: Span
    key: str
    key_span: Span
    value: str
    value_span: Span


class Refusal(NamedTuple):
    """Why Flink refuses a whole file. `message` is in our words, `error` is Flink's own root cause."""

    reason: str
    message: str
    span: Span
    key: str = ""
    error: str = ""


class ConfigurationFile:
    """What a file holds: all entries in file order, the dropped lines, the reasons to refuse it.

    `refusals[0]` is what Flink would report; `warnings` is what it would log at WARN or ERROR.
    """

    __slots__ = ("entries", "refusals", "skipped", "warnings")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.skipped: list[Skipped] = []
        self.refusals: list[Refusal] = []
        self.warnings: list[str] = []

    def settings(self) -> dict[str, str]:
        """Configuration.toMap() of the loaded file; of no meaning where Flink refuses it."""
        return {entry.key: entry.text for entry in self.entries}

    def mark_overridden(self) -> None:
        """Find the entries that a later one of the same key replaces."""
        last: dict[str, Entry] = {}
        for entry in self.entries:
            before = last.get(entry.key)
            if before is not None:
                before.overridden = True
            last[entry.key] = entry


# Which file, and its bytes


def pick(names: Collection[str], index: int | None) -> str | None:
    """The file of a configuration directory that Flink loads; None where it finds none.

    Up to 1.18 only `flink-conf.yaml`, from 2.0 only `config.yaml`; between them the old file wins if
    both exist, even if it is empty. An unknown release (None) is taken for one of those between.
    """
    if (index is None or index <= LAST_FLINK_CONF) and FLINK_CONF in names:
        return FLINK_CONF
    if (index is None or index >= FIRST_CONFIG_YAML) and CONFIG_YAML in names:
        return CONFIG_YAML
    return None


_MARKS = (
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)


def _encoding(data: bytes, kind: str) -> str:
    """UTF-8 but for a config.yaml with another byte order mark, which its parser honours."""
    if kind != FLINK_CONF and data[:1] in (b"\x00", b"\xfe", b"\xff"):
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                try:
                    data.decode(encoding)
                except UnicodeDecodeError:
                    return "utf-8"
                return encoding
    return "utf-8"


def decode(data: bytes, *, kind: str) -> tuple[str, Refusal | None]:
    """The bytes of a file of that kind ("flink-conf.yaml" or "config.yaml") as the text spans count in.

    Malformed bytes become lone surrogates, so that `encode` gives the same bytes back; a byte order mark
    stays in the text. The refusal says why Flink would not read the bytes, if so.
    """
    try:
        return data.decode(_encoding(data, kind)), None
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "surrogateescape")
        if kind == FLINK_CONF:
            return text, None
        return text, _malformed(len(data[: error.start].decode()))


def encode(text: str, like: bytes = b"", *, kind: str = CONFIG_YAML) -> bytes:
    """The bytes of a text in the encoding of `like`: `encode(decode(data)[0], data) == data`."""
    encoding = _encoding(like, kind)
    return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")


def _malformed(at: int) -> Refusal:
    return Refusal(
        "encoding",
        "config.yaml must be UTF-8, and a byte here is not; Flink refuses the whole file",
        Span(at, at + 1),
        error="java.nio.charset.MalformedInputException: Input length = 1",
    )


# Templates

_TEMPLATE = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{[^}\n]*\}|\$\([A-Za-z_]\w*\)|@[A-Za-z_][\w.\-]*@|"
    r"\$[A-Za-z_]\w*|%\([A-Za-z_]\w*\)s|__[A-Z][A-Z0-9_]*__"
)
_TEMPLATE_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<%.*?%>|@[A-Za-z_][\w.\-]*@", re.DOTALL)
_ONLY_TAGS = re.compile(r"[ \t]*(?:(?:\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<%.*?%>)[ \t]*)+", re.DOTALL)


def is_templated(text: str) -> bool:
    """Whether a value is still to be filled in by a template engine or from the environment."""
    return _TEMPLATE.search(text) is not None


# flink-conf.yaml

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_EQUALS = re.compile(r"[\w.\-]+\s*=")
_LIST_ITEM = re.compile(r"-(?:\s|$)")
_KEY_COLON = re.compile(r"([^\s:=]+)(\s*):")


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of a text without the characters Java's trim takes off."""
    while start < end and text[start] <= " ":
        start += 1
    while end > start and text[end - 1] <= " ":
        end -= 1
    return start, end


def _seen_by_java(text: str, *, ascii_locale: bool) -> str:
    """What Java's decoder makes of the characters: bytes it cannot decode are U+FFFD each."""
    if text.isascii():
        return text
    data = text.encode("utf-8", "surrogateescape")
    if ascii_locale:
        return data.decode("ascii", "replace")
    return data.decode("utf-8", "replace")


def read_flink_conf(
    text: str, index: int = LAST_FLINK_CONF, *, name: str = FLINK_CONF, ascii_locale: bool = False
) -> ConfigurationFile:
    """Read a text as Flink reads `flink-conf.yaml`; it never refuses one, it drops lines.

    A value ends at the first ``#`` of the line, wherever that is; the separator is exactly a colon and a
    space; quotes are part of the value. `index` is the minor's index in releases.MINORS and decides the
    wording of the warnings. `ascii_locale` reads as a JVM with file.encoding US-ASCII does.
    """
    result = ConfigurationFile()
    if len(text) > MAX_CHARACTERS:
        result.refusals.append(_too_long(len(text)))
        return result
    if "\r" in text:
        lines = [match.span(1) for match in _LINE.finditer(text)]
    else:
        lines = []
        start = 0
        while (end := text.find("\n", start)) >= 0:
            lines.append((start, end))
            start = end + 1
        lines.append((start, len(text)))
    plain = text.isascii()
    for number, (line_start, line_end) in enumerate(lines, 1):
        if line_start == line_end or text[line_start] == "#":
            continue
        cut = text.find("#", line_start, line_end)
        content_end = line_end if cut < 0 else cut
        start, end = _trim(text, line_start, content_end)
        if start == end:
            continue
        colon = text.find(": ", start, end)
        if colon < 0:
            _skip(result, text, (line_start, line_end), (start, end), cut, number, name, index, ascii_locale=ascii_locale)
            continue
        key_start, key_end = _trim(text, start, colon)
        value_start, value_end = _trim(text, colon + 2, end)
        if key_start == key_end or value_start == value_end:
            _skip(result, text, (line_start, line_end), (start, end), cut, number, name, index, ascii_locale=ascii_locale, split=True)
            continue
        key, raw = text[key_start:key_end], text[value_start:value_end]
        value = raw
        if not plain:
            key = _seen_by_java(key, ascii_locale=ascii_locale)
            value = _seen_by_java(raw, ascii_locale=ascii_locale)
        result.entries.append(
            Entry(
                key, value, value, Span(key_start, key_end), Span(value_start, value_end), raw, "legacy",
                nested=start > line_start, indent=start - line_start,
                comment=None if cut < 0 else Span(cut, line_end),
            )
        )  # fmt: skip
    result.mark_overridden()
    return result


def _skip(
    result: ConfigurationFile, text: str, line: tuple[int, int], content: tuple[int, int], cut: int,
    number: int, name: str, index: int, *, ascii_locale: bool, split: bool = False,
) -> None:  # fmt: skip
    """Record a line that Flink drops, and the warning it logs."""
    shown = f'"{_seen_by_java(text[slice(*line)], ascii_locale=ascii_locale)}"'
    if split:
        what = "Error after splitting key and value in configuration file"
        why = "Key or value was empty" if index >= _NEW_WARNINGS else shown
    else:
        what = "Error while trying to split key and value in configuration file"
        why = "Line is not a key-value pair (missing space after ':'?)" if index >= _NEW_WARNINGS else shown
    result.warnings.append(f"{what} {name}:{number}: {why}")
    result.skipped.append(_explain(text, line, content, cut))


def _explain(text: str, line: tuple[int, int], content: tuple[int, int], cut: int) -> Skipped:
    """Why a line was dropped and what it was probably meant to say."""
    start, end = content
    body = text[start:end]
    span = Span(start, end)

    def guess(reason: str, key_end: int, value_start: int) -> Skipped:
        key = Span(*_trim(text, start, key_end))
        value = Span(*_trim(text, value_start, end))
        return Skipped(reason, span, text[slice(*key)], key, text[slice(*value)], value)

    nothing = Span(end, end)
    if body in ("---", "...") or body.startswith("%YAML"):
        return Skipped("document-marker", span, "", Span(start, start), "", nothing)
    if body.startswith(":"):
        return Skipped("empty-key", span, "", Span(start, start), body[1:].strip(JAVA_BLANKS), span)
    if _LIST_ITEM.match(body):
        value = Span(*_trim(text, start + 1, end))
        return Skipped("list-item", span, "", Span(start, start), text[slice(*value)], value)
    colon = _KEY_COLON.match(body)
    if colon:
        after = start + colon.end()
        if after == end:
            reason = "comment-only-value" if cut >= 0 else "empty-value"
            return guess(reason, start + colon.end(2), after)
        return guess("tab" if text[after] == "\t" else "missing-space", start + colon.end(2), after)
    equals = _EQUALS.match(body)
    if equals:
        return guess("equals", start + equals.end() - 1, start + equals.end())
    if start > line[0]:
        return Skipped("continuation", span, "", Span(start, start), body, span)
    return Skipped("no-separator", span, "", Span(start, start), body, span)


def _too_long(length: int) -> Refusal:
    return Refusal(
        "too-large",
        f"the file has {length} characters; nothing beyond {MAX_CHARACTERS} is read",
        Span(0, 0),
    )


# config.yaml, line by line

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


# config.yaml, the full grammar

_QUOTING_CONTEXTS = ("while scanning a quoted", "while scanning a double", "while parsing a flow")
_MAX_RETRIES = 8
_MAX_RETRY_LENGTH = 100_000
_LENIENT = re.compile(
    r"""([ \t]*)(?:- +)?(["']?)([A-Za-z_][\w.\-/]*)\2[ \t]*:(?:[ \t]+([^\s#][^\r\n]*?))?[ \t]*(?: \#[^\r\n]*)?$"""
)


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


# A file that YAML refuses: what can still be made out


def _read_template(text: str, result: ConfigurationFile, name: str) -> bool:
    """If template tags are what breaks the file, keep its entries and say so instead; True then.

    The tags are replaced by words of the same length, lines that hold nothing else by comments.
    """
    if not _TEMPLATE_TAG.search(text):
        return False
    lines = []
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if _ONLY_TAGS.fullmatch(bare):
            line = "#" * len(bare) + line[len(bare) :]
        lines.append(line)
    masked = _TEMPLATE_TAG.sub(lambda tag: re.sub(r"[^\r\n]", "x", tag[0]), "".join(lines))
    read = read_config_yaml(masked, name=name)
    for entry in read.entries:
        raw = text[entry.value_span.start : entry.value_span.end]
        if raw != entry.raw:
            entry.raw = entry.text = raw
            entry.value = raw
    tag = _TEMPLATE_TAG.search(text)
    assert tag is not None
    message = "the file is a template: what Flink will read is known only when it is rendered"
    error = result.refusals[0].error
    result.entries = read.entries
    result.refusals = [Refusal("template", message, Span(*tag.span()), error=error)]
    return True


def _recover(text: str, result: ConfigurationFile, error: YamlError) -> None:
    """Blank out the lines that break the grammar, one by one, and read what remains."""
    from linter.flink import yaml_core

    if error.reason in ("encoding", "binary"):
        bad = yaml_core.NON_PRINTABLE.findall(text)
        if len(bad) * 20 > len(text):
            return
        text = yaml_core.NON_PRINTABLE.sub("\ufffd", text)
    masked, broken = text, []
    document = None
    for _ in range(_MAX_RETRIES if len(text) <= _MAX_RETRY_LENGTH else 0):
        if error.reason not in ("encoding", "binary"):
            start, end = _culprit(masked, error)
            if start == end or masked[start] == "#":
                break
            broken.append((start, end))
            masked = masked[:start] + "#" * (end - start) + masked[end:]
        try:
            document = yaml_core.compose(masked)
            break
        except yaml_core.YamlError as following:
            if following.at > error.at and following.reason in ("tab", "reserved-indicator"):
                result.refusals.append(_refusal(text, following))
            error = following
    if document is None:
        result.entries = _salvage(text, None)
        return
    rest = ConfigurationFile()
    duplicates = yaml_core.construct(document)
    _flatten(masked, document, rest)
    result.refusals += [_refusal(text, e) for e in duplicates if e.reason == "duplicate-key"]
    result.entries = rest.entries + _salvage(text, [start for start, _ in broken])
    result.entries.sort(key=lambda entry: entry.key_span)


def _culprit(text: str, error: YamlError) -> tuple[int, int]:
    """The bounds of the line to blame: where a quote or bracket opens rather than where its lack shows."""
    at = error.at
    if (error.context_at is not None and (error.context or "").startswith(_QUOTING_CONTEXTS)) or (error.context == "while scanning a simple key" and error.context_at is not None):
        at = error.context_at
    at = min(at, len(text))
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while start > 0 and not text[start:end].strip():
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
    return start, end - 1 if text[start:end].endswith("\r") else end


def _salvage(text: str, wanted: list[int] | None) -> list[Entry]:
    """Entries by the look of the lines alone: those that begin at the wanted offsets, or all."""
    entries: list[Entry] = []
    path: list[tuple[int, str, Span]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        match = _LENIENT.match(line.rstrip("\r\n"))
        if not match or line.lstrip(" \t").startswith("#"):
            continue
        indent = len(match[1])
        while path and path[-1][0] >= indent:
            path.pop()
        key_span = Span(start + match.start(3), start + match.end(3))
        if match[4] is None:
            path.append((indent, match[3], key_span))
            continue
        if wanted is not None and start not in wanted:
            continue
        raw = match[4]
        quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\""
        value = raw[1:-1] if quoted else raw
        style = {"'": "single", '"': "double"}[raw[0]] if quoted else "plain"
        entries.append(
            Entry(
                ".".join((*(name for _, name, _ in path), match[3])), value, value, key_span,
                Span(start + match.start(4), start + match.end(4)), raw, style,
                path_spans=(*(span for _, _, span in path), key_span), nested=bool(path),
            )
        )  # fmt: skip
    return entries

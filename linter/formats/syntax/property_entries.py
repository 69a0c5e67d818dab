"""Entries of Java properties files, as ``java.util.Properties`` loads them, with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_NATURAL = regex(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_BLANKS = " \t\f"
_TAGS = ("<%", "{{", "{%")
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|(.)|\Z)", re.DOTALL)
_KEY = regex(r"(?:[^\\=: \t\f]|\\.)*", re.DOTALL)
_PAIR = regex("[\ud800-\udbff][\udc00-\udfff]")
_SEPARATOR = regex(r"[ \t\f]*[=:]?[ \t\f]*")


class Property(NamedTuple):
    """An entry of a properties file: its unescaped key and value, and their spans as written."""

    key: str
    value: str
    """The unescaped value without trailing whitespace, which Java keeps although it is rarely intended."""
    key_span: Span
    value_span: Span
    """The span of the value, including continuation lines; empty, after the separator, if there is no value."""

    def raw(self, text: str) -> str:
        """Return the value as written in `text`, the text of the file."""
        return text[self.value_span.start : self.value_span.end]


def read_properties(text: str) -> Iterator[Property]:
    """Yield the entries of a properties file in file order; lines that consist of a template tag are skipped."""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        spans, at = _logical_line(text, at)
        line = Extract.of(text, spans)
        if not line.text or line.text.startswith(_TAGS):
            continue
        end = _match(_KEY, line.text, 0)
        start = _match(_SEPARATOR, line.text, end)
        value = line.text[start:].rstrip(_BLANKS)
        key_span = line.span(Span(0, end))
        value_span = line.span(Span(start, start + len(value))) if value else Span(line.end(start), line.end(start))
        yield Property(unescape(line.text[:end]), unescape(value), key_span, value_span)


def _match(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return the offset where the match of a pattern that can match empty text ends."""
    found = pattern.match(text, start)
    return found.end() if found else start


def _logical_line(text: str, at: int) -> tuple[list[Span], int]:
    """Return the spans of a line and its continuation lines, and the offset where the next line starts."""
    spans: list[Span] = []
    while (found := _NATURAL.match(text, at)) is not None:
        content = found[1].lstrip(_BLANKS)
        start, end, at = found.end(1) - len(content), found.end(1), found.end()
        if not spans and content[:1] in ("#", "!"):
            break
        continues = (len(content) - len(content.rstrip("\\"))) % 2 == 1
        spans.append(Span(start, end - continues))
        if not continues or at >= len(text):
            break
    return spans, max(at, 1)


def unescape(text: str) -> str:
    """Return the text that an escaped key or value represents."""
    if "\\" not in text:
        return text
    made = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]) if m[2] else "", text)
    # Two escapes may be a surrogate pair, which is one character.
    return _PAIR.sub(lambda m: m[0].encode("utf-16-be", "surrogatepass").decode("utf-16-be"), made)


def escape(value: str) -> str:
    """Escape a value for a properties file; non-ASCII characters are escaped too, so that any encoding works."""
    made = "".join(_escaped(char) for char in value)
    return f"\\{made}" if made[:1] in (" ",) else made


def _escaped(char: str) -> str:
    if char == "\\":
        return "\\\\"
    for letter, meant in _ESCAPED.items():
        if char == meant:
            return f"\\{letter}"
    if " " <= char <= "~":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))

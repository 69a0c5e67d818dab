"""A version of a text being edited: its lines, and conversion between offsets and LSP positions.

Offsets count characters, as everywhere in flint. An editor counts units of the negotiated encoding (by default UTF-16)
within a line, and lines from 0. Line ends are those of `linter.text.spans`, the same as in the protocol.
"""

from __future__ import annotations

from bisect import bisect_right

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Span

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"


class Replaced(NamedTuple):
    """An edit: `span` of the old text is replaced by `length` characters in the new text."""

    span: Span
    length: int

    @property
    def shift(self) -> int:
        """The number of characters by which the edit moves the text after it."""
        return self.length - (self.span.end - self.span.start)

    def moved(self, span: Span) -> Span | None:
        """Return the new position of a span of the old text; None if the edit touches the span."""
        if span.end < self.span.start:
            return span
        if span.start > self.span.end:
            return Span(span.start + self.shift, span.end + self.shift)
        return None


class Buffer:
    """One version of the text of an open document; an edit creates a new one."""

    def __init__(self, text: str, encoding: str = UTF_16) -> None:
        self.text = text
        self.encoding = encoding
        self.starts: list[int] = Lines(text).starts

    def replace(self, start: int, end: int, text: str) -> tuple[Buffer, Replaced]:
        """Return a buffer with `text` in place of the characters from `start` to `end`, and a record of this edit."""
        new = Buffer(self.text[:start] + text + self.text[end:], self.encoding)
        return new, Replaced(Span(start, end), len(text))

    def line_of(self, offset: int) -> int:
        """Return the number (from 0) of the line that contains an offset."""
        return bisect_right(self.starts, offset) - 1

    def line(self, number: int) -> Span:
        """Return the span of a line, given its number (from 0), without its line end."""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def offset(self, line: int, character: int) -> int:
        """Return the offset of an LSP position, limited to the end of its line and of the text."""
        if line >= len(self.starts):
            return len(self.text)
        span = self.line(line)
        return span.start + characters(self.text[span.start : span.end], character, self.encoding)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the LSP position of an offset: its line, and the number of code units before it on that line."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line_of(offset)
        return line, units(self.text[self.starts[line] : offset], self.encoding)


def units(text: str, encoding: str) -> int:
    """Return the length of `text` in code units of an encoding."""
    if encoding == UTF_32 or text.isascii():
        return len(text)
    if encoding == UTF_8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(char > "\uffff" for char in text)


def characters(text: str, count: int, encoding: str) -> int:
    """Return the number of complete characters in the first `count` code units of `text`."""
    if encoding == UTF_32 or text.isascii():
        return min(count, len(text))
    for place, char in enumerate(text):
        count -= units(char, encoding)
        if count < 0:
            return place
    return len(text)

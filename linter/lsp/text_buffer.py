"""A text that is being typed: its lines, its edits, and the way between offsets and an editor's positions.

Offsets count characters, as everywhere in flint. An editor counts what is before a place on its line in units of the
encoding that both agreed on (UTF-16 unless both speak another), and lines from 0. Lines end as `linter.text.spans`
has it, which is how the protocol has it.
"""

from __future__ import annotations

from bisect import bisect_right

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Span

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"


class Replaced(NamedTuple):
    """An edit that was made: `span` of the text before is now `length` characters long."""

    span: Span
    length: int

    @property
    def shift(self) -> int:
        """By how much all behind it has moved."""
        return self.length - (self.span.end - self.span.start)

    def moved(self, span: Span) -> Span | None:
        """Where a span of the text before stands now; None where the edit touches it."""
        if span.end < self.span.start:
            return span
        if span.start > self.span.end:
            return Span(span.start + self.shift, span.end + self.shift)
        return None


class Buffer:
    """The text of an open document."""

    def __init__(self, text: str, encoding: str = UTF_16) -> None:
        self.text = text
        self.encoding = encoding
        self.starts: list[int] = Lines(text).starts

    def replace(self, start: int, end: int, text: str) -> Replaced:
        """Replace characters; only the lines that are touched are looked for anew."""
        old, starts = self.text, self.starts
        shift = len(text) - (end - start)
        self.text = new = old[:start] + text + old[end:]
        # From the line of the character before, whose end may join what is inserted, to the end of the last line.
        first = bisect_right(starts, max(start - 1, 0)) - 1
        last = bisect_right(starts, end)
        top = starts[first]
        bottom = starts[last] + shift if last < len(starts) else len(new)
        between = [top + one for one in Lines(new[top:bottom]).starts]
        if last < len(starts):
            between.pop()  # the line that begins at the bottom is the next one
        self.starts = starts[:first] + between + [one + shift for one in starts[last:]]
        return Replaced(Span(start, end), len(text))

    def line_of(self, offset: int) -> int:
        """The number of the line of an offset, from 0."""
        return bisect_right(self.starts, offset) - 1

    def line(self, number: int) -> Span:
        """The span of a line by its number from 0, without its line end."""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def offset(self, line: int, character: int) -> int:
        """The offset of a position; one behind the end of a line or of the text is that end."""
        if line >= len(self.starts):
            return len(self.text)
        span = self.line(line)
        return span.start + characters(self.text[span.start : span.end], character, self.encoding)

    def position(self, offset: int) -> tuple[int, int]:
        """The line of an offset, and how many units of the encoding are before it on its line."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line_of(offset)
        return line, units(self.text[self.starts[line] : offset], self.encoding)


def units(text: str, encoding: str) -> int:
    """How many units of an encoding a text takes."""
    if encoding == UTF_32 or text.isascii():
        return len(text)
    if encoding == UTF_8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(char > "\uffff" for char in text)


def characters(text: str, count: int, encoding: str) -> int:
    """How many characters of a text a number of units takes; one inside a character counts as before it."""
    if encoding == UTF_32 or text.isascii():
        return min(count, len(text))
    for place, char in enumerate(text):
        count -= units(char, encoding)
        if count < 0:
            return place
    return len(text)

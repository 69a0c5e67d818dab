"""Positions in a text: spans, edits, and the conversion of offsets to lines and columns.

Offsets count characters (Unicode code points) of the decoded text, from 0. Lines and columns are
1-based, as in editors and the JSON output. Lines end at ``\\n``, ``\\r\\n`` or a lone ``\\r``.
"""

from __future__ import annotations

from bisect import bisect_right

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_LINE_END = regex(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open range of characters, ``text[start:end]``."""

    start: int
    end: int


class Edit(NamedTuple):
    """A replacement of the characters in ``span`` with ``text``; an insertion if the span is empty."""

    span: Span
    text: str


class Position(NamedTuple):
    """A position as shown to users: 1-based line and column, the column counted in characters."""

    line: int
    column: int


class Lines:
    """The offsets at which the lines of a text start, computed once for many lookups."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        """Return the line and column of an offset; an offset past the end counts as the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.starts, offset)
        return Position(line, offset - self.starts[line - 1] + 1)

    def span(self, line: int) -> Span:
        """Return the span of the line with the 1-based number `line`, without its line ending."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def full_span(self, line: int) -> Span:
        """Return the span of the line with the 1-based number `line`, with its line ending, for deleting the line."""
        start = self.starts[line - 1]
        return Span(start, self.starts[line] if line < len(self.starts) else len(self.text))


def apply_edits(text: str, edits: list[Edit]) -> str:
    """Return the text with all edits applied; raise ``ValueError`` if edits overlap."""
    parts: list[str] = []
    done = 0
    for span, replacement in sorted(edits):
        if span.start < done:
            raise ValueError(f"edits overlap at offset {span.start}")
        parts += (text[done : span.start], replacement)
        done = span.end
    parts.append(text[done:])
    return "".join(parts)

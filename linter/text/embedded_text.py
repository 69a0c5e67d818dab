"""Text embedded in another text, such as a block scalar, JSON string or heredoc, with a mapping back to that text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span


class Piece(NamedTuple):
    """A part of an inner text: `text` comes from `span` of the outer text, verbatim or in another spelling."""

    text: str
    span: Span

    @property
    def is_verbatim(self) -> bool:
        """Whether the piece maps to the outer text character by character, not only as a whole."""
        return len(self.text) == self.span.end - self.span.start


class Extract:
    """An inner text that consists of pieces of an outer text, in order."""

    def __init__(self, outer: str, pieces: Iterable[Piece]) -> None:
        self.outer = outer
        self._pieces: Sequence[Piece] = [piece for piece in pieces if piece.text]
        self.text = "".join(piece.text for piece in self._pieces)
        self._starts: list[int] = []
        at = 0
        for piece in self._pieces:
            self._starts.append(at)
            at += len(piece.text)

    @classmethod
    def of(cls, outer: str, spans: Iterable[Span]) -> Extract:
        """Return an extract that consists of the text of `outer` at `spans`, verbatim."""
        return cls(outer, (Piece(outer[span.start : span.end], span) for span in spans))

    @property
    def pieces(self) -> Sequence[Piece]:
        """The pieces of the outer text that make up the inner text, in order."""
        return self._pieces

    def part(self, inner: Span) -> Extract:
        """Return a part of the inner text as an extract of its own."""
        return Extract(self.outer, self._cut(inner.start, inner.end))

    def replaced(self, replacements: Iterable[tuple[Span, str]]) -> Extract:
        """Return the extract with disjoint, ordered spans replaced; each new text maps to the span that it replaces."""
        pieces: list[Piece] = []
        done = 0
        for inner, text in replacements:
            pieces += self._cut(done, inner.start)
            pieces.append(Piece(text, self.span(inner)))
            done = inner.end
        return Extract(self.outer, [*pieces, *self._cut(done, len(self.text))])

    def through(self, extract: Extract) -> Extract:
        """Return this extract, which was made from the text of `extract`, as one from the outer text of `extract`."""
        pieces: list[Piece] = []
        for piece in self._pieces:
            if piece.is_verbatim:
                pieces += extract._cut(*piece.span)
            else:
                pieces.append(Piece(piece.text, extract.span(piece.span)))
        return Extract(extract.outer, pieces)

    def _cut(self, start: int, end: int) -> list[Piece]:
        """Return the pieces between two inner offsets."""
        cut: list[Piece] = []
        place = max(bisect_right(self._starts, start) - 1, 0)
        for piece, at in islice(zip(self._pieces, self._starts, strict=True), place, None):
            first, last = max(start - at, 0), min(end - at, len(piece.text))
            if first >= last:
                break
            whole = piece.span
            span = Span(whole.start + first, whole.start + last) if piece.is_verbatim else whole
            cut.append(Piece(piece.text[first:last], span))
        return cut

    def start(self, offset: int) -> int:
        """Return the outer offset of the character at an inner offset; at the text's end, the end of the last piece."""
        if not self._pieces:
            return 0
        if offset >= len(self.text):
            return self._pieces[-1].span.end
        place = bisect_right(self._starts, offset) - 1
        piece = self._pieces[place]
        return piece.span.start + (offset - self._starts[place] if piece.is_verbatim else 0)

    def end(self, offset: int) -> int:
        """Return the outer offset at which the character before an inner offset ends."""
        if offset <= 0 or not self._pieces:
            return self.start(0)
        place = bisect_right(self._starts, min(offset, len(self.text)) - 1) - 1
        piece = self._pieces[place]
        return piece.span.start + offset - self._starts[place] if piece.is_verbatim else piece.span.end

    def span(self, inner: Span) -> Span:
        """Return the outer span that covers an inner span, from its first to its last character."""
        start = self.start(inner.start)
        return Span(start, max(start, self.end(inner.end))) if inner.end > inner.start else Span(start, start)

    def edits(self, inner: Iterable[Edit], *, indent: str = "") -> list[Edit]:
        """Convert edits of the inner text to edits of the outer text, in which each line is indented by `indent`."""
        return [self._outward(edit, indent) for edit in inner]

    def _outward(self, edit: Edit, indent: str) -> Edit:
        (start, end), text = edit
        if not indent or ("\n" not in text and "\n" not in self.text[start:end]):
            return Edit(self.span(edit.span), text)
        at_line = start == 0 or self.text[start - 1] == "\n"
        outer = self.span(edit.span)
        lines = text.split("\n")
        if not at_line:
            return Edit(outer, ("\n" + indent).join(lines))
        # Whole lines are inserted and deleted with their indentation.
        first = outer.start - min(len(indent), outer.start - (self.outer.rfind("\n", 0, outer.start) + 1))
        new = "\n".join(indent + line if line else line for line in lines)
        if 0 < end < len(self.text) and self.text[end - 1] != "\n" and (not text or text.endswith("\n")):
            new += indent  # the rest of the last line starts a new line
        return Edit(Span(first, first if start == end else max(first, outer.end)), new)

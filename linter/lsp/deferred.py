"""Edits of fixes in an open file, which moves on: they are those of its text when somebody looks into them.

A keystroke must not wait for the fix of everything that is found, and of all fixes that are offered few are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.entries import Entry
from flink_flint.linter.model.deferred import Deferred
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import Edit, Span


class Current:
    """The document as it is now: that of the last text."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def later(self, how: str, arguments: Sequence[Entry | str]) -> Deferred:
        """Edits of the document as it is when somebody looks into them: see `Document.later`."""
        return Deferred(self, how, tuple(arguments))

    def work_out(self, wanted: Deferred) -> Sequence[Edit]:
        """The edits of one fix, verified by itself."""
        document = self.document
        document.later = None
        try:
            return document.edits(wanted.how, *wanted.arguments) or ()
        finally:
            document.later = self.later


class Elsewhere(Deferred):
    """The same edits of a text of which the one they were meant for is a part."""

    def __init__(self, edits: Sequence[Edit], by: int) -> None:
        self._inner = edits
        self._by = by
        self.known = self.trace = None

    def _edits(self) -> Sequence[Edit]:
        by = self._by
        return [Edit(Span(span.start + by, span.end + by), text) for span, text in self._inner]


def put_off(document: Document) -> Current:
    """Have the edits of a document's fixes worked out later; what they are then those of."""
    current = Current(document)
    document.later = current.later
    return current

"""Edits of fixes that are worked out when somebody asks for them.

A carrier reads the edited file again before it gives an edit. That is too much for every fix at every keystroke, and of
all fixes that are offered few are ever looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from linter.text import Edit, Span

if TYPE_CHECKING:
    from linter.document import Document
    from linter.editor.traced import Trace
    from linter.flink.entries import Entry


class Current:
    """The document as it is now: that of the last text."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def later(self, how: str, arguments: Sequence[Entry | str]) -> list[Edit]:
        """Edits of the document as it is when somebody looks into them: see `Document.later`."""
        return Deferred(self, how, tuple(arguments))


class Deferred(list[Edit]):
    """A list of edits that is taken for one with something in it until somebody looks into it.

    It turns out to be empty where the file cannot take the edit.
    """

    def __init__(self, current: Current, how: str, arguments: tuple[Entry | str, ...]) -> None:
        super().__init__()
        self._current = current
        self._how = how
        self._arguments = arguments
        self._known: Sequence[Edit] | None = None
        self.trace: Trace | None = None
        """What takes down that a rule looked into it."""

    def __bool__(self) -> bool:
        return True

    def _edits(self) -> Sequence[Edit]:
        if self.trace is not None:
            self.trace.everything = True
        if self._known is None:
            document = self._current.document
            document.later = None
            try:
                self._known = document.edits(self._how, *self._arguments) or ()
            finally:
                document.later = self._current.later
        return self._known

    def __iter__(self) -> Iterator[Edit]:
        return iter(self._edits())

    def __len__(self) -> int:
        return len(self._edits())

    @overload
    def __getitem__(self, place: SupportsIndex) -> Edit: ...
    @overload
    def __getitem__(self, place: slice) -> list[Edit]: ...
    def __getitem__(self, place: Any) -> Any:
        return list(self._edits())[place]


class Elsewhere(Deferred):
    """The same edits of a text of which the one they were meant for is a part."""

    def __init__(self, edits: Sequence[Edit], by: int) -> None:
        list.__init__(self)
        self._inner = edits
        self._by = by
        self.trace = None

    def _edits(self) -> Sequence[Edit]:
        by = self._by
        return [Edit(Span(span.start + by, span.end + by), text) for span, text in self._inner]


def put_off(document: Document) -> Current:
    """Have the edits of a document's fixes worked out later; what they are then those of."""
    current = Current(document)
    document.later = current.later
    return current

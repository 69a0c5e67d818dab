"""Where the edits that rules propose for one file are worked out and verified together.

Whoever shows or applies the edits of one fix has those of its whole file worked out, which reads the edited file a few
times however many fixes there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from flink_flint.linter.model.deferred import Deferred
from flink_flint.linter.model.document import Trial
from flink_flint.linter.text.spans import Edit

if TYPE_CHECKING:
    from flink_flint.linter.flink.entries import Entry
    from flink_flint.linter.model.document import Document, Promise

MOST_WAYS = 12
"""How many ways to write one setting are tried."""


class Workbench:
    """The edits that rules propose for the documents of one file, worked out together when one is looked into."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._proposed: dict[tuple[object, ...], Deferred] = {}
        self._waiting: list[tuple[Document, Deferred]] = []
        self.readings = 0
        """How often an edited text of the file was read to verify them."""
        for document in documents:
            document.later = partial(self._later, document)

    def _later(self, document: Document, how: str, arguments: Sequence[Entry | str]) -> Deferred:
        key = (document.number, how, *(one if isinstance(one, str) else id(one) for one in arguments))
        found = self._proposed.get(key)
        if found is None:
            found = self._proposed[key] = Deferred(self, how, tuple(arguments))
            self._waiting.append((document, found))
        return found

    def work_out(self, wanted: Deferred) -> Sequence[Edit]:
        """The edits of one proposal; those of all others that nobody looked into yet are then known too."""
        from flink_flint.linter.formats.editing.verification import Verification

        verification = Verification(self._documents)
        waiting, self._waiting = self._waiting, []
        for way in range(MOST_WAYS):
            promised: list[tuple[Document, Deferred, Promise]] = []
            for document, proposal in waiting:
                edits, promise = tried(document, proposal.how, proposal.arguments, way)
                if promise is None or not edits:
                    proposal.known = edits
                else:
                    promised.append((document, proposal, promise))
            holding = set(map(id, verification.holding([promise for _, _, promise in promised]))) if promised else ()
            waiting = []
            for document, proposal, promise in promised:
                if id(promise) in holding:
                    proposal.known = promise.edits
                else:
                    waiting.append((document, proposal))
            if not waiting:
                break
        for _, proposal in waiting:
            proposal.known = ()
        self.readings += verification.readings
        return wanted.known or ()


def tried(
    document: Document, how: str, arguments: Sequence[Entry | str], way: int = 0
) -> tuple[Sequence[Edit], Promise | None]:
    """What the carrier's `rename`, `replace`, `add` or `remove` gives unverified, in the first way or a later one, and
    what that promises (None: nothing that needs to be verified)."""
    trial = document.trial = Trial(way)
    try:
        edits = getattr(document.carrier, how)(document, *arguments) or ()
    finally:
        document.trial = None
    return edits, trial.promise

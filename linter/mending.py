"""One file on its way to being mended, round by round.

Of offers that touch one another the first goes first and the others wait for the next round; what would not read as it
means is left out, and so are fixes that undo one another. All that is left out is told.
"""

from __future__ import annotations

from collections.abc import Sequence

from linter.discovery import Source
from linter.document import Document
from linter.finding import Finding, Fix
from linter.readback import Mended, NotAsMeant, mend_alone, mend_together
from linter.record import NamedTuple
from linter.reports.style import listed
from linter.text import Edit

MOST_ROUNDS = 20
"""A fix may call for another (a rename that meets a removal); a file that needs more rounds is left as it then is."""


class Done(NamedTuple):
    """A fix that was made, and the rule that offered it."""

    code: str
    rule: str
    title: str


class Fixed(NamedTuple):
    """A file and what became of it."""

    before: Source
    after: Source
    done: tuple[Done, ...]
    """What was done, in order; a fix that two rules offered counts for both."""
    left: tuple[str, ...]
    """What was not done though it was offered, and why."""

    @property
    def titles(self) -> tuple[str, ...]:
        """What was done, in order, in words."""
        return tuple(one.title for one in self.done)

    @property
    def changed(self) -> bool:
        """Whether anything was mended."""
        return bool(self.done)


class Offer(NamedTuple):
    """One fix, and all that it would do away with."""

    fix: Fix
    done: tuple[Done, ...]

    @classmethod
    def of(cls, finding: Finding, offered: Fix) -> Offer:
        """The fix that a finding offers."""
        return cls(offered, (Done(finding.code, finding.rule, offered.title),))

    @property
    def codes(self) -> set[str]:
        """The rules that offer it."""
        return {one.code for one in self.done}


class _Text(NamedTuple):
    """A text that a file had, and what had been done to it by then."""

    source: Source
    done: tuple[Done, ...]


class Mending:
    """A file on its way to being mended."""

    def __init__(self, source: Source) -> None:
        self._texts = [_Text(source, ())]
        self._refused: dict[str, str] = {}
        self._at_odds: set[str] = set()
        self._odds: list[str] = []

    @property
    def source(self) -> Source:
        """The file as it now is."""
        return self._texts[-1].source

    @property
    def fixed(self) -> Fixed:
        """What became of the file."""
        left = (*(f"{what} was not fixed: it {reason}" for what, reason in self._refused.items()), *self._odds)
        return Fixed(self._texts[0].source, self.source, self._texts[-1].done, left)

    def mend(self, documents: Sequence[Document], offers: Sequence[Offer], rounds_left: bool) -> bool:
        """One round; whether the file is worth another one. Without `rounds_left` it only tells what is left."""
        self._refused = {}
        mended, chosen = self._chosen(documents, _merged(offers))
        if mended is None:
            return False
        if not rounds_left:
            codes = set[str]().union(*(offer.codes for offer in chosen))
            self._odds.append(f"not everything was fixed: {_spell(codes)} would go on after {MOST_ROUNDS} rounds")
            return False
        done = tuple(one for offer in chosen for one in offer.done)
        for number, text in enumerate(self._texts):
            if text.source.data == mended.source.data:
                # Everything done since this text was undone again.
                return self._back_to(number, {one.code for one in (*self._texts[-1].done[len(text.done) :], *done)})
        self._texts.append(_Text(mended.source, self._texts[-1].done + done))
        return True

    def _back_to(self, number: int, codes: set[str]) -> bool:
        del self._texts[number + 1 :]
        self._at_odds |= codes
        self._odds.append(
            f"{_spell(codes)} {'were' if len(codes) > 1 else 'was'} not fixed: the fixes undo one another"
        )
        return True

    def _chosen(self, documents: Sequence[Document], offers: Sequence[Offer]) -> tuple[Mended | None, list[Offer]]:
        """What to do in one round: fixes that read back as they mean, alone and together; the others wait."""
        chosen: list[Offer] = []
        mended: list[Mended] = []
        taken: list[Edit] = []
        for offer in offers:
            if not self._at_odds.isdisjoint(offer.codes):
                continue
            try:
                alone = mend_alone(self.source, documents, offer.fix)
            except NotAsMeant as reason:
                self._refused[f"{_spell(offer.codes)} ({offer.fix.title})"] = str(reason)
                continue
            if not _touch(offer.fix.edits, taken):
                chosen.append(offer)
                mended.append(alone)
                taken += offer.fix.edits
        return self._together(documents, chosen, mended)

    def _together(
        self, documents: Sequence[Document], offers: list[Offer], alone: list[Mended]
    ) -> tuple[Mended | None, list[Offer]]:
        if len(offers) < 2:
            return (alone[0] if alone else None), offers
        try:
            return mend_together(self.source, documents, [one.fix for one in offers], alone), offers
        except NotAsMeant:
            pass  # one of them does not go with those before it
        chosen, parts = offers[:1], alone[:1]
        together = alone[0]
        for offer, own in zip(offers[1:], alone[1:], strict=True):
            try:
                fixes = [one.fix for one in (*chosen, offer)]
                together = mend_together(self.source, documents, fixes, [*parts, own])
            except NotAsMeant:
                continue
            chosen.append(offer)
            parts.append(own)
        return together, chosen


def _merged(offers: Sequence[Offer]) -> list[Offer]:
    """The offers, those of the very same edits made one."""
    merged: dict[tuple[Edit, ...], Offer] = {}
    for offer in offers:
        edits = tuple(sorted(offer.fix.edits))
        first = merged.get(edits)
        merged[edits] = offer if first is None else Offer(first.fix, first.done + offer.done)
    return list(merged.values())


def _touch(edits: Sequence[Edit], taken: Sequence[Edit]) -> bool:
    return any(
        edit.span.start <= other.span.end and other.span.start <= edit.span.end for edit in edits for other in taken
    )


def _spell(codes: set[str]) -> str:
    return listed(sorted(codes))

"""One file on its way to being mended, round by round.

Of offers that touch one another the first goes first and the others wait for the next round; what would not read as it
means is left out, and so are fixes that undo one another. All that is left out is told.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.fix.readback import NotAsMeant, fix_together
from flink_flint.linter.formats.editing.verification import MAX_READINGS, touches
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Fix
from flink_flint.linter.output.terminal_style import listed
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, apply_edits

MAX_ROUNDS = 20
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
    about: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, finding: Finding, offered: Fix) -> Offer:
        """The fix that a finding offers."""
        return cls(offered, (Done(finding.code, finding.rule, offered.title),), (finding,))

    @property
    def codes(self) -> set[str]:
        """The rules that offer it."""
        return {one.code for one in self.done}


class _Text(NamedTuple):
    """A text that a file had, and what had been done to it by then."""

    source: Source
    done: tuple[Done, ...]


class FileFixes:
    """A file on its way to being mended."""

    def __init__(self, source: Source) -> None:
        self._texts = [_Text(source, ())]
        self._refused: dict[str, str] = {}
        self._at_odds: set[str] = set()
        self._odds: list[str] = []
        self._disproved: dict[str, str] = {}
        self._readings = 0

    @property
    def source(self) -> Source:
        """The file as it now is."""
        return self._texts[-1].source

    @property
    def fixed(self) -> Fixed:
        """What became of the file."""
        refused = {**self._refused, **self._disproved}
        left = (*(f"{what} was not fixed: it {reason}" for what, reason in refused.items()), *self._odds)
        return Fixed(self._texts[0].source, self.source, self._texts[-1].done, left)

    def fix_file(self, documents: Sequence[Document], offers: Sequence[Offer], rounds_left: bool) -> bool:
        """One round; whether the file is worth another one. Without `rounds_left` it only tells what is left."""
        return self.keep(documents, self.chosen(documents, offers), rounds_left)

    def chosen(self, documents: Sequence[Document], offers: Sequence[Offer]) -> list[Offer]:
        """What may be done in one round: fixes that read back as they mean, alone and together; the others wait."""
        self._refused = {}
        apart: list[Offer] = []
        taken: list[Edit] = []
        for offer in _merged(offers):
            edits = offer.fix.edits
            if self._at_odds.isdisjoint(offer.codes) and not any(touches(edit, taken) for edit in edits):
                apart.append(offer)
                for edit in edits:
                    insort(taken, edit)
        self._readings = 0
        return self._reading_back(documents, [], apart)

    def _reading_back(self, documents: Sequence[Document], chosen: list[Offer], more: list[Offer]) -> list[Offer]:
        """The chosen ones, and those of some more that go with them; why one does not even alone is told."""
        if not more or self._readings >= MAX_READINGS:
            return chosen
        try:
            self._readings += 1
            fix_together(self.source, documents, [one.fix for one in (*chosen, *more)])
        except NotAsMeant as reason:
            if len(more) > 1:
                middle = len(more) // 2
                return self._reading_back(
                    documents, self._reading_back(documents, chosen, more[:middle]), more[middle:]
                )
            self._report_why(documents, more[0], reason if not chosen else None)
            return chosen
        return [*chosen, *more]

    def _report_why(self, documents: Sequence[Document], offer: Offer, reason: NotAsMeant | None) -> None:
        if reason is None:
            try:
                fix_together(self.source, documents, [offer.fix])
            except NotAsMeant as alone:
                reason = alone
        if reason is not None:
            self._refused[f"{_spell(offer.codes)} ({offer.fix.title})"] = str(reason)

    def refuse(self, offer: Offer, reason: str) -> None:
        """Leave a fix out for good, and tell why ("would ...")."""
        self._disproved[f"{_spell(offer.codes)} ({offer.fix.title})"] = reason

    def allow(self, offer: Offer) -> None:
        """Take back what was said of a fix."""
        self._disproved.pop(f"{_spell(offer.codes)} ({offer.fix.title})", None)

    def text_with(self, documents: Sequence[Document], offers: Sequence[Offer]) -> Source:
        """The file as some of the chosen fixes make it."""
        if not offers:
            return self.source
        source = self.source
        text = apply_edits(documents[0].text, [edit for offer in offers for edit in offer.fix.edits])
        return Source(source.path, source.file_format.write(text, source.data), source.file_format)

    def keep(self, documents: Sequence[Document], chosen: Sequence[Offer], rounds_left: bool = True) -> bool:
        """Make chosen fixes for good; whether there were any, and there are rounds left."""
        if not chosen:
            return False
        if not rounds_left:
            codes = set[str]().union(*(offer.codes for offer in chosen))
            self._odds.append(f"not everything was fixed: {_spell(codes)} would go on after {MAX_ROUNDS} rounds")
            return False
        made = self.text_with(documents, chosen)
        done = tuple(one for offer in chosen for one in offer.done)
        for number, text in enumerate(self._texts):
            if text.source.data == made.data:
                # Everything done since this text was undone again.
                return self._back_to(number, {one.code for one in (*self._texts[-1].done[len(text.done) :], *done)})
        self._texts.append(_Text(made, self._texts[-1].done + done))
        return True

    def _back_to(self, number: int, codes: set[str]) -> bool:
        del self._texts[number + 1 :]
        self._at_odds |= codes
        self._odds.append(
            f"{_spell(codes)} {'were' if len(codes) > 1 else 'was'} not fixed: the fixes undo one another"
        )
        return True


def _merged(offers: Sequence[Offer]) -> list[Offer]:
    """The offers, those of the very same edits made one."""
    merged: dict[tuple[Edit, ...], Offer] = {}
    for offer in offers:
        edits = tuple(sorted(offer.fix.edits))
        first = merged.get(edits)
        merged[edits] = offer if first is None else Offer(first.fix, first.done + offer.done, first.about + offer.about)
    return list(merged.values())


def _spell(codes: set[str]) -> str:
    return listed(sorted(codes))

"""Fixes one file round by round.

If offers overlap, the first is applied and the others wait for the next round. Fixes that would not read back as
intended and fixes that undo one another are skipped and reported.
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
"""The maximum number of rounds for fixing one file; one fix may enable another (a rename, then a removal)."""

NOT_READ_BACK = "could not be read back within the maximum number of readings"


class Done(NamedTuple):
    """An applied fix, and the rule that offered it."""

    code: str
    rule: str
    title: str


class Fixed(NamedTuple):
    """A file with its applied and skipped fixes."""

    before: Source
    after: Source
    done: tuple[Done, ...]
    """The applied fixes in order; a fix that several rules offered is listed once for each rule."""
    left: tuple[str, ...]
    """The fixes that were offered but not applied, each as a sentence with the reason."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the applied fixes, in order."""
        return tuple(one.title for one in self.done)

    @property
    def changed(self) -> bool:
        """Whether any fix was applied."""
        return bool(self.done)


class Offer(NamedTuple):
    """A fix, with all findings that it resolves."""

    fix: Fix
    done: tuple[Done, ...]
    about: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, finding: Finding, offered: Fix) -> Offer:
        """Return an offer of the fix `offered`, with `finding` as the only finding that it resolves."""
        return cls(offered, (Done(finding.code, finding.rule, offered.title),), (finding,))

    @property
    def codes(self) -> set[str]:
        """The codes of the rules that offer the fix."""
        return {one.code for one in self.done}


class _Text(NamedTuple):
    """An earlier text of the file, and the fixes applied until then."""

    source: Source
    done: tuple[Done, ...]


class FileFixes:
    """A file while it is being fixed."""

    def __init__(self, source: Source) -> None:
        self._texts = [_Text(source, ())]
        self._refused: dict[str, str] = {}
        self._at_odds: set[str] = set()
        self._odds: list[str] = []
        self._disproved: dict[str, str] = {}
        self._readings = 0

    @property
    def source(self) -> Source:
        """The file with the fixes applied so far."""
        return self._texts[-1].source

    @property
    def fixed(self) -> Fixed:
        """The file with its applied and skipped fixes."""
        refused = {**self._refused, **self._disproved}
        left = (*(f"{what} was not fixed: it {reason}" for what, reason in refused.items()), *self._odds)
        return Fixed(self._texts[0].source, self.source, self._texts[-1].done, left)

    def fix_file(self, documents: Sequence[Document], offers: Sequence[Offer], rounds_left: bool) -> bool:
        """Run one round of fixes and return whether another is useful; without `rounds_left`, only report the rest."""
        return self.keep(documents, self.chosen(documents, offers), rounds_left)

    def chosen(self, documents: Sequence[Document], offers: Sequence[Offer]) -> list[Offer]:
        """Return the fixes to apply in one round: all that have exactly their intended effect, alone and together."""
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
        """Return the chosen fixes plus the further ones compatible with them; report those that fail on their own."""
        if not more:
            return chosen
        if self._readings >= MAX_READINGS:
            self._refused |= {_described(one): NOT_READ_BACK for one in more}
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
            self._refused[_described(offer)] = str(reason)

    def refuse(self, offer: Offer, reason: str) -> None:
        """Skip a fix until it is allowed again; report `reason`, a clause such as "would change another setting"."""
        self._disproved[_described(offer)] = reason

    def allow(self, offer: Offer) -> None:
        """Make a refused fix available again."""
        self._disproved.pop(_described(offer), None)

    def text_with(self, documents: Sequence[Document], offers: Sequence[Offer]) -> Source:
        """Return the file in its current state with the given fixes applied in addition."""
        if not offers:
            return self.source
        source = self.source
        text = apply_edits(documents[0].text, [edit for offer in offers for edit in offer.fix.edits])
        return Source(source.path, source.file_format.write(text, source.data), source.file_format)

    def keep(self, documents: Sequence[Document], chosen: Sequence[Offer], rounds_left: bool = True) -> bool:
        """Apply the chosen fixes and return whether another round is useful: there were fixes and rounds are left."""
        if not chosen:
            return False
        if not rounds_left:
            codes = set[str]().union(*(offer.codes for offer in chosen))
            self._odds.append(f"not everything was fixed: {_spell(codes)} would continue after {MAX_ROUNDS} rounds")
            return False
        made = self.text_with(documents, chosen)
        done = tuple(one for offer in chosen for one in offer.done)
        for number, text in enumerate(self._texts):
            if text.source.data == made.data:
                # The fixes applied since this text have been undone.
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
    """Return the offers, with those of identical edits merged."""
    merged: dict[tuple[Edit, ...], Offer] = {}
    for offer in offers:
        edits = tuple(sorted(offer.fix.edits))
        first = merged.get(edits)
        merged[edits] = offer if first is None else Offer(first.fix, first.done + offer.done, first.about + offer.about)
    return list(merged.values())


def _described(offer: Offer) -> str:
    return f"{_spell(offer.codes)} ({offer.fix.title})"


def _spell(codes: set[str]) -> str:
    return listed(sorted(codes))

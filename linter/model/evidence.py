"""Evidence that a file is Flink's, weighed against the evidence that it is another product's."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.text.named_tuple import NamedTuple

SUFFICIENT = 3
"""The minimum weight of evidence for treating a file as Flink's; it must also exceed the weight of counterevidence."""


class Evidence(NamedTuple):
    """The weights of the evidence for and against a file being Flink's, with the reasons."""

    in_favor: int = 0
    against: int = 0
    reasons: tuple[str, ...] = ()
    """The evidence as clauses, each prefixed with its weight: ``+8 2 keys that only Flink has (…)``."""

    @property
    def is_sufficient(self) -> bool:
        """Whether the evidence is enough to consider the file Flink's."""
        return self.in_favor >= SUFFICIENT and self.in_favor > self.against

    def plus(self, weight: int, reason: str) -> Evidence:
        """Return this evidence with more added: in favor if `weight` is positive, against if it is negative."""
        return Evidence(
            self.in_favor + max(weight, 0), self.against + max(-weight, 0), (*self.reasons, f"{weight:+d} {reason}")
        )

    def joined(self, others: Iterable[Evidence]) -> Evidence:
        """Return this evidence combined with all `others`."""
        found = self
        for one in others:
            found = Evidence(found.in_favor + one.in_favor, found.against + one.against, (*found.reasons, *one.reasons))
        return found


NOTHING = Evidence()


def certain(reason: str) -> Evidence:
    """Return sufficient evidence for a file whose structure or name alone shows that it is Flink's."""
    return NOTHING.plus(10, reason)

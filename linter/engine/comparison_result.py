"""What a change did, as all outputs report it: each kind of difference by itself, so that none passes for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.judged import Judged


class SettingsChange(NamedTuple):
    """A file of flint's own (settings, ignore file, baseline) that a change touches."""

    path: str
    what: str
    """``added``, ``changed`` or ``removed``."""


class Unjudged(NamedTuple):
    """A file, or a part of one, whose earlier findings are neither fixed nor still there: it is not read any more."""

    path: str
    reason: str
    findings: int
    """How many findings it had in the base."""


DELETED = "deleted"
"""The reason for not reading a file that is gone."""


def hides(findings: int, reason: str) -> bool:
    """Whether something may be out of sight where a file is not read any more: not if it had nothing and is gone."""
    return bool(findings) or reason != DELETED


class Moved(NamedTuple):
    """A file of another name, read before and after."""

    old: str
    new: str
    findings: int
    """How many of its findings moved with it."""


class Comparison(NamedTuple):
    """The difference between two revisions, besides the new findings, which are those of the report.

    The head is judged by the settings, ignore files and baseline of the base.
    """

    revision: str
    """As it was named."""
    base: str
    """The commit at which the branch left it."""
    settings: tuple[SettingsChange, ...]
    hidden: int
    """How many of the new findings the head's own settings would hide."""
    newly_suppressed: tuple[Silenced, ...]
    no_longer_read: tuple[Unjudged, ...]
    unreadable: tuple[Unjudged, ...]
    moved: tuple[Moved, ...]
    fixed: tuple[Finding, ...]
    """Findings of the base, in files that were read again; their paths and places are those of the base."""
    remaining: tuple[Finding, ...]
    """Findings that the base has too."""
    before: tuple[Judged, ...]
    """The documents of the base, under the paths they had."""

    @property
    def is_safe(self) -> bool:
        """Whether nothing was taken out of sight: only then may a title say that all is clear."""
        return not (self.settings or self.newly_suppressed or self.no_longer_read or self.unreadable)


Identity = tuple[str, str, str]
"""What a finding keeps when its file is renamed: code, document, key."""


MAX_SHARED = 100_000
"""Pairs of files that one finding is held to connect, over all findings: one that nearly all have tells no file."""


def renamed_files(gone: Mapping[str, Counter[Identity]], come: Mapping[str, Counter[Identity]]) -> dict[str, str]:
    """The new names of files by the old ones, as far as their findings tell: the pairs that have most in common.

    Files with the very same findings are paired first, those of one name before others, without holding each against
    each. Of the rest, the findings that the fewest have connect the pairs.
    """
    renamed: dict[str, str] = {}
    for with_name in (True, False):
        _pair_equal(gone, come, renamed, with_name=with_name)
    taken = set(renamed.values())
    ranked = (
        (-common, _name(old) != _name(new), old, new)
        for (old, new), common in _shared(
            {path: found for path, found in gone.items() if path not in renamed},
            {path: found for path, found in come.items() if path not in taken},
        ).items()
    )
    for _, _, old, new in sorted(ranked):
        if old not in renamed and new not in taken:
            renamed[old] = new
            taken.add(new)
    return renamed


def _pair_equal(
    gone: Mapping[str, Counter[Identity]],
    come: Mapping[str, Counter[Identity]],
    renamed: dict[str, str],
    *,
    with_name: bool,
) -> None:
    """Pair files of equal findings, and of one name if so wanted, in the order of their paths."""
    taken = set(renamed.values())
    equal: dict[tuple[frozenset[tuple[Identity, int]], str], list[str]] = {}
    for new in sorted(come.keys() - taken, reverse=True):
        equal.setdefault((frozenset(come[new].items()), _name(new) if with_name else ""), []).append(new)
    for old in sorted(gone.keys() - renamed.keys()):
        if gone[old] and (left := equal.get((frozenset(gone[old].items()), _name(old) if with_name else ""))):
            renamed[old] = left.pop()


def _shared(gone: Mapping[str, Counter[Identity]], come: Mapping[str, Counter[Identity]]) -> Counter[tuple[str, str]]:
    """How many findings pairs of files have in common, counted from the rarest finding on, up to `MAX_SHARED`."""
    having: dict[Identity, tuple[dict[str, int], dict[str, int]]] = {}
    for side, files in enumerate((gone, come)):
        for path, found in files.items():
            for identity, number in found.items():
                having.setdefault(identity, ({}, {}))[side][path] = number
    shared: Counter[tuple[str, str]] = Counter()
    left = MAX_SHARED
    for before, after in sorted(having.values(), key=lambda sides: len(sides[0]) * len(sides[1])):
        left -= len(before) * len(after)
        if left < 0:
            break
        for old, one in before.items():
            for new, other in after.items():
                shared[old, new] += min(one, other)
    return shared


def _name(path: str) -> str:
    return path.rpartition("/")[2]

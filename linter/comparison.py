"""What a change did, as all outputs report it: each kind of difference by itself, so that none passes for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from linter.finding import Finding
from linter.record import NamedTuple
from linter.suppressions import Silenced

if TYPE_CHECKING:
    from linter.engine import Judged


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


def renamed_files(gone: Mapping[str, Counter[Identity]], come: Mapping[str, Counter[Identity]]) -> dict[str, str]:
    """The new names of files by the old ones, as far as their findings tell: the pairs that have most in common."""
    pairs = []
    for old, before in gone.items():
        for new, after in come.items():
            if common := (before & after).total():
                is_named_alike = old.rpartition("/")[2] == new.rpartition("/")[2]
                pairs.append((-common, not is_named_alike, old, new))
    renamed: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, old, new in sorted(pairs):
        if old not in renamed and new not in taken:
            renamed[old] = new
            taken.add(new)
    return renamed

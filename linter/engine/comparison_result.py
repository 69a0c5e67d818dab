"""The result of comparing two revisions, for all output formats, with each kind of difference kept separate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.document_findings import Judged


class FlintConfigChange(NamedTuple):
    """A file of flint's own configuration (flint.toml, ignore file, baseline) that a change touches."""

    path: str
    what: str
    """What happened to the file: ``added``, ``changed`` or ``removed``."""


class Unjudged(NamedTuple):
    """A file, or part of a file, that is no longer read, so it is unknown whether its earlier findings still apply."""

    path: str
    reason: str
    findings: int
    """The number of findings that the file had in the base revision."""


DELETED = "deleted"
"""The reason reported for a file that is no longer read because it was deleted."""


def hides(findings: int, reason: str) -> bool:
    """Return whether a file that is no longer read may hide findings; a deleted file without findings does not."""
    return bool(findings) or reason != DELETED


class Moved(NamedTuple):
    """A renamed file that was checked in both revisions."""

    old: str
    new: str
    findings: int
    """The number of findings that moved with the renamed file."""


class Comparison(NamedTuple):
    """The differences between two revisions, except for the new findings, which the report contains.

    The head is checked with the configuration, ignore files and baseline of the base.
    """

    revision: str
    """The base revision as the user named it."""
    base: str
    """The commit hash of the merge base."""
    settings: tuple[FlintConfigChange, ...]
    hidden: int
    """The number of new findings that flint's configuration in the head revision would hide."""
    newly_suppressed: tuple[Silenced, ...]
    no_longer_read: tuple[Unjudged, ...]
    unreadable: tuple[Unjudged, ...]
    moved: tuple[Moved, ...]
    fixed: tuple[Finding, ...]
    """The findings of the base revision that are gone from files read again, with their old paths and locations."""
    remaining: tuple[Finding, ...]
    """The findings of the head revision that the base revision also has."""
    before: tuple[Judged, ...]
    """The checked documents of the base revision, with the paths that their files have in that revision."""

    @property
    def is_safe(self) -> bool:
        """Whether the change cannot hide findings; otherwise a report must not claim that there are no new findings."""
        return not (self.settings or self.newly_suppressed or self.no_longer_read or self.unreadable)


Identity = tuple[str, str, str]
"""The part of a finding's identity that survives renaming the file: code, document name, key."""


MAX_SHARED = 100_000
"""The maximum number of (old file, new file) pairs to count for shared findings, starting with the rarest findings."""


def renamed_files(gone: Mapping[str, Counter[Identity]], come: Mapping[str, Counter[Identity]]) -> dict[str, str]:
    """Return the new path of each renamed file by its old path, preferring pairs with the most findings in common.

    Files with identical findings are paired first, those with the same name before others, without comparing all
    pairs. For the rest, the rarest findings connect the pairs.
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
    """Pair files with identical findings, optionally only those with the same name, in the order of their paths."""
    taken = set(renamed.values())
    equal: dict[tuple[frozenset[tuple[Identity, int]], str], list[str]] = {}
    for new in sorted(come.keys() - taken, reverse=True):
        equal.setdefault((frozenset(come[new].items()), _name(new) if with_name else ""), []).append(new)
    for old in sorted(gone.keys() - renamed.keys()):
        if gone[old] and (left := equal.get((frozenset(gone[old].items()), _name(old) if with_name else ""))):
            renamed[old] = left.pop()


def _shared(gone: Mapping[str, Counter[Identity]], come: Mapping[str, Counter[Identity]]) -> Counter[tuple[str, str]]:
    """Count the findings that pairs of files share, from the rarest finding on, up to `MAX_SHARED` pairs."""
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

"""Flink releases: versions, the minor releases in the option catalogue, and release ranges.

A minor release is often handled as its index in `MINORS` (0 is 1.9), so that "from this release on" is a comparison of
small integers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

MINORS = (
    *("1.9", "1.10", "1.11", "1.12", "1.13", "1.14", "1.15", "1.16", "1.17", "1.18", "1.19", "1.20"),
    *("2.0", "2.1", "2.2", "2.3"),
)  # fmt: skip
"""Every minor release in the option catalogue, oldest first."""

KNOWN = f"{MINORS[0]} to {MINORS[-1]}"
"""The range of minor releases in the option catalogue, as text for messages."""

_INDEX = {minor: index for index, minor in enumerate(MINORS)}
NEWEST = len(MINORS) - 1
FIRST_CONFIG_YAML = _INDEX["1.19"]
LAST_FLINK_CONF = _INDEX["1.20"]
FIRST_OF_THE_OPERATOR = _INDEX["1.13"]
"""The index in `MINORS` of the oldest Flink release that any release of Apache's Kubernetes operator supports."""

_VERSION = regex(r"[vV]?([0-9]{1,9})[._]([0-9]{1,9})(?:[._]([0-9]{1,9}))?(?![0-9.])")
_CONSTRAINT = r"\s*+(==|>=|<=|<|>|=|!=)?\s*+v?([0-9]{1,9})(?:[._]([0-9]{1,9}|x|\*))?(?:[._]([0-9]{1,9}|x|\*))?\s*"


class Release(NamedTuple):
    """One Flink release; `patch` is None if only the minor release is known (then its latest patch is meant)."""

    major: int
    minor: int
    patch: int | None = None

    @property
    def name(self) -> str:
        """The minor release as Flink writes it: ``1.20``."""
        return f"{self.major}.{self.minor}"

    @property
    def place(self) -> int | None:
        """The index of the minor release in `MINORS`; None if the option catalogue does not contain the release."""
        return _INDEX.get(self.name)

    def __str__(self) -> str:
        return self.name if self.patch is None else f"{self.name}.{self.patch}"


@cache
def parse_release(text: str) -> Release:
    """Return the release that `text` names (``1.20``, ``1.20.5`` or ``v1_20``); raise ValueError for any other text."""
    match = _VERSION.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a Flink version; write it like 1.20 or 1.20.5")
    major, minor, patch = match.groups()
    return Release(int(major), int(minor), None if patch is None else int(patch))


def nearest_index(release: Release) -> int:
    """Return the index of a release's minor release, or of the nearest one if the catalogue does not contain it."""
    index = release.place
    if index is not None:
        return index
    return 0 if (release.major, release.minor) < (1, 9) else NEWEST


def release_at(index: int) -> Release:
    """Return the minor release at `index` in `MINORS`."""
    return _RELEASES[index]


_RELEASES = tuple(parse_release(minor) for minor in MINORS)


def spell(indices: Sequence[int]) -> str:
    """Return minor releases, given by index, as text: ``1.9 to 1.17, 1.20``."""
    parts: list[str] = []
    run: list[int] = []
    for index in [*indices, -1]:
        if run and index != run[-1] + 1:
            first, last = release_at(run[0]), release_at(run[-1])
            parts.append(str(first) if first == last else f"{first} to {last}")
            run = []
        run.append(index)
    return ", ".join(parts)


class ReleaseRange:
    """A range of releases such as ``>=1.18,<2``: comma-separated comparisons that must all hold.

    ``1.20`` alone means that minor release (any patch), ``2`` any 2.x. Minor releases are compared unless a patch is
    written, as in ``<1.20.4``; a release whose patch is unknown counts as its latest patch.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._constraints: list[tuple[str, tuple[int, ...]]] = []
        for part in text.split(","):
            match = re.fullmatch(_CONSTRAINT, part)
            if not match:
                raise ValueError(f"{text!r} is neither a Flink version (1.20, 1.20.5) nor a range of them (>=1.18,<2)")
            operator, *numbers = match.groups()
            version = tuple(int(n) for n in numbers if n is not None and n.isdigit())
            self._constraints.append((operator or "==", version))

    def __contains__(self, release: Release) -> bool:
        patch = 1_000 if release.patch is None else release.patch
        full = (release.major, release.minor, patch)
        for operator, version in self._constraints:
            have = full[: len(version)]
            if not {
                "==": have == version, "=": have == version, "!=": have != version,
                ">=": have >= version, "<=": have <= version, "<": have < version, ">": have > version,
            }[operator]:  # fmt: skip
                return False
        return True

    def indices(self) -> list[int]:
        """Return the indices of the minor releases in the range, oldest first."""
        return [index for index in range(len(MINORS)) if release_at(index) in self]

    def __repr__(self) -> str:
        return f"ReleaseRange({self.text!r})"

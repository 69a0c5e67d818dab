"""Suggestions for misspelled option keys: keys with typos, swapped words, or a missing or extra word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from flink_flint.linter.flink.options import LONGEST_KEY
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.flink.options import Catalogue

_WORD_END = r"[._\-]+|(?<=[a-z])(?=[A-Z])"


def nearest(options: Catalogue, key: str, index: int | None, limit: int = 3) -> list[str]:
    """Return at most `limit` option keys that the misspelled `key` may be meant to be, the most likely first.

    Only keys are returned that the minor release `index` (None: any release) accepts.

    A key counts as near if it is the same except for case and separators, if its words are the same except for their
    order or one word too many or too few, or if a few typos lead to it (one in five characters, at most four; swapped
    neighbors are one). For keys of three and more segments, one segment must be right.
    """
    return compare(options, key, _index_of(options).candidates(key), index, limit)


def candidates(options: Catalogue, key: str) -> Collection[str]:
    """Return the option keys that `nearest` compares with `key`; none if `key` is too long to be a typo."""
    return _index_of(options).candidates(key)


def compare(options: Catalogue, key: str, candidates: Iterable[str], index: int | None, limit: int = 3) -> list[str]:
    """Return at most `limit` of `candidates` that `key` may be a misspelling of, the most likely first.

    See `nearest` for the candidates that count as near.
    """
    allowed = max(1, min(4, len(key) // 5))
    typed = _shape(key)
    found: list[tuple[float, bool, str]] = []
    for candidate in candidates:
        distance = _distance(typed, _shape(candidate), allowed)
        if distance is not None and candidate != key:
            how = _how(options, candidate, index)
            if how:
                found.append((distance, how in ("deprecated", "fallback"), candidate))
    return [candidate for _, _, candidate in sorted(found)[:limit]]


class _Index:
    """All keys by what a misspelled one has in common with them, so that few need to be compared."""

    def __init__(self, options: Catalogue) -> None:
        self._by_segment: dict[str, list[str]] = {}
        self._by_bare: dict[str, list[str]] = {}
        self._short: dict[int, list[str]] = {1: [], 2: []}
        """Keys of one and two segments, all of which may be misspelled."""
        self._maps: list[str] = []
        self._templates: list[list[str]] = []
        for key, is_map in options.spellings():
            segments = key.split(".")
            if "<" in key:
                if not segments[-1].startswith("<"):
                    self._templates.append(segments)
                continue
            for segment in segments:
                self._by_segment.setdefault(segment, []).append(key)
            self._by_bare.setdefault(_bare(key), []).append(key)
            if len(segments) in self._short:
                self._short[len(segments)].append(key)
            if is_map:
                self._maps.append(key)

    def candidates(self, key: str) -> Collection[str]:
        """Return the keys to compare: for templates the instance with the names of `key`, for maps its entry."""
        if len(key) > LONGEST_KEY:
            return ()
        segments = key.split(".")
        found = dict.fromkeys(self._by_bare.get(_bare(key), ()))
        found.update(dict.fromkeys(self._short.get(len(segments), ())))
        for segment in segments:
            found.update(dict.fromkeys(self._by_segment.get(segment, ())))
        for known in self._maps:
            depth = known.count(".") + 1
            if len(segments) > depth:
                found[".".join((known, *segments[depth:]))] = None
        for parts in self._templates:
            if len(parts) == len(segments):
                pairs = zip(parts, segments, strict=True)
                found[".".join(theirs if part.startswith("<") else part for part, theirs in pairs)] = None
        return found


@cache
def _index_of(options: Catalogue) -> _Index:
    return _Index(options)


def _how(options: Catalogue, key: str, index: int | None) -> str | None:
    for minor in range(NEWEST, -1, -1) if index is None else (index,):
        accepted = options.accept(key, minor)
        if accepted:
            return accepted.how
    return None


def alike(key: str, candidate: str) -> bool:
    """Return whether two keys differ only in case and separators, or by at most two typos."""
    return _bare(key) == _bare(candidate) or slips(key, candidate, 2) is not None


def _bare(key: str) -> str:
    return key.replace(".", "").replace("-", "").replace("_", "").lower()


def _words(key: str) -> list[str]:
    return sorted(word.lower() for word in re.split(_WORD_END, key))


class _Shape(NamedTuple):
    """The properties of a key that are compared before its characters."""

    key: str
    bare: str
    letters: int
    """The set of characters as bits: a typo adds at most one and removes at most one."""
    words: list[str]
    different: frozenset[str]
    """The set of words."""


@lru_cache(maxsize=8192)
def _shape(key: str) -> _Shape:
    letters = 0
    for char in key:
        letters |= 1 << (ord(char) & 127)
    words = _words(key)
    return _Shape(key, _bare(key), letters, words, frozenset(words))


def _distance(typed: _Shape, candidate: _Shape, allowed: int) -> float | None:
    """Return how many typos a candidate is away from a key (see `nearest`); None if it is implausible."""
    if candidate.bare == typed.bare and abs(len(candidate.key) - len(typed.key)) <= allowed + 4:
        return 0.0
    mine, theirs = typed.letters, candidate.letters
    near = (mine & ~theirs).bit_count() <= allowed >= (theirs & ~mine).bit_count()
    count = slips(typed.key, candidate.key, allowed) if near else None
    if len(typed.different - candidate.different) > 1:
        return count
    if candidate.words == typed.words:
        return min(0.5, allowed + 1 if count is None else count)
    numbers = len(candidate.words), len(typed.words)
    if count is None and abs(numbers[0] - numbers[1]) == 1 and min(numbers) > 1:
        shorter, longer = sorted((typed.words, candidate.words), key=len)
        rest = list(longer)
        for word in shorter:
            if word not in rest:
                return None
            rest.remove(word)
        return allowed + 1
    return count


def slips(a: str, b: str, allowed: int) -> int | None:
    """Return the Damerau-Levenshtein distance (optimal string alignment) of `a` and `b`; None if above `allowed`."""
    if abs(len(a) - len(b)) > allowed:
        return None
    # Only the part between the common prefix and suffix matters.
    start = 0
    shorter = min(len(a), len(b))
    while start < shorter and a[start] == b[start]:
        start += 1
    a, b = a[start:], b[start:]
    end = 0
    shorter = min(len(a), len(b))
    while end < shorter and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[: len(a) - end], b[: len(b) - end]
    far = allowed + 1
    two_ago: list[int] = []
    previous = [min(j, far) for j in range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        # Only near the diagonal can the distance be small enough.
        row = [far] * (len(b) + 1)
        if i <= allowed:
            row[0] = i
        for j in range(max(1, i - allowed), min(len(b), i + allowed) + 1):
            y = b[j - 1]
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, two_ago[j - 2] + 1)
            row[j] = cost
        if min(row) > allowed:
            return None
        two_ago, previous = previous, row
    return previous[-1] if previous[-1] <= allowed else None

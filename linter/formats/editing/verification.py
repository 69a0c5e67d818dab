"""Verification that edits make exactly the promised changes; many edits are verified with a single re-read of the file.

Independent edits are applied together. If the result differs from what was promised, the promises for the documents
and keys that differ are retried in smaller groups, so that the number of re-reads depends on how many promises fail,
not on how many there are.
"""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

from flink_flint.linter.model.document import Document, Promise
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, apply_edits

MAX_READINGS = 100
"""The maximum number of times that one call of `verified` reads edited text again; edits not verified by then fail."""


class Verification:
    """Verifies promised edits of one file by applying them in groups and re-reading the result.

    The documents are those of the unedited file; `readings` is the number of edited texts that were read.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        first = documents[0]
        self._file_format, self._path, self._text = first.file_format, first.path, first.text
        self._like = self._text.encode("utf-8", "surrogateescape")
        self._broken: int | None = None
        self.readings = 0

    def verified(self, promises: Sequence[Promise]) -> list[Promise]:
        """Return the promises whose edits make exactly the promised changes to the file's settings."""
        left = self.readings + MAX_READINGS
        return [promise for group in _apart(promises) for promise in self._kept(group, left)]

    def _kept(self, group: Sequence[Promise], limit: int) -> list[Promise]:
        if self.readings >= limit:
            return []
        suspects, is_certain = self._suspects(group)
        if not suspects:
            return list(group)
        blamed = set(map(id, suspects))
        others = [promise for promise in group if id(promise) not in blamed]
        kept = self._kept(others, limit) if others else []
        if len(group) == 1 or is_certain:
            return kept
        if others:
            return kept + self._kept(suspects, limit)
        middle = len(group) // 2
        return self._kept(group[:middle], limit) + self._kept(group[middle:], limit)

    def _suspects(self, group: Sequence[Promise]) -> tuple[Sequence[Promise], bool]:
        """Return promises of which at least one fails, and whether it is certain that all of them fail."""
        self.readings += 1
        try:
            text = apply_edits(self._text, [edit for promise in group for edit in promise.edits])
        except ValueError:
            return group, False
        if self._broken is None:
            self._broken = breaks(self._path, self._file_format.kind, self._text)
        if breaks(self._path, self._file_format.kind, text) > self._broken:
            return group, False
        after = self._file_format.read(self._path, self._file_format.write(text, self._like))
        if len(after) != len(self._documents):
            return group, False
        of: dict[int, list[Promise]] = {}
        for promise in group:
            of.setdefault(promise.document, []).append(promise)
        suspects: list[Promise] = []
        is_certain = True  # true for a single promise per document, or if all promises have wrong keys
        for number, (old, new) in enumerate(zip(self._documents, after, strict=True)):
            new.set_operator_of(old)
            promised = of.get(number, [])
            wrong = _wrong(old, new, promised)
            if not wrong and len(new.refusals) <= len(old.refusals):
                continue
            if not promised:
                return group, False  # an edit of one document changes another
            blamed = [promise for promise in promised if not wrong.isdisjoint(promise.changes)]
            suspects += blamed or promised
            is_certain = is_certain and (len(promised) == 1 or len(blamed) == len(promised))
        return suspects, is_certain


def _wrong(old: Document, new: Document, promises: Sequence[Promise]) -> set[str]:
    """Return the keys whose values changed, but not as promised."""
    expected: dict[str, str | None] = {key: entry.text for key, entry in old.effective.items()}
    for promise in promises:
        expected.update(promise.changes)
    actual = {key: entry.text for key, entry in new.effective.items()}
    wrong = {key for key, value in expected.items() if actual.get(key) != value}
    return wrong | (actual.keys() - expected.keys())


# -- grouping


class _Group(NamedTuple):
    promises: list[Promise]
    edits: list[Edit]
    """Sorted by position."""
    touched: set[tuple[int, str]]
    """The settings to be changed: document number and key."""


def _apart(promises: Sequence[Promise]) -> list[Sequence[Promise]]:
    """Return the promises in groups of independent ones, which share neither edited text nor keys."""
    groups: list[_Group] = []
    for promise in promises:
        touched = {(promise.document, key) for key in promise.changes}
        group = next((one for one in groups if _fits(promise, touched, one)), None)
        if group is None:
            group = _Group([], [], set())
            groups.append(group)
        group.promises.append(promise)
        group.touched.update(touched)
        for edit in promise.edits:
            insort(group.edits, edit)
    return [group.promises for group in groups]


def _fits(promise: Promise, touched: set[tuple[int, str]], group: _Group) -> bool:
    return group.touched.isdisjoint(touched) and not any(touches(edit, group.edits) for edit in promise.edits)


def touches(edit: Edit, others: Sequence[Edit]) -> bool:
    """Return whether an edit overlaps or is adjacent to one of `others`, which are sorted and disjoint."""
    place = bisect_left(others, edit)
    start, end = edit.span
    return any(one.span.start <= end and start <= one.span.end for one in others[max(0, place - 1) : place + 1])


# -- syntax errors that do not affect the settings Flink reads


def breaks(path: str, kind: str, text: str) -> int:
    """Return the number of syntax errors in `text`, parsed as the formats that its file name and content suggest."""
    broken = 0
    if path.endswith(".json") or text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        broken += _raises(json.loads, text.removeprefix("\ufeff"))
    if path.endswith(".toml"):
        import tomllib

        broken += _raises(tomllib.loads, text)
    if path.endswith((".yaml", ".yml")) and kind != "flink-conf":
        from flink_flint.linter.formats.recognition import is_rendered
        from flink_flint.linter.formats.syntax.yaml_tree import read_trees

        broken += sum(tree.error is not None for tree in read_trees(text, is_rendered=is_rendered(path)))
    return broken


def _raises(read: Callable[[str], object], text: str) -> int:
    try:
        read(text)
    except (ValueError, RecursionError):
        return 1
    return 0

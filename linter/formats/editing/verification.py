"""Whether edits of a file do what they promise: many of them are verified by one reading of the edited file.

Edits that have nothing to do with each other are made together. Where something else comes out, the promises of the
documents and keys that differ are tried again in smaller groups, so that the number of readings depends on how many
promises fail and not on how many there are.
"""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

from flink_flint.linter.model.document import Document, Promise
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, apply_edits

MAX_READINGS = 100
"""Of one file for one call of `holding`: what is not verified by then does not hold."""


class Verification:
    """Verifies promised edits of one file, which is read again for groups of them.

    The documents are those of the file as it is; `readings` counts how often an edited text was read.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        first = documents[0]
        self._file_format, self._path, self._text = first.file_format, first.path, first.text
        self._like = self._text.encode("utf-8", "surrogateescape")
        self._broken: int | None = None
        self.readings = 0

    def holding(self, promises: Sequence[Promise]) -> list[Promise]:
        """Those of the promises whose edits change the settings they name and nothing else of the file."""
        left = self.readings + MAX_READINGS
        return [promise for group in _apart(promises) for promise in self._kept(group, left)]

    def _kept(self, group: Sequence[Promise], most: int) -> list[Promise]:
        if self.readings >= most:
            return []
        suspects, is_certain = self._suspects(group)
        if not suspects:
            return list(group)
        blamed = set(map(id, suspects))
        others = [promise for promise in group if id(promise) not in blamed]
        kept = self._kept(others, most) if others else []
        if len(group) == 1 or is_certain:
            return kept
        if others:
            return kept + self._kept(suspects, most)
        middle = len(group) // 2
        return self._kept(group[:middle], most) + self._kept(group[middle:], most)

    def _suspects(self, group: Sequence[Promise]) -> tuple[Sequence[Promise], bool]:
        """Those of which one at least does not hold, and whether certainly none of them does."""
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
        is_certain = True  # a promise alone in its document, or one whose own keys are wrong though all others are out
        for number, (old, new) in enumerate(zip(self._documents, after, strict=True)):
            promised = of.get(number, [])
            wrong = _wrong(old, new, promised)
            if not wrong and len(new.refusals) <= len(old.refusals):
                continue
            if not promised:
                return group, False  # what is promised of one document changes another
            blamed = [promise for promise in promised if not wrong.isdisjoint(promise.changes)]
            suspects += blamed or promised
            is_certain = is_certain and (len(promised) == 1 or len(blamed) == len(promised))
        return suspects, is_certain


def _wrong(old: Document, new: Document, promises: Sequence[Promise]) -> set[str]:
    """The keys whose values are not what they were or are promised to be."""
    wanted: dict[str, str | None] = {key: entry.text for key, entry in old.effective.items()}
    for promise in promises:
        wanted.update(promise.changes)
    held = {key: entry.text for key, entry in new.effective.items()}
    wrong = {key for key, value in wanted.items() if held.get(key) != value}
    return wrong | (held.keys() - wanted.keys())


# -- what may be made together


class _Group(NamedTuple):
    promises: list[Promise]
    edits: list[Edit]
    """In the order of the text."""
    touched: set[tuple[int, str]]
    """What their documents are to hold otherwise than now: number of the document and key."""


def _apart(promises: Sequence[Promise]) -> list[Sequence[Promise]]:
    """The promises in groups, of which none touches another's edits or keys: none then needs another to hold."""
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
    """Whether an edit overlaps one of `others` or stands right beside it; these are in order and apart."""
    place = bisect_left(others, edit)
    start, end = edit.span
    return any(one.span.start <= end and start <= one.span.end for one in others[max(0, place - 1) : place + 1])


# -- what readers of Flink's settings would not notice


def breaks(path: str, kind: str, text: str) -> int:
    """How often a text breaks the grammars that its file's name and its first character stand for."""
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

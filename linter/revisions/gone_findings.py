"""Determines why a finding of the base is gone in the head: whether it was fixed or is only hidden.

It is fixed only if its location was read and checked again: its document exists, nothing refuses it, and the values
that the rule reads are still known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from flink_flint.linter.engine.baseline import Entry, Group
from flink_flint.linter.engine.check_run import raw_findings
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.parsed_file import Refusal
from flink_flint.linter.flink.secret_places import name_without_secrets
from flink_flint.linter.formats.unknown_values import (
    NO_TEXT,
    has_known_value,
    insertions,
    is_no_text,
    unrecognized_objects,
    value_unknown,
)
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.revisions.lost_values import Lost, lost_values
from flink_flint.linter.text.named_tuple import NamedTuple

Inside = Callable[[str], "str | None"]
"""A function that returns a file's path in the head, relative to the root; None if the file is outside the root."""


class Verdict(NamedTuple):
    """The reason a finding is gone: fixed, moved to another file, no longer read, or unreadable."""

    what: str
    """What happened to the finding: ``fixed``, ``unreadable``, ``no longer read``, or ``moved`` to another file."""
    reason: str = ""


FIXED = Verdict("fixed")
MOVED = Verdict("moved")


class GoneFindings:
    """The findings of the base that are gone from files that were read in the head."""

    def __init__(
        self, head: Sequence[Judged], base: Mapping[str, Sequence[Judged]], new: Iterable[Finding],
        options: Options, inside: Inside,
    ) -> None:  # fmt: skip
        """Index the documents of the head; `base` has current paths, and `new` are the findings missing in the base."""
        self._all, self._base, self._options, self._inside = head, base, options, inside
        self._head = by_path(head, inside)
        self._new = {(one.code, one.document or "", one.key or "") for one in new}

    def verdict(self, entry: Entry) -> Verdict:
        """Return why a baseline entry no longer matches a finding; `entry.path` is the file's path in the head."""
        file = self._head.get(entry.path, ())
        before = next((one for one in self._base.get(entry.path, ()) if one.document.name == entry.document), None)
        own = [one for one in file if one.document.name == entry.document]
        if not own and (entry.document is None or (before is not None and _is_unread_part(before))):
            own = list(file)  # a finding on a file, or on a part that could not be read, concerns the whole file
        parts = [one for one in file if _is_unread_part(one)]
        if not own:
            if refusal := _refusal(parts):
                return Verdict("unreadable", refusal.message)
            if entry.group[1:] in self._new:
                return MOVED
            name = name_without_secrets(entry.document or "")
            return Verdict("no longer read", f"{name} was removed, renamed or is no longer recognized")
        before_it = [one.document for one in self._base.get(entry.path, ())]
        if before_it and unrecognized_objects([one.document for one in file]) > unrecognized_objects(before_it):
            return Verdict("unreadable", "the file has another object whose kind or name a template fills in")
        return self._unjudged(entry, own, parts, before) or self._lost_to(entry) or FIXED

    def _unjudged(
        self, entry: Entry, own: Sequence[Judged], parts: Sequence[Judged], before: Judged | None
    ) -> Verdict | None:
        """Return why documents were not fully checked; None if they were, or if the setting is known anyway."""
        if any(is_no_text(one.document) for one in own):
            return Verdict("unreadable", NO_TEXT)
        is_known = any(entry.key is None or has_known_value(one.document, entry.key) for one in own)
        refusal = _refusal(own)
        if refusal is not None and (not is_known or before is None or _refusal([before]) is None):
            return Verdict("unreadable", refusal.message)
        if not is_known and (refusal := _refusal(parts)) is not None:
            return Verdict("unreadable", refusal.message)
        reasons = next((one.document.budget.reasons for one in own if one.document.budget.reasons), None)
        if reasons and (not is_known or before is None or not before.document.budget.reasons):
            return Verdict("unreadable", f"the file is only partly checked: {next(iter(reasons))}")
        return None

    def _lost_to(self, entry: Entry) -> Verdict | None:
        """Return what became unknown in the documents, if the finding is gone because of that; otherwise None."""
        if not self._lost:
            return None
        lost = [one for _, one in self._lost]
        own = [
            one
            for judged, one in self._lost
            if judged.document.name == entry.document and self._inside(judged.document.path) == entry.path
        ]
        about = [one for one in own if entry.key is not None and one.is_about(entry.key)]
        if not about and self._would_be_found is not None and entry.group not in self._would_be_found:
            return None
        if about and entry.key is not None:
            reason = value_unknown(entry.key)
        else:
            reason = (*own, *lost)[0].reason
        of = f" ({name_without_secrets(entry.document)})" if entry.document else ""
        return Verdict("unreadable", f"{reason}{of}")

    @cached_property
    def _lost(self) -> list[tuple[Judged, Lost]]:
        """Return the documents that have fewer known values than in the base."""
        found = []
        for path, members in self._head.items():
            olds = {one.document.name: one for one in self._base.get(path, ())}
            if not olds:
                continue
            before, now = ([one.document for one in some] for some in (olds.values(), members))
            opens = insertions(now) > insertions(before)
            for one in members:
                old = olds.get(one.document.name)
                if old is not None and (lost := lost_values(one, old, opens=opens)) is not None:
                    found.append((one, lost))
        return found

    @cached_property
    def _would_be_found(self) -> set[Group] | None:
        """Return what would be found if all values known in the base were still known; None if a rule crashes on
        that."""
        restored = {id(one): lost.restored for one, lost in self._lost}
        read = [(restored.get(id(one), one.document), one.flint_config) for one in self._all]
        findings, crashed = raw_findings(read, self._options)
        if crashed:
            return None
        return {
            Group(path, one.code, one.document or "", one.key or "")
            for one in findings
            if (path := self._inside(one.path)) is not None
        }


def by_path(documents: Iterable[Judged], inside: Inside) -> dict[str, list[Judged]]:
    """Return the documents of each file, by its path from the repository root; files outside of it are omitted."""
    found: dict[str, list[Judged]] = defaultdict(list)
    for one in documents:
        if (path := inside(one.document.path)) is not None:
            found[path].append(one)
    return found


def _is_unread_part(judged: Judged) -> bool:
    """Return whether a document represents a part of its file that could not be read."""
    document = judged.document
    return bool(_refusal([judged])) and not document.entries and not document.elements


def _refusal(documents: Iterable[Judged]) -> Refusal | None:
    """Return the first refusal of documents; that a template must be rendered first does not count."""
    return next(
        (refusal for one in documents for refusal in one.document.refusals if refusal.reason != "template"), None
    )

"""Turns the fixes that rules propose as data into text edits, written by the file format and then verified.

This happens after checking, and only if fixes are shown or applied. The edited file is read a few times, regardless of
the number of fixes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.engine.locations import located_edits, mask_of
from flink_flint.linter.formats.editing.verification import Verification
from flink_flint.linter.model.finding import Finding, Fix, Operation
from flink_flint.linter.text.spans import Edit

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Document, Promise

MAX_WAYS = 12
"""The maximum number of alternative edits that are tried for one change to a setting."""


def resolve_fixes(findings: Iterable[Finding], documents: Mapping[str, Sequence[Document]]) -> None:
    """Add edits to the fixes of findings, given the documents of each file; drop the fixes that cannot be made."""
    proposed: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.proposed is not None and not finding.proposed.edits:
            proposed.setdefault(finding.path, []).append(finding)
    for path, some in proposed.items():
        read = documents[path]
        fixes = [finding.proposed for finding in some if finding.proposed is not None]
        for finding, fix in zip(some, resolved(fixes, read), strict=True):
            finding.proposed = fix
            finding.edits = () if fix is None else located_edits(read[0], mask_of(*read), fix.edits)


def resolved(fixes: Sequence[Fix], documents: Sequence[Document]) -> list[Fix | None]:
    """Return the fixes of one file with their edits; None for those that cannot be made."""
    operations = dict.fromkeys(one for fix in fixes for one in fix.operations if isinstance(one, Operation))
    edits = edits_of(operations, documents)
    return [_resolved(fix, edits) for fix in fixes]


def _resolved(fix: Fix, edits: Mapping[Operation, Sequence[Edit]]) -> Fix | None:
    parts = [edits.get(one, ()) if isinstance(one, Operation) else (one,) for one in fix.operations]
    return fix._replace(edits=[edit for part in parts for edit in part]) if parts and all(parts) else None


def edits_of(operations: Iterable[Operation], documents: Sequence[Document]) -> dict[Operation, Sequence[Edit]]:
    """Return the edits for each operation: the first alternative that makes exactly the intended change."""
    verification = Verification(documents)
    waiting = {operation: _ways(operation, documents) for operation in operations}
    made: dict[Operation, Sequence[Edit]] = {}
    for _ in range(MAX_WAYS):
        promised = {one: promise for one, ways in waiting.items() if (promise := next(ways, None)) is not None}
        if not promised:
            break
        verified = set(map(id, verification.verified(list(promised.values()))))
        made |= {one: promise.edits for one, promise in promised.items() if id(promise) in verified}
        waiting = {one: waiting[one] for one in promised if one not in made}
    return made


def _ways(operation: Operation, documents: Sequence[Document]) -> Iterator[Promise]:
    """Yield the ways in which the file format can write an operation; none if its entry no longer exists."""
    how, number, key, new, at = operation
    document = documents[number]
    if how == "add":
        return iter(document.file_format.add(document, key, new))
    entry = next((one for one in document.entries_of(key) if one.key_span == at), None)
    if entry is None:
        return iter(())
    return iter(getattr(document.file_format, how)(document, entry, *([] if how == "remove" else [new])))

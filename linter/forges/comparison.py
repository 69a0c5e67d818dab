"""What a change did: findings that are new, fixed or still there, and memory that moved."""

from __future__ import annotations

from collections.abc import Iterator

from linter.finding import has_grown, worse_note
from linter.forges.reported import Deployment, Reported, ReportedFinding
from linter.record import NamedTuple
from linter.reports.memory_parts import PARTS


class Moved(NamedTuple):
    """A part of a process's memory before and after, in bytes; None where Flink refuses to derive it."""

    part: str
    before: int | None
    after: int | None


class MovedMemory(NamedTuple):
    """The memory of one process of a deployment, where a change moves it."""

    path: str
    document: str | None
    process: str
    """`taskmanager` or `jobmanager`."""
    parts: tuple[Moved, ...]
    """Those that moved, in Flink's order."""


class Comparison(NamedTuple):
    """The findings of the head, held against those of the base; each list worst first."""

    new: tuple[ReportedFinding, ...]
    """Those that the base does not have, and those whose measure has grown."""
    fixed: tuple[ReportedFinding, ...]
    remaining: tuple[ReportedFinding, ...]
    """Those of the base that are still there; without a base all there are, and nobody knows how old they are."""
    memory: tuple[MovedMemory, ...]
    compared: bool
    """Whether there was a base."""

    @property
    def says_something(self) -> bool:
        """Whether the change did anything worth a comment."""
        return bool(self.new or self.fixed or self.memory or (self.remaining and not self.compared))


def compare(head: Reported, base: Reported | None) -> Comparison:
    """Hold reports against those of the base, by the fingerprints of findings and the names of documents."""
    findings = sorted(head.findings, key=lambda finding: finding.order)
    if base is None:
        return Comparison((), (), tuple(findings), (), False)
    before = {finding.fingerprint: finding for finding in base.findings}
    after = {finding.fingerprint for finding in findings}
    findings = [_told(one, before.get(one.fingerprint)) for one in findings]
    fixed = sorted((one for one in base.findings if one.fingerprint not in after), key=lambda finding: finding.order)
    return Comparison(
        new=tuple(one for one in findings if _is_new(one, before.get(one.fingerprint))),
        fixed=tuple(fixed),
        remaining=tuple(one for one in findings if not _is_new(one, before.get(one.fingerprint))),
        memory=tuple(_moved(head, base)),
        compared=True,
    )


def _is_new(finding: ReportedFinding, before: ReportedFinding | None) -> bool:
    """Whether the base has no such finding, or one that is not as bad by its measure."""
    return before is None or has_grown(finding.measure, before.measure)


def _told(finding: ReportedFinding, before: ReportedFinding | None) -> ReportedFinding:
    """The finding, with a note where the base has it and it is worse now."""
    if before is None or not _is_new(finding, before):
        return finding
    note = worse_note(finding.note, "before the change", finding.measure, before.measure)
    return finding._replace(note=note)


def _moved(head: Reported, base: Reported) -> Iterator[MovedMemory]:
    """The processes of documents that are in both, as far as their memory differs."""
    before = {(one.path, one.document): one for one in base.deployments}
    for after in head.deployments:
        known = before.get((after.path, after.document))
        if known is None:
            continue
        for process in PARTS:
            if parts := _moved_parts(known, after, process):
                yield MovedMemory(after.path, after.document, process, parts)


def _moved_parts(before: Deployment, after: Deployment, process: str) -> tuple[Moved, ...]:
    old, new = before.memory.get(process, {}), after.memory.get(process, {})
    return tuple(Moved(part, old.get(part), new.get(part)) for part in PARTS[process] if old.get(part) != new.get(part))

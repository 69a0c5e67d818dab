"""Compares reports: new, fixed and remaining findings, and changed memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.engine.comparison_result import Identity, hides, renamed_files
from flink_flint.linter.formats.unknown_values import MAY_BE_ADDED, value_unknown
from flink_flint.linter.model.finding import has_grown, raised_note, worse_note
from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.output.memory.memory_components import PARTS
from flink_flint.linter.pull_request.untrusted_finding import ReportedFinding
from flink_flint.linter.pull_request.untrusted_report import (
    Coverage,
    Deployment,
    Reported,
    ReportedComparison,
    ReportedFile,
    ReportedMove,
    ReportedSuppression,
)
from flink_flint.linter.text.named_tuple import NamedTuple


class Moved(NamedTuple):
    """The size of a memory component before and after a change, in bytes; None if Flink refuses to derive it."""

    part: str
    before: int | None
    after: int | None


class MovedMemory(NamedTuple):
    """The changed memory components of one process of a deployment."""

    path: str
    document: str | None
    process: str
    """The name of the process: `taskmanager` or `jobmanager`."""
    parts: tuple[Moved, ...]
    """The memory components that changed, in Flink's order."""


class Suppressed(NamedTuple):
    """A finding that a change hides, with the cause and the reason given for it."""

    finding: ReportedFinding
    by: str
    """The source of the suppression, as text: a line of a file, or flint's configuration."""
    reason: str


class Comparison(NamedTuple):
    """The findings of the head compared with those of the base; each list is sorted with the most severe first."""

    new: tuple[ReportedFinding, ...]
    """The findings that are not in the base, or whose `measure` has increased."""
    fixed: tuple[ReportedFinding, ...]
    """The base findings that no longer occur in files that were read again, and that are not suppressed."""
    remaining: tuple[ReportedFinding, ...]
    """The findings that the base has too; without a base, all findings, because their age is unknown."""
    memory: tuple[MovedMemory, ...]
    compared: bool
    """Whether the head was compared with a base."""
    settings: tuple[ReportedFile, ...] = ()
    """The flint configuration, ignore and baseline files that the change touches, each with the kind of change."""
    hidden: int = 0
    """The number of new findings that flint's configuration in the head revision would hide."""
    newly_suppressed: tuple[Suppressed, ...] = ()
    no_longer_read: tuple[ReportedFile, ...] = ()
    unreadable: tuple[ReportedFile, ...] = ()
    """The Flink files that could not be read, including those that are not in the base."""
    moved: tuple[ReportedMove, ...] = ()
    revision: str = "the base"
    disagreement: str = ""
    """The reason why the reports of base and head cannot be fully compared; empty if they can."""
    covered: bool = False
    """Whether the report lists the files that were read, and lists at least one."""

    @property
    def is_meaningful(self) -> bool:
        """Whether the change has an effect that is worth a comment."""
        unseen = self.settings or self.newly_suppressed or self.disagreement
        # Files that could not be read before either, or were deleted without findings, are not caused by the change.
        lost = any(hides(one.findings, one.reason) for one in self.no_longer_read)
        lost |= any(one.findings for one in self.unreadable)
        return bool(self.new or self.fixed or self.memory or (self.remaining and not self.compared) or unseen or lost)

    @property
    def hides_nothing(self) -> bool:
        """Whether the change hides no findings; otherwise a report must not claim that there are none."""
        return not (
            self.settings or self.newly_suppressed or self.no_longer_read or self.unreadable or self.disagreement
        )


def compare(head: Reported, base: Reported | None) -> Comparison:
    """Compare reports of the head with those of the base, matching findings by fingerprint and documents by name.

    Without a base, the comparison in the head's own report is used (`flint check --diff-base`).
    """
    if base is not None:
        return _against(head, base)
    unread = head.coverage.unread if head.coverage is not None else ()
    covered = head.coverage is not None and bool(head.coverage.files)
    findings = _worst_first(head.findings)
    reported = head.comparison
    if reported is None:
        return Comparison((), (), findings, (), False, unreadable=unread, covered=covered)
    return Comparison(
        new=findings,
        fixed=_worst_first(reported.fixed),
        remaining=_worst_first(reported.remaining),
        memory=tuple(_moved(head.deployments, reported.deployments, {one.old: one.new for one in reported.moved})),
        compared=True,
        settings=reported.settings,
        hidden=reported.hidden,
        newly_suppressed=tuple(
            Suppressed(one.finding, f"{one.at_path}:{one.at_line}", one.reason)
            for one in reported.newly_suppressed
            if one.finding is not None
        ),
        no_longer_read=reported.no_longer_read,
        unreadable=tuple(
            dict.fromkeys((*reported.unreadable, *(one for one in unread if one.path not in _paths(reported))))
        ),
        moved=reported.moved,
        revision=reported.revision,
        covered=covered,
    )


def _paths(reported: ReportedComparison) -> set[str]:
    return {one.path for one in reported.unreadable}


def _worst_first(findings: Iterable[ReportedFinding]) -> tuple[ReportedFinding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.order))


def _against(head: Reported, base: Reported) -> Comparison:
    """Compare a report of the head with an independent one of the base."""
    findings = [*head.findings, *(head.comparison.remaining if head.comparison is not None else ())]
    renamed = _renamed(head, base)
    before = _before(base, findings, renamed)
    present = {finding.fingerprint for finding in findings}
    findings = [_with_worse_note(one, before.get(one.fingerprint)) for one in findings]
    gone = [finding for fingerprint, finding in before.items() if fingerprint not in present]
    unread = {one.path: one.reason for one in (head.coverage.unread if head.coverage is not None else ())}
    quiet = Counter[tuple[object, ...]]()
    by: dict[tuple[object, ...], ReportedSuppression] = {}
    was_quiet = Counter((renamed.get(one.path, one.path), *one.identity) for one in base.silenced)
    for one in head.silenced:
        identity = (one.path, *one.identity)
        if was_quiet[identity]:
            was_quiet[identity] -= 1
        else:
            quiet[identity] += 1
            by[identity] = one
    fixed, suppressed = [], []
    lost: Counter[str] = Counter()
    unjudged: Counter[tuple[str, str]] = Counter()
    gone_documents: Counter[tuple[str, str]] = Counter()
    documents = _Documents(head.coverage, base.coverage)
    hidden = _settings_differ(head, base)
    for finding in gone:
        path = renamed.get(finding.path, finding.path)
        identity = (path, *finding.identity)
        if path in unread or (head.coverage is not None and path not in head.coverage.files):
            lost[path] += 1
        elif quiet[identity]:
            quiet[identity] -= 1
            one = by[identity]
            where = f"{one.at_path}:{one.at_line}" if one.at_line else one.at_path or one.by
            suppressed.append(Suppressed(finding, where, one.reason))
        elif hidden:
            suppressed.append(Suppressed(finding, "other settings", ""))
        elif head.crashed:
            continue
        elif not documents.has(finding, path):
            gone_documents[path, f"{finding.document} was removed, renamed or is no longer recognized"] += 1
        elif reason := documents.why_unjudged(finding, path):
            unjudged[path, reason] += 1
        else:
            fixed.append(finding)
    dropped = set[str]()
    if head.coverage is not None and base.coverage is not None:
        dropped = {renamed.get(path, path) for path in base.coverage.files} - head.coverage.files
    no_longer_read = [
        ReportedFile(path, _why_skipped(path, head.coverage), lost[path])
        for path in sorted((dropped | lost.keys()) - unread.keys())
    ]
    no_longer_read += [ReportedFile(*where, number) for where, number in gone_documents.items()]
    unreadable = [ReportedFile(path, reason, lost[path]) for path, reason in unread.items()]
    unreadable += [ReportedFile(*where, number) for where, number in unjudged.items()]
    findings_of = Counter(one.path for one in base.findings)
    moved = [ReportedMove(old, new, findings_of[old]) for old, new in sorted(renamed.items())]
    return Comparison(
        new=_worst_first(one for one in findings if _is_new(one, before.get(one.fingerprint))),
        fixed=_worst_first(fixed),
        remaining=_worst_first(one for one in findings if not _is_new(one, before.get(one.fingerprint))),
        memory=tuple(_moved(head.deployments, base.deployments, renamed)),
        compared=True,
        settings=head.comparison.settings if head.comparison is not None else (),
        newly_suppressed=tuple(suppressed),
        no_longer_read=tuple(no_longer_read),
        unreadable=tuple(unreadable),
        moved=tuple(moved),
        disagreement="; ".join(filter(None, (_disagreement(head, base), _more_suppressed(quiet, by)))),
        covered=head.coverage is not None and bool(head.coverage.files),
    )


class _Documents:
    """The documents that head and base report as checked; if either does not say, all of them."""

    def __init__(self, head: Coverage | None, base: Coverage | None) -> None:
        self._head = {} if head is None or base is None else head.documents
        self._base = {} if head is None or base is None else base.documents

    def has(self, finding: ReportedFinding, path: str) -> bool:
        """Return whether the document of a finding of the base still exists; `path` is the current path of its file."""
        before = self._base.get((finding.path, finding.document))
        if not self._head or finding.document is None or before is None or before.unjudged is not None:
            return True
        return (path, finding.document) in self._head

    def why_unjudged(self, finding: ReportedFinding, path: str) -> str | None:
        """Return why a finding cannot be called fixed in its document; None if the document was checked again."""
        now, before = self._head.get((path, finding.document)), self._base.get((finding.path, finding.document))
        if now is None or before is None:
            return None
        if now.unjudged is not None and before.unjudged is None:
            return now.unjudged
        # Reports do not say which values a rule reads: any value that has become unknown may be one of them.
        lost = sorted(now.unknown - before.unknown)
        if lost:
            return value_unknown(*([finding.key] if finding.key in lost else lost))
        return MAY_BE_ADDED if now.inserted > before.inserted else None


def _more_suppressed(
    quiet: Mapping[tuple[object, ...], int], by: Mapping[tuple[object, ...], ReportedSuppression]
) -> str:
    """Return what the head suppresses that the base neither reports nor suppresses; empty if nothing."""
    left = [identity for identity, number in quiet.items() if number > 0]
    if not left:
        return ""
    one, number = by[left[0]], sum(quiet[identity] for identity in left)
    findings = "1 finding is" if number == 1 else f"{number} findings are"
    place = f"{neutral_line(one.path)}:{one.line}"
    return f"{findings} suppressed in the head and unknown to the base, such as {one.code} in {place}"


def _before(
    base: Reported, findings: Sequence[ReportedFinding], renamed: Mapping[str, str]
) -> dict[str, ReportedFinding]:
    """Return the findings of the base by their current fingerprints; a finding that is gone keeps its own."""
    moved: dict[tuple[str, Identity], list[str]] = {}
    for finding in reversed(findings):
        moved.setdefault((finding.path, finding.identity), []).append(finding.fingerprint)
    before: dict[str, ReportedFinding] = {}
    for finding in base.findings:
        now = moved.get((renamed.get(finding.path, ""), finding.identity))
        before[now.pop() if now else finding.fingerprint] = finding
    return before


def _renamed(head: Reported, base: Reported) -> dict[str, str]:
    """Return the new paths of files that only one of the reports has, as far as their findings identify them."""
    if head.coverage is None or base.coverage is None:
        return {}
    gone: dict[str, Counter[Identity]] = {}
    come: dict[str, Counter[Identity]] = {}
    for counts, findings, paths in (
        (gone, base.findings, base.coverage.files - head.coverage.files),
        (come, head.findings, head.coverage.files - base.coverage.files),
    ):
        for finding in findings:
            if finding.path in paths:
                counts.setdefault(finding.path, Counter())[finding.identity] += 1
    return renamed_files(gone, come)


def _settings_differ(head: Reported, base: Reported) -> bool:
    return head.coverage is not None and base.coverage is not None and head.settings != base.settings


def _disagreement(head: Reported, base: Reported) -> str:
    """Return what prevents a full comparison of the reports; empty if nothing."""
    if (head.coverage is None) != (base.coverage is None):
        return f"only the report of the {'base' if head.coverage is None else 'head'} says which files were read"
    then, now = base.coverage, head.coverage
    if then is not None and now is not None and then.documents and now.files and not now.documents:
        return "only the report of the base says what was read of each document"
    if _settings_differ(head, base):
        return "base and head were checked with different flint configurations"
    unread = {one.path for one in base.coverage.unread} if base.coverage is not None else set()
    if unread:
        return f"{len(unread)} {'file' if len(unread) == 1 else 'files'} could not be read in the base"
    if head.crashed:
        return "a rule failed in the head, so that its findings are missing"
    return ""


def _why_skipped(path: str, coverage: Coverage | None) -> str:
    while coverage is not None and path:  # the file itself, then the folders above it
        if (reason := coverage.skipped.get(path)) is not None:
            return reason
        path = path.rpartition("/")[0]
    return "not among the files that were read"


def _is_new(finding: ReportedFinding, before: ReportedFinding | None) -> bool:
    """Return whether the base lacks a finding, or has it with a lower measure or severity."""
    return before is None or has_grown(finding.measure, before.measure) or finding.severity > before.severity


def _with_worse_note(finding: ReportedFinding, before: ReportedFinding | None) -> ReportedFinding:
    """Return the finding, with a note if it is worse than in the base."""
    if before is None:
        return finding
    note = finding.note
    if has_grown(finding.measure, before.measure):
        note = worse_note(note, "before the change", finding.measure, before.measure)
    if finding.severity > before.severity:
        note = raised_note(note, "before the change", finding.severity, before.severity)
    return finding._replace(note=note)


def _moved(head: Iterable[Deployment], base: Iterable[Deployment], renamed: Mapping[str, str]) -> Iterator[MovedMemory]:
    """Yield the processes of documents in both reports whose memory differs."""
    before = {(renamed.get(one.path, one.path), one.document): one for one in base}
    for after in head:
        known = before.get((after.path, after.document))
        if known is None:
            continue
        for process in PARTS:
            if parts := _moved_parts(known, after, process):
                yield MovedMemory(after.path, after.document, process, parts)


def _moved_parts(before: Deployment, after: Deployment, process: str) -> tuple[Moved, ...]:
    old, new = before.memory.get(process, {}), after.memory.get(process, {})
    return tuple(Moved(part, old.get(part), new.get(part)) for part in PARTS[process] if old.get(part) != new.get(part))

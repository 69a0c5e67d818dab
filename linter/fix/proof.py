"""Proves that fixes resolve their findings without causing new ones, by repeating the whole check with them.

A fix is kept if its finding is gone, if no document has a new finding of severity warning or above, and, unless it is
unsafe, if the memory of every process is unchanged. All fixes of a round are tried together. If that fails, those of
the affected documents are tried in ever smaller groups, unrelated groups at the same time, so that the number of runs
depends on how many fixes fail.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.fix.one_file import Offer
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_TRIALS = 60
"""The maximum number of checks that may be run to prove one round of fixes; fixes not proven by then are skipped."""

Place = tuple[str, "str | None"]
"""The identity of a document: the path of its file, and its name."""

Judge = Callable[[Sequence["Candidate"]], Report]
"""A function that applies the given fixes in memory, repeats the whole check and returns its report."""

NOT_PROVEN = "could not be proven within the maximum number of runs; apply the other fixes first"


class Candidate(NamedTuple):
    """A fix to prove, and the path of the file that it changes."""

    path: str
    offer: Offer

    @property
    def place(self) -> Place:
        """The path and name of the document that the fix is for."""
        finding = self.offer.about[0]
        return finding.path, finding.document


class Proof(NamedTuple):
    """The fixes kept and refused in one round of proving."""

    kept: list[Candidate]
    refused: list[tuple[Candidate, str]]
    """The refused fixes, each with the reason as a clause without its subject, such as "would change memory"."""
    report: Report | None
    """The report of a check with the kept fixes applied; None if that combination was not checked."""


def prove(
    before: Report, candidates: Sequence[Candidate], judge: Judge, *, strict: bool, max_trials: int = MAX_TRIALS
) -> Proof:
    """Find the fixes that work together, in at most `max_trials` checks; with `strict`, they must not change memory."""
    cells = _cells(before)
    waiting: dict[Place, list[list[Candidate]]] = defaultdict(list)
    groups: dict[Place, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[cells.get(candidate.place, candidate.place)].append(candidate)
    for cell, group in groups.items():
        waiting[cell].append(group)
    kept: list[Candidate] = []
    refused: list[tuple[Candidate, str]] = []
    report: Report | None = before
    trials, one_by_one = 0, False
    state = _State(before)
    while waiting:
        if trials >= max_trials:
            refused += [(one, NOT_PROVEN) for stack in waiting.values() for group in stack for one in group]
            break
        trials += 1
        tried = {cell: waiting[cell].pop() for cell in (list(waiting)[:1] if one_by_one else list(waiting))}
        members = [one for group in tried.values() for one in group]
        found = judge([*kept, *members])
        reasons: dict[Place, str] = {}
        for place, reason in state.worse(found, [*kept, *members], strict=strict):
            reasons.setdefault(cells.get(place, place), reason)
        if reasons and reasons.keys().isdisjoint(tried):
            if len(tried) > 1:  # the effect is in a document that none of them applies to
                one_by_one = True
                for cell, group in tried.items():
                    waiting[cell].append(group)
                continue
            reasons = dict.fromkeys(tried, next(iter(reasons.values())))
        for cell, group in tried.items():
            if cell not in reasons:
                kept += group
            elif len(group) > 1:
                middle = len(group) // 2
                waiting[cell] += [group[middle:], group[:middle]]
            else:
                refused.append((group[0], reasons[cell]))
        if not reasons:
            report = found
        elif not reasons.keys() >= tried.keys():  # the kept fixes were only checked together with refused ones
            report = None
        for cell in [cell for cell, stack in waiting.items() if not stack]:
            del waiting[cell]
    return Proof(kept, refused, report)


def _cells(report: Report) -> Mapping[Place, Place]:
    """Return a representative for each document, shared by all documents that are related to it."""
    above: dict[Place, Place] = {}

    def top(place: Place) -> Place:
        while above.get(place, place) != place:
            place = above[place]
        return place

    for judged in report.all_documents:
        own = _place(judged.document)
        above.setdefault(own, own)
        for other in (*judged.relation.below, *judged.relation.above, *judged.relation.beside):
            above[top(_place(other))] = top(own)
    return {place: top(place) for place in above}


def _place(document: Document) -> Place:
    return document.path, document.name


class _State:
    """The result of a run before any fix of a round."""

    def __init__(self, report: Report) -> None:
        self._documents = report.all_documents
        self._grave = _grave(report)
        self._about = _about(report.findings)

    def worse(self, after: Report, tried: Sequence[Candidate], *, strict: bool) -> list[tuple[Place, str]]:
        """Return the documents that became worse, with the reason."""
        found: list[tuple[Place, str]] = []
        for (place, code, severity), count in _grave(after).items():
            if count > self._grave[place, code, severity]:
                found.append((place, f"would cause {code} ({severity.word}) in {place[1] or place[0]}"))
        fixed = {id(one): one for fix in tried for one in fix.offer.about}.values()
        left, done = _about(after.findings), _about(fixed)
        for finding in fixed:
            about = (finding.code, (finding.path, finding.document), finding.key, finding.severity)
            if left[about] > max(0, self._about[about] - done[about]):
                found.append((about[1], f"would not resolve {finding.code}"))
        if strict:
            for old, new in zip(self._documents, after.all_documents, strict=False):
                if (process := _other_memory(old, new)) is not None:
                    found.append((_place(old.document), f"would change the memory of the {process}"))
        return found


def _grave(report: Report) -> Counter[tuple[Place, str, Severity]]:
    return Counter(
        ((finding.path, finding.document), finding.code, finding.severity)
        for finding in report.findings
        if finding.severity > Severity.INFO
    )


def _about(findings: Iterable[Finding]) -> Counter[tuple[str, Place, str | None, Severity]]:
    """Count the findings of a rule on a key, of a severity or worse."""
    return Counter(
        (finding.code, (finding.path, finding.document), finding.key, severity)
        for finding in findings
        for severity in Severity
        if severity <= finding.severity
    )


# -- memory

_PROCESSES = {"taskmanager": "TaskManager", "jobmanager": "JobManager"}


def _other_memory(old: Judged, new: Judged) -> str | None:
    """Return the process whose memory changes, in any release the document may be for; None if there is none.

    A process that did not start, or of which nothing was known, has no memory to preserve.
    """
    if not old.document.whole or _values(old) == _values(new):
        return None
    for index in old.target.indices:
        for process, name in _PROCESSES.items():
            before = _memory(old, process, index)
            if before is not None and _memory(new, process, index) != before:
                return name
    return None


def _values(judged: Judged) -> dict[str, object]:
    values: dict[str, object] = {}
    for document in (*judged.relation.below, judged.document):
        values.update(document.values())
    return values


def _memory(judged: Judged, process: str, index: int) -> object:
    from flink_flint.linter.flink.memory.jobmanager import jobmanager
    from flink_flint.linter.flink.memory.taskmanager import taskmanager

    document, target = judged.document, judged.target
    configuration = Configuration(_values(judged), target.release_at(index), yaml=document.yaml_in(index), sole=True)
    derive = taskmanager if process == "taskmanager" else jobmanager
    try:
        return derive(configuration, containers=target.is_in_containers)
    except (MemoryRefused, MemoryUnknown):
        return None

"""From all that a check found to what there is to report: what a baseline lets stand and what no change caused goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from linter.baseline import (
    UNSILENCED,
    Baseline,
    Comparison,
    Entry,
    compare,
    entry_of,
    folder_of,
    grown_note,
    pruned,
    read_baseline,
    relative_path,
    write_baseline,
)
from linter.discovery import Source, open_file
from linter.engine import Options, Report, check, selection
from linter.finding import Confidence, Finding
from linter.preferences import preferences_for
from linter.record import NamedTuple
from linter.registry import registry
from linter.repository import repository_of

if TYPE_CHECKING:
    from linter.before import Gather
    from linter.changes import Changes

Say = Callable[..., None]


class Run(NamedTuple):
    """What a check looked at, and how."""

    paths: Sequence[str]
    sources: Sequence[Source]
    report: Report
    """With findings of every confidence: what is not shown is known all the same."""
    options: Options
    """Those of the report."""
    min_confidence: Confidence
    processes: int | None
    gather: Gather
    """The files of other paths, found as this run's were."""
    say: Say
    changes: Changes | None = None
    """What changed since the revision to compare with; None without one, and where nobody knows."""

    @property
    def preferences_file(self) -> str | None:
        """The preferences file that was named."""
        return self.options.preferences.path if self.options.preferences is not None else None

    def shown(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those that are sure enough to be shown, in the report's order."""
        chosen = {id(finding) for finding in findings if finding.confidence >= self.min_confidence}
        return [finding for finding in self.report.findings if id(finding) in chosen]


def narrow(run: Run, baseline: str | None, revision: str | None, *, prune: bool) -> tuple[Report, bool]:
    """The report without what a baseline lets stand and what the change since a revision did not cause.

    And whether the baseline has entries that nothing answers to any more. With `prune` those are taken out, and no
    other allows more than it needs to. Raises ValueError for a baseline that cannot be read or written and for what
    can be no revision.
    """
    findings, is_stale = run.shown(run.report.findings), False
    if baseline is not None:
        findings, is_stale = _without_known(run, baseline, prune=prune)
    if revision is not None and run.changes is not None:
        findings = _only_caused(run, run.changes, findings, revision)
    return run.report._replace(findings=findings), is_stale


# -- the baseline


def write_found(run: Run, file: str) -> None:
    """Write what a run found to a baseline, besides the entries that it cannot judge. Raises ValueError as `narrow`."""
    findings = [one for one in run.shown(run.report.findings) if one.rule not in UNSILENCED]
    folder = folder_of(file)
    entries = [entry_of(finding, relative_path(finding.path, folder)) for finding in findings]
    kept: list[Entry] = []
    is_unreadable = False
    if os.path.exists(file):
        try:
            old = read_baseline(file)
        except ValueError:
            is_unreadable = True
        else:
            missing = compare(run.report.findings, old.entries, folder).missing
            stale = set(_stale(run, old, missing))
            kept = [entry for entry in missing if entry not in stale]
            if kept:
                run.say(f"{file}: kept {_entries(len(kept))} that this run did not judge", kind="info")
    number = write_baseline(file, [*entries, *kept])
    if is_unreadable:
        told = "what it held could not be read; it now holds what this run found and nothing else"
        run.say(f"{file}: {told}", kind="warning")
    print(f"Wrote {_entries(number)} to {file}.")


def _without_known(run: Run, file: str, *, prune: bool) -> tuple[list[Finding], bool]:
    baseline = read_baseline(file)
    comparison = compare(run.report.findings, baseline.entries, baseline.folder)
    stale = _stale(run, baseline, comparison.missing)
    for finding, entry in comparison.grown:
        grown_note(finding, entry.measure, "in the baseline")
    if prune:
        _prune(run, baseline, comparison, stale)
    else:
        for entry in stale:
            place = f"{file}:{entry.line}" if entry.line else file
            run.say(f"{place}: stale: {entry} no longer occurs")
        if stale:
            run.say(f"{_entries(len(stale))} of {file} can go: --prune-baseline takes them out", kind="info")
    if comparison.known:
        number = len(comparison.known)
        run.say(f"{file} lets {number} finding{'s' * (number > 1)} stand", kind="info")
    left = run.shown([*comparison.new, *(finding for finding, _ in comparison.grown)])
    return left, bool(stale) and not prune


def _prune(run: Run, baseline: Baseline, comparison: Comparison, stale: Sequence[Entry]) -> None:
    gone = set(stale)
    left = pruned(comparison, (entry for entry in comparison.missing if entry not in gone))
    was = {entry[:-1] for entry in baseline.entries}
    lowered = sum(entry[:-1] not in was for entry in left)
    number = write_baseline(baseline.file, left)
    tightened = f", lowered the measure of {lowered}" if lowered else ""
    run.say(f"{baseline.file}: took out {_entries(len(stale))}{tightened}; {number} left", kind="info")


def _entries(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def _stale(run: Run, baseline: Baseline, missing: Sequence[Entry]) -> list[Entry]:
    """Those of the missing entries that the run would have found again if they still were true."""
    judged = _Judged(run, baseline.folder)
    stale = [entry for entry in missing if judged.covers(entry)]
    if not stale or judged.is_whole:
        return stale
    # Some findings need other files than those of this run (its base, its cluster): look at all before saying so.
    known = {os.path.abspath(source.path) for source in run.sources}
    others = [
        source
        for source in run.gather([_near(baseline.folder)], run.preferences_file, None)
        if isinstance(source, Source) and os.path.abspath(source.path) not in known
    ]
    if not others:
        return stale
    report = check([*run.sources, *others], run.options, processes=run.processes)
    still = set(compare(report.findings, baseline.entries, baseline.folder).missing)
    return [entry for entry in stale if entry in still]


class _Judged:
    """What a run judged: its files, and what is gone from where it looked."""

    def __init__(self, run: Run, folder: str) -> None:
        self._run = run
        self._folder = folder
        self._files = {relative_path(source.path, folder): source.path for source in run.sources}
        self._unread = {relative_path(problem.path, folder) for problem in run.report.problems}
        self._observed = {relative_path(one.document.path, folder) for one in run.report.documents if one.observed}
        named = [path for path in run.paths if path != "-"]
        self._named = {relative_path(path, folder) for path in named}
        self._folders = [os.path.join(os.path.realpath(path), "") for path in named if os.path.isdir(path)]

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing else in the baseline's project to look at."""
        own = os.path.join(self._folder, "")
        return any(own.startswith(folder) for folder in self._folders) or repository_of(self._folder) is None

    def covers(self, entry: Entry) -> bool:
        """Whether the run asked the rule of an entry about its file."""
        declaration = registry().by_code.get(entry.code)
        if declaration is None or entry.path in self._unread:
            return False
        if any(word.startswith("observed:") for word in declaration.when) and entry.path not in self._observed:
            return False
        path = self._files.get(entry.path) or self._gone(entry.path)
        if path is None:
            return False
        preferences = self._run.options.preferences or preferences_for(path)
        return entry.code in selection(self._run.options, preferences.for_path(path))

    def _gone(self, spelled: str) -> str | None:
        """The path of a file that the run would have read, were it still there or still Flink's."""
        path = os.path.normpath(os.path.join(self._folder, *spelled.split("/")))
        is_named = spelled in self._named
        if not is_named and not any(path.startswith(folder) for folder in self._folders):
            return None
        return path if not os.path.lexists(path) or open_file(path, named=is_named) is None else None


def _near(folder: str) -> str:
    """A folder as the user would name it."""
    try:
        return os.path.relpath(folder)
    except ValueError:  # another drive of Windows
        return folder


def _nearest_folder(path: str) -> str:
    """The folder of a path, or the nearest above that there is."""
    folder = os.path.realpath(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


# -- changed lines


def changes_of(paths: Sequence[str], sources: Sequence[Source], revision: str, say: Say) -> Changes | None:
    """What changed since a revision; None, with a warning, where that is unknown. Raises ValueError as `narrow`."""
    from linter.changes import ChangesUnknown, changes_since

    folders = [_nearest_folder(path) for path in paths]
    folder = next((one for one in folders if repository_of(one) is not None), folders[0])
    try:
        return changes_since(revision, folder, [source.path for source in sources])
    except ChangesUnknown as unknown:
        say(f"--diff-base {revision}: {unknown}. All findings are reported.", kind="warning")
        return None


def _only_caused(run: Run, changes: Changes, findings: list[Finding], revision: str) -> list[Finding]:
    """Those of the findings that the change touched or brought about; all, with a warning, where that is unknown."""
    from linter.before import BeforeUnknown, Then, caused

    then = Then(changes, run.paths, run.sources, run.options, run.gather)
    try:
        found = caused(run.report, findings, then, run.processes)
    except BeforeUnknown as unknown:
        run.say(
            f"--diff-base {revision}: {revision} cannot be checked: {unknown}. All findings are reported.",
            kind="warning",
        )
        return findings
    for problem in found.problems:
        told = f"{problem.path}: {problem.message}; what was wrong in it before is unknown"
        run.say(f"--diff-base {revision}: {told}", kind="warning")
    if found.others:
        was = "finding was" if found.others == 1 else "findings were"
        run.say(f"{found.others} other {was} there before the change ({revision})", kind="info")
    return found.findings

"""Removes the findings of a run that a baseline accepts or that a change did not cause."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.engine.baseline import (
    UNSILENCED,
    Baseline,
    Comparison,
    Entry,
    Group,
    Spell,
    compare,
    entry_of,
    folder_of,
    followed,
    grown_note,
    parse_baseline,
    pruned,
    read_baseline,
    relative_path,
    write_baseline,
)
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.chosen_rules import selection
from flink_flint.linter.engine.comparison_result import FlintConfigChange
from flink_flint.linter.engine.discovery import AnySource, Problem, Source, from_disk, open_file
from flink_flint.linter.engine.project_files import EVERYTHING, Named
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.model.finding import Confidence, Finding, Severity
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.revisions.named_files import restricted
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.revisions.base_config import BaseConfig
    from flink_flint.linter.revisions.base_revision import Before, Gather, Then
    from flink_flint.linter.revisions.changed_lines import Changes

PrintMessage = Callable[..., None]


class Change(NamedTuple):
    """The changes since a base revision, and flint's own files as of that revision."""

    changes: Changes
    settings: BaseConfig
    """The reader of flint's own configuration files in the base revision."""
    revision: str
    """The base revision as the user named it."""


class Run(NamedTuple):
    """The inputs and results of a check."""

    paths: Sequence[str]
    sources: Sequence[Source]
    report: Report
    """The report of the check, with findings of every confidence, including those that are not shown."""
    options: Options
    """The options with which the check was run."""
    min_confidence: Confidence
    processes: int | None
    gather: Gather
    """The function that finds the files to check at other paths, with this run's configuration."""
    print_message: PrintMessage
    change: Change | None = None
    """The changes since the base revision; None if there is no base revision or the changes are unknown."""
    before: Before | None = None
    """The results of checking the base revision; None if there is no base revision or it cannot be checked."""
    named: Named = EVERYTHING
    """The files that the user named, if the check also covers the project around them; otherwise all files."""

    def shown(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings with sufficient confidence, in the report's order."""
        chosen = {id(finding) for finding in findings if finding.confidence >= self.min_confidence}
        return [finding for finding in self.report.findings if id(finding) in chosen]


def restrict(run: Run, baseline: str | None, *, prune: bool, own: Own | None = None) -> tuple[Report, bool]:
    """Return the report without baseline findings and those not due to the change, and whether the baseline is stale.

    A baseline is stale if it has entries that match no finding. With `prune`, those are removed and the limits of the
    others lowered. `own` is the result with the head's own configuration. Raises ValueError for a baseline that cannot
    be read or written.
    """
    settings = [*own.settings] if own is not None else []
    if own is not None:
        run = run._replace(report=_with_own(run.report, own.report))
    findings, is_stale = run.shown(run.report.findings), False
    silenced = run.report.silenced
    if baseline is not None:
        findings, known, is_stale = _without_known(run, baseline, prune=prune)
        silenced = [*silenced, *known]
        settings += _changed_baseline(run, baseline)
    report = restricted(run.report._replace(findings=findings, silenced=silenced), run.named)
    if run.change is None or run.before is None:
        return report, is_stale
    from flink_flint.linter.revisions.compare import Head, compare_revisions

    head = Head(
        run.report._replace(silenced=silenced), findings, run.min_confidence, run.change.revision, settings,
        run.options, run.paths, run.named,
    )  # fmt: skip
    new, comparison = compare_revisions(head, run.before, run.change.changes)
    if own is not None:
        changes = run.change.changes
        kept = {id(one) for one in compare(new, own.entries, changes.top, _spelling(run)).new}
        comparison = comparison._replace(hidden=len(kept))
    return report._replace(findings=new, comparison=comparison), is_stale


# -- the baseline


def write_found(run: Run, file: str) -> None:
    """Write the findings to a baseline and keep the entries that the run cannot evaluate.

    Raises ValueError like `restrict`.
    """
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
                run.print_message(f"{file}: kept {_entries(len(kept))} that this run did not check", kind="info")
    number = write_baseline(file, [*entries, *kept])
    if is_unreadable:
        message = "it could not be read; it now contains only the findings of this run"
        run.print_message(f"{file}: {message}", kind="warning")
    print(f"Wrote {_entries(number)} to {file}.")


def _without_known(run: Run, file: str, *, prune: bool) -> tuple[list[Finding], list[Silenced], bool]:
    """Return the findings that a baseline does not accept, those it does, and whether it has stale entries.

    For a change, the base's baseline accepts findings and the head's is checked for stale entries.
    """
    exists = run.change is None or os.path.lexists(file)
    baseline = _renamed(run, read_baseline(file) if exists else Baseline(file, (), folder_of(file)))
    spell = _spelling(run)
    if run.change is None:
        allowed = baseline
    else:
        allowed = _rated(run, _renamed(run, _base_baseline(file, run.change)))
    comparison = compare(run.report.findings, allowed.entries, allowed.folder, spell)
    for finding, entry in comparison.grown:
        grown_note(finding, entry, "in the baseline")
    if run.change is None:
        own = comparison
    else:
        own = compare(run.report.findings, baseline.entries, baseline.folder, spell)
    stale = _stale(run, baseline, own.missing)
    if prune:
        _prune(run, baseline, own, stale)
    else:
        for entry in stale:
            place = f"{file}:{entry.line}" if entry.line else file
            run.print_message(f"{place}: stale: {entry} no longer occurs")
        if stale:
            run.print_message(f"{_entries(len(stale))} of {file} can be removed with --prune-baseline", kind="info")
    known = [Silenced(finding, "baseline", file, entry.line) for finding, entry in comparison.known]
    if number := sum(run.named.takes_part(one.finding) for one in known):
        run.print_message(f"{file} accepts {number} finding{'s' * (number > 1)}", kind="info")
    left = run.shown([*comparison.new, *(finding for finding, _ in comparison.grown)])
    return left, known, bool(stale) and not prune


def _spelling(run: Run) -> Spell:
    """Return the function that writes paths as a baseline does; for a change, with links as in the base."""
    if run.change is None:
        return relative_path
    from flink_flint.linter.revisions.compare import spelling

    return spelling(run.change.changes)


def _base_baseline(file: str, change: Change) -> Baseline:
    """Return the baseline in the base revision, empty if it has none. Raises `BaselineError`."""
    from flink_flint.linter.revisions.base_config import bytes_of

    changes = change.changes
    inside = changes.inside(file)
    if inside is None:
        return read_baseline(file)
    data = bytes_of(changes, [inside]).get(inside)
    # For a link, paths are relative to the folder of the link, as on the disk.
    target = changes.paths.resolved(inside, follow_last=True) or inside
    folder = os.path.join(changes.top, *target.split("/")[:-1])
    return Baseline(file, () if data is None else parse_baseline(file, data).entries, folder)


def _rated(run: Run, baseline: Baseline) -> Baseline:
    """Return the base's baseline, in which entries without a severity accept that of their finding in the base."""
    if run.change is None or run.before is None:
        return baseline
    changes, before = run.change.changes, run.before
    severities: dict[Group, Severity] = {}
    for finding in before.report.findings:
        inside = before.inside(finding.path)
        path = os.path.join(changes.top, *changes.renamed.get(inside, inside).split("/"))
        spelled = os.path.relpath(path, baseline.folder).replace(os.sep, "/")
        group = entry_of(finding, spelled).group
        severities[group] = max(finding.rated, severities.get(group, finding.rated))
    return baseline._replace(
        entries=tuple(
            entry if entry.severity is not None else entry._replace(severity=severities.get(entry.group))
            for entry in baseline.entries
        )
    )


def _changed_baseline(run: Run, file: str) -> list[FlintConfigChange]:
    """Return the baseline as a configuration change if the change modifies its contents."""
    from flink_flint.linter.revisions.base_config import bytes_of

    if run.change is None or (inside := run.change.changes.inside(file)) is None:
        return []
    before = bytes_of(run.change.changes, [inside]).get(inside)
    after = from_disk(file)
    if before == after or (before is not None and inside not in run.change.changes.files):
        return []
    return [FlintConfigChange(file, "added" if before is None else "removed" if after is None else "changed")]


def _renamed(run: Run, baseline: Baseline) -> Baseline:
    """Return the baseline with the current paths of renamed files, according to git or their findings."""
    if run.change is None:
        return baseline._replace(entries=tuple(followed(baseline.entries, run.report.findings, baseline.folder)))
    changes = run.change.changes

    def now(path: str) -> str:
        old = os.path.relpath(os.path.join(baseline.folder, *path.split("/")), changes.top).replace(os.sep, "/")
        new = changes.renamed.get(old)
        if new is None:
            return path
        return os.path.relpath(os.path.join(changes.top, *new.split("/")), baseline.folder).replace(os.sep, "/")

    return baseline._replace(entries=tuple(entry._replace(path=now(entry.path)) for entry in baseline.entries))


def _prune(run: Run, baseline: Baseline, comparison: Comparison, stale: Sequence[Entry]) -> None:
    gone = set(stale)
    left = pruned(comparison, (entry for entry in comparison.missing if entry not in gone))
    was = {entry[:-1] for entry in baseline.entries}
    lowered = sum(entry[:-1] not in was for entry in left)
    number = write_baseline(baseline.file, left)
    tightened = f", lowered the measure of {lowered}" if lowered else ""
    run.print_message(f"{baseline.file}: removed {_entries(len(stale))}{tightened}; {number} left", kind="info")


def _entries(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def _stale(run: Run, baseline: Baseline, missing: Sequence[Entry]) -> list[Entry]:
    """Return the missing entries that this run would have found if they were still valid."""
    judged = _Judged(run, baseline.folder)
    stale = [entry for entry in missing if judged.covers(entry)]
    if not stale or judged.is_whole:
        return stale
    # Some findings require files outside this run (a base, a cluster): check all before reporting them as stale.
    known = {os.path.abspath(source.path) for source in run.sources}
    others = [
        source
        for source in run.gather([_near(baseline.folder)], run.options.flint_config, None, run.options.read_config_file)
        if isinstance(source, Source) and os.path.abspath(source.path) not in known
    ]
    if not others:
        return stale
    report = check([*run.sources, *others], run.options, processes=run.processes)
    still = set(compare(report.findings, baseline.entries, baseline.folder).missing)
    return [entry for entry in stale if entry in still]


class _Judged:
    """The scope of a run: its files, and the files that no longer exist where it looked."""

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
        """Return whether the run covers the baseline's whole project."""
        own = os.path.join(self._folder, "")
        return any(own.startswith(folder) for folder in self._folders) or repository_of(self._folder) is None

    def covers(self, entry: Entry) -> bool:
        """Return whether the run evaluated the rule of an entry on its file."""
        declaration = registry().by_code.get(entry.code)
        if declaration is None or entry.path in self._unread:
            return False
        if any(word.startswith("observed:") for word in declaration.when) and entry.path not in self._observed:
            return False
        path = self._files.get(entry.path) or self._gone(entry.path)
        if path is None:
            return False
        flint_config = self._run.options.flint_config_at(path)
        return not registry().selected(entry.code).isdisjoint(selection(self._run.options, flint_config.for_path(path)))

    def _gone(self, spelled: str) -> str | None:
        """Return the path of a file that the run would have read if it still existed as a Flink file."""
        path = os.path.normpath(os.path.join(self._folder, *spelled.split("/")))
        is_named = spelled in self._named
        if not is_named and not any(path.startswith(folder) for folder in self._folders):
            return None
        return path if not os.path.lexists(path) or open_file(path) is None else None


def _near(folder: str) -> str:
    """Return a folder as the user would write it."""
    try:
        return os.path.relpath(folder)
    except ValueError:  # another drive on Windows
        return folder


def _nearest_folder(path: str) -> str:
    """Return the folder of a path, or its nearest existing parent."""
    folder = os.path.realpath(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


# -- the change


def change_since(revision: str, paths: Sequence[str], print_message: PrintMessage) -> Change | None:
    """Return the changes since a revision; None, with a warning, if they are unknown.

    The base versions of the configuration files that the change touches must be valid. Raises ValueError for an invalid
    revision.
    """
    from flink_flint.linter.revisions.base_config import BaseConfig
    from flink_flint.linter.revisions.changed_lines import ChangesUnknown, changes_since

    folders = [_nearest_folder(path) for path in paths]
    folder = next((one for one in folders if repository_of(one) is not None), folders[0])
    try:
        changes = changes_since(revision, folder, ())
    except ChangesUnknown as unknown:
        print_message(f"--diff-base {revision}: {unknown}. All findings are reported.", kind="warning")
        return None
    return Change(changes, BaseConfig(changes), revision)


def with_lines_of(change: Change, sources: Iterable[Source]) -> Change:
    """Return `change` with the changed lines of `sources` included; raise `ChangesUnknown` if git fails."""
    from flink_flint.linter.revisions.changed_lines import with_lines

    return change._replace(changes=with_lines(change.changes, [source.path for source in sources]))


def check_base(change: Change, then: Then, processes: int | None, print_message: PrintMessage) -> Before | None:
    """Check the base and return the results; None, with a warning, if that is impossible."""
    from flink_flint.linter.revisions.base_revision import BeforeUnknown, check_before

    try:
        before = check_before(then, processes)
    except BeforeUnknown as unknown:
        message = f"{change.revision} cannot be checked: {unknown}. All findings are reported."
        print_message(f"--diff-base {change.revision}: {message}", kind="warning")
        return None
    for problem in before.report.problems:
        message = f"{before.inside(problem.path)}: {problem.message}; its earlier findings are unknown"
        print_message(f"--diff-base {change.revision}: {message}", kind="warning")
    return before


class Own(NamedTuple):
    """The result of a check with the head's own flint configuration, if it differs from the base's."""

    settings: tuple[FlintConfigChange, ...]
    report: Report
    entries: tuple[Entry, ...]
    """The findings reported with the head's own flint configuration, as baseline entries."""


def judged_by_itself(
    run: Run, named: str | None, own: Callable[[], tuple[Sequence[Source | Problem], Sequence[AnySource], Options]]
) -> Own | None:
    """Return the result of a check with the head's own configuration; None if that is the same as the base's.

    A change may make flint stricter at once, but looser only after it is merged. `named` is the file given by
    `--flint-config`; `own` returns the files, those around them and the options of the head's configuration.
    """
    from flink_flint.linter.revisions.base_config import changed_flint_configs, changed_ignores

    assert run.change is not None
    changes, settings = run.change.changes, run.change.settings
    folders = dict.fromkeys(os.path.dirname(os.path.abspath(source.path)) for source in run.sources)
    folders |= dict.fromkeys(map(_nearest_folder, run.paths))
    changed = changed_flint_configs(changes, settings, folders, named)
    ignores = changed_ignores(changes, settings, folders)
    if not changed and not ignores:
        return None
    sources, around, options = own()
    now = {os.path.abspath(one.path) for one in sources if isinstance(one, Source)}
    then = {os.path.abspath(one.path) for one in run.sources}
    if now == then:
        ignores = []
        if not changed:
            return None
    report = check([*sources, *around], options, processes=run.processes)
    entries = [
        entry_of(finding, _spelling(run)(finding.path, changes.top))
        for finding in report.findings
        if finding.confidence >= run.min_confidence
    ]
    return Own((*changed, *ignores), report, tuple(entries))


def _with_own(report: Report, own: Report) -> Report:
    """Return the report with the findings that only the head's configuration reports."""
    folder = os.path.realpath(os.curdir)

    def entries(findings: Iterable[Finding]) -> list[Entry]:
        return [entry_of(finding, relative_path(finding.path, folder)) for finding in findings]

    # Findings that the base ignores and the head does not are what the change enables.
    there = [*report.findings, *(one.finding for one in report.silenced if one.by != "flint_toml")]
    new = compare(own.findings, entries(there), folder).new
    more = {id(finding) for finding in new}
    ignored = [one.finding for one in report.silenced if one.by == "flint_toml"]
    still = {id(finding) for finding in compare(ignored, entries(new), folder).new}
    silenced = [one for one in report.silenced if one.by != "flint_toml" or id(one.finding) in still]
    documents = [one for one in own.documents if one.document.path not in report.paths]
    files = report.files + len({one.document.path for one in documents})
    findings = [*report.findings, *(finding for finding in own.findings if id(finding) in more)]
    return report._replace(findings=findings, documents=[*report.documents, *documents], files=files, silenced=silenced)

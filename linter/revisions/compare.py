"""Compares a checked revision with its base: new findings, and the reason why each missing finding is gone.

A finding is matched by its identity (rule, file, document, key), under the current name of its file. A finding
that is gone counts as fixed only if its location was read again and no comment hides it: otherwise, a comment, an
ignore file, a renamed file, a broken line or a template could pass for a fix.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from flink_flint.linter.engine.baseline import (
    UNSILENCED,
    Entry,
    Spell,
    compare,
    entry_of,
    grown_note,
    is_worse,
    relative_path,
)
from flink_flint.linter.engine.baseline import Comparison as Matched
from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.comparison_result import Comparison, FlintConfigChange, Moved, Unjudged
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.project_files import EVERYTHING, Named
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Confidence, Finding
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.revisions.base_revision import Before, Lines
from flink_flint.linter.revisions.changed_lines import Changes
from flink_flint.linter.revisions.gone_findings import GoneFindings, by_path
from flink_flint.linter.revisions.unread_files import why_unread
from flink_flint.linter.text.named_tuple import NamedTuple


class Head(NamedTuple):
    """The check of the head revision: its inputs and results."""

    report: Report
    """The report of the head revision, with findings of every confidence and suppressed findings."""
    open: Sequence[Finding]
    """The unsuppressed findings of the head whose confidence is high enough for them to be shown."""
    min_confidence: Confidence
    revision: str
    """The revision that the head is compared with, as the user named it."""
    settings: Sequence[FlintConfigChange]
    options: Options
    """The options with which the head was checked."""
    paths: Sequence[str]
    """The checked paths as the user named them."""
    named: Named = EVERYTHING
    """The files that the user named, if the report also covers the project around them; otherwise all files."""


def compare_revisions(head: Head, before: Before, changes: Changes) -> tuple[list[Finding], Comparison]:
    """Return the findings that a change causes, and a `Comparison` with the change's other effects."""
    pair = _Pair(head, before, changes)
    new = pair.new()
    is_new = {id(finding) for finding in new}
    gone = pair.missing()
    return new, Comparison(
        revision=head.revision,
        base=changes.base,
        settings=tuple(head.settings),
        hidden=0,
        newly_suppressed=tuple(pair.newly_suppressed()),
        no_longer_read=tuple(gone.no_longer_read),
        unreadable=tuple(gone.unreadable),
        moved=tuple(pair.moved()),
        fixed=tuple(gone.fixed),
        remaining=tuple(
            finding for finding in head.open if id(finding) not in is_new and head.named.takes_part(finding)
        ),
        before=tuple(pair.documents()),
    )


def spelling(changes: Changes) -> Spell:
    """Return a function that makes paths relative to a baseline's folder, with links resolved as in the base."""

    def spell(path: str, folder: str) -> str:
        spelled = changes.paths.relative(path, folder)
        return relative_path(path, folder) if spelled is None else spelled

    return spell


class _Gone(NamedTuple):
    """The findings of the base that the head does not have, by what happened to them."""

    fixed: Sequence[Finding]
    unreadable: Sequence[Unjudged]
    no_longer_read: Sequence[Unjudged]


class _Old(NamedTuple):
    """A finding of the base, under the current path of its file."""

    entry: Entry
    line: int
    finding: Finding


_Place = tuple[int, str, str, str | None]
"""Line, file, code and key of a finding of the base."""


def _by_place(olds: Iterable[_Old]) -> dict[_Place, Entry]:
    return {(old.line, old.entry.path, old.entry.code, old.entry.key): old.entry for old in olds}


class _Pair:
    """Two revisions with their findings."""

    def __init__(self, head: Head, before: Before, changes: Changes) -> None:
        self._head, self._before, self._changes = head, before, changes
        self._lines = Lines(head.report)
        self._old = [self._entry(finding) for finding in before.report.findings]
        self._quiet = [self._entry(one.finding) for one in before.report.silenced]
        self._stood = _by_place(self._old)
        self._read = {path for one in head.report.paths if (path := changes.inside(one)) is not None}
        self._read_as_named = {
            path for one in head.report.paths if one in head.named and (path := changes.inside(one)) is not None
        }

    def _entry(self, finding: Finding) -> _Old:
        path = self._now(self._before.inside(finding.path))
        return _Old(entry_of(finding, path), self._before.lines.of(finding.path, finding.span)[0], finding)

    def _now(self, path: str) -> str:
        """Return the current path of a file of the base."""
        return self._changes.renamed.get(path, path)

    def _compared(self, findings: Iterable[Finding], olds: Iterable[_Old]) -> Matched:
        """Compare findings of the head with findings of the base."""
        return compare(findings, [old.entry for old in olds], self._changes.top, spelling(self._changes))

    def new(self) -> list[Finding]:
        """Return the findings that the change touched, caused or made worse."""
        findings = self._head.open
        touched = {id(one) for one in findings if one.rule in UNSILENCED or self._touches(one)}
        comparison = self._compared([one for one in findings if id(one) not in touched], self._old)
        caused = {id(one) for one in comparison.new}
        # The base may have the same finding on the same line under another identity: a document was renamed or moved.
        stood = {id(one): entry for one in comparison.new if (entry := self._at_the_old_line(one, self._stood))}
        caused -= stood.keys()
        known = [(one, stood[id(one)]) for one in comparison.new if id(one) in stood]
        for finding, entry in (*known, *comparison.grown):
            if is_worse(finding, entry):
                grown_note(finding, entry, "before the change")
                caused.add(id(finding))
        return [
            one for one in findings if (id(one) in touched or id(one) in caused) and self._head.named.takes_part(one)
        ]

    def _touches(self, finding: Finding) -> bool:
        return self._changes.of(finding.path).touches(*self._lines.of(finding.path, finding.span))

    def _at_the_old_line(self, finding: Finding, stood: Mapping[_Place, Entry]) -> Entry | None:
        line = self._changes.of(finding.path).old_line(self._lines.of(finding.path, finding.span)[0])
        path = self._changes.inside(finding.path)
        return None if line is None or path is None else stood.get((line, path, finding.code, finding.key))

    def newly_suppressed(self) -> list[Silenced]:
        """Return the findings that a comment or annotation newly suppresses.

        Findings that the base suppressed as well are omitted if the change does not touch them. An old comment also
        covers what a change writes below it, so who wrote the comment does not matter. Nor does it silently cover what
        the change makes worse.
        """
        comments = {id(one.finding): one for one in self._head.report.silenced if one.by == "comment"}
        findings = [one.finding for one in comments.values()]
        was_open = self._compared(findings, self._old)
        reported = {id(one.finding) for one in (*was_open.known, *was_open.grown)}
        quiet = self._compared(findings, self._quiet)
        still = {id(one.finding) for one in quiet.known}
        was_quiet = {id(one.finding): one.entry for one in (*quiet.known, *quiet.grown)}
        stood = _by_place(self._quiet)
        was_quiet |= {id(one): entry for one in quiet.new if (entry := self._at_the_old_line(one, stood))}
        worse = {id(one) for one in findings if id(one) in was_quiet and is_worse(one, was_quiet[id(one)])}
        for one in findings:
            if id(one) in worse:
                grown_note(one, was_quiet[id(one)], "in the base")
        return [
            one
            for one in comments.values()
            if one.finding.confidence >= self._head.min_confidence
            and self._head.named.takes_part(one.finding)
            and (
                self._is_touched(one)
                or self._touches(one.finding)
                or id(one.finding) in worse
                or id(one.finding) not in was_quiet
                or (id(one.finding) in reported and id(one.finding) not in still)
            )
        ]

    def _is_touched(self, silenced: Silenced) -> bool:
        assert silenced.span is not None
        return self._changes.of(silenced.path).touches(*self._lines.of(silenced.path, silenced.span))

    def missing(self) -> _Gone:
        """Return the findings of the base that are gone, by what happened to them."""
        report = self._head.report
        # Findings that the baseline ignores are already among the findings.
        there = [*report.findings, *(one.finding for one in report.silenced if one.by != "baseline")]
        comparison = self._compared(there, self._old)
        renamed = {
            id(entry) for one in comparison.new if (entry := self._at_the_old_line(one, self._stood)) is not None
        }
        absent = {id(entry) for entry in comparison.missing} - renamed
        gone = [old for old in self._old if id(old.entry) in absent]
        numbers = Counter(old.entry.path for old in self._old if id(old.entry) in absent or self._has_left(old.entry))
        unreadable = [
            Unjudged(path, problem.message, numbers[path])
            for problem in report.problems
            if (path := self._changes.inside(problem.path)) is not None
        ]
        problems = {one.path for one in unreadable}
        unread = [
            Unjudged(path, why_unread(path, self._head.paths, report.skipped, self._changes), numbers[path])
            for path in sorted({self._now(one) for one in map(self._before.inside, self._before.named_paths)})
            if not self._is_read(path, as_named=True) and path not in problems
        ]
        base = by_path(self._before.report.documents, lambda path: self._now(self._before.inside(path)))
        judge = GoneFindings(report.documents, base, comparison.new, self._head.options, self._changes.inside)
        fixed = []
        lost: Counter[tuple[str, str]] = Counter()
        left: Counter[tuple[str, str]] = Counter()
        for old in gone:
            if not self._before.named.takes_part(old.finding):
                continue
            path = old.entry.path
            if not self._is_read(path) or report.crashed:  # what a rule would have found is unknown
                continue
            verdict = judge.verdict(old.entry)
            if verdict.what == "fixed" and old.finding.confidence >= self._head.min_confidence:
                fixed.append(self._shown(old))
            elif verdict.what == "unreadable":
                lost[path, verdict.reason] += 1
            elif verdict.what == "no longer read":
                left[path, verdict.reason] += 1
        unreadable += [Unjudged(*where, number) for where, number in lost.items()]
        unread += [Unjudged(*where, number) for where, number in left.items()]
        return _Gone(
            fixed,
            [one._replace(path=self._name(one.path)) for one in unreadable],
            [one._replace(path=self._name(one.path)) for one in unread],
        )

    def _is_read(self, path: str, *, as_named: bool = False) -> bool:
        """Return whether the head has read the file with this path, and not one that a link in its place leads to.

        With `as_named` only files that are named count, and not those of the project around them.
        """
        return path in (self._read_as_named if as_named else self._read) and path not in self._changes.removed

    def _has_left(self, entry: Entry) -> bool:
        """Return whether a finding is now in a file that is only read as part of the project around the named ones."""
        return self._is_read(entry.path) and not self._is_read(entry.path, as_named=True)

    def moved(self) -> list[Moved]:
        """Return the renamed files that both revisions read."""
        read = {self._before.inside(path) for path in self._before.named_paths}
        numbers = Counter(old.entry.path for old in self._old)
        return [
            Moved(self._name(old), self._name(new), numbers[new])
            for old, new in sorted(self._changes.renamed.items())
            if old in read and new in self._read_as_named
        ]

    def documents(self) -> Iterable[Judged]:
        """Yield the documents of the base, with their paths in the base."""
        for one in self._before.report.documents:
            one.document.path = self._name(self._before.inside(one.document.path))
            yield one

    def _shown(self, old: _Old) -> Finding:
        """Return a finding of the base as a report can show it: without the folder that the base was checked in."""
        finding = old.finding
        folder = os.path.join(self._before.folder, "")
        path = self._name(self._before.inside(finding.path))
        finding.path, finding.proposed, finding.located = path, None, ()
        finding.where = finding.where._replace(path=path)
        finding.message = finding.message.replace(folder, "")
        finding.help = finding.help.replace(folder, "") if finding.help else None
        return finding

    def _name(self, path: str) -> str:
        """Return a path from the root of the repository as the user would write it."""
        return os.path.relpath(os.path.join(self._changes.top, *path.split("/")))

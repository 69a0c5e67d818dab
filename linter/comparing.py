"""Compare a checked revision with its base: what is new, and what became of each finding that is gone.

A finding is matched by its identity (rule, file, document, key), under the name that its file has now. One that is gone
counts as fixed only where its file was read again and no comment hides it: a comment, an ignore file, a renamed file or
a broken line could otherwise pass for a repair.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from linter.baseline import UNSILENCED, Entry, Group, compare, entry_of, grown_note
from linter.baseline import Comparison as Matched
from linter.before import Before, Lines
from linter.changes import Changes, inside_of
from linter.comparison import Comparison, Moved, SettingsChange, Unjudged
from linter.engine import Judged, Report
from linter.finding import Confidence, Finding, Severity, has_grown
from linter.record import NamedTuple
from linter.suppressions import Silenced


class Head(NamedTuple):
    """The revision that is judged."""

    report: Report
    """With findings of every confidence, and all that is silenced."""
    open: Sequence[Finding]
    """Its findings that nothing silences, and that are sure enough to be shown."""
    min_confidence: Confidence
    revision: str
    """What it is compared with, as it was named."""
    settings: Sequence[SettingsChange]


def compare_revisions(head: Head, before: Before, changes: Changes) -> tuple[list[Finding], Comparison]:
    """Return the findings that belong to the change, and what else it did."""
    pair = _Pair(head, before, changes)
    new = pair.new()
    is_new = {id(finding) for finding in new}
    fixed, unreadable, gone = pair.missing()
    return new, Comparison(
        revision=head.revision,
        base=changes.base,
        settings=tuple(head.settings),
        hidden=0,
        newly_suppressed=tuple(pair.newly_suppressed()),
        no_longer_read=tuple(gone),
        unreadable=tuple(unreadable),
        moved=tuple(pair.moved()),
        fixed=tuple(fixed),
        remaining=tuple(finding for finding in head.open if id(finding) not in is_new),
        before=tuple(pair.documents()),
    )


class _Old(NamedTuple):
    """A finding of the base, under the name its file has now."""

    entry: Entry
    line: int
    finding: Finding


_Place = tuple[int, str, str, str | None]
"""Line, file, code and key of a finding of the base."""


def _by_place(olds: Iterable[_Old]) -> dict[_Place, Entry]:
    return {(old.line, old.entry.path, old.entry.code, old.entry.key): old.entry for old in olds}


class _Pair:
    """Two revisions, and what is known of both."""

    def __init__(self, head: Head, before: Before, changes: Changes) -> None:
        self._head, self._before, self._changes = head, before, changes
        self._lines = Lines(head.report)
        self._old = [self._entry(finding) for finding in before.report.findings]
        self._quiet = [self._entry(one.finding) for one in before.report.silenced]
        self._stood = _by_place(self._old)
        self._read = {path for one in head.report.paths if (path := changes.inside(one)) is not None}

    def _entry(self, finding: Finding) -> _Old:
        path = self._now(self._before.inside(finding.path))
        return _Old(entry_of(finding, path), self._before.lines.of(finding.path, finding.span)[0], finding)

    def _now(self, path: str) -> str:
        """The path that a file of the base has now."""
        return self._changes.renamed.get(path, path)

    def new(self) -> list[Finding]:
        """The findings that the change touched, brought about or made worse."""
        findings, changes = self._head.open, self._changes
        touched = {id(one) for one in findings if one.rule in UNSILENCED or self._touches(one)}
        elsewhere = [one for one in findings if id(one) not in touched]
        comparison = compare(elsewhere, [old.entry for old in self._old], changes.top)
        caused = {id(one) for one in comparison.new if not self._stood_there(one)}
        for finding, entry in comparison.grown:
            grown_note(finding, entry.measure, "before the change")
            caused.add(id(finding))
        for finding, severity in self._raised(comparison):
            said = f"worse than before the change: {finding.severity.word} now, {severity.word} there"
            finding.note = f"{finding.note}; {said}" if finding.note else said
            caused.add(id(finding))
        return [one for one in findings if id(one) in touched or id(one) in caused]

    def _raised(self, comparison: Matched) -> list[tuple[Finding, Severity]]:
        """The findings whose severity is higher than in the base, with the severity there."""
        severities = {id(old.entry): old.finding.severity for old in self._old}
        raised: list[tuple[Finding, Severity]] = []
        groups: dict[Group, tuple[list[Finding], list[Severity]]] = defaultdict(lambda: ([], []))
        for finding, entry in (*comparison.known, *comparison.grown):
            findings, there = groups[entry.group]
            findings.append(finding)
            there.append(severities[id(entry)])
        # Findings of one identity are paired by their measure; which of them is the worse one may have changed.
        for findings, there in groups.values():
            raised += zip(sorted(findings, key=lambda one: one.severity), sorted(there), strict=True)
        for finding in comparison.new:
            if (stood := self._at_the_old_line(finding, self._stood)) is not None:
                raised.append((finding, severities[id(stood)]))
        return [(finding, there) for finding, there in raised if finding.severity > there]

    def _touches(self, finding: Finding) -> bool:
        return self._changes.of(finding.path).touches(*self._lines.of(finding.path, finding.span))

    def _stood_there(self, finding: Finding) -> bool:
        """Whether the rule said the same of the same line under another identity: a document was renamed or moved."""
        entry = self._at_the_old_line(finding, self._stood)
        return entry is not None and not has_grown(finding.measure, entry.measure)

    def _at_the_old_line(self, finding: Finding, stood: Mapping[_Place, Entry]) -> Entry | None:
        line = self._changes.of(finding.path).old_line(self._lines.of(finding.path, finding.span)[0])
        path = self._changes.inside(finding.path)
        return None if line is None or path is None else stood.get((line, path, finding.code, finding.key))

    def newly_suppressed(self) -> list[Silenced]:
        """The findings that a comment or annotation silences, unless the base silenced them and nothing touches them.

        An old comment covers what a change writes below it, so who wrote the comment does not matter.
        """
        comments = {id(one.finding): one for one in self._head.report.silenced if one.by == "comment"}
        findings = [one.finding for one in comments.values()]
        was_open = compare(findings, [old.entry for old in self._old], self._changes.top)
        reported = {id(one.finding) for one in (*was_open.known, *was_open.grown)}
        quiet = compare(findings, [old.entry for old in self._quiet], self._changes.top)
        was_quiet = {id(one.finding) for one in quiet.known}
        stood = _by_place(self._quiet)
        unknown = {id(one) for one in quiet.new if self._at_the_old_line(one, stood) is None}
        return [
            one
            for one in comments.values()
            if one.finding.confidence >= self._head.min_confidence
            and (
                self._is_touched(one)
                or self._touches(one.finding)
                or id(one.finding) in unknown
                or (id(one.finding) in reported and id(one.finding) not in was_quiet)
            )
        ]

    def _is_touched(self, silenced: Silenced) -> bool:
        assert silenced.span is not None
        return self._changes.of(silenced.path).touches(*self._lines.of(silenced.path, silenced.span))

    def missing(self) -> tuple[list[Finding], list[Unjudged], list[Unjudged]]:
        """The findings of the base that are gone: fixed, in files that cannot be read, in files no longer read."""
        report = self._head.report
        # What the baseline lets stand is among the findings already.
        there = [*report.findings, *(one.finding for one in report.silenced if one.by != "baseline")]
        comparison = compare(there, [old.entry for old in self._old], self._changes.top)
        renamed = {
            id(entry) for one in comparison.new if (entry := self._at_the_old_line(one, self._stood)) is not None
        }
        absent = {id(entry) for entry in comparison.missing} - renamed
        gone = [old for old in self._old if id(old.entry) in absent]
        refused = self._refused()
        numbers = Counter(old.entry.path for old in gone)
        fixed = [
            self._shown(old)
            for old in gone
            if old.entry.path in self._read
            and old.entry.path not in refused
            and old.entry.path not in self._changes.removed  # read through a link that took its place
            and old.finding.confidence >= self._head.min_confidence
            and not report.crashed  # then nobody knows what the rule would have found
        ]
        unreadable = [Unjudged(path, reason, numbers[path]) for path, reason in refused.items() if numbers[path]]
        unreadable += [
            Unjudged(path, problem.message, numbers[path])
            for problem in report.problems
            if (path := self._changes.inside(problem.path)) is not None
        ]
        problems = {one.path for one in unreadable}
        unread = [
            Unjudged(self._name(path), reason, numbers[path])
            for path in sorted({self._now(one) for one in map(self._before.inside, self._before.report.paths)})
            if path not in self._read and path not in problems and (reason := self._why_unread(path))
        ]
        return fixed, [one._replace(path=self._name(one.path)) for one in unreadable], unread

    def _refused(self) -> dict[str, str]:
        """The files that Flink refuses to load now and did not before, with its reason."""
        before = {self._now(self._before.inside(path)) for path in _refusals(self._before.report.documents)}
        now = _refusals(self._head.report.documents)
        refused = {self._changes.inside(path): why for path, why in now.items()}
        return {path: why for path, why in refused.items() if path is not None and path not in before}

    def _why_unread(self, path: str) -> str:
        absolute = os.path.join(self._changes.top, *path.split("/"))
        for one in self._head.report.skipped:
            skipped = inside_of(one.path.rstrip("/" + os.sep), self._changes.top)
            if skipped is not None and (path == skipped or path.startswith(f"{skipped}/")):
                return one.reason
        if not os.path.lexists(absolute):
            return "deleted"
        if not os.path.isfile(absolute):
            return "not a file any more"
        return "not recognized as a file of Flink any more"

    def moved(self) -> list[Moved]:
        """The files that were renamed, and are read under both names."""
        read = {self._before.inside(path) for path in self._before.report.paths}
        numbers = Counter(old.entry.path for old in self._old)
        return [
            Moved(self._name(old), self._name(new), numbers[new])
            for old, new in sorted(self._changes.renamed.items())
            if old in read and new in self._read
        ]

    def documents(self) -> Iterable[Judged]:
        """The documents of the base, under the names that their files had."""
        for one in self._before.report.documents:
            one.document.path = self._name(self._before.inside(one.document.path))
            yield one

    def _shown(self, old: _Old) -> Finding:
        """A finding of the base, as a report can show it: without the folder that the base was checked in."""
        finding = old.finding
        folder = os.path.join(self._before.folder, "")
        path = self._name(self._before.inside(finding.path))
        finding.path, finding.proposed, finding.locate_edits, finding.located = path, None, None, ()
        finding.where = finding.where._replace(path=path)
        finding.message = finding.message.replace(folder, "")
        finding.help = finding.help.replace(folder, "") if finding.help else None
        return finding

    def _name(self, path: str) -> str:
        """A path as the user would write it; `path` counts from the top."""
        return os.path.relpath(os.path.join(self._changes.top, *path.split("/")))


def _refusals(documents: Iterable[Judged]) -> Mapping[str, str]:
    return {
        one.document.path: refusal.message
        for one in documents
        for refusal in one.document.refusals
        if refusal.reason != "template"
    }

"""Reads findings, with their excerpts, evidence and fixes, from a report of an untrusted source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from flink_flint.linter.engine.comparison_result import Identity
from flink_flint.linter.model.finding import Confidence, Excerpt, Severity
from flink_flint.linter.pull_request.untrusted_object import (
    LARGEST_NUMBER,
    LARGEST_REPORT,
    LONGEST_BESIDE,
    LONGEST_TEXT,
    UntrustedObject,
)
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_LINES = 20
"""The maximum number of lines in an excerpt, and of lines that a suggestion replaces."""
MAX_BESIDE = 20
"""The maximum number of related locations, of edits, and of pieces of evidence per finding.

Further ones are dropped; further edits drop the whole fix.
"""

CODE = re.compile(r"[A-Z]{1,12}[0-9]{1,6}")
_RULE = re.compile(r"[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,20}")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")


class RelatedPlace(NamedTuple):
    """A related location of a finding."""

    path: str
    start_line: int
    end_line: int
    message: str


class ReportedEdit(NamedTuple):
    """An edit of a fix; lines and columns from 1, the end exclusive."""

    path: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


class ReportedFix(NamedTuple):
    """The fix of a finding, as a report describes it."""

    safe: bool
    title: str
    doubt: str
    """The reason why a fix declared safe is unsafe, as a clause without a subject; empty if there is none."""
    edits: tuple[ReportedEdit, ...]
    before_line: int
    """The number of the first line that the edits touch; 0 if the report does not include the lines."""
    before: tuple[str, ...]
    """The current text of the lines that the edits touch, from `before_line` on, without line endings."""

    @property
    def described(self) -> str:
        """The title of the fix, followed by the reason why it is unsafe, if known."""
        return f"{self.title}; it {self.doubt}" if self.doubt else self.title


class ReportedFinding(NamedTuple):
    """A finding in a report; lines and columns count from 1, and the end is exclusive."""

    code: str
    rule: str
    family: str
    severity: Severity
    confidence: Confidence
    message: str
    help: str | None
    note: str | None
    url: str | None
    """The URL of the rule's page, built by flint and not taken from the report; None if the rule is not flint's."""
    path: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    document: str | None
    key: str | None
    flink_version: str | None
    fingerprint: str
    measure: float | None
    excerpt: Excerpt | None
    related: tuple[RelatedPlace, ...]
    evidence: Mapping[str, str | int | float]
    fix: ReportedFix | None

    @property
    def last_line(self) -> int:
        """The last line that the finding touches; a finding that ends at the start of a line does not touch it."""
        return max(self.start_line, self.end_line - (self.end_column == 1))

    @property
    def identity(self) -> Identity:
        """The finding's identity, which survives renaming its file: code, document and key."""
        return self.code, self.document or "", self.key or ""

    @property
    def deployment(self) -> str:
        """The deployment of the finding: its document's name or, without one, its file's path."""
        return self.document or self.path

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key of the finding; the most severe findings come first."""
        return (-self.severity, -self.confidence, self.path, self.start_line, self.start_column, self.code)


def read_finding(found: UntrustedObject) -> ReportedFinding:
    """Read a finding; raise ValueError, with the location, if it is invalid."""
    code = found.word("code", CODE, "a code like FLK101")
    rule = found.word("rule", _RULE, "a rule's name")
    severity = found.text("severity")
    confidence = found.text("confidence")
    if severity not in _SEVERITIES:
        raise found.fault("severity", "error, warning or info")
    if confidence not in _CONFIDENCES:
        raise found.fault("confidence", "low, medium or high")
    start, end = _range(found)
    return ReportedFinding(
        code=code,
        rule=rule,
        family=found.text("family", 60),
        severity=_SEVERITIES[severity],
        confidence=_CONFIDENCES[confidence],
        message=found.text("message"),
        help=found.optional("help"),
        note=found.optional("note"),
        url=page_of(code, rule),
        path=found.path("path"),
        start_line=start[0],
        start_column=start[1],
        end_line=end[0],
        end_column=end[1],
        document=found.optional("document", LONGEST_BESIDE),
        key=found.optional("key", LONGEST_BESIDE),
        flink_version=found.optional("flink_version", 60),
        fingerprint=found.word("fingerprint", _FINGERPRINT, "32 hexadecimal digits"),
        measure=found.number("measure"),
        excerpt=_excerpt(found.maybe("excerpt")),
        related=found.each("related", _related, MAX_BESIDE),
        evidence=_evidence(found.members("evidence")),
        fix=_fix(found.maybe("fix")),
    )


_SEVERITIES = {severity.word: severity for severity in Severity}
_CONFIDENCES = {confidence.word: confidence for confidence in Confidence}


def _range(found: UntrustedObject) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the start and the end of a location as lines and columns."""
    first, last = found.inner("start"), found.inner("end")
    start = (first.whole("line", 1), first.whole("column", 1))
    end = (last.whole("line", 1), last.whole("column", 1))
    if end < start:
        raise found.fault("end", "after its start")
    return start, end


def _excerpt(found: UntrustedObject | None) -> Excerpt | None:
    if found is None:
        return None
    lines = _lines(found, "lines")
    if not 0 < len(lines) <= MAX_LINES:
        raise found.fault("lines", f"1 to {MAX_LINES} lines")
    line = found.whole("line", 1)
    return Excerpt(line, lines, found.whole("start", 1) - 1, found.whole("end", 1) - 1)


def _lines(found: UntrustedObject, name: str) -> tuple[str, ...]:
    lines = found.items(name)
    if not all(isinstance(line, str) for line in lines):
        raise found.fault(name, "a list of texts")
    return tuple(lines)


def _related(found: UntrustedObject) -> RelatedPlace:
    start, end = _range(found)
    return RelatedPlace(found.path("path"), start[0], end[0], found.optional("message", LONGEST_BESIDE) or "")


def _evidence(members: Mapping[str, object]) -> Mapping[str, str | int | float]:
    """Return the evidence with plain values: strings and numbers."""
    plain: dict[str, str | int | float] = {}
    for name, value in list(members.items())[:MAX_BESIDE]:
        if isinstance(value, str):
            plain[name[:60]] = value[:LONGEST_TEXT]
        elif isinstance(value, (int, float)) and abs(value) <= LARGEST_NUMBER:  # false for NaN
            plain[name[:60]] = value
    return plain


def _fix(found: UntrustedObject | None) -> ReportedFix | None:
    """Return a fix; None also if its edits are too many or too long for a comment."""
    if found is None:
        return None
    safety = found.text("safety")
    if safety not in ("safe", "unsafe"):
        raise found.fault("safety", "safe or unsafe")
    edits = found.each("edits", _edit)
    if len(edits) > MAX_BESIDE or sum(len(edit.text) for edit in edits) > LONGEST_TEXT:
        return None
    before = found.maybe("before")
    lines = () if before is None else _lines(before, "lines")
    known = before is not None and 0 < len(lines) <= MAX_LINES and sum(map(len, lines)) <= LONGEST_TEXT
    return ReportedFix(
        safe=safety == "safe",
        title=found.text("title"),
        doubt=found.optional("doubt") or "",
        edits=edits,
        before_line=before.whole("line", 1) if before is not None and known else 0,
        before=lines if known else (),
    )


def _edit(found: UntrustedObject) -> ReportedEdit:
    start, end = _range(found)
    return ReportedEdit(found.path("path"), *start, *end, found.text("text", LARGEST_REPORT))


@cache
def page_of(code: str, rule: str) -> str | None:
    """Return the URL of a rule's page; None unless flint itself has a rule with this code and name."""
    from flink_flint.linter.engine.registry import registry
    from flink_flint.linter.model.rule import DOCS

    declaration = registry().by_code.get(code)
    return f"{DOCS}/{rule}.md" if declaration is not None and declaration.name == rule else None

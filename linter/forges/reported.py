"""Reading check reports that somebody else may have written.

A report of a forked repository comes from a job that runs the fork's own code, so that nothing in it can be believed:
its size, shape, lengths and paths are checked here, once, and what does not fit is refused with the file and the place
in it. Texts are bounded but keep their characters; what makes them harmless in Markdown is `linter.forges.markdown`.
"""

from __future__ import annotations

import json
import math
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from linter.files import read_named
from linter.finding import Confidence, Excerpt, Severity
from linter.record import NamedTuple
from linter.reports.memory_parts import PARTS

LARGEST_REPORT = 32 * 1024**2
"""Bytes of all reports of the head together, and of the base: some twenty thousand findings."""
LONGEST_TEXT = 2_000
"""Characters of a message, a help, a note, a title: more is cut, with an ellipsis."""
LONGEST_BESIDE = 300
"""Characters of a key, of the name of a document, and of what is said of a related place."""
LONGEST_PATH = 1_000
MOST_LINES = 20
"""Lines of an excerpt, and lines that a suggestion may touch."""
MOST_BESIDE = 20
"""Related places, edits and pieces of evidence of one finding; more are left out (of edits: the fix)."""
LARGEST_NUMBER = 2**62
"""Lines, columns and bytes beyond are nobody's."""

_CODE = re.compile(r"[A-Z]{1,12}[0-9]{1,6}")
_RULE = re.compile(r"[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,20}")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")


class RelatedPlace(NamedTuple):
    """Another place that a finding is about."""

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
    """How a finding is mended."""

    safe: bool
    title: str
    edits: tuple[ReportedEdit, ...]
    before_line: int
    """The first of the whole lines that the edits touch; 0 where the report does not tell them."""
    before: tuple[str, ...]
    """Those lines as they stand, without their ends."""


class ReportedFinding(NamedTuple):
    """A finding as a report tells it; lines and columns from 1, the end exclusive."""

    code: str
    rule: str
    family: str
    severity: Severity
    confidence: Confidence
    message: str
    help: str | None
    note: str | None
    url: str | None
    """The page of the rule, where it is one of flint's; never what the report says."""
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
        """The last line it touches: an end at the start of a line does not touch that line."""
        return max(self.start_line, self.end_line - (self.end_column == 1))

    @property
    def deployment(self) -> str:
        """What it is grouped by: the document's name, or else the file."""
        return self.document or self.path

    @property
    def order(self) -> tuple[object, ...]:
        """Sorting: worst first."""
        return (-self.severity, -self.confidence, self.path, self.start_line, self.start_column, self.code)


class Deployment(NamedTuple):
    """A whole document, with the memory that Flink derives of it."""

    path: str
    document: str | None
    flink_version: str | None
    memory: Mapping[str, Mapping[str, int | None]]
    """By process (`taskmanager`, `jobmanager`) and part, in bytes; None where Flink refuses."""


class Reported(NamedTuple):
    """What reports tell together."""

    findings: tuple[ReportedFinding, ...]
    deployments: tuple[Deployment, ...]


def read_reports(paths: Sequence[str]) -> Reported:
    """Read reports that `flint check --output-format json` wrote; a fingerprint that several hold counts once.

    Raises ValueError, with the file and what is wrong in it, for what cannot be read, is too large or no such report.
    """
    left = LARGEST_REPORT
    findings: dict[str, ReportedFinding] = {}
    deployments: dict[tuple[str, str | None], Deployment] = {}
    for path in paths:
        try:
            data = read_named(path, left + 1)
        except OSError as error:
            raise ValueError(f"{path}: cannot read the report: {(error.strerror or str(error)).lower()}") from None
        left -= len(data)
        if left < 0:
            raise ValueError(f"{path}: more than {LARGEST_REPORT // 1024**2} MiB: too large for reports to comment on")
        try:
            reported = reported_of(data)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        for finding in reported.findings:
            findings.setdefault(finding.fingerprint, finding)
        for deployment in reported.deployments:
            deployments.setdefault((deployment.path, deployment.document), deployment)
    return Reported(tuple(findings.values()), tuple(deployments.values()))


def reported_of(data: bytes) -> Reported:
    """What one report holds; raises ValueError that says what is wrong."""
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("no report of flint: nested too deep") from None
    except UnicodeDecodeError:
        raise ValueError("no report of flint: not UTF-8") from None
    except ValueError as error:
        raise ValueError(f"no report of flint: not JSON ({_brief(str(error))})") from None
    if not isinstance(document, dict) or "findings" not in document:
        raise ValueError("no report of flint: write one with `flint check --output-format json`")
    if document.get("version") != 1 or isinstance(document["version"], bool):
        raise ValueError("a report of another version of flint: version 1 is wanted")
    if document.get("unread"):
        raise ValueError("the check could not read every file, and what it did not read would look mended")
    findings = [
        _finding(_Reader(found, f"findings[{number}]"))
        for number, found in enumerate(_list(document["findings"], "findings"))
    ]
    deployments = [
        _deployment(_Reader(found, f"deployments[{number}]"))
        for number, found in enumerate(_list(document.get("deployments", []), "deployments"))
    ]
    return Reported(tuple(findings), tuple(deployments))


def checked_path(path: str) -> str:
    """A path below the repository's root, normalized; raises ValueError for any other.

    Absolute paths, ways out of the repository, backslashes and control characters are refused.
    """
    if not path or len(path) > LONGEST_PATH or "\\" in path or not path.isprintable():
        raise ValueError(f"{_brief(path)!r} is no path of a file in the repository")
    normal = posixpath.normpath(path)
    if normal.startswith(("/", "../")) or normal in (".", "..") or re.match(r"[A-Za-z]:", normal):
        raise ValueError(
            f"{_brief(path)!r} is no path below the repository's root: run `flint check` there, on relative paths"
        )
    return normal


class _Reader:
    """The members of one object, each checked as it is asked for; raises ValueError with the place."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{place} is no object")
        self._members = value
        self.place = place

    def fault(self, name: str, wanted: str) -> ValueError:
        return ValueError(f"{self.place}.{name} is not {wanted}")

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        value = self._members.get(name)
        if not isinstance(value, str):
            raise self.fault(name, "a text")
        return value if len(value) <= longest else value[: longest - 1] + "…"

    def optional(self, name: str, longest: int = LONGEST_TEXT) -> str | None:
        return None if self._members.get(name) is None else self.text(name, longest)

    def word(self, name: str, pattern: re.Pattern[str], wanted: str) -> str:
        value = self._members.get(name)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise self.fault(name, wanted)
        return value

    def path(self, name: str) -> str:
        value = self._members.get(name)
        if not isinstance(value, str):
            raise self.fault(name, "a path")
        try:
            return checked_path(value)
        except ValueError as error:
            raise ValueError(f"{self.place}.{name}: {error}") from None

    def whole(self, name: str, least: int) -> int:
        value = self._members.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST_NUMBER:
            raise self.fault(name, f"a whole number from {least}")
        return value

    def number(self, name: str) -> float | None:
        value = self._members.get(name)
        if value is None:
            return None
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self.fault(name, "a number")
        if abs(value) > LARGEST_NUMBER or not math.isfinite(value):
            raise self.fault(name, "a number of a size that makes sense")
        return value

    def inner(self, name: str) -> _Reader:
        return _Reader(self._members.get(name), f"{self.place}.{name}")

    def maybe(self, name: str) -> _Reader | None:
        return None if self._members.get(name) is None else self.inner(name)

    def items(self, name: str) -> list[Any]:
        value = self._members.get(name)
        return [] if value is None else _list(value, f"{self.place}.{name}")

    def members(self, name: str) -> dict[str, Any]:
        value = self._members.get(name)
        if not isinstance(value, dict):
            if value is None:
                return {}
            raise self.fault(name, "an object")
        return value


def _finding(found: _Reader) -> ReportedFinding:
    code = found.word("code", _CODE, "a code like FLK101")
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
        related=tuple(
            _related(_Reader(one, f"{found.place}.related[{number}]"))
            for number, one in enumerate(found.items("related")[:MOST_BESIDE])
        ),
        evidence=_evidence(found.members("evidence")),
        fix=_fix(found.maybe("fix")),
    )


_SEVERITIES = {severity.word: severity for severity in Severity}
_CONFIDENCES = {confidence.word: confidence for confidence in Confidence}


def _range(found: _Reader) -> tuple[tuple[int, int], tuple[int, int]]:
    """The start and the end of a place as lines and columns."""
    first, last = found.inner("start"), found.inner("end")
    start = (first.whole("line", 1), first.whole("column", 1))
    end = (last.whole("line", 1), last.whole("column", 1))
    if end < start:
        raise found.fault("end", "behind its start")
    return start, end


def _excerpt(found: _Reader | None) -> Excerpt | None:
    if found is None:
        return None
    lines = _lines(found, "lines")
    if not 0 < len(lines) <= MOST_LINES:
        raise found.fault("lines", f"1 to {MOST_LINES} lines")
    line = found.whole("line", 1)
    return Excerpt(line, lines, found.whole("start", 1) - 1, found.whole("end", 1) - 1)


def _lines(found: _Reader, name: str) -> tuple[str, ...]:
    lines = found.items(name)
    if not all(isinstance(line, str) for line in lines):
        raise found.fault(name, "a list of texts")
    return tuple(lines)


def _related(found: _Reader) -> RelatedPlace:
    start, end = _range(found)
    return RelatedPlace(found.path("path"), start[0], end[0], found.optional("message", LONGEST_BESIDE) or "")


def _evidence(members: Mapping[str, object]) -> Mapping[str, str | int | float]:
    """What of the evidence is plain: texts and numbers."""
    plain: dict[str, str | int | float] = {}
    for name, value in list(members.items())[:MOST_BESIDE]:
        if isinstance(value, str):
            plain[name[:60]] = value[:LONGEST_TEXT]
        elif isinstance(value, (int, float)) and abs(value) <= LARGEST_NUMBER:  # which not-a-number is not
            plain[name[:60]] = value
    return plain


def _fix(found: _Reader | None) -> ReportedFix | None:
    """A fix; None too where its edits are more or longer than anybody reads through in a comment."""
    if found is None:
        return None
    safety = found.text("safety")
    if safety not in ("safe", "unsafe"):
        raise found.fault("safety", "safe or unsafe")
    edits = [_edit(_Reader(one, f"{found.place}.edits[{number}]")) for number, one in enumerate(found.items("edits"))]
    if len(edits) > MOST_BESIDE or sum(len(edit.text) for edit in edits) > LONGEST_TEXT:
        return None
    before = found.maybe("before")
    lines = () if before is None else _lines(before, "lines")
    known = before is not None and 0 < len(lines) <= MOST_LINES and sum(map(len, lines)) <= LONGEST_TEXT
    return ReportedFix(
        safe=safety == "safe",
        title=found.text("title"),
        edits=tuple(edits),
        before_line=before.whole("line", 1) if before is not None and known else 0,
        before=lines if known else (),
    )


def _edit(found: _Reader) -> ReportedEdit:
    start, end = _range(found)
    return ReportedEdit(found.path("path"), *start, *end, found.text("text", LARGEST_REPORT))


def _deployment(found: _Reader) -> Deployment:
    memory = found.inner("memory")
    return Deployment(
        path=found.path("path"),
        document=found.optional("document", LONGEST_BESIDE),
        flink_version=found.optional("flink_version", 60),
        memory={
            process: {part: _size(inner, part) for part in parts}
            for process, parts in PARTS.items()
            if (inner := memory.maybe(process)) is not None
        },
    )


def _size(found: _Reader, part: str) -> int | None:
    return None if found.number(part) is None else found.whole(part, 0)


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{place} is no list")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _brief(text: str) -> str:
    """A text of a hostile file, short enough for a message."""
    return text if len(text) <= 80 else text[:79] + "…"


@cache
def page_of(code: str, rule: str) -> str | None:
    """Where the page of a rule of flint's stands; None for a rule that is not flint's, whatever it calls itself."""
    from linter.registry import registry
    from linter.rule import DOCS

    declaration = registry().by_code.get(code)
    return f"{DOCS}/{rule}.md" if declaration is not None and declaration.name == rule else None

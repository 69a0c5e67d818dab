"""Reads check reports from untrusted sources.

A report for a forked repository comes from a job that runs the fork's own code, so nothing in it can be trusted: its
size, shape, lengths and paths are validated here, once, and invalid input is rejected naming the file and location.
Texts are limited in length but keep their characters; `linter.output.escaped_markdown` makes them safe in Markdown.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from flink_flint.linter.engine.comparison_result import Identity
from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.model.finding import Confidence, Excerpt, Severity
from flink_flint.linter.output.memory.memory_components import PARTS
from flink_flint.linter.text.named_tuple import NamedTuple

LARGEST_REPORT = 32 * 1024**2
"""The maximum total size, in bytes, of one revision's reports; enough for about 20,000 findings."""
LONGEST_TEXT = 2_000
"""The maximum length of a message, help, note or title in characters; longer ones are cut with an ellipsis."""
LONGEST_BESIDE = 300
"""The maximum length, in characters, of short texts such as keys, document names and suppression reasons."""
LONGEST_PATH = 4_096
"""The maximum length of a path in characters, as on Linux."""
MAX_LINES = 20
"""The maximum number of lines in an excerpt, and of lines that a suggestion replaces."""
MAX_BESIDE = 20
"""The maximum number of related locations, of edits, and of pieces of evidence per finding.

Further ones are dropped; further edits drop the whole fix.
"""
LARGEST_NUMBER = 2**63 - 1
"""The largest accepted line number, column or byte count: the largest Java long."""

_CODE = re.compile(r"[A-Z]{1,12}[0-9]{1,6}")
_RULE = re.compile(r"[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,20}")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_SHA256 = re.compile(r"[0-9a-f]{64}")

T = TypeVar("T")


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


class Deployment(NamedTuple):
    """A complete document, with the memory that Flink derives from it."""

    path: str
    document: str | None
    flink_version: str | None
    memory: Mapping[str, Mapping[str, int | None]]
    """The bytes of each memory component, by process (`taskmanager`, `jobmanager`); None if Flink refuses the sizes."""


class ReportedSuppression(NamedTuple):
    """A suppressed finding, with the comment, baseline or flint configuration that suppresses it."""

    code: str
    path: str
    line: int
    """The line number of the suppressed finding."""
    document: str | None
    key: str | None
    by: str
    """The kind of suppression: ``comment``, ``baseline`` or ``flint_toml``."""
    at_path: str
    """The path of the file that contains the suppression; empty if the report does not name it."""
    at_line: int
    reason: str
    finding: ReportedFinding | None
    """The suppressed finding; None if the report does not include it."""

    @property
    def identity(self) -> Identity:
        """The suppressed finding's identity within its file: code, document and key."""
        return self.code, self.document or "", self.key or ""


class ReportedFile(NamedTuple):
    """A file that a report lists, with the reason why it is listed."""

    path: str
    reason: str
    findings: int = 0


class ReportedMove(NamedTuple):
    """A renamed file, with the number of its findings."""

    old: str
    new: str
    findings: int


class ReportedComparison(NamedTuple):
    """A report's own comparison with the base (`flint check --diff-base`)."""

    revision: str
    settings: tuple[ReportedFile, ...]
    hidden: int
    newly_suppressed: tuple[ReportedSuppression, ...]
    no_longer_read: tuple[ReportedFile, ...]
    unreadable: tuple[ReportedFile, ...]
    moved: tuple[ReportedMove, ...]
    fixed: tuple[ReportedFinding, ...]
    remaining: tuple[ReportedFinding, ...]
    deployments: tuple[Deployment, ...]


class ReportedDocument(NamedTuple):
    """The coverage of a document: why it was not fully checked, its unknown values, and the tags that insert lines."""

    unjudged: str | None
    """The reason why the document was not fully checked; None if it was."""
    unknown: frozenset[str]
    """The settings and attributes of the document whose values are unknown."""
    inserted: int
    """The number of template tags that insert lines into the document's file."""


class Coverage(NamedTuple):
    """The files that a check read, and those that it did not, with the reasons."""

    files: frozenset[str]
    unread: tuple[ReportedFile, ...]
    """The Flink files that were not read, each with the reason."""
    skipped: Mapping[str, str]
    """The reason why each skipped file or folder was not checked, by path."""
    documents: Mapping[tuple[str, str | None], ReportedDocument]
    """The documents that were read, by file path and document name; empty if the report does not list them."""


class Reported(NamedTuple):
    """The contents of one report, or of several combined."""

    findings: tuple[ReportedFinding, ...]
    deployments: tuple[Deployment, ...]
    coverage: Coverage | None = None
    """The files that were read; None if unknown, in which case titles must not claim that there are no findings."""
    silenced: tuple[ReportedSuppression, ...] = ()
    settings: frozenset[tuple[str, str]] = frozenset()
    """The path and digest of each flint configuration file that the check used."""
    comparison: ReportedComparison | None = None
    """The report's comparison with a base, in which case `findings` has only new findings; None if there is none."""
    crashed: bool = False
    """Whether a rule crashed, so that its findings are missing."""


def read_reports(paths: Sequence[str], called: str | None = None) -> Reported:
    """Read reports written by `flint check --output-format json`; findings with the same fingerprint count once.

    `called` replaces the path in errors, for a file that the user did not name. Raises ValueError, with the file and
    the mistake, for what cannot be read, is too large or not a report.
    """
    left = LARGEST_REPORT
    several: list[Reported] = []
    for path in paths:
        name = path if called is None else called
        try:
            data = read_named(path, left + 1)
        except OSError as error:
            raise ValueError(f"{name}: cannot read the report: {(error.strerror or str(error)).lower()}") from None
        left -= len(data)
        if left < 0:
            raise ValueError(f"{name}: more than {LARGEST_REPORT // 1024**2} MiB: too large for reports to comment on")
        try:
            several.append(reported_of(data))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    if len({one.comparison is None for one in several}) > 1:
        raise ValueError("some of the reports compare with a base and some do not: give reports of one kind")
    return _together(several)


def _together(several: Sequence[Reported]) -> Reported:
    """Merge several reports."""
    findings = {finding.fingerprint: finding for one in reversed(several) for finding in reversed(one.findings)}
    deployments = {(d.path, d.document): d for one in reversed(several) for d in reversed(one.deployments)}
    covered = [one.coverage for one in several if one.coverage is not None]
    coverage = None
    if len(covered) == len(several):
        skipped = {path: why for one in covered for path, why in one.skipped.items()}
        unread = tuple(dict.fromkeys(file for one in covered for file in one.unread))
        documents = {name: document for one in covered for name, document in one.documents.items()}
        coverage = Coverage(frozenset().union(*(one.files for one in covered)), unread, skipped, documents)
    compared = [one.comparison for one in several if one.comparison is not None]
    comparison = None
    if compared:
        names = [name for name in ReportedComparison._fields if name not in ("revision", "hidden")]
        lists = {name: tuple(row for one in compared for row in getattr(one, name)) for name in names}
        comparison = ReportedComparison(compared[0].revision, hidden=sum(one.hidden for one in compared), **lists)
    return Reported(
        tuple(reversed(findings.values())),
        tuple(reversed(deployments.values())),
        coverage,
        tuple(row for one in several for row in one.silenced),
        frozenset().union(*(one.settings for one in several)),
        comparison,
        any(one.crashed for one in several),
    )


def reported_of(data: bytes) -> Reported:
    """Parse one report; raise ValueError if it is invalid."""
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("not a flint report: nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("not a flint report: not UTF-8") from None
    except ValueError as error:
        raise ValueError(f"not a flint report: not JSON ({_brief(str(error))})") from None
    if not isinstance(document, dict) or "findings" not in document:
        raise ValueError("not a flint report: write one with `flint check --output-format json`")
    if document.get("version") != 1 or isinstance(document["version"], bool):
        raise ValueError("a report of another version of flint: version 1 is required")
    if document.get("unread") and "coverage" not in document:
        raise ValueError("the check could not read every file, and what it did not read would look fixed")
    _list(document["findings"], "findings")
    top = _Reader(document, "")
    findings = _each(top, "findings", _finding)
    coverage = top.maybe("coverage")
    silenced = _each(top, "silenced", _suppression)
    if (suppressed := top.maybe("suppressed")) is not None:
        _check_counts(suppressed, silenced)
    compared = top.maybe("comparison")
    return Reported(
        findings,
        _each(top, "deployments", _deployment),
        None if coverage is None else _coverage(coverage),
        silenced,
        frozenset(_each(top, "settings", _digest)),
        None if compared is None else _comparison(compared),
        any(one.rule == "internal-error" for one in findings),
    )


def _check_counts(suppressed: _Reader, silenced: Sequence[ReportedSuppression]) -> None:
    """Raise ValueError if a report's counts differ from its lists."""
    for by in _KINDS:
        number = sum(one.by == by for one in silenced)
        if suppressed.whole(by, 0) != number:
            raise suppressed.fault(by, f"{number}, which is how many the report lists")


_KINDS = ("comment", "baseline", "flint_toml")


def _coverage(found: _Reader) -> Coverage:
    files = found.items("files")
    if not all(isinstance(path, str) for path in files):
        raise found.fault("files", "a list of paths")
    read = frozenset(checked_path(path) for path in files)
    if found.whole("read", 0) != len(read):
        raise found.fault("read", f"{len(read)}, which is how many files the report lists")
    skipped = _each(found, "skipped", _skipped)
    unread = (*_each(found, "unreadable", _file), *(file for file, is_unread in skipped if is_unread))
    left_out = {file.path: file.reason for file, _ in skipped}
    return Coverage(read, unread, left_out, dict(_each(found, "documents", _document)))


def _document(found: _Reader) -> tuple[tuple[str, str | None], ReportedDocument]:
    unknown = found.items("unknown")
    if not all(isinstance(key, str) for key in unknown):
        raise found.fault("unknown", "a list of keys")
    document = ReportedDocument(
        found.optional("unjudged", LONGEST_BESIDE), frozenset(unknown), found.whole("inserted", 0, missing=0)
    )
    return (found.path("path"), found.optional("document", LONGEST_BESIDE)), document


def _skipped(found: _Reader) -> tuple[ReportedFile, bool]:
    return _file(found), found.flag("unread")


def _file(found: _Reader) -> ReportedFile:
    return ReportedFile(found.path("path"), found.text("reason", LONGEST_BESIDE), found.whole("findings", 0, missing=0))


def _digest(found: _Reader) -> tuple[str, str]:
    return found.text("path", LONGEST_PATH), found.word("sha256", _SHA256, "64 hexadecimal digits")


def _suppression(found: _Reader) -> ReportedSuppression:
    by = found.text("by")
    if by not in _KINDS:
        raise found.fault("by", f"one of {', '.join(_KINDS)}")
    at, finding = found.inner("at"), found.maybe("finding")
    return ReportedSuppression(
        code=found.word("code", _CODE, "a code like FLK101"),
        path=found.path("path"),
        line=found.whole("line", 1),
        document=found.optional("document", LONGEST_BESIDE),
        key=found.optional("key", LONGEST_BESIDE),
        by=by,
        at_path=at.text("path", LONGEST_PATH),
        at_line=at.whole("line", 0),
        reason=found.text("reason", LONGEST_BESIDE),
        finding=None if finding is None else _finding(finding),
    )


def _comparison(found: _Reader) -> ReportedComparison:
    return ReportedComparison(
        revision=found.text("revision", LONGEST_BESIDE),
        settings=_each(found, "settings", _settings_change),
        hidden=found.whole("hidden", 0),
        newly_suppressed=_each(found, "newly_suppressed", _suppression),
        no_longer_read=_each(found, "no_longer_read", _file),
        unreadable=_each(found, "unreadable", _file),
        moved=_each(found, "moved", _move),
        fixed=_each(found, "fixed", _finding),
        remaining=_each(found, "remaining", _finding),
        deployments=_each(found, "deployments", _deployment),
    )


def _settings_change(found: _Reader) -> ReportedFile:
    change = found.text("change")
    if change not in ("added", "changed", "removed"):
        raise found.fault("change", "added, changed or removed")
    return ReportedFile(found.path("path"), change)


def _move(found: _Reader) -> ReportedMove:
    return ReportedMove(found.path("from"), found.path("to"), found.whole("findings", 0))


def _each(found: _Reader, name: str, read: Callable[[_Reader], T]) -> tuple[T, ...]:
    """Read each member of a list; a missing list is empty."""
    place = f"{found.place}.{name}" if found.place else name
    return tuple(read(_Reader(one, f"{place}[{number}]")) for number, one in enumerate(found.items(name)))


def checked_path(path: str) -> str:
    """Normalize a path; raise ValueError if it is not below the repository root.

    Any characters are allowed: a pull request can add a file of any name, and must not suppress its findings that way.
    Whoever shows a path escapes it (`escaped_markdown.code`).
    """
    if not path or len(path) > LONGEST_PATH:
        raise ValueError(f"{_brief(path)!r} is not the path of a file in the repository")
    normal = posixpath.normpath(path)
    if normal.startswith(("/", "../")) or normal in (".", ".."):
        raise ValueError(
            f"{_brief(path)!r} is not a path below the repository's root: run `flint check` there, on relative paths"
        )
    return normal


def is_addressable(path: str) -> bool:
    """Return whether a forge can address a file, in a link to its lines or a comment on them.

    Some servers and browsers interpret backslashes, drive letters and invisible characters differently.
    """
    return path.isprintable() and "\\" not in path and not re.match(r"[A-Za-z]:", path)


class _Reader:
    """The members of one object, each validated on access; raises ValueError with the location."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{place} is not an object")
        self._members = value
        self.place = place

    def fault(self, name: str, expected: str) -> ValueError:
        return ValueError(f"{self._at(name)} is not {expected}")

    def _at(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        value = self._members.get(name)
        if not isinstance(value, str):
            raise self.fault(name, "a text")
        return value if len(value) <= longest else value[: longest - 1] + "…"

    def optional(self, name: str, longest: int = LONGEST_TEXT) -> str | None:
        return None if self._members.get(name) is None else self.text(name, longest)

    def word(self, name: str, pattern: re.Pattern[str], expected: str) -> str:
        value = self._members.get(name)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise self.fault(name, expected)
        return value

    def path(self, name: str) -> str:
        value = self._members.get(name)
        if not isinstance(value, str):
            raise self.fault(name, "a path")
        try:
            return checked_path(value)
        except ValueError as error:
            raise ValueError(f"{self._at(name)}: {error}") from None

    def flag(self, name: str) -> bool:
        value = self._members.get(name, False)
        if not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return value

    def whole(self, name: str, minimum: int, missing: int | None = None) -> int:
        value = self._members.get(name, missing)
        if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= LARGEST_NUMBER:
            raise self.fault(name, f"a whole number from {minimum}")
        return value

    def number(self, name: str) -> float | None:
        value = self._members.get(name)
        if value is None:
            return None
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self.fault(name, "a number")
        # Infinite measures have no useful difference.
        return max(-LARGEST_NUMBER, min(LARGEST_NUMBER, value))

    def inner(self, name: str) -> _Reader:
        return _Reader(self._members.get(name), self._at(name))

    def maybe(self, name: str) -> _Reader | None:
        return None if self._members.get(name) is None else self.inner(name)

    def items(self, name: str) -> list[Any]:
        value = self._members.get(name)
        return [] if value is None else _list(value, self._at(name))

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
            for number, one in enumerate(found.items("related")[:MAX_BESIDE])
        ),
        evidence=_evidence(found.members("evidence")),
        fix=_fix(found.maybe("fix")),
    )


_SEVERITIES = {severity.word: severity for severity in Severity}
_CONFIDENCES = {confidence.word: confidence for confidence in Confidence}


def _range(found: _Reader) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the start and the end of a location as lines and columns."""
    first, last = found.inner("start"), found.inner("end")
    start = (first.whole("line", 1), first.whole("column", 1))
    end = (last.whole("line", 1), last.whole("column", 1))
    if end < start:
        raise found.fault("end", "after its start")
    return start, end


def _excerpt(found: _Reader | None) -> Excerpt | None:
    if found is None:
        return None
    lines = _lines(found, "lines")
    if not 0 < len(lines) <= MAX_LINES:
        raise found.fault("lines", f"1 to {MAX_LINES} lines")
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
    """Return the evidence with plain values: strings and numbers."""
    plain: dict[str, str | int | float] = {}
    for name, value in list(members.items())[:MAX_BESIDE]:
        if isinstance(value, str):
            plain[name[:60]] = value[:LONGEST_TEXT]
        elif isinstance(value, (int, float)) and abs(value) <= LARGEST_NUMBER:  # false for NaN
            plain[name[:60]] = value
    return plain


def _fix(found: _Reader | None) -> ReportedFix | None:
    """Return a fix; None also if its edits are too many or too long for a comment."""
    if found is None:
        return None
    safety = found.text("safety")
    if safety not in ("safe", "unsafe"):
        raise found.fault("safety", "safe or unsafe")
    edits = [_edit(_Reader(one, f"{found.place}.edits[{number}]")) for number, one in enumerate(found.items("edits"))]
    if len(edits) > MAX_BESIDE or sum(len(edit.text) for edit in edits) > LONGEST_TEXT:
        return None
    before = found.maybe("before")
    lines = () if before is None else _lines(before, "lines")
    known = before is not None and 0 < len(lines) <= MAX_LINES and sum(map(len, lines)) <= LONGEST_TEXT
    return ReportedFix(
        safe=safety == "safe",
        title=found.text("title"),
        doubt=found.optional("doubt") or "",
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
        raise ValueError(f"{place} is not a list")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _brief(text: str) -> str:
    """Return an excerpt of an untrusted text, short enough for a message."""
    return text if len(text) <= 80 else text[:79] + "…"


@cache
def page_of(code: str, rule: str) -> str | None:
    """Return the URL of a rule's page; None unless flint itself has a rule with this code and name."""
    from flink_flint.linter.engine.registry import registry
    from flink_flint.linter.model.rule import DOCS

    declaration = registry().by_code.get(code)
    return f"{DOCS}/{rule}.md" if declaration is not None and declaration.name == rule else None

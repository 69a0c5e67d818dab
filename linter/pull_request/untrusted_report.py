"""Reads check reports from untrusted sources.

A report for a forked repository comes from a job that runs the fork's own code, so nothing in it can be trusted: its
size, shape, lengths and paths are validated here, once, and invalid input is rejected naming the file and location.
Texts are limited in length but keep their characters; `linter.output.escaped_markdown` makes them safe in Markdown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from flink_flint.linter.engine.comparison_result import Identity
from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.output.memory.memory_components import PARTS
from flink_flint.linter.pull_request.untrusted_finding import CODE, ReportedFinding, read_finding
from flink_flint.linter.pull_request.untrusted_object import (
    LARGEST_REPORT,
    LONGEST_BESIDE,
    LONGEST_PATH,
    UntrustedObject,
    brief,
    checked_path,
    listed,
)
from flink_flint.linter.text.named_tuple import NamedTuple

_SHA256 = re.compile(r"[0-9a-f]{64}")


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
        raise ValueError(f"not a flint report: not JSON ({brief(str(error))})") from None
    if not isinstance(document, dict) or "findings" not in document:
        raise ValueError("not a flint report: write one with `flint check --output-format json`")
    if document.get("version") != 1 or isinstance(document["version"], bool):
        raise ValueError("a report of another version of flint: version 1 is required")
    if document.get("unread") and "coverage" not in document:
        raise ValueError("the check could not read every file, and what it did not read would look fixed")
    listed(document["findings"], "findings")
    top = UntrustedObject(document, "")
    findings = top.each("findings", read_finding)
    coverage = top.maybe("coverage")
    silenced = top.each("silenced", _suppression)
    if (suppressed := top.maybe("suppressed")) is not None:
        _check_counts(suppressed, silenced)
    compared = top.maybe("comparison")
    return Reported(
        findings,
        top.each("deployments", _deployment),
        None if coverage is None else _coverage(coverage),
        silenced,
        frozenset(top.each("settings", _digest)),
        None if compared is None else _comparison(compared),
        any(one.rule == "internal-error" for one in findings),
    )


def _check_counts(suppressed: UntrustedObject, silenced: Sequence[ReportedSuppression]) -> None:
    """Raise ValueError if a report's counts differ from its lists."""
    for by in _KINDS:
        number = sum(one.by == by for one in silenced)
        if suppressed.whole(by, 0) != number:
            raise suppressed.fault(by, f"{number}, which is how many the report lists")


_KINDS = ("comment", "baseline", "flint_toml")


def _coverage(found: UntrustedObject) -> Coverage:
    files = found.items("files")
    if not all(isinstance(path, str) for path in files):
        raise found.fault("files", "a list of paths")
    read = frozenset(checked_path(path) for path in files)
    if found.whole("read", 0) != len(read):
        raise found.fault("read", f"{len(read)}, which is how many files the report lists")
    skipped = found.each("skipped", _skipped)
    unread = (*found.each("unreadable", _file), *(file for file, is_unread in skipped if is_unread))
    left_out = {file.path: file.reason for file, _ in skipped}
    return Coverage(read, unread, left_out, dict(found.each("documents", _document)))


def _document(found: UntrustedObject) -> tuple[tuple[str, str | None], ReportedDocument]:
    unknown = found.items("unknown")
    if not all(isinstance(key, str) for key in unknown):
        raise found.fault("unknown", "a list of keys")
    document = ReportedDocument(
        found.optional("unjudged", LONGEST_BESIDE), frozenset(unknown), found.whole("inserted", 0, missing=0)
    )
    return (found.path("path"), found.optional("document", LONGEST_BESIDE)), document


def _skipped(found: UntrustedObject) -> tuple[ReportedFile, bool]:
    return _file(found), found.flag("unread")


def _file(found: UntrustedObject) -> ReportedFile:
    return ReportedFile(found.path("path"), found.text("reason", LONGEST_BESIDE), found.whole("findings", 0, missing=0))


def _digest(found: UntrustedObject) -> tuple[str, str]:
    return found.text("path", LONGEST_PATH), found.word("sha256", _SHA256, "64 hexadecimal digits")


def _suppression(found: UntrustedObject) -> ReportedSuppression:
    by = found.text("by")
    if by not in _KINDS:
        raise found.fault("by", f"one of {', '.join(_KINDS)}")
    at, finding = found.inner("at"), found.maybe("finding")
    return ReportedSuppression(
        code=found.word("code", CODE, "a code like FLK101"),
        path=found.path("path"),
        line=found.whole("line", 1),
        document=found.optional("document", LONGEST_BESIDE),
        key=found.optional("key", LONGEST_BESIDE),
        by=by,
        at_path=at.text("path", LONGEST_PATH),
        at_line=at.whole("line", 0),
        reason=found.text("reason", LONGEST_BESIDE),
        finding=None if finding is None else read_finding(finding),
    )


def _comparison(found: UntrustedObject) -> ReportedComparison:
    return ReportedComparison(
        revision=found.text("revision", LONGEST_BESIDE),
        settings=found.each("settings", _settings_change),
        hidden=found.whole("hidden", 0),
        newly_suppressed=found.each("newly_suppressed", _suppression),
        no_longer_read=found.each("no_longer_read", _file),
        unreadable=found.each("unreadable", _file),
        moved=found.each("moved", _move),
        fixed=found.each("fixed", read_finding),
        remaining=found.each("remaining", read_finding),
        deployments=found.each("deployments", _deployment),
    )


def _settings_change(found: UntrustedObject) -> ReportedFile:
    change = found.text("change")
    if change not in ("added", "changed", "removed"):
        raise found.fault("change", "added, changed or removed")
    return ReportedFile(found.path("path"), change)


def _move(found: UntrustedObject) -> ReportedMove:
    return ReportedMove(found.path("from"), found.path("to"), found.whole("findings", 0))


def _deployment(found: UntrustedObject) -> Deployment:
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


def _size(found: UntrustedObject, part: str) -> int | None:
    return None if found.number(part) is None else found.whole(part, 0)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")

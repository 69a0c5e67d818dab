"""The JSON contract: one object per run, with every finding, its locations and its fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any

from flink_flint.linter import __version__
from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.comparison_result import Comparison, Unjudged
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.flink.secret_places import name_without_secrets
from flink_flint.linter.formats.unknown_values import NO_TEXT, insertions, is_no_text, unknown_keys
from flink_flint.linter.model.document import Document, passed_over
from flink_flint.linter.model.finding import Excerpt, Finding, Located, LocatedEdit
from flink_flint.linter.model.safe_text import neutral
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.output import Context
from flink_flint.linter.output.json_indent import indented
from flink_flint.linter.output.memory.derived_memory import derive, memory_object
from flink_flint.linter.output.repository_paths import documents_of
from flink_flint.linter.text.spans import Position

VERSION = 1
"""The version of the contract for JSON reports; incremented on breaking changes."""

_MAX_BEFORE = 20
"""The maximum number of lines a fix may touch for them to be included."""


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the report as one indented JSON object."""
    document = {
        "version": VERSION,
        "flint": __version__,
        "files": report.files,
        "findings": list(finding_objects(report)),
        "deployments": [_deployment(one) for one in report.documents if one.document.whole],
    }
    document |= {
        "suppressed": report.suppressed,
        "coverage": {**coverage_object(report), "documents": _documents(report)},
        "silenced": [_silenced(one) for one in report.silenced],
        "settings": _settings(report),
    }
    if report.comparison is not None:
        document["comparison"] = _comparison(report.comparison)
    if report.problems:
        document["unread"] = [problem.path for problem in report.problems]
    if context.statistics:
        document["statistics"] = _statistics(report)
    yield indented(document) + "\n"


def _statistics(report: Report) -> dict[str, int]:
    counts: dict[str, int] = {}
    for finding in report.findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1
    return dict(sorted(counts.items()))


def coverage_object(report: Report) -> dict[str, Any]:
    """Return the JSON contract's `coverage`: the files that were read, and those that were not, with the reasons."""
    return {
        "read": len(report.paths),
        "files": sorted(report.paths),
        "skipped": [{"path": one.path, "reason": one.reason, "unread": one.is_unread} for one in report.skipped],
        "unreadable": [{"path": one.path, "reason": one.message} for one in report.problems],
    }


def _documents(report: Report) -> list[dict[str, Any]]:
    """Return what was read of each document, and which values are unknown."""
    files: dict[str, list[Document]] = {}
    for one in report.documents:
        files.setdefault(one.document.path, []).append(one.document)
    return [
        {
            "path": path,
            "document": one.name and neutral(name_without_secrets(one.name)),
            "unjudged": _why_unjudged(one),
            "unknown": [neutral(key) for key in unknown_keys(one)],
            "inserted": inserted,
        }
        for path, documents in files.items()
        for inserted in (insertions(documents),)
        for one in documents
    ]


def _why_unjudged(document: Document) -> str | None:
    """Return why a document was not fully checked: it is refused, not understood, or limits skipped something."""
    if is_no_text(document):
        return NO_TEXT
    refusals = (mask_of(document)(one.message) for one in document.refusals if one.reason != "template")
    return next(iter((*refusals, *document.budget.reasons, *passed_over(document))), None)


def _silenced(silenced: Silenced) -> dict[str, Any]:
    """Return what suppresses a finding, with the finding's identity."""
    finding = silenced.finding
    return {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity.word,
        "path": finding.path,
        "line": finding.where.start.line,
        "document": finding.document,
        "key": finding.key,
        "fingerprint": finding.fingerprint,
        "by": silenced.by,
        "at": {"path": silenced.path, "line": silenced.line},
        "reason": silenced.reason,
    }


def _settings(report: Report) -> list[dict[str, str]]:
    """Return the configuration files used for checking; the digest shows whether another report used the same."""
    from hashlib import sha256

    files = {one.settings.shown_path: one.settings.values for one in report.documents if one.settings.path is not None}
    return [
        {"path": path, "sha256": sha256(dumps(values, sort_keys=True, default=str).encode()).hexdigest()}
        for path, values in sorted(files.items())
    ]


def _comparison(comparison: Comparison) -> dict[str, Any]:
    """Return the effects of a change apart from its new findings, which are those of the report."""

    def unjudged(rows: Sequence[Unjudged]) -> list[dict[str, Any]]:
        return [{"path": one.path, "reason": one.reason, "findings": one.findings} for one in rows]

    return {
        "revision": comparison.revision,
        "base": comparison.base,
        "settings": [{"path": one.path, "change": one.what} for one in comparison.settings],
        "hidden": comparison.hidden,
        "newly_suppressed": [
            {**_silenced(one), "finding": _finding(one.finding, {})} for one in comparison.newly_suppressed
        ],
        "no_longer_read": unjudged(comparison.no_longer_read),
        "unreadable": unjudged(comparison.unreadable),
        "moved": [{"from": one.old, "to": one.new, "findings": one.findings} for one in comparison.moved],
        "fixed": [_finding(one, {}) for one in comparison.fixed],
        "remaining": [_finding(one, {}) for one in comparison.remaining],
        "deployments": [_deployment(one) for one in comparison.before if one.document.whole],
    }


def finding_objects(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the findings as objects of the JSON contract."""
    files = documents_of(report)
    for finding in report.findings:
        yield _finding(finding, files)


def _finding(finding: Finding, files: Mapping[str, Sequence[Document]]) -> dict[str, Any]:
    fix = None
    if finding.fix is not None and finding.edits:
        fix = {
            "safety": "safe" if finding.fix.safe else "unsafe",
            "doubt": finding.fix.doubt or None,
            "title": finding.fix.title,
            "edits": [
                {"path": edit.path, "start": _position(edit.start), "end": _position(edit.end), "text": edit.text}
                for edit in finding.edits
            ],
            "before": _before(finding.edits, files),
        }
    return {
        "code": finding.code,
        "rule": finding.rule,
        "family": finding.family,
        "severity": finding.severity.word,
        "confidence": finding.confidence.word,
        "message": finding.message,
        "help": finding.help,
        "note": finding.note,
        "url": finding.url,
        "path": finding.path,
        "start": _position(finding.where.start),
        "end": _position(finding.where.end),
        "document": finding.document and neutral(finding.document),
        "key": finding.key and neutral(finding.key),
        "flink_version": finding.flink_version,
        "fingerprint": finding.fingerprint,
        "measure": finding.measure,
        "excerpt": _excerpt(finding.where.excerpt),
        "related": [_related(place) for place in finding.located],
        "evidence": finding.evidence,
        "fix": fix,
    }


def _excerpt(excerpt: Excerpt) -> dict[str, Any]:
    """Return the lines to show, secrets masked; `start` and `end` are the columns to underline in the first and
    last."""
    return {
        "line": excerpt.line,
        "lines": list(excerpt.lines),
        "start": excerpt.start + 1,
        "end": excerpt.end + 1,
    }


def _before(edits: Sequence[LocatedEdit], files: Mapping[str, Sequence[Document]]) -> dict[str, Any] | None:
    """Return the current text of the lines that edits touch; None if in several files, too many, or with secrets."""
    documents = files.get(edits[0].path)
    if documents is None or any(edit.path != edits[0].path for edit in edits):
        return None
    first = min(edit.start.line for edit in edits)
    last = max(max(edit.start.line, edit.end.line - (edit.end.column == 1)) for edit in edits)
    if last - first >= _MAX_BEFORE:
        return None
    text, mask = documents[0].text, mask_of(*documents)
    spans = [documents[0].lines.span(number) for number in range(first, last + 1)]
    if any(mask.hides(text[span.start : span.end], span) for span in spans):
        return None
    return {"line": first, "lines": [text[span.start : span.end] for span in spans]}


def _deployment(judged: Judged) -> dict[str, Any]:
    """Return a whole document with the memory of its processes."""
    derived = derive(judged.document, judged.target, judged.relation)
    return {
        "path": judged.document.path,
        "document": judged.document.name and neutral(name_without_secrets(judged.document.name)),
        "flink_version": str(derived.configuration.release),
        "memory": memory_object(derived.processes),
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}


def _related(place: Located) -> dict[str, Any]:
    return {
        "path": place.path,
        "start": _position(place.start),
        "end": _position(place.end),
        "message": place.message,
    }

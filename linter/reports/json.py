"""The JSON contract: one object for the run, every finding with its places and its fix."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from linter import __version__
from linter.engine import Report
from linter.finding import Finding, Located
from linter.reports import Context
from linter.text import Position

VERSION = 1
"""Rises when a reader of the contract would break."""


def render(report: Report, context: Context) -> Iterator[str]:
    """One indented object."""
    document = {
        "version": VERSION,
        "flint": __version__,
        "files": report.files,
        "findings": [finding_object(finding) for finding in report.findings],
    }
    if context.statistics:
        document["statistics"] = _statistics(report)
    yield json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _statistics(report: Report) -> dict[str, int]:
    counts: dict[str, int] = {}
    for finding in report.findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1
    return dict(sorted(counts.items()))


def finding_object(finding: Finding) -> dict[str, Any]:
    """A finding as the contract has it."""
    fix = None
    if finding.fix is not None and finding.edits:
        fix = {
            "safety": "safe" if finding.fix.safe else "unsafe",
            "title": finding.fix.title,
            "edits": [
                {"path": edit.path, "start": _position(edit.start), "end": _position(edit.end), "text": edit.text}
                for edit in finding.edits
            ],
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
        "document": finding.document,
        "key": finding.key,
        "flink_version": finding.flink_version,
        "fingerprint": finding.fingerprint,
        "related": [_related(place) for place in finding.located],
        "evidence": finding.evidence,
        "fix": fix,
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

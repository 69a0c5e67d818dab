"""GitLab's Code Quality report: a list of issues, each with a unique fingerprint.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format documents the fields. GitLab only shows the
description, so it contains the code, and shows one issue per fingerprint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.output import Context
from flink_flint.linter.output.json_stream import array_parts
from flink_flint.linter.output.repository_paths import Paths, last_line

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the findings as one JSON list, one issue per line."""
    yield from array_parts(_issues(report))
    yield "\n"


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    paths = Paths()
    seen: set[str] = set()
    for finding in report.findings:
        fingerprint = _unique(finding, seen)
        seen.add(fingerprint)
        where = finding.where
        yield {
            "description": f"{finding.code} {finding.rule}: {finding.message}",
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {
                "path": paths(finding.path),
                "lines": {"begin": where.start.line, "end": last_line(where.start, where.end)},
            },
        }


def _unique(finding: Finding, seen: set[str]) -> str:
    """Return the finding's fingerprint, or a derived one if an earlier issue has the same."""
    from hashlib import sha256

    fingerprint = finding.fingerprint
    while fingerprint in seen:
        fingerprint = sha256(fingerprint.encode()).hexdigest()[:32]
    return fingerprint

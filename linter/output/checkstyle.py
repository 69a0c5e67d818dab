"""Checkstyle's XML format, which many build servers read: files with their errors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.output import Context
from flink_flint.linter.output.repository_paths import slashes
from flink_flint.linter.output.xml_text import DECLARATION, opening

VERSION = "4.3"
"""The version of the Checkstyle report format, named after the Checkstyle release that introduced it."""


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the files with findings, then those that could not be read."""
    yield DECLARATION + opening("checkstyle", {"version": VERSION}) + ">\n"
    for path, findings in groupby(report.findings, lambda finding: finding.path):
        yield "  " + opening("file", {"name": slashes(path)}) + ">\n"
        for finding in findings:
            attributes = {
                "line": finding.where.start.line,
                "column": finding.where.start.column,
                "severity": finding.severity.word,
                "message": finding.message + (f"; {finding.help}" if finding.help else ""),
                "source": f"flint.{finding.code}",
            }
            yield "    " + opening("error", attributes) + "/>\n"
        yield "  </file>\n"
    for problem in report.problems:
        yield "  " + opening("file", {"name": slashes(problem.path)}) + ">\n"
        attributes = {"line": 1, "severity": "error", "message": problem.message, "source": "flint.unreadable"}
        yield "    " + opening("error", attributes) + "/>\n"
        yield "  </file>\n"
    yield "</checkstyle>\n"

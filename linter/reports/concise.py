"""One line a finding: `path:line:column: severity[CODE] message`."""

from __future__ import annotations

from collections.abc import Iterator

from linter.engine import Report
from linter.reports import Context
from linter.reports.full import compared_first, summary
from linter.reports.style import BOLD, Style, one_line


def render(report: Report, context: Context) -> Iterator[str]:
    """The findings, then the summary."""
    style = Style(context.color)
    yield from compared_first(report, style)
    for finding in report.findings:
        where = finding.where
        place = style.paint(BOLD, one_line(where.path)) + f":{where.start.line}:{where.start.column}:"
        label = style.severity(finding.severity, f"{finding.severity.word}[{finding.code}]")
        yield f"{place} {label} {finding.message}\n"
    yield from summary(report, context)

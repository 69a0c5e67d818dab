"""One line per finding: `path:line:column: severity[CODE] message`."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.output import Context
from flink_flint.linter.output.full import compared_first, summary
from flink_flint.linter.output.terminal_style import BOLD, Style


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the findings, then the summary."""
    style = Style(context.color)
    yield from compared_first(report, style)
    for finding in report.findings:
        where = finding.where
        place = style.paint(BOLD, neutral_line(where.path)) + f":{where.start.line}:{where.start.column}:"
        label = style.severity(finding.severity, f"{finding.severity.word}[{finding.code}]")
        yield f"{place} {label} {neutral_line(finding.message)}\n"
    yield from summary(report, context)

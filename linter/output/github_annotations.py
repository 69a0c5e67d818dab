"""GitHub Actions workflow commands: annotations on the lines of a pull request.

GitHub shows ten annotations per step and silently drops the others
(https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions documents the commands), so the ten
most severe are annotated, a notice counts the rest, and the log lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.output import Context
from flink_flint.linter.output.change_summary import first_lines, shortened
from flink_flint.linter.output.full import summary
from flink_flint.linter.output.repository_paths import Paths, last_line
from flink_flint.linter.output.terminal_style import counted

MAX_ANNOTATIONS = 10

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the annotations, the most severe first, then the remaining findings, then the summary."""
    paths = Paths()
    findings = sorted(report.findings, key=lambda finding: -finding.severity)
    first = list(_compared(report))
    yield from first
    room = MAX_ANNOTATIONS - len(first)
    for finding in findings[:room]:
        yield _annotation(finding, paths)
    if cut := findings[room:]:
        yield _notice(cut)
        yield f"::group::flint: {counted(cut)} more\n"
        for finding in cut:
            place = f"{paths(finding.path)}:{finding.where.start.line}:{finding.where.start.column}"
            yield _plain(f"- {place}: {finding.severity.word}[{finding.code}] {finding.message}") + "\n"
        yield "::endgroup::\n"
    yield from summary(report, context._replace(color=False))


def _compared(report: Report) -> Iterator[str]:
    """Yield an annotation for each kind of what a change hides; they come before the findings."""
    if report.comparison is None:
        return
    kinds: dict[str, list[str]] = {}
    for line in shortened(first_lines(report.comparison)):
        kinds.setdefault(line.kind, []).append(f"{line.place}: {line.text}")
    for kind, lines in kinds.items():
        yield f"::warning title={_property(f'flint: {kind}')}::{_data(chr(10).join(lines))}\n"


def _annotation(finding: Finding, paths: Paths) -> str:
    where = finding.where
    properties = {
        "title": f"{finding.code} {finding.rule}",
        "file": paths(finding.path),
        "line": where.start.line,
        "endLine": last_line(where.start, where.end),
    }
    # GitHub rejects columns in an annotation that spans several lines.
    if where.start.line == where.end.line:
        properties |= {"col": where.start.column, "endColumn": where.end.column}
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    text = "\n".join(part for part in (finding.message, finding.help, finding.note) if part)
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(text)}\n"


def _notice(cut: Sequence[Finding]) -> str:
    text = f"{counted(cut)} more without an annotation: GitHub shows {MAX_ANNOTATIONS} per step; the log lists them all"
    return f"::notice title=flint::{_data(text)}\n"


def _data(text: str) -> str:
    """Escape the text of a command; a line end would begin a new line, which may be another command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a command, which ends at a comma or a colon."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _plain(text: str) -> str:
    """Return a log line that no runner interprets as a command: a single line without the old `##[` marker."""
    return neutral_line(text).replace("##[", "## [")

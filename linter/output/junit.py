"""JUnit's XML format: a suite per file and a failed test per finding, for build servers."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.output import Context
from flink_flint.linter.output.repository_paths import slashes
from flink_flint.linter.output.xml_text import DECLARATION, content, opening


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield one suite per file; a file without findings is a passed test, an unreadable one an error."""
    files: dict[str, list[Finding]] = {one.document.path: [] for one in report.documents}
    for finding in report.findings:
        files.setdefault(finding.path, []).append(finding)
    clean = sum(not findings for findings in files.values())
    tests = len(report.findings) + clean + len(report.problems)
    totals = {"tests": tests, "failures": len(report.findings), "errors": len(report.problems)}
    yield DECLARATION + opening("testsuites", {"name": "flint", **totals}) + ">\n"
    for path, findings in files.items():
        counts = {"tests": len(findings) or 1, "failures": len(findings), "errors": 0}
        yield "  " + opening("testsuite", {"name": slashes(path), **counts}) + ">\n"
        if not findings:
            yield "    " + opening("testcase", {"name": "flint", "classname": slashes(path)}) + "/>\n"
        for finding in findings:
            yield from _test(finding)
        yield "  </testsuite>\n"
    for problem in report.problems:
        path = slashes(problem.path)
        yield "  " + opening("testsuite", {"name": path, "tests": 1, "failures": 0, "errors": 1}) + ">\n"
        yield "    " + opening("testcase", {"name": "flint", "classname": path}) + ">\n"
        yield "      " + opening("error", {"type": "unreadable", "message": problem.message}) + "/>\n"
        yield "    </testcase>\n  </testsuite>\n"
    yield "</testsuites>\n"


def _test(finding: Finding) -> Iterator[str]:
    path, start = slashes(finding.path), finding.where.start
    name = f"{finding.code} {finding.rule} ({start.line}:{start.column})"
    lines = [f"{path}:{start.line}:{start.column}: {finding.message}", finding.help, finding.note, finding.url]
    yield "    " + opening("testcase", {"name": name, "classname": path}) + ">\n"
    yield "      " + opening("failure", {"type": finding.severity.word, "message": finding.message}) + ">"
    yield content("\n".join(line for line in lines if line)) + "</failure>\n"
    yield "    </testcase>\n"

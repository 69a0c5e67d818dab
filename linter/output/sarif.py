"""SARIF 2.1.0, for GitHub code scanning, viewers in editors, and reviewdog.

The standard: https://docs.oasis-open.org/sarif/sarif/v2.1.0/. What GitHub supports, and its limits:
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flink_flint.linter import __version__
from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.model.finding import Confidence, Finding, Located, Severity
from flink_flint.linter.model.safe_text import neutral
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.output import HOME, Context
from flink_flint.linter.output.change_summary import first_lines
from flink_flint.linter.output.json_report import coverage_object
from flink_flint.linter.output.json_stream import object_parts
from flink_flint.linter.output.repository_paths import Paths, Range, documents_of, uri, without_mark
from flink_flint.linter.output.suggestions import suggestion, visible
from flink_flint.linter.output.terminal_style import count
from flink_flint.linter.text.spans import Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

MAX_RESULTS = 25_000
"""The maximum number of results in a run of a SARIF report; GitHub rejects more."""
_MAX_CHARACTERS = 1_024
"""The longest description; GitHub rejects longer ones."""

_ROOT = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_SECURITY_SEVERITIES = {Severity.ERROR: "8.0", Severity.WARNING: "5.5", Severity.INFO: "3.0"}
"""Security severities on the CVSS scale; GitHub calls those above 7 high, above 4 medium and the rest low."""


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield a SARIF log with a single run, one result per line."""
    run = _Run(report)
    yield f'{{"$schema":"{SCHEMA}","version":"2.1.0","runs":['
    yield from object_parts(run.fields(), "results", run.results())
    yield "]}\n"


class _Run:
    """A run being written, which numbers its files and rules."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.documents = documents_of(report)
        self.paths = Paths()
        self.findings = _worst(report.findings)
        self.artifacts = {path: number for number, path in enumerate(self.documents)}
        quiet = report.comparison.newly_suppressed if report.comparison is not None else ()
        self.examples = [*self.findings, *(one.finding for one in quiet)]
        codes = sorted({finding.code for finding in self.examples})
        self.rules = {code: number for number, code in enumerate(codes)}

    def fields(self) -> dict[str, Any]:
        """Return the properties of the run apart from its results."""
        examples = {finding.code: finding for finding in reversed(self.examples)}
        return {
            "tool": {
                "driver": {
                    "name": "flint",
                    "informationUri": HOME,
                    "version": __version__,
                    "semanticVersion": __version__,
                    "rules": [_rule(examples[code]) for code in self.rules],
                }
            },
            "automationDetails": {"id": "flint/configuration/"},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository"}}},
            "artifacts": [{"location": self._address(path), "roles": ["analysisTarget"]} for path in self.artifacts],
            "invocations": [self._invocation()],
            "properties": {"suppressed": self.report.suppressed, "coverage": coverage_object(self.report)},
        }

    def results(self) -> Iterator[dict[str, Any]]:
        """Yield the findings as results."""
        yield from map(self._result, self.findings)
        if self.report.comparison is not None:
            yield from map(self._suppressed, self.report.comparison.newly_suppressed)

    def _suppressed(self, silenced: Silenced) -> dict[str, Any]:
        """Return a finding that the change suppresses, so that reviewers see it."""
        suppression: dict[str, Any] = {"kind": "inSource"}
        if silenced.reason:
            suppression["justification"] = silenced.reason
        if silenced.span is not None:
            suppression["location"] = self._span(silenced.path, silenced.span)
        return {**self._result(silenced.finding), "suppressions": [suppression]}

    def _span(self, path: str, span: Span) -> dict[str, Any]:
        lines = self.documents[path][0].lines
        region = _region(without_mark(lines, lines.position(span.start), lines.position(span.end)))
        return {"physicalLocation": {"artifactLocation": self._artifact(path), "region": region}}

    def _invocation(self) -> dict[str, Any]:
        report = self.report
        notifications = [_notification(one.message, self._file(one.path)) for one in report.problems]
        notifications += [
            _notification(one.reason, self._file(one.path)) | {"level": "warning" if one.is_unread else "note"}
            for one in report.skipped
        ]
        if report.comparison is not None:
            notifications += [
                _notification(f"{line.kind}: {line.place}: {line.text}", self._file(line.path)) | {"level": "warning"}
                for line in first_lines(report.comparison)
            ]
        crashes = [one for one in report.findings if one.rule == "internal-error"]
        notifications += [_notification(one.message, self._location(one.where)) for one in crashes]
        if report.crashed and not crashes:
            notifications.append(_notification("A rule failed, so that its findings are missing"))
        if cut := len(report.findings) - len(self.findings):
            kept = Counter(finding.severity for finding in self.findings)
            missing = Counter(finding.severity for finding in report.findings) - kept
            words = ", ".join(f"{number} {severity.word}" for severity, number in sorted(missing.items(), reverse=True))
            text = f"{count(cut, 'result')} left out ({words}): a run has at most {MAX_RESULTS}, the most severe"
            notifications.append(_notification(text) | {"level": "warning"})
        invocation: dict[str, Any] = {"executionSuccessful": not (report.problems or report.crashed)}
        return invocation | ({"toolExecutionNotifications": notifications} if notifications else {})

    def _result(self, finding: Finding) -> dict[str, Any]:
        result: dict[str, Any] = {
            "ruleId": finding.code,
            "ruleIndex": self.rules[finding.code],
            "level": _LEVELS[finding.severity],
            "message": {"text": _message(finding)},
            "locations": [self._location(finding.where)],
            # GitHub recognizes its alerts by the first fingerprint; the second describes the contents.
            "partialFingerprints": {
                "primaryLocationLineHash": finding.fingerprint,
                "findingIdentity/v1": finding.fingerprint,
            },
        }
        if finding.located:
            result["relatedLocations"] = [
                {"id": number, **self._location(place)}
                | ({"message": {"text": place.message}} if place.message else {})
                for number, place in enumerate(finding.located, 1)
            ]
        if fix := self._fix(finding):
            result["fixes"] = [fix]
        properties = {
            "confidence": finding.confidence.word,
            "document": finding.document and neutral(finding.document),
            "key": finding.key and neutral(finding.key),
            "flinkVersion": finding.flink_version,
        }
        result["properties"] = {name: value for name, value in properties.items() if value}
        return result

    def _fix(self, finding: Finding) -> dict[str, Any] | None:
        documents = self.documents[finding.path]
        edit = suggestion(finding, documents)
        if edit is None or finding.fix is None:
            return None
        edit = visible(edit, documents)
        lines = documents[0].lines
        region = _region(without_mark(lines, lines.position(edit.span.start), lines.position(edit.span.end)))
        replacement: dict[str, Any] = {"deletedRegion": region}
        if edit.text:
            replacement["insertedContent"] = {"text": edit.text}
        return {
            "description": {"text": finding.fix.described},
            "artifactChanges": [{"artifactLocation": self._artifact(finding.path), "replacements": [replacement]}],
        }

    def _location(self, place: Located) -> dict[str, Any]:
        lines = self.documents[place.path][0].lines
        region = _region(without_mark(lines, place.start, place.end))
        return {"physicalLocation": {"artifactLocation": self._artifact(place.path), "region": region}}

    def _file(self, path: str) -> dict[str, Any]:
        return {"physicalLocation": {"artifactLocation": self._address(path)}}

    def _artifact(self, path: str) -> dict[str, Any]:
        """Return the location of a file of the run, with its index."""
        return {**self._address(path), "index": self.artifacts[path]}

    def _address(self, path: str) -> dict[str, Any]:
        address = uri(self.paths(path))
        return {"uri": address} if address.startswith("file:") else {"uri": address, "uriBaseId": _ROOT}


def _worst(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings in order; if there are too many, the most severe ones."""
    if len(findings) <= MAX_RESULTS:
        return findings
    return sorted(findings, key=lambda finding: -finding.severity)[:MAX_RESULTS]


def _region(range_: Range) -> dict[str, int]:
    start, end = range_
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _notification(text: str, location: Mapping[str, Any] | None = None) -> dict[str, Any]:
    notification: dict[str, Any] = {"level": "error", "message": {"text": text}}
    return notification | ({"locations": [location]} if location else {})


def _message(finding: Finding) -> str:
    """Return the message, whose first sentence GitHub uses as the title, and the help."""
    parts = [finding.message, finding.help, finding.note]
    return "\n".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part)


# -- rules


def _rule(finding: Finding) -> dict[str, Any]:
    """Return the rule of a finding, with its page."""
    declaration = registry().by_code.get(finding.code)
    severity = Severity(declaration.severity) if declaration else finding.severity
    confidence = Confidence(declaration.confidence) if declaration else finding.confidence
    summary = (declaration.summary if declaration else "") or finding.rule
    page = declaration.load().page if declaration else ""
    properties: dict[str, Any] = {
        "tags": list(dict.fromkeys(("flink", "configuration", finding.family.replace("_", "-") or "flint"))),
        "precision": confidence.word,
        "problem.severity": _PROBLEM_SEVERITIES[severity],
    }
    if finding.family == "security":
        properties["security-severity"] = _SECURITY_SEVERITIES[severity]
    described: dict[str, Any] = {
        "id": finding.code,
        "name": finding.rule,
        "shortDescription": {"text": _short(summary)},
        "fullDescription": {"text": _short(_section(page, "What it does") or summary)},
        "help": {"text": _section(page, "What to do") or summary, "markdown": page or summary},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": properties,
    }
    return described | ({"helpUri": finding.url} if finding.url else {})


def _section(page: str, title: str) -> str:
    """Return a section of a page as plain text, with each paragraph on one line."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    paragraphs = re.split(r"\n\s*\n|\n(?=- )", match[1].strip()) if match else []
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).replace("`", "")


def _short(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"

"""The reviewdog Diagnostic Format: a fix becomes a suggestion on a pull request.

Columns count bytes of UTF-8 from 1, ends are exclusive, and paths are as given: reviewdog runs in the same folder and
finds the repository root itself. Definition: `proto/rdf/reviewdog.proto` of github.com/reviewdog/reviewdog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.output import HOME, Context
from flink_flint.linter.output.json_stream import object_parts
from flink_flint.linter.output.repository_paths import documents_of, in_bytes, slashes
from flink_flint.linter.output.suggestions import suggestion
from flink_flint.linter.text.spans import Lines, Position

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the report as one JSON object, one diagnostic per line."""
    documents = documents_of(report)
    source = {"source": {"name": "flint", "url": HOME}}
    yield from object_parts(source, "diagnostics", (_diagnostic(one, documents) for one in report.findings))
    yield "\n"


def _diagnostic(finding: Finding, documents: Mapping[str, Sequence[Document]]) -> dict[str, Any]:
    lines = documents[finding.path][0].lines
    code = {"value": finding.code} | ({"url": finding.url} if finding.url else {})
    edit = suggestion(finding, documents[finding.path])
    diagnostic: dict[str, Any] = {
        "message": _message(finding, has_suggestion=edit is not None),
        "location": _location(finding.path, lines, finding.where.start, finding.where.end),
        "severity": _SEVERITIES[finding.severity],
        "code": code,
    }
    if edit is not None:
        start, end = lines.position(edit.span.start), lines.position(edit.span.end)
        diagnostic["suggestions"] = [{"range": _range(lines, start, end), "text": edit.text}]
    if finding.located:
        diagnostic["related_locations"] = [
            ({"message": place.message} if place.message else {})
            | {"location": _location(place.path, documents[place.path][0].lines, place.start, place.end)}
            for place in finding.located
        ]
    return diagnostic


def _message(finding: Finding, *, has_suggestion: bool) -> str:
    """Return the message with the help, and with the side effects of an unsafe fix that is suggested."""
    parts = [finding.message, finding.help, finding.note]
    if has_suggestion and finding.fix is not None and not finding.fix.safe:
        parts.append(f"The suggestion is not safe: {finding.fix.described}")
    return "\n".join(part for part in parts if part)


def _location(path: str, lines: Lines, start: Position, end: Position) -> dict[str, Any]:
    return {"path": slashes(path), "range": _range(lines, start, end)}


def _range(lines: Lines, start: Position, end: Position) -> dict[str, Any]:
    range_ = in_bytes(lines, start, end)
    return {"start": range_.start._asdict(), "end": range_.end._asdict()}

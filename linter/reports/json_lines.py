"""One JSON object a line and finding, for tools that read as they go."""

from __future__ import annotations

import json
from collections.abc import Iterator

from linter.engine import Report
from linter.reports import Context
from linter.reports.json import finding_object


def render(report: Report, context: Context) -> Iterator[str]:
    """Each finding on a line of its own."""
    for finding in report.findings:
        yield json.dumps(finding_object(finding), ensure_ascii=False, separators=(",", ":")) + "\n"

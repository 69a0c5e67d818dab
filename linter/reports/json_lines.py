"""One JSON object a line and finding, for tools that read as they go."""

from __future__ import annotations

import json
from collections.abc import Iterator

from linter.engine import Report
from linter.reports import Context
from linter.reports.json import finding_objects


def render(report: Report, context: Context) -> Iterator[str]:
    """Each finding on a line of its own."""
    for found in finding_objects(report):
        yield json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n"

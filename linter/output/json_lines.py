"""JSON Lines: one object per finding, for tools that process a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.output import Context
from flink_flint.linter.output.json_report import finding_objects


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield each finding as a JSON object on its own line."""
    for found in finding_objects(report):
        yield json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n"

"""The releases of connectors that the build of a script or program names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flink_flint.linter.model.release_evidence.connector_releases import connector_versions
from flink_flint.linter.model.view import View

ICEBERG = (
    *(
        f"org.apache.iceberg:iceberg-flink-runtime-{flink}"
        for flink in ("1.12", "1.13", "1.14", "1.15", "1.16", "1.17", "1.18", "1.19", "1.20", "2.0")
    ),
    "org.apache.iceberg:iceberg-flink-runtime",
    "org.apache.iceberg:iceberg-flink",
)
STARROCKS = ("com.starrocks:flink-connector-starrocks",)


def is_before(config: View, artifacts: Sequence[str], release: tuple[int, ...]) -> bool | None:
    """Return whether a connector is older than a release; None if the build does not say it, or names several."""
    found = {
        version < release
        for text in connector_versions(config.document.directory, config.document.text, artifacts)
        if (version := _version(text))
    }
    return found.pop() if len(found) == 1 else None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("_")[0].partition("-")[0]))

"""Builds history stores from the metrics in the test cases of rules (`linter.model.rule.Case.observed`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from flink_flint.linter.filesystem.writing import write_scratch
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.model.observed_summary import COLUMNS, NAME, holders_of, write_summary

UNTIL = 1_763_596_800_000
"""The time at which the histories generated for test cases end: midnight UTC on 2025-11-20, in epoch milliseconds."""
_FULL = {"samples": 20_160, "minutes": 20_160, "days": 14}
_ORDER = ("min", "p50", "p95", "p99", "max")
JOB, OPERATOR, PARALLELISM = "orders", "enrich", 4


def row_of(given: Any) -> list[float | None]:
    """Return a row of the summary for a metric given as statistics or as one value; gaps are filled from neighbors."""
    known: dict[str, Any] = dict(given) if isinstance(given, Mapping) else dict.fromkeys(_ORDER, given)
    filled: float | None = None
    for name in _ORDER:
        filled = known.setdefault(name, filled)
    for name in reversed(_ORDER):
        if known[name] is None:
            known[name] = filled
        filled = known[name]
    known.setdefault("mean", known["p50"])
    known.setdefault("last", known["p50"])
    known.setdefault("total", None)
    return [{**_FULL, **known}[name] for name in COLUMNS]


def cluster_of(observed: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cluster's entry in a history summary, built from the metrics of a test case."""
    cluster: dict[str, Any] = {"from": UNTIL - 14 * 86_400_000, "until": UNTIL, "metrics": {}, "jobs": {}}
    span = {"from": cluster["from"], "until": UNTIL}

    def job_of(name: str) -> dict[str, Any]:
        fresh = {"name": name, **span, "metrics": {}, "operators": {}}
        return cluster["jobs"].setdefault(sanitized(name), fresh)  # type: ignore[no-any-return]

    def operator_of(name: str) -> dict[str, Any]:
        fresh = {"name": name, "parallelism": PARALLELISM, "metrics": {}}
        return job_of(JOB)["operators"].setdefault(sanitized(name), fresh)  # type: ignore[no-any-return]

    for word, given in observed.items():
        metric, _, holder = word.partition(" @ ")
        if metric == "parallelism":
            operator_of(holder or OPERATOR)["parallelism"] = given
            continue
        kind = holders_of(metric)
        owner = cluster if kind is None else job_of(holder or JOB) if kind == "job" else operator_of(holder or OPERATOR)
        owner["metrics"][metric] = row_of(given)
    return cluster


def summary_of(**clusters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a history summary with an entry for each cluster, built from the metrics given for it."""
    made = {name: cluster_of(observed) for name, observed in clusters.items()}
    return {"flint": "0.1.0", "until": UNTIL, "clusters": made}


def write_store(folder: str | os.PathLike[str], **clusters: Mapping[str, Any]) -> str:
    """Write a history store with the metrics of the given clusters to `folder` and return the folder's path."""
    os.makedirs(folder, exist_ok=True)
    write_scratch(os.path.join(folder, NAME), write_summary(summary_of(**clusters)))
    return str(folder)

"""Writer for a store's small summary, which `flint check --history` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from flink_flint.calculators.history.metrics.vocabulary import is_counter
from flink_flint.calculators.history.pipeline.read_store import Observed, paths_of, read_groups, window_of
from flink_flint.calculators.history.samples import JOB, OPERATOR, TASK
from flink_flint.calculators.history.store.layout import SLICES, Manifest, Store
from flink_flint.calculators.history.store.spark_session import Piece, Start, run_pieces
from flink_flint.linter import __version__
from flink_flint.linter.model.observations import METRICS
from flink_flint.linter.model.observed_summary import NAME
from flink_flint.linter.model.observed_summary import write_summary as laid_out

DAYS = 14
"""The number of days that the summary covers, up to and including the last day in the store."""
_PIECES = 4


def write_summary(start: Start, store: Store, manifest: Manifest) -> None:
    """Rewrite a store's summary of its last 14 days."""
    days = window_of(manifest, DAYS)
    if not days:
        return
    paths = paths_of(store, manifest, days, "histograms")
    step = SLICES // _PIECES
    pieces: list[Piece] = [
        {"paths": paths, "slices": [first, first + step], "days": [days[0], days[-1]]}
        for first in range(0, SLICES, step)
    ]
    rows = [one["rows"] for one in run_pieces(start, pieces, summarize)]
    clusters: dict[str, Any] = {}
    for cluster, job, scope, operator, name, subtasks, metric, first, until, row in sorted(
        row for part in rows for row in part
    ):
        if not job and scope in (JOB, TASK, OPERATOR):
            continue  # belongs to a job without a name in its source
        held = clusters.setdefault(cluster, {"from": first, "until": until, "metrics": {}, "jobs": {}})
        holder = held
        if job:
            holder = held["jobs"].setdefault(
                job, {"name": job, "from": first, "until": until, "metrics": {}, "operators": {}}
            )
        for one in (held, holder):
            one["from"], one["until"] = min(one["from"], first), max(one["until"], until)
        if scope in (TASK, OPERATOR):
            holder = holder["operators"].setdefault(operator, {"name": name, "parallelism": 0, "metrics": {}})
            holder["parallelism"] = max(holder["parallelism"], subtasks)
        elif job:
            holder["name"] = name or job
        if f"{scope}/{metric}" in METRICS:
            holder["metrics"][f"{scope}/{metric}"] = row
    until = max((cluster["until"] for cluster in clusters.values()), default=0)
    store.write(NAME, laid_out({"flint": __version__, "until": until, "clusters": clusters}))


def summarize(piece: Piece) -> Iterator[Piece]:
    """Yield the summary rows for the slices of a piece of work; runs on an executor."""
    groups = read_groups(
        piece["paths"], (), range(*piece["slices"]), (piece["days"][0], piece["days"][1]), half_life=DAYS
    )
    yield {"rows": [_row(observed) for observed in groups.values()]}


def _row(observed: Observed) -> list[Any]:
    group = observed.group
    numbers: list[float | None] = [
        observed.samples, observed.minutes, observed.least, *(observed.percentile(p) for p in (0.5, 0.95, 0.99)),
        observed.peak, observed.mean, observed.last, _total(observed), len(observed.days),
    ]  # fmt: skip
    row = [None if number is None or not np.isfinite(number) else float(number) for number in numbers]
    return [
        group.cluster, group.job, group.scope, group.operator or group.task, observed.name, observed.series,
        group.metric, observed.first, observed.latest, row,
    ]  # fmt: skip


def _total(observed: Observed) -> float | None:
    """Return the growth of a counter; None for other metrics, whose sum is meaningless."""
    return observed.total if is_counter(observed.group.metric) else None

"""Observations made by hand, as a store would give them back."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flink_flint.calculators.history.pipeline.read_store import Observed, TimeSeries
from flink_flint.calculators.history.pipeline.reducing import Group
from flink_flint.calculators.history.recommend.current_configuration import CurrentConfiguration
from flink_flint.calculators.history.recommend.evidence import Evidence
from flink_flint.calculators.history.recommend.fill_inputs import Surroundings, Vertex
from flink_flint.calculators.history.samples import JOBMANAGER, OPERATOR, TASK, TASKMANAGER
from flink_flint.calculators.history.store.histogram import codes_of, merge
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

START = 1_763_596_800
"""2025-11-20, a Thursday, in seconds."""
SLOT = 300
CLUSTER = "prod"


def seen(
    metric: str,
    values: ArrayLike,
    *,
    scope: str = TASK,
    task: str = "map",
    operator: str = "",
    job: str = "orders",
    name: str = "",
    cluster: str = CLUSTER,
    step: int = 60,
    start: int = START,
    half_life: float = 2.0,
) -> Observed:
    """One metric: a row of values a subtask, a sample every `step` seconds."""
    table = np.atleast_2d(np.asarray(values, np.float64))
    times = start + np.arange(table.shape[1]) * step
    if scope in (JOBMANAGER, TASKMANAGER):
        job = task = ""
    task = task if scope in (TASK, OPERATOR) else ""
    slots = times // SLOT
    starts = np.flatnonzero(np.diff(slots, prepend=-1))
    lengths = np.diff(np.append(starts, len(slots)))
    means = np.add.reduceat(table, starts, axis=1) / lengths
    time_series = TimeSeries(
        times=slots[starts] * SLOT,
        steps=np.full(len(starts), SLOT, np.int32),
        min=np.minimum.reduceat(table, starts, axis=1).min(axis=0).astype(np.float32),
        max=np.maximum.reduceat(table, starts, axis=1).max(axis=0).astype(np.float32),
        mean=means.mean(axis=0).astype(np.float32),
        last=table[-1, starts + lengths - 1].astype(np.float32),
        top=means.max(axis=0).astype(np.float32),
        total=means.sum(axis=0).astype(np.float32),
        series=np.full(len(starts), len(table), np.int32),
    )
    days = times // 86_400
    held = np.unique(days)
    codes = codes_of(table.reshape(-1))
    weights = np.tile(np.exp2(-(days.max() - days) / half_life), len(table))
    return Observed(
        group=Group(cluster, job, scope, task, operator, metric),
        name=name or operator or task or job,
        days=held,
        counts=np.array([(days == day).sum() * len(table) for day in held]),
        sums=np.array([table[:, days == day].sum() for day in held]),
        mins=np.array([table[:, days == day].min() for day in held]),
        maxs=np.array([table[:, days == day].max() for day in held]),
        absent=0,
        series=len(table),
        slots=len(starts),
        first=int(times[0]) * 1000,
        latest=int(times[-1]) * 1000,
        last=float(table[-1, -1]),
        histogram=merge(codes, np.ones(codes.size)),
        decayed=merge(codes, weights),
        time_series=time_series,
    )


def evidence(*observed: Observed) -> Evidence:
    """What is known of one subject."""
    group = observed[0].group
    metrics = {one.group.metric: one for one in observed}
    return Evidence(group.cluster, group.job, group.scope, group.task, group.operator, observed[0].name, metrics)


def around(settings: dict[str, object] | None = None, *vertices: Vertex, release: str = "") -> Surroundings:
    """What is known besides metrics."""
    found = (parse_release(release) if release else None) or release_at(NEWEST)
    return Surroundings(CurrentConfiguration(settings or {}, found), vertices)

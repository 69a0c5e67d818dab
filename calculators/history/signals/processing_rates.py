"""True processing rates, and the skew of load between subtasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flink_flint.calculators.history.signals.time_steps import Floats, Instants, Line, Table, table_of
from flink_flint.calculators.history.signals.vertices import Vertex

MIN_BUSY = 50.0
"""The minimum busy time, in milliseconds per second (5 %), that is accurate enough to divide by."""
MIN_RATE = 1.0
"""The minimum mean rate of a task's subtasks, in records per second, for computing the skew of their load."""


def capacity(instants: Instants, vertex: Vertex) -> Iterator[Line]:
    """Yield a task's true processing rates, and the skew of load between its subtasks.

    ``trueProcessingRate`` = records per second / (busy time / 1000): what a subtask would process if it were always
    busy. ``trueProcessingRate.vertex`` = sum of the rates / the largest busy share, as in the autoscaler of the
    Kubernetes operator: with skew, the fullest subtask is the limit. ``busySkew`` and ``recordsSkew``: the largest
    subtask / the mean.
    """
    rate = vertex.metered(instants)
    found = vertex.lines.get("busyTimeMsPerSecond")
    busy = table_of(instants, found, settled=True) if found else None
    if busy is not None and rate is not None:
        shared = [subtask for subtask in rate.subtasks if subtask in busy.subtasks]
        rates = rate.values[[rate.subtasks.index(subtask) for subtask in shared]]
        works = busy.values[[busy.subtasks.index(subtask) for subtask in shared]]
        true = rates / np.where(works >= MIN_BUSY, works, np.nan) * 1000.0
        for subtask, values in zip(shared, true, strict=True):
            yield from instants.line(vertex.named("trueProcessingRate", subtask), values)
        if len(shared) == len(rate.subtasks) == len(busy.subtasks):
            whole = Table(shared, np.where(np.isfinite(rates), works, np.nan))
            largest = np.where(np.isfinite(whole.total()), whole.largest(), np.nan)
            largest = np.where(largest >= MIN_BUSY, largest, np.nan)
            yield from instants.line(vertex.named("trueProcessingRate.vertex"), rate.total() / largest * 1000.0)
    if busy is not None:
        yield from instants.line(vertex.named("busySkew"), _skew(busy, MIN_BUSY))
    if rate is not None:
        yield from instants.line(vertex.named("recordsSkew"), _skew(rate, MIN_RATE))


def _skew(table: Table, least: float) -> Floats:
    present = np.isfinite(table.values)
    mean = table.total() / np.where(present.sum(axis=0) > 1, present.sum(axis=0), np.nan)
    return np.asarray(table.largest() / np.where(mean > least, mean, np.nan))

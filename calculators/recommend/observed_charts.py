"""Charts of observations: a metric over time with bands, and by hour of the week."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    Unit,
    spell_duration,
)
from flink_flint.calculators.history.pipeline.read_store import Observed, TimeSeries
from flink_flint.calculators.pages.charts import HeatMap, NamedLine, SeriesChart
from flink_flint.linter.text.named_tuple import NamedTuple

Floats = NDArray[np.float64]

MAX_SLOTS = 240
"""The maximum number of time slots in a chart; the slots of a longer series are merged and shown with a band."""
_MIN_SLOTS = 6
"""The minimum number of merged slots for which percentiles are computed."""
_MIN_HOURS = 48
"""The minimum number of hours of the week with samples for a heat map."""
_HOUR, _WEEK = 3600, 168
_THURSDAY = 72
"""The hours from Monday to Thursday, the weekday of the epoch."""


class Shown(NamedTuple):
    """The title, the unit and the line statistic of a metric's chart."""

    title: str
    unit: Unit
    factor: float = 1.0
    """The factor that converts a value from Flink's unit to the base unit of `unit`."""
    column: str = "mean"
    """The statistic drawn as a line: the ``mean`` of all series, their ``total``, or the largest of them (``top``)."""


_RATE_OF = {
    "numRecordsInPerSecond.vertex.steady": "Records in, while it keeps up",
    "numRecordsOutPerSecond.vertex.steady": "Records out, while it keeps up",
    "numRecordsInPerSecond.vertex.catchup": "Records in, while it catches up",
    "numRecordsOutPerSecond.vertex.catchup": "Records out, while it catches up",
    "numRecordsInPerSecond.steady": "Records in, while it keeps up",
    "numRecordsOutPerSecond.steady": "Records out, while it keeps up",
    "numRecordsInPerSecond": "Records in",
    "numRecordsOutPerSecond": "Records out",
    "arrivalRate": "Records that arrive",
    "serviceRate": "Calls answered",
    "trueProcessingRate.vertex": "Records processed if always busy",
}
_KNOWN = {
    **{metric: Shown(title, PER_SECOND, 1.0, "total") for metric, title in _RATE_OF.items()},
    "trueProcessingRate": Shown("Records a subtask processes if always busy", PER_SECOND),
    "busyTimeMsPerSecond": Shown("Busy time of a subtask", FRACTION, 1e-3),
    "backPressuredTimeMsPerSecond": Shown("Backpressured time of a subtask", FRACTION, 1e-3),
    "inFlight": Shown("Calls in flight of a subtask", COUNT, 1.0, "top"),
    "inFlightTime": Shown("Time a call is in flight", SECONDS, 1e-3),
    "pendingRecords": Shown("Records waiting at the source", COUNT, 1.0, "total"),
    "records-lag-max": Shown("Records behind, the worst partition", COUNT, 1.0, "top"),
    "millisBehindLatest": Shown("Behind the newest record", SECONDS, 1e-3, "top"),
    "busySkew": Shown("Busiest subtask over the mean", NUMBER),
    "lastCheckpointDuration": Shown("Checkpoint duration", SECONDS, 1e-3),
    "lastCheckpointSize": Shown("Checkpoint size", BYTES),
    "lastCheckpointFullSize": Shown("State size of a checkpoint", BYTES),
    "numRestarts": Shown("Restarts", COUNT, 1.0, "top"),
    "heapLiveSet": Shown("Heap in use after collections", BYTES, 1.0, "top"),
    "gcTimeShare": Shown("Time in garbage collection", FRACTION),
    "Status.JVM.Memory.Heap.Used": Shown("Heap in use", BYTES, 1.0, "top"),
    "Status.JVM.Memory.Metaspace.Used": Shown("Metaspace in use", BYTES, 1.0, "top"),
    "Status.Flink.Memory.Managed.Used": Shown("Managed memory in use", BYTES, 1.0, "top"),
    "Status.Shuffle.Netty.RequestedMemoryUsage": Shown("Network memory requested", FRACTION, 1e-2, "top"),
    "checkpointAlignmentTime": Shown("Checkpoint alignment", SECONDS, 1e-9, "top"),
    "checkpointStartDelayNanos": Shown("Checkpoint start delay", SECONDS, 1e-9, "top"),
    "restartingTime": Shown("Time restarting", SECONDS, 1e-3),
    "numRunningJobs": Shown("Running jobs", COUNT, 1.0, "top"),
    "rocksdb.block-cache-usage": Shown("RocksDB block cache in use", BYTES, 1.0, "top"),
    "rocksdb.cur-size-all-mem-tables": Shown("RocksDB memtables", BYTES, 1.0, "top"),
}


def shown(metric: str) -> Shown:
    """Return the title, unit and line statistic of a metric's chart, derived from the name of an unknown metric."""
    if metric in _KNOWN:
        return _KNOWN[metric]
    if metric.endswith("PerSecond"):
        return Shown(metric, BYTES_PER_SECOND if metric.startswith("numBytes") else PER_SECOND, 1.0, "total")
    return Shown(metric, NUMBER)


def chart_of(observed: Observed, title: str = "", lines: Sequence[NamedLine] = ()) -> SeriesChart | None:
    """Return the chart of an observation over time; None if the store has no time series for it."""
    time_series = observed.time_series
    if time_series is None or not len(time_series.times):
        return None
    how = shown(observed.group.metric)
    line = column_of(observed)
    # A sum over subtasks has no samples, so its band comes from the slots that are merged into one.
    summed = how.column == "total" and observed.series > 1
    low, high = (line, line) if summed else (_values(time_series, "min", how), _values(time_series, "max", how))
    finite = np.isfinite(line)
    times, steps = time_series.times[finite].astype(np.float64), time_series.steps[finite].astype(np.float64)
    line, low, high = line[finite], low[finite], high[finite]
    if not len(line):
        return None
    figures = _figures_of_slots(line, how) if summed else _figures(observed, how)
    merged = _fewer(times, steps, line, low, high)
    banded = merged.inner_low is not None
    has_band = not summed or len(merged.line) < len(line)
    return SeriesChart(
        title=title or how.title,
        unit=how.unit,
        times=merged.times.tolist(),
        steps=merged.steps.tolist(),
        mid=merged.line.tolist(),
        low=merged.low.tolist() if has_band else (),
        high=merged.high.tolist() if has_band else (),
        inner_low=merged.inner_low.tolist() if merged.inner_low is not None else (),
        inner_high=merged.inner_high.tolist() if merged.inner_high is not None else (),
        lines=tuple(lines),
        legend=tuple(_legend(how, merged, has_band, banded, summed)),
        figures=figures,
    )


def column_of(observed: Observed) -> Floats:
    """Return the charted values of an observation in base units, one per time slot; empty without a time series."""
    how = shown(observed.group.metric)
    return np.empty(0) if observed.time_series is None else _values(observed.time_series, how.column, how)


def _values(time_series: TimeSeries, column: str, how: Shown) -> Floats:
    return np.asarray(getattr(time_series, column), np.float64) * how.factor


class _Merged(NamedTuple):
    times: Floats
    steps: Floats
    line: Floats
    low: Floats
    high: Floats
    inner_low: Floats | None
    inner_high: Floats | None


def _fewer(times: Floats, steps: Floats, line: Floats, low: Floats, high: Floats) -> _Merged:
    """Merge slots into at most `MAX_SLOTS`: means of the line, envelopes and percentiles of the bands."""
    if len(line) <= MAX_SLOTS:
        return _Merged(times, steps, line, low, high, None, None)
    width = (times[-1] + steps[-1] - times[0]) / MAX_SLOTS
    place = ((times - times[0]) / width).astype(np.int64)
    order = np.lexsort((line, place))
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    counts = np.diff(np.append(starts, len(place)))
    ends = starts + counts - 1
    ranked = line[order]
    inner = None, None
    if len(line) / len(starts) >= _MIN_SLOTS:
        inner = (
            ranked[starts + (0.05 * (counts - 1)).astype(int)],
            ranked[starts + np.ceil(0.95 * (counts - 1)).astype(int)],
        )
    return _Merged(
        times[starts],
        times[ends] + steps[ends] - times[starts],
        np.add.reduceat(line, starts) / counts,
        np.minimum.reduceat(low, starts),
        np.maximum.reduceat(high, starts),
        *inner,
    )


_LINES = {"mean": "mean", "top": "the largest", "total": "all subtasks"}


def _legend(how: Shown, merged: _Merged, has_band: bool, banded: bool, summed: bool) -> list[tuple[str, str]]:
    width = spell_duration(float(np.median(merged.steps)))
    found = [("mid", f"{_LINES[how.column]}, every {width}" if summed or how.column != "total" else f"mean of {width}")]
    if banded:
        found.append(("inner", "p5 to p95"))
    if has_band:
        found.append(("band", "minimum to maximum"))
    return found


def _figures(observed: Observed, how: Shown) -> tuple[tuple[str, str], ...]:
    shares = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    found = [(name, how.unit.spell(_rounded(observed.percentile(share) * how.factor, how))) for name, share in shares]
    return (*found, ("largest", how.unit.spell(_rounded(observed.peak * how.factor, how))))


def _figures_of_slots(line: Floats, how: Shown) -> tuple[tuple[str, str], ...]:
    shares = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("largest", 1.0))
    return tuple((name, how.unit.spell(_rounded(float(np.quantile(line, share)), how))) for name, share in shares)


def _rounded(value: float, how: Shown) -> float:
    """Return a percentile, rounded to a whole number for counts if it is within a bucket of 1 % of one."""
    if how.unit is COUNT and math.isfinite(value) and abs(value - round(value)) <= 0.01 * abs(value):
        return float(round(value))
    return float(f"{value:.4g}")


def heat_map_of(observed: Observed, title: str) -> HeatMap | None:
    """Return a heat map of the mean at each hour of the week; None if too few hours have samples."""
    time_series = observed.time_series
    if time_series is None:
        return None
    how = shown(observed.group.metric)
    line = column_of(observed)
    finite = np.isfinite(line)
    hours = ((time_series.times[finite] // _HOUR + _THURSDAY) % _WEEK).astype(np.int64)
    weights = time_series.steps[finite].astype(np.float64)
    held = np.bincount(hours, weights=weights, minlength=_WEEK)
    if int((held > 0).sum()) < _MIN_HOURS:
        return None
    sums = np.bincount(hours, weights=weights * line[finite], minlength=_WEEK)
    cells: list[float | None] = [
        float(total / weight) if weight else None for total, weight in zip(sums, held, strict=True)
    ]
    return HeatMap(title, how.unit, tuple(tuple(cells[day * 24 : day * 24 + 24]) for day in range(7)))


def line_of(name: str, value: Any, kind: str) -> list[NamedLine]:
    """Return a list with a horizontal line called `name` at `value`; empty if `value` is not a number."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return [NamedLine(name, float(value), kind)] if usable else []

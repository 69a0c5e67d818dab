"""Reader for a store: the histogram, days and time series of each metric of a job, task, operator or cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flink_flint.calculators.history.pipeline.reducing import Group
from flink_flint.calculators.history.pipeline.staging import DAY_MS, read_slices, values_of
from flink_flint.calculators.history.store.histogram import Histogram, merge
from flink_flint.calculators.history.store.layout import Manifest, Store
from flink_flint.linter.text.named_tuple import NamedTuple

_DAY_S = DAY_MS // 1000


class TimeSeries(NamedTuple):
    """The statistics of a group's samples in each time slot; time slots without samples are omitted."""

    times: NDArray[np.int64]
    """The start of each time slot in seconds since the epoch, ascending."""
    steps: NDArray[np.int32]
    """The length of each time slot in seconds: 300, or 3600 for days condensed to hourly values."""
    min: NDArray[np.float32]
    max: NDArray[np.float32]
    mean: NDArray[np.float32]
    """The mean of all samples in each time slot."""
    last: NDArray[np.float32]
    top: NDArray[np.float32]
    """The largest of the series' means in each time slot, such as that of the busiest subtask."""
    total: NDArray[np.float32]
    """The sum of the series' means in each time slot, such as the rate of all subtasks together."""
    series: NDArray[np.int32]
    """The number of series with samples in each time slot."""


@dataclass(frozen=True)
class Observed:
    """The observations of one metric of an operator, task, job or cluster over a window."""

    group: Group
    name: str
    """The name of the job, task or operator as the source spells it."""
    days: NDArray[np.int64]
    """The days with samples, in days since the epoch, ascending."""
    counts: NDArray[np.int64]
    """The number of samples on each of the `days`."""
    sums: NDArray[np.float64]
    mins: NDArray[np.float64]
    maxs: NDArray[np.float64]
    absent: int
    """The number of values left out because they were NaN or not available yet."""
    series: int
    """The maximum number of series (subtasks, TaskManagers) on any day."""
    slots: int
    """The number of five-minute slots with samples."""
    first: int
    """The time of the first sample in milliseconds since the epoch."""
    latest: int
    """The time of the last sample in milliseconds since the epoch."""
    last: float
    histogram: Histogram
    """A histogram of the samples, in which every sample counts once."""
    decayed: Histogram
    """A histogram of the samples, weighted by age: ``2 ** (-age / half-life)``."""
    time_series: TimeSeries | None = None

    @property
    def samples(self) -> int:
        """The number of samples in the window."""
        return int(self.counts.sum())

    @property
    def minutes(self) -> float:
        """The number of minutes with samples: five per slot, but no more than from the first to the last sample."""
        return min(self.slots * 5.0, (self.latest - self.first) / 60_000)

    @property
    def mean(self) -> float:
        """The mean of all samples."""
        return float(self.sums.sum() / max(1, self.samples))

    @property
    def peak(self) -> float:
        """The largest sample."""
        return float(self.maxs.max())

    @property
    def least(self) -> float:
        """The smallest sample."""
        return float(self.mins.min())

    @property
    def total(self) -> float:
        """The sum of all values; for a counter, its growth in the window."""
        return float(self.sums.sum())

    def percentile(self, share: float, *, decayed: bool = False) -> float:
        """Return the value that `share` (0 to 1) of the samples do not exceed, accurate to 1 %."""
        return (self.decayed if decayed else self.histogram).percentile(share, self.least, self.peak)


Groups = dict[Group, Observed]


def window_of(manifest: Manifest, days: int = 0, until: str = "") -> list[str]:
    """Return the dates in the store within the last `days` days (0: all) up to `until`, ascending."""
    held = [day for day in manifest.days if not until or day <= until]
    if not held or not days:
        return held
    first = np.datetime64(held[-1], "D") - np.timedelta64(days - 1, "D")
    return [day for day in held if np.datetime64(day, "D") >= first]


def paths_of(store: Store, manifest: Manifest, days: Sequence[str], table: str) -> list[str]:
    """Return the paths of a table's files for `days`; all days of an aged month share one file."""
    found = (file.path for day in days for file in getattr(manifest.days[day], table))
    return [store.at(path) for path in dict.fromkeys(found)]


def read_groups(
    histograms: Sequence[str],
    rollups: Sequence[str],
    slices: range,
    days: tuple[str, str],
    *,
    half_life: float,
    metrics: Collection[str] = (),
    time_series: Collection[str] = (),
) -> Groups:
    """Return the observations of the jobs in `slices` of the store over a range of days, both ends included.

    `half_life` is in days, counted back from the last day. Only `metrics` are read (all if empty), and time series only
    for the metrics in `time_series`.
    """
    table = _read(histograms, slices, days, metrics, None)
    if not table.num_rows:
        return {}
    tracks = _time_series(rollups, slices, days, time_series) if time_series else {}
    day = _days(table)
    columns = {
        name: table.column(name).to_numpy()
        for name in ("series", "count", "absent", "sum", "min", "max", "last", "first_time", "last_time", "slots")
    }
    names = table.column("name")
    codes, counts = (values_of(table.column(name)) for name in ("codes", "counts"))
    lengths, ends = _extents(table.column("codes"))
    age = int(np.datetime64(days[1], "D").astype(np.int64)) - day
    weights = np.exp2(-np.maximum(age, 0) / half_life)
    found: Groups = {}
    for group, rows in _by_group(table, day):
        parts = _parts(rows, lengths, ends)
        own_codes, own = _joined(codes, parts), _joined(counts, parts).astype(np.float64)
        latest = rows[int(np.argmax(columns["last_time"][rows]))]
        found[group] = Observed(
            group=group,
            name=names[int(latest)].as_py(),
            days=day[rows],
            counts=columns["count"][rows],
            sums=columns["sum"][rows],
            mins=columns["min"][rows],
            maxs=columns["max"][rows],
            absent=int(columns["absent"][rows].sum()),
            series=int(columns["series"][rows].max()),
            slots=int(columns["slots"][rows].sum()),
            first=int(columns["first_time"][rows].min()),
            latest=int(columns["last_time"][latest]),
            last=float(columns["last"][latest]),
            histogram=merge(own_codes, own),
            decayed=merge(own_codes, own * np.repeat(weights[rows], lengths[rows])),
            time_series=tracks.get(group),
        )
    return found


def _read(
    paths: Sequence[str], slices: range, days: tuple[str, str], metrics: Collection[str], columns: list[str] | None
) -> pa.Table:
    first, last = (pa.scalar(np.datetime64(day, "D").astype(object), pa.date32()) for day in days)
    tables = []
    for path in paths:
        for table in read_slices(path, slices, columns):
            part = table.column("slice")
            required = pc.and_(pc.greater_equal(part, slices.start), pc.less(part, slices.stop))
            day = table.column("day")
            required = pc.and_(required, pc.and_(pc.greater_equal(day, first), pc.less_equal(day, last)))
            if metrics:
                required = pc.and_(required, pc.is_in(table.column("metric"), pa.array(list(metrics))))
            tables.append(table if pc.all(required).as_py() else table.filter(required))
    return pa.concat_tables(tables) if tables else pa.table({})


def _extents(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the length of the list of each row, and where it ends among the values of all rows."""
    lengths = pc.list_value_length(column).to_numpy().astype(np.int64)
    return lengths, np.cumsum(lengths)


def _days(table: pa.Table) -> NDArray[np.int64]:
    days: NDArray[np.int64] = table.column("day").cast(pa.int32()).to_numpy().astype(np.int64)
    return days


def _by_group(table: pa.Table, days: NDArray[np.int64]) -> Iterator[tuple[Group, NDArray[np.int64]]]:
    """Yield each group and its rows, by day; the table is not sorted, as sorting lists is slower than reading them."""
    fields = list(Group._fields)
    numbered = table.select(fields).append_column("row", pa.array(np.arange(table.num_rows)))
    grouped = numbered.group_by(fields, use_threads=False).aggregate([("row", "list")])
    lists = grouped.column("row_list")
    flat = values_of(lists)
    lengths, ends = _extents(lists)
    names = zip(*(grouped.column(name).to_pylist() for name in fields), strict=True)
    for key, length, end in zip(names, lengths.tolist(), ends.tolist(), strict=True):
        rows = flat[end - length : end]
        yield Group(*key), rows[np.argsort(days[rows], kind="stable")]


def _parts(rows: NDArray[np.int64], lengths: NDArray[np.int64], ends: NDArray[np.int64]) -> list[slice]:
    """Return where the values of the rows' lists are; consecutive rows, such as those of a month, are one part."""
    breaks = np.flatnonzero(np.diff(rows) != 1)
    firsts, lasts = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    return [slice(*one) for one in zip((ends - lengths)[firsts].tolist(), ends[lasts].tolist(), strict=True)]


def _joined(flat: NDArray[Any], parts: list[slice]) -> NDArray[Any]:
    return flat[parts[0]] if len(parts) == 1 else np.concatenate([flat[part] for part in parts])


def _time_series(
    paths: Sequence[str], slices: range, days: tuple[str, str], metrics: Collection[str]
) -> dict[Group, TimeSeries]:
    kept = ("min", "max", "mean", "last", "top", "total", "series")
    table = _read(paths, slices, days, metrics, ["slice", *Group._fields, "day", "step", *kept])
    if not table.num_rows:
        return {}
    day = _days(table)
    step = table.column("step").to_numpy()
    lengths, ends = _extents(table.column("series"))
    columns = {name: values_of(table.column(name)) for name in kept}
    found = {}
    for group, rows in _by_group(table, day):
        parts = _parts(rows, lengths, ends)
        own = lengths[rows]
        steps = np.repeat(step[rows], own).astype(np.int32)
        slots = np.arange(len(steps)) - np.repeat(np.cumsum(own) - own, own)
        times = np.repeat(day[rows] * _DAY_S, own) + slots * steps
        values = {name: _joined(column, parts) for name, column in columns.items()}
        held = values["series"] > 0
        columns_held = {name: one[held] for name, one in values.items()}
        found[group] = TimeSeries(times=times[held], steps=steps[held], **columns_held)
    return found

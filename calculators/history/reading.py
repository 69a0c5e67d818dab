"""What a store holds, read back: per group the histogram of a window, its days, and its course in slots."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from calculators.history.buckets import Histogram, merge
from calculators.history.reducing import Group
from calculators.history.staging import DAY_MS, read_slices
from calculators.history.store import Manifest, Store

_DAY_S = DAY_MS // 1000


class Course(NamedTuple):
    """How a group went, slot by slot; slots without samples are left out."""

    times: NDArray[np.int64]
    """Seconds since the epoch at the slots' begin, ascending."""
    steps: NDArray[np.int32]
    """Seconds each slot lasts: 300, or 3600 for days that have aged."""
    min: NDArray[np.float32]
    max: NDArray[np.float32]
    mean: NDArray[np.float32]
    """Over all samples of the slot."""
    last: NDArray[np.float32]
    top: NDArray[np.float32]
    """The largest mean of a series: the busiest subtask, the fullest TaskManager."""
    total: NDArray[np.float32]
    """The sum of the series' means: the rate of all subtasks together."""
    series: NDArray[np.int32]
    """How many series had samples."""


@dataclass(frozen=True)
class Observed:
    """What is known of one metric of one operator, task, job or cluster over a window."""

    group: Group
    name: str
    """Job, task or operator as the source spells it."""
    days: NDArray[np.int64]
    """Days since the epoch, ascending."""
    counts: NDArray[np.int64]
    """Samples a day."""
    sums: NDArray[np.float64]
    mins: NDArray[np.float64]
    maxs: NDArray[np.float64]
    absent: int
    """Values that were NaN or none yet."""
    series: int
    """The most series of a day: subtasks, TaskManagers."""
    slots: int
    """Five-minute slots with samples."""
    first: int
    """Milliseconds since the epoch of the first sample."""
    latest: int
    """Milliseconds since the epoch of the last sample."""
    last: float
    histogram: Histogram
    """Every sample counts once."""
    decayed: Histogram
    """Samples of a day weigh ``2 ** (-age / half-life)``."""
    course: Course | None = None

    @property
    def samples(self) -> int:
        return int(self.counts.sum())

    @property
    def minutes(self) -> float:
        """Time with samples."""
        return self.slots * 5.0

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / max(1, self.samples))

    @property
    def peak(self) -> float:
        return float(self.maxs.max())

    @property
    def least(self) -> float:
        return float(self.mins.min())

    @property
    def total(self) -> float:
        """The sum of all values; of a counter, how much it grew."""
        return float(self.sums.sum())

    def percentile(self, share: float, *, decayed: bool = False) -> float:
        """The value that `share` (0..1) of the samples are not above, exact to within a bucket of 1 %."""
        return (self.decayed if decayed else self.histogram).percentile(share, self.least, self.peak)


Groups = dict[Group, Observed]


def window_of(manifest: Manifest, days: int = 0, until: str = "") -> list[str]:
    """The dates of the last `days` days (0: all) up to `until` that the store holds, ascending."""
    held = [day for day in manifest.days if not until or day <= until]
    if not held or not days:
        return held
    first = np.datetime64(held[-1], "D") - np.timedelta64(days - 1, "D")
    return [day for day in held if np.datetime64(day, "D") >= first]


def paths_of(store: Store, manifest: Manifest, days: Sequence[str], table: str) -> list[str]:
    """The files of a table for the days; a month that has aged is one file."""
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
    courses: Collection[str] = (),
) -> Groups:
    """The groups of some slices over the days from first to last (included).

    `half_life` in days, counted back from the last day. Only `metrics` are read (all if empty), and the course of
    those in `courses`.
    """
    table = _read(histograms, slices, days, metrics, None)
    if not table.num_rows:
        return {}
    tracks = _courses(rollups, slices, days, courses) if courses else {}
    keys = [Group(*row) for row in zip(*(table.column(name).to_pylist() for name in Group._fields), strict=True)]
    places: dict[Group, int] = {}
    of_row = np.array([places.setdefault(key, len(places)) for key in keys], np.int64)
    day = table.column("day").cast(pa.int32()).to_numpy().astype(np.int64)
    order = np.lexsort((day, of_row))
    table, of_row, day = table.take(pa.array(order)), of_row[order], day[order]
    columns = {
        name: table.column(name).to_numpy()
        for name in ("series", "count", "absent", "sum", "min", "max", "last", "first_time", "last_time", "slots")
    }
    names = table.column("name").to_pylist()
    codes, counts = (_flat(table.column(name)) for name in ("codes", "counts"))
    lengths = pc.list_value_length(table.column("codes")).to_numpy()
    ends = np.cumsum(lengths)
    age = int(np.datetime64(days[1], "D").astype(np.int64)) - day
    weights = np.repeat(np.exp2(-np.maximum(age, 0) / half_life), lengths)
    bounds = np.searchsorted(of_row, np.arange(len(places) + 1))
    found: Groups = {}
    for group, place in places.items():
        rows = slice(bounds[place], bounds[place + 1])
        entries = slice(ends[rows.start] - lengths[rows.start], ends[rows.stop - 1])
        latest = rows.start + int(np.argmax(columns["last_time"][rows]))
        own = counts[entries].astype(np.float64)
        found[group] = Observed(
            group=group,
            name=names[latest],
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
            histogram=merge(codes[entries], own),
            decayed=merge(codes[entries], own * weights[entries]),
            course=tracks.get(group),
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
            wanted = pc.and_(pc.greater_equal(part, slices.start), pc.less(part, slices.stop))
            day = table.column("day")
            wanted = pc.and_(wanted, pc.and_(pc.greater_equal(day, first), pc.less_equal(day, last)))
            if metrics:
                wanted = pc.and_(wanted, pc.is_in(table.column("metric"), pa.array(list(metrics))))
            tables.append(table.filter(wanted))
    return pa.concat_tables(tables) if tables else pa.table({})


def _flat(column: pa.ChunkedArray) -> NDArray[Any]:
    chunks = [chunk.flatten() for chunk in column.chunks]
    flat: NDArray[Any] = pa.concat_arrays(chunks).to_numpy(zero_copy_only=False)
    return flat


def _courses(
    paths: Sequence[str], slices: range, days: tuple[str, str], metrics: Collection[str]
) -> dict[Group, Course]:
    table = _read(paths, slices, days, metrics, None)
    if not table.num_rows:
        return {}
    table = table.sort_by([*((name, "ascending") for name in Group._fields), ("day", "ascending")])
    keys = [Group(*row) for row in zip(*(table.column(name).to_pylist() for name in Group._fields), strict=True)]
    day = table.column("day").cast(pa.int32()).to_numpy().astype(np.int64)
    step = table.column("step").to_numpy()
    lengths = pc.list_value_length(table.column("count")).to_numpy()
    starts = np.cumsum(lengths) - lengths
    slots = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
    steps = np.repeat(step, lengths).astype(np.int32)
    times = np.repeat(day * _DAY_S, lengths) + slots * steps
    columns = {name: _flat(table.column(name)) for name in Course._fields if name not in ("times", "steps")}
    held = columns["series"] > 0
    first_rows = [row for row in range(len(keys)) if row == 0 or keys[row] != keys[row - 1]]
    found = {}
    for row, following in zip(first_rows, [*first_rows[1:], len(keys)], strict=True):
        part = slice(starts[row], starts[following - 1] + lengths[following - 1])
        own = held[part]
        found[keys[row]] = Course(
            times=times[part][own],
            steps=steps[part][own],
            **{name: column[part][own] for name, column in columns.items()},
        )
    return found

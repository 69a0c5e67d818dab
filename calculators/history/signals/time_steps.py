"""The time steps of a job's day, and the alignment of its series to them.

Two metrics belong to the same instant if they come from the same scrape, or less than half of the usual step apart:
each series is placed on the job's steps by its own first sample, so that TaskManagers scraped a few seconds apart are
still aligned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from flink_flint.calculators.history.samples import SeriesKey
from flink_flint.linter.text.named_tuple import NamedTuple

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

METER_WINDOW = 60_000
"""The milliseconds over which Flink averages meters and busy time; for this long after a restart, both are invalid."""
_DAY = 86_400_000
_MIN_STEP = 1000
"""Milliseconds; limits the cost of a day with irregular times."""


class Line(NamedTuple):
    """A series of one day after cleaning: no NaN, times ascending and unique."""

    key: SeriesKey
    times: NDArray[np.int64]
    """The times of the samples in milliseconds since the epoch."""
    values: Floats
    """The values of the samples in the unit of Flink's metric; counters restart at zero after each restart."""


class Instants:
    """The time steps of a job's day, to which the samples of its series are aligned."""

    def __init__(self, lines: Sequence[Line]) -> None:
        some = lines[:: max(1, len(lines) // 64)]
        steps = [np.median(np.diff(line.times)) for line in some if len(line.times) > 1]
        self.step = max(_MIN_STEP, round(float(np.median(steps)))) if steps else _MIN_STEP
        self.start = min(int(line.times[0]) for line in lines)
        last = max(int(line.times[-1]) for line in lines)
        self.count = (last - self.start) // self.step + 3
        self._known: dict[tuple[int, int, int], tuple[Places, Places]] = {}
        latest = np.full(self.count, -1, np.int64)
        done: dict[int, Places] = {}
        for line in lines:
            places = self.of(line.times)
            if id(places) not in done:
                done[id(places)] = places
                latest[places] = np.maximum(latest[places], line.times)
        before = np.maximum.accumulate(np.concatenate(([-1], latest[:-1])))
        self.times = np.where(latest > before, latest, -1)
        """Milliseconds since the epoch; -1 if no series has a sample."""

    def of(self, times: Places) -> Places:
        """Return the index of the time step of each sample in `times`; the first sample is in its nearest step."""
        known = self._known.get(mark := (len(times), int(times[0]), int(times[-1])))
        if known is not None and (known[0] is times or np.array_equal(known[0], times)):
            return known[1]
        first = (int(times[0]) - self.start + self.step // 2) // self.step
        places: Places = first + (times - times[0] + self.step // 2) // self.step
        self._known[mark] = times, places
        return places

    def line(self, key: SeriesKey, values: Floats) -> Iterator[Line]:
        """Yield a series of the finite items of `values` (one per time step); nothing if none is finite."""
        kept = np.isfinite(values) & (self.times >= 0)
        if kept.any():
            yield Line(key, self.times[kept], values[kept])

    def seconds(self) -> Floats:
        """Return, for each time step with samples, the seconds since the previous such step; NaN elsewhere."""
        lengths = np.full(self.count, np.nan)
        seen = np.flatnonzero(self.times >= 0)
        lengths[seen[1:]] = np.diff(self.times[seen]) / 1000.0
        return lengths

    def begins_with_day(self, time: int) -> bool:
        """Return whether a series that starts at `time` may continue from the day before."""
        return time % _DAY <= 2 * self.step


class Table(NamedTuple):
    """The values of one metric for the subtasks of a task, at each time step."""

    subtasks: list[int]
    values: Floats
    """The values, with one row per subtask and one column per time step; NaN without a sample."""

    def total(self) -> Floats:
        """Return the sum over subtasks at each time step; NaN where a running subtask has no sample."""
        present = np.isfinite(self.values)
        began = np.maximum.accumulate(present, axis=1)
        goes_on = np.maximum.accumulate(present[:, ::-1], axis=1)[:, ::-1]
        number = present.sum(axis=0)
        whole = (number > 0) & (number == (began & goes_on).sum(axis=0))
        return np.where(whole, np.where(present, self.values, 0.0).sum(axis=0), np.nan)

    def largest(self) -> Floats:
        """Return the largest value of all subtasks at each time step."""
        return np.asarray(np.fmax.reduce(self.values, axis=0))


def table_of(instants: Instants, lines: Iterable[Line], *, growth: bool = False, settled: bool = False) -> Table:
    """Return the series of one metric of a task as a `Table`, with all attempts of a subtask in one row.

    `growth`: values are a counter's growth per second since the previous sample, NaN at a restart. `settled`: omit the
    first minute of an attempt, in which meters still rise from zero and the busy time is 1000.
    """
    ordered = sorted(lines, key=lambda line: (line.key.subtask, int(line.times[0])))
    subtasks = sorted({line.key.subtask for line in ordered})
    row_of = {subtask: row for row, subtask in enumerate(subtasks)}
    values = np.full((len(subtasks), instants.count), np.nan)
    for line in ordered:
        row, places, found = values[row_of[line.key.subtask]], instants.of(line.times), line.values
        if growth:
            grown = np.diff(found)
            row[places[1:]] = np.where(grown >= 0, grown * (1000.0 / np.diff(line.times)), np.nan)
        elif settled and not instants.begins_with_day(int(line.times[0])):
            late = int(np.searchsorted(line.times, line.times[0] + METER_WINDOW))
            row[places[late:]] = found[late:]
        else:
            row[places] = found
    return Table(subtasks, values)


def sum_of(instants: Instants, lines: list[Line], *, growth: bool = False) -> Floats:
    """Return the sum over subtasks and parts at each time step; NaN where a running subtask has no sample."""
    rows: dict[SeriesKey, int] = {}
    placed = []
    for line in lines:
        row = rows.setdefault(line.key._replace(attempt=-1, tm="", job_id=""), len(rows))
        placed.append(line._replace(key=line.key._replace(subtask=row)))
    return table_of(instants, placed, growth=growth).total()


def worst_of(instants: Instants, lines: list[Line]) -> Floats:
    """Return the largest value of all subtasks and shards at each time step."""
    worst = np.full(instants.count, np.nan)
    for line in lines:
        places = instants.of(line.times)
        worst[places] = np.fmax(worst[places], line.values)
    return worst

"""Phases of a job (steady state, outage, catch-up), which separate demand from the processing of a backlog."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flink_flint.calculators.history.samples import SeriesKey
from flink_flint.calculators.history.signals.time_steps import (
    METER_WINDOW,
    Flags,
    Floats,
    Instants,
    Line,
    Table,
    sum_of,
    worst_of,
)
from flink_flint.calculators.history.signals.vertices import Vertex, counted, metric_of

_BACKLOGS = {
    "pendingRecords": True,
    "records-lag-max": True,
    "millisBehindLatest": False,
    "currentFetchEventTimeLag": False,
}
"""Metrics of the backlog of a source, and whether they count records (summed over subtasks) or milliseconds."""


class Phases:
    """The time steps at which a job catches up on a backlog or is otherwise not in a steady state."""

    _BEFORE = 20
    """Number of instants before an outage whose median is the rate before it."""

    def __init__(self, instants: Instants) -> None:
        self._instants = instants
        self._seconds = instants.seconds()
        self.catching = np.zeros(instants.count, bool)
        self.unsteady = np.zeros(instants.count, bool)

    def of_source(self, vertex: Vertex, saturated: Flags) -> Iterator[Line]:
        """Yield a source's series ``catchingUp`` (1 or 0) and ``arrivalRate``, and add its phases to those of the job.

        A source catches up after the peak of a backlog (`_drains`), when it makes up for an outage (`_makes_up`), or
        while an operator after it is at its capacity.
        """
        read = counted(self._instants, *vertex.reading)
        if read is None:
            return
        rate = read[1].total()
        flows = rate[rate > 0]
        if not len(flows):
            return
        usual = float(np.median(flows))
        high, drains, gone = self._drains(vertex, rate, usual)
        outages = list(self._outages(vertex, rate, usual))
        catching = drains | (self._makes_up(rate, usual, outages) & ~gone) | saturated
        for start, end in outages:
            self.unsteady[start:end] = True
        self.unsteady |= high & ~catching
        self.catching |= catching
        flags = np.where(np.isfinite(rate), catching.astype(np.float64), np.nan)
        yield from self._instants.line(vertex.named("catchingUp"), flags)
        yield from self._instants.line(vertex.named("arrivalRate"), self._arrivals(vertex, rate))

    def _arrivals(self, vertex: Vertex, rate: Floats) -> Floats:
        """Return records per second read plus growth of the backlog, over five minutes or five instants.

        This is the demand, regardless of how fast the job reads. It is missing across a restart, as what was read then
        is unknown.
        """
        arrivals = np.full(self._instants.count, np.nan)
        if not (waiting := metric_of(vertex, "pendingRecords")):
            return arrivals
        pending = sum_of(self._instants, waiting)
        block = max(300_000 // self._instants.step, 5)
        read = rate * self._seconds
        ends = np.arange(block, self._instants.count, block)
        for end in ends[np.isfinite(pending[ends]) & np.isfinite(pending[ends - block])]:
            records = float(read[end - block + 1 : end + 1].sum() + pending[end] - pending[end - block])
            seconds = float(self._seconds[end - block + 1 : end + 1].sum())
            arrivals[end] = max(records / seconds, 0.0) if seconds > 0 else np.nan
        return arrivals

    def _drains(self, vertex: Vertex, rate: Floats, usual: float) -> tuple[Flags, Flags, Flags]:
        """Return three masks: backlog clearly above its usual level, falling from its peak, and known to be gone.

        The last one also requires that there was none at the previous instant. Clearly above means three times the
        day's median, and at least ten seconds of records more. A day whose median is above a minute of records has no
        usual backlog: its low is used instead, or a minute. A backlog counts as falling only if it falls by at least a
        tenth; an instant at which hardly anything is read is part of an outage.
        """
        high, drains, gone = np.zeros((3, self._instants.count), bool)
        for name, in_records in _BACKLOGS.items():
            if not (lines := metric_of(vertex, name)):
                continue
            backlog = (sum_of if in_records else worst_of)(self._instants, lines)
            second = usual if in_records else 1000.0
            known = backlog[np.isfinite(backlog)]
            if not len(known):
                continue
            level = float(np.median(known))
            if level > 60 * second:
                level = min(float(np.quantile(known, 0.1)), 60 * second)
            limit = max(3 * level, level + 10 * second)
            above = np.flatnonzero(backlog > limit)
            for run in np.split(above, np.flatnonzero(np.diff(above) > 2) + 1):
                if not len(run):
                    continue
                high[run] = True
                peak = int(run[np.argmax(backlog[run])])
                after = run[run > peak]
                if float(np.fmin.reduce(backlog[peak : int(run[-1]) + 3])) <= 0.9 * backlog[peak]:
                    drains[after] = ~(rate[after] < 0.5 * usual)
            low = backlog <= limit
            gone[1:] |= low[1:] & low[:-1]
        return high, drains, gone & ~high

    def _outages(self, vertex: Vertex, rate: Floats, usual: float) -> Iterator[tuple[int, int]]:
        """Yield the first and last instant (excluded) of each period in which the source was down.

        Either it reads less than a tenth of what it read just before, for a minute or longer, or its series start
        again: then it was down since the last sample before that.
        """
        seen = np.flatnonzero(np.isfinite(rate))
        low = seen[rate[seen] <= 0.1 * usual]
        for run in np.split(low, np.flatnonzero(np.diff(low) > 3) + 1):
            if not len(run):
                continue
            lasted = self._seconds[run[0] : run[-1] + 1].sum() * 1000.0
            if lasted >= METER_WINDOW and np.median(rate[run]) <= 0.1 * self._level(rate, int(run[0]), usual):
                yield int(run[0]), int(run[-1]) + 1
        name, lines = vertex.reading
        restarts: set[int] = set()
        for line in lines.get(name) or lines.get(name + "PerSecond") or ():
            if not self._instants.begins_with_day(int(line.times[0])):
                restarts.add(int(self._instants.of(line.times)[0]))
            if line.key.metric == name:
                restarts.update(self._instants.of(line.times)[1:][np.diff(line.values) < 0].tolist())
        for restart in restarts:
            place = int(np.searchsorted(seen, restart))
            if 0 < place < len(seen):
                yield int(seen[place - 1]) + 1, int(seen[place])

    def _level(self, rate: Floats, place: int, usual: float) -> float:
        """Return the rate just before an instant; the day's usual rate if there were no samples before."""
        before = rate[max(0, place - 2 * self._BEFORE) : place]
        before = before[np.isfinite(before)][-self._BEFORE :]
        return float(np.median(before)) if len(before) >= 3 else usual

    def _makes_up(self, rate: Floats, usual: float, outages: list[tuple[int, int]]) -> Flags:
        """Return where clearly more (a fifth) is read after an outage than before it.

        A catch-up can only process what arrived during the outage: it ends after half as much again plus five minutes
        of records (what is read again since the last checkpoint), so that a permanently higher load is not a catch-up.
        """
        catching = np.zeros(self._instants.count, bool)
        times, seen = self._instants.times, np.flatnonzero(np.isfinite(rate))
        for start, end in outages:
            level = self._level(rate, start, usual)
            after = seen[seen >= end]
            before = seen[seen < start]
            if not len(after) or level <= 0:
                continue
            since = times[before[-1]] if len(before) else times[seen[0]]
            missed = level * (times[after[0]] - since) / 1000.0
            soon = after[: max(10, METER_WINDOW * 2 // self._instants.step)]
            above = soon[rate[soon] > 1.2 * level]
            if not len(above):
                continue
            following = seen[seen >= above[0]]
            calm = np.flatnonzero(rate[following] <= 1.2 * level)
            following = following[: calm[0]] if len(calm) else following
            surplus = np.cumsum((rate[following] - level) * np.nan_to_num(self._seconds[following]))
            surplus -= surplus[0]
            catching[following[surplus <= 1.5 * missed + 300.0 * level]] = True
        return catching

    def split(self, key: SeriesKey, metric: str, table: Table, exact: bool, *, vertex: bool = False) -> Iterator[Line]:
        """Yield a rate separated by phase, such as ``numRecordsInPerSecond.steady`` and ``.catchup``.

        For a vertex its sum is also reported as ``numRecordsInPerSecond.vertex.steady`` and ``.vertex.catchup``.

        Both exclude instants of an outage, of a growing backlog, and next to a catch-up: what is read then is neither
        the demand nor the maximum of the job. A meter averages over a minute, which is excluded after each.
        """
        margin = 1 if exact else 1 + METER_WINDOW // self._instants.step
        other = self.catching | self.unsteady
        near = np.convolve(other, np.ones(2 * margin + 1), "same") > 0.5 if other.any() else other
        phases = {"steady": ~near, "catchup": self.catching & ~self.unsteady}
        for name, at in phases.items():
            for subtask, values in zip(table.subtasks, table.values, strict=True):
                yield from self._instants.line(
                    key._replace(metric=f"{metric}.{name}", subtask=subtask), np.where(at, values, np.nan)
                )
            if vertex:
                yield from self._instants.line(
                    key._replace(metric=f"{metric}.vertex.{name}"), np.where(at, table.total(), np.nan)
                )

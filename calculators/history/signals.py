"""Signals that need several metrics, or several subtasks, at one instant; made before samples are reduced.

A histogram of a rate and one of a busy share can no longer tell what a subtask does in a second of work. So the
quotients, sums and phases that calculators read are formed here, from the samples of one day, and kept as series of
their own. What one metric tells by itself is left to its histogram.

Two metrics are of one instant where they stand in the same scrape, or less than half of the usual step apart: each
series is placed on the job's steps by its own first sample, so that TaskManagers scraped a few seconds apart still
meet. Signals of a subtask have neither attempt nor TaskManager: they go on over restarts.

Flink's meters and its busy time are means of the last 60 s; a counter's growth is exact over the step. What is
divided by the busy time is therefore the meter, and what is told apart by phase is the counter's growth, where
there is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calculators.history.sample import JOB, JOBMANAGER, OPERATOR, TASK, TASKMANAGER, SeriesKey

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

LEAST_BUSY = 50.0
"""Milliseconds a second (5 %). Below it the busy time is mostly its own error, and a quotient says nothing."""
LEAST_RATE = 1.0
"""Records a second. Below it the largest subtask over the mean is chance."""
METER_WINDOW = 60_000
"""Milliseconds over which Flink's meters and its busy time average; until then a new attempt shows neither."""
HEAP_WINDOW = 600_000
"""Milliseconds in which some collection of the young generation has surely run."""

_DAY = 86_400_000
_LEAST_STEP = 1000
"""Milliseconds; bounds what a day of odd times can cost."""
_PLATEAU = 0.98
_BACKLOGS = {
    "pendingRecords": True,
    "records-lag-max": True,
    "millisBehindLatest": False,
    "currentFetchEventTimeLag": False,
}
"""What tells a source's backlog, and whether in records (those of subtasks add up) or in milliseconds."""


class Line(NamedTuple):
    """One series of one day, cleaned: no NaN, times ascending and unique."""

    key: SeriesKey
    times: NDArray[np.int64]
    """Milliseconds since the epoch."""
    values: Floats
    """In the unit of Flink's own metric; those of a counter still grow from zero at each start."""


def signals(lines: Sequence[Line]) -> Iterator[Line]:
    """The joint signals of one day; the lines of a job (task, operator and job scope) come together.

    ``trueProcessingRate``, ``trueProcessingRate.vertex``, ``busySkew``, ``recordsSkew``, ``arrivalRate``,
    ``catchingUp``, ``numRecordsInPerSecond.steady`` and its kin (task), ``inFlight``, ``inFlightTime``,
    ``serviceRate`` (operator), ``checkpointShare`` (job), ``heapLiveSet``, ``gcTimeShare`` (TaskManager, JobManager).
    Values are finite, times ascend. A signal whose metrics are missing is missing too.
    """
    jobs: defaultdict[tuple[str, str], list[Line]] = defaultdict(list)
    processes: defaultdict[tuple[str, str, str], list[Line]] = defaultdict(list)
    for line in lines:
        if not len(line.times):
            continue
        key = line.key
        if key.scope in (TASK, OPERATOR, JOB):
            jobs[key.cluster, key.job].append(line)
        elif key.scope in (TASKMANAGER, JOBMANAGER):
            processes[key.scope, key.cluster, key.tm].append(line)
    works = [(_of_job, run) for gathered in jobs.values() for run in _runs(gathered)]
    works += [(_of_process, gathered) for gathered in processes.values()]
    for make, gathered in works:
        # What numbers beyond all sense make of a quotient is not finite, and left out as such.
        with np.errstate(all="ignore"):
            made = list(make(gathered))
        yield from made


def _runs(lines: list[Line]) -> Iterator[list[Line]]:
    """The lines of a job's name, apart by job id where two jobs of that name ran at once.

    A job that was started anew goes on under another id; its day is one, for a catch-up is told by what was before.
    """
    spans: dict[str, tuple[int, int]] = {}
    for line in lines:
        first, last = spans.get(line.key.job_id, (int(line.times[0]), int(line.times[-1])))
        spans[line.key.job_id] = min(first, int(line.times[0])), max(last, int(line.times[-1]))
    ordered = sorted(spans.values())
    if all(before[1] <= after[0] for before, after in pairwise(ordered)):
        yield lines
        return
    for job_id in spans:
        yield [line for line in lines if line.key.job_id == job_id]


# The instants of a job.


class _Instants:
    """The steps of a job's day, on which the samples of its series are placed."""

    def __init__(self, lines: Sequence[Line]) -> None:
        some = lines[:: max(1, len(lines) // 64)]
        steps = [np.median(np.diff(line.times)) for line in some if len(line.times) > 1]
        self.step = max(_LEAST_STEP, round(float(np.median(steps)))) if steps else _LEAST_STEP
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
        """Milliseconds; -1 where no series has a sample."""

    def of(self, times: Places) -> Places:
        """Where samples lie. A series keeps its distance to the others, however late its target is scraped."""
        known = self._known.get(mark := (len(times), int(times[0]), int(times[-1])))
        if known is not None and (known[0] is times or np.array_equal(known[0], times)):
            return known[1]
        first = (int(times[0]) - self.start + self.step // 2) // self.step
        places: Places = first + (times - times[0] + self.step // 2) // self.step
        self._known[mark] = times, places
        return places

    def line(self, key: SeriesKey, values: Floats) -> Iterator[Line]:
        """The finite values as a series; nothing where there are none."""
        kept = np.isfinite(values) & (self.times >= 0)
        if kept.any():
            yield Line(key, self.times[kept], values[kept])

    def seconds(self) -> Floats:
        """How long each instant's step is, from the one before."""
        lengths = np.full(self.count, np.nan)
        seen = np.flatnonzero(self.times >= 0)
        lengths[seen[1:]] = np.diff(self.times[seen]) / 1000.0
        return lengths

    def begins_with_day(self, time: int) -> bool:
        """Whether a series that starts here may well have run the day before."""
        return time % _DAY <= 2 * self.step


class _Table(NamedTuple):
    """One metric of the subtasks of a vertex."""

    subtasks: list[int]
    values: Floats
    """A row a subtask, a column an instant; NaN where there is no sample."""

    def total(self) -> Floats:
        """The sum at each instant at which every subtask that runs then has a sample: half a sum is none."""
        present = np.isfinite(self.values)
        began = np.maximum.accumulate(present, axis=1)
        goes_on = np.maximum.accumulate(present[:, ::-1], axis=1)[:, ::-1]
        number = present.sum(axis=0)
        whole = (number > 0) & (number == (began & goes_on).sum(axis=0))
        return np.where(whole, np.where(present, self.values, 0.0).sum(axis=0), np.nan)

    def largest(self) -> Floats:
        return np.asarray(np.fmax.reduce(self.values, axis=0))


def _table(instants: _Instants, lines: Iterable[Line], *, growth: bool = False, settled: bool = False) -> _Table:
    """The series of a vertex, attempts of a subtask in one row.

    `growth`: a counter's growth per second since the sample before, which a restart has none of. `settled`: without
    the first minute of an attempt, in which meters still rise from zero and the busy time shows 1000.
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
    return _Table(subtasks, values)


# A job.


class _Vertex:
    """The series of one task and of its operators."""

    def __init__(self) -> None:
        self.lines: defaultdict[str, list[Line]] = defaultdict(list)
        self.operators: defaultdict[str, defaultdict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
        self.key = SeriesKey("", TASK)

    def add(self, line: Line) -> None:
        if line.key.scope == OPERATOR:
            self.operators[line.key.operator_id or line.key.operator][line.key.metric].append(line)
        else:
            self.lines[line.key.metric].append(line)
        self.key = line.key

    def named(self, metric: str, subtask: int = -1) -> SeriesKey:
        """The key of a signal of this task."""
        return self.key._replace(
            metric=metric, scope=TASK, operator="", operator_id="", subtask=subtask, attempt=-1, tm="", part="",
            counter=False,
        )  # fmt: skip

    @cached_property
    def is_source(self) -> bool:
        """Whether it takes in nothing from other tasks: Flink begins its name so, whatever it counts as taken in."""
        return self.key.task.startswith("Source") or (
            not self._counts("numRecordsIn") and self._counts("numRecordsOut")
        )

    def _counts(self, name: str) -> bool:
        return _counts(name, self.lines)

    @cached_property
    def flow(self) -> tuple[str, dict[str, list[Line]]]:
        """What its records are counted by, and where.

        Most sources count nothing as taken in; one that all other operators are chained to sends nothing to other
        tasks either, and then its source operator tells.
        """
        if not self.is_source or self._counts("numRecordsIn"):
            return "numRecordsIn", self.lines
        sends = self._counts("numRecordsOut")
        return (None if sends else self._source_operator) or ("numRecordsOut", self.lines)

    @cached_property
    def reading(self) -> tuple[str, dict[str, list[Line]]]:
        """What a source reads: a filter chained to it lets fewer out of the task, but the backlog knows none."""
        return self._source_operator or self.flow

    @cached_property
    def _source_operator(self) -> tuple[str, dict[str, list[Line]]] | None:
        for metrics in self.operators.values():
            if next(iter(metrics.values()))[0].key.operator.startswith("Source"):
                for name in ("numRecordsIn", "numRecordsOut"):
                    if _counts(name, metrics):
                        return name, metrics
        return None

    def metered(self, instants: _Instants) -> _Table | None:
        """Records a second of each subtask, averaged as the busy time is."""
        name, lines = self.flow
        if meters := lines.get(name + "PerSecond"):
            return _table(instants, meters, settled=True)
        return _table(instants, counters, growth=True) if (counters := lines.get(name)) else None


def _counts(name: str, lines: dict[str, list[Line]]) -> bool:
    return any(line.values.any() for metric in (name, name + "PerSecond") for line in lines.get(metric, ()))


def _counted(instants: _Instants, name: str, lines: dict[str, list[Line]]) -> tuple[str, _Table, bool] | None:
    """The rate's name, records a second of each subtask, and whether they are exact over the step."""
    if counters := lines.get(name):
        return name + "PerSecond", _table(instants, counters, growth=True), True
    if meters := lines.get(name + "PerSecond"):
        return name + "PerSecond", _table(instants, meters, settled=True), False
    return None


def _of_job(lines: list[Line]) -> Iterator[Line]:
    instants = _Instants(lines)
    # Signals are named after the job's last run of the day.
    lines = sorted(lines, key=lambda line: int(line.times[-1]))
    vertices: defaultdict[str, _Vertex] = defaultdict(_Vertex)
    of_job: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.key.scope == JOB:
            of_job[line.key.metric].append(line)
        else:
            vertices[line.key.task_id or line.key.task].add(line)
    yield from _checkpoint_share(of_job)
    saturated = np.zeros(instants.count, bool)
    holding = []
    for vertex in vertices.values():
        yield from _capacity(instants, vertex)
        for metrics in vertex.operators.values():
            held = _held(instants, vertex, metrics)
            if held is not None:
                saturated |= held.plateau.any(axis=0)
                holding.append((metrics, held))
                yield from _in_flight(instants, held)
    phases = _Phases(instants)
    for vertex in vertices.values():
        if vertex.is_source:
            yield from phases.of_source(vertex, saturated)
    phases.catching |= saturated
    for vertex in vertices.values():
        if (rates := _counted(instants, *vertex.flow)) is not None:
            yield from phases.split(vertex.named(""), *rates, vertex=True)
    for metrics, held in holding:
        if (rates := _counted(instants, "numRecordsIn", metrics)) is not None:
            yield from phases.split(held.key, *rates)


def _capacity(instants: _Instants, vertex: _Vertex) -> Iterator[Line]:
    """True processing rates and skew.

    ``trueProcessingRate`` = records a second / (busy time / 1000): what a subtask would do if busy all the time.
    ``trueProcessingRate.vertex`` = sum of the rates / the largest busy share, as the operator's autoscaler has it: with
    skew the fullest subtask is the end of it. ``busySkew`` and ``recordsSkew``: the largest subtask over the mean.
    """
    rate = vertex.metered(instants)
    found = vertex.lines.get("busyTimeMsPerSecond")
    busy = _table(instants, found, settled=True) if found else None
    if busy is not None and rate is not None:
        shared = [subtask for subtask in rate.subtasks if subtask in busy.subtasks]
        rates = rate.values[[rate.subtasks.index(subtask) for subtask in shared]]
        works = busy.values[[busy.subtasks.index(subtask) for subtask in shared]]
        true = rates / np.where(works >= LEAST_BUSY, works, np.nan) * 1000.0
        for subtask, values in zip(shared, true, strict=True):
            yield from instants.line(vertex.named("trueProcessingRate", subtask), values)
        if len(shared) == len(rate.subtasks) == len(busy.subtasks):
            whole = _Table(shared, np.where(np.isfinite(rates), works, np.nan))
            largest = np.where(np.isfinite(whole.total()), whole.largest(), np.nan)
            largest = np.where(largest >= LEAST_BUSY, largest, np.nan)
            yield from instants.line(vertex.named("trueProcessingRate.vertex"), rate.total() / largest * 1000.0)
    if busy is not None:
        yield from instants.line(vertex.named("busySkew"), _skew(busy, LEAST_BUSY))
    if rate is not None:
        yield from instants.line(vertex.named("recordsSkew"), _skew(rate, LEAST_RATE))


def _skew(table: _Table, least: float) -> Floats:
    present = np.isfinite(table.values)
    mean = table.total() / np.where(present.sum(axis=0) > 1, present.sum(axis=0), np.nan)
    return np.asarray(table.largest() / np.where(mean > least, mean, np.nan))


def _metric(vertex: _Vertex, name: str) -> list[Line]:
    """The series of metrics whose last part is `name`: connectors put reader, topic or shard before it."""
    everywhere = (vertex.lines, *vertex.operators.values())
    return [
        line
        for metrics in everywhere
        for metric, lines in metrics.items()
        if metric == name or metric.endswith("." + name)
        for line in lines
    ]


def _sum(instants: _Instants, lines: list[Line], *, growth: bool = False) -> Floats:
    """The sum over subtasks and parts, where all that are there at an instant have a sample."""
    rows: dict[SeriesKey, int] = {}
    placed = []
    for line in lines:
        row = rows.setdefault(line.key._replace(attempt=-1, tm="", job_id=""), len(rows))
        placed.append(line._replace(key=line.key._replace(subtask=row)))
    return _table(instants, placed, growth=growth).total()


# Operators that hold records back.


class _Held(NamedTuple):
    """What is in flight in an operator."""

    key: SeriesKey
    table: _Table
    """Records taken in and not yet sent on."""
    sent: Floats
    """Records a second sent on since the sample before."""
    times: Floats
    """Milliseconds a record stays, one value a block of instants."""
    plateau: Flags
    """Where no more are let in."""


class _Stretch(NamedTuple):
    """The counters of one subtask between two starts."""

    row: int
    places: Places
    times: Places
    came: Floats
    held: Floats
    """Came in and not gone out. Where a start brought records of a checkpoint back, those went out uncounted: the
    least then stands for none."""


def _held(instants: _Instants, vertex: _Vertex, metrics: dict[str, list[Line]]) -> _Held | None:
    """What an operator holds back, by its counters; None where it does not behave as an asynchronous one.

    In an asynchronous operator every record that came in goes out, later: the difference of the counters rises and
    falls and comes back. In a filter or a window it grows for good, in a flat map it falls for good, in a map it is
    nought but for the instant between the reading of two counters.
    """
    came, went = metrics.get("numRecordsIn"), metrics.get("numRecordsOut")
    if not came or not went:
        return None
    fullest = max(came, key=lambda line: float(line.values[-1]))
    out = sum(float(line.values[-1]) for line in went if _same(line, fullest))
    if not 0.5 * fullest.values[-1] <= out <= 1.5 * fullest.values[-1] or out == 0:
        return None
    key = came[-1].key
    subtasks = sorted({line.key.subtask for line in came})
    stretches = list(_stretches(instants, subtasks, came, went))
    named = "async" in key.operator.lower()
    if not _bounded(stretches, named):
        return None
    held = np.full((len(subtasks), instants.count), np.nan)
    for stretch in stretches:
        held[stretch.row, stretch.places] = stretch.held
    plateau = _plateau(held, _busy_of(instants, vertex, subtasks))
    if not named and not _lasting(plateau).any() and not _moves(stretches):
        return None
    sent, times = np.full(held.shape, np.nan), np.full(held.shape, np.nan)
    block = max(METER_WINDOW // instants.step, 5)
    for stretch in stretches:
        gone = np.diff(stretch.came - stretch.held)
        sent[stretch.row, stretch.places[1:]] = gone * (1000.0 / np.diff(stretch.times))
        _stays(stretch, block, times[stretch.row])
    key = key._replace(metric="inFlight", subtask=-1, attempt=-1, tm="", part="", counter=False)
    return _Held(key, _Table(subtasks, held), sent, times, plateau)


def _same(one: Line, other: Line) -> bool:
    return one.key._replace(metric="", tm="") == other.key._replace(metric="", tm="")


def _stretches(instants: _Instants, subtasks: list[int], came: list[Line], went: list[Line]) -> Iterator[_Stretch]:
    out_of = {line.key._replace(metric=""): line for line in went}
    for line in came:
        out = out_of.get(line.key._replace(metric=""))
        if out is None:
            continue
        places, times, ins, outs = instants.of(line.times), line.times, line.values, out.values
        others = instants.of(out.times)
        if places is not others:
            shared, mine, theirs = np.intersect1d(places, others, return_indices=True)
            places, times, ins, outs = shared, times[mine], ins[mine], outs[theirs]
        cuts = np.flatnonzero((np.diff(ins) < 0) | (np.diff(outs) < 0)) + 1
        for start, end in pairwise((0, *cuts.tolist(), len(ins))):
            if end > start:
                held = ins[start:end] - outs[start:end]
                least = float(np.quantile(held, 0.02)) if len(held) > 7 else float(held.min())
                held = np.maximum(held - min(least, 0.0), 0.0)
                row = subtasks.index(line.key.subtask)
                yield _Stretch(row, places[start:end], times[start:end], ins[start:end], held)


def _bounded(stretches: list[_Stretch], named: bool) -> bool:
    """Whether what is held comes back to where it was, over the longest stretch.

    Three marks of a drift: the low of the second half differs by more than a thousandth of the records of the first;
    what falls is far less than what rises (or the reverse); the lows of eight parts only ever rise (or fall).
    """
    longest = max(stretches, key=lambda stretch: len(stretch.held), default=None)
    if longest is None or len(longest.held) < 8:
        return named
    held, half = longest.held, len(longest.held) // 2
    if not named and np.count_nonzero(held) < 0.02 * len(held):
        return False
    drift = abs(float(np.quantile(held[half:], 0.1) - np.quantile(held[:half], 0.1)))
    if drift > 1 and drift > 0.001 * float(longest.came[half] - longest.came[0]):
        return False
    moved = float(np.abs(np.diff(held)).sum())
    if named or not moved:
        return named
    if 2 * drift > 0.25 * moved:
        return False
    lows = [float(part.min()) for part in np.array_split(held, 8)]
    steps = [after - before for before, after in pairwise(lows) if after != before]
    one_way = all(step > 0 for step in steps) or all(step < 0 for step in steps)
    return not steps or not one_way or abs(lows[-1] - lows[0]) <= 0.25 * float(np.ptp(held))


def _moves(stretches: list[_Stretch]) -> bool:
    """Whether what is held rises and falls all the time, and usually stays for 5 ms or more.

    Two counters are read one after the other; the records in between show as held, but for a moment only.
    """
    changes = np.concatenate([np.diff(stretch.held) for stretch in stretches] or [np.empty(0)])
    seconds = sum(float(stretch.times[-1] - stretch.times[0]) for stretch in stretches) / 1000.0
    records = sum(float(stretch.came[-1] - stretch.came[0]) for stretch in stretches)
    if len(changes) < 8 or not records or not seconds:
        return False
    often = min(float((changes > 0).mean()), float((changes < 0).mean())) >= 0.2
    usual = float(np.median(np.concatenate([stretch.held for stretch in stretches])))
    return often and usual * seconds / records >= 0.005


def _busy_of(instants: _Instants, vertex: _Vertex, subtasks: list[int]) -> Floats | None:
    found = vertex.lines.get("busyTimeMsPerSecond")
    table = _table(instants, found, settled=True) if found else None
    return table.values if table is not None and table.subtasks == subtasks else None


def _plateau(held: Floats, busy: Floats | None) -> Flags:
    """Where as many are in flight as are let in.

    At its capacity an operator holds the same number again and again, so that samples pile up at the highest value
    (within 1 %; one in a thousand may be read amiss) and few lie just below it; a load that peaks spreads out
    instead, and its highest samples stand alone. Those of a plateau lie side by side, or the attempt ends there. The
    level must also stand out from the day's usual one, or the task be busy all the time: a task that waits for room
    counts as busy.
    """
    none = np.zeros(held.shape, bool)
    known = held[np.isfinite(held)]
    if len(known) < 3:
        return none
    chance = len(known) // 1000
    level = float(np.partition(known, -3 - chance)[-3 - chance])
    top, below = int((known >= 0.99 * level).sum()), int(((known >= 0.95 * level) & (known < 0.99 * level)).sum())
    if level < 10 or top < 2 * below or int((known > 1.05 * level).sum()) > chance:
        return none
    near = held >= _PLATEAU * level
    edge = np.zeros_like(near[:, :1])
    follows = np.concatenate((edge, near[:, :-1]), axis=1)
    precedes = np.concatenate((near[:, 1:] | np.isnan(held[:, 1:]), edge), axis=1)
    plateau = near & (follows | precedes)
    if plateau.sum() < max(3, near.sum() / 2):
        return none
    if level >= 2 * float(np.median(known)):
        return plateau
    at = busy[plateau] if busy is not None else np.empty(0)
    at = at[np.isfinite(at)]
    return plateau if len(at) and float(np.median(at)) >= 900 else none


def _lasting(plateau: Flags) -> Flags:
    """The instants on a plateau whose instant before is on it too."""
    return plateau & np.concatenate((np.zeros_like(plateau[:, :1]), plateau[:, :-1]), axis=1)


def _stays(stretch: _Stretch, block: int, into: Floats) -> None:
    """How long a record stays, a value at the end of each block of instants (in ms).

    Little's law: the mean number held / the records a second that went out. It holds over times much longer than the
    stay itself, so a block lasts a minute or more and a stay of half of it is left out.
    """
    blocks = stretch.places // block
    starts = np.flatnonzero(np.concatenate(([True], np.diff(blocks) > 0)))
    ends = np.concatenate((starts[1:], [len(blocks)])) - 1
    number = ends - starts + 1
    seconds = (stretch.times[ends] - stretch.times[starts]) / 1000.0
    gone = stretch.came - stretch.held
    out = gone[ends] - gone[starts]
    use = (number >= 3) & (out >= 10)
    mean = np.add.reduceat(stretch.held, starts) / number
    stay = mean[use] * seconds[use] / out[use]
    into[stretch.places[ends[use]]] = np.where(stay <= seconds[use] / 2, stay * 1000.0, np.nan)


def _in_flight(instants: _Instants, held: _Held) -> Iterator[Line]:
    """``inFlight`` (records), ``inFlightTime`` (ms), ``serviceRate`` (records a second).

    While in flight is at its plateau a record enters only when one leaves: the rate out is then all that the service
    behind the operator gives. Over all subtasks it is told where all are at their plateau.
    """
    service = np.where(_lasting(held.plateau), held.sent, np.nan)
    for row, subtask in enumerate(held.table.subtasks):
        key = held.key._replace(subtask=subtask)
        yield from instants.line(key, held.table.values[row])
        yield from instants.line(key._replace(metric="inFlightTime"), held.times[row])
        yield from instants.line(key._replace(metric="serviceRate"), service[row])
    if len(held.table.subtasks) > 1 or held.table.subtasks != [-1]:
        yield from instants.line(held.key._replace(metric="serviceRate"), service.sum(axis=0))


# Steady state, outages and catch-ups.


class _Phases:
    """At which instants a job works off a backlog, and at which it shows neither that nor its usual load."""

    _BEFORE = 20
    """Instants before an outage whose median is the rate that came then."""

    def __init__(self, instants: _Instants) -> None:
        self._instants = instants
        self._seconds = instants.seconds()
        self.catching = np.zeros(instants.count, bool)
        self.unsteady = np.zeros(instants.count, bool)

    def of_source(self, vertex: _Vertex, saturated: Flags) -> Iterator[Line]:
        """``catchingUp`` (1 or 0) and ``arrivalRate`` of a source, which is also taken into the job's account.

        A source catches up after the peak of a backlog (`_drains`), when it makes up for an outage (`_makes_up`), or
        while an operator behind it is as full as it gets.
        """
        counted = _counted(self._instants, *vertex.reading)
        if counted is None:
            return
        rate = counted[1].total()
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

    def _arrivals(self, vertex: _Vertex, rate: Floats) -> Floats:
        """Records a second read + growth of what waits, over five minutes or five instants.

        The demand, whatever the job makes of it. Over a restart nothing is told: what was read then is not known.
        """
        arrivals = np.full(self._instants.count, np.nan)
        if not (waiting := _metric(vertex, "pendingRecords")):
            return arrivals
        pending = _sum(self._instants, waiting)
        block = max(300_000 // self._instants.step, 5)
        read = rate * self._seconds
        ends = np.arange(block, self._instants.count, block)
        for end in ends[np.isfinite(pending[ends]) & np.isfinite(pending[ends - block])]:
            records = float(read[end - block + 1 : end + 1].sum() + pending[end] - pending[end - block])
            seconds = float(self._seconds[end - block + 1 : end + 1].sum())
            arrivals[end] = max(records / seconds, 0.0) if seconds > 0 else np.nan
        return arrivals

    def _drains(self, vertex: _Vertex, rate: Floats, usual: float) -> tuple[Flags, Flags, Flags]:
        """Where a backlog is clearly above its usual level, where it falls from its peak meanwhile, and where it is
        known that none is left, nor was at the instant before.

        Clearly above: three times the day's median, and ten seconds of records more than it. A day whose median is
        above a minute of records has no usual backlog: then its low, or a minute. What falls must have fallen by a
        tenth at last; an instant at which hardly anything is read is part of an outage.
        """
        high, drains, gone = np.zeros((3, self._instants.count), bool)
        for name, in_records in _BACKLOGS.items():
            if not (lines := _metric(vertex, name)):
                continue
            backlog = (_sum if in_records else _worst)(self._instants, lines)
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

    def _outages(self, vertex: _Vertex, rate: Floats, usual: float) -> Iterator[tuple[int, int]]:
        """First and last instant (excluded) of each time in which the source stood still.

        Either it reads less than a tenth of what it read just before, for a minute or longer, or its series start
        anew: then it was down since the last sample before.
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
        """The rate just before an instant; the day's usual one where nothing was before."""
        before = rate[max(0, place - 2 * self._BEFORE) : place]
        before = before[np.isfinite(before)][-self._BEFORE :]
        return float(np.median(before)) if len(before) >= 3 else usual

    def _makes_up(self, rate: Floats, usual: float, outages: list[tuple[int, int]]) -> Flags:
        """Where after an outage clearly more is read (a fifth) than before it.

        No more than came meanwhile can be made up for: half as much again and five minutes of records (what is read
        anew since the last checkpoint) end it, so that a load that has grown for good is not taken for a catch-up.
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

    def split(self, key: SeriesKey, metric: str, table: _Table, exact: bool, *, vertex: bool = False) -> Iterator[Line]:
        """A rate apart by phase: ``numRecordsInPerSecond.steady``, ``.catchup``; for a vertex also its sum as
        ``numRecordsInPerSecond.vertex.steady``, ``.vertex.catchup``.

        Neither holds an instant of an outage, of a backlog that still grows, or beside a catch-up: what is read then
        is neither the demand nor what the job can do. A meter remembers a minute, which is left out after each.
        """
        beside = 1 if exact else 1 + METER_WINDOW // self._instants.step
        other = self.catching | self.unsteady
        near = np.convolve(other, np.ones(2 * beside + 1), "same") > 0.5 if other.any() else other
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


def _worst(instants: _Instants, lines: list[Line]) -> Floats:
    """The largest at each instant, over subtasks and shards."""
    worst = np.full(instants.count, np.nan)
    for line in lines:
        places = instants.of(line.times)
        worst[places] = np.fmax(worst[places], line.values)
    return worst


# Checkpoints and processes.


def _checkpoint_share(of_job: dict[str, list[Line]]) -> Iterator[Line]:
    """``checkpointShare``: the last checkpoint's duration / the time between completed checkpoints.

    The time between is told by the counter of completed ones, over its last five steps up: scrapes fall anywhere
    between two checkpoints, and one step alone is off by a scrape interval.
    """
    durations = _joined(of_job.get("lastCheckpointDuration", ()))
    completed = _joined(of_job.get("numberOfCompletedCheckpoints", ()))
    if durations is None or completed is None or len(completed.times) < 3:
        return
    instants = _Instants([durations, completed])
    held = np.full(instants.count, np.nan)
    held[instants.of(durations.times)] = durations.values
    falls = np.flatnonzero(np.diff(completed.values) < 0) + 1
    shares = np.full(instants.count, np.nan)
    for start, end in pairwise((0, *falls.tolist(), len(completed.times))):
        times, numbers = completed.times[start:end], completed.values[start:end]
        ups = np.flatnonzero(np.diff(numbers) > 0) + 1
        if len(ups) < 2:
            continue
        later = np.arange(1, len(ups))
        earlier = np.maximum(later - 5, 0)
        each = (times[ups[later]] - times[ups[earlier]]) / (numbers[ups[later]] - numbers[ups[earlier]])
        places = instants.of(completed.times)[start:end][ups[later]]
        shares[places] = np.where(held[places] >= 0, held[places] / each, np.nan)
    key = durations.key._replace(metric="checkpointShare", counter=False)
    yield from instants.line(key, shares)


def _joined(lines: Iterable[Line]) -> Line | None:
    """The series of a day as one, the ids of the job's runs aside."""
    ordered = sorted(lines, key=lambda line: int(line.times[0]))
    if not ordered:
        return None
    times = np.concatenate([line.times for line in ordered])
    values = np.concatenate([line.values for line in ordered])
    kept = times > np.maximum.accumulate(np.concatenate(([-1], times[:-1])))
    return Line(ordered[-1].key, times[kept], values[kept])


_HEAP = "Status.JVM.Memory.Heap.Used"
_COLLECTORS = "Status.JVM.GarbageCollector."


def _of_process(lines: list[Line]) -> Iterator[Line]:
    for line in lines:
        if line.key.metric == _HEAP:
            yield from _live_set(line)
    yield from _gc_share([line for line in lines if line.key.metric.startswith(_COLLECTORS)])


def _live_set(heap: Line) -> Iterator[Line]:
    """``heapLiveSet`` (bytes): the least heap in use in each ten minutes, at the time of the last sample in them.

    Right after a collection the heap holds what lives and little else, and a collection of the young generation runs
    far more often than that; the highest of these lows is what the heap must hold. Less than three samples can all
    lie before a collection and are left out; where scrapes are rare, four of their steps are a window.
    """
    step = int(np.median(np.diff(heap.times))) if len(heap.times) > 1 else 0
    windows = heap.times // max(HEAP_WINDOW, 4 * step)
    starts = np.flatnonzero(np.concatenate(([True], np.diff(windows) > 0)))
    ends = np.concatenate((starts[1:], [len(windows)]))
    lows = np.minimum.reduceat(heap.values, starts)
    kept = (ends - starts >= 3) & np.isfinite(lows)
    if kept.any():
        yield Line(heap.key._replace(metric="heapLiveSet", counter=False), heap.times[ends[kept] - 1], lows[kept])


def _gc_share(lines: list[Line]) -> Iterator[Line]:
    """``gcTimeShare`` (0 to 1): the share of time garbage is collected.

    From the first of these that the release has: ``All.TimeMsPerSecond``; the sum of each collector's
    ``TimeMsPerSecond``; the growth of ``All.Time``, or of the sum of each collector's ``Time`` (ms, since the start).
    """
    rates, totals = ([line for line in lines if line.key.metric.endswith(end)] for end in (".TimeMsPerSecond", ".Time"))
    chosen = rates or totals
    together = [line for line in chosen if line.key.metric.startswith(_COLLECTORS + "All.")]
    chosen = together or chosen
    if not chosen:
        return
    instants = _Instants(chosen)
    share = _sum(instants, chosen, growth=not rates) / 1000.0
    key = chosen[0].key._replace(metric="gcTimeShare", counter=False)
    yield from instants.line(key, np.clip(share, 0.0, 1.0))

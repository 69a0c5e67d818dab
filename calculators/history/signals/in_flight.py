"""Signals of asynchronous operators: records in flight, how long they stay, and the service's maximum rate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from flink_flint.calculators.history.samples import SeriesKey
from flink_flint.calculators.history.signals.time_steps import (
    METER_WINDOW,
    Flags,
    Floats,
    Instants,
    Line,
    Places,
    Table,
    table_of,
)
from flink_flint.calculators.history.signals.vertices import Vertex
from flink_flint.linter.text.named_tuple import NamedTuple

_PLATEAU = 0.98


class InFlight(NamedTuple):
    """The records in flight in an operator, over time."""

    key: SeriesKey
    table: Table
    """The number of records that entered the operator and have not left it, by subtask and time step."""
    sent: Floats
    """The records per second that left the operator since the previous time step."""
    times: Floats
    """The time in milliseconds that a record stays in the operator, one value per block of time steps."""
    plateau: Flags
    """The time steps, as flags, at which the operator accepts no more records."""


class _Attempt(NamedTuple):
    """The counters of one subtask between two starts."""

    row: int
    places: Places
    times: Places
    came: Floats
    held: Floats
    """Records that came in and did not go out. If a start restored records from a checkpoint, those went out uncounted:
    the minimum is then taken as 0."""


def held_by(instants: Instants, vertex: Vertex, metrics: dict[str, list[Line]]) -> InFlight | None:
    """Compute the records in flight in an operator from its counters; return None if it is not asynchronous.

    In an asynchronous operator every record that came in goes out later: the difference of the counters rises, falls
    and returns. In a filter or a window it keeps growing, in a flat map it keeps falling, and in a map it is 0 except
    between the readings of two counters.
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
    attempts = list(_attempts(instants, subtasks, came, went))
    named = "async" in key.operator.lower()
    if not _bounded(attempts, named):
        return None
    held = np.full((len(subtasks), instants.count), np.nan)
    for attempt in attempts:
        held[attempt.row, attempt.places] = attempt.held
    plateau = _plateau(held, _busy_of(instants, vertex, subtasks))
    if not named and not _lasting(plateau).any() and not _moves(attempts):
        return None
    sent, times = np.full(held.shape, np.nan), np.full(held.shape, np.nan)
    block = max(METER_WINDOW // instants.step, 5)
    for attempt in attempts:
        gone = np.diff(attempt.came - attempt.held)
        sent[attempt.row, attempt.places[1:]] = gone * (1000.0 / np.diff(attempt.times))
        _stays(attempt, block, times[attempt.row])
    key = key._replace(metric="inFlight", subtask=-1, attempt=-1, tm="", part="", counter=False)
    return InFlight(key, Table(subtasks, held), sent, times, plateau)


def _same(one: Line, other: Line) -> bool:
    return one.key._replace(metric="", tm="") == other.key._replace(metric="", tm="")


def _attempts(instants: Instants, subtasks: list[int], came: list[Line], went: list[Line]) -> Iterator[_Attempt]:
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
                yield _Attempt(row, places[start:end], times[start:end], ins[start:end], held)


def _bounded(attempts: list[_Attempt], named: bool) -> bool:
    """Return whether the number in flight returns to its earlier level, over the longest range.

    Three signs of a drift: the low of the second half differs by more than a thousandth of the records of the first
    half; what falls is far less than what rises (or the reverse); the lows of eight parts only rise (or only fall).
    """
    longest = max(attempts, key=lambda attempt: len(attempt.held), default=None)
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


def _moves(attempts: list[_Attempt]) -> bool:
    """Return whether the number in flight changes constantly, and records usually stay for 5 ms or more.

    Two counters are read one after the other; the records in between count as in flight, but only for a moment.
    """
    changes = np.concatenate([np.diff(attempt.held) for attempt in attempts] or [np.empty(0)])
    seconds = sum(float(attempt.times[-1] - attempt.times[0]) for attempt in attempts) / 1000.0
    records = sum(float(attempt.came[-1] - attempt.came[0]) for attempt in attempts)
    if len(changes) < 8 or not records or not seconds:
        return False
    often = min(float((changes > 0).mean()), float((changes < 0).mean())) >= 0.2
    usual = float(np.median(np.concatenate([attempt.held for attempt in attempts])))
    return often and usual * seconds / records >= 0.005


def _busy_of(instants: Instants, vertex: Vertex, subtasks: list[int]) -> Floats | None:
    found = vertex.lines.get("busyTimeMsPerSecond")
    table = table_of(instants, found, settled=True) if found else None
    return table.values if table is not None and table.subtasks == subtasks else None


def _plateau(held: Floats, busy: Floats | None) -> Flags:
    """Return where as many records are in flight as the operator accepts.

    At its capacity an operator repeatedly holds the same number, so samples cluster at the highest value (within 1 %;
    one in a thousand may be misread) and few are just below it; under a load that peaks, samples are spread out and the
    highest ones are isolated. Samples of a plateau are consecutive, or the attempt ends there. The level must also be
    far above the day's usual one, or the task must be busy all the time, as a task that waits for room counts as busy.
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
    """Return the instants on a plateau whose previous instant is also on it."""
    return plateau & np.concatenate((np.zeros_like(plateau[:, :1]), plateau[:, :-1]), axis=1)


def _stays(attempt: _Attempt, block: int, into: Floats) -> None:
    """Write how long a record stays (in ms) to `into`, one value at the end of each block of instants.

    Little's law: the mean number in flight / the records per second that went out. It holds over times much longer than
    the stay itself, so a block lasts a minute or more and stays longer than half of it are omitted.
    """
    blocks = attempt.places // block
    starts = np.flatnonzero(np.concatenate(([True], np.diff(blocks) > 0)))
    ends = np.concatenate((starts[1:], [len(blocks)])) - 1
    number = ends - starts + 1
    seconds = (attempt.times[ends] - attempt.times[starts]) / 1000.0
    gone = attempt.came - attempt.held
    out = gone[ends] - gone[starts]
    use = (number >= 3) & (out >= 10)
    mean = np.add.reduceat(attempt.held, starts) / number
    stay = mean[use] * seconds[use] / out[use]
    into[attempt.places[ends[use]]] = np.where(stay <= seconds[use] / 2, stay * 1000.0, np.nan)


def in_flight(instants: Instants, held: InFlight) -> Iterator[Line]:
    """Yield ``inFlight`` (records), ``inFlightTime`` (ms), ``serviceRate`` and ``serviceRate.vertex`` (per second).

    While the number in flight is at its plateau a record enters only when one leaves: the output rate is then the
    maximum rate of the service that the operator calls. The rate of all subtasks together is reported if all are at
    their plateau.
    """
    service = np.where(_lasting(held.plateau), held.sent, np.nan)
    for row, subtask in enumerate(held.table.subtasks):
        key = held.key._replace(subtask=subtask)
        yield from instants.line(key, held.table.values[row])
        yield from instants.line(key._replace(metric="inFlightTime"), held.times[row])
        yield from instants.line(key._replace(metric="serviceRate"), service[row])
    if len(held.table.subtasks) > 1 or held.table.subtasks != [-1]:
        yield from instants.line(held.key._replace(metric="serviceRate.vertex"), service.sum(axis=0))

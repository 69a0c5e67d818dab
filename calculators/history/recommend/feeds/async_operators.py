"""Inputs for async operators: arrival rate, duration of calls, records in flight, and the service's maximum rate.

No metric reports capacity, timeout, threads or latency. Little's law gives the duration of a call from the records in
flight at a low load; a full queue repeatedly holds as many records as its capacity, and its output rate is then the
maximum rate of the service. From these follow the number of concurrent calls that the service handles, the capacity
that keeps it busy, and the time to drain a full queue, which the timeout must cover.
"""

from __future__ import annotations

import numpy as np

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.given_inputs import values_for
from flink_flint.calculators.formulas.async_calls import QUEUED_PER_THREAD
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    PER_SECOND,
    SECONDS,
    spell_count,
    spell_duration,
    spell_rate,
)
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.evidence import Evidence, Figure, Job, figure
from flink_flint.calculators.history.recommend.expected_demand import Expected, expected
from flink_flint.calculators.history.recommend.fill_inputs import Fed, Feeds, Lacking, Required, Surroundings, scaled
from flink_flint.calculators.history.store.histogram import middle_of
from flink_flint.calculators.inputs.async_io import AsyncIo
from flink_flint.linter.text.named_tuple import NamedTuple

_LOOKUP = "table.exec.async-lookup."
_READ_TIMEOUT = 2.0
"""Seconds assumed for the client's read timeout, unless calls usually take longer than a twentieth of it."""
_SLOW = 20
_DRAINS = 3
"""How many times as long as usual a full queue may take to drain before its records time out."""
_LONGEST_CATCH_UP = 20.0
_MIN_CATCH_UP = 2.0
_MIN_STAY = 0.005
"""Seconds; records that stay for less were counted between the readings of two counters, and not held back."""
_NEAR, _BELOW = 0.97, 0.90
"""The minimum shares of the peak number of records in flight for samples on the plateau and just below it."""


class _Service(NamedTuple):
    """The observations of the service that an operator calls."""

    time: Figure
    """Duration of a call at a low load in seconds."""
    rate: Figure | None
    """Maximum records per second of one subtask; None if the limit was never reached."""
    capacity: int | None
    """Records in flight in one subtask when no more are accepted; None if that was never reached."""


def feed(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for each async operator of a job."""
    for operator in job.operators.values():
        flying = operator.seen("inFlight")
        if flying is None or not is_async(operator):
            continue
        reason = operator.lacks("inFlight")
        if not reason and not operator.signal("inFlightTime"):
            reason = "the duration of a call is unknown"
        if reason:
            yield Lacking("async-io", operator, reason)
            continue
        yield _fed(operator, flying, around)


def is_async(operator: Evidence) -> bool:
    """Return whether an operator is asynchronous, judging by its name, a full queue, or how long records stay in it."""
    flying = operator.seen("inFlight")
    if flying is None:
        return False
    if "async" in operator.name.lower() or plateau(flying) is not None:
        return True
    stay = operator.signal("inFlightTime")
    return stay is not None and flying.percentile(0.5) >= 1 and stay.percentile(0.5) / 1000 >= _MIN_STAY


def plateau(flying: Observed) -> int | None:
    """Return the number of records in flight at which an operator accepts no more; None if it was not observed.

    Samples cluster within 3 % of the highest value and are rare just below it, and it is far above the usual value.
    """
    codes, counts = flying.histogram.codes, flying.histogram.counts
    values = np.array([middle_of(int(code)) for code in codes])
    top = values >= _NEAR * flying.peak
    below = float(counts[(values >= _BELOW * flying.peak) & ~top].sum())
    if flying.peak < 10 or counts[top].sum() < max(3.0, 2 * below) or flying.peak < 2 * flying.percentile(0.5):
        return None
    return as_written(float(np.average(values[top], weights=counts[top])))


def as_written(number: float) -> int:
    """Return the round number that was probably configured, within 2 % of a measured number: 10,000 for 10,004."""
    for digits in (1, 2, 3):
        near = float(f"{number:.{digits - 1}e}")
        if abs(near / number - 1) <= 0.02:
            return round(near)
    return round(number)


def _service(operator: Evidence, flying: Observed) -> _Service:
    stays = operator.signal("inFlightTime")
    assert stays is not None
    # There is little queuing at a low load; the lowest quarter of the samples is low enough.
    time = scaled(figure(stays, "p25", stays.percentile(0.25)))
    capacity, full = plateau(flying), operator.signal("serviceRate")
    # A rate reported while fewer were in flight belongs to a load that stopped, not to a service at its limit.
    rate = None if full is None or capacity is None else figure(full, "median", full.percentile(0.5))
    return _Service(time._replace(value=max(time.value, 0.0005)), rate, capacity)


def _fed(operator: Evidence, flying: Observed, around: Surroundings) -> Fed | Lacking:
    subtasks = flying.series
    vertex = around.vertex(operator.task)
    if vertex is not None and vertex.parallelism > 0:
        subtasks = vertex.parallelism
    service = _service(operator, flying)
    steady = operator.phase("numRecordsInPerSecond", "steady") or operator.known("numRecordsInPerSecond")
    if steady is None:
        return Lacking("async-io", operator, operator.lacks("numRecordsInPerSecond"))
    demand = operator.demand(steady.group.metric)
    p95 = figure(steady, "p95", steady.percentile(0.95, decayed=True))
    arriving = p95.scaled(subtasks)
    need = Expected(arriving, 1.0, ()) if demand is None else expected(demand, arriving, "elastic", PER_SECOND)
    arriving = need.figure
    if arriving.value <= 0:
        return Lacking("async-io", operator, "no records reach it")
    call = service.time.value
    read_timeout = max(_READ_TIMEOUT, rounded_up(_SLOW * call))
    given = values_for(
        AsyncIo,
        rate=arriving.value,
        read_timeout=read_timeout,
        mean_latency=call,
        latency=min(read_timeout, 2 * call),
        parallelism=subtasks,
        catch_up=_catch_up(operator, arriving.value, subtasks),
        capacity=service.capacity,
    )
    figures = {"rate": arriving, "mean_latency": service.time}
    because = [f"a call takes {spell_duration(call)}"]
    slowest = _slowest(operator) if service.rate is None else service.rate.value
    if service.rate is not None:
        given |= values_for(AsyncIo, limit=max(subtasks, round(slowest * subtasks * call)))
        figures["limit"] = service.rate
        because.append(f"its service handles at most {spell_rate(slowest * subtasks)}")
    if service.capacity is not None:
        last = f", of which the last one waits {spell_duration(service.capacity / slowest)}" if slowest else ""
        because.append(f"it accepts {spell_count(service.capacity)} in flight at once{last}")

    def timeout(answer: Answer) -> float:
        drained = _DRAINS * capacity_of(answer) / slowest if slowest else 0.0
        return rounded_up(max(float(answer.value("timeout")), drained))

    keys = ("async-io.capacity", "async-io.timeout")
    if "LookupJoin" in operator.name:
        keys = (f"{_LOOKUP}buffer-capacity", f"{_LOOKUP}timeout")
    return Fed(
        calculator="async-io",
        about=operator,
        surroundings=around,
        given={name: value for name, value in given.items() if value is not None},
        figures=figures,
        main=arriving,
        unit=PER_SECOND,
        meaning="Records that arrive at the operator",
        wanted=(
            Required(keys[0], of=capacity_of, unit=COUNT, current=service.capacity),
            Required(keys[1], of=timeout, unit=SECONDS, doubts=1),
        ),
        assumed=(
            f"each call blocks a thread, with {QUEUED_PER_THREAD} records per thread",
            f"the client's read timeout, which no metric reports, is {spell_duration(read_timeout)}",
        ),
        doubts=int(service.rate is None),
        margin=need.margin,
        demand=demand,
        tier="elastic",
        because=tuple(because),
        remarks=need.remarks,
    )


def capacity_of(answer: Answer) -> int:
    """Return an answer's capacity, rounded up to a multiple of 5 below 100, otherwise to two significant digits."""
    capacity = int(answer.value("capacity"))
    step = 5 if capacity < 100 else 10 ** (len(str(capacity)) - 2)
    return -(-capacity // step) * step


def _catch_up(operator: Evidence, rate: float, subtasks: int) -> float:
    """Return the ratio of the rate while a backlog is read to the usual rate."""
    seen = operator.signal("numRecordsInPerSecond.catchup")
    if seen is None:
        return _MIN_CATCH_UP
    return min(_LONGEST_CATCH_UP, max(_MIN_CATCH_UP, seen.percentile(0.95) * subtasks / rate))


def _slowest(operator: Evidence) -> float:
    """Return a rate that the service is known to sustain for one subtask."""
    rates = [operator.signal(f"numRecordsInPerSecond.{phase}") for phase in ("steady", "catchup")]
    return max((one.percentile(0.5) for one in rates if one is not None), default=0.0)

"""Async I/O: how many calls at once, how long to wait for one, and how many threads answer them.

## The formula
A call's longest way is `call = read timeout + connect timeout`, the latter only where connections are opened for
each call; with retries `call x (1 + retries) + retries x pause`.

With a thread pool behind the async function, `capacity` records wait for `pool` threads, so
`ceil(capacity / pool)` calls stand in line for each thread, and the last of them needs
`timeout >= ceil(capacity / pool) x call + margin`: Flink starts the clock of a record when the operator takes it, not
when a thread does (only Flink 1.9 also counts the wait before that). Pauses of an AsyncRetryStrategy keep no thread and
count once. Who swallows timeouts gains little: a pool goes on with calls that nobody waits for any more, so most of the
records behind them time out, too.

Threads wanted: `pool = ceil(rate x catch-up x latency / utilisation)` for one subtask, and `capacity = 2 x pool`: more
of it only lengthens the line inside the pool. A pool that several slots share serves each with its part of the threads.

With an asynchronous client nobody stands in line: `capacity = ceil(1.2 x ceil(rate x catch-up x latency))` calls in
flight (Little's law with 20 % to spare) and `timeout = 1.2 x call`.

The service sees at most `parallelism x min(pool, capacity)` calls at once.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: what timeout and
  capacity mean, that the timeout covers all retries, and that a timeout fails the job unless the function says else
- <https://cwiki.apache.org/confluence/pages/viewpage.action?pageId=65870673>: FLIP-12, the operator's queue
- <https://en.wikipedia.org/wiki/Little%27s_law>: calls in flight are rate times latency
"""

from __future__ import annotations

import math
from typing import NamedTuple

from calculators.answer import Answer, Chart, Point, Series, Snippet, Value
from calculators.calculator import Calculator, Way
from calculators.formulas.async_calls import (
    HEADROOM,
    calls_in_flight,
    capacity_of_client,
    drain,
    in_line,
    required_timeout,
    threads,
)
from calculators.inputs.async_io import AsyncIo, AsyncIoInForce, Service
from calculators.quantity import (
    BYTES,
    COUNT,
    PER_SECOND,
    SECONDS,
    significant,
    spell_count,
    spell_duration,
    spell_rate,
)
from linter.flink.releases import MINORS, Release, nearest_index

_QUEUED_PER_THREAD = 2
_FIRST_RETRIES = MINORS.index("1.16")
_TIMEOUT_ENDS_RETRIES = MINORS.index("2.0")


class _Plan(NamedTuple):
    """Capacity and threads of one subtask, with the sentences that led to them."""

    capacity: int
    pool: int | None
    binding: str
    steps: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def _plan(inputs: AsyncIo) -> _Plan:
    if inputs.rate is None:
        assert inputs.capacity is not None
        pool = None if inputs.pool is None else max(1, inputs.pool // inputs.shared_by)
        return _Plan(inputs.capacity, pool, "", _sharing(inputs, inputs.pool))
    assert inputs.latency is not None
    rate = inputs.rate * inputs.catch_up / inputs.parallelism
    steps = [
        (
            f"Each subtask gets {spell_rate(inputs.rate)} x {significant(inputs.catch_up)} / "
            f"{spell_count(inputs.parallelism)} = {spell_rate(rate)} while it catches up."
        )
    ]
    most = None if inputs.limit is None else inputs.limit // inputs.parallelism
    if inputs.client == "async":
        flying = calls_in_flight(rate, inputs.latency)
        capacity = capacity_of_client(rate, inputs.latency)
        steps.append(
            f"Little's law: {spell_rate(rate)} x {spell_duration(inputs.latency)} = {spell_count(flying)} calls in "
            f"flight; with 20 % to spare the capacity is {spell_count(capacity)}."
        )
        binding = f"{spell_count(flying)} calls are in flight at once at the rate of a catch-up"
        if most is None or capacity <= most:
            return _Plan(capacity, None, binding, tuple(steps))
        return _Plan(most, None, *_limited(inputs, most, most / inputs.latency / HEADROOM, steps))
    time = inputs.service_time
    assert time is not None
    pool = threads(rate, time, inputs.utilisation)
    steps.append(
        f"Threads: {spell_rate(rate)} x {spell_duration(time)} / {significant(inputs.utilisation)} = "
        f"{spell_count(pool)} for a subtask."
    )
    if most is not None and pool > most:
        plan = _limited(inputs, most, most * inputs.utilisation / time, steps)
        return _Plan(_QUEUED_PER_THREAD * most, most, *plan)
    capacity = _QUEUED_PER_THREAD * pool
    steps.append(
        f"Capacity: 2 x {spell_count(pool)} = {spell_count(capacity)} keeps every thread in work; more only lengthens "
        "the line."
    )
    binding = f"{spell_count(pool)} threads are busy at the rate of a catch-up"
    return _Plan(capacity, pool, binding, tuple(steps))


def _limited(
    inputs: AsyncIo, most: int, carried: float, steps: list[str]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Binding, steps and warnings where the service's limit decides; `carried` per second and subtask."""
    assert inputs.limit is not None
    step = (
        f"The service bears {spell_count(inputs.limit)} calls at once, so {spell_count(most)} from each of "
        f"{spell_count(inputs.parallelism)} subtasks."
    )
    warning = (
        f"within the service's limit the job answers {spell_rate(carried * inputs.parallelism)}, less than the "
        f"{spell_rate((inputs.rate or 0) * inputs.catch_up)} of a catch-up: the operator holds the source back"
    )
    return f"the service bears {spell_count(inputs.limit)} calls at once", (*steps, step), (warning,)


def _sharing(inputs: Service, pool: int | None) -> tuple[str, ...]:
    if pool is None or inputs.shared_by == 1:
        return ()
    return (
        (
            f"{spell_count(inputs.shared_by)} subtasks share the pool: {spell_count(pool)} / "
            f"{spell_count(inputs.shared_by)} = {spell_count(max(1, pool // inputs.shared_by))} threads for each."
        ),
    )


def _call_step(inputs: Service) -> str:
    parts = spell_duration(inputs.read_timeout)
    if not inputs.pooled and inputs.connect_timeout:
        parts = f"({parts} + {spell_duration(inputs.connect_timeout)})"
    if inputs.retries:
        parts += f" x {1 + inputs.retries} attempts"
        if inputs.pause and not inputs.pauses:
            parts += f" + {spell_count(inputs.retries)} x {spell_duration(inputs.pause)}"
    return f"The longest a call can take: {parts} = {spell_duration(inputs.call)}."


def size_async_io(inputs: AsyncIo, release: Release) -> Answer:
    """Capacity, timeout and pool for a load, or the timeout that a given capacity and pool want."""
    plan = _plan(inputs)
    call, capacity, pool = inputs.call, plan.capacity, plan.pool
    timeout = required_timeout(capacity, pool, call, inputs.margin, inputs.pauses)
    steps = [*plan.steps, _call_step(inputs)]
    values = [
        Value("timeout", timeout, SECONDS, "the timeout argument of AsyncDataStream", inputs.timeout),
        Value("capacity", capacity, COUNT, "the capacity argument, of each subtask", inputs.capacity),
    ]
    if pool is None:
        steps.append(f"Timeout: {spell_duration(call)} and a margin make {spell_duration(timeout)}.")
        binding = plan.binding or f"one call can take {spell_duration(call)}"
    else:
        line = in_line(capacity, pool)
        drained = drain(capacity, pool, call, inputs.pauses)
        steps.append(
            f"In line for each thread: {spell_count(capacity)} / {spell_count(pool)} = {spell_count(line)} calls; "
            f"{spell_count(line)} x {spell_duration(call)} = {spell_duration(line * call)}."
        )
        if inputs.pauses:
            steps.append(
                f"Flink's own retries pause {spell_count(inputs.retries)} x {spell_duration(inputs.pause)} besides, "
                f"without a thread: {spell_duration(drained)}."
            )
        steps.append(
            f"Timeout: {spell_duration(drained)} + {spell_duration(timeout - drained)} margin = "
            f"{spell_duration(timeout)}."
        )
        binding = plan.binding or f"{spell_count(line)} calls stand in line for each of {spell_count(pool)} threads"
        values += [
            Value("pool", pool * inputs.shared_by, COUNT, "threads of the pool", inputs.pool),
            Value("calls_in_line", line, COUNT, "calls in line for each thread when capacity is full"),
            Value("drain", drained, SECONDS, "until the last of them is answered, at worst"),
        ]
        if inputs.timeout is not None:
            values.append(
                Value(
                    "budget_per_call", inputs.timeout / line, SECONDS, "what a call may take with the timeout in force"
                )
            )
    at_once = inputs.parallelism * (capacity if pool is None else min(pool, capacity))
    values.append(Value("calls_at_once", at_once, COUNT, "what the service sees from all subtasks"))
    if time := inputs.service_time:
        values.append(
            Value("carried_rate", _carried(inputs, capacity, pool, time), PER_SECOND, "what the job then answers")
        )
    if inputs.record_size is not None:
        state = capacity * inputs.record_size * inputs.parallelism
        values.append(Value("state_in_flight", state, BYTES, "records in flight, written with every checkpoint"))
    errors, warnings = _judge(inputs)
    warnings += _retrying(inputs, release)
    if inputs.ordered and inputs.rate is not None:
        warnings.append(
            f"with orderedWait one slow call holds back up to {spell_count(capacity - 1)} results behind it; "
            "unorderedWait emits what is ready"
        )
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        elsewhere=(_snippet(inputs, capacity, pool, timeout),),
        errors=tuple(errors),
        warnings=(*plan.warnings, *warnings),
        chart=_chart(inputs, capacity, pool, timeout),
    )


def _carried(inputs: Service, capacity: int, pool: int | None, time: float) -> float:
    """Records per second that all subtasks answer while the service is well."""
    each = capacity / HEADROOM / time if pool is None else min(pool, capacity) * inputs.utilisation / time
    return each * inputs.parallelism


def _judge(inputs: AsyncIo) -> tuple[list[str], list[str]]:
    """Errors and warnings about the settings in force."""
    pool = None if inputs.pool is None else max(1, inputs.pool // inputs.shared_by)
    if inputs.client == "pool" and pool is None:
        return [], []
    errors: list[str] = []
    warnings: list[str] = []
    capacity = inputs.capacity
    if inputs.timeout is not None and inputs.timeout < inputs.call:
        (errors if inputs.timeout < (inputs.service_time or inputs.call) else warnings).append(
            _too_short(inputs.timeout, inputs.call)
        )
    if capacity is None or pool is None:
        return errors, warnings
    if capacity < pool:
        warnings.append(
            f"a capacity of {spell_count(capacity)} leaves {spell_count(pool - capacity)} of {spell_count(pool)} "
            "threads without work"
        )
    line = in_line(capacity, pool)
    if inputs.timeout is not None and inputs.timeout < drain(capacity, pool, inputs.call, inputs.pauses):
        errs, warns = _judge_line(inputs, line, inputs.timeout)
        errors += errs
        warnings += warns
    if inputs.rate is not None and (time := inputs.service_time) is not None:
        each, carried = inputs.rate / inputs.parallelism, min(pool, capacity) / time
        if each > carried:
            errors.append(
                f"{spell_count(min(pool, capacity))} calls at once of {spell_duration(time)} answer "
                f"{spell_rate(carried)} in a subtask, which gets {spell_rate(each)}: the operator holds the source back"
            )
    return errors, warnings


def _judge_line(inputs: AsyncIo, line: int, timeout: float) -> tuple[list[str], list[str]]:
    worst = line * inputs.call + inputs.pauses
    time = inputs.service_time
    told = f"{spell_count(line)} calls in line for a thread"
    if time is not None and line * time <= timeout:
        return [], [
            (
                f"{told}, {spell_duration(time)} each, take {spell_duration(line * time)} and fit the timeout of "
                f"{spell_duration(timeout)}, but only while calls stay below {spell_duration(timeout / line)}: at the "
                f"read timeout they take {spell_duration(worst)}"
            )
        ]
    each = inputs.call if time is None else time
    return [
        (
            f"{told}, {spell_duration(each)} each, take {spell_duration(line * each)}, more than the timeout of "
            f"{spell_duration(timeout)}: when capacity fills up, records time out and the job fails"
        )
    ], []


def _retrying(inputs: Service, release: Release) -> list[str]:
    """Warnings about the retries of Flink itself."""
    if not inputs.pauses:
        return []
    index = nearest_index(release)
    if index < _FIRST_RETRIES:
        return [f"Flink {release} has no AsyncRetryStrategy; 1.16 brought it"]
    if index < _TIMEOUT_ENDS_RETRIES:
        return [
            (
                f"Flink {release} asks the retry predicate about its own TimeoutException, too: one that takes any "
                "exception (HAS_EXCEPTION_PREDICATE) retries timeouts, which then bound nothing"
            )
        ]
    return []


def _snippet(inputs: AsyncIo, capacity: int, pool: int | None, timeout: float) -> Snippet:
    wait = "orderedWait" if inputs.ordered else "unorderedWait"
    milliseconds = math.ceil(round(timeout * 1000, 6))
    lines = [] if pool is None else [f"Executors.newFixedThreadPool({pool * inputs.shared_by});"]
    time = (
        f"{milliseconds // 1000}, TimeUnit.SECONDS"
        if milliseconds % 1000 == 0
        else f"{milliseconds}, TimeUnit.MILLISECONDS"
    )
    lines.append(f"AsyncDataStream.{wait}(stream, function, {time}, {capacity});")
    return Snippet("job source (Java)", "\n".join(lines))


def _chart(inputs: AsyncIo, capacity: int, pool: int | None, timeout: float) -> Chart | None:
    """The timeout that is needed against capacity."""
    if pool is None:
        return None
    now = inputs.capacity or capacity
    most = max(capacity, now) * 5 // 4
    xs = sorted({max(1, most * step // 40) for step in range(1, 41)})
    series = [
        Series(
            "calls as slow as may be",
            tuple((float(x), required_timeout(x, pool, inputs.call, inputs.margin, inputs.pauses)) for x in xs),
        )
    ]
    if time := inputs.service_time:
        series.append(Series("calls as usual", tuple((float(x), in_line(x, pool) * time) for x in xs)))
    points = [Point("recommended", float(capacity), timeout)]
    if inputs.timeout is not None and inputs.capacity is not None:
        points.append(Point("now", float(now), inputs.timeout))
    return Chart("Timeout needed against capacity", "capacity", COUNT, "timeout", SECONDS, tuple(series), tuple(points))


def carried_by_async_io(inputs: AsyncIoInForce, release: Release) -> Answer:
    """The load that capacity, timeout and pool in force carry."""
    call, capacity, time = inputs.call, inputs.capacity, inputs.service_time
    pool = None if inputs.pool is None or inputs.client == "async" else max(1, inputs.pool // inputs.shared_by)
    steps = [*_sharing(inputs, inputs.pool), _call_step(inputs)]
    values: list[Value] = []
    errors: list[str] = []
    if time is not None:
        carried = _carried(inputs, capacity, pool, time)
        values.append(Value("safe_rate", carried, PER_SECOND, "records per second over all subtasks"))
        at_once = (
            f"{spell_count(capacity)} / {HEADROOM}"
            if pool is None
            else (f"{spell_count(min(pool, capacity))} x {significant(inputs.utilisation)}")
        )
        steps.append(
            f"Rate: {at_once} / {spell_duration(time)} x {spell_count(inputs.parallelism)} = {spell_rate(carried)}."
        )
    if pool is None:
        if inputs.timeout < call:
            errors.append(_too_short(inputs.timeout, call))
        binding = f"{spell_count(capacity)} calls may be in flight in each subtask"
    else:
        margin = call if inputs.margin is None else inputs.margin
        apart = f" - {spell_duration(inputs.pauses)} of pauses" if inputs.pauses else ""
        rounds = max(0, math.floor(round((inputs.timeout - margin - inputs.pauses) / call, 9)))
        line = in_line(capacity, pool)
        values.append(
            Value("safe_capacity", rounds * pool, COUNT, "the most capacity whose line fits the timeout", capacity)
        )
        values.append(
            Value("slowest_call", inputs.timeout / line, SECONDS, "what a call may take when capacity is full")
        )
        steps.append(
            f"Capacity: ({spell_duration(inputs.timeout)} - {spell_duration(margin)}{apart}) / {spell_duration(call)} "
            f"= {spell_count(rounds)} calls in line for a thread; x {spell_count(pool)} = {spell_count(rounds * pool)}."
        )
        binding = f"{spell_count(line)} calls stand in line for each of {spell_count(pool)} threads"
        if inputs.timeout < call:
            errors.append(_too_short(inputs.timeout, call))
        elif rounds * pool < capacity:
            errors.append(
                f"a capacity of {spell_count(capacity)} is more than the {spell_count(rounds * pool)} that fit a "
                f"timeout of {spell_duration(inputs.timeout)} when calls take {spell_duration(call)}"
            )
    at_once_all = inputs.parallelism * (capacity if pool is None else min(pool, capacity))
    values.append(Value("calls_at_once", at_once_all, COUNT, "what the service sees from all subtasks"))
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=tuple(_retrying(inputs, release)),
    )


def _too_short(timeout: float, call: float) -> str:
    return (
        f"a timeout of {spell_duration(timeout)} ends calls that may take {spell_duration(call)}, and a timeout fails "
        "the job"
    )


CALCULATOR = Calculator(
    name="async-io",
    title="Async I/O: capacity, timeout and pool",
    question="My async calls time out",
    forward=Way(
        AsyncIo,
        size_async_io,
        {"rate": "3000/s", "latency": "40ms", "read_timeout": "2s", "parallelism": "4", "pool": "25",
         "capacity": "10000", "timeout": "4s"},
    ),
    reverse=Way(
        AsyncIoInForce,
        carried_by_async_io,
        {"pool": "200", "capacity": "5000", "timeout": "52s", "read_timeout": "2s", "latency": "40ms"},
    ),
)  # fmt: skip

"""Async I/O: how many calls to allow at once, how long to wait for one, and how many threads to make them with.

## The formula
The longest call takes `call = read timeout + connect timeout`, the latter only if a connection is opened for each
call; with retries `call x (1 + retries) + retries x pause`.

With a thread pool behind the async function, `capacity` records wait for `pool` threads, so
`ceil(capacity / pool)` calls queue for each thread, and the last of them needs
`timeout >= ceil(capacity / pool) x call + margin`: Flink starts a record's timer when the operator receives it, not
when a thread does (only Flink 1.9 also counts the wait before that). The margin is one call, unless another is given.
Pauses of an AsyncRetryStrategy occupy no thread and count once. Ignoring timeouts gains little: the pool continues
with calls whose results are discarded, so most of the records queued after them time out, too.

Threads needed: `pool = ceil(rate x catch-up x latency / utilization)` for one subtask, and `capacity = 2 x pool`: more
capacity only lengthens the queue of the pool. If several slots share a pool, each gets its part of the threads.

With an asynchronous client no call queues: `capacity = ceil(1.2 x ceil(rate x catch-up x latency))` calls in
flight (Little's law with 20 % to spare) and `timeout = 1.2 x call`, or `call + margin` where a margin is given.

The service sees at most `parallelism x min(pool, capacity)` calls at once. The rate they answer, `carried rate`, must
be enough for a catch-up, so the usual rate should not exceed `safe rate = carried rate / catch-up`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: what timeout and
  capacity mean, and that a timeout fails the job unless the function overrides that
- <https://github.com/apache/flink/pull/26774>: the timeout runs from the first attempt to the last, retries included
- <https://cwiki.apache.org/confluence/pages/viewpage.action?pageId=65870673>: FLIP-12, the operator's queue
- <https://en.wikipedia.org/wiki/Little%27s_law>: the number of calls in flight is rate times latency
"""

from __future__ import annotations

import math

from flink_flint.calculators.answer_parts.async_warnings import impossible, judge, retrying, too_many, too_short
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas.async_calls import (
    HEADROOM,
    at_once,
    calls_in_flight,
    capacity_of_client,
    capacity_of_pool,
    drain,
    in_line,
    line_within,
    margin_above,
    pool_of_subtask,
    required_timeout,
    sustained_rate,
    threads,
)
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    PER_SECOND,
    SECONDS,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_rate,
)
from flink_flint.calculators.inputs.async_io import AsyncIo, CurrentAsyncIo, Service
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple


class _Plan(NamedTuple):
    """Capacity and threads of one subtask, with their reasoning."""

    capacity: int
    pool: int | None
    steps: tuple[str, ...]
    limited: str = ""
    """The limit of the service as a clause; empty if it does not decide."""
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def _plan(inputs: AsyncIo) -> _Plan:
    if inputs.rate is None:
        assert inputs.capacity is not None
        return _Plan(inputs.capacity, inputs.threads_of(inputs.pool), _sharing(inputs, inputs.pool))
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
            f"Little's law: {spell_rate(rate)} x {spell_duration(inputs.latency)} = {counted(flying, 'call')} in "
            f"flight; with 20 % to spare the capacity is {spell_count(capacity)}."
        )
        if most is None or capacity <= most:
            return _Plan(capacity, None, tuple(steps))
        return _Plan(
            most, None, *_limited(inputs, most, inputs.latency, _carried(inputs, most, None, inputs.latency), steps)
        )
    time = inputs.service_time
    assert time is not None
    pool = threads(rate, time, inputs.utilization)
    steps.append(
        f"Threads: {spell_rate(rate)} x {spell_duration(time)} / {significant(inputs.utilization)} = "
        f"{spell_count(pool)} for a subtask."
    )
    if most is not None and pool > most:
        capacity = capacity_of_pool(most)
        return _Plan(capacity, most, *_limited(inputs, most, time, _carried(inputs, capacity, most, time), steps))
    capacity = capacity_of_pool(pool)
    steps.append(
        f"Capacity: 2 x {spell_count(pool)} = {spell_count(capacity)} keeps every thread busy; more only lengthens "
        "the queue."
    )
    return _Plan(capacity, pool, tuple(steps))


def _limited(
    inputs: AsyncIo, most: int, time: float, carried: float, steps: list[str]
) -> tuple[tuple[str, ...], str, tuple[str, ...], tuple[str, ...]]:
    """Return steps, binding, warnings and errors where the service's limit decides.

    `most` calls at once per subtask, `time` seconds each; `carried` calls per second by all subtasks.
    """
    assert inputs.limit is not None
    assert inputs.rate is not None
    step = (
        f"The service accepts {counted(inputs.limit, 'call')} at once, so {spell_count(most)} from each of "
        f"{counted(inputs.parallelism, 'subtask')}."
    )
    binding = f"the service accepts {counted(inputs.limit, 'call')} at once"
    full = most / time * inputs.parallelism
    if full < inputs.rate:
        error = (
            f"within the service's limit the job answers {spell_rate(full)} at most, and {spell_rate(inputs.rate)} "
            "arrive: the backlog grows endlessly"
        )
        return (*steps, step), binding, (), (error,)
    warning = (
        f"within the service's limit the job answers {spell_rate(carried)}, less than the "
        f"{spell_rate(inputs.rate * inputs.catch_up)} of a catch-up: the operator holds the source back"
    )
    return (*steps, step), binding, (warning,), ()


def _sharing(inputs: Service, pool: int | None) -> tuple[str, ...]:
    if pool is None or inputs.shared_by == 1:
        return ()
    return (
        (
            f"{spell_count(inputs.shared_by)} subtasks share the pool: {spell_count(pool)} / "
            f"{spell_count(inputs.shared_by)} = {counted(pool_of_subtask(pool, inputs.shared_by), 'thread')} for each."
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
    if parts == spell_duration(inputs.call):
        return f"The longest a call can take: {parts}, the client's read timeout."
    return f"The longest a call can take: {parts} = {spell_duration(inputs.call)}."


def size_async_io(inputs: AsyncIo, release: Release) -> Answer:
    """Size capacity, timeout and pool for a load, or the timeout for a given capacity and pool."""
    plan = _plan(inputs)
    call, capacity, pool = inputs.call, plan.capacity, plan.pool
    timeout = required_timeout(capacity, pool, call, inputs.margin, inputs.pauses)
    steps = [*plan.steps, _call_step(inputs)]
    values = [
        Value("timeout", timeout, SECONDS, "the timeout argument of AsyncDataStream", inputs.timeout),
        Value("capacity", capacity, COUNT, "the capacity argument, of each subtask", inputs.capacity),
    ]
    if pool is None:
        room = f"20 % of it ({spell_duration(timeout - call)})"
        if inputs.margin is not None:
            room = f"a margin of {spell_duration(inputs.margin)}"
        steps.append(f"Timeout: {spell_duration(call)} + {room} = {spell_duration(timeout)}.")
        binding = f"one call can take {spell_duration(call)}, and {room} {'is' if inputs.margin is None else 'comes'} "
        binding += "added" if inputs.margin is None else "on top"
    else:
        line = in_line(capacity, pool)
        drained = drain(capacity, pool, call, inputs.pauses)
        steps.append(
            f"Queued for each thread: {spell_count(capacity)} / {spell_count(pool)} = {counted(line, 'call')}; "
            f"{spell_count(line)} x {spell_duration(call)} = {spell_duration(drain(capacity, pool, call))}."
        )
        if inputs.pauses:
            steps.append(
                f"Flink's own retries add pauses of {spell_count(inputs.retries)} x {spell_duration(inputs.pause)} "
                f"without a thread: {spell_duration(drained)}."
            )
        steps.append(
            f"Timeout: {spell_duration(drained)} + {spell_duration(timeout - drained)} margin = "
            f"{spell_duration(timeout)}."
        )
        binding = _line_binding(line, pool, call, timeout - drained)
        values += [
            Value("pool", pool * inputs.shared_by, COUNT, "threads of the pool", inputs.pool),
            Value("calls_in_line", line, COUNT, "calls queued for each thread when capacity is full"),
            Value("drain", drained, SECONDS, "until the last of them is answered, at worst"),
        ]
        if inputs.timeout is not None:
            values.append(
                Value(
                    "budget_per_call",
                    inputs.timeout / line,
                    SECONDS,
                    "the time a call may take with the current timeout",
                )
            )
    if plan.limited:
        binding += f"; {plan.limited}"
    values.append(
        Value(
            "calls_at_once",
            inputs.parallelism * at_once(capacity, pool),
            COUNT,
            "calls that the service sees from all subtasks",
        )
    )
    if time := inputs.service_time:
        values += _rates(inputs, _carried(inputs, capacity, pool, time))
    if inputs.record_size is not None:
        state = capacity * inputs.record_size * inputs.parallelism
        values.append(Value("state_in_flight", state, BYTES, "records in flight, written with every checkpoint"))
    errors, warnings = judge(inputs)
    threads_in_all = None if pool is None else pool * inputs.shared_by
    none = impossible(capacity, threads_in_all)
    errors = [*plan.errors, *errors]
    warnings += too_many(pool) + retrying(inputs, release)
    if inputs.ordered and inputs.rate is not None:
        warnings.append(
            f"with orderedWait one slow call delays up to {spell_count(capacity - 1)} results after it; "
            "unorderedWait emits what is ready"
        )
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        elsewhere=() if none else (_snippet(inputs, capacity, pool, timeout),),
        errors=(*none, *errors),
        warnings=(*plan.warnings, *warnings),
        chart=_chart(inputs, capacity, pool, timeout),
    )


def _line_binding(line: int, pool: int, call: float, margin: float) -> str:
    """Return the reason for the timeout where a thread pool answers."""
    if line == 1:
        text = f"1 call is queued for each of {counted(pool, 'thread')} and may take {spell_duration(call)}"
    else:
        text = (
            f"{counted(line, 'call')} are queued for each of {counted(pool, 'thread')}, and each may take "
            f"{spell_duration(call)}"
        )
    return text if not margin else f"{text}, with a margin of {spell_duration(margin)}"


def _rates(inputs: Service, carried: float) -> list[Value]:
    """Return the values for the rate answered during a catch-up and the usual rate that is safe."""
    usual = "records per second that may arrive"
    if inputs.catch_up > 1:
        usual = f"records per second that may usually arrive; a catch-up is {significant(inputs.catch_up)} times that"
    return [
        Value("carried_rate", carried, PER_SECOND, "records per second the job answers, as in a catch-up"),
        Value("safe_rate", carried / inputs.catch_up, PER_SECOND, usual),
    ]


def _carried(inputs: Service, capacity: int, pool: int | None, time: float) -> float:
    """Return the records per second that all subtasks process while the service is healthy."""
    return sustained_rate(capacity, pool, time, inputs.utilization) * inputs.parallelism


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
    """Return a chart of the required timeout against capacity."""
    if pool is None:
        return None
    now = inputs.capacity or capacity
    most = max(capacity, now) * 5 // 4
    xs = sorted({max(1, most * step // 40) for step in range(1, 41)})
    series = [
        Series(
            "slowest calls",
            tuple((float(x), required_timeout(x, pool, inputs.call, inputs.margin, inputs.pauses)) for x in xs),
        )
    ]
    if time := inputs.service_time:
        series.append(Series("usual calls", tuple((float(x), drain(x, pool, time)) for x in xs)))
    points = [Point("recommended", float(capacity), timeout)]
    if inputs.timeout is not None and inputs.capacity is not None:
        points.append(Point("now", float(now), inputs.timeout))
    return Chart("Timeout needed against capacity", "capacity", COUNT, "timeout", SECONDS, tuple(series), tuple(points))


def load_of_async_io(inputs: CurrentAsyncIo, release: Release) -> Answer:
    """Compute the load that the current capacity, timeout and pool sustain."""
    call, capacity, time = inputs.call, inputs.capacity, inputs.service_time
    pool = inputs.threads_of(inputs.pool)
    steps = [*_sharing(inputs, inputs.pool), _call_step(inputs)]
    values: list[Value] = []
    errors: list[str] = []
    if time is not None:
        carried = _carried(inputs, capacity, pool, time)
        values += reversed(_rates(inputs, carried))
        busy = (
            f"{spell_count(capacity)} / {HEADROOM}"
            if pool is None
            else (f"{spell_count(at_once(capacity, pool))} x {significant(inputs.utilization)}")
        )
        steps.append(
            f"Rate: {busy} / {spell_duration(time)} x {spell_count(inputs.parallelism)} = {spell_rate(carried)} "
            f"while it catches up; / {significant(inputs.catch_up)} = {spell_rate(carried / inputs.catch_up)} usually."
        )
    if pool is None:
        if inputs.timeout < call:
            errors.append(too_short(inputs.timeout, call))
        binding = f"{counted(capacity, 'call')} may be in flight in each subtask"
    else:
        margin = margin_above(call, inputs.margin)
        apart = f" - {spell_duration(inputs.pauses)} of pauses" if inputs.pauses else ""
        rounds = line_within(inputs.timeout, call, inputs.margin, inputs.pauses)
        line = in_line(capacity, pool)
        values.append(
            Value("safe_capacity", rounds * pool, COUNT, "the largest capacity whose queue fits the timeout", capacity)
        )
        values.append(
            Value("slowest_call", inputs.timeout / line, SECONDS, "the time a call may take when capacity is full")
        )
        steps.append(
            f"Capacity: ({spell_duration(inputs.timeout)} - {spell_duration(margin)}{apart}) / {spell_duration(call)} "
            f"= {counted(rounds, 'call')} queued for a thread; x {spell_count(pool)} = {spell_count(rounds * pool)}."
        )
        binding = (
            f"{counted(rounds, 'call')} queued for each of {counted(pool, 'thread')}, {spell_duration(call)} each, "
            f"and a margin of {spell_duration(margin)} fit the timeout of {spell_duration(inputs.timeout)}"
        )
        if inputs.timeout < call:
            errors.append(too_short(inputs.timeout, call))
        elif rounds * pool < capacity:
            errors.append(
                f"a capacity of {spell_count(capacity)} is more than the {spell_count(rounds * pool)} that fit a "
                f"timeout of {spell_duration(inputs.timeout)} when calls take {spell_duration(call)}"
            )
    if time is not None:
        binding = _rate_binding(inputs, capacity, pool, time)
    values.append(
        Value(
            "calls_at_once",
            inputs.parallelism * at_once(capacity, pool),
            COUNT,
            "calls that the service sees from all subtasks",
        )
    )
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=(*too_many(pool), *retrying(inputs, release)),
    )


def _rate_binding(inputs: Service, capacity: int, pool: int | None, time: float) -> str:
    """Return the reason for the safe rate."""
    leaves = "everything that arrives must fit them"
    if inputs.catch_up > 1:
        leaves = f"a catch-up at {significant(inputs.catch_up)} times the usual rate must fit them"
    if pool is None:
        return (
            f"{counted(capacity, 'call')} of {spell_duration(time)} may be in flight in each subtask, with 20 % to "
            f"spare, and {leaves}"
        )
    busy = at_once(capacity, pool)
    called = counted(busy, "thread") if pool <= capacity else f"{counted(busy, 'call')} at once"
    return (
        f"{called} may be busy with calls of {spell_duration(time)} for "
        f"{spell_fraction(inputs.utilization)} of the time, and {leaves}"
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
        CurrentAsyncIo,
        load_of_async_io,
        {"pool": "200", "capacity": "5000", "timeout": "52s", "read_timeout": "2s", "latency": "40ms"},
    ),
)  # fmt: skip

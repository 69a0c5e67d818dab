"""Checkpoints: their interval, their timeout, and the pause between them.

## The formula
A checkpoint keeps the coordinator busy for `busy = duration + finalization`: from the trigger to the last task's
acknowledgement, and until the JobManager has written the metadata. Flink starts no other checkpoint before that. An
unknown duration is estimated as `state size / bandwidth`.

The interval is a compromise between the cost of checkpoints and the cost of a failure:

- `interval >= busy / load`: checkpoints run half of the time at most (`load` 50 %);
- `interval >= cost / overhead`: the time each one stops processing, the synchronous part and the alignment, takes 5 %
  of the time at most;
- `interval + busy <=` the latency of exactly-once sinks: they commit when a checkpoint is complete;
- `interval + busy <=` the input that may be read again: a failure just before the next checkpoint is complete goes
  back to the start of the last complete one;
- `downtime + (interval + busy + downtime) / (catch-up - 1) <=` the time to recover: the input that accumulated is read
  at `catch-up` times the usual rate.

Between them the interval that loses least time is Young's `sqrt(2 x cost x MTBF)`, exactly
`MTBF x (1 + r + W0(-exp(-(1 + r))))` with `r = cost / MTBF` and Lambert's W. Without cost and MTBF it is the current
interval, or one minute, within the bounds.

`timeout = max(3 x busy, 10 min)` in whole minutes, unless the current one is `3 x busy` or more.
`min-pause = interval x (1 - load)`: when checkpoints take longer than the interval, the pause still leaves the job its
share of the time.
Flink raises an interval below the pause to the pause.
`tolerable failures = ceil((outage + busy) / interval)`, the checkpoints that fail while their storage is unavailable.
A Kafka transaction must outlast the timeout and the tolerable failures, among others: see `kafka-transactions`.

Barriers that need more than 30 % of the timeout (alignment and start delay) are delayed by backpressure: the barriers
of unaligned checkpoints overtake the records once the aligned timeout is over.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>: the
  settings, one checkpoint at a time with a pause, failures in a row
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/>: intervals that
  checkpoints outlast, and the pause as the remedy
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpointing_under_backpressure/>: unaligned
  checkpoints, their limits, and the timeout of aligned ones
- <https://arxiv.org/abs/1911.11915>: the best interval of a stream processor depends on cost and failure rate alone
- <https://en.wikipedia.org/wiki/Lambert_W_function>: the function in the exact optimum
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from flink_flint.calculators.answer_parts.checkpoint_warnings import held_up, in_java, judge
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas import checkpoint_timing as timing
from flink_flint.calculators.formulas.duration_rounding import rounded_down, rounded_up, whole_minutes
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    FRACTION,
    SECONDS,
    counted,
    significant,
    spell_duration,
    spell_fraction,
    spell_size,
)
from flink_flint.calculators.formulas.transactions import longest_open
from flink_flint.calculators.inputs.checkpoint import PREFIX, Checkpoint, CurrentCheckpoint, Judged
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_SHORTEST = 0.01
"""The minimum interval in seconds; Flink refuses a shorter one."""
_USUAL = 60.0
"""The interval in seconds if no requirement determines another one."""


# -- from needs to settings


class _Bound(NamedTuple):
    """One end of the interval's range."""

    seconds: float
    reason: str
    """The reason as a clause."""


def _bounds(inputs: Checkpoint) -> tuple[list[_Bound], list[_Bound], list[str]]:
    """Return the lower and upper bounds of the interval, and the steps to them."""
    busy = inputs.busy
    takes = spell_duration(busy)
    least = timing.min_interval(busy, inputs.load)
    low = [_Bound(least, f"a checkpoint of {takes} may run {spell_fraction(inputs.load)} of the time")]
    steps = [f"Load: {takes} / {spell_fraction(inputs.load)} = {spell_duration(least)} at least."]
    if inputs.cost is not None:
        seconds = timing.min_interval_of_cost(inputs.cost, inputs.overhead)
        cost, overhead = spell_duration(inputs.cost), spell_fraction(inputs.overhead)
        low.append(_Bound(seconds, f"{cost} without processing may be {overhead} of the time"))
        steps.append(f"Overhead: {cost} / {overhead} = {spell_duration(seconds)} at least.")
    high = []
    for required, label, reason in (
        (inputs.latency, "Latency", "results must be visible within"),
        (inputs.replay, "Replay", "the input read again must not exceed"),
    ):
        if required is not None:
            seconds = timing.longest_interval(required, busy)
            high.append(_Bound(seconds, f"{reason} {spell_duration(required)}"))
            steps.append(f"{label}: {spell_duration(required)} - {takes}{_at_most(seconds)}.")
    if inputs.recovery is not None:
        down, faster = spell_duration(inputs.downtime), inputs.catch_up - 1
        seconds = timing.interval_for_recovery(inputs.recovery, busy, inputs.downtime, inputs.catch_up)
        high.append(_Bound(seconds, f"the job must have caught up within {spell_duration(inputs.recovery)}"))
        steps.append(
            f"Recovery: ({spell_duration(inputs.recovery)} - {down}) x {significant(faster)} - {down} - "
            f"{takes}{_at_most(seconds)}."
        )
    return low, high, steps


def _at_most(seconds: float) -> str:
    """Return the end of a step that computes an upper bound of the interval."""
    return f" = {spell_duration(seconds)} at most" if seconds > 0 else " leaves no time for an interval"


class _Interval(NamedTuple):
    seconds: float
    binding: str
    steps: list[str]
    errors: list[str]
    least: float
    most: float | None


def _interval(inputs: Checkpoint) -> _Interval:
    """Return the recommended interval within its bounds."""
    low, high, steps = _bounds(inputs)
    floor, ceiling = max(*low, _Bound(_SHORTEST, "Flink accepts no shorter interval")), min(high, default=None)
    best: _Bound | None = None
    if inputs.cost is not None and inputs.mtbf is not None:
        exact = timing.optimum(inputs.cost, inputs.mtbf)
        first = timing.young(inputs.cost, inputs.mtbf)
        cost, mtbf = spell_duration(inputs.cost), spell_duration(inputs.mtbf)
        best = _Bound(exact, f"{cost} of cost and a failure every {mtbf} lose the least time")
        steps.append(
            f"Least time lost: Young's sqrt(2 x {cost} x {mtbf}) = {spell_duration(first)}; "
            f"exactly {spell_duration(exact)}."
        )
    usual = _Bound(_USUAL, "no requirement calls for more or less than the usual minute")
    if inputs.interval is not None:
        usual = _Bound(inputs.interval, "the current interval is sufficient")
    chosen = max(floor, best or usual)
    seconds = inputs.interval if chosen.seconds == inputs.interval else rounded_up(chosen.seconds)
    errors: list[str] = []
    if ceiling is not None and ceiling.seconds < floor.seconds:
        chosen, seconds = floor, rounded_up(floor.seconds)
        errors.append(
            f"no interval is both at least {spell_duration(floor.seconds)} ({floor.reason}) and at most "
            f"{spell_duration(max(0.0, ceiling.seconds))} ({ceiling.reason}): shorten checkpoints or relax this"
        )
    elif ceiling is not None and ceiling.seconds < seconds:
        if ceiling.seconds < chosen.seconds:
            chosen = ceiling
        seconds = rounded_down(ceiling.seconds)
        if seconds < floor.seconds:
            seconds = ceiling.seconds
    wanted, written = spell_duration(chosen.seconds), spell_duration(seconds)
    steps.append(
        f"Interval: {chosen.reason}, so {written}."
        if wanted == written
        else f"Interval: {chosen.reason}, so {wanted}, rounded to {written}."
    )
    return _Interval(seconds, chosen.reason, steps, errors, floor.seconds, ceiling.seconds if ceiling else None)


def size_checkpoint(inputs: Checkpoint, release: Release) -> Answer:
    """Size interval, timeout, pause and tolerable failures from how long checkpoints take and what failures cost."""
    busy, plan = inputs.busy, _interval(inputs)
    interval, min_timeout = plan.seconds, timing.min_timeout(busy, inputs.slack)
    timeout = inputs.timeout
    if timeout < min_timeout:
        timeout = whole_minutes(timing.enough_timeout(busy, inputs.slack))
    pause = _pause(interval, inputs.load)
    replay = timing.worst_replay(interval, busy)
    steps = [
        *_duration_steps(inputs),
        *plan.steps,
        (
            f"Timeout: {significant(inputs.slack)} x {spell_duration(busy)} = {spell_duration(min_timeout)} at "
            f"least{_timeout_reason(inputs, timeout, min_timeout)}."
        ),
        (
            f"Pause: {spell_duration(interval)} x (100 % - {spell_fraction(inputs.load)}) = {spell_duration(pause)}: "
            "the job keeps that time when checkpoints take longer than the interval."
        ),
        (
            f"Read again after a failure, at worst: {spell_duration(interval)} + {spell_duration(busy)} = "
            f"{spell_duration(replay)}."
        ),
    ]
    settings: dict[str, Any] = {
        PREFIX + "interval": interval,
        PREFIX + "timeout": timeout,
        PREFIX + "min-pause": pause,
    }
    values = [
        Value("interval", interval, SECONDS, "between the starts of two checkpoints", inputs.interval),
        Value("timeout", timeout, SECONDS, "after which a checkpoint expires", inputs.timeout),
        Value("min_pause", pause, SECONDS, "from the end of one to the start of the next, at least", inputs.min_pause),
    ]
    if inputs.storage_outage is not None:
        failures = timing.tolerable_failures(inputs.storage_outage, interval, busy)
        settings[PREFIX + "tolerable-failed-checkpoints"] = failures
        values.append(
            Value(
                "tolerable_failures",
                failures,
                COUNT,
                "checkpoints that may fail in a row without a restart of the job",
                inputs.tolerable,
            )
        )
        steps.append(
            f"Tolerable failures: ({spell_duration(inputs.storage_outage)} + {spell_duration(busy)}) / "
            f"{spell_duration(interval)} = {counted(failures, 'checkpoint')} "
            "that may fail while the storage is unavailable."
        )
        unsafe = longest_open(interval, timeout, failures, 0.0)
        values.append(
            Value(
                "longest_without",
                unsafe,
                SECONDS,
                "the longest time without a complete checkpoint before the job restarts, at worst",
            )
        )
    values += [
        Value("least_interval", plan.least, SECONDS, "the shortest that leaves the job its share of the time"),
        *([Value("greatest_interval", max(0.0, plan.most), SECONDS, "the longest that meets the requirements")]
          if plan.most is not None else []),
        Value("least_timeout", min_timeout, SECONDS, "the shortest in which checkpoints complete on a bad day"),
        *_optimum_values(inputs, interval),
        Value("worst_replay", replay, SECONDS, "seconds of input that are read again after a failure, at worst"),
        Value("latency", replay, SECONDS, "until exactly-once sinks show a result, at worst"),
    ]  # fmt: skip
    if inputs.recovery is not None:
        recovered = timing.recovery_time(replay, inputs.downtime, inputs.catch_up)
        values.append(Value("recovery", recovered, SECONDS, "from a failure until the job has caught up, at worst"))
    errors, warnings = judge(inputs, min_timeout, plan.least, plan.most)
    delays, remedy = held_up(inputs, timeout, release)
    settings.update(remedy)
    return Answer(
        values=tuple(values),
        binding=plan.binding,
        steps=tuple(steps),
        settings=settings,
        remove=(PREFIX + "max-concurrent-checkpoints",) if inputs.concurrent > 1 else (),
        elsewhere=in_java(settings, release),
        errors=(*plan.errors, *errors),
        warnings=(*warnings, *delays),
        chart=_chart(inputs, interval),
    )


def _timeout_reason(inputs: Checkpoint, timeout: float, least: float) -> str:
    """Return the reason for a timeout above the minimum, as the end of a step."""
    text = spell_duration(timeout)
    if timeout == inputs.timeout:
        whose = "Flink's default of" if timeout == timing.DEFAULT_TIMEOUT else "the current"
        return f": {whose} {text} is enough and is kept"
    if timeout == timing.DEFAULT_TIMEOUT:
        return f"; no shorter than Flink's default of {text}, since a long timeout costs nothing while none expires"
    return f", in whole minutes {text}"


def _pause(interval: float, load: float) -> float:
    """Return the pause rounded to whole seconds, or to milliseconds below one second."""
    pause = timing.pause_of(interval, load)
    return float(-(-pause // 1)) if pause >= 5 else round(pause, 3)


def _duration_steps(inputs: Checkpoint) -> Iterator[str]:
    if inputs.duration is None:
        yield (
            f"Duration: {spell_size(inputs.state_size or 0)} / {spell_size(inputs.bandwidth or 0)}/s = "
            f"{spell_duration(inputs.lasts)}."
        )
    if inputs.finalize:
        yield (
            f"Busy: {spell_duration(inputs.lasts)} + {spell_duration(inputs.finalize)} to finalize = "
            f"{spell_duration(inputs.busy)}."
        )


def _optimum_values(inputs: Judged, interval: float) -> Iterator[Value]:
    if inputs.cost is None or inputs.mtbf is None:
        return
    yield Value("optimum", timing.optimum(inputs.cost, inputs.mtbf), SECONDS, "the interval that loses the least time")
    yield Value("young", timing.young(inputs.cost, inputs.mtbf), SECONDS, "Young's approximation of it")
    if interval >= inputs.cost:
        lost = timing.time_lost(interval, inputs.cost, inputs.mtbf)
        yield Value("time_lost", lost, FRACTION, "the share of time lost to checkpoints and to work done again")


def _chart(inputs: Checkpoint, interval: float) -> Chart:
    """Return a chart of the loss against the interval: time where cost and failures are known, else replayed input."""
    now = inputs.interval
    greatest = 3 * max(interval, now or 0.0)
    xs = [greatest * step / 60 for step in range(1, 61)]
    cost, mtbf = inputs.cost, inputs.mtbf
    y: Callable[[float], float]
    if cost is not None and mtbf is not None:
        title, label, unit = "Time lost against the interval", "time lost", FRACTION
        xs = [x for x in xs if x >= 2 * cost]

        def y(x: float) -> float:
            return timing.time_lost(max(x, cost), cost, mtbf)
    else:
        title, label, unit = "Time with a checkpoint running, against the interval", "load", FRACTION

        def y(x: float) -> float:
            return min(1.0, inputs.busy / x)

    points = [Point("recommended", interval, y(interval))]
    if now is not None:
        points.append(Point("now", now, y(now)))
    series = Series(label, tuple((x, y(x)) for x in xs))
    return Chart(title, "interval", SECONDS, label, unit, (series,), tuple(points))


# -- from settings to the load they sustain


def load_of_checkpoint(inputs: CurrentCheckpoint, release: Release) -> Answer:
    """Compute how long checkpoints may take with the current settings, and what a failure then costs."""
    longest = timing.longest_duration(
        inputs.interval, inputs.timeout, inputs.min_pause, load=inputs.load, slack=inputs.slack
    )
    gap = timing.effective_interval(inputs.interval, inputs.min_pause)
    unpaused = timing.duration_at_load(gap, inputs.load)
    by_timeout = timing.usual_duration(inputs.timeout, inputs.slack)
    by_load = timing.longest_duration(inputs.interval, math.inf, inputs.min_pause, load=inputs.load)
    paused = f", with the pause of {spell_duration(inputs.min_pause)} up to {spell_duration(by_load)}"
    if by_load <= unpaused:
        paused = ""
    steps = [
        (
            f"Timeout: {spell_duration(inputs.timeout)} / {significant(inputs.slack)} = {spell_duration(by_timeout)} "
            "for a usual checkpoint."
        ),
        f"Load: {spell_duration(gap)} x {spell_fraction(inputs.load)} = {spell_duration(unpaused)}{paused}.",
        f"So a checkpoint may usually take {spell_duration(longest)}.",
    ]
    every = timing.start_to_start(inputs.interval, longest, inputs.min_pause)
    replay = timing.worst_replay(every, longest)
    values = [
        Value(
            "safe_duration",
            longest,
            SECONDS,
            "the time a checkpoint with its finalization may take, at the 99th percentile",
        ),
        Value("longest_duration", inputs.timeout, SECONDS, "a checkpoint that takes longer expires"),
        Value("interval", gap, SECONDS, "between the starts of two checkpoints", inputs.interval),
        Value(
            "worst_replay",
            replay,
            SECONDS,
            "seconds of input that are read again when checkpoints are that long, at worst",
        ),
        Value(
            "storage_outage",
            inputs.tolerable * gap,
            SECONDS,
            "the approximate time the storage may be unavailable without a restart",
        ),
    ]
    if inputs.bandwidth is not None:
        size = int(longest * inputs.bandwidth)
        values.append(Value("safe_size", size, BYTES, "bytes that one checkpoint may write"))
        steps.append(
            f"Size: {spell_duration(longest)} x {spell_size(inputs.bandwidth)}/s = {spell_size(size)} for each one."
        )
    values += _optimum_values(inputs, gap)
    warnings = []
    if inputs.min_pause > inputs.interval:
        warnings.append(
            f"the interval of {spell_duration(inputs.interval)} is below the pause of "
            f"{spell_duration(inputs.min_pause)}, to which Flink raises it"
        )
    if longest < by_timeout:
        binding = f"checkpoints every {spell_duration(gap)} may run {spell_fraction(inputs.load)} of the time"
    else:
        binding = f"the timeout of {spell_duration(inputs.timeout)} leaves room for {significant(inputs.slack)} times"
    return Answer(values=tuple(values), binding=binding, steps=tuple(steps), warnings=tuple(warnings))


CALCULATOR = Calculator(
    name="checkpoint",
    title="Checkpoints: interval, timeout and pause",
    question="My checkpoints time out or never stop",
    forward=Way(
        Checkpoint,
        size_checkpoint,
        {"duration": "47.346s", "finalize": "2min", "interval": "60s", "timeout": "15min", "storage_outage": "10min"},
    ),
    reverse=Way(
        CurrentCheckpoint,
        load_of_checkpoint,
        {"interval": "5min", "timeout": "10min", "min_pause": "2min", "bandwidth": "200mb/s"},
    ),
)

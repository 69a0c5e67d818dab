"""Catch-up: how long reading a backlog takes, which records are lost meanwhile, and the load on sinks.

## The formula
The backlog grows while the job is down, and by the records that it must read again:
`backlog = lag + rate x (downtime + replay)`. Reading at `capacity` while records keep arriving at `rate` takes

`time = backlog / (capacity - rate)`

which never ends if the capacity does not exceed the rate. A throttle lowers the capacity, and so does a sink that
accepts less.

After a failure `downtime = detection + restart delay + redeployment + state / restore rate`. Detection is
`heartbeat.timeout` for a lost TaskManager; at worst, everything since the last checkpoint is read again: a whole
checkpoint interval.

The oldest record that waits is `backlog / rate` old when reading starts. Beyond the retention of the source, records
are deleted before they are read: `lost = (age - retention) x rate`. If records arrive faster than they are read, age
grows by `1 - capacity / rate` seconds per second, and the first record is lost after
`(retention - age) / (1 - capacity / rate)`.

A sink that fails instead of applying backpressure receives the whole capacity during a catch-up:
`peak = capacity x records written for each one read`. So reading must be limited to
`throttle = limit of the sink / records written for each one read`, which must itself be above the rate.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/state/large_state_tuning/>: capacity
  planning, with resources to catch up
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/>: restart
  time and catch-up duration in the autoscaler's capacity
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-33%3A+Standardize+Connector+Metrics>: pendingRecords
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: heartbeat.timeout, after which
  a TaskManager without heartbeats is considered lost
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas.backlog import (
    backlog_after,
    capacity_for,
    catch_up_time,
    largest_backlog,
    until_lost,
)
from flink_flint.calculators.formulas.quantity import (  # fmt: skip
    COUNT,
    PER_SECOND,
    SECONDS,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_rate,
    spell_size,
)
from flink_flint.calculators.inputs.catch_up import CatchUp, CurrentCatchUp, Reading
from flink_flint.linter.flink.release_spelling import duration_text
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_NEAR_RETENTION = 0.8
"""The part of the retention above which a delay risks the loss of records."""


# -- answers


def _failure_steps(inputs: Reading) -> Iterator[str]:
    if not inputs.failure:
        return
    parts = [
        f"{spell_duration(inputs.detection)} until noticed",
        f"{spell_duration(inputs.restart_delay)} pause",
        f"{spell_duration(inputs.redeployment)} redeployment",
    ]
    if inputs.restored:
        assert inputs.restore_rate is not None
        parts.append(
            f"{spell_size(inputs.state)} / {spell_size(inputs.restore_rate)}/s = {spell_duration(inputs.restored)} "
            "restoring"
        )
    if inputs.checkpoint_interval:
        parts.append(f"{spell_duration(inputs.checkpoint_interval)} read again since the last checkpoint")
    yield f"Failure: {' + '.join(parts)} = {spell_duration(inputs.failing)}."


def _reading_step(inputs: Reading) -> Iterator[str]:
    if inputs.throttle is not None:
        yield (
            f"Reading: the smaller of {spell_rate(inputs.capacity)} and the throttle of {spell_rate(inputs.throttle)} "
            f"= {spell_rate(inputs.reading)}."
        )


def size_catch_up(inputs: CatchUp, release: Release) -> Answer:
    """Compute how long reading the backlog takes, whether records are lost, and the peak load on the sink."""
    rate, reading = inputs.rate, inputs.reading
    lag = inputs.lag or rate * inputs.behind
    downtime = inputs.downtime + inputs.failing
    backlog = backlog_after(rate, lag, downtime)
    time = catch_up_time(rate, reading, backlog)
    age = backlog / rate
    steps = [*_failure_steps(inputs), *_reading_step(inputs)]
    if inputs.behind:
        steps.append(f"Waiting: {spell_rate(rate)} x {spell_duration(inputs.behind)} = {spell_count(round(lag))}.")
    steps.append(
        f"Backlog: {spell_count(round(lag))} + {spell_rate(rate)} x {spell_duration(downtime)} = "
        f"{counted(round(backlog), 'record')}, the oldest {spell_duration(age)} old."
    )
    gain = f"{spell_rate(reading)} - {spell_rate(rate)}"
    errors: list[str] = []
    warnings: list[str] = []
    held = "the throttle" if inputs.throttle is not None and inputs.throttle < inputs.capacity else "the job"
    if reading <= rate:
        as_many = "as many" if reading == rate else spell_rate(rate)
        binding = f"{held} reads {spell_rate(reading)} and {as_many} arrive"
    else:
        binding = f"{gain} = {spell_rate(reading - rate)} are left to read the backlog"
    if math.isinf(time):
        steps.append(f"Time: {gain} leaves nothing to catch up with: never.")
        grows = f"it grows by {spell_rate(rate - reading)}" if reading < rate else "it stays as large as it is"
        errors.append(f"{binding}: the backlog is never read, {grows}")
    elif reading == rate:
        steps.append("Time: no records wait, so there is nothing to catch up with.")
        warnings.append(f"{binding}: there is no headroom, and a backlog is never caught up")
    else:
        steps.append(f"Time: {spell_count(round(backlog))} / ({gain}) = {spell_duration(time)}.")
    values = [
        Value("catch_up_time", time, SECONDS, "until the backlog is read, from the time the job reads again"),
        Value("backlog", round(backlog), COUNT, "records that wait at that time"),
        Value("age", age, SECONDS, "the age of the oldest of them"),
        Value("downtime", downtime, SECONDS, "the time whose records wait: the job's downtime, and what is read again"),
        Value("reading", reading, PER_SECOND, "records read during the catch-up"),
    ]
    if inputs.throttle is not None and reading < inputs.capacity:
        free = catch_up_time(rate, inputs.capacity, backlog)
        values.append(Value("unthrottled_time", free, SECONDS, "until the backlog is read without the throttle"))
    snippets: list[Snippet] = []
    if inputs.deadline is not None:
        required = capacity_for(rate, backlog, inputs.deadline)
        values.append(
            Value("needed_capacity", required, PER_SECOND, "the reading rate that meets the deadline", inputs.capacity)
        )
        steps.append(
            f"Deadline: {spell_rate(rate)} + {spell_count(round(backlog))} / {spell_duration(inputs.deadline)} = "
            f"{spell_rate(required)} to be read."
        )
        if time > inputs.deadline and not math.isinf(time):
            errors.append(
                f"the backlog takes {spell_duration(time)}, longer than {spell_duration(inputs.deadline)}: reading "
                f"must reach {spell_rate(required)}"
            )
        snippets.append(
            Snippet(
                "Kubernetes operator's autoscaler, spec.flinkConfiguration",
                f"job.autoscaler.catch-up.duration: {duration_text(inputs.deadline)}",
            )
        )
    lost, close = _losses(inputs, age, reading)
    sink = _sink(inputs, backlog)
    return Answer(
        values=(*values, *sink.values),
        binding=binding,
        steps=(*steps, *sink.steps),
        elsewhere=tuple(snippets),
        errors=(*errors, *lost, *sink.errors),
        warnings=(*warnings, *close),
        chart=_chart(inputs, lag, downtime, backlog, time),
    )


def _losses(inputs: CatchUp, age: float, reading: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return errors about records that retention deletes unread, and warnings about those it may delete."""
    keeps = inputs.retention
    if keeps is None:
        return (), ()
    text = f"the oldest waiting record is {spell_duration(age)} old when reading starts, and the source keeps"
    if age > keeps:
        gone = round((age - keeps) * inputs.rate)
        return (
            f"{text} {spell_duration(keeps)}: {counted(gone, 'record')} {'is' if gone == 1 else 'are'} deleted unread",
        ), ()
    if reading < inputs.rate:
        left = until_lost(inputs.rate, reading, age, keeps)
        return (f"from {spell_duration(left)} on records are deleted unread, {spell_duration(keeps)} old",), ()
    if age > keeps * _NEAR_RETENTION:
        return (), (
            f"{text} {spell_duration(keeps)}: {spell_duration(keeps - age)} to spare, then records are deleted unread",
        )
    return (), ()


class _Sink(NamedTuple):
    """The load on a sink that applies no backpressure."""

    values: tuple[Value, ...] = ()
    steps: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def _sink(inputs: CatchUp, backlog: float) -> _Sink:
    limit, throttle = inputs.sink_limit, inputs.sink_throttle
    if limit is None or throttle is None:
        return _Sink()
    peak = inputs.reading * inputs.fan_out
    values: tuple[Value, ...] = (
        Value("peak_into_sink", peak, PER_SECOND, "records per second written to the sink during the catch-up"),
        Value("read_throttle", throttle, PER_SECOND, "the maximum reading rate the sink sustains", inputs.throttle),
    )
    step = (
        f"Sink: {spell_rate(inputs.reading)} x {significant(inputs.fan_out)} = {spell_rate(peak)} during the catch-up; "
        f"it accepts {spell_rate(limit)}."
    )
    if throttle <= inputs.rate:
        error = (
            f"the sink accepts {spell_rate(limit)} and always receives {spell_rate(inputs.rate * inputs.fan_out)}: no "
            "throttle protects it, it must accept more"
        )
        return _Sink(values, (step,), (error,))
    slow = catch_up_time(inputs.rate, min(throttle, inputs.capacity), backlog)
    values = (*values, Value("throttled_time", slow, SECONDS, "until the backlog is read with that throttle"))
    if peak <= limit:
        return _Sink(values, (step,))
    held = (
        f"Throttle: {spell_rate(limit)} / {significant(inputs.fan_out)} = {spell_rate(throttle)} of reading; the "
        f"catch-up then takes {spell_duration(slow)}."
    )
    error = (
        f"a catch-up writes {spell_rate(peak)} to a sink that accepts {spell_rate(limit)} without backpressure: its "
        f"errors fail the job, which then has more to catch up with; limit reading to {spell_rate(throttle)}"
    )
    return _Sink(values, (step, held), (error,))


def _chart(inputs: CatchUp, lag: float, downtime: float, backlog: float, time: float) -> Chart:
    """Return a chart of the backlog over time since the job stopped; time zero is when reading resumes."""
    span = time if math.isfinite(time) else max(4 * downtime, inputs.deadline or 0.0, 3600.0)
    before = ((-downtime, lag),) if downtime else ()

    def falling(speed: float) -> tuple[tuple[float, float], ...]:
        steps = (span * step / 20 for step in range(21))
        return tuple((at, max(0.0, backlog + (inputs.rate - speed) * at)) for at in steps)

    series = [Series("backlog", (*before, *falling(inputs.reading)))]
    if inputs.reading < inputs.capacity:
        series.append(Series("without the throttle", falling(inputs.capacity)))
    if inputs.sink_throttle is not None and inputs.sink_throttle < inputs.reading:
        series.append(Series("as fast as the sink accepts", falling(inputs.sink_throttle)))
    points = [Point("reading starts", 0.0, backlog)]
    if math.isfinite(time):
        points.append(Point("caught up", time, 0.0))
    return Chart("The backlog over time", "time", SECONDS, "backlog", COUNT, tuple(series), tuple(points))


def load_of_catch_up(inputs: CurrentCatchUp, release: Release) -> Answer:
    """Compute the largest backlog and the longest outage from which the job catches up within the deadline."""
    rate, reading = inputs.rate, inputs.reading
    steps = [*_failure_steps(inputs), *_reading_step(inputs)]
    binding = f"{spell_rate(reading)} - {spell_rate(rate)} are left to read a backlog"
    throttle = inputs.sink_throttle
    if throttle is not None and throttle < reading:
        reading = throttle
        beside = (
            f"{spell_rate(reading - rate)} above what arrives"
            if reading > rate
            else f"no more than the {spell_rate(rate)} that arrive"
        )
        binding = f"the sink sustains {spell_rate(reading)} of reading, {beside}"
        steps.append(
            f"Sink: {spell_rate(inputs.sink_limit or 0)} / {significant(inputs.fan_out)} = {spell_rate(reading)} may "
            "be read."
        )
    backlog = largest_backlog(rate, reading, inputs.deadline)
    steps.append(
        f"Backlog: ({spell_rate(reading)} - {spell_rate(rate)}) x {spell_duration(inputs.deadline)} = "
        f"{counted(math.floor(backlog), 'record')}."
    )
    bearable = backlog / rate
    steps.append(
        f"Outage: {spell_count(math.floor(backlog))} / {spell_rate(rate)} = {spell_duration(bearable)} of records."
    )
    if inputs.retention is not None and bearable > inputs.retention:
        bearable = inputs.retention
        binding = f"the source keeps records for {spell_duration(inputs.retention)}"
        steps.append(f"Retention: records wait for {spell_duration(inputs.retention)} at most.")
    outage = bearable
    errors = []
    if reading <= rate:
        errors.append(
            f"{spell_rate(reading)} are read and {spell_rate(rate)} arrive: no backlog is ever read, and every outage "
            "leaves one permanently"
        )
    elif inputs.failure:
        outage = max(0.0, bearable - inputs.failing)
        if bearable < inputs.failing:
            errors.append(
                f"a failure leaves {spell_duration(inputs.failing)} of records, and {spell_duration(bearable)} are "
                f"read within {spell_duration(inputs.deadline)}"
            )
        steps.append(
            f"Of these {spell_duration(inputs.failing)} go to the failure itself, which leaves "
            f"{spell_duration(outage)} of downtime in addition."
        )
    return Answer(
        values=(
            Value("longest_outage", outage, SECONDS, "the longest outage that is caught up by the deadline"),
            Value("largest_backlog", math.floor(bearable * rate + 1e-6), COUNT, "records read by the deadline"),
            Value("reading", reading, PER_SECOND, "records read during the catch-up"),
            Value("left_over", max(0.0, reading - rate), PER_SECOND, "the part of that above the rate of arrival"),
        ),
        binding=binding,
        steps=tuple(steps),
        errors=tuple(errors),
    )


CALCULATOR = Calculator(
    name="catch-up",
    title="Catch-up: how long a backlog takes",
    question="My job fell behind, or overloads downstream systems when it catches up",
    forward=Way(
        CatchUp,
        size_catch_up,
        {"rate": "10k/s", "capacity": "16k/s", "lag": "6M", "downtime": "5min", "retention": "24h",
         "sink_limit": "14k/s"},
    ),
    reverse=Way(CurrentCatchUp, load_of_catch_up, {"rate": "10k/s", "capacity": "16k/s", "deadline": "30min"}),
)  # fmt: skip

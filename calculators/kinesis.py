"""Kinesis: the fetch interval, the record limit of a call, and when polling is not enough.

## The formula
All applications that poll a stream share five calls and 2 MB, 2 000 000 bytes, per second and shard. So a job that
is one of `consumers` fetches every `interval = consumers x 200 ms`, and each time requests

`max records = floor(interval x min(u x 2 000 000 / consumers / record size, u x sink records / shards,
u x sink bytes / shards / record size))`

records, 10 000 at most; `u` is the part of each limit that is used. Downstream systems count here because Kinesis
delivers a full shard twice as fast as it can be written to: sinks that respond to overload with errors, as other
streams and databases do, receive that double rate in every catch-up.

`FlinkKinesisConsumer` has a key for the interval. `KinesisStreamsSource` has none in its releases so far: it calls
again as soon as it can, so `max records = floor(rate / calls per second)`, with 5 calls per second if no measurement
is given; later releases support `source.reader.nonempty-records-fetch-interval`.

With enhanced fan-out each registered consumer has its own 2 MB/s of each shard, and no limit on calls. AWS charges for
consumer-shard-hours and the data read, and these keys do not throttle it.

A backlog of `behind` seconds takes `behind / (read / written - 1)`.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: limits of a shard
- <https://repost.aws/questions/QUksCutSiZQsG7dSSusYGILg/kinesis-data-streams-limits>: a call that returns 10 MB, and
  the five seconds of exceptions after it
- <https://docs.aws.amazon.com/streams/latest/dev/enhanced-consumers.html>: 2 MB/s per consumer and shard, 20 consumers
- <https://nightlies.apache.org/flink/flink-docs-release-2.2/docs/connectors/table/kinesis/>: the source's keys
- <https://github.com/apache/flink-connector-aws/pull/254>: FLINK-39137, the interval between calls that found records
- <https://github.com/apache/flink-connector-aws/blob/4c2fdd94e27312282e11b17e12f4ec3e5adc113e/flink-connector-aws/flink-connector-kinesis/src/main/java/org/apache/flink/streaming/connectors/kinesis/config/ConsumerConfigConstants.java>:
  the old consumer's keys
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas.backlog import catch_up_time
from flink_flint.calculators.formulas.kinesis_limits import (
    CALL_BYTES,
    FAN_OUT_CONSUMERS,
    LONGEST_INTERVAL,
    READ_BYTES,
    READ_CALLS,
    WRITE_BYTES,
    WRITE_RECORDS,
    Bound,
    Polling,
    bounds,
    fetch_interval,
    polling,
    reader_share,
    record_limit,
    shards_for,
)
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_rate,
)
from flink_flint.calculators.inputs.kinesis import MEGABYTES, CurrentKinesis, Kinesis, Stream
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

_WITHOUT_CONSUMER = MINORS.index("2.0")
_WITH_SOURCE = MINORS.index("1.19")
_LATE = 1.0
"""The seconds between two calls from which on the delay causes a warning."""
_HOURS = 730
"""The hours of a month."""


class _Plan(NamedTuple):
    """Interval and record limit, and the constraint that decides them."""

    interval: float
    max_records: int
    """The records per call; 0 if even one record per call is too fast."""
    bound: Bound
    steps: tuple[str, ...]


def _has_interval(inputs: Stream) -> bool:
    return inputs.connector == "consumer" or inputs.paced


def _bytes(rate: float) -> str:
    return MEGABYTES.spell(rate)


def _shards(inputs: Stream) -> str:
    return counted(inputs.shards, "shard")


def _readers(inputs: Stream) -> str:
    return counted(inputs.consumers, "reader")


def _plan(inputs: Kinesis) -> _Plan:
    found = bounds(
        inputs.record_size, consumers=inputs.consumers, utilization=inputs.utilization, shards=inputs.shards,
        sink_records=inputs.sink_records, sink_bytes=inputs.sink_bytes,
    )  # fmt: skip
    steps = [_bound_step(inputs, bound) for bound in found]
    tightest = found[0]
    if _has_interval(inputs):
        interval = fetch_interval(inputs.consumers)
        steps.append(
            f"Interval: {spell_count(inputs.consumers)} x 200 ms = {spell_duration(interval)}, as a shard accepts "
            f"{READ_CALLS} calls per second from all its readers."
        )
        if record_limit(tightest.rate, interval) < 1:
            interval = math.ceil(round(1000 / tightest.rate, 6)) / 1000
            steps.append(f"That is less than one record; one is read every {spell_duration(interval)}.")
    else:
        interval = 1 / inputs.call_rate
        steps.append(
            f"Calls: the source makes {spell_rate(inputs.call_rate)} to a shard, one in {spell_duration(interval)}."
        )
    limit = record_limit(tightest.rate, interval)
    steps.append(
        f"Records per call: {spell_rate(tightest.rate)} x {spell_duration(interval)}, rounded down and 10 000 at "
        f"most = {spell_count(limit)}."
    )
    return _Plan(interval, limit, tightest, tuple(steps))


def _bound_step(inputs: Kinesis, bound: Bound) -> str:
    used = significant(inputs.utilization)
    if bound.shard:
        parts = f"{_bytes(READ_BYTES)} / {spell_count(inputs.consumers)} / {spell_count(inputs.record_size)} bytes"
        return f"Shard: {used} x {parts} = {spell_rate(bound.rate)} for this job."
    if bound.what.startswith("records"):
        limit = f"{spell_rate(inputs.sink_records or 0)} / {_shards(inputs)}"
    else:
        limit = f"{_bytes(inputs.sink_bytes or 0)} / {_shards(inputs)} / {spell_count(inputs.record_size)} bytes"
    return f"Downstream: {used} x {limit} = {spell_rate(bound.rate)} from each shard."


def size_kinesis(inputs: Kinesis, release: Release) -> Answer:
    """Size the fetch interval and record limit of a reader, or explain why polling is not enough."""
    plan = _plan(inputs)
    now = polling(plan.interval, max(1, plan.max_records), inputs.record_size, inputs.consumers)
    read = plan.max_records / plan.interval * inputs.shards
    steps = [*plan.steps]
    errors = [*_connector_errors(inputs, release)]
    warnings = [*_written_too_fast(inputs), *_connector_warnings(inputs, release)]
    if plan.max_records < 1 or plan.interval > LONGEST_INTERVAL:
        errors.append(
            f"even one record per call exceeds {spell_rate(plan.bound.rate)} from each shard: limit the rate in the job"
        )
    steps.append(
        f"Read: {spell_count(plan.max_records)} / {spell_duration(plan.interval)} x {_shards(inputs)} "
        f"= {spell_rate(read)}, {_bytes(read * inputs.record_size)}."
    )
    values = [
        Value("max_records", plan.max_records or None, COUNT, "records of a call", inputs.max_records),
        Value("interval", plan.interval, SECONDS, "the time between two calls to a shard", inputs.interval),
        Value("read_rate", read, PER_SECOND, "read from all shards with a backlog"),
        Value("read_bytes", read * inputs.record_size, MEGABYTES, "the same in bytes; AWS counts 1 MB as 1000000"),
        Value("shard_share", now.bytes_share, FRACTION, "the part of a shard's 2 MB/s that all its readers use"),
    ]
    values += _catching_up(inputs, read)
    errors += _too_slow(inputs, plan, read)
    if plan.interval > _LATE:
        warnings.append(
            f"a record waits up to {spell_duration(plan.interval)} for the next call; with enhanced fan-out it is "
            "pushed at once"
        )
    fan_out = _fan_out(inputs, plan, read)
    if inputs.interval is not None or inputs.max_records is not None:
        force = polling(
            inputs.interval or plan.interval, inputs.max_records or plan.max_records or 1, inputs.record_size,
            inputs.consumers,
        )  # fmt: skip
        wrong, risky = _judge(inputs, force)
        errors += wrong
        warnings += risky
    if inputs.sink_records is not None or inputs.sink_bytes is not None:
        steps.append(
            "flink.shard.adaptivereads must stay false: it replaces the record limit by what a shard delivers."
            if inputs.connector == "consumer"
            else "A subtask reads its shards in turn: if it has several, it makes fewer calls than these."
        )
    return Answer(
        values=(*values, *fan_out.values),
        binding=(
            f"{plan.bound.what} allow {spell_rate(plan.bound.rate)} from each shard, which is called once in "
            f"{spell_duration(plan.interval)}"
        ),
        steps=(*steps, *fan_out.steps),
        elsewhere=(*_snippets(inputs, plan), *fan_out.snippets),
        errors=tuple(errors),
        warnings=(*warnings, *fan_out.warnings),
        chart=_chart(inputs, plan),
    )


def _catching_up(inputs: Stream, read: float) -> Iterator[Value]:
    if inputs.rate is None:
        return
    yield Value("read_factor", read / inputs.rate, NUMBER, "reading rate over writing rate, with a backlog")
    if inputs.behind is not None:
        time = catch_up_time(inputs.rate, read, inputs.rate * inputs.behind)
        yield Value("catch_up_time", time, SECONDS, "until the backlog is read")


def _too_slow(inputs: Kinesis, plan: _Plan, read: float) -> Iterator[str]:
    if inputs.rate is None or plan.max_records < 1:
        return
    if read <= inputs.rate:
        yield (
            f"{spell_rate(read)} are read and {spell_rate(inputs.rate)} are written: the job falls behind permanently"
            + ("" if plan.bound.shard else ", and downstream systems accept no more")
        )
    elif read < inputs.rate * inputs.catch_up and not plan.bound.shard:
        yield (
            f"{plan.bound.what} limit a catch-up to {significant(read / inputs.rate)} times the rate of writing, less "
            f"than the {significant(inputs.catch_up)} required"
        )


class _FanOut(NamedTuple):
    """Whether enhanced fan-out helps, and its cost."""

    values: tuple[Value, ...] = ()
    steps: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    warnings: tuple[str, ...] = ()


def _fan_out(inputs: Kinesis, plan: _Plan, read: float) -> _FanOut:
    if inputs.rate is None or not plan.bound.shard or read >= inputs.rate * inputs.catch_up:
        return _FanOut()
    required = inputs.rate * inputs.catch_up
    shards = shards_for(required, inputs.record_size, consumers=inputs.consumers, utilization=inputs.utilization)
    alone = shards_for(required, inputs.record_size, utilization=inputs.utilization)
    text = f"polling reads {spell_rate(read)}, and {spell_rate(required)} are needed for a catch-up"
    needed = Value("needed_shards", shards, COUNT, "shards with which polling is enough")
    if alone > inputs.shards:
        more = Value("needed_shards_alone", alone, COUNT, "shards with which enhanced fan-out is enough")
        return _FanOut(
            (needed, more),
            (f"Enhanced fan-out: even with 2 MB/s for this job alone it needs {counted(alone, 'shard')}.",),
            (),
            (f"{text}: {_shards(inputs)} {'is' if inputs.shards == 1 else 'are'} too few, even with enhanced fan-out",),
        )
    if inputs.fan_out_consumers >= FAN_OUT_CONSUMERS:
        return _FanOut(
            (needed,),
            (f"Enhanced fan-out: {spell_count(FAN_OUT_CONSUMERS)} consumers, the maximum, are registered already.",),
            (),
            (f"{text}: use {counted(shards, 'shard')}, or free one of the {FAN_OUT_CONSUMERS} registrations",),
        )
    hours = float(inputs.shards * _HOURS)
    gigabytes = inputs.rate * inputs.record_size * _HOURS * 3600 / 1e9
    each = f"{_bytes(READ_BYTES)} of each shard for this job alone / {spell_count(inputs.record_size)} bytes"
    alone_rate = spell_rate(reader_share(1) / inputs.record_size * inputs.shards)
    cost = f"{spell_count(hours)} consumer-shard-hours, and {significant(gigabytes)} GB (of 1 000 000 000 bytes)"
    steps = (
        f"Enhanced fan-out: {each} x {_shards(inputs)} = {alone_rate}.",
        f"Its price in a month: {_shards(inputs)} x {_HOURS} h = {cost} retrieved.",
    )
    values = (
        needed,
        Value("consumer_shard_hours", hours, NUMBER, "consumer-shard-hours in a month, for which AWS charges"),
        Value(
            "retrieved_gigabytes",
            gigabytes,
            NUMBER,
            "data read in a month, in 1000000000 bytes, for which AWS charges, too",
        ),
    )
    warnings = [f"{text}: use enhanced fan-out, or {counted(shards, 'shard')}"]
    if inputs.sink_records is not None or inputs.sink_bytes is not None:
        warnings.append(
            "enhanced fan-out pushes records without a record limit: only backpressure then slows it down, so "
            "downstream systems must apply backpressure"
        )
    return _FanOut(values, steps, (_fan_out_snippet(inputs),), tuple(warnings))


def _fan_out_snippet(inputs: Stream) -> Snippet:
    if inputs.connector == "consumer":
        return Snippet(
            "properties of FlinkKinesisConsumer, for enhanced fan-out instead",
            "flink.stream.recordpublisher=EFO\nflink.stream.efo.consumername=<name of this job>",
        )
    return Snippet(
        "configuration of KinesisStreamsSource, for enhanced fan-out instead",
        "source.reader.type: EFO\nsource.efo.consumer.name: <name of this job>",
    )


def _snippets(inputs: Kinesis, plan: _Plan) -> Iterator[Snippet]:
    if plan.max_records < 1:
        return
    milliseconds = math.ceil(round(plan.interval * 1000, 6))
    if inputs.connector == "consumer":
        yield Snippet(
            "properties of FlinkKinesisConsumer",
            f"flink.shard.getrecords.intervalmillis={milliseconds}\n"
            f"flink.shard.getrecords.maxrecordcount={plan.max_records}",
        )
        return
    pace = f"\nsource.reader.nonempty-records-fetch-interval: {milliseconds} ms" if inputs.paced else ""
    yield Snippet(
        "configuration of KinesisStreamsSource", f"source.shard.get-records.max-record-count: {plan.max_records}{pace}"
    )


def _connector_errors(inputs: Stream, release: Release) -> Iterator[str]:
    if inputs.connector == "consumer" and nearest_index(release) >= _WITHOUT_CONSUMER:
        yield (
            f"FlinkKinesisConsumer is a SourceFunction, which Flink {release} no longer has in its public API; use "
            "KinesisStreamsSource (--connector source)"
        )


def _connector_warnings(inputs: Stream, release: Release) -> Iterator[str]:
    if inputs.connector == "source" and nearest_index(release) < _WITH_SOURCE:
        yield (
            f"KinesisStreamsSource comes with connector 5.0, for Flink 1.19 and later; Flink {release} has "
            "FlinkKinesisConsumer (--connector consumer)"
        )
    if inputs.consumers > 1 and not _has_interval(inputs):
        calls = inputs.consumers * inputs.call_rate
        if calls > READ_CALLS:
            yield (
                f"{spell_count(inputs.consumers)} such readers make up to {spell_rate(calls)} calls and a shard "
                f"accepts {READ_CALLS}: some are refused and retried; without an interval only enhanced fan-out avoids "
                "that"
            )


def _written_too_fast(inputs: Stream) -> Iterator[str]:
    if inputs.rate is None:
        return
    each = inputs.rate / inputs.shards
    if each > WRITE_RECORDS or each * inputs.record_size > WRITE_BYTES:
        yield (
            f"{spell_rate(each)} of {spell_count(inputs.record_size)} bytes into a shard are above the "
            f"{spell_count(WRITE_RECORDS)} records and {spell_count(WRITE_BYTES)} bytes per second that it accepts: is "
            "the number of shards right?"
        )


def _judge(inputs: Stream, force: Polling) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the current interval and record limit."""
    errors: list[str] = []
    warnings: list[str] = []
    refused = "ProvisionedThroughputExceededException"
    if force.calls_share > 1 + 1e-9 and _has_interval(inputs):
        errors.append(
            f"{spell_rate(force.calls_share * READ_CALLS)} calls to a shard that accepts {READ_CALLS}: expect "
            f"{refused} at all times"
        )
    if force.bytes_share > 1 + 1e-9:
        call = spell_count(round(force.call_bytes))
        text = f"with a backlog a call returns {call} bytes"
        if force.call_bytes >= CALL_BYTES:
            text += ", and the shard refuses all calls of the next 5 s"
        else:
            asked = _bytes(force.bytes_share * READ_BYTES)
            text += f", {asked} in all, and a shard delivers {_bytes(READ_BYTES)}"
        cost = "after 3 retries the job fails" if inputs.connector == "consumer" else "calls are retried, with pauses"
        (errors if inputs.connector == "consumer" else warnings).append(f"{text}: expect {refused}; {cost}")
    total = force.read * inputs.shards
    for limit, meets, spell in (
        (inputs.sink_records, total, spell_rate),
        (inputs.sink_bytes, total * inputs.record_size, _bytes),
    ):
        if limit is not None and meets > limit * (1 + 1e-9):
            errors.append(
                f"a catch-up sends {spell(meets)} to downstream systems that accept {spell(limit)}: without "
                "backpressure their errors fail the job"
            )
    if inputs.rate is not None and total < inputs.rate:
        errors.append(
            f"{spell_rate(total)} are read at most and {spell_rate(inputs.rate)} are written: a backlog is never read"
        )
    return errors, warnings


def _chart(inputs: Kinesis, plan: _Plan) -> Chart:
    """Return a chart of the catch-up rate against the record limit."""
    top = max(2 * plan.max_records, inputs.max_records or 0, 10)
    xs = sorted({max(1, top * step // 40) for step in range(1, 41)})
    interval = inputs.interval or plan.interval

    def read(records: int, pause: float) -> float:
        return polling(pause, records, inputs.record_size, inputs.consumers).read * inputs.shards

    series = [Series("read in a catch-up", tuple((float(x), read(x, interval)) for x in xs))]
    ends = (float(xs[0]), float(xs[-1]))
    if inputs.sink_records is not None:
        series.append(Series("downstream limit", tuple((x, float(inputs.sink_records)) for x in ends)))
    if inputs.rate is not None:
        series.append(Series("written", tuple((x, inputs.rate) for x in ends)))
    points = [Point("recommended", float(plan.max_records), plan.max_records / plan.interval * inputs.shards)]
    if inputs.max_records is not None:
        points.append(Point("now", float(inputs.max_records), read(inputs.max_records, interval)))
    title = "Catch-up rate against records per call"
    return Chart(title, "records per call", COUNT, "read", PER_SECOND, tuple(series), tuple(points))


def load_of_kinesis(inputs: CurrentKinesis, release: Release) -> Answer:
    """Compute the rates that a reader's current interval and record limit allow, and the effect on other readers."""
    force = polling(inputs.pause, inputs.max_records, inputs.record_size, inputs.consumers)
    total = force.read * inputs.shards
    errors, warnings = _judge(inputs, force)
    asked = counted(round(force.call_bytes / inputs.record_size), "record")
    given = _bytes(reader_share(inputs.consumers))
    steps = [
        f"Requested: {asked} / {spell_duration(inputs.pause)} = {spell_rate(force.asked)} from each shard.",
        f"Delivered: {_bytes(READ_BYTES)} of a shard / {_readers(inputs)} = {given}, so {spell_rate(force.read)}.",
        f"Read: {spell_rate(force.read)} x {_shards(inputs)} = {spell_rate(total)}.",
    ]
    values = [
        Value("read_rate", total, PER_SECOND, "read from all shards with a backlog"),
        Value("read_bytes", total * inputs.record_size, MEGABYTES, "the same in bytes; AWS counts 1 MB as 1000000"),
        Value(
            "shard_share", force.bytes_share, FRACTION, "the part of a shard's 2 MB/s that all polling readers request"
        ),
        Value(
            "calls_share",
            force.calls_share,
            FRACTION,
            "the part of a shard's 5 calls per second that all its readers make",
        ),
        *_catching_up(inputs, total),
    ]
    if inputs.rate is not None:
        steps.append(
            f"Catch-up: {spell_rate(total)} / {spell_rate(inputs.rate)} written = {significant(total / inputs.rate)}."
        )
    binding = f"{asked} every {spell_duration(inputs.pause)} are {spell_rate(force.asked)} from each shard"
    if force.read < force.asked:
        binding = f"a shard delivers {_bytes(READ_BYTES)} to {_readers(inputs)}"
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        errors=(*_connector_errors(inputs, release), *errors),
        warnings=(*_written_too_fast(inputs), *_connector_warnings(inputs, release), *warnings),
    )


CALCULATOR = Calculator(
    name="kinesis",
    title="Kinesis: fetch interval and record limit",
    question="Kinesis refuses my reads, or a catch-up overloads downstream systems",
    forward=Way(
        Kinesis,
        size_kinesis,
        {"shards": "4", "record_size": "1000b", "rate": "2k/s", "behind": "24h", "sink_records": "4k/s",
         "max_records": "10000"},
    ),
    reverse=Way(
        CurrentKinesis,
        load_of_kinesis,
        {"shards": "4", "record_size": "1000b", "rate": "2k/s", "behind": "24h", "sink_records": "4k/s"},
    ),
)  # fmt: skip

"""After an outage the job asks more of others than they can take.

## What it does
Reports a Kinesis reader without limits in a program that writes to Cassandra without a bound, or calls a service for
each record (`AsyncDataStream`).

## Why it matters
While the job keeps up it passes on what comes in. After an outage it passes on what the shards give, 2 MB/s each,
which is many times as much. Cassandra answers with write timeouts and failed quorums, the service with timeouts: these
are errors and not backpressure, so the job fails, restarts, and has still more to catch up with. Other jobs on the
same cluster or service fail with it.

## What to do
Throttle the reader to one and a half to twice the usual rate (`flink.shard.getrecords.maxrecordcount` and
`flink.shard.getrecords.intervalmillis`; `flink size kinesis` reckons them, `flink size catch-up` how long it then
takes), and bound what is under way: `setMaxConcurrentRequests` of the Cassandra sink, the capacity of the async
operator. Test with a backlog.

## Not when
A limit is set, the reader adapts or fans out, or properties come from elsewhere. Sinks that wait for their answers
(JDBC, Kafka, files) slow the reader down by themselves.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: what a shard gives
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/cassandra/#configurations>: the
  sink's bound
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: the capacity
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.connectors._cases import cassandra, kinesis, program
from flink_flint.rules.kinesis._reader import CONSUMER, connector, readers, reads


@rule(
    code="FLK866",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    flink=">=1.3",
    of_scale=True,
    since="0.1",
)
def catch_up_overwhelms(config: View) -> Iterator[Finding]:
    """after an outage the job asks more of others than they can take"""
    asked = _asked(config)
    if asked is None:
        return
    part, what, severity = asked
    for reader in readers(config):
        polls = reads(reader)
        if polls is None or polls.attributes:
            continue
        from flink_flint.calculators.formulas.kinesis_limits import READ_BYTES

        limits = (
            "flink.shard.getrecords.maxrecordcount and flink.shard.getrecords.intervalmillis"
            if connector(reader) == CONSUMER
            else "source.shard.get-records.max-record-count"
        )
        yield reader.finding(
            f"after an outage this reader passes on up to {READ_BYTES // 1_000_000} MB/s of each shard, and {what}:"
            " the job fails again and again while it catches up",
            help=f"set {limits} to twice the usual rate at most; `flink size kinesis` reckons them",
            severity=severity,
            related=[part.place()],
        )


def _asked(config: View) -> tuple[ElementView, str, Severity] | None:
    """What is asked by the job without being able to slow it down."""
    for sink in config.elements("sink"):
        if sink.name == "CassandraSink" and "max-concurrent-requests" not in sink.element.attributes:
            what = "Cassandra answers too many writes with errors, not with backpressure"
            return sink, what, Severity.WARNING
    for call in config.elements("async-call"):
        return call, "a service called for each record times out when it is busy", Severity.INFO
    return None


_LIMITED = (("flink.shard.getrecords.maxrecordcount", "200"), ("flink.shard.getrecords.intervalmillis", "1000"))
_ASYNC = "AsyncDataStream.unorderedWait(stream, new Enrich(), 52, TimeUnit.SECONDS, 5000).addSink(new PositionSink());"


def cases() -> list[Case]:
    return [
        bad(
            program(kinesis(), cassandra()),
            file="Positions.java",
            severity=Severity.WARNING,
            says="Cassandra answers too many writes with errors",
        ),
        bad(program(kinesis(), _ASYNC), file="Positions.java", severity=Severity.INFO),
        good(program(kinesis(*_LIMITED), cassandra()), file="Positions.java"),
        good(
            program(kinesis(), cassandra("setMaxConcurrentRequests(50, Duration.ofMinutes(2))")), file="Positions.java"
        ),
        good(program(kinesis(), 'stream.addSink(JdbcSink.sink("INSERT", setter, options));'), file="Positions.java"),
        good(program(kinesis(("flink.shard.adaptivereads", "true")), cassandra()), file="Positions.java"),
        bad(program(kinesis(), cassandra()), file="Positions.java", profile="development", severity=Severity.INFO),
        *cases_in_folders(__file__),
    ]

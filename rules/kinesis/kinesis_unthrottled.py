"""A Kinesis reader without a limit feeds a stream that takes half as much.

## What it does
Reports a polling Kinesis reader with the connector's default limits in a program or script that also writes to
Kinesis.

## Why it matters
A shard gives 2 MB/s to those who read it and takes 1 MB/s or 1000 records/s from those who write. While a job keeps up
nobody notices. After an outage it reads as fast as the shards give, and writes are refused with
`ProvisionedThroughputExceededException`: an error, and not backpressure, with `FlinkKinesisProducer`, so that the job
restarts and has still more to catch up with. `KinesisStreamsSink` slows down and tries again, which holds the job
up without killing it.

## What to do
Limit the reader to what the stream behind it takes: `flink.shard.getrecords.maxrecordcount` and
`flink.shard.getrecords.intervalmillis`; with `KinesisStreamsSource` `source.shard.get-records.max-record-count` and,
where the connector has it, `source.reader.nonempty-records-fetch-interval`. `flink size kinesis` reckons them. Or
give the second stream twice the shards.

## Not when
A limit is set, the reader adapts its reads or fans out, or properties come from elsewhere. It is advice where the job
aggregates what it reads, or the producer has a queue limit (`setQueueLimit`), a `RecordTtl` or a `RateLimit`.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: what a shard gives and takes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/>: the readers' options
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.elements import UNUSED
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kinesis._cases import READ, STREAM, again, consumer, producer, program, sink, source, table
from flink_flint.rules.kinesis._reader import CONSUMER, api, connector, readers, reads


@rule(
    code="FLK830",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    flink=">=1.3",
    of_scale=True,
    since="0.1",
)
def kinesis_unthrottled(config: View) -> Iterator[Finding]:
    """a Kinesis reader without a limit feeds a stream that takes half as much"""
    sinks = [sink for sink in config.elements("kinesis-sink") if _is_stream(sink) and not sink.has(UNUSED)]
    if not sinks:
        return
    failing = [sink for sink in sinks if api(sink) == "FlinkKinesisProducer"]
    fails = bool(failing) and not all(map(_waits, failing))
    writes_less = any(operator.name in _REDUCING for operator in config.elements("operator"))
    for reader in readers(config):
        polls = reads(reader)
        if polls is None or polls.attributes:
            continue
        from flink_flint.calculators.formulas.kinesis_limits import READ_BYTES, WRITE_BYTES

        keys = (
            "flink.shard.getrecords.maxrecordcount and flink.shard.getrecords.intervalmillis"
            if connector(reader) == CONSUMER
            else "source.shard.get-records.max-record-count"
        )
        yield reader.finding(
            f"after an outage this reader takes {READ_BYTES // 1_000_000} MB/s from each shard, and a shard of the"
            f" stream behind it takes {WRITE_BYTES // 1_000_000} MB/s: "
            + (
                "writes are refused with errors, not with backpressure"
                if fails
                else "writes are refused and tried again until it has caught up"
            ),
            help=f"set {keys}; `flink size kinesis` reckons them",
            severity=None if fails and not writes_less else Severity.INFO,
            related=[sink.place(None, "writes to Kinesis") for sink in sinks[:1]],
        )


def _waits(sink: ElementView) -> bool:
    """Whether a producer holds the job up, or has a limit or a time of its own that somebody has thought about."""
    return any(sink.has(name) for name in ("queue-limit", "properties.RecordTtl", "properties.RateLimit"))


def _is_stream(sink: ElementView) -> bool:
    """Whether it writes to a stream, and not to Firehose or DynamoDB."""
    name = sink.text("with.connector") if api(sink) == "sql" else api(sink)
    return name in ("kinesis", "kinesis-legacy", "KinesisStreamsSink", "FlinkKinesisProducer")


_REDUCING = frozenset({"aggregate", "reduce", "apply", "sum", "maxBy", "minBy"})
"""Operators that yield fewer records than they get."""

_TO = (
    "CREATE TABLE s (id STRING, speed INT) WITH ('connector' = 'kinesis', 'stream' = 'enriched', 'aws.region' ="
    " 'eu-west-1', 'format' = 'json');\nINSERT INTO s SELECT * FROM t;\n"
)
_LIMITED = (("flink.shard.getrecords.maxrecordcount", "500"), ("flink.shard.getrecords.intervalmillis", "1000"))
_FAILS = "setFailOnError(true)"


def cases() -> list[Case]:
    return [
        bad(
            program(consumer(), producer(_FAILS)),
            file="Positions.java",
            severity=Severity.WARNING,
            says="errors, not with backpressure",
        ),
        bad(program(source(), sink()), file="Positions.java", severity=Severity.INFO),
        bad(table("t", STREAM) + _TO, file="positions.sql", severity=Severity.INFO),
        good(program(consumer(*_LIMITED), producer(_FAILS)), file="Positions.java"),
        good(program(consumer(("flink.shard.adaptivereads", "true")), producer(_FAILS)), file="Positions.java"),
        good(
            program(
                consumer(("flink.stream.recordpublisher", "EFO"), ("flink.stream.efo.consumername", "p")),
                producer(_FAILS),
            ),
            file="Positions.java",
        ),
        good(program(consumer()), file="Positions.java"),
        bad(program(consumer(), producer("setQueueLimit(1000)")), file="Positions.java", severity=Severity.INFO),
        bad(
            program(consumer(), "stream.keyBy(Position::car).sum(1).print();", producer(_FAILS)),
            file="Positions.java",
            severity=Severity.INFO,
        ),
        good(table("t", STREAM) + READ, file="positions.sql"),
        bad(program(consumer(*_LIMITED), again(consumer()), producer(_FAILS)), file="Positions.java", flink="1.5"),
        bad(
            program(consumer(), producer(_FAILS)), file="Positions.java", profile="development", severity=Severity.INFO
        ),
        *cases_in_folders(__file__),
    ]

"""FlinkKinesisProducer takes records without end.

## What it does
Reports a `FlinkKinesisProducer` without `setQueueLimit`.

## Why it matters
The producer hands records to a native process and never waits for it: there is no backpressure. When the stream is
throttled the process grows outside of Flink's memory, until the container is killed for it, and records that wait for
more than 30 seconds are given up.

## What to do
Call `setQueueLimit`. The records of about 100 ms are enough: 1000 records/s for each shard make 100 for each shard,
divided by the parallelism.

## Not when
`KinesisStreamsSink` has limits of its own.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.14/docs/connectors/datastream/kinesis/#backpressure>:
  no limit by default, and how to reckon one
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._cases import IN_INDEX, producer, program, sink, writing_job
from flink_flint.rules.kinesis._reader import api

_NAME = "queue-limit"


@rule(
    code="FLK839",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kinesis-sink"],
    flink=">=1.5",
    of_scale=True,
    since="0.1",
)
def kinesis_producer_queue(config: View) -> Iterator[Finding]:
    """FlinkKinesisProducer takes records without end"""
    for writer in config.elements("kinesis-sink"):
        attributes = writer.element.attributes
        if api(writer) == "FlinkKinesisProducer" and _NAME not in attributes and "calls" not in attributes:
            setter = writer.method("setQueueLimit")
            yield writer.finding(
                f"without {setter} this producer puts no backpressure on the job: while the stream is throttled its"
                " native memory grows and records expire",
                help=f"call {setter}, with about 100 records for each shard, divided by the parallelism",
            )


def cases() -> list[Case]:
    return [
        bad(program(producer()), file="Positions.java", flink="1.14", severity=Severity.WARNING),
        bad(program(producer("setFailOnError(true)")), file="Positions.java"),
        good(program(producer("setQueueLimit(500)")), file="Positions.java"),
        good(program(producer("setQueueLimit(limit)")), file="Positions.java"),
        good(program(sink()), file="Positions.java"),
        bad(program(producer()), file="Positions.java", flink="1.5", profile="development", severity=Severity.INFO),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program",
            writing_job("queueLimit"),
            "queueLimit=2147483647",
            good=writing_job("queueLimit", "setQueueLimit(1000)"),
            releases=IN_INDEX,
        ),
    ]

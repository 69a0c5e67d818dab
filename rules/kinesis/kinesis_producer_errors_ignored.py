"""FlinkKinesisProducer loses what it could not write.

## What it does
Reports a `FlinkKinesisProducer` on which `setFailOnError` is never called.

## Why it matters
By default the producer logs a record that it could not write, and goes on: the checkpoint completes, the record is
gone. That happens whenever the stream is throttled for longer than the Kinesis Producer Library keeps a record (30
seconds), so above all while a job catches up.

## What to do
Call `producer.setFailOnError(true)` and give the producer a queue limit, so that it slows the job down before it
fails. Better still, move to `KinesisStreamsSink`, which tries again.

## Not when
A written `setFailOnError(false)` is a decision.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.14/docs/connectors/datastream/kinesis/#kinesis-producer>:
  the producer and its defaults
- <https://github.com/apache/flink/blob/release-1.14/flink-connectors/flink-connector-kinesis/src/main/java/org/apache/flink/streaming/connectors/kinesis/FlinkKinesisProducer.java>:
  what happens on a failure
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._cases import IN_INDEX, producer, program, sink, writing_job
from flink_flint.rules.kinesis._reader import api

_NAME = "fail-on-error"


@rule(
    code="FLK838",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-sink"],
    flink=">=1.1",
    of_scale=True,
    since="0.1",
)
def kinesis_producer_errors_ignored(config: View) -> Iterator[Finding]:
    """FlinkKinesisProducer loses what it could not write"""
    for writer in config.elements("kinesis-sink"):
        attributes = writer.element.attributes
        if api(writer) == "FlinkKinesisProducer" and _NAME not in attributes and "calls" not in attributes:
            call = f"{writer.method('setFailOnError')}({'True' if writer.is_python else 'true'})"
            yield writer.finding(
                f"without {call} this producer logs what it could not write and goes on: those records are lost",
                help=f"call {call}, or move to KinesisStreamsSink",
            )


def cases() -> list[Case]:
    return [
        bad(program(producer()), file="Positions.java", flink="1.14", severity=Severity.ERROR),
        bad(program(producer("setQueueLimit(1000)")), file="Positions.java"),
        bad(program(producer()), file="Positions.java", profile="development", severity=Severity.INFO),
        good(program(producer("setFailOnError(true)")), file="Positions.java"),
        good(program(producer("setFailOnError(false)")), file="Positions.java"),
        good(program(sink()), file="Positions.java"),
        bad(program(producer()), file="Positions.java", flink="1.5", profile="development", severity=Severity.INFO),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program",
            writing_job("failOnError"),
            "failOnError=false",
            good=writing_job("failOnError", "setFailOnError(true)"),
            releases=IN_INDEX,
        ),
    ]

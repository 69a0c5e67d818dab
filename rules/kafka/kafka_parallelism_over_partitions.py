"""A Kafka source has more subtasks than its topic has partitions.

## What it does
Compares, over all files of the run, the partitions of a topic that a Strimzi `KafkaTopic` declares with the parallelism
of a source that reads it: `scan.parallelism` of a SQL table, else the parallelism of the script or program and of the
deployment it runs on. It reports a source with more subtasks than partitions: as a warning where its SQL table has a
watermark and nothing declares idle subtasks as idle, as advice elsewhere.

## Why it matters
A partition is read by one subtask, so the rest read nothing and hold slots. They send no watermark either, and do not
count as idle by themselves: without an idle timeout the watermark of all stands still, windows never fire, and their
state grows.

## What to do
Lower the parallelism of the source to the partitions, or add partitions. Where it has to stay, set
`table.exec.source.idle-timeout` (`withIdleness` in a program).

## Not when
The source reads several topics, or a pattern; the parallelism is not known; a program may set that of the source
itself, hence low confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#idleness>: a source with more
  subtasks than partitions does not become idle by itself
- <https://strimzi.io/docs/operators/latest/configuring.html#type-KafkaTopicSpec-reference>: `partitions`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import GROUP, program, source, table
from flink_flint.rules.kafka._clients import is_sql
from flink_flint.rules.kafka._partitions import OPTIONS, PARALLELISM, READ, TOPIC, Shared, shared

_IDLE = "table.exec.source.idle-timeout"


@rule(
    code="FLK807",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-source"],
    scope="project",
    compares=[(["element:kafka-topic"], ["element:kafka-source"])],
    flink=">=1.10",
    since="0.1",
)
def kafka_parallelism_over_partitions(project: Project) -> Iterator[Finding]:
    """a Kafka source has more subtasks than its topic has partitions"""
    for one in shared(project):
        if one.subtasks > one.partitions:
            yield _told(one)


def _told(one: Shared) -> Finding:
    what = f"{one.subtasks} subtasks read topic {one.topic.name} of {one.partitions} partitions:"
    stands = is_sql(one.reader) and _holds_watermarks_back(one.config, one.reader)
    return one.reader.finding(
        f"{what} {one.subtasks - one.partitions} of them read nothing"
        + (", never count as idle, and no window fires" if stands else " and hold slots"),
        key=one.topic.name,
        help=f"read with a parallelism of {one.partitions}"
        + (f", or set {_IDLE} to 30 s" if stands else ", and declare idle sources as idle where watermarks are used"),
        severity=None if stands else Severity.INFO,
        confidence=None if is_sql(one.reader) else Confidence.LOW,
        related=[one.topic.place("partitions", f"{one.partitions} partitions"), one.config.get(PARALLELISM)],
        evidence={"subtasks": one.subtasks, "partitions": one.partitions},
    )


def _holds_watermarks_back(config: View, reader: ElementView) -> bool:
    """Whether the table has a watermark, and nothing declares its subtasks idle."""
    if "with.scan.watermark.idle-timeout" in reader.element.attributes or not config.is_known(_IDLE):
        return False
    timeout = config.duration(_IDLE)
    return not timeout and any(
        one.has("watermark") and one.span("with.topic") == reader.span("with.topic") for one in config.elements("table")
    )


_EIGHT = "SET 'parallelism.default' = '8';\n"
_TIMED = "id STRING, amount TIMESTAMP(3), WATERMARK FOR amount AS amount - INTERVAL '5' SECOND"
_JOB = program("env.setParallelism(8);", source(GROUP, topic="bids"))


def cases() -> list[Case]:
    return [
        bad(
            _EIGHT + table("b", OPTIONS) + READ,
            file="bids.sql",
            beside={"topic.yaml": TOPIC % 4},
            severity=Severity.INFO,
            says="8 subtasks read topic bids of 4 partitions: 4 of them read nothing",
        ),
        bad(
            _EIGHT + table("b", OPTIONS, columns=_TIMED) + READ,
            file="bids.sql",
            beside={"topic.yaml": TOPIC % 4},
            severity=Severity.WARNING,
            says="never count as idle, and no window fires",
        ),
        good(_JOB, file="Bids.java", flink="1.9", beside={"topic.yaml": TOPIC % 6}),
        good(_EIGHT + table("b", OPTIONS) + READ, file="bids.sql", beside={"topic.yaml": TOPIC % 8}),
        *cases_in_folders(__file__),
    ]

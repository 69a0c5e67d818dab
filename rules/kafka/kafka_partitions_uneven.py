"""The partitions of a topic do not divide evenly among the subtasks that read it.

## What it does
Compares, over all files of the run, the partitions of a topic that a Strimzi `KafkaTopic` declares with the parallelism
of a source that reads it, as `kafka-parallelism-over-partitions` does, and reports where there are more partitions than
subtasks, but no multiple of them.

## Why it matters
A partition is read by one subtask. With 10 partitions and 4 subtasks two subtasks read three partitions and two read
two: the former carry half as much again, lag first, and hold back the watermark of all, while the others idle. Who adds
a TaskManager and goes from 5 to 6 subtasks has gained nothing, as some still read two.

## What to do
Choose a parallelism that divides the number of partitions, and a number of partitions with many divisors (12, 24, 60).

## Not when
It is off by default: where subtasks are far from busy, uneven shares do no harm. The rule is silent about sources of
several topics, about a parallelism that is not known, and where some subtasks read nothing, which the other rule tells.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/>: partitions are the splits of
  the source, each read by one of its readers
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.rules.kafka._cases import GROUP, program, source, table
from flink_flint.rules.kafka._partitions import OPTIONS, PARALLELISM, READ, TOPIC, Shared, shared


@rule(
    code="FLK808",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-source"],
    scope="project",
    compares=[(["element:kafka-topic"], ["element:kafka-source"])],
    pedantic=True,
    of_scale=True,
    since="0.1",
)
def kafka_partitions_uneven(project: Project) -> Iterator[Finding]:
    """the partitions of a topic do not divide evenly among the subtasks that read it"""
    for one in shared(project):
        if one.subtasks < one.partitions and one.partitions % one.subtasks:
            yield _told(one)


def _told(one: Shared) -> Finding:
    least, more = divmod(one.partitions, one.subtasks)
    even = max(number for number in range(1, one.subtasks) if one.partitions % number == 0)
    return one.reader.finding(
        f"{one.partitions} partitions of topic {one.topic.name} for {one.subtasks} subtasks: {more} of them read"
        f" {least + 1}, the others {least}",
        key=one.topic.name,
        help=f"read with a parallelism that divides {one.partitions}: {even}, or {_next(one)}",
        related=[one.topic.place("partitions", f"{one.partitions} partitions"), one.config.get(PARALLELISM)],
        evidence={"subtasks": one.subtasks, "partitions": one.partitions},
        measure=(least + 1) * one.subtasks / one.partitions,
    )


def _next(one: Shared) -> int:
    return next(number for number in range(one.subtasks + 1, one.partitions + 1) if one.partitions % number == 0)


_FOUR = "SET 'parallelism.default' = '4';\n"
_JOB = program("env.setParallelism(4);", source(GROUP, topic="bids"))


def cases() -> list[Case]:
    return [
        bad(
            _FOUR + table("b", OPTIONS) + READ,
            file="bids.sql",
            beside={"topic.yaml": TOPIC % 10},
            severity=Severity.INFO,
            says="10 partitions of topic bids for 4 subtasks: 2 of them read 3, the others 2",
        ),
        bad(_JOB, file="Bids.java", beside={"topic.yaml": TOPIC % 5}, says="1 of them read 2, the others 1"),
        good(_FOUR + table("b", OPTIONS) + READ, file="bids.sql", beside={"topic.yaml": TOPIC % 12}),
        good(_FOUR + table("b", OPTIONS) + READ, file="bids.sql", beside={"topic.yaml": TOPIC % 4}),
        *cases_in_folders(__file__),
    ]

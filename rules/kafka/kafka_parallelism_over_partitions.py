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

from linter.project import Project
from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import Part, View
from rules.kafka._cases import GROUP, program, source, table
from rules.kafka._clients import is_batch, is_bounded, is_sql, topics
from rules.sql._queries import parallelism

_PARALLELISM = "parallelism.default"
_IDLE = "table.exec.source.idle-timeout"


@rule(
    code="FLK807",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-source"],
    scope="project",
    flink=">=1.10",
    since="0.1",
)
def kafka_parallelism_over_partitions(project: Project) -> Iterator[Finding]:
    """a Kafka source has more subtasks than its topic has partitions"""
    made: dict[str, list[Part]] = {}
    for config in project.views:
        for topic in config.elements("kafka-topic"):
            made.setdefault(topic.name, []).append(topic)
    for config in project.views if made else ():
        for reader in config.elements("kafka-source"):
            names = topics(reader)
            declared = made.get(names[0], []) if len(names) == 1 else []
            counts = {one.value("partitions") for one in declared}
            partitions = next(iter(counts)) if len(counts) == 1 else None
            subtasks = _subtasks(config, reader)
            if not isinstance(partitions, int) or subtasks is None or subtasks <= partitions:
                continue
            yield from _judge(config, reader, declared[0], partitions, subtasks)


def _judge(config: View, reader: Part, topic: Part, partitions: int, subtasks: int) -> Iterator[Finding]:
    if is_batch(config) or is_bounded(reader):
        return
    what = f"{subtasks} subtasks read topic {topic.name} of {partitions} partitions: {subtasks - partitions} of them"
    stands = is_sql(reader) and _holds_watermarks_back(config, reader)
    yield reader.finding(
        f"{what} read nothing" + (", never count as idle, and no window fires" if stands else " and hold slots"),
        key=topic.name,
        help=f"read with a parallelism of {partitions}"
        + (f", or set {_IDLE} to 30 s" if stands else ", and declare idle sources as idle where watermarks are used"),
        severity=None if stands else Severity.INFO,
        confidence=None if is_sql(reader) else Confidence.LOW,
        related=[topic.place("partitions", f"{partitions} partitions"), config.get(_PARALLELISM)],
        evidence={"subtasks": subtasks, "partitions": partitions},
    )


def _subtasks(config: View, reader: Part) -> int | None:
    """The parallelism of a source; None where it is not known."""
    if "with.scan.parallelism" in reader.element.attributes:
        number = reader.number("with.scan.parallelism")
        return None if number is None else int(number)
    if is_sql(reader):
        return parallelism(config)[0]
    setting = config.get(_PARALLELISM)
    return config.integer(_PARALLELISM) if setting.is_set and setting.is_known else None


def _holds_watermarks_back(config: View, reader: Part) -> bool:
    """Whether the table has a watermark, and nothing declares its subtasks idle."""
    if "with.scan.watermark.idle-timeout" in reader.element.attributes or not config.is_known(_IDLE):
        return False
    timeout = config.duration(_IDLE)
    return not timeout and any(
        one.has("watermark") and one.span("with.topic") == reader.span("with.topic") for one in config.elements("table")
    )


_TOPIC = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: bids
  labels: {app: flink}
spec:
  partitions: %s
"""
_OPTIONS = "'topic' = 'bids', 'format' = 'json', 'properties.group.id' = 'b'"
_READ = "CREATE TABLE p (id STRING, amount INT) WITH ('connector' = 'print');\nINSERT INTO p SELECT * FROM b;\n"
_EIGHT = "SET 'parallelism.default' = '8';\n"
_TIMED = "id STRING, amount TIMESTAMP(3), WATERMARK FOR amount AS amount - INTERVAL '5' SECOND"
_JOB = program("env.setParallelism(8);", source(GROUP, topic="bids"))

CASES = [
    bad(_EIGHT + table("b", _OPTIONS) + _READ, file="bids.sql", beside={"topic.yaml": _TOPIC % 4},
        severity=Severity.INFO, says="8 subtasks read topic bids of 4 partitions: 4 of them read nothing"),
    bad(_EIGHT + table("b", _OPTIONS, columns=_TIMED) + _READ, file="bids.sql", beside={"topic.yaml": _TOPIC % 4},
        severity=Severity.WARNING, says="never count as idle, and no window fires"),
    bad(_JOB, file="Bids.java", beside={"topic.yaml": _TOPIC % 6}, severity=Severity.INFO),
    good(_EIGHT + table("b", _OPTIONS) + _READ, file="bids.sql", beside={"topic.yaml": _TOPIC % 8}),
    good(_EIGHT + table("b", _OPTIONS + ", 'scan.parallelism' = '4'") + _READ, file="bids.sql",
         beside={"topic.yaml": _TOPIC % 4}),
    good(_EIGHT.replace("parallelism.default", "table.exec.resource.default-parallelism").replace("8", "4")
         + table("b", _OPTIONS, columns=_TIMED) + _READ, file="bids.sql", beside={"topic.yaml": _TOPIC % 4}),
    good(table("b", _OPTIONS) + _READ, file="bids.sql", beside={"topic.yaml": _TOPIC % 4}),
    good(_JOB, file="Bids.java", beside={"topic.yaml": (_TOPIC % 4).replace("bids", "clicks")}),
    good(_JOB, file="Bids.java", beside={"topic.yaml": _TOPIC % "{{ .Values.partitions }}"}),
]  # fmt: skip

"""Numbers of partitions of topics, and of subtasks that read them."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kafka._clients import is_batch, is_bounded, is_sql, topics
from flink_flint.rules.sql._queries import parallelism

PARALLELISM = "parallelism.default"

TOPIC = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: bids
  labels: {app: flink}
spec:
  partitions: %s
"""
"""The manifest of a KafkaTopic for test cases; ``%s`` stands for the number of partitions."""
OPTIONS = "'topic' = 'bids', 'format' = 'json', 'properties.group.id' = 'b'"
READ = "CREATE TABLE p (id STRING, amount INT) WITH ('connector' = 'print');\nINSERT INTO p SELECT * FROM b;\n"


class Shared(NamedTuple):
    """A topic with a known number of partitions, and a source with known parallelism that reads only this topic."""

    config: View
    reader: ElementView
    topic: ElementView
    partitions: int
    subtasks: int


def shared(project: Project) -> Iterator[Shared]:
    """Yield each Kafka topic that the files declare, with an unbounded source that reads only this topic."""
    made: dict[str, list[ElementView]] = {}
    for config in project.views:
        for topic in config.elements("kafka-topic"):
            made.setdefault(topic.name, []).append(topic)
    for config in project.views:
        for reader in config.elements("kafka-source"):
            names = topics(reader)
            declared = made.get(names[0], []) if len(names) == 1 else []
            counts = {one.value("partitions") for one in declared}
            partitions = next(iter(counts)) if len(counts) == 1 else None
            subtasks = _subtasks(config, reader)
            if not isinstance(partitions, int) or subtasks is None or subtasks < 1:
                continue
            if is_batch(config) or is_bounded(reader):
                continue
            yield Shared(config, reader, declared[0], partitions, subtasks)


def _subtasks(config: View, reader: ElementView) -> int | None:
    """The parallelism of a source; None where it is not known."""
    if "with.scan.parallelism" in reader.element.attributes:
        number = reader.number("with.scan.parallelism")
        return None if number is None else int(number)
    if is_sql(reader):
        return parallelism(config)[0]
    setting = config.get(PARALLELISM)
    return config.integer(PARALLELISM) if setting.is_set and setting.is_known else None

"""Streams and topics that files of the run create, and the jobs that read and write them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from math import inf

from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kafka._clients import is_batch, is_bounded, is_sql, topics
from flink_flint.rules.kinesis._reader import Reads, api, readers, reads, stream
from flink_flint.rules.sql._queries import parallelism as of_script

PARALLELISM = "parallelism.default"
_WRITERS = ("FlinkKinesisProducer", "KinesisStreamsSink", "property-group")


class Made(NamedTuple):
    """A stream or topic with a known and fixed number of shards or partitions."""

    size: int
    part: ElementView
    attribute: str


class Job(NamedTuple):
    """A program, script or application, and its only reader of a stream or topic."""

    config: View
    reader: ElementView
    name: str
    """The name of the stream or topic that the job reads."""


def made(project: Project, kind: str, attribute: str) -> dict[str, Made]:
    """Return the streams or topics with a fixed size that files of the run create, by name."""
    found: dict[str, Made | None] = {}
    for config in project.views:
        for part in config.elements(kind):
            one = _fixed(part, attribute)
            known = found.setdefault(part.name, one)
            if known is None or one is None or known.size != one.size:
                found[part.name] = None
    found.pop("", None)
    return {name: one for name, one in found.items() if one is not None}


def _fixed(part: ElementView, attribute: str) -> Made | None:
    """What is made in a known and fixed number; None where it scales by itself, or may."""
    count = part.value(attribute)
    if not isinstance(count, int) or count < 1 or (part.has("mode") and part.text("mode") != "PROVISIONED"):
        return None
    return Made(count, part, attribute)


def stream_jobs(project: Project) -> dict[str, list[Job]]:
    """Return the jobs that read each Kinesis stream, by stream name."""
    found: dict[str, list[Job]] = defaultdict(list)
    for config in project.views:
        known: set[str] = set()
        for reader in readers(config):
            name = stream(reader)
            if name not in known:
                known.add(name)
                found[name].append(Job(config, reader, name))
    return found


def topic_jobs(project: Project) -> Iterator[Job]:
    """Yield the jobs that read exactly one Kafka topic, without an end."""
    for config in project.views:
        for reader in config.elements("kafka-source"):
            names = topics(reader)
            if len(names) == 1 and not is_batch(config) and not is_bounded(reader):
                yield Job(config, reader, names[0])


class Subtasks(NamedTuple):
    """The number of subtasks of a reader, and the setting or element that determines it."""

    number: int
    said: Setting | ElementView
    attribute: str | None = None

    @property
    def finding(self) -> Callable[..., Finding]:
        """The method that creates a finding on the setting or element."""
        return (
            partial(self.said.finding, of=self.attribute) if isinstance(self.said, ElementView) else self.said.finding
        )


def subtasks(job: Job) -> Subtasks | None:
    """Return the number of subtasks of a job's reader; None if it is unknown."""
    config, reader = job.config, job.reader
    own = "with.scan.parallelism"
    if own in reader.element.attributes:
        number = reader.number(own)
        return None if number is None or number < 1 else Subtasks(int(number), reader, own)
    if is_sql(reader):
        count, setting = of_script(config)
        return Subtasks(count, setting) if count is not None and setting is not None else None
    setting = config.get(PARALLELISM)
    count = config.integer(PARALLELISM) if setting.is_set else None
    return Subtasks(count, setting) if count is not None and count > 0 else None


class Writing(NamedTuple):
    """A job that reads one Kinesis stream and writes another, both with known shards."""

    job: Job
    writer: ElementView
    source: Made
    rate: float
    """The maximum records per second that the job reads; infinite if nothing limits it."""


def writers(project: Project, streams: dict[str, Made]) -> dict[str, list[Writing]]:
    """Return the jobs that read one stream and write another, by the stream that they write to."""
    found: dict[str, list[Writing]] = defaultdict(list)
    for config in project.views:
        sinks = config.elements("kinesis-sink")
        into = {stream(one): one for one in sinks}
        sources = {stream(one): one for one in readers(config)}
        if len(into) != 1 or len(sources) != 1 or not all(map(_is_stream, sinks)):
            continue
        (target, writer), (name, reader) = *into.items(), *sources.items()
        if target in streams and name in streams and target != name:
            rate = _rate(reads(reader)) * streams[name].size
            found[target].append(Writing(Job(config, reader, name), writer, streams[name], rate))
    return found


def _is_stream(writer: ElementView) -> bool:
    return api(writer) in _WRITERS or writer.text("with.connector") in ("kinesis", "kinesis-legacy")


def _rate(polls: Reads | None) -> float:
    """Records a second of a shard at most that a reader asks for."""
    return inf if polls is None or not polls.attributes or not polls.interval else polls.records * 1000 / polls.interval

"""A job's Kinesis stream takes less than the stream it reads brings.

## What it does
Compares, over all files of the run, the shards of the stream that a job reads with those of the stream it writes, where
Terraform or CloudFormation makes both with a fixed number of shards. It reports a job whose sink has fewer.

## Why it matters
Each shard takes 1 MB and 1000 records a second. A source of eight shards that is well used brings 8 MB/s, and a sink
of four takes half of that. What is above is refused with `ProvisionedThroughputExceededException`; depending on the
sink the job waits behind it and falls back, or fails. After an outage it is twice as bad, because a shard is read at
2 MB/s.

## What to do
Give the sink's stream as many shards as the source's, and twice as many where the job is to catch up at full speed,
unless the job drops or shrinks records; or throttle the reader.

## Not when
A stream is on demand; the number of shards is a variable; the job reads or writes several streams; the reader is
throttled to the records that the sink's shards take.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: 1 MB/s and 1000 records a second into
  a shard, 2 MB/s out of it
- <https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/kinesis_stream>: `shard_count` and
  `stream_mode_details`
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kinesis._cases import consumer, program, sink
from flink_flint.rules.kinesis._reader import api, readers, reads, stream

_WRITERS = ("KinesisStreamsSink", "FlinkKinesisProducer", "property-group")


@rule(
    code="FLK841",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    scope="project",
    compares=[(["element:kinesis-stream"], ["element:kinesis-source", "element:kinesis-sink"])],
    flink=">=1.3",
    since="0.1",
)
def kinesis_write_capacity(project: Project) -> Iterator[Finding]:
    """a job's Kinesis stream takes less than the stream it reads brings"""
    made: dict[str, list[ElementView]] = {}
    for config in project.views:
        for one in config.elements("kinesis-stream"):
            made.setdefault(one.name, []).append(one)
    made.pop("", None)
    for config in project.views if made else ():
        job = _only_streams(config)
        if job is None:
            continue
        reader, writer = job
        first, second = _shards(made, reader), _shards(made, writer)
        if first is None or second is None or first <= second:
            continue
        from flink_flint.calculators.formulas.kinesis_limits import WRITE_BYTES, WRITE_RECORDS

        if _most_records(reader, first) <= WRITE_RECORDS * second:
            continue
        rate = WRITE_BYTES // 1_000_000
        yield writer.finding(
            f"the job reads {stream(reader)} of {first} shards, which brings up to {rate * first} MB/s, and writes"
            f" {stream(writer)} of {second}, which takes {rate * second} MB/s: the rest is refused",
            key="shards",
            help=f"give {stream(writer)} {first} shards, or {2 * first} to catch up at full speed, unless the job"
            " writes less than it reads",
            related=[
                made[stream(writer)][0].place("shards", f"{second} shards"),
                made[stream(reader)][0].place("shards", f"{first} shards"),
            ],
            evidence={"read_shards": first, "write_shards": second},
            measure=first / second,
        )


def _only_streams(config: View) -> tuple[ElementView, ElementView] | None:
    """The reader and the writer of a job that has one of each, of different streams."""
    sources = {stream(reader): reader for reader in readers(config)}
    writers = config.elements("kinesis-sink")
    sinks = {stream(writer): writer for writer in writers if _is_stream(writer)}
    if len(sources) != 1 or len(sinks) != 1 or len(sinks) != len(writers):
        return None
    (reader,), (writer,) = sources.values(), sinks.values()
    return reader, writer


def _most_records(reader: ElementView, shards: int) -> float:
    """The records a second that a throttled reader takes; infinite of another one."""
    polls = reads(reader)
    if polls is None or polls.interval is None:
        return inf
    return polls.records * 1000 / polls.interval * shards


def _is_stream(writer: ElementView) -> bool:
    return api(writer) in _WRITERS or writer.text("with.connector") in ("kinesis", "kinesis-legacy")


def _shards(made: dict[str, list[ElementView]], client: ElementView) -> int | None:
    """The shards of a client's stream; None where they are not fixed, or files of the run differ."""
    streams = made.get(stream(client), [])
    counts = {None if _scales(one) else one.value("shards") for one in streams}
    return counts.pop() if len(counts) == 1 else None


def _scales(one: ElementView) -> bool:
    return one.has("mode") and one.text("mode") != "PROVISIONED"


def _tf(name: str, shards: str, more: str = "") -> str:
    return (
        f'# read and written by Flink\nresource "aws_kinesis_stream" "{name}" {{\n  name = "{name}"\n'
        f"  shard_count = {shards}\n{more}}}\n"
    )


_JOB = program(consumer(), sink())
_TEMPLATE = """# streams of the Flink job
Resources:
  Positions:
    Type: AWS::Kinesis::Stream
    Properties: {Name: positions, ShardCount: 8}
  Enriched:
    Type: AWS::Kinesis::Stream
    Properties: {Name: enriched, ShardCount: %s}
"""


def cases() -> list[Case]:
    return [
        bad(
            _JOB,
            file="Positions.java",
            severity=Severity.WARNING,
            beside={"streams.tf": _tf("positions", "8") + _tf("enriched", "4")},
            says="reads positions of 8 shards, which brings up to 8 MB/s, and writes enriched of 4",
        ),
        bad(_JOB, file="Positions.java", beside={"streams.yaml": _TEMPLATE % 2}),
        good(_JOB, file="Positions.java", beside={"streams.tf": _tf("positions", "8") + _tf("enriched", "8")}),
        good(_JOB, file="Positions.java", beside={"streams.yaml": _TEMPLATE % 16}),
        *cases_in_folders(__file__),
    ]

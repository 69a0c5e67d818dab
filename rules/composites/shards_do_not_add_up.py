"""Shards, partitions and subtasks that fit one job do not fit all jobs together.

## What it does
Joins the streams that Terraform or CloudFormation make, and the topics of Strimzi, with all jobs of the run that read
or write them and with the parallelism of their deployments. Reports

- three jobs or more that poll one stream, few enough times a second, and share the 2 MB/s of each shard: less for each
  of them than the 1 MB/s that the shard takes in;
- jobs that write into one stream which takes what each of them reads, but not what all of them read;
- a job with more subtasks than its Kinesis stream has shards;
- a parallelism that does not divide the shards or partitions, so that a quarter of the subtasks' time or more is spent
  waiting for the busiest one;
- a topic with more partitions than `pipeline.max-parallelism` allows subtasks, where an autoscaler is on.

## Why it matters
What a shard gives is shared by all who poll it, and what it takes by all who write. No application sees the others:

    positions    4 shards                             takes in 4 MB/s        main.tf
    tracks       polls every 600 ms, 1.7 calls/s      gets 0.67 MB/s a shard
    alerts       polls every 600 ms, 1.7 calls/s      gets 0.67 MB/s a shard
    archive      polls every 600 ms, 1.7 calls/s      gets 0.67 MB/s a shard
    all          5 calls/s of 5                       2 MB/s of 2 a shard

The calls are within the limit, and `kinesis-shard-calls` has nothing to say. But once the stream is filled to more than
two thirds, 2.67 MB/s, none of the three keeps up, and after an outage none catches up at less than that.

A reader's subtasks divide shards and partitions evenly or not at all. Of 12 partitions 8 subtasks read 2, 2, 2, 2,
1, 1, 1 and 1: when the first four are busy the others have half their time to spare, and the job is as quick as with 6
subtasks. It costs 8. Beyond the number of partitions subtasks have nothing to do.

And the autoscaler raises the parallelism up to `pipeline.max-parallelism` (or its own
`job.autoscaler.vertex.max-parallelism`). With 200 partitions and at most 128 subtasks 72 of them read two: the source
is as quick as with 100, whatever it scales to, and the number is in the state and cannot be raised later.

## What to do
- Let readers fan out (`flink.stream.recordpublisher: EFO`), which gives each 2 MB/s of its own, or add shards.
- Give the stream that is written as many shards as all that is read into it.
- Set the parallelism to the number of shards or partitions, or to a divisor of it.
- Set `pipeline.max-parallelism` to the number of partitions or a multiple with many divisors (720), before the first
  start.

## Not when
- The stream scales by itself (`ON_DEMAND`), is made elsewhere, or files of the run differ about it.
- More than five calls a second are made on a shard (`kinesis-shard-calls` tells that), or one job alone reads more than
  the other stream takes (`kinesis-write-capacity`), or a Kafka source has more subtasks than partitions
  (`kafka-parallelism-over-partitions`).
- Readers fan out or adapt their reads, or are slowed down so far that the stream written takes it.
- A program may give its source a parallelism of its own, which is not known: hence low confidence there. Sizes of
  records are in no file, so that limits in bytes of one call are not reckoned (`flink size kinesis` does).

The share of lost time from which the rule speaks is the threshold `lost`, a quarter by default.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: five calls and 2 MB a second to read,
  1 MB and 1000 records to write
- <https://docs.aws.amazon.com/streams/latest/dev/enhanced-consumers.html>: 2 MB/s for each consumer that fans out
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/production_ready/#set-an-explicit-max-parallelism>:
  the maximum is kept in the state
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/>: the bounds
  of the autoscaler, and why a maximum with many divisors
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.running_programs import running
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.composites._places import links, name_of
from flink_flint.rules.composites._streams import Job, Made, Writing, made, stream_jobs, subtasks, topic_jobs, writers
from flink_flint.rules.kafka._clients import is_sql
from flink_flint.rules.kinesis._reader import Reads, reads
from flink_flint.rules.scheduling._autoscaler import scales
from flink_flint.rules.scheduling._autoscaler import setting as autoscaler

_MAX = "pipeline.max-parallelism"
_FEWEST = 3
"""Pollers of one shard from which each gets less than the shard takes in."""


@rule(
    code="FLK057",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-stream", "element:kafka-topic"],
    scope="project",
    compares=[
        (["element:kinesis-stream"], ["element:kinesis-source", "element:kinesis-sink"]),
        (["element:kafka-topic"], ["element:kafka-source"]),
    ],
    several=True,
    of_scale=True,
    flink=">=1.3",
    since="0.1",
    thresholds={"lost": Threshold(0.25, "share of the subtasks' time that is lost to an uneven division from which")},
)
def shards_do_not_add_up(project: Project) -> Iterator[Finding]:
    """shards, partitions and subtasks that fit one job do not fit all together"""
    streams, kafka = made(project, "kinesis-stream", "shards"), made(project, "kafka-topic", "partitions")
    if streams:
        jobs = stream_jobs(project)
        for name, one in streams.items():
            yield from _shared(name, one, jobs.get(name, ()))
            for job in jobs.get(name, ()):
                yield from _divided(job, one, "shard")
        for name, writing in writers(project, streams).items():
            yield from _written(name, streams[name], writing)
    for job in topic_jobs(project) if kafka else ():
        topic = kafka.get(job.name)
        if topic is not None:
            yield from _divided(job, topic, "partition")
            yield from _capped(job, topic)


def _shared(name: str, stream: Made, jobs: Sequence[Job]) -> Iterator[Finding]:
    """Pollers that together make few enough calls, and get less each than the shard takes in."""
    from flink_flint.calculators.formulas.kinesis_limits import READ_BYTES, READ_CALLS, WRITE_BYTES, reader_share

    polling = [(job, polls) for job in jobs if (polls := reads(job.reader)) is not None and polls.interval]
    calls = sum(1000 / (polls.interval or 1) for _, polls in polling)
    if len(polling) < _FEWEST or calls > READ_CALLS:
        return
    share = reader_share(len(polling))
    all_run = _all_run([job.config for job, _ in polling])
    carried = share / WRITE_BYTES
    enough = ceil(stream.size / carried)
    yield stream.part.finding(
        f"{'' if all_run else _IF}{len(polling)} jobs poll {name} and share {READ_BYTES / 1e6:g} MB/s of each of its"
        f" {_of(stream.size, 'shard')}: {share / 1e6:.2g} MB/s for each, and a shard takes in"
        f" {WRITE_BYTES / 1e6:g} MB/s. Filled to more than {carried:.0%}, every one of them falls behind",
        of=stream.attribute,
        key=f"{name}.shards",
        severity=None if all_run else Severity.INFO,
        help=f"let {len(polling) - 2} of them fan out (flink.stream.recordpublisher: EFO), or make {enough} shards of"
        f" {stream.size}",
        related=[job.reader.place(None, _poll(job, polls)) for job, polls in polling],
        evidence={"readers": len(polling), "share": share, "shards": stream.size},
        measure=len(polling),
    )


_IF = "if all of them run, "


def _all_run(configs: Sequence[View]) -> bool:
    """Whether jobs are known to run at the same time, as opposed to being the main classes of one JAR."""
    return len(running(configs)) == len(configs)


def _poll(job: Job, polls: Reads) -> str:
    return f"{_called(job)} polls every {polls.interval:g} ms"


def _written(name: str, stream: Made, writing: Sequence[Writing]) -> Iterator[Finding]:
    """Writers whose streams each have no more shards than the one they write to, and together have."""
    from flink_flint.calculators.formulas.kinesis_limits import WRITE_BYTES, WRITE_RECORDS

    total = sum(one.source.size for one in writing)
    if total <= stream.size or any(one.source.size > stream.size for one in writing):
        return
    if sum(one.rate for one in writing) <= WRITE_RECORDS * stream.size:
        return
    rate = WRITE_BYTES / 1e6
    all_run = _all_run([one.job.config for one in writing])
    yield stream.part.finding(
        f"{'' if all_run else _IF}{len(writing)} jobs write to {name}, which takes {rate * stream.size:g} MB/s in"
        f" {_of(stream.size, 'shard')}; they read streams of {total} shards, which take in {rate * total:g} MB/s. Each"
        " fits alone, together the rest is refused",
        of=stream.attribute,
        key=f"{name}.shards",
        severity=None if all_run else Severity.INFO,
        help=f"make {total} shards of {stream.size}, unless the jobs write less than they read",
        related=[
            *(one.writer.place(None, f"{_called(one.job)} writes here what {one.job.name} brings") for one in writing),
            *_streams(writing),
        ],
        evidence={"read_shards": total, "write_shards": stream.size},
        measure=total / stream.size,
    )


def _streams(writing: Sequence[Writing]) -> list[Place]:
    sources: dict[str, Made] = {one.job.name: one.source for one in writing}
    return [one.part.place(one.attribute, f"{name}: {_of(one.size, 'shard')}") for name, one in sources.items()]


def _divided(job: Job, stream: Made, unit: str) -> Iterator[Finding]:
    """Subtasks that have nothing to do, or must wait for those that have more."""
    found = subtasks(job)
    if found is None:
        return
    count = found.number
    most = ceil(stream.size / count)
    lost = 1 - stream.size / (most * count)
    if count > stream.size:
        if unit == "partition":
            return
        message = f"{count - stream.size} of them have no shard and hold slots for nothing"
    elif lost < job.config.threshold("lost"):
        return
    else:
        same = ceil(stream.size / most)
        message = f"the busiest read {most}, and the job is as quick as with {same}: {lost:.0%} of the slots' time"
        message += " is lost"
    yield found.finding(
        f"{count} subtasks of {_called(job)} read {job.name} of {_of(stream.size, unit)}: {message}",
        help=f"set a parallelism of {_better(stream.size, count)}",
        severity=Severity.INFO,
        confidence=Confidence.MEDIUM if is_sql(job.reader) else Confidence.LOW,
        related=[
            stream.part.place(stream.attribute, _of(stream.size, unit)),
            job.reader.place(None, f"reads {job.name}"),
        ],
        evidence={"subtasks": count, f"{unit}s": stream.size},
        measure=round(lost, 3),
    )


def _capped(job: Job, topic: Made) -> Iterator[Finding]:
    """An autoscaler that can never give each partition a subtask."""
    config = job.config
    most, setting = config.integer(_MAX), config.get(_MAX)
    if not setting.is_set or most is None or not 0 < most < topic.size or not scales(config):
        return
    bound = autoscaler(config, "vertex.max-parallelism")
    if bound is not None and (whole(bound.text) or 0) <= most:
        return  # the autoscaler itself is bounded, which is a choice
    readers = ceil(topic.size / ceil(topic.size / most))
    yield setting.finding(
        f"the autoscaler gives {_called(job)} {most} subtasks at most, and {job.name} has {topic.size} partitions:"
        f" {topic.size - most} subtasks read two or more, so that the source is never quicker than with {readers}",
        help=f"set {_MAX} to {topic.size} or a multiple with many divisors, before the first start: the state has it",
        confidence=None if is_sql(job.reader) else Confidence.LOW,
        related=[
            topic.part.place(topic.attribute, f"{topic.size} partitions"),
            job.reader.place(None, f"reads {job.name}"),
            *links((autoscaler(config, "enabled"), "raises the parallelism up to that")),
        ],
        evidence={"max_parallelism": most, "partitions": topic.size},
        measure=topic.size / most,
    )


def _better(count: int, subtasks: int) -> int:
    """The divisor of a number of shards that is nearest to a number of subtasks, the greater of two as near."""
    divisors = [one for one in range(1, count + 1) if count % one == 0]
    return min(divisors, key=lambda one: (abs(one - subtasks), -one))


def _called(job: Job) -> str:
    classes = job.config.elements("job")
    return classes[0].name if classes else name_of(job.config)


def _of(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


_STREAM = """# read by Flink
resource "aws_kinesis_stream" "%s" {
  name        = "%s"
  shard_count = %s
%s}
"""


def _stream(name: str, shards: object, more: str = "") -> str:
    return _STREAM % (name, name, shards, more)


_JOB = (
    "package fleet;\n\n"
    "import java.util.Properties;\n"
    "import org.apache.flink.configuration.Configuration;\n"
    "import org.apache.flink.connector.kinesis.sink.KinesisStreamsSink;\n"
    "import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;\n"
    "import org.apache.flink.connector.kinesis.source.config.KinesisSourceConfigOptions;\n"
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;\n"
    "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisProducer;\n"
    "import org.apache.flink.streaming.connectors.kinesis.config.AWSConfigConstants;\n"
    "import org.apache.flink.streaming.connectors.kinesis.config.ConsumerConfigConstants;\n\n"
    "public class %s {\n"
    "    public static void main(String[] args) throws Exception {\n"
    "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    "        \n"
    "        Properties consumerConfig = new Properties();\n"
    '        consumerConfig.put("aws.region", "eu-west-1");\n'
    '        consumerConfig.put("flink.shard.getrecords.intervalmillis", "%s");\n'
    "        DataStream<String> stream = env.addSource(new FlinkKinesisConsumer<>(\n"
    '            "positions", new SimpleStringSchema(), consumerConfig));\n'
    '        env.execute("positions");\n'
    "    }\n"
    "}\n"
)


def _jobs(interval: int, *names: str) -> dict[str, str]:
    """Jobs that poll the stream every so many milliseconds, each in a file of its own."""
    return {f"{name}.java": _JOB % (name, interval) for name in names}


def cases() -> list[Case]:
    return [
        bad(
            _stream("positions", 4),
            file="main.tf",
            beside=_jobs(600, "Alerts", "Archive", "Tracks"),
            severity=Severity.INFO,
            at="4",
            says="if all of them run, 3 jobs poll positions and share 2 MB/s of each of its 4 shards: 0.67 MB/s for"
            " each, and a shard takes in 1 MB/s. Filled to more than 67%, every one of them falls behind",
        ),
        bad(
            _stream("positions", 4),
            file="main.tf",
            says="4 jobs poll positions",
            beside=_jobs(800, "Alerts", "Archive", "Tracks", "Maps"),
        ),
        good(_stream("positions", 4), file="main.tf", beside=_jobs(600, "Alerts", "Archive")),
        # More than five calls are FLK831's.
        good(
            _stream("positions", 4),
            file="main.tf",
            beside={**_jobs(600, "Alerts", "Archive"), **_jobs(590, "Tracks")},
        ),
        *cases_in_folders(__file__),
    ]

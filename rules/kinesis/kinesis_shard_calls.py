"""The readers of a Kinesis stream call its shards more often than they allow.

## What it does
Adds up, over all files of the run, how often readers that poll a stream call each of its shards, and reports those
of a stream that together make more than five calls a second. One `FlinkKinesisConsumer` makes five, at its default
`flink.shard.getrecords.intervalmillis` of 200; `KinesisStreamsSource` calls again at once whenever a call brought
records, unless `source.reader.nonempty-records-fetch-interval` slows it down.

## Why it matters
A shard answers five GetRecords calls a second, from all readers together. The rest get
`ProvisionedThroughputExceededException`: the readers fall behind, and a `FlinkKinesisConsumer` whose retries are used
up fails. One job at the defaults already leaves no call for a second one, or for a Lambda, a Firehose or a KCL
application on the same stream.

## What to do
Set the interval to 200 ms times the number of readers, or more, or give each job its own throughput by enhanced
fan-out.

## Not when
The readers fan out or adapt their reads, or their stream or properties are unknown. It is advice if only all main
classes of a module together call too often, and neither a deployment (`entryClass`) nor the build (`mainClass`) says
which of them run.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: five transactions a second for each
  shard
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/connectors/datastream/kinesis/#polling-default-record-publisher>:
  the interval of the consumer
- <https://github.com/apache/flink-connector-aws/pull/254>: the interval of the newer source, and why
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.running_programs import running
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kinesis._cases import ARN, READ, STREAM, again, consumer, group, program, source, table, unknown
from flink_flint.rules.kinesis._reader import (
    CONSUMER,
    INTERVAL,
    SOURCE_INTERVAL,
    Reads,
    attribute,
    connector,
    readers,
    reads,
    stream,
)


@rule(
    code="FLK831",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    scope="project",
    compares=[(["element:kinesis-source"], ["element:kinesis-source"])],
    flink=">=1.3",
    of_scale=True,
    since="0.1",
)
def kinesis_shard_calls(project: Project) -> Iterator[Finding]:
    """the readers of a Kinesis stream call its shards more often than they allow"""
    streams: dict[str, list[_Polling]] = defaultdict(list)
    for number, config in enumerate(project.views):
        fastest: dict[str, _Polling] = {}
        for place, reader in enumerate(readers(config)):
            polls = reads(reader)
            if polls is None:
                continue
            # Two readers of one stream in one program are mostly two ways to make the same one; a stream nobody knows
            # the name of has its reader for itself.
            name = stream(reader) or f"{number} {place}"
            if name not in fastest or (polls.interval or 0) < (fastest[name].reads.interval or 0):
                fastest[name] = _Polling(config, reader, polls)
        for name, one in fastest.items():
            streams[name].append(one)
    for name, polling in streams.items():
        known = {id(config) for config in running([one.config for one in polling])}
        sure = [one for one in polling if id(one.config) in known]
        if _is_too_often(sure):
            yield from _judge(name, sure)
        elif _is_too_often(polling):
            yield from _judge(name, polling, all_run=False)


class _Polling(NamedTuple):
    """A reader that polls a stream, and the job that it is part of."""

    config: View
    reader: ElementView
    reads: Reads


def _is_too_often(polling: Sequence[_Polling]) -> bool:
    from flink_flint.calculators.formulas.kinesis_limits import READ_CALLS

    return _paced(polling) > READ_CALLS or (len(polling) > 1 and _is_unpaced(polling))


def _paced(polling: Sequence[_Polling]) -> float:
    """The calls a second on each shard, of the readers that have an interval."""
    return sum(1000 / one.reads.interval for one in polling if one.reads.interval)


def _is_unpaced(polling: Sequence[_Polling]) -> bool:
    return any(one.reads.interval is None for one in polling)


def _judge(name: str, polling: Sequence[_Polling], *, all_run: bool = True) -> Iterator[Finding]:
    from flink_flint.calculators.formulas.kinesis_limits import READ_CALLS, fetch_interval

    paced, unpaced = _paced(polling), _is_unpaced(polling)
    enough = round(fetch_interval(len(polling)) * 1000)
    for one in polling:
        reader = one.reader
        others = [other.reader for other in polling if other.reader.element is not reader.element]
        key = INTERVAL if connector(reader) == CONSUMER else SOURCE_INTERVAL
        of = attribute(reader, key)
        if others:
            much = f"{paced:.4g} calls a second" if not unpaced else "as many calls as they can"
            what = "" if all_run else "if all of them run, "
            what += f"{len(polling)} jobs poll the stream {name}, with {much} on each shard, which answers"
            what += f" {READ_CALLS}"
        else:
            what = (
                f"this reader makes {1000 / (one.reads.interval or 1):.4g} calls a second on each shard, which answers"
            )
            what += f" {READ_CALLS} to all readers together"
        wanted = f"{enough}" if connector(reader) == CONSUMER else f"{enough} ms"
        yield reader.finding(
            f"{what}: the others are refused and the readers fall behind",
            of=of,
            severity=None if all_run or _is_too_often([one]) else Severity.INFO,
            help=f"set {key} to {wanted} or more{' in each of them' if others else ''}, or use enhanced fan-out",
            fix=reader.replace(of, wanted) if of and reader.text(of) != wanted else None,
            related=[other.place(None, "reads the stream too") for other in others[:5]],
            evidence={"calls_per_second": None if unpaced else paced, "readers": len(polling)},
            measure=len(polling) if unpaced else paced,
        )


_FAST = ("flink.shard.getrecords.intervalmillis", "100")
_SLOW = ("flink.shard.getrecords.intervalmillis", "400")


def cases() -> list[Case]:
    return [
        bad(program(consumer(_FAST)), file="Positions.java", says="makes 10 calls a second",
            fixed=program(consumer(("flink.shard.getrecords.intervalmillis", "200")))),
        bad(
            program(consumer()),
            file="Positions.java",
            beside={
                "Speeds.java": (
                    "package fleet;\n"
                    "\n"
                    "import java.util.Properties;\n"
                    "import org.apache.flink.configuration.Configuration;\n"
                    "import org.apache.flink.connector.kinesis.sink.KinesisStreamsSink;\n"
                    "import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;\n"
                    "import org.apache.flink.connector.kinesis.source.config.KinesisSourceConfigOptions;\n"
                    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
                    "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;\n"
                    "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisProducer;\n"
                    "import org.apache.flink.streaming.connectors.kinesis.config.AWSConfigConstants;\n"
                    "import org.apache.flink.streaming.connectors.kinesis.config.ConsumerConfigConstants;\n"
                    "\n"
                    "public class Speeds {\n"
                    "    public static void main(String[] args) throws Exception {\n"
                    "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
                    "        Properties consumerConfig = new Properties();\n"
                    '        consumerConfig.put("aws.region", "eu-west-1");\n'
                    "        DataStream<String> stream = env.addSource(new FlinkKinesisConsumer<>(\n"
                    '            "positions", new SimpleStringSchema(), consumerConfig));\n'
                    '        env.execute("positions");\n'
                    "    }\n"
                    "}\n"
                )
            },
            times=2,
            says="if all of them run, 2 jobs poll the stream positions, with 10 calls a second",
            severity=Severity.INFO,
        ),
        bad(group(_FAST), file="main.tf", says="makes 10 calls a second"),
        bad(table("t", STREAM, "'scan.shard.getrecords.intervalmillis' = '50'") + READ, file="positions.sql",
            says="makes 20 calls a second"),
        good(program(consumer()), file="Positions.java"),
        good(
            "package fleet;\n"
            "\n"
            "import java.util.Properties;\n"
            "import org.apache.flink.configuration.Configuration;\n"
            "import org.apache.flink.connector.kinesis.sink.KinesisStreamsSink;\n"
            "import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;\n"
            "import org.apache.flink.connector.kinesis.source.config.KinesisSourceConfigOptions;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;\n"
            "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisProducer;\n"
            "import org.apache.flink.streaming.connectors.kinesis.config.AWSConfigConstants;\n"
            "import org.apache.flink.streaming.connectors.kinesis.config.ConsumerConfigConstants;\n"
            "\n"
            "public class Positions {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        Properties consumerConfig = new Properties();\n"
            '        consumerConfig.put("aws.region", "eu-west-1");\n'
            "        DataStream<String> stream = env.addSource(new FlinkKinesisConsumer<>(\n"
            '            "positions", new SimpleStringSchema(), consumerConfig));\n'
            "        Properties consumerOther = new Properties();\n"
            '        consumerOther.put("aws.region", "eu-west-1");\n'
            "        DataStream<String> other = env.addSource(new FlinkKinesisConsumer<>(\n"
            '            "positions", new SimpleStringSchema(), consumerOther));\n'
            '        env.execute("positions");\n'
            "    }\n"
            "}\n",
            file="Positions.java",
        ),
        good(program(source()), file="Positions.java"),
        good(table("t", ARN) + READ, file="positions.sql"),
        bad(program(consumer(_FAST)), file="Positions.java", profile="development", severity=Severity.INFO),
        bad(program(consumer(("flink.shard.adaptivereads", "true")), again(consumer(_FAST))), file="Positions.java",
            flink="1.5", says="makes 10 calls a second"),
        bad(program(consumer(_SLOW), again(consumer(_FAST))), file="Positions.java", says="makes 10 calls a second"),
        bad(program(consumer(_FAST), again(consumer(_SLOW))), file="Positions.java", says="makes 10 calls a second"),
        bad(program(source((SOURCE_INTERVAL, "100 ms"))), file="Positions.java",
            fixed=program(source((SOURCE_INTERVAL, "200 ms")))),
        good(unknown(program(consumer(_FAST)), "100"), file="Positions.java"),
        good(unknown(program(consumer(("flink.stream.recordpublisher", "EFO"), _FAST)), "EFO"), file="Positions.java"),
        bad(group((SOURCE_INTERVAL, "100 ms")), file="main.tf", says="makes 10 calls a second"),
        good(program(source((SOURCE_INTERVAL, "300 ms"))), file="Positions.java"),
        *cases_in_folders(__file__),
    ]  # fmt: skip

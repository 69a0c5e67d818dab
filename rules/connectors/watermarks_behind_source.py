"""Watermarks are made behind a source of several partitions rather than in it.

## What it does
Looks for `assignTimestampsAndWatermarks` at once behind a source of Kafka, Pulsar or Kinesis that has no watermarks of
its own (`fromSource(..., WatermarkStrategy.noWatermarks(), ...)`, `addSource(consumer)`).

## Why it matters
Records are late, and windows drop them, most of all after a restart, when the source catches up. A subtask reads its
partitions in turn. Behind the source they are one stream, whose watermark follows the partition that is ahead; records
of the slower ones are older than it. In the source each partition has a watermark, and the lowest counts, so that their
order within the partition is enough. `withWatermarkAlignment` works there alone.

## What to do
Pass the strategy to the source: `env.fromSource(source, strategy, "orders")`, or
`consumer.assignTimestampsAndWatermarks(strategy)`.

## Not when
Another operator comes between, such as one that parses the timestamp; the source ends.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/event-time/generating_watermarks/#watermark-strategies-and-the-kafka-connector>:
  watermarks of each partition
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/event-time/generating_watermarks/#using-watermark-strategies>:
  the first of two places is preferable
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK596",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:late-watermarks"],
    flink=">=1.0",
    since="0.1",
)
def watermarks_behind_source(config: View) -> Iterator[Finding]:
    """watermarks are made behind a source of several partitions"""
    for one in config.elements("late-watermarks"):
        if config.is_bounded:
            continue
        name = one.method("assignTimestampsAndWatermarks")
        where = f"pass the strategy to {one.method('fromSource')}"
        if one.element.attributes["source"].raw == "addSource":
            where = f"call {name} of the consumer before it is added"
        yield one.finding(
            f"the watermark follows the partition of {one.name} that is ahead: records of others are late when it"
            " catches up, and windows drop them",
            help=where,
            related=[one.place("source", "reads several partitions")],
        )


_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.connector.kafka.source.KafkaSource;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KafkaSource<Order> source = KafkaSource.<Order>builder().setTopics("orders").setGroupId("o")%s.build();
    %s
    env.execute("orders");
  }
}
"""
_FROM = 'env.fromSource(source, WatermarkStrategy.%s(), "orders")'
_ASSIGN = ".assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())%s.print();"
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
env = StreamExecutionEnvironment.get_execution_environment()
source = KafkaSource.builder().set_topics("orders").set_group_id("o").build()
stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").uid("orders")
stream.assign_timestamps_and_watermarks(strategy).print()
env.execute()
"""


def _job(stream: str, more: str = "") -> str:
    return _JOB % (more, stream)


def cases() -> list[Case]:
    none = _FROM % "noWatermarks"
    return [
        bad(_job(none + _ASSIGN % ""), file="Job.java", at="assignTimestampsAndWatermarks", severity=Severity.WARNING,
            says="the partition of KafkaSource that is ahead"),
        bad(_job(f'DataStream<Order> orders = {none}.uid("orders");\n    orders' + _ASSIGN % ""), file="Job.java"),
        bad(_job('env.addSource(new FlinkKafkaConsumer<>("orders", schema, properties))' + _ASSIGN % ""),
            file="Job.java", says="FlinkKafkaConsumer"),
        bad(_PYTHON, file="job.py", at="assign_timestamps_and_watermarks"),
        good(_job(_FROM % "forMonotonousTimestamps" + ".print();"), file="Job.java"),
        good(_job(none + ".map(new Parse())" + _ASSIGN % ""), file="Job.java"),
        good(_job(none + _ASSIGN % "", ".setBounded(OffsetsInitializer.latest())"), file="Job.java"),
        good(_job(none.replace("source,", "files,") + _ASSIGN % ""), file="Job.java"),
        good(_job("env.addSource(new Orders())" + _ASSIGN % ""), file="Job.java"),
        good(_PYTHON.replace("no_watermarks", "for_monotonous_timestamps"), file="job.py"),
    ]  # fmt: skip

"""A shard without records holds the watermark back.

## What it does
Reports a `FlinkKinesisConsumer` that makes watermarks (`setPeriodicWatermarkAssigner`) while
`flink.shard.idle.interval` is off, which it is unless set, and a `KinesisStreamsSource` with a watermark strategy
without `withIdleness`.

## Why it matters
Each shard has a watermark, and the least of them is passed on. A shard without records never advances, so windows and
timers never fire, for all keys: often at night, and after every resharding, when the closed or the new shards are
empty. Subtasks of a `KinesisStreamsSource` beyond the number of shards hold it back as well.

## What to do
Set `flink.shard.idle.interval` to how long a shard may be silent before it no longer counts, in milliseconds (60000);
with `KinesisStreamsSource` call `withIdleness(Duration.ofMinutes(1))` on the strategy.

## Not when
Properties or the strategy come from elsewhere.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/connectors/datastream/kinesis/#event-time-for-consumed-records>:
  watermarks of the consumer, and the interval
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/#parallelism-and-number-of-shards>:
  when the newer source needs withIdleness
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._cases import consumer, program, unknown
from flink_flint.rules.kinesis._reader import attribute, more_properties, number, readers

_IDLE = "flink.shard.idle.interval"
_ASSIGNER = "periodic-watermark-assigner"


@rule(
    code="FLK835",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source"],
    flink=">=1.8",
    since="0.1",
)
def kinesis_idle_shards(config: View) -> Iterator[Finding]:
    """a shard without records holds the watermark back"""
    for reader in readers(config):
        if reader.text("watermarks") == "without-idleness":
            yield reader.finding(
                "the watermark strategy of this source lacks withIdleness: one shard without records, or a subtask"
                " without a shard, holds the watermark back, and windows do not fire",
                of="watermarks",
                help="call withIdleness(Duration.ofMinutes(1)) on the strategy",
                confidence=Confidence.MEDIUM,
            )
        if _ASSIGNER not in reader.element.attributes:
            continue
        name, interval = attribute(reader, _IDLE), number(reader, _IDLE)
        if (name is None and more_properties(reader)) or (name is not None and (interval is None or interval > 0)):
            continue
        yield reader.finding(
            f"{_IDLE} is {'not set' if name is None else f'{interval:.0f}'}: one shard without records holds the"
            " watermark back, and windows do not fire",
            of=name,
            help=f"set {_IDLE} to 60000",
            fix=reader.replace(name, "60000") if name else None,
            related=[reader.place(_ASSIGNER, "makes watermarks for each shard")],
        )


def _assigned(*puts: tuple[str, str]) -> str:
    head, _, rest = consumer(*puts).partition("DataStream<String> stream = env.addSource(")
    return (
        f"{head}FlinkKinesisConsumer<String> consumer = {rest.removesuffix(');')};\n"
        "        consumer.setPeriodicWatermarkAssigner(new PositionAssigner());\n"
        "        env.addSource(consumer).print();"
    )


def _assigning(*puts: tuple[str, str]) -> str:
    return program(_assigned(*puts))


def cases() -> list[Case]:
    return [
        bad(_assigning(), file="Positions.java", severity=Severity.WARNING, says="not set"),
        bad(_assigning((_IDLE, "-1")), file="Positions.java", fixed=_assigning((_IDLE, "60000"))),
        good(_assigning((_IDLE, "30000")), file="Positions.java"),
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
            "        Configuration sourceConfig = new Configuration();\n"
            "        KinesisStreamsSource<String> source = KinesisStreamsSource.<String>builder()\n"
            '            .setStreamArn("arn:aws:kinesis:eu-west-1:123456789012:stream/positions")\n'
            "            .setSourceConfig(sourceConfig)\n"
            "            .setDeserializationSchema(new SimpleStringSchema())\n"
            "            .build();\n"
            "        DataStream<String> stream = env.fromSource(source, "
            "WatermarkStrategy.<String>forMonotonousTimestamps().withIdleness(Duration.ofSeconds(30)), "
            '"positions");\n'
            '        env.execute("positions");\n'
            "    }\n"
            "}\n",
            file="Positions.java",
        ),
        good(program(consumer()), file="Positions.java"),
        bad(_assigning((_IDLE, "0")), file="Positions.java", flink="1.9"),
        good(_assigning((_IDLE, "1")), file="Positions.java"),
        good(unknown(_assigning((_IDLE, "0")), "0"), file="Positions.java"),
        *cases_in_folders(__file__),
    ]

"""A reader of an exactly-once topic sees what was never committed.

## What it does
Looks, over all files of the run, for topics that a sink writes exactly once and a source reads, and reports the
source unless its `isolation.level` is `read_committed`.

## Why it matters
A Kafka consumer reads uncommitted records unless it is told otherwise, and Flink's sources leave it at that. Such a
reader sees the records of a transaction before it is committed, those of one that is aborted, and their replay: the
duplicates that the writer pays transactions to avoid.

## What to do
Set `isolation.level` to `read_committed` in the source's properties (`'properties.isolation.level'` in SQL). Records
then arrive at the pace of the writer's checkpoints.

## Not when
The topic or the properties come from elsewhere, or the two name different brokers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  exactly-once holds if consumers read only what is committed
- <https://kafka.apache.org/documentation/#consumerconfigs_isolation.level>: the default is read_uncommitted
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.rules.kafka._cases import EXACTLY_ONCE, GROUP, PREFIX, program, sink, source, table
from flink_flint.rules.kafka._clients import (
    brokers,
    exactly_once,
    guarantee_attribute,
    more_properties,
    named,
    of_property,
    topics,
)


@rule(
    code="FLK814",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-source"],
    scope="project",
    compares=[(["element:kafka-sink"], ["element:kafka-source"])],
    flink=">=1.10",
    since="0.1",
)
def kafka_reads_uncommitted(project: Project) -> Iterator[Finding]:
    """a reader of an exactly-once topic sees what was never committed"""
    writers: dict[str, ElementView] = {}
    for config in project.views:
        for writer in exactly_once(config):
            for topic in topics(writer):
                writers.setdefault(topic, writer)
    for config in project.views if writers else ():
        for reader in config.elements("kafka-source"):
            topic = next((one for one in topics(reader) if one in writers and _meet(reader, writers[one])), "")
            name = named(reader, *of_property("isolation.level"))
            if not topic or (name is None and more_properties(reader)):
                continue
            if name is not None and (reader.value(name) is None or reader.text(name) == "read_committed"):
                continue
            yield reader.finding(
                f"topic {topic} is written in transactions, and this source reads uncommitted records: it sees"
                " what is aborted, and its replay",
                of=name,
                help="set isolation.level to read_committed in the source's properties",
                related=[writers[topic].place(guarantee_attribute(writers[topic]), "written exactly once here")],
            )


def _meet(reader: ElementView, writer: ElementView) -> bool:
    """Whether both may use one Kafka cluster."""
    first, second = brokers(reader), brokers(writer)
    return not first or not second or not first.isdisjoint(second)


_WRITER = program(sink(EXACTLY_ONCE, PREFIX, topic="bills"))
_COMMITTED = 'setProperty("isolation.level", "read_committed")'
_READ = "CREATE TABLE p (id STRING, amount INT) WITH ('connector' = 'print');\nINSERT INTO p SELECT * FROM b;\n"
_BILLS = "'topic' = 'bills', 'format' = 'json', 'properties.group.id' = 'b'"


def cases() -> list[Case]:
    return [
        bad(
            program(source(GROUP, topic="bills")),
            file="Bills.java",
            beside={"Orders.java": _WRITER},
            says="topic bills is written in transactions",
        ),
        bad(table("b", _BILLS) + _READ, file="bills.sql", beside={"Orders.java": _WRITER}),
        good(program(source(GROUP, _COMMITTED, topic="bills")), file="Bills.java", beside={"Orders.java": _WRITER}),
        good(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        KafkaSource<String> source = KafkaSource.<String>builder()\n"
            '            .setBootstrapServers("other:9092")\n'
            '            .setTopics("bills")\n'
            "            .setValueOnlyDeserializer(new SimpleStringSchema())\n"
            '            .setGroupId("orders")\n'
            "            .build();\n"
            "        DataStream<String> stream = env.fromSource(source, "
            'WatermarkStrategy.noWatermarks(), "clicks");\n'
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Bills.java",
            beside={"Orders.java": _WRITER},
        ),
        *cases_in_folders(__file__),
    ]

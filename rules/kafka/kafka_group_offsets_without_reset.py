"""A source starts from committed offsets, and nothing says what to do where there are none.

## What it does
Reports a `KafkaSource` with `OffsetsInitializer.committedOffsets()`, and a SQL table that starts from `group-offsets`
(the default) without `properties.auto.offset.reset`.

## Why it matters
Both make the reset strategy `none`: where the group has not committed an offset for a partition, the job fails with
`NoOffsetForPartitionException`. That is the first start of each new group, a group that was away for longer than the
broker keeps its offsets (seven days), and a start from scratch after partitions were added.

## What to do
`OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST)`; in SQL `'properties.auto.offset.reset' =
'earliest'` (or `latest`, if what came before may be left out).

## Not when
The offsets are committed beforehand by design, so that a fresh group is to fail: say so with
`committedOffsets(OffsetResetStrategy.NONE)`, or `'properties.auto.offset.reset' = 'none'`. The old
`FlinkKafkaConsumer`, also as SQL had it up to 1.13, takes the Kafka client's own default.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#starting-offset>:
  committed offsets without reset strategy
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/KafkaDynamicSource.java>:
  SQL's reset strategy is none unless the property is set
- <https://kafka.apache.org/documentation/#brokerconfigs_offsets.retention.minutes>: how long a group's offsets live
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import GROUP, READ, TOPIC, program, source, table
from flink_flint.rules.kafka._clients import (
    group_attribute,
    is_old,
    is_sql,
    named,
    offsets_initializer,
    starting_offsets,
)


@rule(
    code="FLK809",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kafka-source"],
    flink=">=1.14",
    of_scale=True,
    since="0.1",
)
def kafka_group_offsets_without_reset(config: View) -> Iterator[Finding]:
    """a source starts from committed offsets without a reset strategy"""
    for reader in config.elements("kafka-source"):
        if is_old(reader) or starting_offsets(reader) != "committed" or group_attribute(reader) is None:
            continue
        yield reader.finding(
            "this source starts from the group's committed offsets with no reset strategy: where none are committed, as"
            " at the first start, the job fails with NoOffsetForPartitionException",
            of=named(reader, "starting-offsets"),
            help="set 'properties.auto.offset.reset' = 'earliest' (or 'none', if it is to fail)"
            if is_sql(reader)
            else f"write {offsets_initializer(reader, 'EARLIEST')}, or NONE if it is to fail",
        )


_GROUP = "'properties.group.id' = 'orders'"
_COMMITTED = "setStartingOffsets(OffsetsInitializer.committedOffsets({}))"
_OLD = (
    "Properties properties = new Properties();\n"
    '        properties.setProperty("group.id", "orders");\n'
    '        env.addSource(new FlinkKafkaConsumer<>("clicks", new SimpleStringSchema(), properties));'
)
_OTHER = (
    "CREATE TABLE numbers (id STRING, amount INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE shown (id STRING, amount INT) WITH ('connector' = 'print');\n"
    "INSERT INTO shown SELECT * FROM numbers;\n"
)


def cases() -> list[Case]:
    return [
        bad(program(source(GROUP, _COMMITTED.format(""))), file="Orders.java", severity=Severity.WARNING),
        bad(table("t", TOPIC, _GROUP) + READ, file="orders.sql", flink="1.17"),
        bad(table("t", TOPIC, _GROUP, "'scan.startup.mode' = 'group-offsets'") + READ, file="orders.sql",
            at="'group-offsets'"),
        good(program(source(GROUP, _COMMITTED.format("OffsetResetStrategy.EARLIEST"))), file="Orders.java"),
        good(program(source(GROUP, _COMMITTED.format("OffsetResetStrategy.NONE"))), file="Orders.java"),
        good(program(source(GROUP)), file="Orders.java"),
        good(table("t", TOPIC, _GROUP, "'properties.auto.offset.reset' = 'latest'") + READ, file="orders.sql"),
        good(table("t", TOPIC, _GROUP, "'scan.startup.mode' = 'earliest-offset'") + READ, file="orders.sql"),
        good(table("t", TOPIC, _GROUP) + READ, file="orders.sql", flink="1.13"),
        bad(program(source(GROUP), source(GROUP, _COMMITTED.format(""), name="other")), file="Orders.java",
            at="clicks.starting-offsets", profile="development", severity=Severity.INFO),
        good(program(source(_COMMITTED.format(""))), file="Orders.java"),
        good(table("t", TOPIC, _GROUP, "'properties.auto.offset.reset' = '${RESET}'") + READ, file="orders.sql"),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, amount INT\n"
            ") WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'properties.bootstrap.servers' = 'kafka:9092',\n"
            "  'topic' = 'orders', 'format' = 'json',\n"
            "  'properties.group.id' = 'orders'\n"
            ") LIKE base;\n"
            "CREATE TABLE printed (id STRING, amount INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM t;\n",
            file="orders.sql",
        ),
        good(table("t", TOPIC, _GROUP, "'scan.startup.mode' = '${START}'") + READ, file="orders.sql"),
        good(program(_OLD), file="Orders.java", flink="1.17"),
        bad(table("t", TOPIC, _GROUP) + _OTHER, file="orders.sql", severity=Severity.INFO),
        bad(table("t", TOPIC, _GROUP) + _OTHER, file="orders.sql", severity=Severity.WARNING,
            beside={"more.sql": _OTHER.replace("numbers", "t")}),
    ]  # fmt: skip


def claims() -> list[Claim]:
    given = ["'properties.group.id' = 'g'", TOPIC]
    return [
        flink_uses(
            "SQL job",
            table("t", *given) + READ,
            "offsetResetStrategy=NONE",
            good=table("t", *given, "'properties.auto.offset.reset' = 'earliest'") + READ,
            releases=">=1.15,<1.17",
        ),
    ]

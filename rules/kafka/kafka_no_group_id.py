"""A Kafka source has no consumer group.

## What it does
Reports a `KafkaSource` without `setGroupId` and a SQL table that is read without `properties.group.id`. It is an error
where the group is needed: to start from committed offsets (in SQL the default), or to commit
(`enable.auto.commit`, `commit.offsets.on.checkpoint`); else it is advice.

## Why it matters
Without a group the source cannot look committed offsets up, and the job is refused. Where it starts elsewhere it runs,
but commits nothing: Kafka's tools and lag exporters do not see it, and after a start without state nobody knows where
it was.

## What to do
Call `setGroupId` with a name of the job's own; in SQL set `'properties.group.id'`. Flink does not use the group to
divide partitions, so jobs do not disturb each other by it, but they overwrite each other's offsets if they share one.

## Not when
The properties come from elsewhere, or the source is bounded. Tables of `upsert-kafka` are read from the start and
need no group.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#consumer-offset-committing>:
  what committed offsets are for
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/source/KafkaSourceBuilder.java>:
  where the group is required
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import GROUP, READ, TOPIC, group, program, source, table
from flink_flint.rules.kafka._clients import (
    group_attribute,
    is_bounded,
    is_old,
    is_sql,
    is_upsert,
    more_properties,
    named,
    of_property,
    starting_offsets,
)

_COMMITS = ("enable.auto.commit", "commit.offsets.on.checkpoint")


@rule(
    code="FLK810",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kafka-source"],
    flink=">=1.14",
    since="0.1",
)
def kafka_no_group_id(config: View) -> Iterator[Finding]:
    """a Kafka source has no consumer group"""
    for reader in config.elements("kafka-source"):
        if is_old(reader) or is_upsert(reader) or group_attribute(reader):
            continue
        if more_properties(reader):
            continue
        option = "'properties.group.id'" if is_sql(reader) else reader.method("setGroupId")
        remedy = f"set {option}" if is_sql(reader) else f"call {option} with a name of the job's own"
        commits = next((key for key in _COMMITS if _is_true(reader, key)), None)
        if (starting_offsets(reader) or "").startswith("committed"):
            chosen = named(reader, "starting-offsets")
            yield reader.finding(
                f"this source starts from the committed offsets{'' if chosen else ' (the default)'} of a group, and no"
                " group is named: Flink refuses to build it",
                of=chosen,
                help=f"{remedy}, or start from elsewhere",
                severity=Severity.ERROR,
            )
        elif commits is not None:
            yield reader.finding(
                f"{commits} is on and no consumer group is named: Flink refuses to build the source",
                of=named(reader, *of_property(commits)),
                help=remedy,
                severity=Severity.ERROR,
            )
        elif not is_bounded(reader):
            yield reader.finding(
                "without a consumer group the source commits no offsets: Kafka's tools do not see how far behind it is",
                help=remedy,
            )


def _is_true(reader: ElementView, key: str) -> bool:
    name = named(reader, *of_property(key))
    return name is not None and reader.flag(name) is True


_COMMITTED = "setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))"


def cases() -> list[Case]:
    return [
        bad(program(source()), file="Orders.java", severity=Severity.INFO),
        bad(program(source(_COMMITTED)), file="Orders.java", flink="1.18", severity=Severity.ERROR),
        bad(
            program(source('setProperty("enable.auto.commit", "true")')),
            file="Orders.java",
            flink="1.18",
            severity=Severity.ERROR,
            says="enable.auto.commit is on",
        ),
        bad(table("t", TOPIC) + READ, file="orders.sql", flink="1.18", severity=Severity.ERROR, says="the default"),
        bad(
            table("t", TOPIC, "'scan.startup.mode' = 'latest-offset'") + READ, file="orders.sql", severity=Severity.INFO
        ),
        good(program(source(GROUP)), file="Orders.java"),
        good(program(source('setProperty("group.id", "orders")')), file="Orders.java"),
        good(program(source("setProperties(consumerProperties())")), file="Orders.java"),
        good(program(source("setBounded(OffsetsInitializer.latest())")), file="Orders.java"),
        good(table("t", TOPIC, "'properties.group.id' = 'orders'") + READ, file="orders.sql"),
        bad(
            program(
                source(GROUP),
                source("setProperties(given())", name="third"),
                source('setProperty("commit.offsets.on.checkpoint", "true")', name="other"),
            ),
            file="Orders.java",
            flink="1.18",
            severity=Severity.ERROR,
            says="commit.offsets.on.checkpoint is on",
        ),
        bad(
            table("t", TOPIC, "'scan.startup.mode' = 'group-offsets'") + READ,
            file="orders.sql",
            at="'group-offsets'",
            flink="1.18",
            severity=Severity.ERROR,
        ),
        bad(program(source('setProperty("enable.auto.commit", "false")')), file="Orders.java", severity=Severity.INFO),
        bad(
            table("t", TOPIC, "'scan.startup.mode' = 'latest-offset'", "'scan.bounded.mode' = 'unbounded'") + READ,
            file="orders.sql",
            severity=Severity.INFO,
        ),
        bad(table("t", TOPIC, "'scan.startup.mode' = '${START}'") + READ, file="orders.sql", severity=Severity.INFO),
        good(
            table("t", TOPIC, "'scan.startup.mode' = 'latest-offset'", "'scan.bounded.mode' = 'latest-offset'") + READ,
            file="orders.sql",
        ),
        good(table("t", TOPIC, connector="upsert-kafka") + READ, file="orders.sql"),
        good(group("KafkaSource"), file="main.tf"),
        good(
            program('env.addSource(new FlinkKafkaConsumer<>("clicks", new SimpleStringSchema(), new Properties()));'),
            file="Orders.java",
        ),
        good(program(source()), file="Orders.java", flink="1.13"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            table("t", TOPIC) + READ,
            good=table("t", TOPIC, "'properties.group.id' = 'g'") + READ,
            releases=">=1.14",
        ),
    ]

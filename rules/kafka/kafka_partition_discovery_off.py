"""A Kafka source never looks for new partitions.

## What it does
Reports a source that runs on and on and does not look for partitions (a warning where it reads all topics of a pattern,
which is for those that come later): `partition.discovery.interval.ms` (in SQL
`scan.topic-partition-discovery.interval`, for `FlinkKafkaConsumer` `flink.partition-discovery.interval-millis`) is 0
or negative, or nothing sets it and the connector leaves it off. SQL tables look every 5 minutes from Flink 1.19 on,
`KafkaSource` from 2.0 on, `FlinkKafkaConsumer` never.

## Why it matters
When somebody adds partitions to a topic, producers write to them at once, and the job does not read them until it is
restarted. No metric shows it: the lag of the partitions it reads is fine. After the topic's retention the records are
gone.

## What to do
Set the interval to 5 minutes (300000 ms).

## Not when
The source is bounded, or the topic's partitions never change. `KafkaSource` was meant to look from connector 3.1 on,
but its builder turned that off again until 3.4; where the release leaves open which connector it is, an absent
property is not reported.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#dynamic-partition-discovery>:
  the property and its default
- <https://github.com/apache/flink-connector-kafka/pull/40>: the default becomes 5 minutes
- <https://github.com/apache/flink-connector-kafka/pull/136>: KafkaSource turned it off all the same, up to 3.3
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import GROUP, READ, TOPIC, program, source, table
from flink_flint.rules.kafka._clients import is_bounded, is_old, is_sql, more_properties, named, of_property

_SQL = "scan.topic-partition-discovery.interval"
_OLD = "flink.partition-discovery.interval-millis"
_NEW = "partition.discovery.interval.ms"


@rule(
    code="FLK812",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kafka-source"],
    flink=">=1.4",
    every_release=True,
    since="0.1",
)
def kafka_partition_discovery_off(config: View) -> Iterator[Finding]:
    """a Kafka source never looks for new partitions"""
    for reader in config.elements("kafka-source"):
        if is_bounded(reader) or (is_sql(reader) and not config.since("1.12")):
            continue
        key = _SQL if is_sql(reader) else _OLD if is_old(reader) else _NEW
        name = named(reader, f"with.{key}") if is_sql(reader) else named(reader, *of_property(key))
        if name is not None:
            if not _is_off(reader, name):
                continue
            how = f"{key} is {reader.value(name)}"
        elif more_properties(reader) or not _off_by_default(config, reader):
            continue
        else:
            how = f"{key} is not set"
        every = "'5 min'" if is_sql(reader) else "300000"
        yield reader.finding(
            f"{how}, so the source never looks for new partitions: what is written to those added later is not read",
            of=name,
            help=f"set {key} to {every}",
            severity=Severity.WARNING if _by_pattern(reader) else None,
            confidence=None if name else Confidence.MEDIUM,
        )


def _by_pattern(reader: ElementView) -> bool:
    """Whether the source reads all topics that a pattern matches, which is to find those that come later."""
    return any(reader.has(name) for name in ("topic-pattern", "with.topic-pattern"))


def _is_off(reader: ElementView, name: str) -> bool:
    number = reader.number(name)
    if number is not None:
        return number <= 0
    digits = (reader.text(name) or "").strip().split(" ")[0].rstrip("smhd")
    return digits == "0"


def _off_by_default(config: View, reader: ElementView) -> bool:
    """Whether every connector that goes with the release leaves it off."""
    if is_sql(reader):
        return not config.since("1.17")
    return is_old(reader) or not config.since("1.20")


_CONSUMER = 'env.addSource(new FlinkKafkaConsumer<>("clicks", new SimpleStringSchema(), properties));'
_PROPERTIES = (
    "Properties properties = new Properties();\n"
    '        properties.setProperty("bootstrap.servers", "kafka:9092");\n'
    '        properties.setProperty("group.id", "orders");'
)


def cases() -> list[Case]:
    return [
        bad(
            program(source(GROUP, 'setProperty("partition.discovery.interval.ms", "-1")')),
            file="Orders.java",
            at='"-1"',
            flink="2.0",
        ),
        bad(program(source(GROUP)), file="Orders.java", flink="1.16"),
        bad(program(_PROPERTIES, _CONSUMER), file="Orders.java", flink="1.13", says=_OLD),
        bad(
            program(_PROPERTIES, _CONSUMER.replace('"clicks"', 'Pattern.compile("clicks-.*")')),
            file="Orders.java",
            severity=Severity.WARNING,
            says=_OLD,
        ),
        good(
            program(_PROPERTIES, f'properties.setProperty("{_OLD}", "60000");', _CONSUMER),
            file="Orders.java",
        ),
        bad(table("t", TOPIC, f"'{_SQL}' = '0 s'") + READ, file="orders.sql", flink="2.0"),
        bad(table("t", TOPIC) + READ, file="orders.sql", flink="1.16"),
        bad(
            table("t", "'topic-pattern' = 'orders-.*'") + READ,
            file="orders.sql",
            flink="1.16",
            severity=Severity.WARNING,
        ),
        good(program(source(GROUP)), file="Orders.java", flink="2.0"),
        good(program(source(GROUP)), file="Orders.java"),
        good(program(source(GROUP, "setBounded(OffsetsInitializer.latest())")), file="Orders.java", flink="1.16"),
        good(
            program(source(GROUP, 'setProperty("partition.discovery.interval.ms", "60000")')),
            file="Orders.java",
            flink="1.16",
        ),
        good(table("t", TOPIC, f"'{_SQL}' = '30 s'") + READ, file="orders.sql", flink="1.16"),
        good(table("t", TOPIC) + READ, file="orders.sql", flink="1.19"),
        bad(
            program(
                source(GROUP, "setBounded(OffsetsInitializer.latest())"),
                source(GROUP, 'setProperty("partition.discovery.interval.ms", "1")', name="first"),
                source("setProperties(given())", name="third"),
                source(GROUP, name="other"),
            ),
            file="Orders.java",
            flink="1.13",
            says=f"{_NEW} is not set",
        ),
        bad(
            program(_PROPERTIES, f'properties.setProperty("{_OLD}", "0");', _CONSUMER),
            file="Orders.java",
            flink="1.12",
            at='"0"',
        ),
        bad(table("t", TOPIC, f"'{_SQL}' = '0ms'") + READ, file="orders.sql", flink="2.0"),
        good(table("t", TOPIC, f"'{_SQL}' = '${{EVERY}}'") + READ, file="orders.sql", flink="1.16"),
        good(program(source(GROUP)), file="Orders.java", flink="1.20"),
        good(table("t", TOPIC) + READ, file="orders.sql", flink="1.17"),
    ]

"""A Kafka table names topic and pattern together.

## What it does
Reports a `kafka` or `upsert-kafka` table with both `topic` and `topic-pattern`.

## Why it matters
Flink refuses the table when it is first used: *"Option 'topic' and 'topic-pattern' shouldn't be set together"*.

## What to do
Name the topics (several with semicolons between), or a pattern.

## Not when
The table names neither: `table-options-incomplete` lists that with what else is missing.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#topic-and-partition-discovery>:
  the two options
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/KafkaConnectorOptionsUtil.java>:
  the check
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import READ, TOPIC, table
from flink_flint.rules.kafka._tables import is_set, tables


@rule(
    code="FLK820",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.12",
    since="0.1",
)
def kafka_topic_and_pattern(config: View) -> Iterator[Finding]:
    """a Kafka table names topic and pattern together"""
    for found in tables(config, "kafka", "upsert-kafka"):
        if is_set(found, "topic") and is_set(found, "topic-pattern"):
            yield found.finding(
                "topic and topic-pattern are both set: the table is refused",
                of="with.topic-pattern",
                at="entry",
                help="keep one of them",
                related=[found.place("with.topic")],
            )


def cases() -> list[Case]:
    return [
        bad(table("t", TOPIC, "'topic-pattern' = 'orders-.*'") + READ, file="orders.sql", at="t.with.topic-pattern"),
        bad(
            table("t", TOPIC, "'topic-pattern' = 'orders-.*'", connector="upsert-kafka") + READ,
            file="orders.sql",
            flink="1.12",
        ),
        good(table("t", TOPIC) + READ, file="orders.sql"),
        good(table("t", "'topic-pattern' = 'orders-.*'", "'format' = 'json'") + READ, file="orders.sql"),
        good(table("t", "'topics' = 'orders', 'format' = 'json'") + READ, file="orders.sql"),
        good("CREATE TABLE t (id INT) WITH ('connector' = 'kafka', ${COMMON});\n" + READ, file="orders.sql"),
        good("CREATE TABLE t WITH ('connector' = 'kafka') LIKE base;\n" + READ, file="orders.sql"),
        good(table("t", "'format' = 'json'") + READ, file="orders.sql"),
        good(table("t", TOPIC, "'topic-pattern' = 'orders-.*'") + READ, file="orders.sql", flink="1.11"),
    ]


_EARLIEST = "'scan.startup.mode' = 'earliest-offset'"


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            table("t", TOPIC, _EARLIEST, "'topic-pattern' = 'orders-.*'") + READ,
            good=table("t", TOPIC, _EARLIEST) + READ,
            releases=">=1.12",
        ),
    ]

"""A table on Kafka has a primary key where it may not, or none where it must.

## What it does
Reports an `upsert-kafka` table without `PRIMARY KEY`, and a `kafka` table that has one though its value format only
knows insertions (`json`, `csv`, `avro`, `avro-confluent`, `raw`, `protobuf`).

## Why it matters
Flink refuses both when the table is first used: upsert-kafka makes the message's key of the primary key, and a plain
`kafka` table cannot promise that one key comes only once.

## What to do
Declare `PRIMARY KEY (...) NOT ENFORCED` for upsert-kafka. For `kafka` drop it, or use upsert-kafka or a change log
format (`debezium-json`, `canal-json`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/upsert-kafka/>: the key is required
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/KafkaDynamicTableFactory.java>:
  the check of plain tables
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import READ, TOPIC, table
from flink_flint.rules.kafka._tables import tables, text

_INSERT_ONLY = ("json", "csv", "avro", "avro-confluent", "raw", "protobuf")


@rule(
    code="FLK816",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.12",
    since="0.1",
)
def kafka_primary_key(config: View) -> Iterator[Finding]:
    """a table on Kafka has a primary key where it may not, or none where it must"""
    for found in tables(config, "upsert-kafka"):
        if not found.has("primary-key"):
            yield found.finding(
                "an upsert-kafka table without PRIMARY KEY is refused: the key of the messages is made of it",
                help="declare PRIMARY KEY (...) NOT ENFORCED",
            )
    for found in tables(config, "kafka"):
        value_format = text(found, "format") or text(found, "value.format")
        if found.has("primary-key") and value_format in _INSERT_ONLY:
            yield found.finding(
                f"a kafka table of format {value_format} takes no PRIMARY KEY and is refused",
                of="primary-key",
                help="drop the key, or use upsert-kafka or a change log format such as debezium-json",
            )


_UPSERT = ("'topic' = 'orders'", "'key.format' = 'json'", "'value.format' = 'json'")
_EARLIEST = "'scan.startup.mode' = 'earliest-offset'"
_KEYED = "id STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED"


_KEY_AND_VALUE = ("'topic' = 'orders'", "'key.format' = 'json'", "'value.format' = 'json'")
_EARLIEST = "'scan.startup.mode' = 'earliest-offset'"
_KEYED = "id STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED"


def cases() -> list[Case]:
    return [
        bad(table("t", *_UPSERT, connector="upsert-kafka") + READ, file="orders.sql", says="without PRIMARY KEY"),
        bad(table("t", TOPIC, columns=_KEYED) + READ, file="orders.sql", says="of format json takes no PRIMARY KEY"),
        good(table("t", *_UPSERT, connector="upsert-kafka", columns=_KEYED) + READ, file="orders.sql"),
        good(table("t", "'topic' = 'orders', 'format' = 'debezium-json'", columns=_KEYED) + READ, file="orders.sql"),
        good(table("t", TOPIC) + READ, file="orders.sql"),
        good("CREATE TABLE t WITH ('topic' = 'bills') LIKE base;\n" + READ, file="orders.sql"),
        bad(table("t", "'topic' = 'orders'", "'value.format' = 'csv'", columns=_KEYED) + READ, file="orders.sql",
            at="id", flink="1.12"),
        good(table("t", *_UPSERT, connector="upsert-kafka") + READ, file="orders.sql", flink="1.11"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            table("t", *_KEY_AND_VALUE, connector="upsert-kafka") + READ,
            good=table("t", *_KEY_AND_VALUE, connector="upsert-kafka", columns=_KEYED) + READ,
            releases=">=1.12",
        ),
        flink_refuses(
            "SQL",
            table("t", TOPIC, _EARLIEST, columns=_KEYED) + READ,
            good=table("t", TOPIC, _EARLIEST) + READ,
            releases=">=1.12",
        ),
    ]

"""The buffer of an upsert-kafka sink is switched on by half.

## What it does
Reports an `upsert-kafka` table with only one of `sink.buffer-flush.max-rows` and `sink.buffer-flush.interval` above
zero.

## Why it matters
The buffer needs both, and a table with one of them is refused when something is written to it.

## What to do
Set both, or none.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/upsert-kafka/#sink-buffer-flush-max-rows>:
  the two options
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/UpsertKafkaDynamicTableFactory.java>:
  the check
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import WRITE, table
from flink_flint.rules.kafka._tables import is_set, tables, text

_ROWS, _INTERVAL = "sink.buffer-flush.max-rows", "sink.buffer-flush.interval"


@rule(
    code="FLK815",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.13",
    since="0.1",
)
def upsert_kafka_buffer_half(config: View) -> Iterator[Finding]:
    """the buffer of an upsert-kafka sink is switched on by half"""
    for found in tables(config, "upsert-kafka"):
        states = {option: _is_on(found, option) for option in (_ROWS, _INTERVAL)}
        if set(states.values()) == {True, False}:
            on, off = sorted(states, key=lambda option: not states[option])
            yield found.finding(
                f"{on} is set and {off} is not: the table is refused when something is written to it",
                of=f"with.{on}",
                at="entry",
                help=f"set {off} too, or delete {on}",
            )


def _is_on(table_of: ElementView, option: str) -> bool | None:
    """Whether an option is above zero; None where it is unknown."""
    if not is_set(table_of, option):
        return False
    value = text(table_of, option)
    if value is None:
        return None
    return any(digit in "123456789" for digit in value) and not value.strip().startswith("-")


_UPSERT = ("'topic' = 'orders'", "'key.format' = 'json'", "'value.format' = 'json'")
_KEYED = "id STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED"


def _upsert(*options: str) -> str:
    return table("t", *_UPSERT, *options, connector="upsert-kafka", columns=_KEYED) + WRITE


def cases() -> list[Case]:
    return [
        bad(_upsert(f"'{_ROWS}' = '1000'"), file="orders.sql", at=f"t.with.{_ROWS}"),
        bad(_upsert(f"'{_ROWS}' = '0'", f"'{_INTERVAL}' = '1 s'"), file="orders.sql", says=f"{_INTERVAL} is set"),
        good(_upsert(f"'{_ROWS}' = '1000'", f"'{_INTERVAL}' = '1 s'"), file="orders.sql"),
        good(_upsert(f"'{_ROWS}' = '0'", f"'{_INTERVAL}' = '0 s'"), file="orders.sql"),
        good(_upsert(), file="orders.sql"),
        good(_upsert(f"'{_ROWS}' = '-1'", f"'{_INTERVAL}' = '0 s'"), file="orders.sql"),
        good(_upsert(f"'{_ROWS}' = '${{ROWS}}'"), file="orders.sql"),
        good(_upsert(f"'{_ROWS}' = '1000'"), file="orders.sql", flink="1.12"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            _upsert(f"'{_ROWS}' = '1000'"),
            good=_upsert(f"'{_ROWS}' = '1000'", f"'{_INTERVAL}' = '1 s'"),
            releases=">=1.13",
        ),
    ]

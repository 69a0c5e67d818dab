"""The options for the key of a Kafka table do not go together.

## What it does
Reports a `kafka` table with `key.fields` but no `key.format`, with `key.format` but no `key.fields`, with
`key.fields-prefix` though `value.fields-include` is not `EXCEPT_KEY`, and with the `round-robin` partitioner beside
`key.fields`.

## Why it matters
Flink refuses such a table when it is first used.

## What to do
Name format and fields together; with a prefix set `'value.fields-include' = 'EXCEPT_KEY'`; leave the partitioner of
records with keys at its default.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#key-and-value-formats>:
  how the options go together
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/KafkaConnectorOptionsUtil.java>:
  the checks
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import TOPIC, WRITE, table
from flink_flint.rules.kafka._tables import is_set, tables, text

_FIELDS, _FORMAT, _PREFIX, _INCLUDE = "key.fields", "key.format", "key.fields-prefix", "value.fields-include"
_PARTITIONER = "sink.partitioner"


@rule(
    code="FLK817",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.12",
    since="0.1",
)
def kafka_key_options(config: View) -> Iterator[Finding]:
    """the options for the key of a Kafka table do not go together"""
    for found in tables(config, "kafka"):
        for option, what, remedy in _clashes(found):
            yield found.finding(f"{what}: the table is refused", of=f"with.{option}", at="entry", help=remedy)


def _clashes(found: ElementView) -> Iterator[tuple[str, str, str]]:
    """The option, what is wrong with it, and the remedy."""
    if is_set(found, _FIELDS) and not is_set(found, _FORMAT):
        yield _FIELDS, f"{_FIELDS} is set without {_FORMAT}", f"set {_FORMAT} too"
    elif is_set(found, _FORMAT) and not is_set(found, _FIELDS):
        yield _FORMAT, f"{_FORMAT} is set without {_FIELDS}", f"set {_FIELDS} to the columns of the key"
    include = text(found, _INCLUDE)
    if text(found, _PREFIX) and (include == "ALL" or not is_set(found, _INCLUDE)):
        yield (
            _PREFIX,
            f"{_PREFIX} is set though the value holds the key's columns too",
            f"set '{_INCLUDE}' = 'EXCEPT_KEY'",
        )
    if text(found, _PARTITIONER) == "round-robin" and is_set(found, _FIELDS):
        yield (
            _PARTITIONER,
            f"the partitioner round-robin does not go with {_FIELDS}",
            f"delete {_PARTITIONER}: records go where their key says",
        )


_BASE = ("'topic' = 'orders'", "'value.format' = 'json'")
_KEY = ("'key.format' = 'json'", "'key.fields' = 'id'")


def cases() -> list[Case]:
    return [
        bad(table("t", *_BASE, "'key.fields' = 'id'") + WRITE, file="orders.sql", at="t.with.key.fields"),
        bad(table("t", *_BASE, "'key.format' = 'json'") + WRITE, file="orders.sql", says="key.format is set without"),
        bad(
            table("t", *_BASE, *_KEY, "'key.fields-prefix' = 'i'") + WRITE, file="orders.sql", says="key.fields-prefix"
        ),
        bad(
            table("t", *_BASE, *_KEY, "'sink.partitioner' = 'round-robin'") + WRITE,
            file="orders.sql",
            at="t.with.sink.partitioner",
        ),
        good(table("t", *_BASE, *_KEY) + WRITE, file="orders.sql"),
        good(
            table("t", *_BASE, *_KEY, "'key.fields-prefix' = 'i'", "'value.fields-include' = 'EXCEPT_KEY'") + WRITE,
            file="orders.sql",
        ),
        good(table("t", *_BASE, "'sink.partitioner' = 'round-robin'") + WRITE, file="orders.sql"),
        good(table("t", *_BASE, *_KEY, "'sink.partitioner' = 'fixed'") + WRITE, file="orders.sql"),
        bad(
            table("t", *_BASE, *_KEY, "'key.fields-prefix' = 'i'", "'value.fields-include' = 'ALL'") + WRITE,
            file="orders.sql",
            flink="1.12",
        ),
        good(table("t", *_BASE, "'key.fields' = 'id'") + WRITE, file="orders.sql", flink="1.11"),
    ]


_KEY_OF_ID = "'key.fields' = 'id', 'key.format' = 'json'"
_WITHOUT_KEY = "'value.fields-include' = 'EXCEPT_KEY'"


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            table("t", TOPIC, bad_options) + WRITE,
            good=table("t", TOPIC, good_options) + WRITE,
            releases=">=1.12",
        )
        for bad_options, good_options in (
            ("'key.fields' = 'id'", _KEY_OF_ID),
            ("'key.format' = 'json'", _KEY_OF_ID),
            (f"{_KEY_OF_ID}, 'key.fields-prefix' = 'i'", f"{_KEY_OF_ID}, 'key.fields-prefix' = 'i', {_WITHOUT_KEY}"),
            (
                f"{_KEY_OF_ID}, 'sink.partitioner' = 'round-robin'",
                f"{_KEY_OF_ID}, 'sink.partitioner' = 'fixed'",
            ),
        )
    ]

"""A replication slot of Postgres is dropped whenever the reader stops.

## What it does
Looks for readers of `postgres-cdc`, in SQL and programs, with Debezium's `slot.drop.on.stop` set to true.

## Why it matters
Rows are missing after a failure, and no error says so. A slot keeps the changes that its reader has not confirmed.
With the option it goes when the reader stops, and a restart after a failure stops it too: the slot that is then made
begins at the present, and the changes between are gone. Postgres may have deleted their log already.

## What to do
Delete the option. When the job is retired, drop the slot by hand: `SELECT pg_drop_replication_slot('...')`.

## Not when
The option is false or not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/postgres-cdc/>:
  the slot, and how changes are confirmed
- <https://debezium.io/documentation/reference/stable/connectors/postgresql.html>: `slot.drop.on.stop` is for tests
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_DROP = "debezium.slot.drop.on.stop"


@rule(
    code="FLK575",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=WHEN,
    since="0.1",
)
def replication_slot_dropped(config: View) -> Iterator[Finding]:
    """a replication slot is dropped whenever the reader stops"""
    for reader in readers(config, "postgres-cdc"):
        if reader.has(_DROP) and reader.flag(_DROP, default=False) is True:
            yield reader.finding(
                "the slot is dropped whenever the reader stops, at a restart too: the changes until it is made anew are"
                " lost",
                _DROP,
                "delete the option, and drop the slot by hand (pg_drop_replication_slot) when the job is retired",
            )


_TABLE = "CREATE TABLE u (id INT) WITH ('connector' = 'postgres-cdc', 'slot.name' = 'u'%s);\n"


def _job(value: str) -> str:
    put = f'properties.setProperty("slot.drop.on.stop", "{value}");'
    package = "com.ververica.cdc.connectors.postgres.PostgreSQLSource"
    return PROGRAM.format(package=package, source="PostgreSQLSource", put=put, calls=".debeziumProperties(properties)")


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ", 'debezium.slot.drop.on.stop' = 'true'", file="job.sql", at="'true'", flink="1.17",
            severity=Severity.WARNING, says="are lost",
        ),
        bad(_job("true"), file="Job.java"),
        good(_job("false"), file="Job.java"),
        good(_TABLE % ", 'debezium.slot.drop.on.stop' = 'false'", file="job.sql", flink="1.17"),
        good(_TABLE % "", file="job.sql", flink="1.17"),
    ]  # fmt: skip

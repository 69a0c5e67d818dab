"""Two readers of a PostgreSQL server have one replication slot.

## What it does
Compares the readers of `postgres-cdc` in a script or program: those of one server with the same `slot.name`, or none.

## Why it matters
A slot has one reader at a time. Without `slot.name` all have the default (`flink` in SQL, `debezium` in older
programs), so the second reader fails: `replication slot "flink" is active for PID ...`, or `already exists`. Readers
that take turns lose each other's changes, because the slot moves on with the one that is connected.

## What to do
Give each table or source a `slot.name` of its own.

## Not when
The servers or the names differ, or one of them is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/postgres-cdc/>: a slot
  for each table, against `replication slot "flink" is active`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, Reader, readers

_SLOT = "slot.name"


@rule(
    code="FLK552",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=WHEN,
    since="0.1",
)
def replication_slot_shared(config: View) -> Iterator[Finding]:
    """two readers of a PostgreSQL server have one replication slot"""
    taken: dict[tuple[str, str, str | None], Reader] = {}
    for reader in readers(config, "postgres-cdc"):
        host, slot = reader.text("hostname"), reader.text(_SLOT)
        if not host or not reader.is_whole or (slot is None and reader.has(_SLOT)):
            continue
        first = taken.setdefault((host, reader.text("port") or "5432", slot), reader)
        if first is reader:
            continue
        named = f"the slot {slot}" if slot is not None else "the default slot, as neither has slot.name"
        yield reader.part.finding(
            f"{reader.what} and {first.what} read {host} by {named}: the second fails, since the replication slot is"
            " active for another",
            of=reader.prefix + _SLOT if slot is not None else "connector" if reader.prefix else None,
            help="give each a slot.name of its own",
            related=[first.part.place(first.prefix + _SLOT if slot else "connector" if first.prefix else None)],
        )


_TABLE = "CREATE TABLE %s (id INT) WITH ('connector' = 'postgres-cdc', 'hostname' = '%s', 'table-name' = '%s'%s);\n"


def _tables(first: str = "", second: str = "", host: str = "db") -> str:
    return _TABLE % ("a", "db", "a", first) + _TABLE % ("b", host, "b", second)


def cases() -> list[Case]:
    return [
        bad(
            _tables(), file="job.sql", at="'postgres-cdc'", flink="1.17", severity=Severity.WARNING, says="default slot"
        ),
        bad(_tables(", 'slot.name' = 's'", ", 'slot.name' = 's'"), file="job.sql", at="'s'", says="the slot s"),
        good(_tables(", 'slot.name' = 's'", ", 'slot.name' = 't'"), file="job.sql", flink="1.17"),
        good(_tables(host="other"), file="job.sql", flink="1.17"),
        good(_tables(", 'slot.name' = '${A}'", ", 'slot.name' = '${B}'"), file="job.sql", flink="1.17"),
    ]

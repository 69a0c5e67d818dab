"""A reader of PostgreSQL holds back checkpoints until a row is changed.

## What it does
Looks for `debezium.snapshot.mode` of `never` on readers of `postgres-cdc` without the incremental snapshot.

## Why it matters
The older source holds the checkpoint lock while it believes to be in the snapshot, and leaves that phase with the first
record. Without a snapshot and without changes none comes: checkpoints stay in progress, expire (`Checkpoint expired
before completing`), and the job restarts again and again on a quiet database.

## What to do
Use the incremental source: `'scan.incremental.snapshot.enabled' = 'true'` with `'scan.startup.mode' = 'latest-offset'`.

## Not when
The incremental snapshot is on, or not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/postgres-cdc/>: no checkpoint
  completes during the snapshot of the older source
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import readers

_MODE, _INCREMENTAL = "debezium.snapshot.mode", "scan.incremental.snapshot.enabled"


@rule(
    code="FLK556",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:table"],
    since="0.1",
)
def postgres_snapshot_holds_checkpoints(config: View) -> Iterator[Finding]:
    """a reader of PostgreSQL holds back checkpoints until a row is changed"""
    for reader in readers(config, "postgres-cdc"):
        mode = (reader.text(_MODE) or "").lower()
        if not reader.prefix or mode != "never" or reader.flag(_INCREMENTAL, default=False) is not False:
            continue
        yield reader.finding(
            f"with snapshot.mode {mode} {reader.what} holds the checkpoint lock until the first change: on a quiet"
            " database checkpoints expire and the job restarts",
            _MODE,
            f"set '{_INCREMENTAL}' = 'true' and 'scan.startup.mode' = 'latest-offset' instead",
        )


def _table(options: str, connector: str = "postgres-cdc") -> str:
    return f"CREATE TABLE t (id INT) WITH ('connector' = '{connector}', 'hostname' = 'db'{options});\n"


_NEVER = f", '{_MODE}' = 'never'"


def cases() -> list[Case]:
    return [
        bad(_table(_NEVER), file="job.sql", at="'never'", flink="1.17", severity=Severity.WARNING),
        bad(_table(f"{_NEVER}, '{_INCREMENTAL}' = 'false'"), file="job.sql", says="until the first change"),
        good(_table(f"{_NEVER}, '{_INCREMENTAL}' = 'true'"), file="job.sql", flink="1.17"),
        good(_table(f", '{_MODE}' = 'initial'"), file="job.sql", flink="1.17"),
        good(_table(_NEVER, "mysql-cdc"), file="job.sql", flink="1.17"),
    ]

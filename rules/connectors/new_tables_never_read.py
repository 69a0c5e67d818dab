"""Tables that are added are never read, because the reader does not begin with a snapshot.

## What it does
Looks for readers of Flink CDC with `scan.newly-added-table.enabled` (in a program `scanNewlyAddedTableEnabled(true)`)
and another start than `initial`.

## Why it matters
A table that is added is read by a snapshot when the job restarts from a savepoint. With `latest-offset` and the other
starts there are no snapshots: the option has no effect, no error says so, and the rows of the new table are missing.

## What to do
Start with `initial`, or delete the option and start a new job for the table.

## Not when
The start is `initial` or `snapshot`, or not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/#scan-newly-added-tables>:
  how tables are added
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_NEW, _MODE = "scan.newly-added-table.enabled", "scan.startup.mode"


@rule(
    code="FLK554",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=WHEN,
    since="0.1",
)
def new_tables_never_read(config: View) -> Iterator[Finding]:
    """tables that are added are never read, because there is no snapshot"""
    for reader in readers(config):
        mode = reader.text(_MODE)
        if reader.flag(_NEW, default=False) is not True or mode in (None, "initial", "snapshot"):
            continue
        yield reader.finding(
            f"{_NEW} has no effect with {_MODE} {mode}: new tables are read by a snapshot, which only initial takes",
            _NEW,
            "start with initial, or delete the option",
        )


def _table(mode: str) -> str:
    options = f"'{_NEW}' = 'true', '{_MODE}' = '{mode}'"
    return f"CREATE TABLE u (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db', {options});\n"


def _job(mode: str) -> str:
    package = "com.ververica.cdc.connectors.mysql.source.MySqlSource"
    calls = f".scanNewlyAddedTableEnabled(true).startupOptions(StartupOptions.{mode}())"
    return PROGRAM.format(package=package, source="MySqlSource", put="", calls=calls)


def cases() -> list[Case]:
    return [
        bad(_table("latest-offset"), file="job.sql", at="'true'", flink="1.17", severity=Severity.WARNING),
        bad(_job("latest"), file="Job.java", says="no effect with scan.startup.mode latest-offset"),
        good(_table("initial"), file="job.sql", flink="1.17"),
        good(_table("${MODE}"), file="job.sql", flink="1.17"),
        good(_job("initial"), file="Job.java"),
    ]

"""The snapshot of a MySQL server locks it for its writers.

## What it does
Looks for readers of MySQL by Flink CDC that take their snapshot in one piece: `scan.incremental.snapshot.enabled` =
`false` in SQL, the older `MySQLSource` (and `MySqlSource` outside of the package `source`) in a program. Reports them
unless `snapshot.locking.mode` of Debezium is `none`.

## Why it matters
Debezium begins such a snapshot with `FLUSH TABLES WITH READ LOCK`. That waits for the queries that run, and all writes
to the server wait behind it. On services that do not grant this lock (Amazon RDS), it locks each table until the whole
snapshot is read, or fails with `Access denied; you need (at least one of) the RELOAD privilege(s)`.

## What to do
Use the snapshot in chunks, which takes no lock but splits a table by its key: remove the option, or use
`com.ververica.cdc.connectors.mysql.source.MySqlSource`. Where that is impossible, set `snapshot.locking.mode` to
`none`, and let nobody change the tables' columns during the snapshot.

## Not when
No snapshot is taken (`latest-offset`, `never`, `schema_only_recovery`), or properties come from elsewhere.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>: the snapshot in
  chunks, and that it needs no lock
- <https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-property-snapshot-locking-mode>: the
  lock, and what it waits for
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, Reader, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_CHUNKS, _LOCKING = "scan.incremental.snapshot.enabled", "debezium.snapshot.locking.mode"
_START, _MODE = "scan.startup.mode", "debezium.snapshot.mode"
_OF_CHUNKS = ".mysql.source."


@rule(
    code="FLK588",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=WHEN,
    since="0.1",
)
def mysql_snapshot_locks(config: View) -> Iterator[Finding]:
    """the snapshot of a MySQL server locks it for its writers"""
    for reader in readers(config, "mysql-cdc"):
        if not _in_one_piece(reader) or reader.has(_LOCKING) or not _takes_snapshot(reader):
            continue
        yield reader.finding(
            f"the snapshot of {reader.what} begins with FLUSH TABLES WITH READ LOCK: writes to the whole server wait",
            _CHUNKS if reader.is_table else None,
            f"{_remedy(reader)}, or set {reader.spelled(_LOCKING, 'none')} while nobody changes columns",
        )


def _in_one_piece(reader: Reader) -> bool:
    if reader.is_table:
        return reader.flag(_CHUNKS, default=True) is False
    api = reader.text("api") or ""
    return reader.is_whole and "." in api and _OF_CHUNKS not in api


def _takes_snapshot(reader: Reader) -> bool:
    start = reader.text(_START) if reader.has(_START) else "initial"
    mode = reader.text(_MODE) if reader.has(_MODE) else "initial"
    return start == "initial" and mode in ("initial", "initial_only", "when_needed")


def _remedy(reader: Reader) -> str:
    if not reader.is_table:
        return "use MySqlSource of the package mysql.source"
    key = "" if reader.part.has("primary-key") or reader.part.has("like") else "declare a PRIMARY KEY, and "
    return f"{key}remove {_CHUNKS}"


_TABLE = "CREATE TABLE u (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db'%s);\n"
_OFF = f", '{_CHUNKS}' = 'false'"


def _job(package: str, put: str = "", calls: str = "") -> str:
    source = package.rpartition(".")[2]
    return PROGRAM.format(package=package, source=source, put=put, calls=calls)


def cases() -> list[Case]:
    old = "com.alibaba.ververica.cdc.connectors.mysql.MySQLSource"
    new = "com.ververica.cdc.connectors.mysql.source.MySqlSource"
    properties = ".debeziumProperties(properties)"
    return [
        bad(_TABLE % _OFF, file="job.sql", at="'false'", flink="1.16", severity=Severity.WARNING,
            says="writes to the whole server wait"),
        bad(_job(old), file="Job.java", severity=Severity.WARNING, says="this mysql-cdc source"),
        bad(_job(new.replace(".source", "")), file="Job.java"),
        good(_job(new), file="Job.java"),
        good(_TABLE % "", file="job.sql", flink="1.16"),
        good(_TABLE % f", '{_CHUNKS}' = '${{CHUNKS}}'", file="job.sql", flink="1.16"),
        good(_TABLE % f"{_OFF}, '{_LOCKING}' = 'none'", file="job.sql", flink="1.16"),
        good(_TABLE % f"{_OFF}, '{_START}' = 'latest-offset'", file="job.sql", flink="1.16"),
        good(_job(old, 'properties.put("snapshot.locking.mode", "none");', properties), file="Job.java"),
        good(_job(old, 'properties.put("snapshot.mode", "never");', properties), file="Job.java"),
        good(_job(old, "", ".debeziumProperties(load(args))"), file="Job.java"),
    ]  # fmt: skip

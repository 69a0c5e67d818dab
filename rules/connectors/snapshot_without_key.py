"""The snapshot of a table of MySQL has no key to be split by.

## What it does
Looks for tables of `mysql-cdc` that declare no primary key and name no column by
`scan.incremental.snapshot.chunk.key-column`, while the incremental snapshot is on, the default.

## Why it matters
`'scan.incremental.snapshot.chunk.key-column' is required for table without primary key when
'scan.incremental.snapshot.enabled' enabled` ends the job. Older releases say nothing, and read nothing. The snapshot is
read in chunks, by ranges of a key.

## What to do
Declare the primary key that the table of MySQL has. If that has none, set
`scan.incremental.snapshot.chunk.key-column` to a column with an index.

## Not when
`scan.incremental.snapshot.enabled` is false, or other files or templates may add to the table.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>:
  tables without primary keys
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import Reader
from flink_flint.rules.sql._queries import tables

_CHUNKS, _KEY = "scan.incremental.snapshot.enabled", "scan.incremental.snapshot.chunk.key-column"


@rule(
    code="FLK580",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def snapshot_without_key(config: View) -> Iterator[Finding]:
    """the snapshot of a table of MySQL has no key to be split by"""
    for table in tables(config, "mysql-cdc"):
        if table.has("primary-key") or table.has("like") or not table.is_known("with"):
            continue
        reader = Reader("mysql-cdc", table, "with.")
        if not table.has("columns[0]") or reader.has(_KEY) or reader.flag(_CHUNKS, default=True) is not True:
            continue
        yield reader.finding(
            f"{table.name} declares no primary key, by which the snapshot is split: it is refused, or before CDC 2.4 no"
            " row arrives",
            None,
            f"declare PRIMARY KEY (…) NOT ENFORCED, or set '{_KEY}' to a column that has an index",
            lacks="PRIMARY KEY",
        )


_TABLE = "CREATE TABLE l (ip STRING%s) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db'%s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ("", ""), file="job.sql", at="'mysql-cdc'", flink="1.17", severity=Severity.WARNING,
            says="l declares no primary key",
        ),
        bad(_TABLE % ("", f", '{_CHUNKS}' = 'true', 'scan.startup.mode' = 'initial'"), file="job.sql", flink="1.17"),
        good(_TABLE % (", PRIMARY KEY (ip) NOT ENFORCED", ""), file="job.sql", flink="1.17"),
        good(_TABLE % ("", f", '{_KEY}' = 'ip'"), file="job.sql", flink="1.17"),
        good(_TABLE % ("", f", '{_CHUNKS}' = 'false'"), file="job.sql", flink="1.17"),
        good(_TABLE.replace("mysql-cdc", "postgres-cdc") % ("", ""), file="job.sql", flink="1.17"),
    ]  # fmt: skip

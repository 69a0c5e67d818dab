"""A Paimon table with a primary key is read as a stream and keeps no changelog.

## What it does
Looks for streaming queries that read a Paimon table with a primary key, declared in the same file without
`changelog-producer` (or with `none`).

## Why it matters
Deletions and old values do not arrive as a reader expects. Without a producer the table only keeps the merged rows of
each snapshot: what was written and deleted between two snapshots is never seen, and old values are unknown. Flink
makes up for them with an operator, `ChangelogNormalize`, that keeps every key in state; sums behind it are wrong
where that operator is not there, and large where it is.

## What to do
Set `'changelog-producer'` on the table: `input` where what is written is a complete changelog (CDC), `lookup` or
`full-compaction` otherwise.

## Not when
- The table has no primary key, or nothing in the file reads it as a stream.
- Its `merge-engine` is `first-row`, whose changelog has new rows only, or the reader has `scan.mode` for one snapshot.
- Batch mode; a lookup join, which needs no changelog.

## Sources
- <https://paimon.apache.org/docs/master/primary-key-table/changelog-producer/>: what each producer yields, and what
  readers get without one
- <https://github.com/apache/paimon/issues/2246>: deletions that a streaming read does not see
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, readings

_PRODUCER, _ENGINE, _STREAMED = "changelog-producer", "merge-engine", "streaming-read-mode"
_OF_ONE_SNAPSHOT = ("scan.bounded.watermark", "scan.version", "scan.tag-name", "incremental-between")


@rule(
    code="FLK571",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    since="0.1",
)
def paimon_changelog_missing(config: View) -> Iterator[Finding]:
    """a Paimon table with a primary key is read as a stream and keeps no changelog"""
    told = set()
    for query in queries(config):
        if not is_streaming(config, query):
            continue
        for one in readings(config, query):
            table = one.table
            if table is None or one.role != "scan" or one.store != "paimon" or not table.has("primary-key"):
                continue
            if table.has("like") or not table.is_known("with") or table.span() in told:
                continue
            if one.option(_PRODUCER) not in (None, "none") or (one.has(_PRODUCER) and one.option(_PRODUCER) is None):
                continue
            if one.has(_ENGINE) or one.has(_STREAMED) or any(one.has(key) for key in _OF_ONE_SNAPSHOT):
                continue
            told.add(table.span())
            yield table.finding(
                f"{table.name} keeps no changelog and is read as a stream: readers get merged rows of snapshots,"
                " without the"
                " deletions and old values between them",
                of=f"with.{_PRODUCER}" if table.has(f"with.{_PRODUCER}") else None,
                key=_PRODUCER,
                help=f"set '{_PRODUCER}' = 'input' if complete changes are written to it, else 'lookup'",
                related=[query.place()],
            )


_CATALOG = "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake/');\nUSE CATALOG lake;\n"
_TABLE = "CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED, n INT)%s;\n"


def cases() -> list[Case]:
    read, producer = "SELECT * FROM t;\n", " WITH ('changelog-producer' = '%s')"
    return [
        bad(_CATALOG + _TABLE % "" + read, file="job.sql", at="t", flink="1.17", severity=Severity.WARNING,
            says="t keeps no changelog and is read as a stream"),
        bad(_CATALOG + _TABLE % producer % "none" + read, file="job.sql", at="'none'", flink="1.17"),
        good(_CATALOG + _TABLE % producer % "input" + read, file="job.sql", flink="1.17"),
        good(_CATALOG + _TABLE % producer % "${PRODUCER}" + read, file="job.sql", flink="1.17"),
        good(_CATALOG + _TABLE % "" + "INSERT INTO t VALUES (1, 2);\n", file="job.sql", flink="1.17"),
        good(_CATALOG + _TABLE % " WITH ('merge-engine' = 'first-row')" + read, file="job.sql", flink="1.17"),
        good(_CATALOG + _TABLE.replace(" PRIMARY KEY NOT ENFORCED", "") % "" + read, file="job.sql", flink="1.17"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _CATALOG + _TABLE % "" + read, file="job.sql", flink="1.17"),
        good(_CATALOG + _TABLE % ""
             + "USE CATALOG default_catalog;\nCREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED) WITH"
             " ('connector' = 'kafka');\n" + read, file="job.sql", flink="1.17"),
    ]  # fmt: skip

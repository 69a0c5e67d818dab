"""An Iceberg table has a primary key, and inserts do not replace rows of the same key.

## What it does
Looks for streaming INSERTs that pass records of an endless log (Kafka, Kinesis, ...) on into an Iceberg table with a
primary key and without `write.upsert.enabled`.

## Why it matters
The table has several rows of one key: each record adds one. Flink does not enforce the key, and Iceberg deletes the old
row only in the mode for upserts, or where the input has changes that say so. Retries and records read again after a
restart without state add more.

## What to do
Set `'write.upsert.enabled' = 'true'` and `'format-version' = '2'` on the table. Where each record is a row of its own,
leave out the primary key.

## Not when
- The input has changes (CDC, `upsert-kafka`, `debezium-json`), or the query makes them (an aggregation, a join, or
  `ROW_NUMBER()` that keeps one row of each key).
- The option is set, in the table or a hint, or is not known.

## Sources
- <https://iceberg.apache.org/docs/latest/flink-writes/#upsert>: what the mode does, and what it takes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import UNBOUNDED_STATE, is_streaming, queries, readings, target

_UPSERT, _OF_HINT = "write.upsert.enabled", "upsert-enabled"
_KEYED = (*UNBOUNDED_STATE, "window", "over", "match-recognize", "window-join", "interval-join")
"""The features of queries whose rows may be of one key each."""


@rule(
    code="FLK593",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    since="0.1",
)
def iceberg_key_without_upsert(config: View) -> Iterator[Finding]:
    """an Iceberg table has a primary key, and inserts do not replace rows"""
    told = set()
    for query in queries(config):
        sink = target(config, query)
        if sink is None or sink.table is None or sink.store != "iceberg" or not is_streaming(config, query):
            continue
        table = sink.table
        if not table.has("primary-key") or table.has("like") or not table.is_known("with") or table.span() in told:
            continue
        if sink.has(_UPSERT) and (sink.option(_UPSERT) or "true").lower() != "false":
            continue
        if sink.has(_OF_HINT) or any(query.has(name) for name in _KEYED):
            continue
        read = readings(config, query)
        if not read or not all(one.is_endless_log and one.connector != "datagen" for one in read if one.role == "scan"):
            continue
        told.add(table.span())
        yield table.finding(
            f"each record adds a row to {table.name}, whatever its key ({table.text('primary-key') or 'primary key'}):"
            " a key that comes again is there twice",
            of="primary-key",
            key=_UPSERT,
            help=f"set '{_UPSERT}' = 'true' and 'format-version' = '2'; without updates, leave out the primary key",
            related=[query.place()],
        )


_LOG = "CREATE TABLE s (id INT, n INT) WITH ('connector' = '%s', 'topic' = 's', 'format' = '%s');\n"
_CATALOG = "CREATE CATALOG lake WITH ('type' = 'iceberg', 'warehouse' = 's3://lake');\n"
_TABLE = "CREATE TABLE lake.db.t (id INT%s, n INT) WITH ('format-version' = '2'%s);\n"
_INSERT = "INSERT INTO lake.db.t SELECT id, %s FROM s%s;\n"


def _job(
    more: str = "", insert: str = _INSERT % ("n", ""), log: str = _LOG % ("kafka", "json"),
    key: str = " PRIMARY KEY NOT ENFORCED",
) -> str:  # fmt: skip
    return log + _CATALOG + _TABLE % (key, more) + insert


def cases() -> list[Case]:
    on = ", 'write.upsert.enabled' = '%s'"
    return [
        bad(_job(), file="job.sql", flink="1.18", severity=Severity.WARNING, says="each record adds a row"),
        bad(_job(on % "false"), file="job.sql", flink="1.18"),
        bad(_job(insert=_INSERT % ("n + 1", " WHERE n > 3")), file="job.sql", flink="1.18"),
        good(_job(on % "true"), file="job.sql", flink="1.18"),
        good(_job(on % "${UPSERT}"), file="job.sql", flink="1.18"),
        good(_job(key=""), file="job.sql", flink="1.18"),
        good(_job(log=_LOG % ("kafka", "debezium-json")), file="job.sql", flink="1.18"),
        good(_job(log=_LOG % ("mysql-cdc", "json")), file="job.sql", flink="1.18"),
        good(_job(insert=_INSERT % ("SUM(n)", " GROUP BY id")), file="job.sql", flink="1.18"),
        good(_job(insert="INSERT INTO lake.db.t /*+ OPTIONS('upsert-enabled'='true') */ SELECT id, n FROM s;\n"),
             file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _job(), file="job.sql", flink="1.18"),
    ]  # fmt: skip

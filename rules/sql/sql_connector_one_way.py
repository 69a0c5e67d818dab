"""A statement writes a connector that only reads, or reads one that only writes.

## What it does
Looks at the tables that statements write and read: `INSERT INTO` a table of a CDC connector or of `datagen`, and
queries of a `print` or `blackhole` table.

## Why it matters
Flink refuses the statement as it plans it: `ValidationException: Connector 'mysql-cdc' can only be used as a source. It
cannot be used as a sink.` The CDC connectors read the change log of a database and have no part that writes.

## What to do
Write the database with the `jdbc` connector (or that of the database, such as `mongodb` or `starrocks`); read what was
printed from where it comes from.

## Not when
The table is declared elsewhere, or the connector is not one of Flink's.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-table/flink-table-common/src/main/java/org/apache/flink/table/factories/FactoryUtil.java>:
  the message
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.tables.connectors import connectors
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import queries, readings, sinks

_NEVER_READ = ("print", "blackhole")
"""Connectors that no release reads; others may learn to, such as Elasticsearch's."""


@rule(
    code="FLK160",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.11",
    since="0.1",
)
def sql_connector_one_way(config: View) -> Iterator[Finding]:
    """a statement writes a connector that only reads, or the other way round"""
    for query, sink, table in sinks(config):
        factory = connectors().factory("connectors", sink.connector) if sink.connector else None
        if factory is not None and set(factory.kinds) == {"source"}:
            store = "jdbc" if sink.connector.endswith("-cdc") else "filesystem"
            yield query.finding(
                f"{sink.connector} can only be used as a source: Flink refuses to write {sink.name}",
                help=f"declare {sink.name} with a connector that writes, such as '{store}'",
                related=[table.place("connector", "this one only reads")],
            )
    for query in queries(config):
        for one in readings(config, query):
            if one.table is not None and one.connector in _NEVER_READ and not one.table.has("like"):
                yield query.finding(
                    f"{one.connector} can only be used as a sink: Flink refuses to read {one.name}",
                    help=f"read the table that {one.name} is written from",
                    related=[one.table.place("connector", "this one only writes")],
                )


_TABLE = "CREATE TABLE %s (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = '%s'%s);\n"
_CDC = ", 'hostname' = 'h', 'username' = 'u', 'password' = '${P}', 'database-name' = 'd', 'table-name' = 't'"
_INSERT = "INSERT INTO d SELECT id FROM s;\n"


def claims() -> list[Claim]:
    def script(source: str, sink: str) -> str:
        table = "CREATE TABLE %s (id INT) WITH ('connector' = '%s');\n"
        return table % ("s", source) + table % ("d", sink) + _INSERT

    return [
        flink_refuses("SQL", script("datagen", "datagen"), good=script("datagen", "print"), releases=">=1.17"),
        flink_refuses("SQL", script("print", "blackhole"), good=script("datagen", "blackhole"), releases=">=1.17"),
    ]


def cases() -> list[Case]:
    source = _TABLE % ("s", "mysql-cdc", _CDC)
    return [
        bad(
            source + _TABLE % ("d", "mysql-cdc", _CDC) + _INSERT, file="job.sql", at="INSERT INTO", flink="1.18",
            severity=Severity.ERROR, says="mysql-cdc can only be used as a source",
        ),
        bad(source + _TABLE % ("d", "datagen", "") + _INSERT, file="job.sql"),
        bad(
            _TABLE % ("s", "print", "") + _TABLE % ("d", "blackhole", "") + _INSERT, file="job.sql",
            says="print can only be used as a sink",
        ),
        good(source + _TABLE % ("d", "print", "") + _INSERT, file="job.sql"),
        good(source + _TABLE % ("d", "jdbc", ", 'url' = 'jdbc:mysql://h/d', 'table-name' = 't'") + _INSERT,
             file="job.sql"),
        good(source + _TABLE % ("d", "acme-cdc", "") + _INSERT, file="job.sql"),
        good(source + _INSERT, file="job.sql"),
    ]  # fmt: skip

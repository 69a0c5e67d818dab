"""A table is created in a catalog that cannot hold it.

## What it does
Looks at `CREATE TABLE` after `USE CATALOG` of a catalog that the script creates: of type `jdbc`, which creates no
tables, and of type `paimon`, for a table of another connector.

## Why it matters
The statement fails. A JDBC catalog shows the tables that the database has, and throws `UnsupportedOperationException`
(`Could not execute CreateTable in path`). Paimon's refuses other connectors: `Paimon Catalog only supports paimon
tables, but you specify 'connector'= 'kafka' when using Paimon Catalog`. Tables that were created before `USE CATALOG`
are in the session's own catalog, and are no longer found by their names alone (`Object 'orders' not found`).

## What to do
Write `CREATE TEMPORARY TABLE`, or create the table before `USE CATALOG`, and name it in full:
`default_catalog.default_database.orders`. Of a JDBC catalog's table, create it in the database.

## Not when
The table is temporary, or named with another catalog, or the catalog is not created in the script.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#jdbc-catalog>: what it supports
- <https://paimon.apache.org/docs/master/flink/quick-start/>: temporary tables for other connectors
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK171",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.13",
    since="0.1",
)
def sql_catalog_refuses_table(config: View) -> Iterator[Finding]:
    """a table is created in a catalog that cannot hold it"""
    for table in config.elements("table"):
        of, connector = table.text("catalog-type"), table.text("connector")
        if table.has("temporary") or table.has("like") or of not in ("jdbc", "paimon"):
            continue
        if of == "jdbc":
            reason = "a JDBC catalog creates no tables: CREATE TABLE throws UnsupportedOperationException"
        elif connector and connector not in ("paimon", "table-store"):
            reason = f"a Paimon catalog refuses tables of other connectors ('{connector}')"
        else:
            continue
        yield table.finding(
            f"{table.name} is created in a catalog of type {of}, and {reason}",
            help=f"write CREATE TEMPORARY TABLE {table.name}, or create it before USE CATALOG and name it"
            f" default_catalog.default_database.{table.name.rpartition('.')[2]}",
        )


_USE = "CREATE CATALOG c WITH ('type' = '%s'%s);\nUSE CATALOG c;\n"
_JDBC = ", 'base-url' = 'jdbc:mysql://db:3306/', 'default-database' = 'd', 'username' = 'u', 'password' = '${P}'"
_PAIMON = ", 'warehouse' = 'file:///tmp/lake'"
_INSERT = "INSERT INTO c.d.sums SELECT id FROM %s;\n"
_NUMBERS = "CREATE %s s (id INT) WITH ('connector' = 'datagen');\n"


def cases() -> list[Case]:
    return [
        bad(
            _USE % ("jdbc", _JDBC) + "CREATE TABLE t (id INT) WITH ('connector' = 'jdbc', 'table-name' = 't');\n"
            + _INSERT % "t", file="job.sql", at="t", flink="1.20",
            severity=Severity.ERROR, says="throws UnsupportedOperationException",
        ),
        bad(
            _USE % ("paimon", _PAIMON) + _NUMBERS % "TABLE" + _INSERT % "s", file="job.sql", flink="1.20",
            severity=Severity.ERROR, says="refuses tables of other connectors ('datagen')",
        ),
        bad(_USE % ("jdbc", _JDBC) + "CREATE TABLE c.d.t (id INT);\n" + _INSERT % "c.d.t", file="job.sql"),
        good(_USE % ("paimon", _PAIMON) + _NUMBERS % "TEMPORARY TABLE" + _INSERT % "s", file="job.sql"),
        good(_USE % ("paimon", _PAIMON) + "CREATE TABLE t (id INT);\n" + _INSERT % "t", file="job.sql"),
        good(_USE % ("iceberg", _PAIMON) + _NUMBERS % "TABLE" + _INSERT % "s", file="job.sql"),
        good(_NUMBERS % "TABLE" + _USE % ("jdbc", _JDBC) + _INSERT % "s", file="job.sql"),
        good(
            _USE % ("jdbc", _JDBC) + "CREATE TABLE default_catalog.default_database.t (id INT) WITH ('connector' ="
            " 'datagen');\n", file="job.sql",
        ),
        good(
            _USE % ("jdbc", _JDBC) + "USE CATALOG default_catalog;\n" + _NUMBERS % "TABLE" + _INSERT % "s",
            file="job.sql",
        ),
    ]  # fmt: skip

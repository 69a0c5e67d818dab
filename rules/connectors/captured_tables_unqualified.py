"""The table list of a CDC source names tables without their database or schema.

## What it does
Looks at `tableList(...)` of the builders of Flink CDC for MySQL, Postgres and SQL Server. Reports names without a
database or schema in front of them.

## Why it matters
The job runs, without an error, and no row arrives. The builder compares its list with whole names: `shop.orders` with
MySQL, `public.orders` with Postgres. `orders` alone matches none. In SQL it is other: there the connector joins
`database-name` and `table-name` itself.

## What to do
Write the database or the schema in front: `tableList("shop.orders")`.

## Not when
The list is a regular expression, one of its names has a dot, or it is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>:
  `tableList` takes the name of the database, too
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_OWNERS = {"mysql-cdc": "database", "postgres-cdc": "schema", "sqlserver-cdc": "schema"}
_NAME = regex(r"[\w$]+")


@rule(
    code="FLK576",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:cdc-source"],
    since="0.1",
)
def captured_tables_unqualified(config: View) -> Iterator[Finding]:
    """a table list names tables without their database or schema"""
    for source in config.elements("cdc-source"):
        owner = _OWNERS.get(source.name)
        bare = [one.strip() for one in (source.text("table-name") or "").split(",")]
        if owner is None or not all(_NAME.fullmatch(one) for one in bare):
            continue
        yield source.finding(
            f"tableList matches {owner}.table, and {bare[0]} has no {owner}: no table matches, and no row arrives",
            of="table-name",
            help=f'write "{_owner(source, owner)}.{bare[0]}"',
        )


def _owner(source: ElementView, owner: str) -> str:
    """Return the name of the database or schema as the source lists it, or the word for it."""
    name = source.text(f"{owner}-name") or ""
    return name if _NAME.fullmatch(name) else owner


def _job(source: str, package: str, calls: str) -> str:
    return PROGRAM.format(
        package=f"com.ververica.cdc.connectors.{package}.{source}", source=source, put="", calls=calls
    )


def cases() -> list[Case]:
    mysql, postgres = ("MySqlSource", "mysql.source"), ("PostgreSQLSource", "postgres")
    return [
        bad(
            _job(*mysql, '.databaseList("shop").tableList("orders", "customers")'), file="Job.java",
            says="orders has no database", severity=Severity.WARNING,
        ),
        bad(_job(*postgres, '.schemaList("public").tableList("stud")'), file="Job.java", says="stud has no schema"),
        good(_job(*mysql, '.databaseList("shop").tableList("shop.orders")'), file="Job.java"),
        good(_job(*mysql, '.databaseList("shop").tableList(".*")'), file="Job.java"),
        good(_job(*mysql, '.databaseList("shop").tableList(args[0])'), file="Job.java"),
        good(_job(*mysql, '.databaseList("shop")'), file="Job.java"),
        good("CREATE TABLE u (id INT) WITH ('connector' = 'mysql-cdc', 'table-name' = 'orders');\n", file="job.sql"),
    ]  # fmt: skip

"""Properties for Debezium have the prefix of SQL in a program, where nothing takes it off.

## What it does
Looks at `debeziumProperties(...)` of Flink CDC's builders for keys that begin with `debezium.`.

## Why it matters
In SQL, options that begin with `debezium.` are passed on without the prefix. A program hands its properties to Debezium
as they are: it does not know `debezium.snapshot.mode`, ignores it without a word, and keeps its default.

## What to do
Delete the prefix: `properties.put("snapshot.mode", ...)`.

## Not when
The options are those of a table in SQL.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>: `debezium.*`
  passes options through to Debezium
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_PREFIX = "debezium."


@rule(
    code="FLK555",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:cdc-source"],
    since="0.1",
)
def debezium_prefix_in_program(config: View) -> Iterator[Finding]:
    """properties for Debezium have the prefix of SQL, where nothing takes it off"""
    for source in config.elements("cdc-source"):
        for name, _ in source.under("debezium"):
            if not name.startswith(_PREFIX):
                continue
            yield source.finding(
                f"Debezium does not know {name} and ignores it: only SQL takes the prefix debezium. off",
                of=f"{_PREFIX}{name}",
                help=f"write {name.removeprefix(_PREFIX)}",
            )


def _job(key: str) -> str:
    package = "com.ververica.cdc.connectors.mysql.source.MySqlSource"
    put = f'properties.setProperty("{key}", "never");'
    return PROGRAM.format(package=package, source="MySqlSource", put=put, calls=".debeziumProperties(properties)")


def cases() -> list[Case]:
    return [
        bad(_job("debezium.snapshot.mode"), file="Job.java", says="ignores it", severity=Severity.WARNING),
        bad(_job("debezium.min.row.count.to.stream.results"), file="Job.java"),
        good(_job("snapshot.mode"), file="Job.java"),
        good(
            "CREATE TABLE u (id INT) WITH ('connector' = 'mysql-cdc', 'debezium.snapshot.mode' = 'never');\n",
            file="job.sql",
        ),
    ]

"""SET has an option of a table, which no table takes from there.

## What it does
Compares the keys of `SET` with the options of the connectors of the script's tables.

## Why it matters
`SET` changes options of Flink. Those of a connector count in the `WITH` clause of its table, or in a hint, alone: a key
that Flink does not know is accepted and ignored, so the table keeps its default and nothing is logged.

## What to do
Move the option into `WITH (...)` of the table, or give it in a hint: `/*+ OPTIONS('key' = 'value') */`.

## Not when
Flink knows the key itself, or no table of the script has a connector with such an option.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/set/>: what SET is for
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/hints/#dynamic-table-options>: hints
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.tables.connectors import connectors
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import tables

_WORDS = ("connector", "format")


@rule(
    code="FLK151",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def sql_option_of_a_table_set(config: View) -> Iterator[Finding]:
    """SET has an option of a table, which no table takes from there"""
    if config.document.kind != "sql":
        return
    found = list(tables(config))
    for entry in config.document.entries:
        if entry.key in _WORDS or config.accept(entry.key) is not None:
            continue
        table = next((one for one in found if _has_option(one, entry.key)), None)
        if table is None:
            continue
        yield config.finding(
            f"SET has no effect for {entry.key}: it is an option of the connector {table.text('connector')}, which"
            f" {table.name} takes in WITH alone",
            span=entry.key_span,
            key=entry.key,
            help=f"write it in WITH of {table.name}, or in a hint: /*+ OPTIONS('{entry.key}' = …) */",
            related=[table.place("connector")],
        )


def _has_option(table: ElementView, key: str) -> bool:
    factory = connectors().factory("connectors", table.text("connector") or "")
    return factory is not None and bool(factory.places(key))


_TABLE = "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db');\n"


def cases() -> list[Case]:
    return [
        bad(
            "SET scan.incremental.close-idle-reader.enabled = true;\n" + _TABLE, file="job.sql", flink="1.16",
            at="scan.incremental.close-idle-reader.enabled", severity=Severity.WARNING, says="takes in WITH alone",
        ),
        bad("SET 'server-id' = '5400-5404';\n" + _TABLE, file="job.sql", flink="1.18"),
        good("SET 'parallelism.default' = '3';\n" + _TABLE, file="job.sql", flink="1.16"),
        good("SET 'my.own.key' = '3';\n" + _TABLE, file="job.sql", flink="1.16"),
        good(
            "SET 'server-id' = '5400';\nCREATE TABLE t (id INT) WITH ('connector' = 'print');\n", file="job.sql",
            flink="1.16",
        ),
    ]  # fmt: skip


def claims() -> list[Claim]:
    script = (
        "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',\n"
        "  'properties.bootstrap.servers' = 'b:9092', 'properties.group.id' = 'g');\n"
        "CREATE TABLE d (id INT) WITH ('connector' = 'blackhole');\nINSERT INTO d SELECT id FROM t;\n"
    )
    # A mode that a table with it would be refused for.
    return [flink_ignores("SQL", f"SET 'scan.startup.mode' = 'anywhere';\n{script}", good=script)]

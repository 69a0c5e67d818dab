"""A temporal join reads versions of a table without a primary key.

## What it does
Looks at joins `FOR SYSTEM_TIME AS OF` a row time with a table of the script that has a watermark and no primary key.

## Why it matters
The versions of a row are those of its key, so Flink refuses the join as it plans it: `ValidationException: Temporal
Table Join requires primary key in versioned table, but no primary key can be found.`

## What to do
Declare `PRIMARY KEY (id) NOT ENFORCED` in the table, or join a view that keeps the last row of each key
(`ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts DESC) = 1`).

## Not when
The table is a view, another script declares it, or the join looks rows up by processing time.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/versioned_tables/>: a versioned table
  has a primary key and a watermark
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, readings


@rule(
    code="FLK161",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_versions_without_key(config: View) -> Iterator[Finding]:
    """a temporal join reads versions of a table without a primary key"""
    told = set()
    for query in queries(config):
        if not query.has("temporal-join") or not is_streaming(config, query):
            continue
        for one in readings(config, query):
            table = one.table
            if table is None or one.role != "temporal" or not table.has("watermark") or not one.connector:
                continue
            if table.has("primary-key") or table.has("like") or table.span() in told:
                continue
            told.add(table.span())
            yield query.finding(
                f"{table.name} has no primary key, so it has no versions: Flink refuses this temporal join",
                of="temporal-join",
                help=f"add PRIMARY KEY (…) NOT ENFORCED to {table.name}",
                related=[table.place(None, "declared without a key")],
            )


_ORDERS = (
    "CREATE TABLE o (p INT, proc AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka',"
    " 'topic' = 'o', 'properties.bootstrap.servers' = 'k:9092', 'properties.group.id' = 'g', 'format' = 'json');\n"
)
_PRODUCTS = (
    "CREATE TABLE p (id INT, seen TIMESTAMP(3), %sWATERMARK FOR seen AS seen) WITH ('connector' = 'kafka',"
    " 'topic' = 'p', 'properties.bootstrap.servers' = 'k:9092', 'properties.group.id' = 'g', 'format' ="
    " 'debezium-json');\n"
)
_KEY = "PRIMARY KEY (id) NOT ENFORCED, "
_SINK = "CREATE TABLE d (p INT) WITH ('connector' = 'blackhole');\n"
_JOIN = "INSERT INTO d SELECT o.p FROM o LEFT JOIN p FOR SYSTEM_TIME AS OF o.ts AS v ON o.p = v.id;\n"


def claims() -> list[Claim]:
    tables = _ORDERS + _SINK
    return [
        flink_refuses("SQL", tables + _PRODUCTS % "" + _JOIN, good=tables + _PRODUCTS % _KEY + _JOIN, releases=">=1.17")
    ]


def cases() -> list[Case]:
    tables = _ORDERS + _SINK
    return [
        bad(
            tables + _PRODUCTS % "" + _JOIN, file="job.sql", at="p", flink="1.18",
            severity=Severity.ERROR, says="p has no primary key",
        ),
        bad((tables + _PRODUCTS % "" + _JOIN).replace("debezium-json", "json"), file="job.sql", flink="1.18"),
        good(tables + _PRODUCTS % _KEY + _JOIN, file="job.sql", flink="1.18"),
        good(tables + (_PRODUCTS % "").replace("'kafka'", "'jdbc'") + _JOIN.replace("o.ts", "o.proc"), file="job.sql",
             flink="1.18"),
        good(tables + _JOIN, file="job.sql", flink="1.18"),
    ]  # fmt: skip

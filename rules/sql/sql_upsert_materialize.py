"""The operator that keeps updates of a sink in order is switched off.

## What it does
Reports `table.exec.sink.upsert-materialize: NONE`, and `FORCE` as advice.

## Why it matters
When the key of a query is not the primary key of its sink, updates of one primary key come from different subtasks and
may overtake each other. Flink puts them back in order with an operator of its own. Without it a late deletion removes
the row that replaced it: rows are missing in the sink, or old ones stay, and nothing is logged. FORCE adds the
operator everywhere: it keeps each row of the sink in state once more.

## What to do
Leave AUTO, with which Flink adds the operator only where it is needed. Where its state is the worry, let the sink's
primary key be the key of the query.

## Not when
In a SQL script no table that is written has a primary key, or, where nothing is written, no table that it creates. A
script or program does not show the tables that it writes: a catalog, another file or a `TableDescriptor` declares them.
The file mentions Paimon, whose tables order updates themselves and want NONE.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-sink-upsert-materialize>: the
  three values
- <https://paimon.apache.org/docs/master/flink/sql-write/>: NONE for tables of Paimon
- <https://www.ververica.com/blog/flink-sql-secrets-mastering-the-art-of-changelog-event-out-of-orderness>: how updates
  overtake each other
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, target

_KEY = "table.exec.sink.upsert-materialize"
_OF_JOBS = ("source", "sql")
"""Kinds of documents that know which tables their jobs write, unless these are declared elsewhere."""


@rule(
    code="FLK907",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_KEY],
    flink=">=1.13",
    since="0.1",
)
def sql_upsert_materialize(config: View) -> Iterator[Finding]:
    """the operator that keeps updates of a sink in order is switched off"""
    setting, value = config.get(_KEY), (config.string(_KEY) or "").upper()
    if not setting.is_set or value not in ("NONE", "FORCE") or not is_streaming(config):
        return
    if value == "NONE" and "paimon" in config.document.text.lower():
        return  # its tables order updates themselves, and its documentation asks for NONE
    written = [one for query in queries(config) if (one := target(config, query)) is not None]
    tables = [one.table for one in written] or list(config.elements("table"))
    if tables and all(table is not None and not table.has("primary-key") for table in tables):
        return
    is_keyed = any(table is not None and (table.has("primary-key") or table.has("like")) for table in tables)
    if value == "NONE" and not is_keyed and setting.document.kind in _OF_JOBS:
        return
    if value == "NONE":
        yield setting.finding(
            "without the operator that orders updates, a late deletion removes the row that replaced it wherever the"
            " key of a query is not the primary key of its sink",
            help="write AUTO; to save its state, make the key of the query the sink's primary key",
            fix=setting.replace("AUTO"),
        )
    else:
        yield setting.finding(
            "every row of every sink with a primary key is kept in state once more, also where AUTO finds no need",
            help="write AUTO",
            severity=Severity.INFO,
            fix=setting.replace("AUTO"),
        )


_DESCRIBED = """\
from pyflink.table import EnvironmentSettings, Schema, TableDescriptor, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("table.exec.sink.upsert-materialize", "NONE")
env.create_temporary_table("o", TableDescriptor.for_connector("kafka").build())
env.from_path("s").execute_insert("o")
"""


def cases() -> list[Case]:
    return [
        bad(
            "table.exec.sink.upsert-materialize: NONE\n",
            at="NONE",
            flink="1.18",
            severity=Severity.WARNING,
            fixed="table.exec.sink.upsert-materialize: AUTO\n",
        ),
        bad(
            "SET 'table.exec.sink.upsert-materialize' = 'force';\n",
            file="job.sql",
            at="'force'",
            flink="1.20",
            severity=Severity.INFO,
            fixed="SET 'table.exec.sink.upsert-materialize' = 'AUTO';\n",
        ),
        good("table.exec.sink.upsert-materialize: AUTO\n", flink="1.18"),
        good(
            "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake/');\n"
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';\n",
            file="job.sql",
            flink="1.20",
        ),
        good(
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';\nSET 'execution.runtime-mode' = 'batch';\n",
            file="job.sql",
            flink="1.20",
        ),
        good(
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';\n"
            "CREATE TABLE o (id INT) WITH ('connector' = 'kafka');\n"
            "INSERT INTO o SELECT id FROM s;\n",
            file="job.sql",
            flink="1.20",
        ),
        good(
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';\n"
            "CREATE TABLE o (id INT) WITH ('connector' = 'kafka');\n",
            file="setup.sql",
            flink="1.20",
        ),
        bad(
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';\n"
            "CREATE TABLE o (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n",
            file="setup.sql",
            at="'NONE'",
            flink="1.20",
        ),
        good("table.exec.sink.upsert-materialize: ${MATERIALIZE}\n", flink="1.18"),
        good(
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';\nINSERT INTO o SELECT id FROM s;\n",
            file="job.sql",
            flink="1.20",
        ),
        good(_DESCRIBED, file="job.py", flink="1.20"),
    ]


_CLAIMED = (
    "CREATE TABLE g (id INT, v INT) WITH ('connector' = 'kafka', 'topic' = 'g', 'format' = 'json',"
    " 'properties.bootstrap.servers' = 'k:9092', 'scan.startup.mode' = 'earliest-offset');\n"
)


def claims() -> list[Claim]:
    query = (
        _CLAIMED + "CREATE TABLE o (c BIGINT, id INT, PRIMARY KEY (c) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',"
        " 'topic' = 'o', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');\n"
        "INSERT INTO o SELECT c, id FROM (SELECT id, COUNT(*) AS c FROM g GROUP BY id);\n"
    )
    off = "SET 'table.exec.sink.upsert-materialize' = 'NONE';\n"
    return [flink_uses("SQL plan", off + query, "fields=[c, id])", good=query, releases=">=1.14")]

"""A stream is joined with a table that is read once, when the job starts.

## What it does
Looks at streaming queries that join a stream without an end (Kafka, CDC, ...) with a table of `jdbc`, `doris`,
`starrocks`, `clickhouse`, `mongodb` or HBase by a plain `JOIN`, without `FOR SYSTEM_TIME AS OF`.

## Why it matters
Rows that are added to the table or changed later never show up in the results, and nothing is logged. A plain join
scans such a table once, from its first row to its last, and the source ends (`FINISHED` in the web interface); the
join keeps what it has read in state. With all of the table in state, a large one also slows the checkpoints down.

## What to do
Look the rows up when they are needed: `JOIN dim FOR SYSTEM_TIME AS OF o.proc_time AS d ON o.k = d.k`, where `proc_time
AS PROCTIME()` is a column of the stream, with a cache (`lookup.cache`). Or read the table's changes with a CDC
connector.

## Not when
The mode is batch, no stream without an end takes part, or the table never changes; then ignore the rule.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/>: a bounded scan source
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/joins/#lookup-join>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, readings

_STORES = ("jdbc", "doris", "starrocks", "clickhouse", "mongodb", "hbase-1.4", "hbase-2.2")
"""Connectors whose tables a scan reads to their end, and whose rows can be looked up by key."""


@rule(
    code="FLK172",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_dimension_read_once(config: View) -> Iterator[Finding]:
    """a stream is joined with a table that is read once, when the job starts"""
    for query in queries(config):
        if not query.has("regular-join") or query.has("union") or not is_streaming(config, query):
            continue
        read = [one for one in readings(config, query) if one.role == "scan"]
        stream = next((one for one in read if one.is_endless), None)
        store = next((one for one in read if one.connector in _STORES), None)
        if stream is None or store is None:
            continue
        yield query.finding(
            f"the join reads {store.name} ({store.connector}) once, when the job starts: {stream.name} never meets rows"
            " that change later",
            of="regular-join",
            help=f"look it up: JOIN {store.name} FOR SYSTEM_TIME AS OF a processing time of {stream.name}",
        )


_LOG = "CREATE TABLE o (k INT, p AS PROCTIME()) WITH ('connector' = '%s', 'topic' = 'o', 'format' = 'json');\n"
_STORE = "CREATE TABLE d (k INT, n INT) WITH ('connector' = '%s', 'url' = 'jdbc:mysql://db/d', 'table-name' = 'd');\n"
_SINK = "CREATE TABLE r (k INT, n INT) WITH ('connector' = 'print');\n"
_JOIN = "INSERT INTO r SELECT o.k, d.n FROM o JOIN d %s ON o.k = d.k;\n"


def cases() -> list[Case]:
    return [
        bad(
            _LOG % "kafka" + _STORE % "jdbc" + _SINK + _JOIN % "", file="job.sql", flink="1.20",
            severity=Severity.WARNING, says="reads d (jdbc) once, when the job starts: o never meets",
        ),
        bad(_LOG % "mysql-cdc" + _STORE % "doris" + _SINK + _JOIN.replace("JOIN", "LEFT JOIN") % "", file="job.sql"),
        good(_LOG % "kafka" + _STORE % "jdbc" + _SINK + _JOIN % "FOR SYSTEM_TIME AS OF o.p", file="job.sql"),
        good(_LOG % "kafka" + _STORE % "mysql-cdc" + _SINK + _JOIN % "", file="job.sql"),
        good(_LOG % "filesystem" + _STORE % "jdbc" + _SINK + _JOIN % "", file="job.sql"),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _LOG % "kafka" + _STORE % "jdbc" + _SINK + _JOIN % "",
            file="job.sql",
        ),
    ]  # fmt: skip


_CLAIMED = (
    "CREATE TABLE o (k INT, p AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json',"
    " 'properties.bootstrap.servers' = 'k:9092', 'scan.startup.mode' = 'earliest-offset');\n"
)


def claims() -> list[Claim]:
    tables = _CLAIMED + _STORE % "jdbc" + _SINK
    return [
        flink_uses(
            "SQL plan",
            tables + _JOIN % "",
            "Join(joinType",
            good=tables + _JOIN % "FOR SYSTEM_TIME AS OF o.p",
            releases=">=1.15,<2.0",
        ),
    ]

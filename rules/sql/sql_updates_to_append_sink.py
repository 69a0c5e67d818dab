"""A query updates its rows, and its sink accepts new rows alone.

## What it does
Looks for statements that write a table of `kafka`, `kinesis`, `filesystem`, `firehose`, `pulsar` or `http-sink` in a
format without kinds of changes (`json`, `csv`, `avro`, ...), from a query whose result is updated: aggregates with
`GROUP BY` and no window, aggregates of all rows, an outer join without a bound in time, a Top-N, or the rows of a CDC
table.

## Why it matters
The planner refuses the statement: `Table sink '...' doesn't support consuming update changes which is produced by node
GroupAggregate(groupBy=[...])`, for CDC `... update and delete changes which is produced by node TableSourceScan(...)`.
Each further row of a key changes its result, and such a sink has no way to say so.

## What to do
Write the result where rows can be changed: `upsert-kafka`, a changelog format (`debezium-json`), `jdbc` with a primary
key. Or aggregate in windows (`TUMBLE`, `HOP`, `CUMULATE`), whose results are final.

## Not when
The query has a window, an interval join or a temporal join, the mode is batch, or the sink is declared elsewhere.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/dynamic_tables/#table-to-stream-conversion>:
  which results are updated
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.tables.connector_changes import appends_alone
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import Reading, is_streaming, readings, sinks

_FORMATS = ("format", "value.format")
_FINAL = (
    "window", "group-window", "windows-grouped", "window-join", "interval-join", "temporal-join", "lookup-join",
    "versioned-join", "match-recognize", "over",
)  # fmt: skip
"""What may make a result final, or reads a part of the query as a table of versions."""
_NAMES = {
    "aggregates": "GROUP BY without a window",
    "aggregate": "an aggregate of all rows",
    "outer-join": "an outer join",
    "top-n": "a Top-N",
    "top-n-of-all": "a Top-N",
}


@rule(
    code="FLK170",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_updates_to_append_sink(config: View) -> Iterator[Finding]:
    """a query updates its rows, and its sink accepts new rows alone"""
    for query, sink, table in sinks(config):
        formats = [written for key in _FORMATS if (written := sink.option(key)) is not None]
        if not formats or not appends_alone(sink.connector, formats) or any(query.has(one) for one in _FINAL):
            continue
        if not is_streaming(config, query):
            continue
        read = readings(config, query)
        why = _updated_by(query, read)
        if why is None:
            continue
        what, place = why
        is_endless = any(one.is_endless for one in read)
        yield query.finding(
            f"{what} updates its rows, and {sink.name} ({sink.connector}, {formats[0]}) accepts new rows alone: the"
            " planner refuses the statement (doesn't support consuming update changes)",
            of=place,
            help="write to upsert-kafka, to jdbc with a primary key or in a changelog format such as debezium-json; or"
            " aggregate in a window",
            severity=None if is_endless else Severity.WARNING,
            related=[table.place("connector", "accepts new rows alone")],
        )


def _updated_by(query: ElementView, read: list[Reading]) -> tuple[str, str | None] | None:
    """Return what certainly updates the rows of a query, and the attribute where it is; None if nothing does."""
    for name, words in _NAMES.items():
        if query.has(name):
            return words, name
    scanned = next((one for one in read if one.is_changelog and one.role == "scan"), None)
    return None if scanned is None else (f"{scanned.name} ({scanned.connector})", None)


_LOG = "CREATE TABLE s (id INT, n INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
_CDC = "CREATE TABLE s (id INT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"
_SINK = "CREATE TABLE d (id INT, n %s) WITH ('connector' = 'kafka', 'topic' = 'd', 'format' = '%s');\n"
_SUMS = "INSERT INTO d SELECT id, SUM(n) FROM s GROUP BY id;\n"


def cases() -> list[Case]:
    return [
        bad(
            _LOG + _SINK % ("INT", "json") + _SUMS, file="job.sql", at="n", flink="1.20", severity=Severity.ERROR,
            says="GROUP BY without a window updates its rows, and d (kafka, json) accepts new rows alone",
        ),
        bad(
            _CDC + _SINK % ("INT", "json") + "INSERT INTO d SELECT id, n FROM s WHERE n > 1;\n", file="job.sql",
            flink="1.20", severity=Severity.ERROR, says="s (mysql-cdc) updates its rows",
        ),
        bad(
            _LOG + "CREATE TABLE d (id INT, n STRING) WITH ('connector' = 'http-sink', 'format' = 'json');\n"
            "INSERT INTO d SELECT id, LISTAGG(CAST(n AS STRING)) FROM s GROUP BY id;\n", file="job.sql",
        ),
        bad(
            _LOG + "CREATE TABLE d (n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'csv');\n"
            "INSERT INTO d SELECT COUNT(*) FROM s;\n", file="job.sql", says="an aggregate of all rows",
        ),
        bad(
            _LOG + _LOG.replace("TABLE s", "TABLE t") + _SINK % ("INT", "json")
            + "INSERT INTO d SELECT s.id, t.n FROM s LEFT JOIN t ON s.id = t.id;\n", file="job.sql",
            says="an outer join",
        ),
        bad(
            "CREATE TABLE s (id INT, n INT) WITH ('connector' = 'jdbc');\n" + _SINK % ("INT", "json") + _SUMS,
            file="job.sql", severity=Severity.WARNING,
        ),
        good(_LOG + _SINK % ("INT", "debezium-json") + _SUMS, file="job.sql"),
        good(_LOG + _SINK.replace("'kafka'", "'upsert-kafka'") % ("INT", "json") + _SUMS, file="job.sql"),
        good(_LOG + _SINK % ("INT", "json") + "INSERT INTO d SELECT id, n FROM s;\n", file="job.sql"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _LOG + _SINK % ("INT", "json") + _SUMS, file="job.sql"),
        good(_LOG + _SINK % ("INT", "json") + "INSERT INTO d SELECT id, n FROM s GROUP BY id, n;\n", file="job.sql"),
        good(
            _LOG.replace("n INT)", "n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)") + _SINK % ("INT", "json")
            + "INSERT INTO d SELECT id, SUM(n) FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
            " GROUP BY id, window_start, window_end;\n", file="job.sql",
        ),
        good(
            _LOG.replace("n INT)", "n INT, p AS PROCTIME())")
            + _CDC.replace("TABLE s", "TABLE t").replace("mysql-cdc", "jdbc") + _SINK % ("INT", "json")
            + "INSERT INTO d SELECT s.id, t.n FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.p ON s.id = t.id;\n",
            file="job.sql",
        ),
    ]  # fmt: skip


_NUMBERS = "CREATE TABLE s (id INT, n INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json',"
_NUMBERS += " 'properties.bootstrap.servers' = 'k:9092', 'scan.startup.mode' = 'earliest-offset');\n"
_LINES = (
    "CREATE TABLE d (id INT, n %s) WITH ('connector' = 'kafka', 'topic' = 'd', 'format' = '%s',"
    " 'properties.bootstrap.servers' = 'k:9092');\n"
)
_FILES = "CREATE TABLE d (id INT, n %s) WITH ('connector' = 'filesystem', 'path' = 'file:///tmp/d', 'format' = '%s');\n"
_OTHER = _NUMBERS.replace("TABLE s", "TABLE t")


def claims() -> list[Claim]:
    updates = (
        ("INT", "INSERT INTO d SELECT id, SUM(n) FROM s GROUP BY id;\n"),
        ("STRING", "INSERT INTO d SELECT id, LISTAGG(CAST(n AS STRING)) FROM s GROUP BY id;\n"),
        ("INT", "INSERT INTO d SELECT s.id, t.n FROM s LEFT JOIN t ON s.id = t.id;\n"),
        ("INT", "INSERT INTO d SELECT MAX(id), SUM(n) FROM s;\n"),
    )
    return [
        flink_refuses(
            "SQL", _NUMBERS + _OTHER + sink % (kind, "json") + query,
            good=_NUMBERS + _OTHER + _LINES % (kind, "debezium-json") + query, releases=">=1.13",
        )
        for kind, query in updates
        for sink in (_LINES, _FILES)
    ]  # fmt: skip

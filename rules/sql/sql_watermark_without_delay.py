"""A watermark leaves rows no time to come out of order.

## What it does
Reports, in a SQL script, `WATERMARK FOR ts AS ts` over a column that the records bring with them (not computed, not
metadata of the connector), in a table of Kafka, Kinesis, Pulsar or datagen that a query reads by its event time: with
windows, interval or temporal joins, MATCH_RECOGNIZE or OVER.

## Why it matters
Every row that is older than one before it in its partition is late, and windows and joins drop late rows without a
word. Times that applications write are seldom in order: several writers, retries and clocks see to that.

## What to do
Let the watermark trail as far as rows come late, as a rule: `ts - INTERVAL '5' SECOND`.

## Not when
Times within a partition only ascend, as those that one database or one writer gives; hence low confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/create/#watermark>: strategies for ascending
  times and for times out of order
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/window-agg/>: late rows are dropped
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import is_streaming, queries, readings

_STREAMS = ("kafka", "kinesis", "kinesis-legacy", "pulsar", "datagen")
_BY_TIME = ("window", "window-join", "interval-join", "temporal-join", "match-recognize", "over")


@rule(
    code="FLK913",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_watermark_without_delay(config: View) -> Iterator[Finding]:
    """a watermark leaves rows no time to come out of order"""
    told = set()
    for query in queries(config):
        what = next((name for name in _BY_TIME if query.has(name)), None)
        if what is None or not is_streaming(config, query):
            continue
        for reading in readings(config, query):
            table = reading.table
            if table is None or reading.connector not in _STREAMS or table.value("watermark-delay") != 0:
                continue
            column = table.text("watermark") or ""
            if table.span() in told or not _is_brought(table, column):
                continue
            told.add(table.span())
            written = table.element.attributes["watermark-delay"].raw or column
            yield table.finding(
                f"the watermark of {reading.name} is {column} itself: a row older than one before it is late, and the"
                f" {what.replace('-', ' ')} drops it in silence",
                of="watermark-delay",
                help=f"write {written} - INTERVAL '5' SECOND, or as long as rows come late",
                fix=table.replace("watermark-delay", f"{written} - INTERVAL '5' SECOND"),
                related=[query.place(what)],
            )


def _is_brought(table: ElementView, column: str) -> bool:
    """Whether a column is one that the records hold."""
    return any(
        one.text("name") == column and one.has("type") and not one.has("metadata") for one in table.items("columns")
    )


_TABLE = "CREATE TABLE s (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS %s) WITH ('connector' = '%s', 'topic' = 's');\n"
_SUM = (
    "INSERT INTO r SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), SUM(v) FROM s GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ("ts", "kafka") + _SUM,
            file="job.sql",
            at="ts",
            flink="1.18",
            severity=Severity.WARNING,
            says="the watermark of s is ts itself",
            fixed=_TABLE % ("ts - INTERVAL '5' SECOND", "kafka") + _SUM,
        ),
        bad(
            _TABLE % ("`ts`", "datagen") + "INSERT INTO r SELECT window_start, SUM(v) FROM TABLE(\n"
            "TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;\n",
            file="job.sql",
            flink="1.15",
            at="`ts`",
        ),
        good(_TABLE % ("ts - INTERVAL '1' SECOND", "kafka") + _SUM, file="job.sql", flink="1.18"),
        good(_TABLE % ("ts", "kafka") + "INSERT INTO r SELECT ts, v FROM s;\n", file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE s (v INT, ts TIMESTAMP(3) METADATA FROM 'timestamp', WATERMARK FOR ts AS ts) "
            "WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "INSERT INTO r SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), SUM(v) FROM s GROUP BY TUMBLE(ts, "
            "INTERVAL '1' HOUR);\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (v INT, ts AS LOCALTIMESTAMP, WATERMARK FOR ts AS ts) WITH ('connector' = "
            "'datagen', 'topic' = 's');\n"
            "INSERT INTO r SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), SUM(v) FROM s GROUP BY TUMBLE(ts, "
            "INTERVAL '1' HOUR);\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_TABLE % ("ts", "filesystem") + _SUM, file="job.sql", flink="1.18"),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _TABLE % ("ts", "kafka") + _SUM, file="job.sql", flink="1.18"
        ),
        bad(
            "CREATE TABLE f (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
            "'filesystem', 'topic' = 's');\n"
            "CREATE TABLE m (v INT, ts TIMESTAMP(3) METADATA FROM 'timestamp', WATERMARK FOR ts AS ts) "
            "WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE s (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
            "'kafka', 'topic' = 's');\n"
            "INSERT INTO r SELECT v, ts FROM s;\n"
            "INSERT INTO r SELECT s.v FROM f JOIN m\n"
            "ON f.v = m.v AND m.ts BETWEEN f.ts - INTERVAL '1' HOUR AND f.ts JOIN s\n"
            "ON f.v = s.v AND s.ts BETWEEN f.ts - INTERVAL '1' HOUR AND f.ts;\n",
            file="job.sql",
            flink="1.18",
            says="the watermark of s is ts itself",
        ),
        bad(
            "CREATE TABLE s (v INT, `at time` TIMESTAMP(3), WATERMARK FOR `at time` AS `at time`) WITH "
            "('connector' = 'kafka', 'topic' = 's');\n"
            "INSERT INTO r SELECT TUMBLE_START(`at time`, INTERVAL '1' HOUR), SUM(v) FROM s GROUP BY "
            "TUMBLE(`at time`, INTERVAL '1' HOUR);\n",
            file="job.sql",
            flink="1.18",
            says="is at time itself",
            fixed="CREATE TABLE s (v INT, `at time` TIMESTAMP(3), WATERMARK FOR `at time` AS `at time` - INTERVAL '5' "
            "SECOND) WITH "
            "('connector' = 'kafka', 'topic' = 's');\n"
            "INSERT INTO r SELECT TUMBLE_START(`at time`, INTERVAL '1' HOUR), SUM(v) FROM s GROUP BY "
            "TUMBLE(`at time`, INTERVAL '1' HOUR);\n",
        ),
        bad(
            _TABLE % ("ts", "kafka")
            + _SUM
            + "INSERT INTO q SELECT v, SUM(v) OVER (PARTITION BY v ORDER BY ts) FROM s;\n",
            file="job.sql",
            flink="1.18",
            times=1,
        ),
    ]

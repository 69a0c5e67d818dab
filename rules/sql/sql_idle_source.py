"""One idle partition stops every window of a query.

## What it does
Reports, in a SQL script, a query with windows, an interval join, a temporal join, MATCH_RECOGNIZE or an OVER
aggregation over a table of Kafka, Kinesis or Pulsar with a watermark, while neither `table.exec.source.idle-timeout`
nor the table's own `scan.watermark.idle-timeout` (1.18 and later) is above 0.

## Why it matters
The watermark of a source is the smallest of its partitions. A partition without records, or a reader that has none
because there are more readers than partitions, holds it where it is: windows stay open and no result comes, without
an error.

## What to do
Set `table.exec.source.idle-timeout`, to 30 s for example, or `scan.watermark.idle-timeout` in the table's options.

## Not when
Every partition always has records. The settings may also stand in the cluster's configuration, which a script does
not show; hence advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-source-idle-timeout>: off by
  default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#source-per-partition-watermarks>:
  idle partitions of Kafka
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import (
    duration_in_force,
    is_streaming,
    may_be_set_elsewhere,
    queries,
    readings,
    unset,
)

_TIMEOUT = "table.exec.source.idle-timeout"
_OF_TABLE = "scan.watermark.idle-timeout"
_PARTITIONED = ("kafka", "upsert-kafka", "kinesis", "kinesis-legacy", "pulsar")
_BY_TIME = ("window", "window-join", "interval-join", "temporal-join", "match-recognize", "over")


@rule(
    code="FLK906",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_idle_source(config: View) -> Iterator[Finding]:
    """one idle partition stops every window of a query"""
    told = set()
    for query in queries(config):
        what = next((name for name in _BY_TIME if query.has(name)), None)
        if what is None or not is_streaming(config, query):
            continue
        timeout = duration_in_force(config, query, _TIMEOUT)
        if timeout is None or timeout > 0:
            continue
        for reading in readings(config, query):
            table = reading.table
            if table is None or reading.connector not in _PARTITIONED or not table.has("watermark"):
                continue
            if reading.has(_OF_TABLE) or table.span() in told or table.has("like"):
                continue
            told.add(table.span())
            is_open = may_be_set_elsewhere(config, query, _TIMEOUT)
            why = unset(config, _TIMEOUT) if is_open else f"{_TIMEOUT} is 0"
            yield table.finding(
                f"a partition of {reading.name} ({reading.connector}) without records holds back its watermark on"
                f" {table.text('watermark')}, and no {what.replace('-', ' ')} gives a result, as {why}",
                of="watermark",
                help=f"set {_TIMEOUT} to '30 s'" + (f", or {_OF_TABLE} in its options" if config.since("1.18") else ""),
                related=[query.place(what)],
            )


_BIDS = (
    "CREATE TABLE bids (p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)\n"
    "WITH ('connector' = 'kafka', 'topic' = 'b'%s);\n"
)
_SUM = (
    "INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '1' MINUTE))\n"
    "GROUP BY window_start, window_end;\n"
)


def cases() -> list[Case]:
    return [
        bad(_BIDS % "" + _SUM, file="job.sql", at="ts", flink="1.18", severity=Severity.INFO,
            says="holds back its watermark on ts, and no window gives a result"),
        bad("SET 'table.exec.source.idle-timeout' = '0 ms';\n" + _BIDS % ""
            + "INSERT INTO r SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), SUM(p) FROM bids\n"
            "GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);\n", file="job.sql", at="ts", flink="1.14"),
        good("SET 'table.exec.source.idle-timeout' = '30 s';\n" + _BIDS % "" + _SUM, file="job.sql", flink="1.18"),
        good(_BIDS % ", 'scan.watermark.idle-timeout' = '1 min'" + _SUM, file="job.sql", flink="1.18"),
        good(_BIDS % "" + "INSERT INTO r SELECT ts, p FROM bids;\n", file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _BIDS % "" + _SUM, file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE bids (p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)\n"
            "WITH ('connector' = 'filesystem', 'topic' = 'b');\n"
            "INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), "
            "INTERVAL '1' MINUTE))\n"
            "GROUP BY window_start, window_end;\n",
            file="job.sql",
            flink="1.18",
        ),
        good("SET 'table.exec.source.idle-timeout' = '1 ms';\n" + _BIDS % "" + _SUM, file="job.sql", flink="1.18"),
        good("SET 'table.exec.source.idle-timeout' = '${IDLE}';\n" + _BIDS % "" + _SUM, file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE bids (p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)\n"
            "WITH ('connector' = 'kafka', 'topic' = 'b') LIKE base;\n"
            "INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), "
            "INTERVAL '1' MINUTE))\n"
            "GROUP BY window_start, window_end;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_SUM, file="job.sql", flink="1.18"),
        *cases_in_folders(__file__),
    ]  # fmt: skip

"""A window is called in GROUP BY, the way that Flink has deprecated.

## What it does
Reports, as advice, a streaming query with `TUMBLE(...)` or `HOP(...)` in GROUP BY, from 1.13 on; with `SESSION(...)`
from 1.19 on.

## Why it matters
Windows that are tables (`FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), ...))`) took their place. Only those are reckoned
in two phases, with a part of the aggregation before the shuffle, keep DISTINCT apart where keys are skewed, and know
grouping sets, window joins and Top-N. The old ones are deprecated, and get no improvements.

## What to do
Write the window as a table and group by `window_start, window_end`. The state of the two is not the same: a job that
runs on cannot take it over, so change it where the query starts anew anyway.

## Not when
- The table holds changes of rows (CDC formats, `upsert-kafka`) and the release is older than 1.19: the new windows
  refuse changes there. So it may be with a table that another file declares.
- `table.exec.emit.early-fire.enabled` or `table.exec.emit.late-fire.enabled` is set, which the new windows do not heed.
- In batch mode.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/window-agg/#group-window-aggregation>:
  deprecated, and what the other windows have
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-392:+Deprecate+the+Legacy+Group+Window+Aggregation>: what the
  new windows could not do yet
- <https://issues.apache.org/jira/browse/FLINK-34301> and <https://issues.apache.org/jira/browse/FLINK-34313>: changes
  of rows and sessions, from 1.19 on
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, readings

_EMITS = ("table.exec.emit.early-fire.enabled", "table.exec.emit.late-fire.enabled")


@rule(
    code="FLK918",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.13",
    since="0.1",
)
def sql_group_window(config: View) -> Iterator[Finding]:
    """a window is called in GROUP BY, the way that Flink has deprecated"""
    if any(config.is_set(key) for key in _EMITS):
        return
    for query in queries(config):
        window = query.text("group-window")
        if window not in ("TUMBLE", "HOP", "SESSION") or not is_streaming(config, query):
            continue
        if not config.since("1.19") and (
            window == "SESSION" or any(one.table is None or one.is_changelog for one in readings(config, query))
        ):
            continue
        yield query.finding(
            f"{window} in GROUP BY is deprecated, and all of its rows are aggregated behind the shuffle alone",
            of="group-window",
            help=f"write FROM TABLE({window}(TABLE ..., DESCRIPTOR(...), ...)) GROUP BY window_start, window_end",
        )


_TABLE = (
    "CREATE TABLE s (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka',"
    " 'topic' = 's', 'format' = '%s');\n"
)
_JSON = _TABLE % "json"
_CDC = _TABLE % "debezium-json"
_OTHER = "CREATE TABLE r (v INT) WITH ('connector' = 'print');\n"
_SUM = "INSERT INTO r SELECT SUM(v) FROM s GROUP BY %s;\n"
_TUMBLE = _SUM % "TUMBLE(ts, INTERVAL '1' HOUR)"
_SESSION = _SUM % "SESSION(ts, INTERVAL '1' HOUR)"


def cases() -> list[Case]:
    return [
        bad(_JSON + _TUMBLE, file="job.sql", flink="1.13", severity=Severity.INFO, at="ts", says="TUMBLE in GROUP BY"),
        bad(_JSON + _SUM % "v, hop(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR)", file="job.sql", flink="1.18",
            says="HOP in GROUP BY"),
        bad(_JSON + _SESSION, file="job.sql", flink="1.19", says="SESSION in GROUP BY"),
        bad(_CDC + _TUMBLE, file="job.sql", flink="1.19"),
        bad(_OTHER + _TUMBLE, file="job.sql", flink="1.20"),
        bad("CREATE VIEW h AS SELECT SUM(v) AS v FROM s GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);\n" + _JSON
            + "INSERT INTO r SELECT v FROM h;\nINSERT INTO q SELECT v FROM h;\n", file="job.sql", flink="1.20"),
        good(_JSON + "INSERT INTO r SELECT SUM(v) FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
             " GROUP BY window_start, window_end;\n", file="job.sql", flink="1.18"),
        good(_JSON + _TUMBLE, file="job.sql", flink="1.12"),
        good(_JSON + _SESSION, file="job.sql", flink="1.18"),
        good(_CDC + _TUMBLE, file="job.sql", flink="1.18"),
        good(_OTHER + _TUMBLE, file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _JSON + _TUMBLE, file="job.sql", flink="1.18"),
        good("SET 'table.exec.emit.early-fire.enabled' = 'true';\n" + _JSON + _TUMBLE, file="job.sql", flink="1.18"),
        good("SET 'table.exec.emit.late-fire.enabled' = 'true';\n" + _JSON + _TUMBLE, file="job.sql", flink="1.18"),
        good(_JSON + "INSERT INTO r SELECT SUM(v) FROM s GROUP BY v;\n", file="job.sql", flink="1.18"),
        bad(_JSON + "INSERT INTO r SELECT v FROM s;\n" + _SESSION + _TUMBLE, file="job.sql", flink="1.18",
            says="TUMBLE in GROUP BY"),
    ]  # fmt: skip

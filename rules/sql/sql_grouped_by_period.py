"""A query groups by a formatted time, which no watermark ends.

## What it does
Looks for streaming queries with `GROUP BY DATE_FORMAT(ts, 'yyyy-MM-dd')` or `FLOOR(ts TO HOUR)` of a time that has a
watermark, or is a processing time, without a window, where nothing sets `table.exec.state.ttl`.

## Why it matters
The watermark has no effect: the groups of past days stay in state for ever, the state grows by each day's keys until
checkpoints time out, and each row changes a result that is already written (`+U`), so that only sinks with a key take
it. To the planner the formatted time is text like any other; it does not know that a day ends.

## What to do
Group by a window: `FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start,
window_end`, with `CUMULATE` where interim results are wanted. Or set `table.exec.state.ttl` to more than the period,
such as `36 h`.

## Not when
The option is set, in the script or in what is known of the cluster, or the mode is batch.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/window-tvf/>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-state-ttl>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import TTL, duration_in_force, is_streaming, queries, readings


@rule(
    code="FLK173",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.13",
    since="0.1",
)
def sql_grouped_by_period(config: View) -> Iterator[Finding]:
    """a query groups by a formatted time, which no watermark ends"""
    for query in queries(config):
        column = query.text("group-period")
        if column is None or query.has("window") or not is_streaming(config, query):
            continue
        ttl = duration_in_force(config, query, TTL)
        if ttl is None or ttl > 0 or any(hint.text("name") == "STATE_TTL" for hint in query.items("hints")):
            continue
        read = [one for one in readings(config, query) if one.is_endless_log and one.role == "scan"]
        timed = next((one.table for one in read if one.table is not None and _is_time(one.table, column)), None)
        if timed is None:
            continue
        yield query.finding(
            f"a group of the formatted {column} never ends for Flink: the watermark of {timed.name} has no effect, and"
            " all past periods stay in state for ever",
            of="group-period",
            help=f"group by a window, TABLE(TUMBLE(TABLE {timed.name}, DESCRIPTOR({column}), INTERVAL ...)), or set"
            f" {TTL} to more than the period",
            related=[timed.place("watermark", "the watermark")] if timed.has("watermark") else (),
        )


def _is_time(table: ElementView, column: str) -> bool:
    """Return whether a column of a table is its event time, or a processing time."""
    if table.text("watermark") == column:
        return True
    return any(
        one.text("name") == column and (one.text("expression") or "").upper().replace(" ", "") == "PROCTIME()"
        for one in table.items("columns")
    )


_ORDERS = (
    "CREATE TABLE o (shop INT, n INT, ts TIMESTAMP(3), d TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts)"
    " WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json', 'properties.bootstrap.servers' = 'k:9092',"
    " 'scan.startup.mode' = 'earliest-offset');\n"
    "CREATE TABLE s (shop INT, d STRING, n INT) WITH ('connector' = 'print');\n"
)
_DAYS = "INSERT INTO s SELECT shop, CAST(%s AS STRING), SUM(n) FROM o GROUP BY shop, %s;\n"
_DAY = "DATE_FORMAT(ts, 'yyyy-MM-dd')"
_WINDOW = (
    "INSERT INTO s SELECT shop, CAST(window_start AS STRING), SUM(n) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts),"
    " INTERVAL '1' DAY)) GROUP BY shop, window_start, window_end;\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _ORDERS + _DAYS % (_DAY, _DAY), file="job.sql", flink="1.20", severity=Severity.WARNING,
            says="the formatted ts never ends for Flink: the watermark of o has no effect",
        ),
        bad(_ORDERS + _DAYS % ("FLOOR(p TO HOUR)", "FLOOR(p TO HOUR)"), file="job.sql"),
        good("SET 'table.exec.state.ttl' = '36 h';\n" + _ORDERS + _DAYS % (_DAY, _DAY), file="job.sql"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _ORDERS + _DAYS % (_DAY, _DAY), file="job.sql"),
        good(_ORDERS + _WINDOW, file="job.sql"),
        good(_ORDERS + _DAYS % ("FLOOR(d TO DAY)", "FLOOR(d TO DAY)"), file="job.sql"),
        good(_ORDERS + _DAYS % ("DATE_FORMAT(ts, 'HH')", "DATE_FORMAT(ts, 'HH')"), file="job.sql"),
        good(_ORDERS + _DAYS % ("n", "n"), file="job.sql"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses("SQL plan", _ORDERS + _DAYS % (_DAY, _DAY), "GroupAggregate(", good=_ORDERS + _WINDOW,
                   releases=">=1.13"),
    ]  # fmt: skip

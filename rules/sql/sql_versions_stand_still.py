"""A temporal join waits for a table of versions that changes too seldom.

## What it does
Looks for joins `FOR SYSTEM_TIME AS OF` a time attribute whose right side is a table of changes (CDC, `upsert-kafka`, a
changelog format) with its watermark on a column of the rows, while `table.exec.source.idle-timeout` is 0.

## Why it matters
The join yields nothing, or each result hours late, though the main stream flows. It waits until the watermarks of both
sides have passed the time of a row. The right side's watermark only moves when a row of it changes; a product
or customer table changes once a day, or never after its snapshot, and holds back every result until then. The rows
wait in state, which grows meanwhile.

## What to do
Set `table.exec.source.idle-timeout`, such as `30 s`: a side without rows is then left out. Or join by processing
time, as a lookup join, which waits for nothing.

## Not when
The timeout is set, or the watermark does not follow a column of the rows (it is computed by CURRENT_TIMESTAMP, say).

## Sources
- <https://github.com/apache/flink-cdc/issues/966>: the join that yields nothing
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/joins/#event-time-temporal-join>:
  both watermarks drive the join"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
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


@rule(
    code="FLK155",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_versions_stand_still(config: View) -> Iterator[Finding]:
    """a temporal join waits for a table of versions that changes too seldom"""
    told = set()
    for query in queries(config):
        timeout = duration_in_force(config, query, _TIMEOUT)
        if not query.has("temporal-join") or timeout is None or timeout > 0 or not is_streaming(config, query):
            continue
        for one in readings(config, query):
            table = one.table
            if table is None or one.role != "temporal" or not one.is_changelog or not table.has("watermark"):
                continue
            if table.value("watermark-delay") is None or one.has(_OF_TABLE) or table.span() in told:
                continue
            told.add(table.span())
            why = unset(config, _TIMEOUT) if may_be_set_elsewhere(config, query, _TIMEOUT) else f"{_TIMEOUT} is 0"
            yield table.finding(
                f"the watermark of {table.name} moves only when one of its rows changes, and the temporal join"
                " waits for it: no"
                f" results until then, as {why}",
                of="watermark",
                key=_TIMEOUT,
                help=f"set {_TIMEOUT} to '30 s', or join by processing time (a lookup join)",
                related=[query.place("temporal-join")],
            )


_ORDERS = (
    "CREATE TABLE o (p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'o',"
    " 'format' = 'json');\n"
)
_PRODUCTS = (
    "CREATE TABLE p (id INT, at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR at AS %s)\n"
    "WITH ('connector' = '%s');\n"
)
_JOIN = "INSERT INTO d SELECT o.p FROM o LEFT JOIN p FOR SYSTEM_TIME AS OF o.%s AS v ON o.p = v.id;\n"


def cases() -> list[Case]:
    job = _ORDERS + _PRODUCTS % ("at", "mysql-cdc") + _JOIN % "ts"
    return [
        bad(job, file="job.sql", at="at", flink="1.13", severity=Severity.WARNING,
            says="the watermark of p moves only when one of its rows changes"),
        bad(job.replace("mysql-cdc", "upsert-kafka"), file="job.sql", flink="1.18"),
        good("SET 'table.exec.source.idle-timeout' = '30 s';\n" + job, file="job.sql", flink="1.13"),
        good(job.replace("mysql-cdc", "kafka"), file="job.sql", flink="1.18"),
        good(job.replace("AS at)", "AS CURRENT_TIMESTAMP)"), file="job.sql", flink="1.18"),
        good(_ORDERS.replace("p INT,", "p INT, proc AS PROCTIME(),") + _PRODUCTS % ("at", "mysql-cdc") + _JOIN % "proc",
             file="job.sql", flink="1.18"),
    ]  # fmt: skip

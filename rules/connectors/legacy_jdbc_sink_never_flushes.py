"""Rows for a database wait until 5,000 of them have come.

## What it does
Looks for JDBC tables with the options of the time before Flink 1.11 (`'connector.type' = 'jdbc'`) that a query writes
and that have no `connector.write.flush.interval`.

## Why it matters
A stream of few rows never shows up in the database. The sink collects 5,000 rows, the default of
`connector.write.flush.max-rows`, and these options have no time after which it writes what it has: that comes to 1 s
with the options of 1.11 alone. What remains is the next checkpoint, if there is any.

## What to do
Set `'connector.write.flush.interval' = '2s'`, or declare the table with `'connector' = 'jdbc'` (1.11 and later), which
flushes each second.

## Not when
`connector.write.flush.interval` is set, or `connector.write.flush.max-rows` is 1, or nothing writes the table.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.10/dev/table/connect.html#jdbc-connector>: the two options
  and their defaults"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL
from flink_flint.rules.sql._queries import is_streaming, number, sinks

_TYPE = "with.connector.type"
_EVERY, _ROWS = "with.connector.write.flush.interval", "with.connector.write.flush.max-rows"
_DEFAULT_ROWS = 5_000


@rule(
    code="FLK562",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink="<1.14",
    since="0.1",
)
def legacy_jdbc_sink_never_flushes(config: View) -> Iterator[Finding]:
    """rows for a database wait until 5,000 of them have come"""
    told = set()
    for query, _, table in sinks(config):
        if table.text(_TYPE) != "jdbc" or table.has(_EVERY) or not table.is_known("with") or table.span() in told:
            continue
        rows = number(table.text(_ROWS)) if table.has(_ROWS) else _DEFAULT_ROWS
        if rows is None or rows == 1 or (config.since("1.12") and not is_streaming(config, query)):
            continue
        told.add(table.span())
        waits = "or a checkpoint comes" if config.is_set(INTERVAL) else "as no flush interval is set"
        yield table.finding(
            f"rows for {table.name} wait in memory until {rows:,} have come, {waits}: a quiet stream never reaches the"
            " database",
            of=_ROWS if table.has(_ROWS) else _TYPE,
            key="connector.write.flush.interval",
            help="add 'connector.write.flush.interval' = '2s'",
        )


_TABLE = (
    "CREATE TABLE d (n BIGINT) WITH ('connector.type' = 'jdbc', 'connector.url' = 'jdbc:mysql://db/x'%s);\n"
    "INSERT INTO d SELECT COUNT(*) FROM s;\n"
)


def cases() -> list[Case]:
    rows = ", 'connector.write.flush.max-rows' = '%s'"
    return [
        bad(_TABLE % "", file="job.sql", at="'jdbc'", flink="1.10", severity=Severity.WARNING, says="until 5,000 have"),
        bad(_TABLE % rows % 200, file="job.sql", at="'200'", flink="1.12", says="until 200 have come"),
        good(_TABLE % rows % 1, file="job.sql", flink="1.10"),
        good(_TABLE % ", 'connector.write.flush.interval' = '1s'", file="job.sql", flink="1.10"),
        good(_TABLE.partition("INSERT")[0] % "", file="job.sql", flink="1.10"),
        good(_TABLE.replace("connector.", "").replace("'type'", "'connector'") % "", file="job.sql", flink="1.11"),
    ]

"""Rows for a database wait for the next checkpoint.

## What it does
Reports JDBC tables of a SQL script with `sink.buffer-flush.interval` of 0: with `sink.buffer-flush.max-rows` of 0 as
well, rows are written at checkpoints alone; else when that many have come, or at a checkpoint.

## Why it matters
The interval of 1 s, the default, is what writes the rows of a quiet stream. Without it they stay in memory until the
number is reached or a checkpoint comes: minutes late, for ever where there are no checkpoints, and with both at 0 all
rows between two checkpoints are on the heap at once.

## What to do
Leave the interval at its default of 1 s, or set it as late as rows may come.

## Not when
`sink.buffer-flush.max-rows` is 1: each row is written as it comes.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#sink-buffer-flush-interval>:
  0 switches it off
- <https://github.com/apache/flink-connector-jdbc/blob/main/flink-connector-jdbc-core/src/main/java/org/apache/flink/connector/jdbc/internal/JdbcOutputFormat.java>:
  a batch size of 0 is no limit
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import milliseconds, number, tables

_INTERVAL = "with.sink.buffer-flush.interval"
_ROWS = "with.sink.buffer-flush.max-rows"
_DEFAULT_ROWS = 100


@rule(
    code="FLK852",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
)
def jdbc_sink_never_flushes(config: View) -> Iterator[Finding]:
    """rows for a database wait for the next checkpoint"""
    for table in tables(config, "jdbc"):
        rows = number(table.text(_ROWS)) if table.has(_ROWS) else _DEFAULT_ROWS
        if milliseconds(config, table.text(_INTERVAL)) != 0 or rows is None or rows == 1:
            continue
        waits = f"until {rows} have come or a checkpoint does" if rows > 0 else "until a checkpoint comes"
        yield table.finding(
            f"rows for {table.name} wait in memory {waits}: the flush interval is off",
            of=_INTERVAL,
            help="write '1s', the default, or as late as rows may come",
            fix=table.replace(_INTERVAL, "1s"),
            severity=None if rows <= 0 else Severity.INFO,
        )


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = 'x', %s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % "'sink.buffer-flush.max-rows' = '0', 'sink.buffer-flush.interval' = '0'",
            file="job.sql",
            at="'0'",
            flink="1.18",
            severity=Severity.WARNING,
            says="rows for d wait in memory until a checkpoint comes",
            fixed=_TABLE % "'sink.buffer-flush.max-rows' = '0', 'sink.buffer-flush.interval' = '1s'",
        ),
        bad(
            _TABLE % "'sink.buffer-flush.interval' = '0s'",
            file="job.sql",
            at="'0s'",
            flink="1.15",
            severity=Severity.INFO,
            says="until 100 have come or a checkpoint does",
        ),
        good(
            _TABLE % "'sink.buffer-flush.max-rows' = '0', 'sink.buffer-flush.interval' = '2s'",
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % "'sink.buffer-flush.max-rows' = '1', 'sink.buffer-flush.interval' = '0'",
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % "'sink.buffer-flush.max-rows' = '${ROWS}', 'sink.buffer-flush.interval' = '0'",
            file="job.sql",
            flink="1.18",
        ),
        good(_TABLE % "'sink.buffer-flush.max-rows' = '0'", file="job.sql", flink="1.18"),
        bad(
            _TABLE % "'sink.buffer-flush.max-rows' = '2', 'sink.buffer-flush.interval' = '1s'"
            + (_TABLE % "'sink.buffer-flush.max-rows' = '${ROWS}', 'sink.buffer-flush.interval' = '0'")
            + (_TABLE % "'sink.buffer-flush.max-rows' = '2', 'sink.buffer-flush.interval' = '0'"),
            file="job.sql",
            at="'0'",
            flink="1.11",
            severity=Severity.INFO,
        ),
        good(_TABLE % "'sink.buffer-flush.interval' = '0'", file="job.sql", flink="1.10"),
        good(_TABLE % "'sink.buffer-flush.interval' = 'never'", file="job.sql", flink="1.18"),
        good(_TABLE % "'sink.buffer-flush.interval' = '1 ms'", file="job.sql", flink="1.18"),
    ]


_CLAIMED = (
    "SET 'execution.checkpointing.interval' = '1 min';\n"
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE d (id INT) WITH (%s);\nINSERT INTO d SELECT id FROM s;\n"
)


def claims() -> list[Claim]:
    given = "'connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x', 'table-name' = 'd'"
    return [
        flink_uses(
            "SQL job",
            _CLAIMED % f"{given}, 'sink.buffer-flush.interval' = '0'",
            "batchIntervalMs=0",
            good=_CLAIMED % given,
            releases=">=1.13,<1.20",  # later the dialects are jars of their own
        ),
    ]

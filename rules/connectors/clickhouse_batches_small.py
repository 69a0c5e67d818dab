"""A sink inserts into ClickHouse in batches of a few rows.

## What it does
Looks for tables of the connector `clickhouse` with a `sink.batch-size` of at most 100.

## Why it matters
ClickHouse writes a part to disk for each insert, and merges parts later. Inserts of a few rows, many a second, make
parts faster than they are merged: CPU and disk are busy with merges, and at last inserts fail with `Too many parts`.

## What to do
Insert thousands of rows at once: `'sink.batch-size' = '10000'` with a `sink.flush-interval` of some seconds.

## Not when
The size is larger, the default (1000), or not known.

## Sources
- <https://clickhouse.com/docs/optimize/bulk-inserts>: at least 1000 rows an insert
- <https://github.com/itinycheng/flink-connector-clickhouse>: the options of the connector
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import number, tables

_SIZE = "sink.batch-size"
_SMALL = 100


@rule(
    code="FLK579",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def clickhouse_batches_small(config: View) -> Iterator[Finding]:
    """a sink inserts into ClickHouse in batches of a few rows"""
    for table in tables(config, "clickhouse"):
        size = number(table.text(f"with.{_SIZE}"))
        if size is None or size > _SMALL:
            continue
        yield table.finding(
            f"each insert of {max(size, 1)} row{'s' if size > 1 else ''} makes a part in {table.name}: merging uses"
            " ClickHouse up, until it refuses inserts (too many parts)",
            of=f"with.{_SIZE}",
            help=f"set '{_SIZE}' = '10000' and 'sink.flush-interval' = '5s'",
        )


_TABLE = "CREATE TABLE h (id INT) WITH ('connector' = 'clickhouse', 'url' = 'clickhouse://ch:8123'%s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ", 'sink.batch-size' = '1'", file="job.sql", at="'1'", severity=Severity.WARNING,
            says="each insert of 1 row makes a part",
        ),
        bad(_TABLE % ", 'sink.batch-size' = '50'", file="job.sql"),
        good(_TABLE % ", 'sink.batch-size' = '5000'", file="job.sql"),
        good(_TABLE % "", file="job.sql"),
    ]  # fmt: skip

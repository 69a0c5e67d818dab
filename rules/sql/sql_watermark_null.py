"""A condition on CURRENT_WATERMARK forgets that there is no watermark at first.

## What it does
Looks for conditions that compare a time with `CURRENT_WATERMARK(...)`: those that keep rows above it without
`CURRENT_WATERMARK(...) IS NULL OR`, and those with `IS NOT NULL OR`.

## Why it matters
Before the first watermark, `CURRENT_WATERMARK` is NULL, and each comparison with NULL is unknown, so that WHERE drops
the row: the first rows of each subtask are lost in silence. With `IS NOT NULL OR ...` it is the wrong way round: as
soon as there is a watermark the condition always holds, the late rows that it was to remove stay, and the rows before
the first watermark go.

## What to do
Rows that are on time: `WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)`. Late rows:
`WHERE CURRENT_WATERMARK(ts) IS NOT NULL AND ts <= CURRENT_WATERMARK(ts)`.

## Not when
The condition keeps the rows below the watermark: while there is none, no row is late.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/functions/systemfunctions/#temporal-functions>:
  NULL while no watermark has come, and the condition to write
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries

_FILTER = "watermark-filter"


@rule(
    code="FLK153",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.14",
    since="0.1",
)
def sql_watermark_null(config: View) -> Iterator[Finding]:
    """a condition on CURRENT_WATERMARK forgets that there is none at first"""
    told = set()
    for query in queries(config):
        how, span = query.text(_FILTER), query.span(_FILTER)
        if how is None or span in told or not is_streaming(config, query):
            continue
        told.add(span)
        if how == "without null":
            message = (
                "CURRENT_WATERMARK is NULL until the first watermark comes, and the comparison then drops every"
                " row, though"
                " none is late"
            )
        else:
            message = (
                "CURRENT_WATERMARK … IS NOT NULL OR … keeps every row once there is a watermark, late ones too,"
                " and compares"
                " with NULL before"
            )
        found = query.finding(
            message,
            of=_FILTER,
            help="write CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts) to drop late rows",
        )
        found.anywhere = True
        yield found


_TABLE = (
    "CREATE TABLE s (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '15' SECOND)\n"
    "WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
)
_WHERE = "INSERT INTO d SELECT id FROM s WHERE %s;\n"


def claims() -> list[Claim]:
    table = (
        "CREATE TABLE s (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '15' SECOND)\n"
        "WITH ('connector' = 'datagen', 'number-of-rows' = '1', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1',"
        " 'fields.id.end' = '1');\n"
    )
    query = "SELECT id FROM s WHERE %s;\n"
    return [
        flink_uses(
            "SQL run",
            table + query % "ts > CURRENT_WATERMARK(ts)",
            "[]",
            good=table + query % "CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)",
            releases=">=1.17",
        ),
    ]


def cases() -> list[Case]:
    def script(condition: str) -> str:
        return _TABLE + _WHERE % condition

    return [
        bad(script("CURRENT_WATERMARK(ts) IS NOT NULL OR ts < CURRENT_WATERMARK(ts)"), file="job.sql", flink="1.14",
            severity=Severity.WARNING, says="keeps every row once there is a watermark"),
        bad(script("id > 3 AND ts > CURRENT_WATERMARK(ts)"), file="job.sql", flink="1.18", says="drops every row"),
        bad(_TABLE + "CREATE VIEW v AS SELECT * FROM s WHERE CURRENT_WATERMARK(ts) < ts;\n"
            "INSERT INTO d SELECT id FROM v;\nINSERT INTO e SELECT id FROM v;\n",
            file="job.sql", flink="1.18", says="drops every row"),
        good(script("CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)"), file="job.sql", flink="1.18"),
        good(script("CURRENT_WATERMARK(ts) IS NOT NULL AND ts <= CURRENT_WATERMARK(ts)"), file="job.sql", flink="1.18"),
        good(script("ts <= CURRENT_WATERMARK(ts)"), file="job.sql", flink="1.18"),
        good(script("id IS NOT NULL OR ts <= CURRENT_WATERMARK(ts)"), file="job.sql", flink="1.18"),
    ]  # fmt: skip

"""A streaming INSERT joins the table that it writes.

## What it does
Looks for INSERTs in streaming mode whose query reads the target itself: by an outer join, a join or a subquery, such
as "insert what is newer than what is there".

## Why it matters
Rows of the target disappear. A stream has no "before": an outer join first passes on each row as unmatched (`+I` with
NULL), and as soon as the other side brings the row that was there all the time, it takes that back (`-D`) and the
sink deletes by primary key what it had. And what the job writes comes back into the join, which changes its result
again.

## What to do
Run the merge in batch mode: `SET 'execution.runtime-mode' = 'batch'`. To keep the newest row of a key, deduplicate with
ROW_NUMBER, or leave it to the table (a merge engine, `sequence.field`, upsert).

## Not when
Batch mode; `FOR SYSTEM_TIME AS OF`, which looks up and takes nothing back; a plain query that reads the target alone,
in the manner of a rewrite.

## Sources
- <https://github.com/apache/iceberg/issues/5032>: the rows that disappear
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/joins/#regular-joins>: what a join of
  streams yields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, readings, target


@rule(
    code="FLK154",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    since="0.1",
)
def sql_target_joined(config: View) -> Iterator[Finding]:
    """a streaming INSERT joins the table that it writes"""
    for query in queries(config):
        sink = target(config, query)
        if sink is None or not query.has("regular-join") or not is_streaming(config, query):
            continue
        read = readings(config, query)
        place = next((at for at, one in enumerate(read) if one.name == sink.name and one.role == "scan"), None)
        if place is None or len(read) < 2:
            continue
        outer = query.has("outer-join")
        yield query.finding(
            f"the query joins {sink.name}, which it writes: "
            + (
                "in streaming mode the outer join first emits rows as unmatched, then takes them back, and the"
                " sink deletes them"
                if outer
                else "in streaming mode each row that it writes comes back into the join, without end"
            ),
            of=f"sources[{place}].name",
            help="SET 'execution.runtime-mode' = 'batch' for a merge, or deduplicate with ROW_NUMBER",
            related=[query.place("targets[0].name")],
            severity=None if outer else Severity.INFO,
        )


_TABLES = "".join(
    f"CREATE TABLE {name} (id STRING, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'iceberg');\n"
    for name in ("t", "s")
)
_MERGE = "INSERT INTO t SELECT s.id, s.n FROM s LEFT JOIN %s ON s.id = o.id WHERE o.n IS NULL OR s.n > o.n;\n"


def cases() -> list[Case]:
    return [
        bad(_TABLES + _MERGE % "t AS o", file="job.sql", at="t", flink="1.14", severity=Severity.WARNING,
            says="the query joins t, which it writes: in streaming mode the outer join"),
        bad(_TABLES + "INSERT INTO t SELECT s.id, s.n FROM s WHERE s.id NOT IN (SELECT id FROM t);\n", file="job.sql",
            flink="1.18", says="takes them back"),
        bad(_TABLES + _MERGE.replace("LEFT ", "") % "t AS o", file="job.sql", flink="1.18", severity=Severity.INFO),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _TABLES + _MERGE % "t AS o", file="job.sql", flink="1.14"),
        good(_TABLES + _MERGE % "s AS o", file="job.sql", flink="1.14"),
        good(_TABLES + _MERGE % "t FOR SYSTEM_TIME AS OF s.p AS o", file="job.sql", flink="1.14"),
        good(_TABLES + "INSERT INTO t SELECT id, UPPER(n) FROM t;\n", file="job.sql", flink="1.14"),
    ]  # fmt: skip

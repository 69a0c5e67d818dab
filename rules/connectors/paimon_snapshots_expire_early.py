"""Snapshots of a Paimon table expire before their readers have read them.

## What it does
Looks for Paimon tables (by connector or catalog) whose `snapshot.time-retained` is below ten minutes, and for streaming
queries that begin at a snapshot by its number (`scan.snapshot-id`).

## Why it matters
A streaming reader gets no rows and no error, or fails with `FileNotFoundException: ... snapshot ... may have been
deleted`, `snapshot expires too fast`. A snapshot is deleted with its files once it is older than
`snapshot.time-retained` (one hour by default) and not among the last `snapshot.num-retained.min` (10). A reader that
is stopped, restarts or lags for longer does not find where to go on; one that names a snapshot works as long as that
has not expired, which is an hour after the table was written.

## What to do
Keep snapshots for longer than a reader may lag (`'snapshot.time-retained' = '1 d'`), or give readers a `consumer-id`,
which keeps what they have not read. Begin with `'scan.mode' = 'latest-full'`, or at a tag.

## Not when
The last snapshots, which are kept in any case, reach back far enough at the checkpoint interval of the script; the
query has a `consumer-id`; batch mode, where a number asks for the past and an error is the right answer.

## Sources
- <https://paimon.apache.org/docs/master/maintenance/manage-snapshots/>: what expires when
- <https://paimon.apache.org/docs/master/flink/sql-query/#consumer-id>: what keeps it
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL
from flink_flint.rules.sql._queries import is_streaming, milliseconds, number, queries, readings, tables

_RETAINED, _LAST = "snapshot.time-retained", "snapshot.num-retained.min"
_ID, _CONSUMER = "scan.snapshot-id", "consumer-id"
_SHORT = 10 * 60 * 1000
_DEFAULT_LAST = 10


@rule(
    code="FLK567",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:table", "element:query"],
    since="0.1",
)
def paimon_snapshots_expire_early(config: View) -> Iterator[Finding]:
    """snapshots of a Paimon table expire before their readers have read them"""
    for table in tables(config):
        kept = milliseconds(config, table.text(f"with.{_RETAINED}"))
        if not _is_paimon(table) or kept is None or kept >= _SHORT or _reaches_back(config, table):
            continue
        yield table.finding(
            f"snapshots of {table.name} are deleted after {table.text(f'with.{_RETAINED}')}: a reader that"
            " restarts or lags"
            " for longer, or begins at an older one, finds nothing",
            of=f"with.{_RETAINED}",
            help=f"set '{_RETAINED}' = '1 d', or give readers a {_CONSUMER}",
        )
    for query in queries(config):
        if not is_streaming(config, query):
            continue
        for place, one in enumerate(readings(config, query)):
            if _ID in one.hints and not one.has(_CONSUMER) and one.connector in ("", "paimon"):
                yield query.finding(
                    f"the query begins at snapshot {one.hints[_ID] or '?'} of {one.name}, which expires an hour"
                    " after it was"
                    " written by default: then a restart hangs without rows",
                    of=f"sources[{place}].options.{_ID}",
                    help="begin with 'scan.mode' = 'latest-full', or at a tag by 'scan.tag-name'",
                )


def _is_paimon(table: ElementView) -> bool:
    kind = table.text("connector") or table.text("catalog-type") or "paimon"
    return kind.startswith("paimon")  # no other connector has the option


def _reaches_back(config: View, table: ElementView) -> bool:
    """Return whether the last snapshots, which are always kept, cover enough time."""
    last = number(table.text(f"with.{_LAST}")) if table.has(f"with.{_LAST}") else _DEFAULT_LAST
    every = config.value(INTERVAL) if config.is_set(INTERVAL) else None
    if last is None or (config.is_set(INTERVAL) and every is None):
        return True
    return isinstance(every, Duration) and last * int(every) // 1_000_000 >= _SHORT


_CATALOG = "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake/');\nUSE CATALOG lake;\n"
_TABLE = "CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED) WITH (%s);\n"
_READ = "SELECT * FROM t /*+ OPTIONS(%s) */;\n"
_FROM = "'scan.mode' = 'from-snapshot-full', 'scan.snapshot-id' = '1'"


def cases() -> list[Case]:
    every = "SET 'execution.checkpointing.interval' = '%s';\n"
    two = "'snapshot.time-retained' = '2min'"
    return [
        bad(
            every % "10s" + _CATALOG + _TABLE % two,
            file="job.sql",
            at="'2min'",
            flink="1.17",
            severity=Severity.WARNING,
            says="snapshots of t are deleted after 2min",
        ),
        bad(
            "SET 'execution.runtime-mode' = 'streaming';\nUSE CATALOG lake;\n" + _READ % _FROM,
            file="read.sql",
            at="'1'",
            flink="1.17",
            says="begins at snapshot 1 of t",
        ),
        good(every % "2min" + _CATALOG + _TABLE % two, file="job.sql", flink="1.17"),
        good(_CATALOG + _TABLE % "'snapshot.time-retained' = '12 h'", file="job.sql", flink="1.17"),
        good(
            every % "10s" + _CATALOG + _TABLE % f"{two}, 'snapshot.num-retained.min' = '1000'",
            file="job.sql",
            flink="1.17",
        ),
        good(_CATALOG + _READ % f"{_FROM}, 'consumer-id' = 'sums'", file="read.sql", flink="1.17"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _CATALOG + _READ % _FROM, file="read.sql", flink="1.17"),
        good(_CATALOG + _READ % "'scan.mode' = 'latest-full'", file="read.sql", flink="1.17"),
    ]

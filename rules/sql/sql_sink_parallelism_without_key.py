"""A sink has a parallelism of its own, gets updates, and has no key to divide them by.

## What it does
Looks for sinks with `sink.parallelism` and without a primary key, into which a query writes updates: it reads a
changelog (CDC, `debezium-json`), or groups or joins without a window.

## Why it matters
Where the parallelism of a sink is set, Flink has to send all changes of a row to one subtask. It does so by the
primary key, and refuses the statement without one: `The sink for table ... has a configured parallelism of 8, while the
input parallelism is -1. Since the configured parallelism is different from the input's parallelism and the changelog
mode is not insert-only, a primary key is required but could not be found`. The input has a parallelism
of its own only where a source with `scan.parallelism` is copied: neither `parallelism.default` nor
`table.exec.resource.default-parallelism` counts.

## What to do
Declare `PRIMARY KEY (...) NOT ENFORCED` on the sink, or delete `sink.parallelism`.

## Not when
The query only appends, or the sink inherits columns (`LIKE`).

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-table/flink-table-planner/src/main/java/org/apache/flink/table/planner/plan/nodes/exec/common/CommonExecSink.java>:
  `applyKeyBy`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import is_streaming, number, readings, sinks

_OPTION = "sink.parallelism"
_UPDATES = ("group-by", "regular-join", "deduplicate", "top-n")


@rule(
    code="FLK149",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.13",
    since="0.1",
)
def sql_sink_parallelism_without_key(config: View) -> Iterator[Finding]:
    """a sink with a parallelism of its own gets updates, and has no key"""
    for query, sink, table in sinks(config):
        wanted = number(sink.option(_OPTION))
        if wanted is None or table.has("primary-key") or not table.has("columns[0]"):
            continue
        if not is_streaming(config, query) or not _yields_updates(config, query):
            continue
        is_copied = not any(query.has(name) for name in _UPDATES)
        yield table.finding(
            f"{table.name} has {_OPTION} {wanted}, gets updates and has no primary key: the planner refuses the"
            " statement (primary key is required but no primary key is found)",
            of=f"with.{_OPTION}" if table.has(f"with.{_OPTION}") else None,
            help=f"declare PRIMARY KEY (…) NOT ENFORCED on {table.name}, or delete {_OPTION}",
            severity=Severity.WARNING if is_copied else None,
            related=[query.place()],
        )


def _yields_updates(config: View, query: ElementView) -> bool:
    """Whether the rows that a query yields are certainly changed later."""
    if query.has("windows-grouped") or query.has("window") or query.has("group-window"):
        return False
    if any(one.is_changelog and one.role == "scan" for one in readings(config, query)):
        return True
    return any(query.has(name) for name in _UPDATES)


_CDC = "CREATE TABLE s (id INT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"
_SINK = "CREATE TABLE d (id INT, n INT%s) WITH ('connector' = 'print'%s);\n"
_LOG = "CREATE TABLE s (id INT, n INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
_COPY = "INSERT INTO d SELECT id, n FROM s;\n"
_SUMS = "INSERT INTO d SELECT id, SUM(n) FROM s GROUP BY id;\n"
_OWN = ", 'sink.parallelism' = '8'"
_KEY = ", PRIMARY KEY (id) NOT ENFORCED"


def cases() -> list[Case]:
    return [
        bad(
            _CDC + _SINK % ("", _OWN) + _COPY, file="job.sql", at="'8'", flink="1.18", severity=Severity.WARNING,
            says="primary key is required",
        ),
        bad(_LOG + _SINK % ("", _OWN) + _SUMS, file="job.sql", flink="1.18", severity=Severity.ERROR),
        good(_CDC + _SINK % (_KEY, _OWN) + _COPY, file="job.sql", flink="1.18"),
        good(_CDC + _SINK % ("", "") + _COPY, file="job.sql", flink="1.18"),
        good(_LOG + _SINK % ("", _OWN) + _COPY, file="job.sql", flink="1.18"),
        bad("SET 'parallelism.default' = '8';\n" + _CDC + _SINK % ("", _OWN) + _COPY, file="job.sql", flink="1.18"),
    ]  # fmt: skip


_NUMBERS = "CREATE TABLE s (id INT, n INT) WITH ('connector' = 'datagen');\n"


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            more + _NUMBERS + _SINK % ("", _OWN) + _SUMS,
            good=more + _NUMBERS + _SINK % (_KEY, _OWN) + _SUMS,
            releases=">=1.13",
        )
        for more in ("", "SET 'table.exec.resource.default-parallelism' = '8';\n")
    ]

"""A load into Doris or StarRocks in two phases has no label prefix of its own.

## What it does
Looks at tables of the connector `doris` with two-phase commit and at tables of `starrocks` with exactly-once, and
reports those without `sink.label-prefix`. It is a warning where a table of Doris has `'sink.enable-2pc' = 'true'`, and
advice otherwise.

## Why it matters
With two-phase commit, Doris' connector makes the label of a load of the prefix, the subtask and the number of the
checkpoint: without a prefix `_0_1`, `_0_2` and so on, in each job. Doris takes a label once for each database. The
second job, or the same one started without its state, fails: `Label [_0_1] has already been used`, or `change you
label prefix or restore from latest savepoint`. StarRocks' connector looks for transactions that a failed job left open
by their prefix; without one they stay until they time out, and count against the limit of the database.

## What to do
Set `sink.label-prefix`, another one for each table and job; start again from the last savepoint, or with another
prefix.

## Not when
Two-phase commit is off, or loads are written in batches (`sink.enable.batch-mode`), whose labels are random.

## Sources
- <https://doris.apache.org/docs/ecosystem/flink-doris-connector>: the prefix must be unique with two-phase commit
- `LabelGenerator` of flink-doris-connector-1.16 1.4.0: prefix and number with two-phase commit, a random one without
- <https://docs.starrocks.io/docs/loading/Flink-connector-starrocks/>: `sink.label-prefix`, and lingering transactions
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import sinks

_PREFIX, _TWO_PHASES = "sink.label-prefix", "sink.enable-2pc"
_BATCHES = ("sink.enable.batch-mode", "sink.write-mode")


@rule(
    code="FLK586",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    since="0.1",
)
def load_without_label_prefix(config: View) -> Iterator[Finding]:
    """a load into Doris or StarRocks in two phases has no label prefix of its own"""
    told = set()
    for _, sink, table in sinks(config):
        if sink.has(_PREFIX) or table.span() in told:
            continue
        if sink.connector == "doris":
            if any(sink.has(name) for name in _BATCHES) or not _is_on(table, sink.has(_TWO_PHASES)):
                continue
            own = table.has(f"with.{_TWO_PHASES}")
            message = (
                f"labels of {table.name} are _0_1, _0_2 as in any job without {_PREFIX}: a second job, or a start"
                " without state, fails (Label has already been used)"
            )
            of, severity = f"with.{_TWO_PHASES}" if own else "connector", None if own else Severity.INFO
        elif sink.connector == "starrocks" and (sink.option("sink.semantic") or "").lower() == "exactly-once":
            message = (
                f"without {_PREFIX}, a start of the job does not find the transactions that the one before left open"
                f" on {table.name}"
            )
            of, severity = "with.sink.semantic", Severity.INFO
        else:
            continue
        told.add(table.span())
        yield table.finding(
            message, of=of, key=_PREFIX, help=f"set '{_PREFIX}', another one for each job", severity=severity
        )


def _is_on(table: ElementView, is_set: bool) -> bool:
    return table.flag(f"with.{_TWO_PHASES}") is True if is_set else True


_TABLE = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE d (id INT) WITH ('connector' = '%s', 'table.identifier' = 'a.b'%s);\n"
    "INSERT INTO d SELECT id FROM s;\n"
)
_ON = ", 'sink.enable-2pc' = 'true'"


def cases() -> list[Case]:
    return [
        bad(_TABLE % ("doris", _ON), file="job.sql", at="'true'", flink="1.16", severity=Severity.WARNING,
            says="has already been used"),
        bad(_TABLE % ("doris", ""), file="job.sql", flink="1.16", severity=Severity.INFO),
        bad(_TABLE % ("starrocks", ", 'sink.semantic' = 'exactly-once'"), file="job.sql", at="'exactly-once'",
            flink="1.16", severity=Severity.INFO, says="left open"),
        good(_TABLE % ("doris", f"{_ON}, 'sink.label-prefix' = 'users'"), file="job.sql", flink="1.16"),
        good(_TABLE % ("doris", ", 'sink.enable-2pc' = 'false'"), file="job.sql", flink="1.16"),
        good(_TABLE % ("doris", ", 'sink.enable-2pc' = '${TWO}'"), file="job.sql", flink="1.16"),
        good(_TABLE % ("doris", f"{_ON}, 'sink.enable.batch-mode' = 'true'"), file="job.sql", flink="1.16"),
        good(_TABLE % ("starrocks", ""), file="job.sql", flink="1.16"),
        good((_TABLE % ("doris", _ON)).partition("INSERT")[0], file="job.sql", flink="1.16"),
    ]  # fmt: skip

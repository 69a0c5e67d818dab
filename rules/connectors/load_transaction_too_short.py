"""A load into StarRocks or Doris times out before the checkpoint commits it.

## What it does
Looks for tables of the connectors `starrocks` (with `sink.semantic` exactly-once) and `doris` (with two-phase commit)
whose load times out, by `sink.properties.timeout` or its default, no later than the next checkpoint comes.

## Why it matters
The job fails and restarts, again and again: `timeout by txn manager`, or `transaction not found`, `[ABORTED]`. A load
is one transaction of the database from one checkpoint to the next; the database aborts it after the timeout, counted
from its begin. StarRocks' connector has 600 s by default, up to 1.2.4 only 120 s.

## What to do
Set `'sink.properties.timeout'` (in seconds) to well above the checkpoint interval and the time that a checkpoint takes,
or take checkpoints more often.

## Not when
The interval is not known, or the load is at least once, which ends its transactions itself.

## Sources
- <https://github.com/StarRocks/starrocks-connector-for-apache-flink/pull/157>: the default of 120 s against intervals
  of minutes
- <https://docs.starrocks.io/docs/loading/Flink-connector-starrocks/>: exactly-once, and the timeout
- <https://doris.apache.org/docs/ecosystem/flink-doris-connector>: two-phase commit, and the stream load's properties
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL
from flink_flint.rules.connectors._releases import STARROCKS, is_before
from flink_flint.rules.sql._queries import Reading, in_force, is_set, is_streaming, number, sinks

_TIMEOUT = "sink.properties.timeout"
_LONGER_SINCE = (1, 2, 5)
_SHORT, _LONG = 120, 600


@rule(
    code="FLK565",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    since="0.1",
)
def load_transaction_too_short(config: View) -> Iterator[Finding]:
    """a load into StarRocks or Doris times out before the checkpoint commits it"""
    told = set()
    for query, sink, table in sinks(config):
        every = in_force(config, query, INTERVAL) if is_set(config, query, INTERVAL) else None
        if not isinstance(every, Duration) or not is_streaming(config, query) or table.span() in told:
            continue
        seconds = _timeout(config, sink)
        if seconds is None or int(every) < seconds * 1_000_000_000:
            continue
        told.add(table.span())
        own = sink.has(_TIMEOUT)
        what = f"{_TIMEOUT} {seconds}" if own else f"the default timeout of {seconds} s"
        yield table.finding(
            f"a load into {table.name} stays open for {int(every) // 1_000_000_000} s, from checkpoint to"
            " checkpoint, and"
            f" {what} aborts it before: timeout by txn manager",
            of=f"with.{_TIMEOUT}" if own else _shown(sink),
            key=_TIMEOUT,
            help=f"set '{_TIMEOUT}' = '{max(_LONG, 2 * int(every) // 1_000_000_000)}', in seconds",
            related=[config.get(INTERVAL)],
        )


def _timeout(config: View, sink: Reading) -> int | None:
    """Return after how many seconds the database aborts a load that waits; None if it may not."""
    if not _waits(sink):
        return None
    if sink.has(_TIMEOUT):
        return number(sink.option(_TIMEOUT))
    if sink.connector != "starrocks":
        return None  # the database's own default, of days
    return _SHORT if is_before(config, STARROCKS, _LONGER_SINCE) else _LONG


def _waits(sink: Reading) -> bool:
    if sink.connector == "starrocks":
        return (sink.option("sink.semantic") or "").lower() == "exactly-once"
    return sink.connector == "doris" and (sink.option("sink.enable-2pc") or "true").lower() == "true"


def _shown(sink: Reading) -> str:
    return "with.sink.semantic" if sink.connector == "starrocks" else "connector"


_TABLE = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
    "CREATE TABLE d (id INT) WITH ('connector' = '%s'%s);\nINSERT INTO d SELECT id FROM s;\n"
)
_ONCE = ", 'sink.semantic' = 'exactly-once'"
_POM = (
    "<project><dependencies><dependency><groupId>com.starrocks</groupId><artifactId>flink-connector-starrocks"
    "</artifactId><version>%s</version></dependency></dependencies></project>\n"
)


def _every(interval: str) -> str:
    return f"SET 'execution.checkpointing.interval' = '{interval}';\n"


def cases() -> list[Case]:
    old, new = {"pom.xml": _POM % "1.2.4_flink-1.14_2.12"}, {"pom.xml": _POM % "1.2.9_flink-1.16"}
    return [
        bad(
            _every("5 min") + _TABLE % ("starrocks", _ONCE),
            file="job.sql",
            at="'exactly-once'",
            flink="1.14",
            beside=old,
            severity=Severity.WARNING,
            says="stays open for 300 s, from checkpoint to checkpoint, and the default timeout of 120 s aborts it",
        ),
        bad(
            _every("15 min") + _TABLE % ("doris", ", 'sink.properties.timeout' = '600'"),
            file="job.sql",
            at="'600'",
            flink="1.17",
            says="sink.properties.timeout 600",
        ),
        bad(_every("10 min") + _TABLE % ("starrocks", _ONCE), file="job.sql", flink="1.16"),
        good(_every("5 min") + _TABLE % ("starrocks", _ONCE), file="job.sql", flink="1.16", beside=new),
        good(_every("1 min") + _TABLE % ("starrocks", _ONCE), file="job.sql", flink="1.14", beside=old),
        good(
            _every("5 min") + _TABLE % ("starrocks", f"{_ONCE}, 'sink.properties.timeout' = '900'"),
            file="job.sql",
            flink="1.14",
            beside=old,
        ),
        good(_every("15 min") + _TABLE % ("starrocks", ""), file="job.sql", flink="1.16"),
        good(_every("15 min") + _TABLE % ("doris", ""), file="job.sql", flink="1.16"),
        good(
            _every("15 min") + _TABLE % ("doris", ", 'sink.enable-2pc' = 'false', 'sink.properties.timeout' = '60'"),
            file="job.sql",
            flink="1.16",
        ),
        good(_TABLE % ("starrocks", _ONCE), file="job.sql", flink="1.14", beside=old),
        good(_every("${EVERY}") + _TABLE % ("starrocks", _ONCE), file="job.sql", flink="1.14", beside=old),
    ]

"""A parallel reader of changes never leaves its snapshot.

## What it does
Looks for readers of Flink CDC that read the snapshot in parallel (MySQL; Oracle, SQL Server, MongoDB, Db2 and
PostgreSQL with the incremental snapshot) with a parallelism above 1, in a job without checkpoints.

## Why it matters
The rows of a table arrive, and then nothing more: no insert, no update, no error. Several subtasks share the snapshot,
and the one that reads the log of changes must not overtake the others. So the reader waits until a checkpoint
is complete after the last chunk, and only then opens the log. Where no checkpoints are taken, it waits for ever. With
parallelism 1 there is nothing to wait for, and the same job works.

## What to do
Set `execution.checkpointing.interval`, such as `30s`.

## Not when
The parallelism is 1, the reader does not begin with a snapshot (`latest-offset` and the other starts), or the
parallelism is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>: how the
  incremental snapshot ends, and that a parallel one wants a checkpoint
- <https://github.com/apache/flink-cdc/blob/master/flink-cdc-connect/flink-cdc-source-connectors/flink-connector-mysql-cdc/src/main/java/org/apache/flink/cdc/connectors/mysql/source/assigners/MySqlSnapshotSplitAssigner.java>:
  it is finished at once with parallelism 1 alone
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, is_managed
from flink_flint.rules.connectors._cdc import WHEN, Reader, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM
from flink_flint.rules.sql._queries import is_overridden, is_streaming, number, parallelism, queries, readings

_IN_PARALLEL = ("mysql-cdc",)
_IF_ASKED = ("postgres-cdc", "sqlserver-cdc", "oracle-cdc", "mongodb-cdc", "db2-cdc")
_INCREMENTAL, _MODE, _PARALLELISM = "scan.incremental.snapshot.enabled", "scan.startup.mode", "parallelism.default"
_OF_BUILDER = ("IncrementalSource", "SourceBuilder")
"""Ends of the names of the classes whose sources share a snapshot, besides those in a package `source`."""


@rule(
    code="FLK557",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=WHEN,
    flink=">=1.11",
    since="0.1",
)
def cdc_snapshot_waits_for_checkpoint(config: View) -> Iterator[Finding]:
    """a parallel reader of changes never leaves its snapshot without checkpoints"""
    if is_managed(config) or config.is_set(INTERVAL) or config.may_be_set_by_program(INTERVAL) or config.is_bounded:
        return
    if not all(job.is_known(f"sets.{INTERVAL}") for job in config.elements("job")):
        return
    for reader in readers(config, *_IN_PARALLEL, *_IF_ASKED):
        subtasks = _subtasks(config, reader)
        if subtasks is None or subtasks < 2 or not _shares_snapshot(reader):
            continue
        if reader.text(_MODE) not in (None, "initial") or (reader.has(_MODE) and reader.text(_MODE) is None):
            continue
        setting = config.get(_PARALLELISM)
        yield reader.finding(
            f"{subtasks} subtasks share the snapshot of {reader.what}, which waits for a checkpoint before it"
            " reads changes;"
            f" {INTERVAL} is not set, so none ever arrives",
            None,
            f"set {INTERVAL}: 30s",
            related=[setting] if setting.is_set else [],
            lacks=INTERVAL,
        )


def _shares_snapshot(reader: Reader) -> bool:
    if not reader.prefix:
        api = reader.text("api") or ""
        return reader.is_whole and (".source." in api or api.endswith(_OF_BUILDER))
    return reader.flag(_INCREMENTAL, default=reader.connector in _IN_PARALLEL) is True


def _subtasks(config: View, reader: Reader) -> int | None:
    """Return the parallelism of a reader; None if it is not known, or the interval is another one."""
    if not reader.prefix:
        own = reader.part.number("parallelism")
        if reader.has("parallelism"):
            return None if own is None else int(own)
        return config.integer(_PARALLELISM) if config.is_set(_PARALLELISM) else None
    for query in queries(config):
        for one in readings(config, query):
            if one.table is None or one.table.span() != reader.part.span():
                continue
            if is_overridden(config, query, INTERVAL) or not is_streaming(config, query):
                return None
            return number(one.option("scan.parallelism")) or parallelism(config, query)[0]
    return None


_TABLE = "CREATE TABLE u (id INT) WITH ('connector' = '%s', 'hostname' = 'db'%s);\nINSERT INTO d SELECT id FROM u;\n"
_TWO = "SET 'parallelism.default' = '2';\n"
_SOURCE = "com.ververica.cdc.connectors.mysql.source.MySqlSource"


def _job(parallelism: int, before: str = "") -> str:
    text = PROGRAM.format(package=_SOURCE, source="MySqlSource", put="", calls="")
    made = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
    return text.replace(made, f"{made} env.setParallelism({parallelism}); {before}")


def cases() -> list[Case]:
    every = "SET 'execution.checkpointing.interval' = '30s';\n"
    return [
        bad(
            _TWO + _TABLE % ("mysql-cdc", ""),
            file="job.sql",
            at="'mysql-cdc'",
            flink="1.17",
            severity=Severity.WARNING,
            says="2 subtasks share the snapshot of u",
        ),
        bad(
            _TABLE % ("mysql-cdc", ""),
            file="job.sql",
            flink="1.17",
            beside={"conf/flink-conf.yaml": "taskmanager.numberOfTaskSlots: 2\nparallelism.default: 2\n"},
            says="2 subtasks",
        ),
        bad(_TWO + _TABLE % ("postgres-cdc", f", '{_INCREMENTAL}' = 'true'"), file="job.sql", flink="1.17"),
        good(_TWO + every + _TABLE % ("mysql-cdc", ""), file="job.sql", flink="1.17"),
        good(_TWO.replace("2", "1") + _TABLE % ("mysql-cdc", ""), file="job.sql", flink="1.17"),
        good(_TABLE % ("mysql-cdc", ""), file="job.sql", flink="1.17"),
        good(_TWO + _TABLE % ("mysql-cdc", f", '{_INCREMENTAL}' = 'false'"), file="job.sql", flink="1.17"),
        good(_TWO + _TABLE % ("mysql-cdc", f", '{_MODE}' = 'latest-offset'"), file="job.sql", flink="1.17"),
        good(_TWO + _TABLE % ("mysql-cdc", f", '{_MODE}' = '${{MODE}}'"), file="job.sql", flink="1.17"),
        good(_TWO + _TABLE % ("postgres-cdc", ""), file="job.sql", flink="1.17"),
        bad(_job(2), file="Job.java", says="2 subtasks share the snapshot of this mysql-cdc source"),
        good(_job(2, "env.enableCheckpointing(30_000);"), file="Job.java"),
        good(_job(2).replace("mysql.source.", "mysql."), file="Job.java"),
        good(_job(2).replace("getExecutionEnvironment()", "getExecutionEnvironment(conf)"), file="Job.java"),
        good(
            _TABLE % ("mysql-cdc", ""),
            file="job.sql",
            flink="1.17",
            beside={"conf/flink-conf.yaml": "execution.checkpointing.interval: 1min\nparallelism.default: 2\n"},
        ),
    ]

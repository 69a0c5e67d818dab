"""The position in a quiet MongoDB collection ages until it can no longer be resumed.

## What it does
Looks for readers of MongoDB by Flink CDC without a heartbeat (`heartbeat.interval.ms`, 0 by default).

## Why it matters
A reader resumes after the last change that it saw. Where the collection changes seldom, that token stays the same
while the oplog moves on, and after a restart or from a savepoint the server answers `ResumeToken not found`, `the
resume point may no longer be in the oplog`. The job then has to start with a new snapshot.

## What to do
Set `'heartbeat.interval.ms' = '30000'`: the reader then moves its position although nothing changes.

## Not when
The heartbeat is set, or the settings of the source are not known.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mongodb-cdc/>: heartbeats
  are recommended for collections that change seldom
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_HEARTBEATS = ("heartbeat.interval.ms", "heartbeat.interval")


@rule(
    code="FLK551",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=WHEN,
    of_scale=True,
    since="0.1",
)
def mongodb_token_ages(config: View) -> Iterator[Finding]:
    """the position in a quiet MongoDB collection ages until it cannot be resumed"""
    for reader in readers(config, "mongodb-cdc"):
        key = next((one for one in _HEARTBEATS if reader.has(one)), None)
        if not reader.is_whole or (key is not None and reader.text(key) != "0"):
            continue
        yield reader.finding(
            f"without a heartbeat the resume token of {reader.what} stands still while nothing changes: once the oplog"
            " has passed it, the job cannot resume (ResumeToken not found)",
            key,
            "set heartbeat.interval.ms to 30000"
            if reader.prefix
            else "call heartbeatIntervalMillis(30000): heartbeat.interval.ms",
        )


_TABLE = "CREATE TABLE s (_id STRING) WITH ('connector' = 'mongodb-cdc', 'hosts' = 'mongo:27017'%s);\n"


def _job(calls: str = "") -> str:
    package = "com.ververica.cdc.connectors.mongodb.source.MongoDBSource"
    return PROGRAM.format(package=package, source="MongoDBSource", put="", calls=calls)


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % "", file="job.sql", at="'mongodb-cdc'", flink="1.17", severity=Severity.WARNING,
            says="ResumeToken not found",
        ),
        bad(_TABLE % ", 'heartbeat.interval.ms' = '0'", file="job.sql", at="'0'"),
        bad(_job(), file="Job.java"),
        good(_TABLE % ", 'heartbeat.interval.ms' = '30000'", file="job.sql", flink="1.17"),
        good(_job(".heartbeatIntervalMillis(5000)"), file="Job.java"),
    ]  # fmt: skip

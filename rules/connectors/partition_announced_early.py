"""A partition of files gets its `_SUCCESS` as soon as its first file is there.

## What it does
Looks for streaming INSERTs into partitioned tables of files or Hive with `success-file` in
`sink.partition-commit.policy.kind`, the trigger `process-time` (the default) and no `sink.partition-commit.delay`.

## Why it matters
Whoever waits for `_SUCCESS` reads a part of the partition, and never the rest. With the delay 0 a partition is
committed at the first checkpoint after its first file, while records of the same hour or day still come. Later files
are committed again, but the job that has started on `_SUCCESS` does not start a second time.

## What to do
Set `'sink.partition-commit.trigger' = 'partition-time'` with a watermark and a delay as long as the partition, such as
`'sink.partition-commit.delay' = '1 h'`. Without a watermark, set the delay alone, longer than the partition lasts.

## Not when
A delay or another trigger is set, the policy is `metastore` alone, the options are not known, or the job runs as a
batch.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#partition-commit-trigger>:
  what the default does
- A job of ten seconds with one partition on Flink 1.20.5: `_SUCCESS` after the second, and at the end with a delay
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, milliseconds, sinks

_POLICY, _TRIGGER = "sink.partition-commit.policy.kind", "sink.partition-commit.trigger"
_DELAY = "sink.partition-commit.delay"


@rule(
    code="FLK872",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.11",
    since="0.1",
)
def partition_announced_early(config: View) -> Iterator[Finding]:
    """a partition of files gets its _SUCCESS with its first file"""
    told = set()
    for query, sink, table in sinks(config):
        if table.span() in told or not table.has("partitioned-by") or not table.is_known("with"):
            continue
        if "success-file" not in (sink.option(_POLICY) or "") or not is_streaming(config, query):
            continue
        trigger = sink.option(_TRIGGER) if sink.has(_TRIGGER) else "process-time"
        if (trigger or "").lower() != "process-time":
            continue
        if sink.has(_DELAY) and milliseconds(config, sink.option(_DELAY)) != 0:
            continue
        told.add(table.span())
        yield table.finding(
            f"a partition of {table.name} gets its _SUCCESS at the first checkpoint after its first file: who waits for"
            " it reads a part",
            of=f"with.{_POLICY}",
            key=_DELAY,
            help=f"set '{_TRIGGER}' = 'partition-time' with a watermark, and '{_DELAY}' = '1 h' (as a partition lasts)",
            related=[query.place()],
        )


_JOB = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE d (id INT, dt STRING) %sWITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'json',\n"
    "  'sink.partition-commit.policy.kind' = '%s'%s);\n"
    "INSERT INTO d SELECT id, DATE_FORMAT(NOW(), 'yyyy-MM-dd') FROM s;\n"
)


def _job(policy: str = "success-file", more: str = "", by: str = "PARTITIONED BY (dt) ") -> str:
    return _JOB % (by, policy, more)


def cases() -> list[Case]:
    trigger = ", 'sink.partition-commit.trigger' = '%s'"
    delay = ", 'sink.partition-commit.delay' = '%s'"
    return [
        bad(_job(), file="job.sql", at="'success-file'", flink="1.18", severity=Severity.WARNING,
            says="gets its _SUCCESS at the first checkpoint"),
        bad(_job("metastore,success-file", trigger % "process-time" + delay % "0 s"), file="job.sql", flink="1.18"),
        good(_job(more=delay % "1 h"), file="job.sql", flink="1.18"),
        good(_job(more=delay % "${DELAY}"), file="job.sql", flink="1.18"),
        good(_job(more=trigger % "partition-time"), file="job.sql", flink="1.18"),
        good(_job(more=trigger % "${TRIGGER}"), file="job.sql", flink="1.18"),
        good(_job("metastore"), file="job.sql", flink="1.18"),
        good(_job(by=""), file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _job(), file="job.sql", flink="1.18"),
    ]  # fmt: skip

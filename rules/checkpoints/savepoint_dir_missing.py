"""Savepoints have no directory to go to.

## What it does
Advice where a whole configuration sends checkpoints to a file system that all machines reach, and
`execution.checkpointing.savepoint-dir` (`state.savepoints.dir` before 1.20) is not set.

## Why it matters
`flink stop`, `flink savepoint` and the REST interface then fail unless they are told a directory each time: `Config
key [state.savepoints.dir] is not set`. Whoever finds out does so while an upgrade or an incident is under way.

## What to do
Set it to a directory beside that of checkpoints, such as `s3://bucket/savepoints`.

## Not when
- The operator or Managed Service for Apache Flink takes savepoints; what the former demands is told by
  `upgrade-mode-without-directory`.
- The file is a part of a configuration, or of a development machine.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#triggering-savepoints>: the directory
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/rest/handler/job/savepoints/SavepointHandlers.java>:
  the refusal
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import DIRECTORY, is_managed, is_remote

_SAVEPOINTS = "execution.checkpointing.savepoint-dir"


@rule(
    code="FLK316",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[DIRECTORY],
    since="0.1",
)
def savepoint_dir_missing(config: View) -> Iterator[Finding]:
    """savepoints have no directory to go to"""
    checkpoints = config.get(DIRECTORY)
    if not config.document.whole or not is_remote(config):
        return
    if config.platform == "operator" or config.target.profile == "development" or is_managed(config):
        return
    if config.is_set(_SAVEPOINTS) or _SAVEPOINTS in config.effective:
        return  # a key that the release does not read is told by the rules on keys
    name = _SAVEPOINTS if config.since("1.20") else "state.savepoints.dir"
    yield checkpoints.finding(
        "checkpoints have a directory and savepoints have none: flink stop and flink savepoint fail unless told one",
        help=f"set {name} to a directory beside it",
        at="entry",
    )


_CHECKPOINTS = f"{DIRECTORY}: s3://bucket/checkpoints\n"


def cases() -> list[Case]:
    return [
        bad(_CHECKPOINTS, at=DIRECTORY, severity=Severity.INFO, says="flink stop"),
        bad("state.checkpoints.dir: hdfs:///checkpoints\n", at=DIRECTORY, flink="1.9"),
        good(f"{_CHECKPOINTS}{_SAVEPOINTS}: s3://bucket/savepoints\n"),
        good(f"state.checkpoints.dir: s3://bucket/c\n{_SAVEPOINTS}: s3://bucket/s\n", flink="1.18"),
        good(f"{_CHECKPOINTS}state.savepoints.dir: s3://bucket/savepoints\n"),
        good("state.checkpoints.dir: hdfs:///c\nsavepoints.state.backend.fs.dir: hdfs:///s\n", flink="1.9"),
        good(_CHECKPOINTS, platform="operator"),
        good(_CHECKPOINTS, platform="msf"),
        good(_CHECKPOINTS, profile="development"),
        good(f"{DIRECTORY}: file:///mnt/checkpoints\n"),
        good(f"{DIRECTORY}: '{{{{ directory }}}}'\n"),
        good(f"SET '{DIRECTORY}' = 's3://bucket/c';\nINSERT INTO a SELECT * FROM b;\n", file="job.sql"),
    ]  # fmt: skip

"""Checkpoints are taken more often than is good for anything.

## What it does
Reports an `execution.checkpointing.interval` below 1 second; as advice one below 10 seconds where each checkpoint is
dear: into an object store, or a full snapshot of RocksDB (`execution.checkpointing.incremental` is off).

## Why it matters
Each checkpoint costs a barrier through all operators, a file or more for each stateful subtask, its metadata in the
JobManager, and a commit of every transactional sink. Several a second keep the JobManager and the file system busy
with nothing else; an object store bills each request and slows those down who send too many. A number without a
unit is milliseconds, so `60` was often meant to be a minute.

## What to do
Take them every 10 seconds or seldomer: a minute is common. Their length is the measure, an interval of twice the
99th percentile keeps the job working half the time.

## Not when
The changelog is on (`state.changelog.enabled`), which makes checkpoints short; below 10 ms Flink refuses the job,
which `out-of-hard-range` tells. On a development machine it is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#tuning-checkpointing>:
  checkpoints that come too close together
- <https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html>: requests a second for a prefix
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, interval, is_in_object_store, is_on_disk


@rule(
    code="FLK302",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[INTERVAL],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
    thresholds={
        "least": Threshold("1 s", "shortest interval"),
        "least-of-dear": Threshold("10 s", "shortest interval where each checkpoint is dear"),
    },
)
def checkpoint_interval_too_small(config: View) -> Iterator[Finding]:
    """checkpoints are taken too often"""
    every = interval(config)
    least, least_of_dear = config.threshold("least"), config.threshold("least-of-dear")
    if every is None or not 10 * MILLISECOND <= every < max(least, least_of_dear):
        return
    if not config.is_known("state.changelog.enabled") or config.boolean("state.changelog.enabled"):
        return
    an_hour = f"{3_600_000 * MILLISECOND // every:,} checkpoints an hour"
    setting = config.get(INTERVAL)
    if every < least:
        yield setting.finding(
            f"an interval of {every} asks for {an_hour}: JobManager, storage and transactional sinks do little else",
            help=f"set it to {max(least, least_of_dear)} or more; a number without a unit is milliseconds",
            evidence={"interval_ms": every // MILLISECOND},
            measure=-(every // MILLISECOND),
        )
        return
    full = is_on_disk(config) and config.boolean("execution.checkpointing.incremental") is False
    if full or is_in_object_store(config):
        yield setting.finding(
            f"an interval of {every} asks for {an_hour}"
            + (", each a full snapshot of the state" if full else " of an object store that bills and limits requests"),
            help=f"set it to {least_of_dear} or more, or twice what a checkpoint takes",
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
        )


def cases() -> list[Case]:
    return [
        bad(f"{INTERVAL}: 500\n", at=INTERVAL, severity=Severity.WARNING, says="7,200 checkpoints"),
        bad(f"{INTERVAL}: 60\n", at=INTERVAL, flink="1.14"),
        bad(
            f"{INTERVAL}: 5s\nstate.checkpoints.dir: s3://bucket/c\n",
            at=INTERVAL,
            flink="1.18",
            severity=Severity.INFO,
            says="object store",
        ),
        bad(
            f"{INTERVAL}: 5s\nstate.backend: rocksdb\n", at=INTERVAL, flink="1.16", severity=Severity.INFO, says="full"
        ),
        bad(f"{INTERVAL}: 200ms\n", profile="development", severity=Severity.INFO),
        good(f"{INTERVAL}: 5s\nstate.backend.type: hashmap\nexecution.checkpointing.dir: hdfs:///c\n"),
        good(f"{INTERVAL}: 5s\nstate.backend: rocksdb\nstate.backend.incremental: true\n", flink="1.18"),
        good(f"{INTERVAL}: 500 ms\nstate.backend.changelog.enabled: true\n", flink="1.18"),
        good(f"{INTERVAL}: 10000\nstate.checkpoints.dir: s3://bucket/c\n", flink="1.18"),
        good(f"{INTERVAL}: 500\nexecution.runtime-mode: BATCH\n"),
        good(f"{INTERVAL}: '${{INTERVAL}}'\n"),
        bad(f"{INTERVAL}: 10 ms\n", flink="1.18"),
        good(f"{INTERVAL}: 9 ms\n", flink="1.18"),
        bad(f"{INTERVAL}: 1 s\nstate.checkpoints.dir: s3://bucket/c\n", flink="1.18", severity=Severity.INFO),
        good(f"{INTERVAL}: 1 s\nstate.checkpoints.dir: hdfs:///c\n", flink="1.18"),
        good(f"{INTERVAL}: 500 ms\nstate.changelog.enabled: ${{CHANGELOG}}\n", flink="1.20"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses("checkpoints", f"{INTERVAL}: 60\n", "every 60 ms", good=f"{INTERVAL}: 60 s\n"),
        flink_uses("checkpoints", f"{INTERVAL}: 500 ms\n", "every 500 ms", good=f"{INTERVAL}: 1 min\n"),
    ]

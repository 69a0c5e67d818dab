"""Checkpoints of production are left at defaults that are seldom meant.

## What it does
Names, in one suggestion that has to be selected, what an interval of checkpoints that go over the network comes
without:

- `tolerable-failed-checkpoints` (at least every 5 minutes): the first checkpoint that fails restarts the job;
- `externalized-checkpoint-retention`: cancelling a job deletes its last checkpoint;
- a directory for savepoints: `flink stop` and `flink savepoint` fail unless they are told one;
- `min-pause` (below 5 minutes, state on disk): checkpoints that take longer than the interval follow each other.

## Why it matters
Each default is right for somebody, and none is wrong by itself: jobs run for years with them. What they cost shows on
one bad day: an object store that answers late for a minute, a job that hangs and is cancelled, an upgrade in a hurry.

## What to do
Tolerate 3 to 10 failures, retain checkpoints (`RETAIN_ON_CANCELLATION`) and clean up what old jobs leave behind, name
a directory for savepoints beside that of checkpoints, and set a pause of half the interval.

## Not when
The file is of a development machine, or of Managed Service for Apache Flink. The Kubernetes
operator takes care of retention and savepoints. A pause means nothing where checkpoints may overlap, and little where
the changelog keeps them short.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>: the options
  and their defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#retained-checkpoints>:
  checkpoints are deleted unless they are retained
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#tuning-checkpointing>:
  why to define a minimum duration between checkpoints
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND, Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import (
    CONCURRENT,
    DIRECTORY,
    INTERVAL,
    PAUSE,
    RETENTION,
    TOLERABLE,
    interval,
    is_managed,
    is_on_disk,
    is_remote,
)

_SAVEPOINTS = "execution.checkpointing.savepoint-dir"
_OFTEN = 300_000 * MILLISECOND
_LEAST = 5_000 * MILLISECOND


@rule(
    code="FLK318",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=[INTERVAL],
    flink=">=1.10",
    of_scale=True,
    pedantic=True,
    since="0.1",
)
def checkpoints_at_defaults(config: View) -> Iterator[Finding]:
    """checkpoints are left at defaults that production seldom means"""
    every = interval(config)
    if every is None or is_managed(config) or not is_remote(config):
        return
    if config.target.profile == "development" or not config.is_set(INTERVAL):
        return
    costs = dict(_costs(config, every))
    if costs:
        unless = "" if config.document.whole else ", unless another file says otherwise"
        yield config.get(INTERVAL).finding(
            f"checkpoints are left at defaults{unless}: {'; '.join(costs.values())}",
            help=f"set {', '.join(costs)}",
        )


def _costs(config: View, every: Duration) -> Iterator[tuple[str, str]]:
    """Yield the options that are not set, each with its value, and what each default costs."""
    if every <= _OFTEN and not config.is_set(TOLERABLE):
        yield f"{TOLERABLE}: 3", "the first that fails restarts the job"
    if config.platform != "operator":
        if not config.is_set(RETENTION):
            yield f"{RETENTION}: RETAIN_ON_CANCELLATION", "cancelling the job deletes the last one"
        if not (config.is_set(_SAVEPOINTS) or _SAVEPOINTS in config.effective):
            name = _SAVEPOINTS if config.since("1.20") else "state.savepoints.dir"
            yield f"{name} beside {config.get(DIRECTORY).written}", "flink stop fails unless it names a directory"
    overlaps = config.integer(CONCURRENT) != 1 or config.boolean("state.changelog.enabled") is not False
    if every < _OFTEN and is_on_disk(config) and not config.is_set(PAUSE) and not overlaps:
        half = Duration(max(every // 2, _LEAST) // MILLISECOND * MILLISECOND)
        yield f"{PAUSE}: {half}", "long ones follow each other without a pause"


_LARGE = "state.backend.type: rocksdb\nexecution.checkpointing.dir: s3://bucket/c\n"
_OLD = "state.backend: rocksdb\nstate.checkpoints.dir: hdfs:///c\n"
_ALL = f"{TOLERABLE}: 3\n{RETENTION}: RETAIN_ON_CANCELLATION\n{_SAVEPOINTS}: s3://bucket/s\n{PAUSE}: 30s\n"


def cases() -> list[Case]:
    return [
        bad(f"{_LARGE}{INTERVAL}: 60s\n", at=INTERVAL, severity=Severity.INFO, times=1,
            says="restarts the job; cancelling the job deletes the last one; flink stop"),
        bad(f"{_OLD}{INTERVAL}: 10000\n", at=INTERVAL, flink="1.14", says="without a pause"),
        bad(f"{_LARGE}{INTERVAL}: 10min\n", at=INTERVAL, says="defaults: cancelling"),
        bad(f"{_LARGE}{INTERVAL}: 60s\n{_ALL.replace(f'{PAUSE}: 30s', f'{CONCURRENT}: 1')}", at=INTERVAL,
            says="defaults: long ones"),
        bad(f"{_LARGE}{INTERVAL}: 60s\n", platform="operator", says="the first that fails restarts the job; long"),
        good(f"{_LARGE}{INTERVAL}: 60s\n{_ALL}"),
        good(f"{_LARGE}{INTERVAL}: 60s\n{_ALL.replace(f'{PAUSE}: 30s', f'{CONCURRENT}: 2')}"),
        good(f"{_LARGE}{INTERVAL}: 60s\n", profile="development"),
        good(f"{_LARGE}{INTERVAL}: 60s\n", platform="msf"),
        good(f"{INTERVAL}: 60s\nexecution.checkpointing.dir: file:///checkpoints\n"),
        good(f"{_LARGE}{INTERVAL}: '{{{{ interval }}}}'\n"),
        good(f"{_LARGE}{INTERVAL}: 60s\nexecution.runtime-mode: BATCH\n"),
        bad(
            'app:\n  flinkConfiguration:\n    execution.checkpointing.interval: "60s"\n'
            "    execution.checkpointing.dir: s3://bucket/c\n",
            file="values-prod.yaml",
            says="unless another file says otherwise: the first that fails",
        ),
    ]  # fmt: skip

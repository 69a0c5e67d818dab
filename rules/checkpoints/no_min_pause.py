"""Nothing keeps checkpoints apart when they take longer than their interval.

## What it does
Reports, as advice, an `execution.checkpointing.interval` below 5 minutes without `execution.checkpointing.min-pause`
where checkpoints may be long: state on disk (RocksDB, ForSt) that goes over the network.

## Why it matters
An interval counts from start to start. When a checkpoint once takes longer (a slow disk, a busy object store,
backpressure after a restart), the next one begins the moment it ends, and the job does nothing but take checkpoints:
it falls behind, which makes them longer still. A pause counts from the end, and leaves the job time to work.

## What to do
Set `execution.checkpointing.min-pause` to about half the interval, 5 seconds at least.

## Not when
The pause is set, to zero as well; checkpoints may overlap (`max-concurrent-checkpoints` above 1), where a pause means
nothing; the changelog keeps them short.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#tuning-checkpointing>:
  why to define a minimum duration between checkpoints
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-min-pause>:
  the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND, Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import (
    CONCURRENT,
    INTERVAL,
    PAUSE,
    interval,
    is_managed,
    is_on_disk,
    is_remote,
)

_LONG = 300_000 * MILLISECOND
_LEAST = 5_000 * MILLISECOND


@rule(
    code="FLK304",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[INTERVAL],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def no_min_pause(config: View) -> Iterator[Finding]:
    """nothing keeps checkpoints apart when they take longer than their interval"""
    every = interval(config)
    if every is None or every >= _LONG or config.is_set(PAUSE) or not config.document.whole or is_managed(config):
        return
    if config.integer(CONCURRENT) != 1 or config.boolean("state.changelog.enabled") is not False:
        return
    if not (is_on_disk(config) and is_remote(config)):
        return
    half = Duration(max(every // 2, _LEAST) // MILLISECOND * MILLISECOND)
    document = config.document
    yield config.get(INTERVAL).finding(
        f"checkpoints begin {every} after the last one began: once they take longer, one follows the other without a"
        " pause and the job falls behind",
        help=f"set {PAUSE}, to {half} for example",
        fix=document.add(PAUSE, str(half), f"set {PAUSE} to {half}"),
    )


_LARGE = "state.backend.type: rocksdb\nexecution.checkpointing.dir: s3://bucket/c\n"
_OLD = "state.backend: rocksdb\nstate.checkpoints.dir: hdfs:///c\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_LARGE}{INTERVAL}: 60s\n",
            at=INTERVAL,
            severity=Severity.INFO,
            fixed=f"{_LARGE}{INTERVAL}: 60s\n{PAUSE}: 30 s\n",
        ),
        bad(f"{_OLD}{INTERVAL}: 10000\n", at=INTERVAL, flink="1.14", says="10 s"),
        good(f"{_LARGE}{INTERVAL}: 60s\n{PAUSE}: 30s\n"),
        good(f"{_LARGE}{INTERVAL}: 60s\n{PAUSE}: 0\n"),
        good(f"{_LARGE}{INTERVAL}: 10min\n"),
        good(f"{_LARGE}{INTERVAL}: 60s\n{CONCURRENT}: 2\n"),
        good(f"state.backend.type: hashmap\nexecution.checkpointing.dir: s3://bucket/c\n{INTERVAL}: 60s\n"),
        good(f"{_LARGE}{INTERVAL}: 60s\nstate.changelog.enabled: true\n"),
        bad(
            "state.backend.type: forst\n"
            "execution.checkpointing.dir: s3://bucket/c\n"
            "execution.checkpointing.interval: 6s\n",
            at=INTERVAL,
            flink="2.0",
            fixed="state.backend.type: forst\n"
            "execution.checkpointing.dir: s3://bucket/c\n"
            "execution.checkpointing.interval: 6s\n"
            "execution.checkpointing.min-pause: 5 s\n",
        ),
        bad(f"{_LARGE}{INTERVAL}: 299s\n", at=INTERVAL, fixed=f"{_LARGE}{INTERVAL}: 299s\n{PAUSE}: 149500 ms\n"),
        good(f"{_LARGE}{INTERVAL}: 5min\n"),
        good(f"{_LARGE}{INTERVAL}: 60s\n", platform="msf"),
        good(f"{_LARGE}{INTERVAL}: 0\n"),
        good(f"{_LARGE}{INTERVAL}: '{{{{ interval }}}}'\n"),
        good(f"{_LARGE}{INTERVAL}: 60s\nexecution.runtime-mode: '{{{{ mode }}}}'\n"),
        good(
            "state.backend.type: rocksdb\n"
            "execution.checkpointing.dir: s3://{{ bucket }}/c\n"
            "execution.checkpointing.interval: 60s\n"
        ),
        good(
            'app:\n  flinkConfiguration:\n    state.backend.type: "rocksdb"\n'
            '    execution.checkpointing.interval: "60s"\n'
            "    execution.checkpointing.dir: s3://bucket/c\n",
            file="values-prod.yaml",
        ),
    ]

"""A garbage collection may outlast the heartbeat timeout.

## What it does
Flink averages the time of garbage collection over a minute; the largest average tells how much of one minute a process
stood still at most. Reports when that is more than half of `heartbeat.timeout` (50 s by default).

## Why it matters
A process that stands still sends no heartbeats. After the timeout the JobManager takes the TaskManager for dead,
fails its tasks and asks for another one, which begins with a restore: more load, more garbage.

## What to do
Cure the collection first (`garbage-collection-share`, `taskmanager-heap-tight`). Until then make the timeout three
times the pause.

## Not when
How long the single pauses were is not in the metrics, so many short ones look like a long one: medium confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#heartbeat-timeout>: the option
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#garbagecollection>: the metric
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import room_for
from flink_flint.rules.observed._wording import evidence, lasting, setting_text

TIMEOUT = "heartbeat.timeout"
SHARES = {"taskmanager/gcTimeShare": "a TaskManager", "jobmanager/gcTimeShare": "the JobManager"}
_MINUTE = 60.0
_ROOM = 3


@rule(
    code="FLK671",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{metric}" for metric in SHARES],
    since="0.1",
    thresholds={"near": Threshold(0.5, "part of the timeout that collections within one minute may take")},
)
def heartbeat_vs_garbage_collection(config: View) -> Iterator[Finding]:
    """a garbage collection may outlast the heartbeat timeout"""
    found = [share for metric in SHARES if (share := config.observed(metric)) is not None]
    if not found or (timeout := config.duration(TIMEOUT)) is None:
        return
    worst = max(found)
    pause = worst * _MINUTE
    near = config.threshold("near")
    if pause <= near * timeout.seconds:
        return
    setting = config.get(TIMEOUT)
    enough = rounded_up(room_for(near, _ROOM) * pause)
    value = str(round(enough * 1000))  # a plain number is milliseconds in all releases
    yield setting.finding(
        f"within one minute {SHARES[worst.metric]} collected garbage for {lasting(pause)} ({worst.basis}), and is taken"
        f" for dead after {lasting(timeout.seconds)} without a heartbeat",
        help=f"cure the garbage collection; until then set {setting.written} to {value} ({setting_text(enough)})",
        fix=setting.replace(value),
        evidence=evidence(worst, timeout_ms=timeout.milliseconds),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{TIMEOUT}: 50000\n",
            at=TIMEOUT,
            observed={"taskmanager/gcTimeShare": {"p50": 0.01, "p99": 0.2, "max": 0.7}},
            says="collected garbage for 42 s (max of 14 days to 2025-11-20)",
            fixed=f"{TIMEOUT}: 130000\n",
        ),
        bad("parallelism.default: 2\n", at=TIMEOUT, observed={"jobmanager/gcTimeShare": 0.5}, says="the JobManager"),
        good(f"{TIMEOUT}: 50000\n", observed={"taskmanager/gcTimeShare": 0.3}),
        good(f"{TIMEOUT}: 180000\n", observed={"taskmanager/gcTimeShare": 0.7}),
        good(f"{TIMEOUT}: 60000\n", observed={"taskmanager/gcTimeShare": 0.5}),
        good(f"{TIMEOUT}: ${{TIMEOUT}}\n", observed={"taskmanager/gcTimeShare": 0.7}),
    ]

"""Garbage collection takes too large a share of the time.

## What it does
Reports processes that collected garbage for more than 10 % of the time (TaskManagers) or 5 % (the JobManager), the
95th percentile over the time observed.

## Why it matters
What the collector takes the records do not get, and its longest pauses are many times its mean: latencies rise, RPC
calls and heartbeats come late, checkpoints take longer. Far above 10 % the process soon dies of lack of memory.

## What to do
Give the heap 1.3 times what lives on it, a fifth more where that is not known, and look for what allocates: object
reuse (`pipeline.object-reuse`), serializers, state on the heap.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#garbagecollection>: the metric
- <https://docs.oracle.com/en/java/javase/17/gctuning/ergonomics.html>: throughput, pauses and the size of the heap
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import ROOM, total_of
from flink_flint.rules.observed._wording import evidence, percent, sized

_PROCESSES = (("taskmanager", "TaskManagers", "collect", 0.1), ("jobmanager", "the JobManager", "collects", 0.05))
SHARE = "{}/gcTimeShare"
_LIVE = "{}/heapLiveSet"


@rule(
    code="FLK669",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{SHARE.format(process)} p95 > {most}" for process, _, _, most in _PROCESSES],
    since="0.1",
)
def garbage_collection_share(config: View) -> Iterator[Finding]:
    """garbage collection takes too large a share of the time"""
    for process, name, collects, most in _PROCESSES:
        share = config.observed(SHARE.format(process), p=0.95)
        if share is None or share <= most:
            continue
        live = config.observed(_LIVE.format(process))
        enough = "a heap a fifth larger" if live is None else f"a heap of {sized(live * ROOM)} at least"
        yield total_of(config, process).finding(
            f"{name} {collects} garbage for {percent(share)} of the time ({share.basis}), more than {percent(most)}",
            help=f"give {'them' if process == 'taskmanager' else 'it'} {enough}, and look for what allocates",
            evidence=evidence(share, live),
        )


_TM = "taskmanager.memory.process.size"
_JM = "jobmanager.memory.process.size"


def cases() -> list[Case]:
    return [
        bad(f"{_TM}: 4g\n", at=_TM, observed={SHARE.format("taskmanager"): {"p50": 0.02, "p95": 0.18}},
            says="TaskManagers collect garbage for 18 % of the time"),
        bad(f"{_JM}: 4g\n{_TM}: 4g\n", at=_JM, observed={SHARE.format("jobmanager"): 0.06,
            _LIVE.format("jobmanager"): 1 << 30}, says="the JobManager collects garbage for 6 % of the time"),
        good(f"{_TM}: 4g\n", observed={SHARE.format("taskmanager"): {"p50": 0.02, "p95": 0.09, "p99": 0.3}}),
        good(f"{_JM}: 4g\n", observed={SHARE.format("jobmanager"): 0.04}),
        bad("parallelism.default: 2\n", at=_TM, observed={SHARE.format("taskmanager"): 0.11}),
        bad(f"{_TM}: 4g\n{_JM}: 4g\n", at=_JM,
            observed={SHARE.format("taskmanager"): 0.1, SHARE.format("jobmanager"): 0.06}),
    ]  # fmt: skip

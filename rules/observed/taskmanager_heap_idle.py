"""Most of the TaskManagers' heap is never lived on.

## What it does
Compares the JVM heap that the configuration gives a TaskManager with its live set (the least heap used within ten
minutes, the largest of all TaskManagers). Reports less than 30 %, after seven days at least, and how many bytes all
TaskManagers together hold in vain.

## Why it matters
The heap is reserved when the process starts: what no object ever lives on is paid for all the same, and could hold
RocksDB's caches, more slots, or nothing.

## What to do
Give the heap 1.3 times the live set and the rest back. In a step of at most 40 % at a time: a larger state or a
backlog may still need more than these days did.

## Not when
There are less than seven days of history, or less than 256 MiB to gain for each TaskManager.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/>: the parts of the memory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_tuning/>: which of them to change
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import ROOM, total_of
from flink_flint.rules.observed._wording import evidence, percent, sized

LIVE = "taskmanager/heapLiveSet"
PROCESS = "taskmanager.memory.process.size"


@rule(
    code="FLK661",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{LIVE}"],
    flink=">=1.10",
    since="0.1",
    thresholds={
        "idle": Threshold(0.3, "part of the heap below which it counts as idle"),
        "days": Threshold(7, "days of observation without which nothing is said"),
        "worth": Threshold("256 mb", "memory that is worth a word"),
    },
)
def taskmanager_heap_idle(config: View) -> Iterator[Finding]:
    """most of the TaskManagers' heap is never lived on"""
    live = config.observed(LIVE)
    if not live or live.days < config.threshold("days") or (memory := config.taskmanager_memory()) is None:
        return
    over = memory.jvm_heap - live * ROOM
    if live >= config.threshold("idle") * memory.jvm_heap or over < config.threshold("worth"):
        return
    count = config.observed("jobmanager/numRegisteredTaskManagers", p=0.5)
    of_all = f", {sized(over * count)} on {int(count)} of them" if count and count > 1 else ""
    total = total_of(config, "taskmanager")
    yield total.finding(
        f"of a TaskManager's heap of {sized(memory.jvm_heap)} no more than {sized(live)} were lived on in"
        f" {live.window}, {percent(live / memory.jvm_heap)}: {sized(over)} are paid for in vain{of_all}",
        help=f"give the heap {sized(live * ROOM)} and {total.written} as much less",
        evidence=evidence(live, count, heap=memory.jvm_heap, over=round(over)),
    )


_HEAP = """taskmanager.memory.framework.heap.size: 100000000b
taskmanager.memory.managed.size: 1g
taskmanager.memory.task.heap.size"""


def cases() -> list[Case]:
    return [
        bad(
            f"{PROCESS}: 16g\n", at=PROCESS, flink="1.20", severity=Severity.INFO,
            observed={LIVE: 500 << 20, "jobmanager/numRegisteredTaskManagers": 10},
            says="on 10 of them",
        ),
        bad(f"{PROCESS}: 4g\n", flink="1.20", observed={LIVE: {"max": 300 << 20, "days": 7}}),
        good(f"{PROCESS}: 16g\n", flink="1.20", observed={LIVE: {"max": 500 << 20, "days": 6}}),
        good(f"{PROCESS}: 4g\n", flink="1.20", observed={LIVE: 900 << 20}),
        good(f"{PROCESS}: 1728m\n", flink="1.20", observed={LIVE: 250 << 20}),
        bad(f"{_HEAP}: 298435456b\n", flink="1.20", observed={LIVE: 1e8}),
        good(f"{_HEAP}: 298435456b\n", flink="1.20", observed={LIVE: 1.01e8}),
        good(f"{_HEAP}: 900000000b\n", flink="1.20", observed={LIVE: 3e8}),
        bad(f"{_HEAP}: 900000000b\n", flink="1.20", observed={LIVE: 2.99e8}),
        good(f"{PROCESS}: ${{MEMORY}}\n", flink="1.20", observed={LIVE: 100 << 20}),
    ]  # fmt: skip

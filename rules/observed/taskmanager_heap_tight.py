"""What lives on the TaskManagers' heap leaves too little of it free.

## What it does
Compares the JVM heap that the configuration gives a TaskManager with the live set: the least heap used within ten
minutes, after some garbage collection, the largest of all TaskManagers over the time observed. Reports more than
80 %; a heap smaller than the live set is an error.

## Why it matters
A garbage collector that finds little to free runs all the time: throughput falls, pauses grow until heartbeats are
missed, and a peak of records or a larger state ends in `OutOfMemoryError: Java heap space`.

## What to do
Give the heap 1.3 times the live set. A state backend on the heap is the first suspect; user code that keeps records is
the second, and `taskmanager.memory.managed.fraction` may be taking memory that nobody uses.

## Not when
A template hides an input of the memory, or the release is older than 1.10.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/>: what is on the heap
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/>: `OutOfMemoryError`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import room_for, total_for_heap, total_of
from flink_flint.rules.observed._wording import evidence, percent, sized

LIVE = "taskmanager/heapLiveSet"
PROCESS = "taskmanager.memory.process.size"


@rule(
    code="FLK660",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{LIVE}"],
    flink=">=1.10",
    since="0.1",
    thresholds={"tight": Threshold(0.8, "part of the heap of a TaskManager that may be lived on")},
)
def taskmanager_heap_tight(config: View) -> Iterator[Finding]:
    """what lives on the TaskManagers' heap leaves too little of it free"""
    if not (live := config.observed(LIVE)) or (memory := config.taskmanager_memory()) is None:
        return
    tight = config.threshold("tight")
    if live <= tight * memory.jvm_heap:
        return
    enough = live * room_for(tight)
    total = total_of(config, "taskmanager")
    value = total_for_heap(config, "taskmanager", total, enough)
    used = config.observed("taskmanager/Status.JVM.Memory.Heap.Used", p=0.99)
    outcome = "it does not hold that" if live > memory.jvm_heap else f"that is {percent(live / memory.jvm_heap)} of it"
    yield total.finding(
        f"{sized(live)} live on the heap of a TaskManager ({live.basis}), which the configuration gives"
        f" {sized(memory.jvm_heap)}: {outcome}",
        help=f"give the heap {sized(enough)}" + (f": {total.written}: {value}" if value else ""),
        severity=Severity.ERROR if live > memory.jvm_heap else None,
        fix=total.replace(value) if value else None,
        evidence=evidence(live, used, heap=memory.jvm_heap),
    )


_HEAP = "taskmanager.memory.task.heap.size"
_OTHERS = "taskmanager.memory.framework.heap.size: 100000000b\ntaskmanager.memory.managed.size: 1g\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{PROCESS}: 4g\n", at=PROCESS, flink="1.20", observed={LIVE: {"p50": 900 << 20, "max": 1500 << 20}},
            severity=Severity.WARNING, says="1500 MiB live on the heap of a TaskManager", fixed=f"{PROCESS}: 4928mb\n",
        ),
        bad(f"{PROCESS}: 1728m\n", at=PROCESS, flink="1.20", observed={LIVE: 600 << 20}, severity=Severity.ERROR,
            fixed=f"{PROCESS}: 2304mb\n"),
        bad("taskmanager.memory.task.heap.size: 512m\ntaskmanager.memory.managed.size: 1g\n", flink="1.15",
            at="taskmanager.memory.task.heap.size", observed={LIVE: 600 << 20}),
        good(f"{PROCESS}: 4g\n", flink="1.20", observed={LIVE: 1200 << 20}),
        good(f"{PROCESS}: 4g\n", flink="1.20", observed={"taskmanager/Status.JVM.Memory.Heap.Used": 1500 << 20}),
        good(f"{PROCESS}: '{{{{ memory }}}}'\n", flink="1.20", observed={LIVE: 4 << 30}),
        bad(f"{_OTHERS}{_HEAP}: 900000000b\n", flink="1.15", at=_HEAP, observed={LIVE: 1e9}, severity=Severity.WARNING),
        good(f"{_OTHERS}{_HEAP}: 900000000b\n", flink="1.15", observed={LIVE: 8e8}),
    ]  # fmt: skip

"""State that lies on the heap has outgrown it.

## What it does
Where the state backend is one of the heap (`hashmap`, formerly `filesystem` and `jobmanager`), compares the jobs' full
checkpoint size (95th percentile of `lastCheckpointFullSize`) for each TaskManager with the task heap. Reports when
the objects, taken as twice their serialized size, do not fit.

## Why it matters
The heap backends keep every key and value as an object, several times larger than in a checkpoint. State that grows
with the keys ends in long garbage collections, missed heartbeats and `OutOfMemoryError`, and the restored job has
the same state again.

## What to do
Use RocksDB (`state.backend.type: rocksdb`), which keeps state on local disks, or give state a time to live. Switching
wants a canonical savepoint.

## Not when
The live set of the heap was observed and is below 60 % of it: then it evidently fits. A backend that no file names is
not judged, as the job's code may choose it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#choosing-the-right-state-backend>:
  what fits on the heap
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#savepoint-format>: changing the
  backend
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, sized

BACKEND = "state.backend.type"
FULL = "job/lastCheckpointFullSize"
_TASKMANAGERS = "jobmanager/numRegisteredTaskManagers"
_LIVE = "taskmanager/heapLiveSet"
_ON_HEAP = ("hashmap", "filesystem", "jobmanager")
_AS_OBJECTS = 2


@rule(
    code="FLK656",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{FULL}"],
    flink=">=1.10",
    since="0.1",
    thresholds={
        "fits": Threshold(0.6, "part of the heap that may be lived on, however large the state"),
        "state": Threshold("256 mb", "state below which nothing is said"),
    },
)
def state_outgrows_heap(config: View) -> Iterator[Finding]:
    """state that lies on the heap has outgrown it"""
    sizes = config.observed_where(FULL, p=0.95, above=0)
    taskmanagers = config.observed(_TASKMANAGERS, p=0.5)
    if not taskmanagers or sum(sizes) < config.threshold("state"):
        return
    backend = config.get(BACKEND)
    if backend.text.lower() not in _ON_HEAP:
        return
    if (memory := config.taskmanager_memory()) is None:
        return
    live = config.observed(_LIVE)
    each = sum(sizes) / taskmanagers
    fits = config.threshold("fits") * memory.jvm_heap
    if each * _AS_OBJECTS <= memory.task_heap or (live is not None and live <= fits):
        return
    yield backend.finding(
        f"{sized(sum(sizes))} of state ({sizes[0].basis}) lie on the heaps of {int(taskmanagers)} TaskManagers:"
        f" {sized(each)} each, about twice that as objects, on a task heap of {sized(memory.task_heap)}",
        help=f"set {backend.written} to rocksdb (through a canonical savepoint), or give the state a time to live",
        evidence=evidence(*sizes[:2], taskmanagers, live, task_heap=memory.task_heap),
    )


_HEAP = """taskmanager.memory.task.heap.size: 900000000b
taskmanager.memory.framework.heap.size: 100000000b
taskmanager.memory.managed.size: 1g
"""


def cases() -> list[Case]:
    return [
        bad(
            f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: 4g\n", at=BACKEND, flink="1.20",
            observed={FULL: 8 << 30, _TASKMANAGERS: 4}, says="2048 MiB each, about twice that as objects",
        ),
        bad(
            "state.backend: filesystem\ntaskmanager.memory.process.size: 4g\n", at=BACKEND, flink="1.12",
            observed={FULL: 8 << 30, _TASKMANAGERS: 4, _LIVE: 15 << 26},
        ),
        good(
            f"{BACKEND}: rocksdb\ntaskmanager.memory.process.size: 4g\n", flink="1.20",
            observed={FULL: 8 << 30, _TASKMANAGERS: 4},
        ),
        good(
            f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: 4g\n", flink="1.20",
            observed={FULL: 2 << 30, _TASKMANAGERS: 4},
        ),
        good(
            f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: 4g\n", flink="1.20",
            observed={FULL: 8 << 30, _TASKMANAGERS: 4, _LIVE: 800 << 20},
        ),
        good(f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: 4g\n", flink="1.20", observed={FULL: 8 << 30}),
        good("taskmanager.memory.process.size: 4g\n", flink="1.20", observed={FULL: 8 << 30, _TASKMANAGERS: 4}),
        bad("state.backend: jobmanager\ntaskmanager.memory.process.size: 4g\n", flink="1.12",
            observed={FULL: 8 << 30, _TASKMANAGERS: 4}),
        bad(f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: 1728m\n", flink="1.20",
            observed={FULL: 257 << 20, _TASKMANAGERS: 1}),
        good(f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: 1728m\n", flink="1.20",
             observed={FULL: 255 << 20, _TASKMANAGERS: 1}),
        good(f"{BACKEND}: hashmap\n{_HEAP}", flink="1.20", observed={FULL: 1.8e9, _TASKMANAGERS: 4}),
        good(f"{BACKEND}: hashmap\n{_HEAP}", flink="1.20", observed={FULL: 8e9, _TASKMANAGERS: 4, _LIVE: 6e8}),
        good(f"{BACKEND}: hashmap\ntaskmanager.memory.process.size: ${{MEMORY}}\n", flink="1.20",
             observed={FULL: 8 << 30, _TASKMANAGERS: 4}),
    ]  # fmt: skip

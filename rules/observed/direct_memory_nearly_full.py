"""Off-heap memory besides network buffers is nearly used up.

## What it does
Takes the most direct memory a TaskManager used (`Status.JVM.Memory.Direct.MemoryUsed`) without its network buffers,
and compares it with `taskmanager.memory.framework.off-heap.size` (128 MB) and `taskmanager.memory.task.off-heap.size`
(0) together. Reports more than 90 %.

## Why it matters
All direct memory is under one limit, `-XX:MaxDirectMemorySize`. At it the JVM throws
`OutOfMemoryError: Direct buffer memory`, in whatever task asks next: a client of the job's own, Netty, a file system.

## What to do
Set `taskmanager.memory.task.off-heap.size` to a quarter more than was used beyond the framework's part.

## Not when
The network memory that the configuration gives is larger than all direct memory that was used: then the history is of
another configuration.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#configure-off-heap-memory-direct-or-native>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#outofmemoryerror-direct-buffer-memory>
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import room_for
from flink_flint.rules.observed._wording import MIB, evidence, setting_size, sized, steps_of

USED = "taskmanager/Status.JVM.Memory.Direct.MemoryUsed"
_NETWORK = "taskmanager/Status.Shuffle.Netty.TotalMemory"
OFF_HEAP = "taskmanager.memory.task.off-heap.size"
_ROOM = 1.25


@rule(
    code="FLK668",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{USED}"],
    flink=">=1.10",
    since="0.1",
    thresholds={"full": Threshold(0.9, "part of the off-heap memory that may be used")},
)
def direct_memory_nearly_full(config: View) -> Iterator[Finding]:
    """off-heap memory besides network buffers is nearly used up"""
    used = config.observed(USED)
    if not used or used < 64 * MIB or (memory := config.taskmanager_memory()) is None:
        return
    network = config.observed(_NETWORK, p=0.5)
    beside = used - (network or memory.network)
    room = memory.framework_off_heap + memory.task_off_heap
    full = config.threshold("full")
    if beside <= full * room:
        return
    setting = config.get(OFF_HEAP)
    enough = steps_of(beside * room_for(full, _ROOM) - memory.framework_off_heap)
    yield setting.finding(
        f"besides network buffers a TaskManager used {sized(beside)} of direct memory ({used.basis}), and may use"
        f" {sized(room)}",
        help=f"set {setting.key} to {setting_size(enough)}",
        fix=setting.replace(setting_size(enough)),
        evidence=evidence(used, network, room=room),
    )


_TOTAL = "taskmanager.memory.process.size"
_FRAMEWORK = "taskmanager.memory.framework.off-heap.size"


def cases() -> list[Case]:
    return [
        bad(
            f"taskmanager.memory.process.size: 4g\n{OFF_HEAP}: 64m\n", at=OFF_HEAP, flink="1.20",
            observed={USED: 530 << 20}, says="and may use 192 MiB",
            fixed=f"taskmanager.memory.process.size: 4g\n{OFF_HEAP}: 128mb\n",
        ),
        bad("taskmanager.memory.process.size: 4g\n", at=OFF_HEAP, flink="1.14",
            observed={USED: 512 << 20, _NETWORK: 343 << 20}),
        good("taskmanager.memory.process.size: 4g\n", flink="1.20", observed={USED: 400 << 20}),
        good(f"taskmanager.memory.process.size: 4g\n{OFF_HEAP}: 1g\n", flink="1.20", observed={USED: 530 << 20}),
        bad(f"{_TOTAL}: 4g\n{_FRAMEWORK}: 100000000b\n{OFF_HEAP}: 100000000b\n", flink="1.20",
            observed={USED: 2.81e8, _NETWORK: 1e8}),
        good(f"{_TOTAL}: 4g\n{_FRAMEWORK}: 100000000b\n{OFF_HEAP}: 100000000b\n", flink="1.20",
             observed={USED: 2.8e8, _NETWORK: 1e8}),
        good(f"{_TOTAL}: 4g\n", flink="1.20", observed={USED: 512 << 20, _NETWORK: 500 << 20}),
        bad(f"{_TOTAL}: 4g\n{_FRAMEWORK}: 0m\n", flink="1.20", observed={USED: 64 << 20, _NETWORK: 1 << 20}),
        good(f"{_TOTAL}: 4g\n{_FRAMEWORK}: 0m\n", flink="1.20", observed={USED: 63 << 20, _NETWORK: 1 << 20}),
        good(f"{_TOTAL}: ${{MEMORY}}\n", flink="1.20", observed={USED: 530 << 20}),
    ]  # fmt: skip

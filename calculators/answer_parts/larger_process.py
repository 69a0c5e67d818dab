"""The `flint size` command that sizes a larger TaskManager, for needs that do not fit its current total memory."""

from __future__ import annotations

from flink_flint.calculators.formulas.slot_heap import MIN_TASK_HEAP
from flink_flint.calculators.formulas.smallest_memory import MIB
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory


def larger_process(now: TaskManagerMemory | None, slots: int, **needs: int) -> str:
    """Return the `flint size` command for a process that meets `needs` (bytes by flag name) and keeps the task heap.

    If `now` is None, the command requests the minimum task heap.
    """
    task_heap = MIN_TASK_HEAP * slots if now is None else now.task_heap
    flags = {"task-heap": task_heap, **needs}
    asked = " ".join(f"--{name}={-(-size // MIB)}mb" for name, size in flags.items())
    return f"flint size taskmanager-memory --slots={slots} {asked}"

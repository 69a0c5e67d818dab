"""The question to ask next where a need does not fit a TaskManager's total: how large the process must become."""

from __future__ import annotations

from flink_flint.calculators.formulas.smallest_memory import MIB
from flink_flint.calculators.formulas.task_heap import MIN_TASK_HEAP
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory


def larger_process(now: TaskManagerMemory | None, slots: int, **needs: int) -> str:
    """The command that sizes a process for `needs` (bytes by the input's name) beside the task heap it has now.

    Without one in force (None) the least is asked for.
    """
    task_heap = MIN_TASK_HEAP * slots if now is None else now.task_heap
    flags = {"task-heap": task_heap, **needs}
    asked = " ".join(f"--{name}={-(-size // MIB)}mb" for name, size in flags.items())
    return f"flint size taskmanager-memory --slots={slots} {asked}"

"""The setting that determines a process's memory, and the value it needs for a given heap."""

from __future__ import annotations

import math

from flink_flint.linter.model.view import Setting, View

ROOM = 1.3
"""The heap as a multiple of the live set, because garbage collectors need free memory."""
_HEAP = {"taskmanager": "taskmanager.memory.task.heap.size", "jobmanager": "jobmanager.memory.heap.size"}


def total_of(config: View, process: str) -> Setting:
    """Return the setting that determines the memory of a process: of its heap, Flink's total or the process total."""
    keys = (_HEAP[process], f"{process}.memory.flink.size", f"{process}.memory.process.size")
    return next((config.get(key) for key in keys if config.is_set(key)), config.get(keys[-1]))


def room_for(share: float, room: float = ROOM) -> float:
    """Return the factor by which a size must exceed its use so that the use is at most `share`; at least `room`."""
    return max(room, 1 / share) if share > 0 else room


def total_for_heap(config: View, process: str, total: Setting, heap: float) -> str | None:
    """Return the smallest value of a `total` setting with which the JVM heap has at least `heap` bytes."""
    from flink_flint.rules.memory._proposals import proposed  # only when there is something to propose

    name = "jvm_heap" if process == "taskmanager" else "heap"
    return proposed(config, process, total, name, math.ceil(heap))

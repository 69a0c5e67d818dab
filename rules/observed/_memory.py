"""Which setting gives a process its memory, and what it must be for a heap of some size."""

from __future__ import annotations

import math

from flink_flint.linter.model.view import Setting, View

ROOM = 1.3
"""Heap over what lives on it: garbage collectors want room."""
_HEAP = {"taskmanager": "taskmanager.memory.task.heap.size", "jobmanager": "jobmanager.memory.heap.size"}


def total_of(config: View, process: str) -> Setting:
    """What gives "taskmanager" or "jobmanager" its memory: the heap, else Flink's total or the process's."""
    keys = (_HEAP[process], f"{process}.memory.flink.size", f"{process}.memory.process.size")
    return next((config.get(key) for key in keys if config.is_set(key)), config.get(keys[-1]))


def room_for(share: float, room: float = ROOM) -> float:
    """How many times what is used a size must be, for use to be at most a share of it; `room` at least."""
    return max(room, 1 / share) if share > 0 else room


def total_for_heap(config: View, process: str, total: Setting, heap: float) -> str | None:
    """The smallest value of that setting, in whole 64 MiB, with which the JVM's heap is at least `heap` bytes."""
    from flink_flint.rules.memory._proposals import proposed  # only when there is something to propose

    name = "jvm_heap" if process == "taskmanager" else "heap"
    return proposed(config, process, total, name, math.ceil(heap))

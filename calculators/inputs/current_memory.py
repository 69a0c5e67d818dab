"""A TaskManager's current memory, for calculators that size one part of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flink_flint.calculators.answering.declaration import BadInput, Inputs
from flink_flint.calculators.formulas.smallest_memory import MIB, Process
from flink_flint.calculators.inputs.shared_memory_sizing import (
    exact_texts,
    in_order,
    option,
    options_of,
    share_option,
    size,
)
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown
from flink_flint.linter.flink.memory.shared_derivation import FIRST_TASKMANAGER
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory, taskmanager
from flink_flint.linter.flink.releases import Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

PROCESS_SIZE = "taskmanager.memory.process.size"
FLINK_SIZE = "taskmanager.memory.flink.size"
_BOTH_PARTS = {"taskmanager.memory.task.heap.size", "taskmanager.memory.managed.size"}
"""The options that together determine a TaskManager's total."""
OVERHEAD = "taskmanager.memory.jvm-overhead"
_MEMORY = "taskmanager.memory."
_MEANT_OTHERWISE = ("taskmanager.memory.segment-size",)


def knows_total(inputs: CurrentTotal) -> bool:
    """Return whether the total memory of a TaskManager is among the inputs."""
    return inputs.process_size is not None or inputs.flink_size is not None


@dataclass(frozen=True, kw_only=True)
class CurrentTotal(Inputs):
    """Inputs about a TaskManager's current total memory, and the JVM metaspace and JVM overhead within it."""

    process_size: int | None = size("current total process memory", option=PROCESS_SIZE)
    flink_size: int | None = size("current total Flink memory", option=FLINK_SIZE)
    metaspace: int = option("taskmanager.memory.jvm-metaspace.size", 256 * MIB, "current metaspace", when=knows_total)
    overhead_fraction: float = share_option(
        f"{OVERHEAD}.fraction", 0.1, "current JVM overhead as a part of the process", when=knows_total
    )
    overhead_min: int = option(f"{OVERHEAD}.min", 192 * MIB, "the current minimum of JVM overhead", when=knows_total)
    overhead_max: int = option(f"{OVERHEAD}.max", 1024 * MIB, "the current maximum of JVM overhead", when=knows_total)

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if knows_total(self):
            yield from in_order(self, "overhead")


class CurrentMemory(NamedTuple):
    """A TaskManager's current memory, or Flink's error message if the TaskManager does not start with it."""

    memory: TaskManagerMemory | None
    refusal: str = ""

    @property
    def said(self) -> str:
        """A clause stating that Flink does not start, with its error message."""
        return f"Flink does not start with the current memory: {self.refusal}"


def current_memory(inputs: Inputs, release: Release, instead: Mapping[str, Any] | None = None) -> CurrentMemory | None:
    """Return the memory derived from the current options and `instead` (where None unsets an option); None if unknown.

    Returns None if the inputs have no total, and for releases that size TaskManagers differently.
    """
    if nearest_index(release) < FIRST_TASKMANAGER:
        return None
    settings = {
        key: value
        for key, value in options_of(inputs, release, without=_MEANT_OTHERWISE).items()
        if key.startswith(_MEMORY)
    }
    if PROCESS_SIZE not in settings and FLINK_SIZE not in settings and not settings.keys() >= _BOTH_PARTS:
        return None
    settings.update(instead or {})
    texts = exact_texts({key: value for key, value in settings.items() if value is not None})
    try:
        return CurrentMemory(Process(taskmanager, texts, release).memory())
    except MemoryRefused as refused:
        return CurrentMemory(None, str(refused).rstrip("."))
    except MemoryUnknown:
        return None


def thousandths_up(part: float, whole: float) -> float:
    """Return `part` as a fraction of `whole`, rounded up to whole thousandths."""
    return math.ceil(round(part / whole * 1000, 6)) / 1000

"""What the rules on inlined state ask in common."""

from __future__ import annotations

from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.view import View

THRESHOLD = "execution.checkpointing.data-inline-threshold"


def threshold_of(config: View) -> MemorySize | None:
    """The inline threshold; None where it is unknown or refused (a number of bytes up to 1.10)."""
    size = config.memory(THRESHOLD)
    if size is not None:
        return size
    number = config.integer(THRESHOLD)
    return None if number is None else MemorySize(number)


def inlines_by_threshold(config: View) -> bool:
    """Whether small state is inlined: not where the JobManager's heap is the checkpoint storage."""
    storage = config.string("execution.checkpointing.storage")
    return storage is None or storage.lower() != "jobmanager"

"""Settings that the rules on inlined state share."""

from __future__ import annotations

from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.view import View

THRESHOLD = "execution.checkpointing.data-inline-threshold"


def threshold_of(config: View) -> MemorySize | None:
    """Return the inline threshold; None if it is unknown or invalid. Up to 1.10 it is a plain number of bytes."""
    size = config.memory(THRESHOLD)
    if size is not None:
        return size
    number = config.integer(THRESHOLD)
    return None if number is None else MemorySize(number)


def inlines_by_threshold(config: View) -> bool:
    """Return whether small state is inlined, which is not the case with checkpoint storage on the JobManager's heap."""
    storage = config.string("execution.checkpointing.storage")
    return storage is None or storage.lower() != "jobmanager"

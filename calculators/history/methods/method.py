"""The interface of capacity methods and their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.linter.text.named_tuple import NamedTuple

Tier = Literal["safe", "elastic"]
"""The kind of a limit: `safe` (exceeding it causes a crash) or `elastic` (exceeding it causes only a lag).

`safe` is for memory and other hard limits, `elastic` for parallelism and throughput, whose lag is caught up later.
"""

MIN_SAMPLES = 60
"""The minimum number of samples that a history needs for a recommendation."""

WINDOW_DAYS = 14
"""The number of days of history that flint's own methods use; older days are ignored."""


Spell = Callable[[float], str]
"""A function that formats a number in the unit of the demand."""


class Learned(NamedTuple):
    """A capacity for the 24 hours after a history, in the unit of the demand."""

    capacity: float
    margin: float
    """The capacity divided by the statistic that it is based on (the largest sample for flint's own methods)."""
    basis: Callable[[Spell], str]
    """A function that returns the reason for the capacity as a sentence; the given `Spell` formats its numbers."""


class Method(NamedTuple):
    """A named method that learns a capacity from a history."""

    name: str
    tier: Tier
    learn: Callable[[Demand], Learned]
    hindsight: bool = False
    """Whether the method learns from the very day that it is scored on, as a reference for the other methods."""


def require_history(past: Demand) -> None:
    """Raise `ValueError` if the history is too short to learn from."""
    if len(past) < MIN_SAMPLES:
        raise ValueError(f"{len(past)} samples are too few: at least {MIN_SAMPLES} are required")


def last_days(past: Demand) -> Demand:
    """Return the last 14 days of a history, which flint's own methods use; raise `ValueError` for too few samples."""
    recent = past.between(past.end - WINDOW_DAYS * DAY_SECONDS, past.end)
    require_history(recent)
    return recent

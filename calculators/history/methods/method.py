"""The interface of methods and of their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.linter.text.named_tuple import NamedTuple

Tier = Literal["safe", "elastic"]
"""`safe`: memory and other hard limits, where running over is a crash. `elastic`: parallelism and throughput, where
running over is a lag that is caught up later."""

MIN_SAMPLES = 60
"""A history of fewer samples is no basis for a recommendation."""

WINDOW_DAYS = 14
"""Days before these say nothing that flint's own methods would hear."""


Spell = Callable[[float], str]
"""How a number of the demand's unit is written for people."""


class Learned(NamedTuple):
    """A capacity for the 24 hours after a history, in the unit of the demand."""

    capacity: float
    margin: float
    """The factor that the method put on its statistic; of flint's own methods: capacity over the largest sample."""
    basis: Callable[[Spell], str]
    """One sentence that says why, with the numbers in the unit of the demand."""


class Method(NamedTuple):
    """A named method that learns a capacity from a history."""

    name: str
    tier: Tier
    learn: Callable[[Demand], Learned]
    hindsight: bool = False
    """Learns from the very day it is judged by: no method, but a mark to measure the others by."""


def require_history(past: Demand) -> None:
    """Raise `ValueError` if the history is too short to learn from."""
    if len(past) < MIN_SAMPLES:
        raise ValueError(f"{len(past)} samples are too few: {MIN_SAMPLES} are the least to learn from")


def last_days(past: Demand) -> Demand:
    """Return the part of a history that flint's own methods learn from; raise `ValueError` if it is too short."""
    recent = past.between(past.end - WINDOW_DAYS * DAY_SECONDS, past.end)
    require_history(recent)
    return recent

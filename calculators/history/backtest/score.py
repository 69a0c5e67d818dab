"""Scores that rate a capacity against one day's demand."""

from __future__ import annotations

import numpy as np

from flink_flint.calculators.history.methods.demand import Demand, Values
from flink_flint.calculators.history.methods.next_day import LAG_LIMIT_SECONDS
from flink_flint.linter.text.named_tuple import NamedTuple


class Score(NamedTuple):
    """The scores of a capacity for one day: shares from 0 to 1, slack and excess from -1 to 1."""

    over: float
    """The share (0 to 1) of samples with more demand than capacity."""
    lag: float
    """The share (0 to 1) of samples at which work queued since the start of the day is more than 300 s behind."""
    slack: float
    """The idle share of the capacity: 1 - mean demand / capacity."""
    excess: float
    """The slack minus the slack that a capacity equal to the day's maximum demand would have."""
    under: float
    """The shortfall of the capacity below the day's 99th percentile, as a share of that percentile; 0 without one."""


def over_share(values: Values, capacity: float) -> float:
    """Return the share of samples above the capacity."""
    return float(np.mean(values > capacity))


def lag_share(values: Values, capacity: float, step: int) -> float:
    """Return the share of samples at which the backlog exceeds 300 s of work if `capacity` is processed per second.

    Each sample covers `step` seconds: `backlog += (demand - capacity) x step`, never below 0, and the consumer is
    behind by `backlog / capacity` seconds. The queue starts empty, so a day is scored on its own lag, not on that of
    the day before. With a capacity of 0 any backlog counts as too far behind.
    """
    if float(values.max()) <= capacity:
        return 0.0
    backlog, behind = 0.0, 0
    for demand in values.tolist():
        backlog = max(0.0, backlog + (demand - capacity) * step)
        behind += backlog > LAG_LIMIT_SECONDS * capacity
    return behind / len(values)


def slack(values: Values, capacity: float) -> float:
    """Return the idle share of a capacity: `1 - mean demand / capacity`, clamped to the range from -1 to 1.

    For a capacity of 0, the slack is 0 without demand, otherwise -1.
    """
    mean = float(values.mean())
    if capacity <= 0:
        return 0.0 if mean <= 0 else -1.0
    return max(-1.0, min(1.0, 1 - mean / capacity))


def judge(day: Demand, capacity: float, step: int) -> Score:
    """Score a capacity against the samples of one day; `step` is the sampling interval in seconds."""
    values = day.values
    high = float(np.quantile(values, 0.99))
    spare = slack(values, capacity)
    return Score(
        over_share(values, capacity),
        lag_share(values, capacity, step),
        spare,
        spare - slack(values, float(values.max())),
        max(0.0, 1 - capacity / high) if high > 0 else 0.0,
    )

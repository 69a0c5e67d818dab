"""flint's method for parallelism and throughput, where exceeding the capacity causes a lag that is caught up later.

Two experts are asked: the capacity that costs least over what the next day may bring, which knows whole days and the
lag of each, and the load-weighted percentile with a short half-life, which knows the last hours. The answer is their
weighted geometric mean; their errors have little in common, and the mean misses less than either.
"""

from __future__ import annotations

from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.methods.method import Learned, Method, last_days
from flink_flint.calculators.history.methods.next_day import (
    Beliefs,
    Prices,
    cheapest,
    explained,
    nothing_demanded,
    outlook,
)
from flink_flint.calculators.history.methods.percentiles import load_weighted_percentile

BELIEFS = Beliefs()
PRICES = Prices(over=0.0, lag=4.5)
"""A day of lag is worth this many idle days; running over counts by the lag it leaves, and no more."""

RECENT_PERCENTILE = 0.98
RECENT_HALF_LIFE_HOURS = 12.0
RECENT_WEIGHT = 1 / 3
"""The say of the load-weighted percentile in the mean; the rest is the other expert's."""


def learn(past: Demand) -> Learned:
    """Return a capacity for the next 24 hours, in the unit of the demand.

    Raises `ValueError` below 60 samples in 14 days.
    """
    recent = last_days(past)
    if not recent.values.any():
        return nothing_demanded(recent)
    expected = outlook(recent, BELIEFS)
    whole_days = cheapest(expected, PRICES)
    last_hours = load_weighted_percentile(recent, RECENT_PERCENTILE, RECENT_HALF_LIFE_HOURS)
    return explained(recent, expected, whole_days ** (1 - RECENT_WEIGHT) * last_hours**RECENT_WEIGHT)


ELASTIC = Method("flint elastic", "elastic", learn)

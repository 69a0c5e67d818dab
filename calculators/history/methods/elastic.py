"""flint's method for parallelism and throughput, where exceeding the capacity causes a lag that is caught up later.

It combines two estimates: the capacity with the lowest expected cost for the next day, which accounts for whole days
and the lag of each, and the load-weighted percentile with a short half-life, which accounts for the last hours. The
result is their weighted geometric mean; their errors have little in common, so the mean is more accurate than either.
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
"""The costs of exceeding an elastic limit, in days of idle capacity: 4.5 for a full day of lag, otherwise none."""

RECENT_PERCENTILE = 0.98
RECENT_HALF_LIFE_HOURS = 12.0
RECENT_WEIGHT = 1 / 3
"""The weight (0 to 1) of the load-weighted percentile in its geometric mean with the lowest-cost capacity."""


def learn(past: Demand) -> Learned:
    """Return a capacity for the next 24 hours, in the unit of the demand.

    Raises `ValueError` for fewer than 60 samples in the last 14 days.
    """
    recent = last_days(past)
    if not recent.values.any():
        return nothing_demanded(recent)
    expected = outlook(recent, BELIEFS)
    whole_days = cheapest(expected, PRICES)
    last_hours = load_weighted_percentile(recent, RECENT_PERCENTILE, RECENT_HALF_LIFE_HOURS)
    return explained(recent, expected, whole_days ** (1 - RECENT_WEIGHT) * last_hours**RECENT_WEIGHT)


ELASTIC = Method("flint elastic", "elastic", learn)

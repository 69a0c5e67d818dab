"""flint's method for memory and other hard limits, where exceeding the capacity causes a crash."""

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

BELIEFS = Beliefs()
PRICES = Prices(over=5.0, lag=5.0, broken=0.2, max_broken=1 / 3)
"""The costs of exceeding a safe limit, in days of idle capacity: 5 for a full day over it, 0.2 for any excess.

A capacity that more than a third of all days would exceed is not chosen.
"""


def learn(past: Demand) -> Learned:
    """Return a limit for the next 24 hours, in the unit of the demand.

    Raises `ValueError` for fewer than 60 samples in the last 14 days.
    """
    recent = last_days(past)
    if not recent.values.any():
        return nothing_demanded(recent)
    expected = outlook(recent, BELIEFS)
    return explained(recent, expected, cheapest(expected, PRICES))


SAFE = Method("flint safe", "safe", learn)

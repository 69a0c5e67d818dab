"""Methods that other tools use, as baselines for flint's own methods.

Sources: the recommender of the Vertical Pod Autoscaler
(<https://github.com/kubernetes/autoscaler/tree/master/vertical-pod-autoscaler>), the simple strategy of krr
(<https://github.com/robusta-dev/krr>), Autopilot (<https://dl.acm.org/doi/10.1145/3342195.3387524>). Percentiles are
computed from the samples themselves, not from the histograms of these tools, which does not disadvantage them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flink_flint.calculators.formulas.quantity import spell_fraction
from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.calculators.history.methods.method import Learned, Method, Tier, require_history
from flink_flint.calculators.history.methods.percentiles import (
    decay,
    load_weighted_percentile,
    peak_percentile,
    weighted_percentile,
)


def statistic(
    name: str, tier: Tier, of: Callable[[Demand], float], what: str, margin: float = 1.0, hindsight: bool = False
) -> Method:
    """Return a method whose capacity is a statistic of the history, computed by `of` and multiplied by `margin`."""

    def learn(past: Demand) -> Learned:
        require_history(past)
        value = of(past)
        extra = f", plus a margin of {spell_fraction(round(margin - 1, 4))}" if margin > 1 else ""
        return Learned(value * margin, margin, lambda spell: f"{what} of {len(past)} samples is {spell(value)}{extra}")

    def know(day: Demand) -> Learned:
        value = of(day)
        return Learned(value * margin, margin, lambda spell: f"{what} of the day itself is {spell(value)}")

    return Method(name, tier, know if hindsight else learn, hindsight)


def percentile(share: float) -> Callable[[Demand], float]:
    """Return a function that computes a percentile (`share` from 0 to 1) of the samples."""
    return lambda past: float(np.quantile(past.values, share))


def decayed(share: float, half_life_hours: float) -> Callable[[Demand], float]:
    """Return a function that computes a percentile (`share` from 0 to 1) of the samples, weighted by age."""
    return lambda past: weighted_percentile(past.values, decay(past, half_life_hours), share)


def load_weighted(share: float, half_life_hours: float) -> Callable[[Demand], float]:
    """Return a function that computes a percentile (`share` from 0 to 1) of the samples, weighted by load and age."""
    return lambda past: load_weighted_percentile(past, share, half_life_hours)


def largest(past: Demand) -> float:
    """Return the largest sample."""
    return float(past.values.max())


def largest_of_week(past: Demand) -> float:
    """Return the largest sample of the last week."""
    return largest(past.between(past.end - 7 * DAY_SECONDS, past.end))


MEAN = statistic("mean x 1.5", "elastic", lambda past: float(past.values.mean()), "the mean", 1.5)
VPA_CPU = statistic("p90, half-life 24 h, +15 % (VPA CPU)", "elastic", decayed(0.90, 24), "the decayed p90", 1.15)
P95 = statistic("p95 (krr CPU)", "elastic", percentile(0.95), "p95")
P98_DECAYED = statistic("p98, half-life 48 h, +10 %", "elastic", decayed(0.98, 48), "the decayed p98", 1.10)
P99 = statistic("p99", "elastic", percentile(0.99), "p99")
P99_MARGIN = statistic("p99 +15 %", "elastic", percentile(0.99), "p99", 1.15)
AUTOPILOT = statistic(
    "load-weighted p95, half-life 12 h, +10 % (Autopilot)",
    "elastic",
    load_weighted(0.95, 12),
    "the load-weighted p95",
    1.10,
)
LOAD_P98 = statistic(
    "load-weighted p98, half-life 48 h, +10 %", "elastic", load_weighted(0.98, 48), "the load-weighted p98", 1.10
)
VPA_MEMORY = statistic(
    "daily-peak p90, half-life 24 h, +15 % (VPA memory)",
    "safe",
    lambda past: peak_percentile(past, 0.90, 24),
    "the decayed p90 of daily peaks",
    1.15,
)
WEEK_MAXIMUM = statistic("daily-peak max of 7 d", "safe", largest_of_week, "the maximum of the last 7 days")
KRR_MEMORY = statistic("max +15 % (krr memory)", "safe", largest, "the maximum", 1.15)
ORACLE = statistic("oracle: the day's own maximum", "safe", largest, "the maximum", hindsight=True)

BASELINES = (
    MEAN,
    VPA_CPU,
    P95,
    P98_DECAYED,
    P99,
    P99_MARGIN,
    AUTOPILOT,
    LOAD_P98,
    VPA_MEMORY,
    WEEK_MAXIMUM,
    KRR_MEMORY,
    ORACLE,
)

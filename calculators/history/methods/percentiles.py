"""Percentiles of weighted samples."""

from __future__ import annotations

import numpy as np

from flink_flint.calculators.history.methods.demand import DAY_SECONDS, HOUR_SECONDS, Demand, Values


def decay(past: Demand, half_life_hours: float) -> Values:
    """Return the weight of each sample: 1 at the end of the history, halved for every `half_life_hours` before it."""
    return np.exp2((past.times - past.end) / (half_life_hours * HOUR_SECONDS))


def weighted_percentile(values: Values, weights: Values, share: float) -> float:
    """Return the smallest value whose cumulative weight reaches `share` (0 to 1); the maximum if all weights are 0."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    if total[-1] <= 0:
        return float(values.max())
    return float(values[order][min(len(values) - 1, int(np.searchsorted(total, share * total[-1])))])


def load_weighted_percentile(past: Demand, share: float, half_life_hours: float) -> float:
    """Return the value up to which `share` (0 to 1) of the load was served, with recent load weighted more.

    The weight of a sample is its value times its decay: the percentile measures how much of the load exceeds it, not
    for how many minutes. This is the statistic of Google's Autopilot, <https://dl.acm.org/doi/10.1145/3342195.3387524>.
    """
    return weighted_percentile(past.values, past.values * decay(past, half_life_hours), share)


def peak_percentile(past: Demand, share: float, half_life_hours: float) -> float:
    """Return a percentile (`share` from 0 to 1) of daily peaks weighted by age; days are counted back from the end.

    The memory estimate of the Kubernetes Vertical Pod Autoscaler without its histogram buckets,
    <https://github.com/kubernetes/autoscaler/tree/master/vertical-pod-autoscaler>.
    """
    ages = (past.end - 1 - past.times) // DAY_SECONDS
    peaks = np.full(int(ages.max()) + 1, -1.0)
    np.maximum.at(peaks, ages, past.values)
    present = np.nonzero(peaks >= 0)[0]
    return weighted_percentile(peaks[present], np.exp2(-present * 24 / half_life_hours), share)

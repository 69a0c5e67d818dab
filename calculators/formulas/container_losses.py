"""Statistics on lost YARN containers, and the releases in which such losses end the session."""

from __future__ import annotations

import math

from flink_flint.linter.flink.releases import Release

LIMIT = "yarn.maximum-failed-containers"
_LAST_LIMIT = (1, 4)
_LAST_LEGACY = (1, 8)
_LARGEST_SUM = 10_000
"""The largest mean for which probabilities are summed one by one."""
_FAR = 12
"""Standard deviations below the mean under which less than 1e-15 of the probability lies."""
_TINY = 1e-9


def limit_acts(release: Release, *, legacy: bool = False) -> bool:
    """Return whether a release limits the number of failed containers; `legacy` means ``mode: legacy`` is set."""
    minor = (release.major, release.minor)
    return minor <= _LAST_LIMIT or (legacy and minor <= _LAST_LEGACY)


def poisson_quantile(mean: float, certainty: float) -> int:
    """Return the smallest number that a Poisson variable with mean `mean` does not exceed with probability `certainty`.

    Summed in logarithms, so that a mean of thousands does not underflow; for larger means the normal distribution with
    its correction for skewness (Cornish and Fisher) is as exact.
    """
    if mean <= 0:
        return 0
    if mean > _LARGEST_SUM:
        from statistics import NormalDist

        deviation = NormalDist().inv_cdf(certainty)
        return math.ceil(mean + deviation * math.sqrt(mean) + (deviation**2 - 1) / 6 - 0.5)
    # Terms so far below the mean are negligible for any certainty in use.
    count = 0 if certainty < _TINY else max(0, math.floor(mean - _FAR * math.sqrt(mean)))
    total = 0.0
    while True:
        total += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
        # The sum misses certainty 1 by rounding errors; terms far above the mean add nothing.
        if total >= certainty or count > mean + 40 * math.sqrt(mean) + 40:
            return count
        count += 1


def lifetime_within(budget: int, losses_per_second: float, certainty: float) -> float:
    """Return the seconds in which a session loses at most `budget` containers with probability `certainty`.

    `losses_per_second` is the rate of all containers together.
    """
    if losses_per_second <= 0:
        return math.inf
    low, high = 0.0, float(budget + 1)
    if poisson_quantile(1e-12, certainty) > budget:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if poisson_quantile(middle, certainty) <= budget:
            low = middle
        else:
            high = middle
    return low / losses_per_second

"""Histograms with exponential buckets of 1 % width, which can be merged, weighted and queried for percentiles.

A bucket contains the values from ``1.01**i`` up to ``1.01**(i + 1)``. Zero and the two infinities have their own
buckets, and negative values mirror the positive ones, so codes sort like values. Rank-based sketches are not a
substitute: on metrics that jump (a backlog of 0 or 4 million records) their 99th percentile is wrong by orders of
magnitude.
"""

from __future__ import annotations

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from flink_flint.linter.text.named_tuple import NamedTuple

WIDTH = 1.01
"""The ratio of the upper bound to the lower bound of a histogram's bucket."""
_LOG = log(WIDTH)
_LOWEST = 1e-12
"""Positive values below this share the lowest bucket; no metric of Flink is meaningful there."""
_SHIFT = 2 - int(np.floor(log(_LOWEST) / _LOG))
"""Offset that makes the code of the lowest bucket 2, so that 0 is left for zero."""
_INFINITE = 80_000
"""Code of infinity, above the code of the largest double."""

Codes = NDArray[np.int32]


class Histogram(NamedTuple):
    """Bucket codes in ascending order, each with the count (or total weight) of the values in the bucket."""

    codes: Codes
    counts: NDArray[np.float64]

    @property
    def total(self) -> float:
        """The number of values in the histogram, or their total weight."""
        return float(self.counts.sum())

    def percentile(self, share: float, least: float, most: float) -> float:
        """Return the value that `share` (0 to 1) of all values do not exceed, accurate to 1 %; NaN without values.

        It is the middle of the bucket that contains the value of rank ``ceil(share * n)``, limited to the smallest and
        largest value seen (`least` and `most`).
        """
        if not len(self.codes):
            return float("nan")
        reached = np.cumsum(self.counts)
        rank = max(share * reached[-1], np.nextafter(0, 1))
        # Sums of weights are rounded, so a rank that is reached up to rounding counts as reached.
        place = int(np.searchsorted(reached, rank * (1 - 1e-12)))
        return min(max(middle_of(int(self.codes[min(place, len(self.codes) - 1)])), least), most)


EMPTY = Histogram(np.empty(0, np.int32), np.empty(0, np.float64))


def codes_of(values: NDArray[np.float64]) -> Codes:
    """Return the bucket code of each value; the values must not contain NaN."""
    size = np.abs(values)
    with np.errstate(divide="ignore", over="ignore"):
        codes = np.floor(np.log(np.maximum(size, _LOWEST)) / _LOG) + _SHIFT
    codes[size == 0] = 0
    codes[np.isinf(size)] = _INFINITE
    signed: Codes = np.where(values < 0, -codes, codes).astype(np.int32)
    return signed


def middle_of(code: int) -> float:
    """Return the representative value of a bucket code: the geometric mean of the bucket's bounds."""
    if code == 0:
        return 0.0
    size = abs(code)
    middle = float("inf") if size >= _INFINITE else exp((size - _SHIFT + 0.5) * _LOG)
    return middle if code > 0 else -middle


def merge(codes: NDArray[np.int32], counts: NDArray[np.float64]) -> Histogram:
    """Return one histogram that combines the codes and counts of several histograms, which may be in any order."""
    if not len(codes):
        return EMPTY
    low = int(codes.min())
    span = int(codes.max()) - low + 1
    summed = np.bincount(codes - low, weights=counts, minlength=span)
    held = np.flatnonzero(summed)
    return Histogram((held + low).astype(np.int32), summed[held].astype(np.float64))

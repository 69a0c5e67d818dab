"""Demand samples, which every method learns from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flink_flint.linter.text.named_tuple import NamedTuple

HOUR_SECONDS = 3_600
DAY_SECONDS = 24 * HOUR_SECONDS

Times = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Demand:
    """Samples of a demand in one unit, such as records per second, bytes or a busy share (0 to 1).

    `times` are epoch seconds, strictly ascending; `values` are finite and 0 or more; gaps without samples are allowed.
    `ValueError` is raised for anything else; `Demand.of` sorts and cleans raw samples first.
    """

    times: Times
    values: Values

    def __post_init__(self) -> None:
        if self.times.ndim != 1 or self.times.shape != self.values.shape:
            raise ValueError("times and values must be two lists of the same length")
        if len(self.times) > 1 and not bool(np.all(self.times[1:] > self.times[:-1])):
            raise ValueError("times must be strictly ascending")
        if not bool(np.all(np.isfinite(self.values))) or bool(np.any(self.values < 0)):
            raise ValueError("a demand must be a finite number of 0 or more")

    def __len__(self) -> int:
        return len(self.times)

    @classmethod
    def of(cls, times: ArrayLike, values: ArrayLike) -> Demand:
        """Sort and clean samples, and return them as a `Demand`.

        Samples are sorted; of several at the same time the last in the list is kept; values that are not finite are
        dropped.

        Times are epoch seconds (fractions are truncated), values 0 or more; `ValueError` is raised for negative values
        and for lists of unequal length.
        """
        instants = np.asarray(times).astype(np.int64)
        numbers = np.asarray(values, dtype=np.float64)
        if instants.shape != numbers.shape:
            raise ValueError("times and values must be two lists of the same length")
        known = np.isfinite(numbers)
        instants, numbers = instants[known], numbers[known]
        order = np.argsort(instants, kind="stable")
        instants, numbers = instants[order], numbers[order]
        last = np.append(instants[1:] != instants[:-1], True) if len(instants) else np.zeros(0, dtype=bool)
        return cls(instants[last], numbers[last])

    @cached_property
    def step(self) -> int:
        """The sampling interval in seconds: the median gap, so that missing ranges do not count; 0 for one sample."""
        return int(np.median(np.diff(self.times))) if len(self) > 1 else 0

    @property
    def end(self) -> int:
        """The end of the last sample, one step after its time, in seconds since the epoch; 0 without samples."""
        return int(self.times[-1]) + self.step if len(self) else 0

    @property
    def span(self) -> int:
        """The seconds from the first sample to `end`; 0 without samples."""
        return self.end - int(self.times[0]) if len(self) else 0

    def between(self, start: int, end: int) -> Demand:
        """Return the samples from `start` to before `end`, both in epoch seconds."""
        first, last = np.searchsorted(self.times, [start, end])
        return Demand(self.times[first:last], self.values[first:last])


class PastDay(NamedTuple):
    """24 hours of a history; `age` 0 is the last 24 hours, 1 the 24 hours before them."""

    age: int
    values: Values
    coverage: float
    """The number of samples divided by the expected number (one per sampling interval), from 0 to 1."""


def past_days(past: Demand) -> list[PastDay]:
    """Return the days of a history, counted back from its end, youngest first; days without samples are omitted."""
    if not len(past):
        return []
    end, expected = past.end, max(1.0, DAY_SECONDS / max(1, past.step))
    ages = (end - 1 - past.times) // DAY_SECONDS
    youngest_first = np.unique(ages)
    # Ages fall as times rise, so each day is one slice.
    last = len(past) - np.searchsorted(ages[::-1], youngest_first, side="left")
    first = len(past) - np.searchsorted(ages[::-1], youngest_first, side="right")
    return [
        PastDay(int(age), past.values[a:b], min(1.0, float(b - a) / expected))
        for age, a, b in zip(youngest_first, first, last, strict=True)
    ]

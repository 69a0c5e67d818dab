"""Rolling origin: learn each day from the window before it, hold the capacity for 24 hours, and move on by a day."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.calculators.history.methods.method import MIN_SAMPLES, WINDOW_DAYS, Method
from flink_flint.linter.text.named_tuple import NamedTuple

SHORT_WINDOW_DAYS = 7
"""The window of a series that does not span two long ones."""


class Origin(NamedTuple):
    """One day to recommend for, with the window before it."""

    start: int
    """Epoch seconds at which the window ends and the day begins."""
    past: Demand
    day: Demand
    step: int
    """Seconds from sample to sample of the whole series."""


def window_days(series: Demand) -> int:
    """Return the days in the window before each origin: fewer for a short series."""
    return WINDOW_DAYS if series.span >= 2 * WINDOW_DAYS * DAY_SECONDS else SHORT_WINDOW_DAYS


def origins(series: Demand) -> Iterator[Origin]:
    """Return the days of a series that have a complete window before them, oldest first.

    A day that the series does not span to its end is left out, and so is one without samples or with fewer than 60
    samples in its window.
    """
    if not len(series):
        return
    window, step = window_days(series) * DAY_SECONDS, series.step
    start = int(series.times[0]) + window
    while start + DAY_SECONDS <= series.end:
        past, day = series.between(start - window, start), series.between(start, start + DAY_SECONDS)
        if len(day) and len(past) >= MIN_SAMPLES:
            yield Origin(start, past, day, step)
        start += DAY_SECONDS


def capacity_for(method: Method, origin: Origin) -> float:
    """Return the capacity that the method recommends at that origin."""
    return method.learn(origin.day if method.hindsight else origin.past).capacity

"""Rolling-origin evaluation: learn from a window, apply the capacity to the next 24 hours, and advance by a day."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.calculators.history.methods.method import MIN_SAMPLES, WINDOW_DAYS, Method
from flink_flint.linter.text.named_tuple import NamedTuple

SHORT_WINDOW_DAYS = 7
"""The number of history days before each scored day, for a series shorter than two windows of `WINDOW_DAYS`."""


class Origin(NamedTuple):
    """A day that a method is scored on, with the window of history before it."""

    start: int
    """The time, in seconds since the epoch, at which the window ends and the scored day begins."""
    past: Demand
    day: Demand
    step: int
    """The sampling interval of the whole series in seconds."""


def window_days(series: Demand) -> int:
    """Return the number of days in the window before each scored day: 14, or 7 for a short series."""
    return WINDOW_DAYS if series.span >= 2 * WINDOW_DAYS * DAY_SECONDS else SHORT_WINDOW_DAYS


def origins(series: Demand) -> Iterator[Origin]:
    """Yield the days of a series that have a complete window of history before them, oldest first.

    A day is skipped if the series ends before it does, if it has no samples, or if its window has fewer than 60
    samples.
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
    """Return the capacity that a method recommends for a scored day."""
    return method.learn(origin.day if method.hindsight else origin.past).capacity

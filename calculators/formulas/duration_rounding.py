"""Rounding of durations to the steps people write in configurations."""

from __future__ import annotations

import math

_STEPS = ((1.0, 0.01), (10.0, 0.5), (120.0, 2.0), (600.0, 10.0), (3600.0, 60.0), (math.inf, 300.0))
"""Up to so many seconds, in steps of so many; each limit is a whole number of its own and of the next steps."""


def _step(seconds: float) -> float:
    return next(step for limit, step in _STEPS if seconds <= limit)


def rounded_up(seconds: float) -> float:
    """Round up to the next duration that people would write."""
    step = _step(seconds)
    # A hundredth of a millisecond off is what floating point made of it, not a need.
    steps = math.ceil(round(seconds / step, 5))
    return round((steps or (1 if seconds > 0 else 0)) * step, 2)


def rounded_down(seconds: float) -> float:
    """Round down to the next duration that people would write; below 10 ms to the millisecond."""
    step = _step(seconds)
    return round(math.floor(round(seconds / step, 5)) * step, 2) or math.floor(seconds * 1000) / 1000


def whole_minutes(seconds: float) -> float:
    """Round up to whole minutes."""
    return math.ceil(round(seconds / 60, 6)) * 60.0

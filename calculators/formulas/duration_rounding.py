"""Rounding of durations to values that are usual in configurations."""

from __future__ import annotations

import math

_STEPS = ((1.0, 0.01), (10.0, 0.5), (120.0, 2.0), (600.0, 10.0), (3600.0, 60.0), (math.inf, 300.0))
"""Pairs of a limit and the rounding step below it, in seconds; limits are multiples of their own and the next step."""


def _step(seconds: float) -> float:
    return next(step for limit, step in _STEPS if seconds <= limit)


def rounded_up(seconds: float) -> float:
    """Round a duration up, more coarsely the longer it is: to 2.5 s, 46 s or 11 min, for example."""
    step = _step(seconds)
    # A difference below a hundredth of a millisecond is a floating-point error.
    steps = math.ceil(round(seconds / step, 5))
    return round((steps or (1 if seconds > 0 else 0)) * step, 2)


def rounded_down(seconds: float) -> float:
    """Round a duration down, more coarsely the longer it is; below 10 ms, to whole milliseconds."""
    step = _step(seconds)
    return round(math.floor(round(seconds / step, 5)) * step, 2) or math.floor(seconds * 1000) / 1000


def whole_minutes(seconds: float) -> float:
    """Round seconds up to whole minutes."""
    return math.ceil(round(seconds / 60, 6)) * 60.0

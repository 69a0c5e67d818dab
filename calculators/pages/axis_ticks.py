"""Ticks of chart axes: round values of a unit, and round times."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime

from flink_flint.calculators.formulas.quantity import BYTES, BYTES_PER_SECOND, COUNT, DAY, SECONDS, Unit
from flink_flint.linter.text.named_tuple import NamedTuple

_MINUTE, _HOUR = 60.0, 3600.0
_DURATIONS = (
    1, 2, 5, 10, 15, 30, _MINUTE, 2 * _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 15 * _MINUTE, 30 * _MINUTE,
    _HOUR, 2 * _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR,
)  # fmt: skip
"""Tick steps from a second to a day, in seconds; other steps are 1, 2 or 5 times powers of ten."""
_MOMENTS = (*_DURATIONS[6:], DAY, 2 * DAY, 7 * DAY, 14 * DAY)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
_FIRST_MONDAY = 4 * DAY
"""Seconds since the epoch of the first Monday."""


def ticks(low: float, high: float, unit: Unit, most: int = 5) -> list[float]:
    """Return axis ticks that cover `low` to `high` in at most `most` equal, round steps.

    Steps of sizes are powers of two, steps of durations those of clocks, all others 1, 2 or 5 times powers of ten. Both
    ends are finite; a range without width, apart from rounding errors, is widened.
    """
    if high - low <= max(1e-12, 1e-9 * max(abs(low), abs(high))):
        high = low + (abs(low) if abs(low) > 1e-12 else 1.0)
    for step in _steps((high - low) / most, unit):
        first = math.floor(low / step + 1e-9)
        last = max(first + 1, math.ceil(high / step - 1e-9))
        if last - first <= most:
            return [number * step for number in range(first, last + 1)]
    raise AssertionError


def _steps(least: float, unit: Unit) -> Iterator[float]:
    """Yield round steps in ascending order endlessly; only the first few may be below `least`."""
    if unit.name in (BYTES.name, BYTES_PER_SECOND.name) and least > 0.5:
        power = math.ceil(math.log2(least))
        while True:
            yield 2.0**power
            power += 1
    if unit.name == SECONDS.name and least > 0.5:
        yield from (float(step) for step in _DURATIONS if step >= least)
        yield from (step * DAY for step in _decimal(max(1.0, least / DAY)))
    yield from _decimal(max(1.0, least) if unit.name == COUNT.name else least)


def _decimal(least: float) -> Iterator[float]:
    power = math.floor(math.log10(least))
    while True:
        for digit in (1, 2, 5):
            # Not 10 ** -3 * 2: a division gives exactly 0.002.
            yield digit * 10.0**power if power >= 0 else digit / 10.0**-power
        power += 1


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Return ticks of a logarithmic axis that cover `low` to `high` (both positive), at powers of ten.

    A range of at most two powers of ten also has ticks at 2 and 5 times the powers.
    """
    digits = (1, 2, 5) if high / low <= 100 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
    below = [tick for tick in every if tick <= low * (1 + 1e-9)]
    above = [tick for tick in every if tick >= high * (1 - 1e-9)]
    return [tick for tick in every if below[-1] <= tick <= above[0]]


class Moment(NamedTuple):
    """A tick of a time axis, with its label."""

    time: float
    """The time of the tick in seconds since the epoch."""
    text: str
    """The label of the tick in UTC: ``14:30``, ``20 Nov``, ``Nov 2026``."""


def moments(start: float, end: float, most: int = 7) -> list[Moment]:
    """Return at most `most` round times between `start` and `end` (seconds since the epoch, UTC), ascending."""
    for step in _MOMENTS:
        shift = _FIRST_MONDAY if step >= 7 * DAY else 0.0
        first, last = math.ceil((start - shift) / step), math.floor((end - shift) / step)
        if last - first < most:
            return [_moment(number * step + shift) for number in range(first, last + 1)]
    for months in _MONTHS:
        found = list(_months(start, end, months))
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def _moment(time: float) -> Moment:
    at = datetime.fromtimestamp(time, UTC)
    return Moment(time, f"{at:%H:%M}" if time % DAY else f"{at.day} {at:%b}")


def _months(start: float, end: float, every: int) -> Iterator[Moment]:
    begin = datetime.fromtimestamp(start, UTC)
    number = begin.year * 12 + begin.month - 1
    while True:
        at = datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)
        if at.timestamp() > end:
            return
        if number % every == 0 and at.timestamp() >= start:
            yield Moment(at.timestamp(), f"{at:%b} {at.year}")
        number += 1

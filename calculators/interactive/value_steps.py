"""Round steps by which the form increases or decreases a number, each about a tenth of the number."""

from __future__ import annotations

import math
from typing import Any

from flink_flint.calculators.answering.declaration import Input
from flink_flint.calculators.command_line.answer_formats import written
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    BadQuantity,
    Unit,
)

ROUND_TIMES = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800)
"""The round times, in seconds, between which stepping moves a time of a second or more."""

_PARTS = 8
"""The divisor of a value that gives the maximum step."""

_LEAST: dict[str, float] = {
    SECONDS.name: 0.001, BYTES.name: 1, COUNT.name: 1, PER_SECOND.name: 0.1, BYTES_PER_SECOND.name: 1,
    FRACTION.name: 0.01, NUMBER.name: 0.1,
}  # fmt: skip
"""The smallest step of a unit, so that a value reaches zero."""

_FROM_ZERO: dict[str, float] = {
    SECONDS.name: 1.0, BYTES.name: 1 << 20, COUNT.name: 1, PER_SECOND.name: 1.0, BYTES_PER_SECOND.name: 1 << 20,
    FRACTION.name: 0.05, NUMBER.name: 1.0,
}  # fmt: skip


def can_step(unit: Unit) -> bool:
    """Return whether values of a unit can be changed in steps."""
    return unit.name in _LEAST


def stepped(declared: Input, value: Any, direction: int) -> Any:
    """Return the next round value above (`direction` 1) or below (-1) `value`, within the input's range.

    `value` is in the unit's base. Returns it unchanged if the range has no such value.
    """
    unit = declared.unit
    step = _FROM_ZERO[unit.name] if value == 0 else nice_step(unit, value)
    if direction < 0 and value > 0 and value - step <= 0 < value:
        step = max(_LEAST[unit.name], nice_step(unit, value / 2))
    # The epsilon keeps 0.3 / 0.1 from counting as two steps.
    steps = math.floor(value / step + 1e-9) + 1 if direction > 0 else math.ceil(value / step - 1e-9) - 1
    return _within(declared, value, _tidied(unit, steps * step))


def nice_step(unit: Unit, value: float) -> float:
    """Return the largest round step of a unit that is at most an eighth of a value, in base units."""
    required = abs(value) / _PARTS
    least = _LEAST[unit.name]
    if required <= least:
        return least
    if unit.name in (BYTES.name, BYTES_PER_SECOND.name):
        return float(2 ** math.floor(math.log2(required)))
    if unit.name == SECONDS.name and required >= 1:
        return float(max(step for step in ROUND_TIMES if step <= required))
    if unit.name == FRACTION.name and required >= 0.05:
        return 0.05
    power = 10.0 ** math.floor(math.log10(required) + 1e-9)
    return max(step * power for step in (1, 2, 5) if step * power <= required * (1 + 1e-9))


def text_of(unit: Unit, value: Any) -> str:
    """Format a value as text that parses back to exactly the same value."""
    spelled = unit.spell(value)
    try:
        return spelled if unit.parse(spelled) == value else str(written(unit, value))
    except BadQuantity:
        return str(written(unit, value))


def _tidied(unit: Unit, value: float) -> Any:
    return round(value) if unit.name in (COUNT.name, BYTES.name) else float(f"{value:.10g}")


def _within(declared: Input, value: Any, wanted: Any) -> Any:
    if declared.least is not None and wanted < declared.least:
        return _typed(declared, declared.least)
    if declared.most is not None and wanted > declared.most:
        return _typed(declared, declared.most)
    beyond = (declared.above is not None and wanted <= declared.above) or (
        declared.below is not None and wanted >= declared.below
    )
    return value if beyond else wanted


def _typed(declared: Input, bound: float) -> Any:
    return round(bound) if declared.unit.name in (COUNT.name, BYTES.name) else float(bound)

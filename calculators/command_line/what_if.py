"""What-if tables: the answer over a range of values of one input."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import Calculator
from flink_flint.calculators.answering.declaration import BadInput, Input, current_name, inputs_of
from flink_flint.calculators.command_line.collect_inputs import Asked, ask, nearest_name
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    BadQuantity,
)
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.command_line.open_configuration import Opened

MAX_VALUES = 200
"""The maximum number of rows in a what-if table; a step that results in more rows is rejected."""

_WIDE = 8
"""The ratio of end to start from which a range is divided by factors instead of equal steps."""
_ROWS = 8
_STEPS = (1, 2, 2.5, 5, 10)
_TIME_STEPS = (1, 2, 5, 10, 15, 20, 30, 60)
_EXAMPLES = {
    COUNT.name: "4..32", SECONDS.name: "10ms..1s", BYTES.name: "1gb..8gb", PER_SECOND.name: "1k/s..10k/s",
    BYTES_PER_SECOND.name: "1mb/s..10mb/s", FRACTION.name: "0.5..0.9", NUMBER.name: "1..4",
}  # fmt: skip
_BARE_NUMBER = r"\s*[-+]?[\d_.]+(?:e[-+]?\d+)?\s*"


class Variation(NamedTuple):
    """An input and the values to try for it."""

    name: str
    values: tuple[Any, ...]


def parse_variation(calculator: Calculator, text: str, *, reverse: bool = False) -> Variation:
    """Parse an input and values to try: ``parallelism=4..32``, ``parallelism=4..32:4`` (a step), ``latency=1s,2s``.

    Raises BadInput for an unknown input or an unusable value.
    """
    declarations = {one.name: one for one in inputs_of(calculator.way(reverse=reverse).inputs)}
    flag, equals, wanted = text.partition("=")
    name = current_name(flag.strip().lstrip("-").lower())
    if name not in declarations:
        hint = nearest_name(name, declarations)
        raise BadInput("what_if", f"{flag.strip()!r} is not an input of {calculator.name}{hint}")
    declared = declarations[name]
    if not equals or not wanted.strip():
        raise BadInput("what_if", f"{text!r} has no values; write it like {name}={_example(declared)}")
    first, dots, rest = wanted.partition("..")
    if not dots:
        return Variation(name, tuple(_read(declared, part) for part in wanted.split(",")))
    if declared.unit.choices or "boolean" in declared.unit.json_types:
        raise BadInput("what_if", f"{name} is not a number; list the values: {name}={_example(declared)}")
    last, _, step = rest.partition(":")
    low, high = _read(declared, _with_unit_of(first, last)), _read(declared, last)
    if not low < high:
        raise BadInput("what_if", f"{wanted!r} does not increase; write the smaller value first")
    if not step:
        return Variation(name, tuple(_between(declared, low, high)))
    width = _read_step(declared, _with_unit_of(step, last))
    if width <= 0 or (high - low) / width > MAX_VALUES:
        raise BadInput("what_if", f"a step of {step.strip()} does not give a table of at most {MAX_VALUES} rows")
    count = math.floor((high - low) / width + 1e-9)
    values = [_rounded(declared, low + width * number) for number in range(count + 1)]
    return Variation(name, tuple(values if values[-1] >= high else [*values, high]))


def what_if(asked: Asked, variation: Variation, opened: Opened | None = None) -> list[tuple[Any, Answer | BadInput]]:
    """Return each tried value with its answer (other inputs unchanged), or with the error if the value is rejected."""
    given = dict(asked.given)
    if opened is None:
        from_file = {name for name, source in asked.sources.items() if source.kind == "file"}
        given |= {name: asked.inputs[name] for name in from_file}
    rows: list[tuple[Any, Answer | BadInput]] = []
    for value in variation.values:
        varied = {**given, variation.name: value}
        try:
            again = ask(asked.calculator, varied, reverse=asked.reverse, release=asked.release, opened=opened)
        except BadInput as bad:
            rows.append((value, bad))
        else:
            rows.append((value, again.answer))
    return rows


def _example(declared: Input) -> str:
    if declared.unit.choices:
        return ",".join(declared.unit.choices)
    if "boolean" in declared.unit.json_types:
        return "yes,no"
    return _EXAMPLES.get(declared.unit.name, declared.example)


def _read(declared: Input, text: str) -> Any:
    value = declared.read(text.strip())
    assert value is not None
    return value


def _read_step(declared: Input, text: str) -> Any:
    """Parse a step; as a difference it is not subject to the bounds of the input."""
    try:
        return declared.unit.read(text.strip())
    except BadQuantity as bad:
        raise BadInput("what_if", str(bad)) from None


def _with_unit_of(text: str, other: str) -> str:
    """Return `text` with the unit of `other`: ``10ms`` for ``10`` and ``40ms``, ``1k/s`` for ``1k`` and ``10k/s``."""
    if "/" in other and "/" not in text and not re.fullmatch(_BARE_NUMBER, text, re.IGNORECASE):
        return f"{text.strip()}/{other.partition('/')[2].strip()}"
    if not re.fullmatch(_BARE_NUMBER, text, re.IGNORECASE):
        return text
    unit = re.search(r"[^\d\s._][^\d]*$", other.strip())
    return f"{text.strip()}{unit[0]}" if unit else text


def _rounded(declared: Input, value: float) -> Any:
    return round(value) if declared.unit.name in (COUNT.name, BYTES.name) else float(f"{value:.12g}")


def _between(declared: Input, low: float, high: float) -> list[Any]:
    """Return about eight round values from low to high, both ends included."""
    inner: list[float]
    if low > 0 and high / low >= _WIDE:
        inner = _by_factors(declared, low, high)
    else:
        step = _nice(declared, (high - low) / (_ROWS - 1))
        inner = [step * number for number in range(math.floor(low / step) + 1, math.ceil(high / step))]
    values = [low, *(value for value in inner if low < value < high), high]
    return list(dict.fromkeys(_rounded(declared, value) for value in values))


def _by_factors(declared: Input, low: float, high: float) -> list[float]:
    """Return powers of two for inputs that prefer them, or 1, 2, 5, 10, …; fewer per decade over a wide range."""
    if declared.unit.name == BYTES.name or (declared.unit.name == COUNT.name and high / low <= 2**_ROWS):
        return [low * 2**power for power in range(1, math.ceil(math.log2(high / low)))]
    decades = math.log10(high / low)
    marks = (1, 2, 5) if decades <= 4 else (1,)
    first = math.floor(math.log10(low))
    return [mark * 10.0**power for power in range(first, math.ceil(math.log10(high)) + 1) for mark in marks]


def _nice(declared: Input, width: float) -> float:
    """Return the smallest round step of at least `width`."""
    if declared.unit.name == BYTES.name:
        return float(2.0 ** math.ceil(math.log2(width)))
    if declared.unit.name == SECONDS.name and 1 < width <= _TIME_STEPS[-1] * 86400:
        return next(float(step * size) for size in (1, 60, 3600, 86400) for step in _TIME_STEPS if step * size >= width)
    power = 10.0 ** math.floor(math.log10(width))
    nice = next(step * power for step in _STEPS if step * power >= width * (1 - 1e-9))
    return max(1.0, float(math.ceil(nice))) if declared.unit.name == COUNT.name else nice

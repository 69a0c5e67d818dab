"""Template functions for numbers, with the type conversions of the Go library cast."""

from __future__ import annotations

import math

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.go_values import List, int_argument, is_bool
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered
from flink_flint.linter.text.lazy_regex import regex

_INTEGER = regex(r"[-+]?(?:0|[1-9][\d_]*|0[0-7]+|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)")
_FLOAT = regex(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?")
_ZERO_FRACTION = regex(r"\.0++\Z")
_RANGE = 1 << 63


def to_int(value: object) -> int:
    """Convert a value to an int64; return zero if that is impossible, as the template function `int` does."""
    if is_bool(value):
        return int(bool(value))
    if isinstance(value, float):
        return _wrapped(int(value)) if math.isfinite(value) and abs(value) < 1e30 else -_RANGE
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str) and len(value) < 40:
        text = _ZERO_FRACTION.sub("", value)
        if not _INTEGER.fullmatch(text):
            return 0
        digits = text.lstrip("+-").replace("_", "")
        number = int(digits, 8) if len(digits) > 1 and digits.isdigit() and digits[0] == "0" else int(digits, 0)
        return (-number if text.startswith("-") else number) if number < _RANGE else 0
    return 0


def _wrapped(number: int) -> int:
    return (number + _RANGE) % (2 * _RANGE) - _RANGE


def to_float(value: object) -> float:
    """Convert a value to a float64; return zero if that is impossible, as the template function `float64` does."""
    if is_bool(value):
        return float(bool(value))
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and len(value) < 400 and _FLOAT.fullmatch(value):
        return float(value)
    return 0.0


@function("int", "int64", least=1, most=1)
def integer(budget: Budget, value: object) -> object:
    """Convert a value to an int64."""
    return to_int(value)


@function("float64", least=1, most=1)
def float64(budget: Budget, value: object) -> object:
    """Convert a value to a float64."""
    return to_float(value)


@function("atoi", least=1, most=1)
def atoi(budget: Budget, value: object) -> object:
    """Parse a decimal integer; return zero if the text is not one."""
    text = str(value)
    sign = text[:1] in ("-", "+")
    return int(text) if text[sign:].isdecimal() and text.isascii() and len(text) < 19 else 0


@function("toDecimal", least=1, most=1)
def to_decimal(budget: Budget, value: object) -> object:
    """Parse an octal integer; return zero if the text is not one."""
    text = str(value)
    return int(text, 8) if text and all(digit in "01234567" for digit in text) and len(text) < 20 else 0


@function("add", least=0)
def add(budget: Budget, *values: object) -> object:
    """Return the sum of integers."""
    return _wrapped(sum(map(to_int, values)))


@function("add1", least=1, most=1)
def add1(budget: Budget, value: object) -> object:
    """Return `value` plus one, as an integer."""
    return _wrapped(to_int(value) + 1)


@function("sub", least=2, most=2)
def sub(budget: Budget, one: object, other: object) -> object:
    """Return `one` minus `other`, as integers."""
    return _wrapped(to_int(one) - to_int(other))


@function("mul", least=1)
def mul(budget: Budget, *values: object) -> object:
    """Return the product of integers."""
    product = 1
    for value in values:
        product = _wrapped(product * to_int(value))
    return product


def _quotient(one: int, other: int) -> int:
    if not other:
        raise NotRendered("division by zero")
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


@function("div", least=2, most=2)
def div(budget: Budget, one: object, other: object) -> object:
    """Return `one` divided by `other`, as integers, rounded toward zero."""
    return _wrapped(_quotient(to_int(one), to_int(other)))


@function("mod", least=2, most=2)
def mod(budget: Budget, one: object, other: object) -> object:
    """Return the remainder of `one` divided by `other`, as integers."""
    first, second = to_int(one), to_int(other)
    return first - second * _quotient(first, second)


@function("max", "biggest", least=1)
def maximum(budget: Budget, *values: object) -> object:
    """Return the largest of several integers."""
    return max(map(to_int, values))


@function("min", least=1)
def minimum(budget: Budget, *values: object) -> object:
    """Return the smallest of several integers."""
    return min(map(to_int, values))


@function("maxf", least=1)
def maximum_float(budget: Budget, *values: object) -> object:
    """Return the largest of several floats."""
    return max(map(to_float, values))


@function("minf", least=1)
def minimum_float(budget: Budget, *values: object) -> object:
    """Return the smallest of several floats."""
    return min(map(to_float, values))


def _decimals(values: tuple[object, ...], operation: str) -> float:
    from decimal import Decimal, DivisionByZero, InvalidOperation

    numbers = [Decimal(repr(to_float(value))) for value in values]
    result = numbers[0]
    try:
        for number in numbers[1:]:
            if operation == "+":
                result += number
            elif operation == "-":
                result -= number
            elif operation == "*":
                result *= number
            else:
                result = round(result / number, 16)
    except (DivisionByZero, InvalidOperation):
        raise NotRendered("division by zero") from None
    return float(result)


@function("addf", "add1f", least=1)
def add_floats(budget: Budget, *values: object) -> object:
    """Return the sum of decimal numbers; a single argument is increased by one."""
    return _decimals((*values, 1.0) if len(values) == 1 else values, "+")


@function("subf", least=1)
def sub_floats(budget: Budget, *values: object) -> object:
    """Return the first decimal number minus all others."""
    return _decimals(values, "-")


@function("mulf", least=1)
def mul_floats(budget: Budget, *values: object) -> object:
    """Return the product of decimal numbers."""
    return _decimals(values, "*")


@function("divf", least=1)
def div_floats(budget: Budget, *values: object) -> object:
    """Return the first decimal number divided by all others."""
    return _decimals(values, "/")


@function("floor", least=1, most=1)
def floor(budget: Budget, value: object) -> object:
    """Round a number down to a whole number."""
    return float(math.floor(to_float(value)))


@function("ceil", least=1, most=1)
def ceil(budget: Budget, value: object) -> object:
    """Round a number up to a whole number."""
    return float(math.ceil(to_float(value)))


@function("round", least=2, most=3)
def rounded(budget: Budget, value: object, places: object, up: object = 0.5) -> object:
    """Return a number rounded to `places` decimal places; fractions of at least `up` are rounded up."""
    power = 10.0 ** min(max(int_argument(places), -300), 300)
    scaled = to_float(value) * power
    whole = math.floor(scaled) if scaled >= 0 else math.ceil(scaled)
    fraction = abs(scaled - whole)
    if fraction >= to_float(up):
        whole += 1 if scaled >= 0 else -1
    return whole / power


def _steps(budget: Budget, start: int, stop: int, step: int) -> List:
    numbers = range(start, stop, step) if step else range(0)
    budget.items(len(numbers))
    return List(numbers)


@function("until", least=1, most=1)
def until(budget: Budget, count: object) -> object:
    """Return the integers from zero up or down to `count` (excluded)."""
    stop = int_argument(count)
    return _steps(budget, 0, stop, -1 if stop < 0 else 1)


@function("untilStep", least=3, most=3)
def until_step(budget: Budget, start: object, stop: object, step: object) -> object:
    """Return the integers from `start` to `stop` (excluded) in steps of `step`."""
    first, last, width = int_argument(start), int_argument(stop), int_argument(step)
    if (last < first and width >= 0) or (last >= first and width <= 0):
        return List()
    return _steps(budget, first, last, width)


@function("seq", least=0, most=3)
def sequence(budget: Budget, *values: object) -> object:
    """Return a sequence of integers, separated by spaces, in one string."""
    numbers = [int_argument(value) for value in values]
    if len(numbers) == 1:
        start, step, end = 1, 1 if numbers[0] >= 1 else -1, numbers[0]
    elif len(numbers) == 2:
        start, end = numbers
        step = 1 if end >= start else -1
    elif numbers:
        start, step, end = numbers
    else:
        return ""
    return " ".join(map(str, _steps(budget, start, end + (1 if step > 0 else -1), step)))

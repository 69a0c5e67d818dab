"""Sizes in `resource`, as the operator reads them: Flink's grammar, and quantities of its Kubernetes client.

What is refused depends on how Java reads decimal numbers; the messages are those of Java 17.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal

from flink_flint.linter.flink.java_text import JAVA_BLANKS, BadValue
from flink_flint.linter.flink.operator.refusal import Thrown
from flink_flint.linter.text.lazy_regex import regex

_UNITS = "eEinumkKMGTP"
_SPLITS = regex(f"[{_UNITS}]+")
_POWERS = {
    "Ki": (2, 10), "Mi": (2, 20), "Gi": (2, 30), "Ti": (2, 40), "Pi": (2, 50), "Ei": (2, 60), "n": (10, -9),
    "u": (10, -6), "m": (10, -3), "k": (10, 3), "M": (10, 6), "G": (10, 9), "T": (10, 12), "P": (10, 15),
    "E": (10, 18), "": (10, 0),
}  # fmt: skip
_DECIMAL64 = Context(prec=16, rounding=ROUND_HALF_EVEN, Emax=999999, Emin=-999999)
_EXACT = Context(prec=200, Emax=999999, Emin=-999999)
_MAX_INT = 2**31 - 1
_LONGEST = 18
"""The longest text that Java reads as a decimal number digit by digit."""


def parse_quantity(text: str, *, requires_amount: bool = False) -> Decimal:
    """Return the number that the Kubernetes client makes of a quantity.

    `requires_amount`: the client reads the unit first, and ends with another exception where there is nothing else, as
    that of operators before 1.6 does. Raises BadValue, and Thrown for other exceptions.
    """
    amount, unit = _split(text)
    if requires_amount and not amount and _SPLITS.fullmatch(unit):
        raise Thrown("Index 0 out of bounds for length 0")
    value = amount + unit
    if not value:
        raise BadValue("Invalid quantity value passed to parse")
    amount, unit = _split(f"0{value}" if value.startswith(".") else value)
    multiple = _multiple(unit) if requires_amount else None
    number = java_decimal(amount)
    return _EXACT.multiply(number, _multiple(unit) if multiple is None else multiple)


_LONGEST_NUMBER = 1_000
"""More digits are not read as a number, by Python neither."""


def _split(text: str) -> tuple[str, str]:
    if not text:
        raise BadValue("Invalid quantity string format passed.")
    found = _SPLITS.search(text)
    start = len(text) if found is None else found.start()
    amount, unit = text[:start], text[start:]
    if any(char.isdecimal() for char in unit) and unit[-1].isalpha():
        raise BadValue("Invalid quantity string format passed")
    return amount, unit


def _multiple(unit: str) -> Decimal:
    if len(unit) > 1 and any(char.isdecimal() for char in unit):
        return _power(10, _exponent(unit[1:]))
    if unit not in _POWERS:
        raise BadValue("Invalid quantity format passed to parse")
    base, exponent = _POWERS[unit]
    return _power(base, exponent)


def _exponent(text: str) -> int:
    if len(text) > _LONGEST_NUMBER or not re.fullmatch(r"[-+]?[0-9]+", text) or abs(int(text)) > _MAX_INT:
        raise BadValue(f'For input string: "{text}"')
    return int(text)


def _power(base: int, exponent: int) -> Decimal:
    if abs(exponent) > 999_999_999:
        raise Thrown("Invalid operation")
    if base == 10:
        digits = min(exponent, 15) if exponent > 0 else 0
        return Decimal((0, (1, *([0] * digits)), exponent - digits))
    return _DECIMAL64.create_decimal(base**exponent)


def java_decimal(text: str) -> Decimal:
    """Return a text as Java's BigDecimal reads it. Raises BadValue."""
    if not text:
        raise BadValue("null")
    digits = text[1:] if text[0] in "+-" else text
    seen_digit = seen_point = False
    for position, char in enumerate(digits):
        if char.isdecimal():
            seen_digit = True
        elif char == ".":
            if seen_point:
                raise BadValue("Character array contains more than one decimal point.")
            seen_point = True
        elif char in "eE":
            if not re.fullmatch(r"[-+]?[0-9]{1,10}", digits[position + 1 :]):
                raise BadValue("No exponent digits.")
            break
        elif len(digits) <= _LONGEST:
            raise BadValue(
                f'Character {char} is neither a decimal digit number, decimal point, nor "e" notation exponential mark.'
            )
        else:
            raise BadValue('Character array is missing "e" notation exponential mark.')
    if not seen_digit:
        raise BadValue("No digits found.")
    return Decimal(text)


def memory_text(text: str) -> str:
    """Return what Flink is given to read for a size in `resource` that it does not read itself. Raises BadValue."""
    written = re.sub(r"\s", "", text.strip(JAVA_BLANKS), flags=re.ASCII).upper().removesuffix("B")
    if written.endswith("I"):
        written = f"{written[:-1]}i"
    return str(parse_quantity(written))

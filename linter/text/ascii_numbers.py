"""Parses numbers in files, forms and flags, accepting only ASCII digits.

Python's int and float also accept digits of other scripts, underscores, blanks, `nan` and `infinity`, and int rejects
more than 4,300 digits; the programs that read the files do not treat these as numbers.
"""

from __future__ import annotations

from flink_flint.linter.text.lazy_regex import regex

_LONGEST = 400
_NUMBER = regex(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def whole(text: str) -> int | None:
    """Parse a whole number in ASCII digits, without a sign or blanks; return None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST else None


def number(text: str) -> float | None:
    """Parse a finite decimal number, ignoring surrounding blanks; return None for any other text."""
    text = text.strip(" \t\r\n")
    if len(text) > _LONGEST or _NUMBER.fullmatch(text) is None:
        return None
    found = float(text)
    return found if is_finite(found) else None


def is_finite(value: float) -> bool:
    """Return whether a number is neither infinite nor NaN."""
    return value - value == 0

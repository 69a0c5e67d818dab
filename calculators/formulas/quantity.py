"""Parsing and formatting of quantities with units: `2s`, `1.5 GiB`, `5k/s`, `70 %`.

A calculator's numbers are in base units: seconds, bytes, records per second, bytes per second, fractions of 1.
`k`, `mb` and similar suffixes are binary in sizes, as in Flink; in counts and rates they are decimal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from flink_flint.linter.text.named_tuple import NamedTuple

_NUMBER = re.compile(
    r"([-+]?(?:[0-9][0-9_]*(?:[  ][0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+)(?:e[-+]?[0-9]+)?)\s*(.*)", re.IGNORECASE | re.DOTALL
)

DAY = 86_400.0
"""The number of seconds in a day."""

_TIMES = {
    "ns": 1e-9, "nano": 1e-9, "nanos": 1e-9, "us": 1e-6, "µs": 1e-6, "micro": 1e-6, "micros": 1e-6,
    "ms": 1e-3, "milli": 1e-3, "millis": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": DAY, "day": DAY, "days": DAY, "w": 7 * DAY, "week": 7 * DAY, "weeks": 7 * DAY,
}  # fmt: skip
_COUNTS = {"": 1, "k": 10**3, "thousand": 10**3, "m": 10**6, "million": 10**6, "g": 10**9, "billion": 10**9}
_SIZES = {
    label: 1 << shift
    for shift, labels in (
        (0, "b byte bytes"),
        (10, "k kb ki kib kibibytes"),
        (20, "m mb mi mib mebibytes"),
        (30, "g gb gi gib gibibytes"),
        (40, "t tb ti tib tebibytes"),
        (50, "p pb pi pib pebibytes"),
    )
    for label in labels.split()
}
_RATES = "5k/s, 300/min or 0.5/d"
_BYTE_RATES = "10mb/s or 1gb/h"
_RECORDS = re.compile(
    r"(?<!\s)\s*+(records?|recs?|messages?|msgs?|events?|elements?|rows?|calls?|requests?)$", re.IGNORECASE
)


class BadQuantity(ValueError):  # noqa: N818 - it names the text, not the failure
    """The error for a text that is not a quantity of the expected unit; `str()` gives the reason and the remedy."""


class Unit(NamedTuple):
    """The unit of an input or value: how to parse and format its numbers."""

    name: str
    """The name of the unit: ``seconds``, ``bytes``, ``records/s``."""
    parse: Callable[[str], Any]
    """A function that parses text into a number in the base unit; raises BadQuantity if the text is invalid."""
    spell: Callable[[Any], str]
    """A function that formats a number in the base unit as text that `parse` accepts."""
    example: str
    """A sample text that `parse` accepts."""
    json_types: tuple[str, ...] = ("string",)
    """The JSON types that an input file may contain for this unit."""
    choices: tuple[str, ...] = ()

    def read(self, value: object) -> Any:
        """Parse a value from an input file or a flag; raise BadQuantity if it is unusable."""
        if isinstance(value, str):
            return self.parse(value)
        if isinstance(value, bool):
            if "boolean" in self.json_types:
                return value
        elif isinstance(value, (int, float)) and ("number" in self.json_types or value == 0):
            return self.parse(repr(value))
        raise BadQuantity(f"{value!r} has no unit; write it like {self.example}")


def _split(text: str, example: str) -> tuple[float, str]:
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise BadQuantity(f"{text!r} does not start with a number; write it like {example}")
    digits, unit = match.groups()
    return _finite(float(re.sub(r"[_  ]", "", digits)), text, example), unit.strip()


def _finite(number: float, text: str, example: str) -> float:
    if not math.isfinite(number):
        raise BadQuantity(f"{text!r} is too large a number; write it like {example}")
    return number


def _scaled(text: str, units: dict[str, Any], example: str, what: str) -> float:
    number, unit = _split(text, example)
    scale = units.get(unit) or units.get(unit.lower())
    if scale is None:
        if not unit:
            if number == 0:
                return 0.0
            raise BadQuantity(f"{text!r} has no unit; write it like {example}")
        raise BadQuantity(f"{unit!r} in {text!r} is not a unit of {what}; write it like {example}")
    # Division keeps what people write in decimal exact: 350 ms is 0.35 s, not 0.35000000000000003 s.
    return _finite(float(number / round(1 / scale) if scale < 1 else number * scale), text, example)


_DURATION_PART = re.compile(r"(?<![\s0-9.])\s*+([0-9][0-9.]*+)\s*+([a-zµ]++)", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Parse a duration into seconds: ``2s``, ``350 ms``, ``1.5 h``, ``1h 30min``; raise BadQuantity if invalid."""
    parts = _DURATION_PART.findall(text)
    if len(parts) > 1 and not _DURATION_PART.sub("", text).strip():
        seconds = [_scaled("".join(part), _TIMES, "1h 30min", "time") for part in parts]
        _finite(sum(seconds), text, "1h 30min")
        return math.fsum(seconds)
    return _scaled(text, _TIMES, "2s, 350ms or 5min", "time")


def parse_size(text: str) -> int:
    """Parse a size (binary, as in Flink) into bytes: ``1.5 GiB``, ``512mb``, ``64k``; raise BadQuantity if invalid."""
    return round(_scaled(text, _SIZES, "512mb or 1.5 GiB", "size"))


def parse_count(text: str) -> int:
    """Parse a whole number: ``200``, ``10 000``, ``10k``, ``1.4M`` (decimal), ``1e6``; raise BadQuantity if invalid."""
    number = _scaled(_RECORDS.sub("", text), _COUNTS, "200 or 10k", "count")
    if not math.isfinite(number) or abs(number - round(number)) > 1e-6:
        raise BadQuantity(f"{text!r} is not a whole number")
    return round(number)


def parse_number(text: str) -> float:
    """Parse a number without a unit, such as a factor; raise BadQuantity if invalid."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None or match[2].strip():
        raise BadQuantity(f"{text!r} is not a number; write it like 1.5")
    return _split(text, "1.5")[0]


def parse_fraction(text: str) -> float:
    """Parse a fraction of 1: ``0.7`` or ``70 %``; raise BadQuantity if invalid."""
    number, unit = _split(text, "0.7 or 70 %")
    if unit == "%":
        return number / 100
    if unit:
        raise BadQuantity(f"{unit!r} in {text!r} is not a unit of a fraction; write it like 0.7 or 70 %")
    if 1 < number <= 100:
        raise BadQuantity(f"{text!r} is above 1; if {number:g} % was meant, write {number / 100:g} or {number:g} %")
    return number


def _per(text: str, example: str) -> tuple[str, float]:
    """Split a rate into the text before the slash and the seconds of the period after it; zero needs no period."""
    amount, slash, period = text.partition("/")
    if not slash:
        if text.strip() == "0":
            return text, 1.0
        raise BadQuantity(f"{text!r} has no period; write it like {example}")
    seconds = _TIMES.get(period.strip()) or _TIMES.get(period.strip().lower())
    if seconds is None:
        raise BadQuantity(f"{period.strip()!r} in {text!r} is not a unit of time; write it like {example}")
    return amount, seconds


def parse_rate(text: str) -> float:
    """Parse a rate into a number per second: ``5k/s``, ``300/min``, ``3000 records/s``.

    Raises BadQuantity without a period.
    """
    amount, seconds = _per(text, _RATES)
    return _finite(_scaled(_RECORDS.sub("", amount), _COUNTS, _RATES, "count") / seconds, text, _RATES)


def parse_byte_rate(text: str) -> float:
    """Parse a rate into bytes per second, with sizes as in `parse_size`: ``10 MiB/s``, ``1 GiB/h``.

    Raises BadQuantity if the rate is invalid.
    """
    amount, seconds = _per(text, _BYTE_RATES)
    return _finite(_scaled(amount, _SIZES, _BYTE_RATES, "size") / seconds, text, _BYTE_RATES)


def parse_flag(text: str) -> bool:
    """Parse ``yes`` or ``no`` (or true, false, on, off, y, n); raise BadQuantity for any other word."""
    word = text.strip().lower()
    if word in ("yes", "true", "on", "y"):
        return True
    if word in ("no", "false", "off", "n"):
        return False
    raise BadQuantity(f"{text!r} is neither yes nor no")


# -- formatting


def significant(value: float, digits: int = 4) -> str:
    """Format a number with `digits` significant digits and thousands separators: ``1 346``, ``0.0333``, ``12.5``."""
    if not math.isfinite(value):
        return "unlimited" if value > 0 else str(value)
    if value == round(value) or abs(value) >= min(10**digits, 1000):
        return f"{round(value):,}".replace(",", " ")
    text = f"{value:.{digits}g}"
    if "e" in text:
        return text
    return text.rstrip("0").rstrip(".") if "." in text else text


def spell_duration(seconds: float) -> str:
    """Format seconds in one unit or two adjacent ones: ``52 s``, ``350 ms``, ``8 min 22 s``, ``1 d 6 h``.

    Durations are rounded; those below two minutes to four digits.
    """
    if not math.isfinite(seconds):
        return "forever"
    if seconds < 0:
        return f"-{spell_duration(-seconds)}"
    if seconds == 0:
        return "0 s"
    if seconds < 1e-6:
        return f"{significant(seconds * 1e9)} ns"
    if seconds < 1e-3:
        return f"{significant(seconds * 1e6)} µs"
    if seconds < 1:
        return f"{significant(seconds * 1e3)} ms"
    if seconds < 120:
        return f"{significant(seconds)} s"
    for (label, size), (lower, part) in pairwise((("d", 86400), ("h", 3600), ("min", 60), ("s", 1))):
        # Rounded first: 59 min 59.7 s are an hour, not 59 min 60 s.
        count, rest = divmod(round(seconds / part), size // part)
        if count:
            return f"{count} {label} {rest} {lower}" if rest else f"{count} {label}"
    raise AssertionError


def spell_size(size: float) -> str:
    """Format a size in bytes: ``4 GiB``, ``1728 MiB``, ``12.5 GiB``, ``800 bytes``."""
    if not math.isfinite(size):
        return "unlimited"
    for shift, unit in ((50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        count = size / (1 << shift)
        if count >= 10 or (count >= 1 and (count == int(count) or unit in ("MiB", "KiB"))):
            return f"{significant(count).replace(' ', '')} {unit}"  # 1728 MiB is the familiar spelling in Flink
    return f"{significant(size)} {'byte' if size == 1 else 'bytes'}"


def spell_count(count: float) -> str:
    """Format a whole number with spaces as thousands separators."""
    return significant(count, 12) if math.isfinite(count) else "unlimited"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun: ``1 thread``, ``2 threads``, ``10 000 threads``."""
    return f"{spell_count(count)} {noun if count == 1 else plural or noun + 's'}"


def spell_rate(rate: float) -> str:
    """Format a rate as ``3 000/s`` or ``0.33/s``; below 0.01/s, as a rate per minute, hour or day: ``0.5/d``."""
    if rate < 0:
        return f"-{spell_rate(-rate)}"
    if rate == 0 or rate >= 0.01 or not math.isfinite(rate):
        return f"{significant(rate)}/s"
    for label, seconds in (("min", 60), ("h", 3600), ("d", 86400)):
        if rate * seconds >= 1 or label == "d":
            return f"{significant(rate * seconds)}/{label}"
    raise AssertionError


def spell_fraction(fraction: float) -> str:
    """Format a fraction of 1 as a percentage: ``70 %``."""
    return f"{significant(fraction * 100)} %"


def _spell_choice(value: str) -> str:
    return value


SECONDS = Unit("seconds", parse_duration, spell_duration, "2s")
BYTES = Unit("bytes", parse_size, spell_size, "512mb")
COUNT = Unit("count", parse_count, spell_count, "200", ("string", "number"))
PER_SECOND = Unit("1/s", parse_rate, spell_rate, "5k/s")
BYTES_PER_SECOND = Unit("bytes/s", parse_byte_rate, lambda rate: f"{spell_size(rate)}/s", "10mb/s")
FRACTION = Unit("fraction", parse_fraction, spell_fraction, "0.7", ("string", "number"))
NUMBER = Unit("number", parse_number, significant, "1.5", ("string", "number"))
YES_NO = Unit("yes/no", parse_flag, lambda flag: "yes" if flag else "no", "yes", ("string", "boolean"))


_RENAMED_WORDS = {"maximise": "maximize"}


def current_word(word: str) -> str:
    """Return the current spelling of a renamed word: ``maximize`` for ``maximise``; other words are unchanged."""
    return _RENAMED_WORDS.get(word, word)


def choice(*words: str) -> Unit:
    """Return a unit that accepts only `words` as values."""

    def parse(text: str) -> str:
        word = current_word(text.strip().lower())
        if word not in words:
            raise BadQuantity(f"{text!r} is not one of {', '.join(words)}")
        return word

    return Unit("one of " + ", ".join(words), parse, _spell_choice, words[0], choices=words)

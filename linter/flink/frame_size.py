"""The RPC frame size, which has the grammar of Typesafe Config (HOCON) instead of Flink's MemorySize."""

from __future__ import annotations

import re

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import MAX_INT, MAX_LONG, MemorySize, number_of

_HOCON_MIN_FRAME = 32_000
_HOCON_DECIMAL = ("kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta")
_HOCON_BINARY = ("kibi", "mebi", "gibi", "tebi", "pebi", "exbi", "zebi", "yobi")
_BYTES = ("byte", "bytes")


def _hocon_units() -> dict[str, int]:
    units = dict.fromkeys(("", "b", "B", *_BYTES), 1)
    for power, (decimal, binary) in enumerate(zip(_HOCON_DECIMAL, _HOCON_BINARY, strict=True), 1):
        small, big = decimal[0], decimal[0].upper()
        for unit in ("kB" if power == 1 else f"{big}B", *(decimal + end for end in _BYTES)):
            units[unit] = 1000**power
        for unit in (small, big, f"{big}i", f"{big}iB", *(binary + end for end in _BYTES)):
            units[unit] = 1024**power
    return units


def parse_hocon_bytes(text: str) -> MemorySize:
    """Parse a frame size (``pekko.framesize``, ``akka.framesize``) in the grammar of Typesafe Config.

    ``10m``, ``10M``, ``10MiB`` and ``10485760b`` are binary, ``10MB`` and ``10kB`` decimal; ``10mb`` is not valid. The
    size must be from 32,000 to 2,147,483,647 bytes; raises BadValue otherwise.
    """
    trimmed = text.strip()
    if len(trimmed) > 1 and trimmed[0] == trimmed[-1] == '"':  # a quoted string is the same to that parser
        trimmed = trimmed[1:-1].strip()
    end = len(trimmed)
    while end and trimmed[end - 1].isalpha():
        end -= 1
    number, unit = trimmed[:end].strip(), trimmed[end:]
    if not number:
        raise BadValue(f"No number in size-in-bytes value '{text}'")
    units = _hocon_units()
    if unit not in units:
        raise BadValue(f"Could not parse size-in-bytes unit '{unit}' (try k, K, kB, KiB, kilobytes, kibibytes)")
    if re.fullmatch("[0-9]+", number):
        size = number_of(number) * units[unit]
    elif re.fullmatch(r"-?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?", number):
        from fractions import Fraction

        size = int(Fraction(number) * units[unit])
    else:
        raise BadValue(f"Could not parse size-in-bytes number '{number}'")
    if size > MAX_LONG:
        raise BadValue(f"size-in-bytes value is out of range for a 64-bit long: '{text}'")
    if size > MAX_INT:
        raise BadValue(f"{size} bytes do not fit the 32-bit frame size, at most {MAX_INT} bytes")
    if size < _HOCON_MIN_FRAME:
        raise BadValue(f"must be at least {_HOCON_MIN_FRAME} bytes")
    return MemorySize(size)

"""Conversion of typed option values to the base units that calculators use: seconds, bytes and plain numbers."""

from __future__ import annotations

from typing import Any

from flink_flint.calculators.answering.declaration import Input
from flink_flint.calculators.formulas.quantity import BYTES, SECONDS
from flink_flint.linter.flink.values import Duration


def plain(value: object, key: str = "") -> Any:
    """Convert a typed option value to base units; raise BadQuantity for an unreadable frame size."""
    if value is None:
        return None
    if isinstance(value, Duration):
        return value.seconds
    if isinstance(value, str) and key.endswith(".framesize"):
        from flink_flint.linter.flink.frame_size import parse_hocon_bytes

        return int(parse_hocon_bytes(value))
    if isinstance(value, bool | float | str):
        return value
    return int(value) if isinstance(value, int) else str(value)


def in_unit(declared: Input, value: object) -> Any:
    """Convert a typed option value to an input's base unit; raise BadQuantity if that is impossible."""
    unit, found = declared.unit, plain(value, declared.option)
    if isinstance(found, bool):
        return unit.read(found)
    if isinstance(found, int) and unit.name == SECONDS.name:
        return found / 1000  # options that hold a time in a plain number count milliseconds
    if unit.name in (SECONDS.name, BYTES.name) and not isinstance(found, str):
        return found
    if isinstance(value, dict):
        return unit.parse(",".join(f"{name}:{held}" for name, held in value.items()))
    return unit.parse(found if isinstance(found, str) else repr(found))

"""Spells settings for one release: with its keys, and with durations and sizes in a syntax that it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import Release, nearest_index
from flink_flint.linter.flink.values import MAX_INT, MAX_LONG
from flink_flint.linter.text.named_tuple import NamedTuple


class Spelled(NamedTuple):
    """Settings with the keys and value syntax of one release, and the keys that the release does not have."""

    settings: dict[str, str]
    unknown: tuple[str, ...]
    """The keys of the settings that the release does not support, as primary keys of the newest release."""


def spelled(settings: Mapping[str, Any], release: Release) -> Spelled:
    """Return `settings`, given by their newest primary keys, with the keys and value syntax of `release`."""
    options, index = catalogue().as_of(release), nearest_index(release)
    texts: dict[str, str] = {}
    unknown: list[str] = []
    for key, value in settings.items():
        name = options.primary_name(key, index)
        accepted = options.accept(name, index) if name else None
        if name is None or accepted is None:
            unknown.append(key)
        else:
            texts[name] = value_text(accepted.option, value)
    return Spelled(texts, tuple(unknown))


def value_text(option: Option, value: Any) -> str:
    """Return a typed value (seconds, bytes, number, bool, or string) as text for an option, capped at its maximum."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if option.type == "Duration" or (option.type == "String" and isinstance(value, float)):
        return duration_text(value)
    if option.type == "MemorySize":
        return size_text(min(int(value), MAX_LONG))
    if option.type in ("Integer", "Long"):
        # A calculator returns a duration (in seconds) also for options that are plain milliseconds in old releases.
        whole = round(value * 1000) if isinstance(value, float) else value
        return str(min(whole, MAX_INT if option.type == "Integer" else MAX_LONG))
    return repr(float(f"{value:.6g}")) if isinstance(value, float) else str(value)


def duration_text(seconds: float) -> str:
    """Return a duration in seconds as text that every release accepts: ``52 s``, ``10 min``, ``61100 ms``."""
    milliseconds = min(round(seconds * 1000), MAX_LONG)
    for label, size in (("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        # Use the largest unit in which the duration is a whole number: 90 min, not 1.5 h.
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size} {label}"
    return f"{milliseconds} ms"


def size_text(size: int) -> str:
    """Return a size in bytes as exact text that every release accepts: ``1728mb``, ``20kb``, ``1811939333 bytes``."""
    for label, shift in (("gb", 30), ("mb", 20), ("kb", 10)):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift}{label}"
    return f"{size} bytes"

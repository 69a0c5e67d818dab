"""Formatting of numbers in the messages of rules on observations."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.observations import Observed

MIB = 1 << 20
_STEP = 64 * MIB


def lasting(seconds: float) -> str:
    """Format a duration for messages, to three digits: ``58 s``, ``2.5 min``."""
    from flink_flint.calculators.formulas.quantity import spell_duration  # only when there is something to tell

    return spell_duration(float(f"{seconds:.3g}"))


def setting_text(seconds: float) -> str:
    """Format a duration as the value of a setting: ``52 s``, ``10 min``."""
    from flink_flint.linter.flink.release_spelling import duration_text

    return duration_text(seconds)


def sized(size: float) -> str:
    """Format a size in bytes for messages: ``3.5 GiB``."""
    return readable(round(size))


def percent(share: float) -> str:
    """Format a share (0 to 1) for messages: ``12 %``."""
    return f"{share * 100:.3g} %"


def steps_of(size: float) -> int:
    """Round a size in bytes up to a multiple of 64 MiB, because observations are not exact."""
    return -(-round(size) // _STEP) * _STEP


def evidence(main: Observed, *others: Observed | None, **more: object) -> dict[str, object]:
    """Return the evidence of a finding as JSON: the main observation, other observations, and computed values."""
    also = [one.evidence for one in others if one is not None]
    return {**main.evidence, **({"also": also} if also else {}), **more}


def rated(rate: float) -> str:
    """Format a rate for messages: ``7 500/s``."""
    from flink_flint.calculators.formulas.quantity import spell_rate

    return spell_rate(float(f"{rate:.3g}"))


def whole(number: float) -> str:
    """Format a whole number for messages: ``5 000 000``."""
    from flink_flint.calculators.formulas.quantity import spell_count

    return spell_count(round(number))


def count(number: int, noun: str) -> str:
    """Format a number with its noun: ``1 subtask``, ``2 subtasks``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def times(number: float) -> str:
    """Format how often something happens: ``once``, ``3 times``."""
    return "once" if number == 1 else f"{number:.0f} times"


def likewise(found: Sequence[object], noun: str) -> str:
    """Return a suffix with the number of further cases, `` (and 2 more jobs)``; empty if there are none."""
    more = len(found) - 1
    return f" (and {more} more {noun}{'s' if more > 1 else ''})" if more > 0 else ""


def setting_size(size: float) -> str:
    """Format a size in bytes as the value of a setting: ``384mb``."""
    from flink_flint.linter.flink.release_spelling import size_text

    return size_text(round(size))

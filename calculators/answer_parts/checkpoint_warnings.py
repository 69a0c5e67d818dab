"""Errors and warnings about checkpoint settings, and Java calls for settings that have no option in a release."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flink_flint.calculators.answering.answer import Snippet
from flink_flint.calculators.formulas import checkpoint_timing as timing
from flink_flint.calculators.formulas.duration_rounding import rounded_down
from flink_flint.calculators.formulas.quantity import significant, spell_count, spell_duration, spell_fraction
from flink_flint.calculators.inputs.checkpoint import PREFIX, Checkpoint
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

_ALIGNED_FOR = 30.0
"""The maximum recommended aligned checkpoint timeout, in seconds."""
_UNALIGNED_SINCE = MINORS.index("1.13")
"""First release with reliable unaligned checkpoints: 1.11 could not return to aligned ones, 1.12.0 lost state."""


def judge(inputs: Checkpoint, min_timeout: float, least: float, most: float | None) -> tuple[list[str], list[str]]:
    """Return errors and warnings about current checkpoint settings; the interval may be `least` to `most` seconds."""
    errors: list[str] = []
    warnings: list[str] = []
    takes, timeout = spell_duration(inputs.busy), spell_duration(inputs.timeout)
    if inputs.timeout < inputs.lasts:
        errors.append(f"checkpoints that take {spell_duration(inputs.lasts)} expire at the timeout of {timeout}")
    elif inputs.timeout < min_timeout:
        warnings.append(
            f"the timeout of {timeout} is less than {significant(inputs.slack)} x {takes} = "
            f"{spell_duration(min_timeout)}: checkpoints expire on a bad day"
        )
    if inputs.concurrent > 1:
        warnings.append(
            f"max-concurrent-checkpoints of {spell_count(inputs.concurrent)} lets checkpoints overlap; with a pause "
            "only one runs at a time"
        )
    if inputs.interval is None:
        return errors, warnings
    every = timing.start_to_start(inputs.interval, inputs.busy, inputs.min_pause)
    share = inputs.busy / every
    interval = spell_duration(inputs.interval)
    if share > inputs.load + 1e-9 and inputs.busy > inputs.interval:
        follows = f"after the pause of {spell_duration(inputs.min_pause)}" if inputs.min_pause else "at once"
        errors.append(
            f"a checkpoint takes {takes}, more than the interval of {interval}: the next one follows {follows}, and "
            f"checkpoints run {spell_fraction(share)} of the time"
        )
    elif share > inputs.load + 1e-9:
        warnings.append(
            f"at the interval of {interval} checkpoints of {takes} run {spell_fraction(share)} of the time, more than "
            f"{spell_fraction(inputs.load)}"
        )
    elif every > timing.effective_interval(inputs.interval, inputs.min_pause):
        warnings.append(
            f"the interval of {interval} is not kept: a checkpoint of {takes} and the pause make "
            f"{spell_duration(every)}"
        )
    if inputs.cost is not None and inputs.cost / every > inputs.overhead:
        warnings.append(
            f"{spell_duration(inputs.cost)} without processing in every {spell_duration(every)} are "
            f"{spell_fraction(inputs.cost / every)} of the time, more than {spell_fraction(inputs.overhead)}"
        )
    if most is not None and every > max(most, least):
        warnings.append(
            f"checkpoints every {spell_duration(every)} are too few: at most {spell_duration(max(0.0, most))} "
            "meets the requirements"
        )
    return errors, warnings


def held_up(inputs: Checkpoint, timeout: float, release: Release) -> tuple[list[str], dict[str, Any]]:
    """Return warnings about barriers delayed by backpressure, and settings that help; both empty without a delay."""
    way = (inputs.alignment or 0.0) + (inputs.start_delay or 0.0)
    limit = timing.BACKPRESSURED * inputs.timeout
    if way <= limit:
        return [], {}
    text = (
        f"barriers take {spell_duration(way)}, more than {spell_fraction(timing.BACKPRESSURED)} of the "
        f"timeout of {spell_duration(inputs.timeout)}: backpressure delays checkpoints"
    )
    if inputs.unaligned:
        return [f"{text} although they are unaligned; make the job faster, or reduce the data in buffers"], {}
    if nearest_index(release) < _UNALIGNED_SINCE:
        return [f"{text}; unaligned checkpoints help from Flink 1.13 on; before that only a faster job helps"], {}
    aligned_for = min(_ALIGNED_FOR, rounded_down(timeout / 10))
    remedy = (
        f"with unaligned checkpoints after {spell_duration(aligned_for)} they pass it, and write what they overtake"
    )
    return [f"{text}; {remedy}"], {
        PREFIX + "unaligned.enabled": True,
        PREFIX + "aligned-checkpoint-timeout": aligned_for,
    }


def in_java(settings: Mapping[str, Any], release: Release) -> tuple[Snippet, ...]:
    """Return the Java calls for settings that have no option in the release."""
    if not (unknown := spelled(settings, release).unknown):
        return ()
    names = {
        "timeout": "setCheckpointTimeout",
        "min-pause": "setMinPauseBetweenCheckpoints",
        "tolerable-failed-checkpoints": "setTolerableCheckpointFailureNumber",
    }
    lines = []
    for key in unknown:
        name, value = key.removeprefix(PREFIX), settings[key]
        number = value if isinstance(value, int) else math.ceil(round(value * 1000, 6))
        if name == "interval":
            lines.append(f"env.enableCheckpointing({number});")
        elif name in names:
            lines.append(f"env.getCheckpointConfig().{names[name]}({number});")
    return (Snippet("job source (Java)", "\n".join(lines)),) if lines else ()

"""Errors and warnings about an async operator's capacity, threads, timeout and retries."""

from __future__ import annotations

from flink_flint.calculators.formulas.async_calls import HEADROOM, drain, in_line
from flink_flint.calculators.formulas.quantity import (
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_rate,
)
from flink_flint.calculators.inputs.async_io import AsyncIo, Service
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

_FIRST_RETRIES = MINORS.index("1.16")
_TIMEOUT_ENDS_RETRIES = MINORS.index("2.0")
_MOST = 2147483647
"""The largest int of Java, which holds threads and capacity."""
_MANY_THREADS = 500
"""The number of threads in one subtask at which a thread pool is no longer adequate."""


def judge(inputs: AsyncIo) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the operator's current capacity, threads and timeout."""
    pool = inputs.threads_of(inputs.pool)
    if inputs.client == "pool" and pool is None:
        return [], []
    errors: list[str] = []
    warnings: list[str] = []
    capacity = inputs.capacity
    if inputs.timeout is not None and inputs.timeout < inputs.call:
        (errors if inputs.timeout < (inputs.service_time or inputs.call) else warnings).append(
            too_short(inputs.timeout, inputs.call)
        )
    if capacity is not None and pool is not None:
        if capacity < pool:
            warnings.append(
                f"a capacity of {spell_count(capacity)} leaves {spell_count(pool - capacity)} of "
                f"{counted(pool, 'thread')} without work"
            )
        if inputs.timeout is not None and inputs.timeout < drain(capacity, pool, inputs.call, inputs.pauses):
            errs, warns = _judge_line(inputs, capacity, pool, inputs.timeout)
            errors += errs
            warnings += warns
    at_once = [bound for bound in (pool, capacity) if bound is not None]
    if at_once:
        wrong, risky = _judge_rate(inputs, min(at_once))
        errors += wrong
        warnings += risky
    return errors, warnings


def _judge_rate(inputs: AsyncIo, at_once: int) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the number of calls that one subtask currently makes at once."""
    time = inputs.service_time
    if inputs.rate is None or time is None:
        return [], []
    most = at_once * inputs.parallelism / time
    peak = inputs.rate * inputs.catch_up
    over = "" if inputs.parallelism == 1 else f" in each of {spell_count(inputs.parallelism)} subtasks"
    calls = counted(at_once, "call")
    text = (
        f"{calls} at once of {spell_duration(time)}{over} {'answers' if at_once == 1 else 'answer'} {spell_rate(most)}"
    )
    if inputs.rate > most:
        return [f"{text}, and {spell_rate(inputs.rate)} arrive: the operator holds the source back"], []
    if peak > most:
        return [], [
            (
                f"{text} at most, less than the {spell_rate(peak)} of a catch-up at "
                f"{significant(inputs.catch_up)} times the usual rate: the operator holds the source back, and a "
                "backlog takes longer"
            )
        ]
    room = 1 / HEADROOM if inputs.client == "async" else inputs.utilization
    if peak > most * room * (1 + 1e-9):
        return [], [
            (
                f"{text} at most, and the {spell_rate(peak)} "
                f"{'of a catch-up' if inputs.catch_up > 1 else 'that arrive'} take {spell_fraction(peak / most)} of "
                f"that, more than the {spell_fraction(room)} that leave room for uneven load"
            )
        ]
    return [], []


def _judge_line(inputs: AsyncIo, capacity: int, pool: int, timeout: float) -> tuple[list[str], list[str]]:
    line, worst = in_line(capacity, pool), drain(capacity, pool, inputs.call, inputs.pauses)
    time = inputs.service_time
    text = f"{counted(line, 'call')} queued for a thread"
    takes = "takes" if line == 1 else "take"
    if time is not None and (usual := drain(capacity, pool, time)) <= timeout:
        return [], [
            (
                f"{text}, {spell_duration(time)} each, {takes} {spell_duration(usual)} and "
                f"{'fits' if line == 1 else 'fit'} the timeout of {spell_duration(timeout)}, but only while calls stay "
                f"below {spell_duration(timeout / line)}: at the read timeout they take {spell_duration(worst)}"
            )
        ]
    each = inputs.call if time is None else time
    return [
        (
            f"{text}, {spell_duration(each)} each, {takes} {spell_duration(drain(capacity, pool, each))}, more than "
            f"the timeout of {spell_duration(timeout)}: when capacity fills up, records time out and the job fails"
        )
    ], []


def impossible(capacity: int, pool: int | None) -> list[str]:
    """Return errors about a capacity or pool above Java's limits; `pool` is the number of threads in the whole pool."""
    if pool is not None and pool > _MOST:
        return [
            (
                f"{counted(pool, 'thread')} are more than any pool has, {spell_count(_MOST)}: an asynchronous client "
                "(--client async), more subtasks or a faster service are needed"
            )
        ]
    if capacity > _MOST:
        return [
            (
                f"a capacity of {spell_count(capacity)} is more than the argument allows, {spell_count(_MOST)}: more "
                "subtasks or a faster service are needed"
            )
        ]
    return []


def too_many(pool: int | None) -> list[str]:
    """Return warnings about a pool with too many threads for one subtask; empty if there are none."""
    if pool is None or not _MANY_THREADS < pool <= _MOST:
        return []
    return [
        (
            f"{counted(pool, 'thread')} in one subtask spend more on stacks (1 MiB each by default) and on taking "
            "turns than on calls: use an asynchronous client (--client async) or more subtasks"
        )
    ]


def retrying(inputs: Service, release: Release) -> list[str]:
    """Return warnings about retries by Flink's AsyncRetryStrategy."""
    if not inputs.pauses:
        return []
    index = nearest_index(release)
    if index < _FIRST_RETRIES:
        return [f"Flink {release} has no AsyncRetryStrategy, which is available since 1.16"]
    if index < _TIMEOUT_ENDS_RETRIES:
        return [
            (
                f"Flink {release} passes its own TimeoutException to the retry predicate, too: one that accepts any "
                "exception (HAS_EXCEPTION_PREDICATE) retries timeouts, which then limit nothing"
            )
        ]
    return []


def too_short(timeout: float, call: float) -> str:
    """Return an error message about a timeout shorter than one call, both in seconds."""
    return (
        f"a timeout of {spell_duration(timeout)} ends calls that may take {spell_duration(call)}, and a timeout fails "
        "the job"
    )

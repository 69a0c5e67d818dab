"""Formulas for asynchronous calls: their duration, the queue and the calls in flight.

The docstring of `calculators.async_io` explains the formulas.
"""

from __future__ import annotations

import math

HEADROOM = 1.2
"""The safety factor for capacity (relative to the calls in flight) and timeout (relative to the longest call)."""


QUEUED_PER_THREAD = 2
"""The recommended number of records in flight per thread: the one being processed and the next one."""


def pauses_of(retries: int, pause: float) -> float:
    """Return the total seconds that a call pauses for its retries, with `pause` seconds before each of them."""
    return pause * retries


def longest_call(
    read_timeout: float, connect_timeout: float = 0.0, *, pooled: bool = True, retries: int = 0, pause: float = 0.0
) -> float:
    """Return the longest duration of one record's call in seconds, including all retries and pauses.

    Timeouts and pause in seconds; `pooled`: connections are reused, so a call does not connect.
    """
    once = read_timeout + (0.0 if pooled else connect_timeout)
    return once * (1 + retries) + pauses_of(retries, pause)


def pool_of_subtask(pool: int, shared_by: int) -> int:
    """Return the number of threads, at least one, that each of `shared_by` subtasks gets from a shared pool."""
    return max(1, pool // shared_by)


def in_line(capacity: int, pool: int) -> int:
    """Return the number of calls queued for each of `pool` threads when `capacity` records are in flight."""
    return math.ceil(capacity / pool)


def drain(capacity: int, pool: int, call: float, pauses: float = 0.0) -> float:
    """Return the seconds until the last of `capacity` queued calls is complete.

    Every call occupies a thread for `call` seconds.

    `pauses`: seconds that a record waits in addition, without occupying a thread (for retries by Flink itself).
    """
    return in_line(capacity, pool) * call + pauses


def margin_above(call: float, margin: float | None) -> float:
    """Return the seconds to add to the longest wait for a pool: `margin`, or `call` if `margin` is None."""
    return call if margin is None else margin


def required_timeout(
    capacity: int, pool: int | None, call: float, margin: float | None = None, pauses: float = 0.0
) -> float:
    """Return the smallest timeout in seconds at which no record times out before its call can complete.

    `pool` None: an asynchronous client, where capacity plays no part. `margin` in seconds; one call (20 % of
    one for an asynchronous client) where None. `pauses` as in `drain`.
    """
    if pool is None:
        return call * HEADROOM if margin is None else call + margin
    return drain(capacity, pool, call, pauses) + margin_above(call, margin)


def line_within(timeout: float, call: float, margin: float | None = None, pauses: float = 0.0) -> int:
    """Return the maximum number of calls queued per thread that a timeout (seconds) allows; 0 if no call fits.

    The inverse of `required_timeout` for a pool, whose capacity is then that many times its threads.
    """
    return max(0, math.floor(round((timeout - margin_above(call, margin) - pauses) / call, 9)))


def at_once(capacity: int, pool: int | None) -> int:
    """Return the maximum number of concurrent calls of one subtask; `pool` is None for an asynchronous client."""
    return capacity if pool is None else min(pool, capacity)


def calls_in_flight(rate: float, latency: float) -> int:
    """Return the number of calls in flight by Little's law, for `rate` calls per second of `latency` seconds each."""
    return math.ceil(round(rate * latency, 9))


def capacity_of_client(rate: float, latency: float) -> int:
    """Return the capacity that one subtask's asynchronous client needs for `rate` calls/s of `latency` seconds each."""
    return math.ceil(round(HEADROOM * calls_in_flight(rate, latency), 9))


def threads(rate: float, latency: float, utilization: float) -> int:
    """Return the number of threads that one subtask needs for `rate` blocking calls/s of `latency` seconds each."""
    return max(1, math.ceil(round(rate * latency / utilization, 9)))


def capacity_of_pool(pool: int) -> int:
    """Return the capacity that keeps every thread of one subtask's pool busy."""
    return QUEUED_PER_THREAD * pool


def sustained_rate(capacity: int, pool: int | None, latency: float, utilization: float) -> float:
    """Return the records per second that one subtask sustains with headroom, if a call takes `latency` seconds.

    Threads are busy for `utilization` (0 to 1) of the time; an asynchronous client (`pool` None) keeps `HEADROOM`.
    """
    if pool is None:
        return capacity / HEADROOM / latency
    return at_once(capacity, pool) * utilization / latency

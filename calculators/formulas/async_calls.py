"""The arithmetic of asynchronous calls: how long they take, how many wait, how many are in flight.

Where the formulas come from is told on the page of `calculators.async_io`.
"""

from __future__ import annotations

import math

HEADROOM = 1.2
"""Room above the calls in flight, and above the longest call, with an asynchronous client."""


QUEUED_PER_THREAD = 2
"""Records in flight for each thread of a pool: one it works on, and the next."""


def pauses_of(retries: int, pause: float) -> float:
    """Seconds that `retries` retries wait in all, `pause` seconds before each."""
    return pause * retries


def longest_call(
    read_timeout: float, connect_timeout: float = 0.0, *, pooled: bool = True, retries: int = 0, pause: float = 0.0
) -> float:
    """Seconds one record's call can take, all retries and the pauses before them included.

    Timeouts and pause in seconds; `pooled`: connections are reused, so a call does not connect.
    """
    once = read_timeout + (0.0 if pooled else connect_timeout)
    return once * (1 + retries) + pauses_of(retries, pause)


def pool_of_subtask(pool: int, shared_by: int) -> int:
    """The threads, at least one, that each of `shared_by` subtasks has of a pool they share."""
    return max(1, pool // shared_by)


def in_line(capacity: int, pool: int) -> int:
    """Calls each of `pool` threads has before it when `capacity` records are in flight."""
    return math.ceil(capacity / pool)


def drain(capacity: int, pool: int, call: float, pauses: float = 0.0) -> float:
    """Seconds until the last of `capacity` records is answered, every call keeping a thread for `call` seconds.

    `pauses` in seconds: what a record waits besides, without keeping a thread (for the retries of Flink itself).
    """
    return in_line(capacity, pool) * call + pauses


def margin_above(call: float, margin: float | None) -> float:
    """The room in seconds above the longest wait for a pool: `margin`, or one call where None."""
    return call if margin is None else margin


def required_timeout(
    capacity: int, pool: int | None, call: float, margin: float | None = None, pauses: float = 0.0
) -> float:
    """The smallest timeout in seconds with which no record times out that its client would still answer.

    `pool` None: an asynchronous client, where capacity plays no part. `margin` in seconds; one call (20 % of
    one for an asynchronous client) where None. `pauses` as in `drain`.
    """
    if pool is None:
        return call * HEADROOM if margin is None else call + margin
    return drain(capacity, pool, call, pauses) + margin_above(call, margin)


def line_within(timeout: float, call: float, margin: float | None = None, pauses: float = 0.0) -> int:
    """The most calls in line for a thread that a timeout in seconds bears, 0 where it bears none.

    The inverse of `required_timeout` with a pool, whose capacity is then that many times its threads.
    """
    return max(0, math.floor(round((timeout - margin_above(call, margin) - pauses) / call, 9)))


def at_once(capacity: int, pool: int | None) -> int:
    """Calls one subtask makes at once at most; `pool` None: an asynchronous client."""
    return capacity if pool is None else min(pool, capacity)


def calls_in_flight(rate: float, latency: float) -> int:
    """Little's law: whole calls in flight at `rate` per second, each `latency` seconds long."""
    return math.ceil(round(rate * latency, 9))


def capacity_of_client(rate: float, latency: float) -> int:
    """The capacity an asynchronous client wants for `rate` records per second and subtask."""
    return math.ceil(round(HEADROOM * calls_in_flight(rate, latency), 9))


def threads(rate: float, latency: float, utilisation: float) -> int:
    """The threads of one subtask for `rate` blocking calls per second of `latency` seconds each."""
    return max(1, math.ceil(round(rate * latency / utilisation, 9)))


def capacity_of_pool(pool: int) -> int:
    """The capacity that keeps every thread of one subtask's pool in work."""
    return QUEUED_PER_THREAD * pool


def carried_rate(capacity: int, pool: int | None, latency: float, utilisation: float) -> float:
    """Records per second that one subtask answers, calls being `latency` seconds long, with room to spare.

    Threads are busy for `utilisation` (0 to 1) of the time; a client (`pool` None) keeps `HEADROOM`.
    """
    if pool is None:
        return capacity / HEADROOM / latency
    return at_once(capacity, pool) * utilisation / latency

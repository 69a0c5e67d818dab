"""The arithmetic of asynchronous calls: how long they take, how many wait, how many are in flight.

Where the formulas come from is told on the page of `calculators.async_io`.
"""

from __future__ import annotations

import math

HEADROOM = 1.2
"""Room above the calls in flight, and above the longest call, with an asynchronous client."""


def longest_call(
    read_timeout: float, connect_timeout: float = 0.0, *, pooled: bool = True, retries: int = 0, pause: float = 0.0
) -> float:
    """Seconds one record's call can take, all retries and the pauses before them included.

    Timeouts and pause in seconds; `pooled`: connections are reused, so a call does not connect.
    """
    once = read_timeout + (0.0 if pooled else connect_timeout)
    return once * (1 + retries) + pause * retries


def in_line(capacity: int, pool: int) -> int:
    """Calls each of `pool` threads has before it when `capacity` records are in flight."""
    return math.ceil(capacity / pool)


def drain(capacity: int, pool: int, call: float, pauses: float = 0.0) -> float:
    """Seconds until the last of `capacity` records is answered, every call keeping a thread for `call` seconds.

    `pauses` in seconds: what a record waits besides, without keeping a thread (for the retries of Flink itself).
    """
    return in_line(capacity, pool) * call + pauses


def required_timeout(
    capacity: int, pool: int | None, call: float, margin: float | None = None, pauses: float = 0.0
) -> float:
    """The smallest timeout in seconds with which no record times out that its client would still answer.

    `pool` None: an asynchronous client, where capacity plays no part. `margin` in seconds; one call (20 % of
    one for an asynchronous client) where None. `pauses` as in `drain`.
    """
    if pool is None:
        return call * HEADROOM if margin is None else call + margin
    return drain(capacity, pool, call, pauses) + (call if margin is None else margin)


def calls_in_flight(rate: float, latency: float) -> int:
    """Little's law: whole calls in flight at `rate` per second, each `latency` seconds long."""
    return math.ceil(round(rate * latency, 9))


def capacity_of_client(rate: float, latency: float) -> int:
    """The capacity an asynchronous client wants for `rate` records per second and subtask."""
    return math.ceil(round(HEADROOM * calls_in_flight(rate, latency), 9))


def threads(rate: float, latency: float, utilisation: float) -> int:
    """The threads of one subtask for `rate` blocking calls per second of `latency` seconds each."""
    return max(1, math.ceil(round(rate * latency / utilisation, 9)))

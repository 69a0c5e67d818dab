"""The arithmetic of a backlog: the time to catch up and the records lost before."""

from __future__ import annotations

import math


def backlog_after(rate: float, lag: float = 0.0, downtime: float = 0.0) -> float:
    """Return the records waiting after `downtime` seconds at `rate` per second, in addition to `lag`."""
    return lag + rate * downtime


def catch_up_time(rate: float, capacity: float, backlog: float) -> float:
    """Return the seconds until `backlog` records are read at `capacity` while `rate` arrives; infinite if not faster.

    Without a backlog there is nothing to catch up with, as long as what arrives is read.
    """
    if backlog == 0 and capacity == rate:
        return 0.0
    return math.inf if capacity <= rate else backlog / (capacity - rate)


def capacity_for(rate: float, backlog: float, deadline: float) -> float:
    """Return the records per second to read so that `backlog` is gone within `deadline` seconds."""
    return rate + backlog / deadline


def largest_backlog(rate: float, capacity: float, deadline: float) -> float:
    """Return the largest backlog that is read within `deadline` seconds."""
    return max(0.0, capacity - rate) * deadline


def until_lost(rate: float, capacity: float, age: float, retention: float) -> float:
    """Return the seconds until the first record expires unread; infinite if none will.

    `age` in seconds is that of the oldest record not yet read.
    """
    if age > retention:
        return 0.0
    return math.inf if capacity >= rate else (retention - age) / (1 - capacity / rate)

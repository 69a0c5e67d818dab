"""The arithmetic of a backlog: how long it takes, and what is lost meanwhile."""

from __future__ import annotations

import math


def backlog_after(rate: float, lag: float = 0.0, downtime: float = 0.0) -> float:
    """Records that wait after `downtime` seconds at `rate` per second, on top of `lag`."""
    return lag + rate * downtime


def catch_up_time(rate: float, capacity: float, backlog: float) -> float:
    """Seconds until `backlog` records are read at `capacity` while `rate` arrives; infinite at no more than that.

    Without a backlog there is nothing to catch up with, as long as what arrives is read.
    """
    if backlog == 0 and capacity == rate:
        return 0.0
    return math.inf if capacity <= rate else backlog / (capacity - rate)


def capacity_for(rate: float, backlog: float, deadline: float) -> float:
    """Records per second to be read so that `backlog` is gone within `deadline` seconds."""
    return rate + backlog / deadline


def largest_backlog(rate: float, capacity: float, deadline: float) -> float:
    """Records that may wait and are still read within `deadline` seconds."""
    return max(0.0, capacity - rate) * deadline


def until_lost(rate: float, capacity: float, age: float, retention: float) -> float:
    """Seconds until the first record is deleted before it is read; infinite where none will be.

    `age` in seconds is that of the oldest record not yet read.
    """
    if age > retention:
        return 0.0
    return math.inf if capacity >= rate else (retention - age) / (1 - capacity / rate)

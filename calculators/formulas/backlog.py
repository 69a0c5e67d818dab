"""Formulas for a backlog: the time to catch up, and the time until records are lost."""

from __future__ import annotations

import math


def backlog_after(rate: float, lag: float = 0.0, downtime: float = 0.0) -> float:
    """Return the number of waiting records: `lag`, plus the records of `downtime` seconds at `rate` per second."""
    return lag + rate * downtime


def catch_up_time(rate: float, capacity: float, backlog: float) -> float:
    """Return the seconds to read `backlog` records at `capacity` while more arrive at `rate`; infinite if too slow.

    The time is 0 without a backlog, as long as arriving records are read as fast as they arrive.
    """
    if backlog == 0 and capacity == rate:
        return 0.0
    return math.inf if capacity <= rate else backlog / (capacity - rate)


def capacity_for(rate: float, backlog: float, deadline: float) -> float:
    """Return the records per second needed to read `backlog` within `deadline` seconds while more arrive at `rate`."""
    return rate + backlog / deadline


def largest_backlog(rate: float, capacity: float, deadline: float) -> float:
    """Return the maximum number of waiting records that can be read within `deadline` seconds."""
    return max(0.0, capacity - rate) * deadline


def until_lost(rate: float, capacity: float, age: float, retention: float) -> float:
    """Return the seconds until the first record expires unread; infinite if no record does.

    `age`: the seconds since the oldest unread record was written.
    """
    if age > retention:
        return 0.0
    return math.inf if capacity >= rate else (retention - age) / (1 - capacity / rate)

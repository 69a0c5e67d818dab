"""Formulas for checkpoint interval, timeout and pause."""

from __future__ import annotations

import math

from flink_flint.calculators.formulas.backlog import backlog_after, catch_up_time, largest_backlog

LOAD = 0.5
"""The default maximum share (0 to 1) of time during which checkpoints are running."""
SLACK = 3.0
"""The default ratio of the checkpoint timeout to the usual duration of a checkpoint."""
DEFAULT_TIMEOUT = 600.0
"""Flink's default checkpoint timeout in seconds, which is also the smallest timeout that flint recommends."""
BACKPRESSURED = 0.3
"""The share (0 to 1) of the checkpoint timeout that barriers may take before flint warns of backpressure."""


def duration_of(state_size: float, bandwidth: float) -> float:
    """Return the seconds to write `state_size` bytes at `bandwidth` bytes per second (all TaskManagers together)."""
    return state_size / bandwidth


def min_interval(busy: float, load: float = LOAD) -> float:
    """Return the shortest interval in seconds at which checkpoints leave `1 - load` of the time to the job.

    `busy`: seconds from the trigger to the end of finalization; Flink starts no other checkpoint before it.
    """
    return busy / load


def min_timeout(busy: float, slack: float = SLACK) -> float:
    """Return the minimum timeout in seconds: `slack` times `busy`, the usual duration of a checkpoint.

    Flink's own timer stops with the last acknowledgement; the JobManager's finalization is included because it
    delays acknowledgements while it lasts.
    """
    return busy * slack


def enough_timeout(busy: float, slack: float = SLACK) -> float:
    """Return `min_timeout` in seconds, or Flink's default timeout if that is longer."""
    return max(min_timeout(busy, slack), DEFAULT_TIMEOUT)


def usual_duration(timeout: float, slack: float = SLACK) -> float:
    """Return the longest usual checkpoint duration in seconds for a timeout: the inverse of `min_timeout`."""
    return timeout / slack


def pause_of(interval: float, load: float = LOAD) -> float:
    """Return the pause in seconds that leaves the job `1 - load` of `interval` if checkpoints outlast the interval."""
    return interval * (1 - load)


def effective_interval(interval: float, pause: float) -> float:
    """Return the interval in seconds that Flink uses: `interval`, or `pause` if that is longer."""
    return max(interval, pause)


def start_to_start(interval: float, busy: float, pause: float) -> float:
    """Return the seconds between the starts of two checkpoints if only one runs at a time.

    Flink waits for the `effective_interval`, and for the running checkpoint and the pause.
    """
    return max(effective_interval(interval, pause), busy + pause)


def duration_at_load(interval: float, load: float = LOAD) -> float:
    """Return the longest checkpoint duration in seconds for an interval and `load`: the inverse of `min_interval`."""
    return load * interval


def longest_duration(interval: float, timeout: float, pause: float = 0.0, *, load: float = LOAD,
                     slack: float = SLACK) -> float:  # fmt: skip
    """Return the longest checkpoint duration in seconds that interval, timeout, pause, `load` and `slack` allow."""
    by_load = max(
        duration_at_load(effective_interval(interval, pause), load),
        math.inf if load >= 1 else pause * load / (1 - load),
    )
    return min(by_load, usual_duration(timeout, slack))


def tolerable_failures(outage: float, interval: float, busy: float) -> int:
    """Return the number of consecutive checkpoints that fail if their storage is unavailable for `outage` seconds.

    These start within the outage or run when it begins; 0 without an outage.
    """
    return math.ceil(round((outage + busy) / interval, 9)) if outage > 0 else 0


def worst_replay(interval: float, busy: float) -> float:
    """Return the seconds of input that are read again if the job fails just before a checkpoint completes."""
    return interval + busy


def longest_interval(replay: float, busy: float) -> float:
    """Return the longest interval in seconds whose `worst_replay` is `replay` seconds; 0 or less if there is none."""
    return replay - busy


# -- recovery, in seconds of input at the usual rate


def recovery_time(replay: float, downtime: float, catch_up: float) -> float:
    """Return the seconds from a failure until the job has caught up.

    `replay`: seconds of input to read again; `downtime`: seconds until records flow again; `catch_up`: the job's
    maximum rate over the usual one, above 1.
    """
    return downtime + catch_up_time(1.0, catch_up, backlog_after(1.0, replay, downtime))


def interval_for_recovery(recovery: float, busy: float, downtime: float, catch_up: float) -> float:
    """Return the longest interval in seconds with which the job recovers within `recovery` seconds.

    Not positive if there is no such interval. The inverse of `recovery_time` of the worst replay.
    """
    return longest_interval(largest_backlog(1.0, catch_up, recovery - downtime) - downtime, busy)


# -- the interval that loses the least time


def min_interval_of_cost(cost: float, overhead: float) -> float:
    """Return the shortest interval for which `cost` is at most a fraction `overhead` (0 to 1); both are in seconds."""
    return cost / overhead


def young(cost: float, mtbf: float) -> float:
    """Return Young's first-order optimum in seconds, `sqrt(2 x cost x MTBF)`, valid if cost is far below MTBF."""
    return math.sqrt(2 * cost * mtbf)


def w0_above_branch(x: float) -> float:
    """Return `1 + W0(-exp(-(1 + x)))` for x > 0, the distance of Lambert's W from its branch point, in (0, 1).

    With u for the result, `W exp(W) = z` reads `u + log(1 - u) = -x`. Newton's steps on that form keep their
    digits where z is so close to -1/e that W itself would lose them.
    """
    # The series at the branch point starts Newton below 1 for every x.
    root = math.sqrt(2 * x)
    u = root / (1 + root / 3 + x / 12) if x < 1 else -math.expm1(-(1 + x))
    u = min(u, 1 - 1e-15)
    for _ in range(60):
        step = (u + math.log1p(-u) + x) * (1 - u) / u
        following = u + step
        if following >= 1:
            following = (u + 1) / 2
        if abs(following - u) <= 1e-15 * u:
            return following
        u = following
    return u


def optimum(cost: float, mtbf: float) -> float:
    """Return the checkpoint interval in seconds (start to start) that loses the least time to checkpoints and failures.

    `cost`: seconds a checkpoint delays processing, above 0; `mtbf`: mean seconds between failures, above 0,
    failures falling at random. With `r = cost / mtbf`: `mtbf x (1 + r + W0(-exp(-(1 + r))))`.
    """
    ratio = cost / mtbf
    return mtbf * (ratio + w0_above_branch(ratio))


def time_lost(interval: float, cost: float, mtbf: float) -> float:
    """Return the share of time lost to checkpoints and replayed work; the interval must not be below the cost."""
    if interval / mtbf > 700:
        return 1.0
    return 1 - (interval - cost) / mtbf / math.expm1(interval / mtbf)

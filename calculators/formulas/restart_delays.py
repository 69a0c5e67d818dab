"""Formulas for Flink's restart strategies: delays, restarts within an outage, longest outages.

All times are in seconds. A restart is followed by the next failure after `restart_time`: deployment, and the time
until the cause of the outage has an effect again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice

from flink_flint.linter.flink.releases import MINORS, Release, nearest_index, parse_release
from flink_flint.linter.text.named_tuple import NamedTuple

ENDLESS = 2147483647
"""The number of restart attempts (Java's maximum int) that amounts to unlimited restarts."""
INTERVAL_ROOM = 2
"""The recommended failure-rate interval, as a multiple of the shortest time in which the allowed failures can occur."""
_LONGEST_MS = float(2**63)
_EXPONENTIAL_SINCE = MINORS.index("1.13")
_NEW_DEFAULTS_SINCE = MINORS.index("1.19")


class Curve(NamedTuple):
    """The delays of a restart strategy: initial delay, multiplier and maximum."""

    initial: float
    multiplier: float
    greatest: float

    def delays(self) -> Iterator[float]:
        """Yield the delay before each restart, without jitter."""
        delay = self.initial
        while delay < self.greatest:
            yield delay
            delay *= self.multiplier
        while True:
            yield self.greatest


def exponential_curve(release: Release) -> Curve:
    """Return a release's default exponential delays: 1 s, doubled up to 5 min; from 1.19 on, times 1.5 up to 1 min."""
    return Curve(1.0, 1.5, 60.0) if nearest_index(release) >= _NEW_DEFAULTS_SINCE else Curve(1.0, 2.0, 300.0)


def has_exponential(release: Release) -> bool:
    """Return whether a release has the exponential-delay strategy (from 1.13 on)."""
    return nearest_index(release) >= _EXPONENTIAL_SINCE


def limits_exponential(release: Release) -> bool:
    """Return whether a release can limit the attempts of the exponential-delay strategy (from 1.19 on)."""
    return nearest_index(release) >= _NEW_DEFAULTS_SINCE


def restarts_within(outage: float, curve: Curve, restart_time: float = 0.0) -> int:
    """Return the number of restarts during an outage of `outage` seconds, including the last, successful one."""
    passed = 0.0
    for count, delay in enumerate(curve.delays()):
        if passed >= outage - 1e-9:
            return count
        if delay >= curve.greatest:
            # All further restarts take the same time.
            return count + math.ceil(round((outage - passed) / (delay + restart_time), 9))
        passed += delay + restart_time
    raise AssertionError


def outlasted(restarts: int, curve: Curve, restart_time: float = 0.0) -> float:
    """Return the longest outage in seconds that `restarts` restarts survive: the inverse of `restarts_within`."""
    growing = 0 if curve.greatest <= curve.initial else math.ceil(
        math.log(curve.greatest / curve.initial) / math.log(curve.multiplier)
    ) + 1  # fmt: skip
    first = min(restarts, growing)
    return math.fsum(islice(curve.delays(), first)) + (restarts - first) * curve.greatest + restarts * restart_time


def attempts_until_overflow(curve: Curve, jitter: float) -> int | None:
    """Return the number of restarts after which Flink's delays overflow 64-bit milliseconds; None if never.

    From 1.19 on the delay is `initial x multiplier ^ attempt` plus jitter before it is limited to the maximum: after
    the overflow about every second delay is the initial one again. Without jitter it stays at the maximum.
    """
    if jitter <= 0:
        return None
    return math.ceil(math.log(_LONGEST_MS / (1 + jitter) / (curve.initial * 1000)) / math.log(curve.multiplier))


# -- the same delay before each restart


def rounds_of(attempts: int, failures_at_once: int = 1) -> int:
    """Return how many restarts `attempts` allow if `failures_at_once` failures precede each restart."""
    return attempts // failures_at_once


def time_of(rounds: int, delay: float, restart_time: float = 0.0) -> float:
    """Return the seconds that `rounds` restarts take, each with `delay` seconds before it and `restart_time` after."""
    return rounds * (delay + restart_time)


# -- fixed delay


def fixed_attempts(outage: float, delay: float, restart_time: float = 0.0, failures_at_once: int = 1) -> int:
    """Return the number of fixed-delay attempts needed to survive an outage of `outage` seconds.

    The smallest number with `attempts x (delay + restart time) >= outage`. `failures_at_once`: regions of the job that
    fail together, each of which uses an attempt. `delay` or `restart_time` must be above 0.
    """
    return max(1, math.ceil(round(outage / (delay + restart_time), 9))) * failures_at_once


def fixed_rounds(attempts: int, failures_at_once: int = 1) -> float:
    """Return the number of restarts that the fixed-delay strategy allows; infinite for `ENDLESS` attempts."""
    return math.inf if attempts >= ENDLESS else rounds_of(attempts, failures_at_once)


def fixed_outlasted(attempts: int, delay: float, restart_time: float = 0.0, failures_at_once: int = 1) -> float:
    """Return the longest outage in seconds that fixed-delay survives; infinite for `ENDLESS` attempts."""
    if attempts >= ENDLESS:
        return math.inf
    return time_of(rounds_of(attempts, failures_at_once), delay, restart_time)


# -- failure rate


def counted_failures(most: int, *, exact: bool) -> int:
    """Return the number of failures in one interval that failure-rate tolerates if `most` failures are configured.

    `exact`: the release tolerates as many as configured; others give up one failure early.
    """
    return most if exact else most - 1


def failures_to_configure(counted: int, *, exact: bool) -> int:
    """Return the number of failures to configure so that `counted` are tolerated: the inverse of `counted_failures`."""
    return counted if exact else counted + 1


def counts_exactly(release: Release) -> bool:
    """Return whether a release's failure-rate strategy tolerates exactly the configured number of failures."""
    patch = math.inf if release.patch is None else release.patch

    def since(version: str) -> bool:
        least = parse_release(version)
        return (release.major, release.minor, patch) >= (least.major, least.minor, least.patch or 0)

    return counts_exactly_since(since)


def counts_exactly_since(since: Callable[[str], bool]) -> bool:
    """Return whether failure-rate tolerates exactly the configured failures; `since` tests for a minimum release.

    False from 1.10 to 1.11.3 and from 1.12.0 to 1.12.2 (FLINK-20752). Source: the classes of 1.9.3, where the old
    scheduler counts, 1.10.3, 1.11.4, 1.12.1 to 1.12.5 and 1.13.6.
    """
    return since("1.12.3") or (since("1.11.4") and not since("1.12")) or not since("1.10")


def never_gives_up(failures: float, delay: float, interval: float) -> bool:
    """Return whether failure-rate restarts a job forever, because `failures` failures `delay` apart exceed `interval`.

    `failures`: the result of `counted_failures`. The interval includes its ends; any unit of time.
    """
    return failures * delay > interval


def interval_for(failures: float, delay: float) -> float:
    """Return the failure-rate interval to configure: twice the time of `failures` failures, `delay` seconds apart."""
    return INTERVAL_ROOM * failures * delay


def rate_outlasted(failures: int, delay: float, interval: float, restart_time: float = 0.0,
                   failures_at_once: int = 1) -> float:  # fmt: skip
    """Return the longest outage in seconds that failure-rate survives; infinite if it never gives up.

    `failures`: the result of `counted_failures`.
    """
    rounds = rounds_of(failures, failures_at_once)
    if rounds and never_gives_up(rounds, delay + restart_time, interval):
        return math.inf
    return time_of(rounds, delay, restart_time)

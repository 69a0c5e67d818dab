"""A TaskManager is given up too soon, or a dead one is noticed late.

## What it does
Reports a `heartbeat.timeout` that is set below one threshold or above another: 20 s and 3 min unless set otherwise.

## Why it matters
A TaskManager that does not answer for the timeout counts as dead: all jobs with tasks on it restart. A long garbage
collection, a disk that stalls, a busy machine or a node that is moved keeps a live process silent for ten seconds and
more. A restart of large state then costs minutes, and the load of it makes the next pause likelier.

The other way round a process that is really gone holds its tasks for the whole timeout: nothing is processed, no
checkpoint completes, and consumers fall behind. (A connection that is refused is noticed sooner, from 1.14 on; a
machine that is gone without a word is not.)

## What to do
Stay between 50 s, the default, and 2 min. Where garbage collection takes longer than that mend it first.

## Not when
A timeout below three heartbeat intervals is told by `heartbeat-timeout-too-short`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#heartbeat-timeout>: the option
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#heartbeat-rpc-failure-threshold>: what
  is noticed sooner
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MINUTE, SECOND, Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_TIMEOUT, _INTERVAL = "heartbeat.timeout", "heartbeat.interval"
_TOLD_BELOW = 3
_DEFAULT = Duration(50 * SECOND)
_SOON = Duration(2 * MINUTE)
"""Intervals, below which `heartbeat-timeout-too-short` speaks."""


@rule(
    code="FLK502",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_TIMEOUT],
    of_scale=True,
    since="0.1",
    thresholds={
        "shortest": Threshold("20 s", "shortest timeout that outlasts usual pauses"),
        "longest": Threshold("3 min", "longest timeout after which a dead process is still noticed in time"),
    },
)
def heartbeat_timeout_extreme(config: View) -> Iterator[Finding]:
    """a TaskManager is given up too soon, or a dead one is noticed late"""
    setting, timeout, interval = config.get(_TIMEOUT), config.duration(_TIMEOUT), config.duration(_INTERVAL)
    if timeout is None or interval is None or not setting.is_set or timeout < _TOLD_BELOW * interval:
        return
    shortest, longest = config.threshold("shortest"), config.threshold("longest")
    if timeout < shortest:
        yield setting.finding(
            f"a TaskManager that is silent for {timeout}, as in a long garbage collection, counts as dead, and its jobs"
            " restart",
            help=f"set it to {_DEFAULT} (the default) or more"
            if shortest <= _DEFAULT
            else f"set it to {shortest} or more",
            measure=1 / max(1, timeout),
        )
    elif timeout > longest:
        yield setting.finding(
            f"a machine that is gone is noticed after {timeout}, and until then its jobs stand still",
            help=f"set it to {min(_SOON, longest)} or less",
            measure=timeout.seconds,
        )


_SHORT = f"{_INTERVAL}: 2 s\n{_TIMEOUT}: "


def cases() -> list[Case]:
    return [
        bad(f"{_SHORT}10 s\n", at=_TIMEOUT, severity=Severity.WARNING, says="silent for 10 s"),
        bad(f"{_INTERVAL}: 5000\n{_TIMEOUT}: 19999\n", flink="1.14", says="silent for 19999 ms"),
        bad(f"{_TIMEOUT}: 10 min\n", at="10 min", says="noticed after 10 min"),
        bad(f"{_TIMEOUT}: 180001\n", flink="1.9"),
        bad(f"{_SHORT}6 s\n", says="silent for 6 s"),
        good(f"{_SHORT}20 s\n"),
        good(f"{_TIMEOUT}: 180000\n", flink="1.18"),
        good(f"{_SHORT}5 s\n"),
        good(f"{_TIMEOUT}: ${{TIMEOUT}}\n"),
        good(f"{_INTERVAL}: ${{INTERVAL}}\n{_TIMEOUT}: 10 s\n"),
    ]

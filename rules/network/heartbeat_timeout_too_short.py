"""The heartbeat timeout is not clearly longer than the heartbeat interval.

## What it does
Compares `heartbeat.timeout` (50 s by default) with `heartbeat.interval` (10 s by default). A timeout below the
interval, or an interval of 0, is an error; a timeout below three intervals is a warning.

## Why it matters
Flink refuses the first kind: "The heartbeat timeout should be larger or equal than the heartbeat interval", and
neither JobManager nor TaskManager starts. In the second kind one lost or late heartbeat, a garbage collection or
a busy RPC thread is enough to declare a live TaskManager dead and to restart its jobs. A plain number is
milliseconds: `heartbeat.timeout: 50` is 50 ms.

## What to do
Keep the timeout at five intervals or more; shorten both together.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#heartbeat-timeout>:
  both options and their defaults
"""

import math
from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND, SECOND, Duration
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_ENOUGH = 5
_DEFAULT = Duration(10 * SECOND)


@rule(
    code="FLK501",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["heartbeat.timeout", "heartbeat.interval"],
    since="0.1",
    thresholds={"intervals": Threshold(3, "fewest heartbeat intervals in a timeout")},
)
def heartbeat_timeout_too_short(config: View) -> Iterator[Finding]:
    """the heartbeat timeout is not clearly longer than the heartbeat interval"""
    timeout, interval = config.duration("heartbeat.timeout"), config.duration("heartbeat.interval")
    if timeout is None or interval is None:
        return
    intervals = config.threshold("intervals")
    timeout_setting = config.get("heartbeat.timeout")
    interval_setting = config.get("heartbeat.interval")
    # A setting that is wrong by itself, rather than next to the other one, is the one to point at.
    setting = timeout_setting if timeout_setting.is_set else interval_setting
    related = [interval_setting] if setting is timeout_setting else []
    evidence = {"timeout_ms": timeout.milliseconds, "interval_ms": interval.milliseconds}
    if interval < MILLISECOND:
        yield interval_setting.finding(
            f"a heartbeat interval of {interval} is refused: JobManager and TaskManager do not start",
            help="set heartbeat.interval to 10 s (the default), or leave it out"
            if intervals * _DEFAULT <= timeout
            else f"set heartbeat.interval to {Duration(timeout // math.ceil(intervals) // MILLISECOND * MILLISECOND)}",
            evidence=evidence,
        )
    elif timeout < interval:
        yield setting.finding(
            f"the heartbeat timeout of {timeout} is below the heartbeat interval of {interval}:"
            " JobManager and TaskManager do not start",
            help=_remedy(interval, timeout_setting, intervals),
            related=related,
            evidence=evidence,
            measure=interval.milliseconds / max(1, timeout.milliseconds),
        )
    elif timeout < intervals * interval:
        late = timeout // interval
        yield setting.finding(
            f"a heartbeat timeout of {timeout} at an interval of {interval} declares a live TaskManager dead after"
            f" {'one late heartbeat' if late == 1 else f'{late} late heartbeats'}",
            help=_remedy(interval, timeout_setting, intervals),
            severity=Severity.WARNING,
            related=related,
            evidence=evidence,
            measure=interval.milliseconds / max(1, timeout.milliseconds),
        )


def _remedy(interval: Duration, timeout: Setting, intervals: float) -> str:
    enough = Duration(max(_ENOUGH, intervals) * interval)
    unit = " (a number without a unit is milliseconds)" if timeout.text.isdecimal() else ""
    return f"set heartbeat.timeout to {enough.milliseconds:.0f} ({enough}) or more{unit}, or shorten heartbeat.interval"


def cases() -> list[Case]:
    return [
        bad(
            "heartbeat.timeout: 50\n",
            at="heartbeat.timeout",
            flink="1.18",
            severity=Severity.ERROR,
            says="timeout of 50 ms is below the heartbeat interval of 10 s",
        ),
        bad(
            "heartbeat.interval: 5 s\nheartbeat.timeout: 10 s\n",
            at="heartbeat.timeout",
            flink="2.0",
            severity=Severity.WARNING,
            says="after 2 late heartbeats",
        ),
        bad("heartbeat.interval: 60000\n", at="heartbeat.interval", flink="1.9", severity=Severity.ERROR),
        bad("heartbeat.interval: 0\n", at="heartbeat.interval", severity=Severity.ERROR),
        good("heartbeat.interval: 10000\nheartbeat.timeout: 30000\n", flink="1.14"),
        good("heartbeat.timeout: 180000\n", flink="1.18"),
        good("heartbeat.timeout: 50 s\n", flink="1.18"),
        good("heartbeat.timeout: '{{ timeout }}'\nheartbeat.interval: 10 s\n"),
        good("heartbeat.timeout: 20 s\nheartbeat.interval: '{{ interval }}'\n"),
        bad("heartbeat.interval: 1 ms\nheartbeat.timeout: 1 ms\n", severity=Severity.WARNING, says="after one late"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "heartbeats",
            "heartbeat.interval: 60000\nheartbeat.timeout: 50000\n",
            good="heartbeat.interval: 10000\nheartbeat.timeout: 50000\n",
        ),
    ]

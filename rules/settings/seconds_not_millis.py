"""An option that counts seconds is given milliseconds, or a unit.

## What it does
Looks at the options that are a plain number of seconds, against Flink's habit of milliseconds:
`blob.service.cleanup.interval` (3600 by default), `jobstore.expiration-time` (3600),
`yarn.heartbeat.interval` (5), `taskmanager.network.netty.client.connectTimeoutSec` (120),
`taskmanager.network.netty.client.tcp.keepIdleSec` (7200 on Linux) and `...keepIntervalSec` (75 on Linux). Reports
a value of at least 100 times the default, and a value with a unit.

## Why it matters
`blob.service.cleanup.interval: 3600000` keeps the jars of finished jobs for almost 42 days instead of an hour, until
the disk of the JobManager is full. A value with a unit is no number: Flink fails on reading it, and before 1.10 it uses
the default.

## What to do
Write the seconds as a plain number. flint rewrites values with a unit; whether a large number was meant as
milliseconds only you know.

## Not when
A cleanup or expiration of whole days up to 100 days (`604800` is a week) is taken to be meant.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the unit each option counts in
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import SECOND
from flink_flint.linter.model.claim import Claim, flink_refuses, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import USUAL_SECONDS, meant_duration
from flink_flint.rules.settings._keys import shown

_DAY = 86_400
_KEPT = ("blob.service.cleanup.interval", "jobstore.expiration-time")
"""Options in which whole days are sensible."""


@rule(
    code="FLK024",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=list(USUAL_SECONDS),
    since="0.1",
    scope="key",
    thresholds={
        "times": Threshold(100, "how many times the usual value one must be to be taken for milliseconds"),
        "longest-kept": Threshold("100 d", "up to this, whole days of a cleanup or expiration are taken to be meant"),
    },
)
def seconds_not_millis(config: View, setting: Setting) -> Iterator[Finding]:
    """an option that counts seconds is given milliseconds, or a unit"""
    if not setting.is_read:
        return
    if setting.error is not None:
        meant = meant_duration(setting.text)
        if meant is None:
            return
        seconds, rest = divmod(meant, SECOND)
        fails = config.since("1.10")
        consequence = "Flink fails on reading it" if fails else "Flink uses the default instead"
        yield setting.finding(
            f"{setting.written} is a plain number of seconds, and '{shown(setting.text)}' is no number: {consequence}",
            help="write a whole number of seconds" if rest else f"write {seconds}",
            severity=Severity.ERROR if fails else None,
            fix=None if rest else setting.replace(str(seconds), safe=True, title=f"write {seconds} seconds"),
        )
        return
    value = setting.value
    usual = USUAL_SECONDS[setting.key]
    if not isinstance(value, int) or value < config.threshold("times") * usual:
        return
    if setting.key in _KEPT and value % _DAY == 0 and value * SECOND <= config.threshold("longest-kept"):
        return
    yield setting.finding(
        f"{setting.written} counts seconds: {value} is {_spell(value)}, where {_spell(usual)} is usual",
        help=f"if milliseconds were meant, write {max(1, value // 1000)}",
    )


def _spell(seconds: int) -> str:
    if seconds >= 2 * _DAY:
        return f"{seconds / _DAY:.0f} days"
    return f"{seconds / 60:.0f} minutes" if seconds >= 600 else f"{seconds} s"


def cases() -> list[Case]:
    return [
        bad("blob.service.cleanup.interval: 3600000\n", at="blob.service.cleanup.interval", flink="1.18",
            severity=Severity.WARNING, says="42 days"),
        bad("yarn.heartbeat.interval: 5000\n", at="5000", file="flink-conf.yaml", says="83 minutes"),
        bad("taskmanager.network.netty.client.connectTimeoutSec: 120000\n", flink="1.13"),
        bad("blob.service.cleanup.interval: 1 h\n", flink="1.18", severity=Severity.ERROR,
            fixed="blob.service.cleanup.interval: 3600\n"),
        bad("blob.service.cleanup.interval: 1 h\n", flink="1.9", severity=Severity.WARNING, says="uses the default"),
        bad("parallelism:\n  default: 4\njobstore:\n  expiration-time: 2d\n", at="2d",
            fixed="parallelism:\n  default: 4\njobstore:\n  expiration-time: 172800\n"),
        good("blob.service.cleanup.interval: 3600\njobstore.expiration-time: 86400\n", flink="1.18"),
        good("blob.service.cleanup.interval: 604800\n", flink="1.18"),
        good("jobstore.expiration-time: ${KEEP}\n", flink="1.18"),
        good("yarn.heartbeat.interval: 10\nheartbeat.timeout: 180000\n", flink="1.18"),
        bad("yarn.heartbeat.interval: 500\n", flink="1.18"),
        good("yarn.heartbeat.interval: 499\n", flink="1.18"),
        bad("yarn.heartbeat.interval: 86400\n", flink="1.18"),
        good("blob.service.cleanup.interval: 8640000\njobstore.expiration-time: 604800\n", flink="1.18"),
        bad("blob.service.cleanup.interval: 8726400\n", flink="1.18", says="101 days"),
        bad("blob.service.cleanup.interval: 1500 ms\n", flink="1.18", fixed="blob.service.cleanup.interval: 1500 ms\n"),
        good("blob.service.cleanup.interval: soon\n", flink="1.18"),
        good("yarn.heartbeat.interval: 5\nyarn.heartbeat-delay: 5 s\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    interval = "blob.service.cleanup.interval"
    return [
        flink_uses("JAR cache", f"{interval}: 3600000\n", "for 3600000000 ms", good=f"{interval}: 3600\n"),
        flink_refuses("JAR cache", f"{interval}: 60 min\n", good=f"{interval}: 3600\n", releases=">=1.10"),
    ]

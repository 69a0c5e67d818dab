"""The limit of JobManager restarts counts over a time that makes no sense of it.

## What it does
Looks at `yarn.application-attempt-failures-validity-interval` where high availability is on. It reports -1 (count for
ever) with fewer than 10 attempts, and, as advice, a limit set by `yarn.application-attempts` that counts only
failures within less than a minute, as by default (10 s).

## Why it matters
YARN ends the application when, within that time, the JobManager failed as often as there are attempts. Counted for
ever, the second or fifth failure in months ends a long running job. Within 10 s a JobManager cannot even start several
times, so the limit is never reached: one that fails at start is started again for ever, and nobody is told.

## What to do
Set 600000 (10 minutes) with 5 to 10 attempts.

## Not when
High availability is off, where the interval does not act, or nothing sets either option.
Containers that run a JobManager or TaskManager themselves have the file: the key is left over there.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#yarn-application-attempt-failures-validity-interval>:
  the option and its default
- <https://issues.apache.org/jira/browse/FLINK-38112>: the default lets attempts never run out
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND, MINUTE, Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

_ATTEMPTS = "yarn.application-attempts"
_INTERVAL = "yarn.application-attempt-failures-validity-interval"
_WITH_HIGH_AVAILABILITY = 2
_ENOUGH = Duration(10 * MINUTE)
"""The attempts that Flink asks for where nothing sets them."""


@rule(
    code="FLK752",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_ATTEMPTS, _INTERVAL],
    only=["platform:yarn", "platform:emr"],
    flink=">=1.9",
    since="0.1",
    thresholds={
        "short": Threshold("60 s", "interval in which a JobManager hardly fails more than a few times"),
        "many": Threshold(10, "attempts that are enough where failures count for ever"),
    },
)
def yarn_attempt_validity(config: View) -> Iterator[Finding]:
    """the limit of JobManager restarts counts over a time that makes no sense of it"""
    if mode(config) in (NONE, UNKNOWN):
        return
    attempts, interval = config.get(_ATTEMPTS), config.get(_INTERVAL)
    length = config.integer(_INTERVAL)
    if length is None:
        return
    most = whole(attempts.text.strip()) if attempts.is_set else _WITH_HIGH_AVAILABILITY
    if most is None:
        return
    many, short = config.threshold("many"), config.threshold("short")
    enough = f"{max(_ENOUGH, short) / MILLISECOND:.0f}"
    if length < 0 and most < many:
        yield interval.finding(
            f"failures of the JobManager count for ever, so the {_ordinal(most)} one, months apart, ends the"
            " application",
            help=f"set {_INTERVAL}: {enough} and {_ATTEMPTS}: {max(10, many)}",
            related=[attempts] if attempts.is_set else [],
        )
    elif 0 < length * MILLISECOND < short and most > _WITH_HIGH_AVAILABILITY:
        where = interval if interval.is_set else attempts
        yield where.finding(
            f"only failures within {length / 1000:g} s count towards the {most} attempts, and a JobManager does not"
            " start that often in that time: one that fails at start is restarted for ever",
            help=f"set {_INTERVAL}: {enough}",
            severity=Severity.INFO,
            related=[attempts] if interval.is_set else [],
        )


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


_HA = "high-availability: zookeeper\nhigh-availability.storageDir: hdfs:///ha\n"


def cases() -> list[Case]:
    return [
        bad(f"{_HA}{_INTERVAL}: -1\n", at=_INTERVAL, flink="1.14", says="second", severity=Severity.WARNING),
        bad(f"{_HA}{_ATTEMPTS}: 10\n", at=_ATTEMPTS, flink="1.18", says="within 10 s", severity=Severity.INFO),
        bad(f"{_HA}{_ATTEMPTS}: 5\n{_INTERVAL}: 30000\n", at=_INTERVAL, flink="1.20", severity=Severity.INFO),
        good(f"{_HA}{_ATTEMPTS}: 10\n{_INTERVAL}: 600000\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: 1000\n{_INTERVAL}: -1\n", flink="1.18"),
        good(f"{_ATTEMPTS}: 10\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: 2\n", flink="1.18"),
        good(_HA, flink="1.18"),
        bad(f"{_HA}{_ATTEMPTS}: 9\n{_INTERVAL}: -1\n", flink="1.18", severity=Severity.WARNING),
        bad(f"{_HA}{_ATTEMPTS}: 3\n{_INTERVAL}: 59999\n", flink="1.18", severity=Severity.INFO),
        bad(f"{_HA}{_ATTEMPTS}: 3\n{_INTERVAL}: 1\n", flink="1.18", severity=Severity.INFO),
        good(f"{_HA}{_ATTEMPTS}: 10\n{_INTERVAL}: -1\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: 3\n{_INTERVAL}: 60000\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: 3\n{_INTERVAL}: 0\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: 3\n{_INTERVAL}: ${{INTERVAL}}\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: ${{ATTEMPTS}}\n{_INTERVAL}: -1\n", flink="1.18"),
    ]  # fmt: skip

"""The delays of the exponential-delay restart strategy contradict each other.

## What it does
Where `restart-strategy.type` is `exponential-delay`, reports an `initial-backoff` above `max-backoff`, which Flink
refuses, and, as a warning, a `reset-backoff-threshold` that is shorter than the longest delay.

## Why it matters
The strategy is made when a job is submitted, and with a first delay above the longest that fails: no job starts any
more. Easily overlooked is a `max-backoff` of 30 s beside an `initial-backoff` of 1 min.

The threshold is how long a job must have run for the next delay to be the initial one again. Where it is shorter than
the longest delay, a job that runs for a moment between two failures hardly ever waits long: the strategy is back
to its beginning when the trouble still lasts.

## What to do
A first delay of 1 s, a longest of 1 min and a threshold of 1 h are the defaults since 1.19.

## Not when
Another strategy is chosen, or none.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/#exponential-delay-restart-strategy>:
  the settings
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/executiongraph/failover/ExponentialDelayRestartBackoffTimeStrategy.java>:
  what is checked, and when the delay is reset
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OF = "restart-strategy.exponential-delay."
_INITIAL, _MOST, _RESET = (f"{_OF}{name}" for name in ("initial-backoff", "max-backoff", "reset-backoff-threshold"))
_MILLISECOND = 1_000_000


@rule(
    code="FLK610",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["restart-strategy.type"],
    flink=">=1.13",
    since="0.1",
)
def restart_exponential_refused(config: View) -> Iterator[Finding]:
    """the delays of the exponential-delay restart strategy contradict each other"""
    chosen = config.get("restart-strategy.type")
    if not chosen.is_set or not chosen.is_known or strategy_named(chosen.text) != "exponential-delay":
        return
    initial, most, reset = (config.duration(key) for key in (_INITIAL, _MOST, _RESET))
    if initial is None or most is None:
        return
    least, greatest = config.get(_INITIAL), config.get(_MOST)
    if initial > most >= _MILLISECOND:  # a value below 1 ms is out of its own range
        shown = greatest if greatest.is_set else least
        yield shown.finding(
            f"no job starts: the first delay, {initial}, is above the longest, {most}",
            help=f"make {_MOST} {initial} or more, or shorten {_INITIAL}",
            related=[least] if shown is greatest and least.is_set else [],
        )
    if reset is not None and _MILLISECOND <= reset < most:
        threshold = config.get(_RESET)
        yield (threshold if threshold.is_set else greatest).finding(
            f"delays begin anew once the job has run for {reset}, which is less than the longest delay, {most}",
            help=f"make {_RESET} several times the longest delay, 1 h by default",
            severity=Severity.WARNING,
            related=[greatest] if threshold.is_set and greatest.is_set else [],
        )


_TYPE = "restart-strategy.type: exponential-delay\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_TYPE}{_MOST}: 30 s\n{_INITIAL}: 1 min\n",
            at=_MOST,
            severity=Severity.ERROR,
            says="the first delay, 1 min, is above the longest, 30 s",
        ),
        bad(f"{_TYPE}{_INITIAL}: 2 min\n", at=_INITIAL),
        bad(f"restart-strategy: exponentialdelay\n{_INITIAL}: 6 min\n", flink="1.13", says="the longest, 5 min"),
        bad(
            f"{_TYPE}{_RESET}: 59 s\n", at=_RESET, severity=Severity.WARNING, says="less than the longest delay, 1 min"
        ),
        bad(f"{_TYPE}{_MOST}: 2 h\n", at=_MOST, severity=Severity.WARNING, says="has run for 1 h"),
        good(f"{_TYPE}{_MOST}: 1 min\n{_INITIAL}: 1 min\n{_RESET}: 1 min\n"),
        good(f"{_TYPE}{_INITIAL}: 1 ms\n"),
        good(f"{_TYPE}{_MOST}: 0 s\n"),
        good(f"restart-strategy: exponential-delay\n{_INITIAL}: 5 min\n", flink="1.13"),
        good(f"restart-strategy.type: fixed-delay\n{_INITIAL}: 2 min\n"),
        good(f"{_INITIAL}: 2 min\n"),
        good(f"{_TYPE}{_INITIAL}: ${{INITIAL}}\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "restart strategy",
            "restart-strategy.exponential-delay.initial-backoff: 10 min\n"
            "restart-strategy.exponential-delay.max-backoff: 1 min\n",
            good="restart-strategy.exponential-delay.initial-backoff: 1 min\n"
            "restart-strategy.exponential-delay.max-backoff: 10 min\n",
            both="restart-strategy: exponential-delay\n",
        ),
    ]

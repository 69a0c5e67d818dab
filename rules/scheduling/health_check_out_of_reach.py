"""The operator's health check counts more restarts than there can be.

## What it does
Where `kubernetes.operator.cluster.health-check.enabled` is true and somebody relies on the count of restarts (by a
threshold or a window of their own, or with the check of checkpoints off), it reckons how many restarts fit into
`restarts.window` (2 min by default), and compares that with `restarts.threshold` (64).

## Why it matters
A cluster counts as unhealthy when it restarts more often in the window than the threshold says. Between two restarts
lies the delay of the restart strategy: with `exponential-delay`, Flink's default from 1.19 on, at most 10 fit into
two minutes, with a fixed delay of 10 s 12. The check never speaks, and the job may fail for days.

## What to do
Set the threshold to half of what fits into the window, or make the window longer.

## Not when
- The health check is off, or only its check of checkpoints is meant.
- The delay is 0, or the strategy unknown.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  the restart of unhealthy deployments
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/>:
  the options and their defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the delays
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, takewhile

from flink_flint.calculators.formulas.restart_delays import Curve
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.flink.values import Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import flag

_CHECK = "kubernetes.operator.cluster.health-check."
_ENABLED, _PROGRESS = f"{_CHECK}enabled", f"{_CHECK}checkpoint-progress.enabled"
_THRESHOLD, _WINDOW = f"{_CHECK}restarts.threshold", f"{_CHECK}restarts.window"
_STRATEGY = "restart-strategy"
_MOST, _LENGTH = 64, "2 min"


@rule(
    code="FLK609", severity=Severity.WARNING, confidence=Confidence.HIGH, reads=[_ENABLED], flink=">=1.13", since="0.1"
)
def health_check_out_of_reach(config: View) -> Iterator[Finding]:
    """the operator's health check counts more restarts than there can be"""
    set_ones = [config.written(key) for key in (_THRESHOLD, _WINDOW) if key in config.effective]
    if not flag(config, _ENABLED) or not (set_ones or flag(config, _PROGRESS) is False):
        return
    most, window = _most(config), _window(config)
    fitting = None if window is None else _restarts_within(config, window.milliseconds / 1000)
    if most is None or window is None or fitting is None or fitting > most:
        return
    strategy = config.get(f"{_STRATEGY}.type")
    shown: Setting = set_ones[0] if set_ones else config.written(_ENABLED)
    yield shown.finding(
        f"the health check never counts enough restarts: at most {fitting} fit into {window} with the delays of the"
        f" restart strategy, and more than {most} are wanted",
        help=f"set {_THRESHOLD} to {max(1, fitting // 2)}, or make {_WINDOW} longer",
        related=[strategy] if strategy.is_set else [],
        evidence={"restarts": fitting, "threshold": most},
    )


def _most(config: View) -> int | None:
    if _THRESHOLD not in config.effective:
        return _MOST
    return whole(config.written(_THRESHOLD).text)


def _window(config: View) -> Duration | None:
    text = config.written(_WINDOW).text if _WINDOW in config.effective else _LENGTH
    try:
        return parse_duration(text, NEWEST)
    except BadValue:
        return None


def _restarts_within(config: View, window: float) -> int | None:
    """The most restarts in so many seconds, if each fails at once; None for an unknown strategy, or without delays."""
    chosen = config.get(f"{_STRATEGY}.type")
    if not chosen.is_known:
        return None
    strategy = strategy_named(chosen.text) if chosen.is_set else _default(config)
    if strategy == "exponential-delay":
        of = f"{_STRATEGY}.exponential-delay"
        first, most = _seconds(config, f"{of}.initial-backoff"), _seconds(config, f"{of}.max-backoff")
        multiplier = config.number(f"{of}.backoff-multiplier")
        if not first or not most or multiplier is None or multiplier <= 1:
            return None
        delays = Curve(first, multiplier, most).delays()
        return sum(1 for _ in takewhile(lambda passed: passed <= window, accumulate(delays)))
    if strategy not in ("fixed-delay", "failure-rate"):
        return None
    delay = _seconds(config, f"{_STRATEGY}.{strategy}.delay")
    return int(window / delay) if delay else None


def _default(config: View) -> str | None:
    """What Flink takes where nothing is chosen, for jobs with checkpoints; the delays are those of the options."""
    return "exponential-delay" if config.since("1.19") else "fixed-delay"


def _seconds(config: View, key: str) -> float | None:
    duration = config.duration(key)
    return None if duration is None else duration.milliseconds / 1000


_ON = f"{_ENABLED}: 'true'\n"
_FIXED = f"{_STRATEGY}: fixed-delay\n{_STRATEGY}.fixed-delay.delay: "
_OLD = {"version": "v1_18", "image": "flink:1.18"}
_FILE = {"file": "deployment.yaml"}


def cases() -> list[Case]:
    return [
        bad(
            deployment(f"{_ON}{_THRESHOLD}: '10'"),
            **_FILE,
            at=_THRESHOLD,
            severity=Severity.WARNING,
            says="at most 10 fit into 2 min",
        ),
        bad(deployment(f"{_ON}{_WINDOW}: 5 min"), **_FILE, at=_WINDOW, says="more than 64 are wanted"),
        bad(deployment(f"{_ON}{_PROGRESS}: 'false'"), **_FILE, at=_ENABLED),
        bad(deployment(f"{_ON}{_PROGRESS}: 'false'\n{_FIXED}10 s", **_OLD), **_FILE, says="at most 12 fit"),
        bad(deployment(f"{_ON}{_THRESHOLD}: '120'", **_OLD), **_FILE, says="at most 120 fit"),
        bad(
            deployment(
                f"{_ON}{_THRESHOLD}: '12'\n{_STRATEGY}.type: failure-rate\n{_STRATEGY}.failure-rate.delay: 10 s"
            ),
            **_FILE,
        ),
        good(deployment(f"{_ON}{_THRESHOLD}: '9'"), **_FILE),
        good(deployment(f"{_ON}{_THRESHOLD}: '119'", **_OLD), **_FILE),
        good(deployment(f"{_ON}{_THRESHOLD}: '11'\n{_FIXED}10 s", **_OLD), **_FILE),
        good(deployment(_ON), **_FILE),
        good(deployment(f"{_ON}{_PROGRESS}: 'true'"), **_FILE),
        good(deployment(f"{_ENABLED}: 'false'\n{_THRESHOLD}: '900'"), **_FILE),
        good(deployment(f"{_ON}{_THRESHOLD}: ${{MOST}}"), **_FILE),
        good(deployment(f"{_ON}{_WINDOW}: ${{WINDOW}}"), **_FILE),
        good(deployment(f"{_ON}{_THRESHOLD}: '900'\n{_STRATEGY}.type: ${{STRATEGY}}"), **_FILE),
        good(deployment(f"{_ON}{_THRESHOLD}: '900'\n{_STRATEGY}.type: none"), **_FILE),
        good(deployment(f"{_ON}{_THRESHOLD}: '900'\n{_FIXED}0 s", **_OLD), **_FILE),
        good(
            deployment(f"{_ON}{_THRESHOLD}: '900'\n{_STRATEGY}.exponential-delay.initial-backoff: ${{FIRST}}"), **_FILE
        ),
    ]

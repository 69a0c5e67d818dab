"""The job restarts many times a day.

## What it does
Counts restarts (`numRestarts`) over the time observed and reports four a day and more. It also looks at what the
restart strategy makes of them: a fixed delay below ten seconds, or an exponential one whose
`reset-backoff-threshold` is shorter than the time between them, so that its delays never grow.

## Why it matters
Each restart reads again what came since the last checkpoint, loses its caches and its warmed-up code, and often comes
with a redeployment. Restarts in a row without growing delays hammer sources, sinks and the JobManager, and keep the
cause alive.

## What to do
Look at the exceptions (`/jobs/:id/exceptions`, or the HistoryServer) for the cause. Let delays grow:
`restart-strategy.type: exponential-delay`.

## Not when
Fewer than four a day.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the strategies
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#availability>: `numRestarts`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._restarts import RESTARTS, STRATEGY, a_day, strategy_of
from flink_flint.rules.observed._wording import evidence, lasting, likewise, times

_DELAY = "restart-strategy.fixed-delay.delay"
_THRESHOLD = "restart-strategy.exponential-delay.reset-backoff-threshold"
_MANY = 4
_SHORT = 10.0


@rule(
    code="FLK677",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{RESTARTS} total > {_MANY / 2:g}"],
    since="0.1",
)
def restarts_frequent(config: View) -> Iterator[Finding]:
    """the job restarts many times a day"""
    restarted = config.observed_where(RESTARTS, statistic="total", above=_MANY / 2)
    often = [restarts for restarts in restarted if a_day(restarts) >= _MANY]
    if not often:
        return
    restarts = max(often, key=a_day)
    apart = 86_400 / a_day(restarts)
    name = strategy_of(config)
    delay, threshold = config.duration(_DELAY), config.duration(_THRESHOLD)
    storm = ""
    if name == "fixed-delay" and delay is not None and delay.seconds < _SHORT:
        storm = f"; each comes {lasting(delay.seconds)} after the failure, and delays do not grow"
    elif name == "exponential-delay" and threshold is not None and threshold.seconds <= apart:
        storm = f"; delays begin anew after {lasting(threshold.seconds)} without failure, so they do not grow"
    down = restarts.holder.observed("job/restartingTime")
    yield config.get(STRATEGY).finding(
        f"{restarts.holder} restarted {times(restarts)} in {restarts.window}, every"
        f" {lasting(apart)}{storm}{likewise(often, 'job')}",
        help="look at the job's exceptions for the cause"
        + ("" if name == "exponential-delay" else f", and set {STRATEGY} to exponential-delay (from Flink 1.13 on)"),
        evidence=evidence(restarts, down, a_day=round(a_day(restarts), 2)),
    )


def cases() -> list[Case]:
    return [
        bad(f"{STRATEGY}: fixed-delay\n{_DELAY}: 1 s\n", at=STRATEGY, observed={RESTARTS: {"total": 140}},
            says="restarted 140 times in 14 days to 2025-11-20, every 2 h 24 min; each comes 1 s after the failure"),
        bad(f"{STRATEGY}: exponential-delay\n", at=STRATEGY, observed={RESTARTS: {"total": 140}},
            says="delays begin anew after 1 h"),
        bad("parallelism.default: 2\n", at=STRATEGY,
            observed={RESTARTS: {"total": 6, "minutes": 300, "samples": 300, "days": 1}}),
        good(f"{STRATEGY}: fixed-delay\n", observed={RESTARTS: {"total": 40}}),
        bad("parallelism.default: 2\n", observed={RESTARTS: {"total": 56}}),
        good("parallelism.default: 2\n", observed={RESTARTS: {"total": 55}}),
        good("pipeline.name: orders\n",
             observed={RESTARTS: {"total": 2, "minutes": 600}, f"{RESTARTS} @ payments": {"total": 90}}),
    ]  # fmt: skip

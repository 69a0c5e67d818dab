"""The attempts of the fixed-delay strategy run out at the rate the job restarts.

## What it does
Where `restart-strategy.type` is `fixed-delay` with a number of attempts, reckons from the restarts observed
(`numRestarts`) after how many days they are spent. Reports 90 days and less; more restarts in the time observed than
there are attempts are an error.

## Why it matters
The fixed-delay strategy never gives attempts back, however long the job ran well in between: after so many failures,
however far apart, the next one ends the job for good, and it stays down until somebody looks.

## What to do
Use `exponential-delay`, which begins anew after an hour without failure (`…reset-backoff-threshold`), or
`failure-rate`. `flint size restart` reckons either from the outage it should outlast.

## Not when
The job sets its strategy in code, or is redeployed meanwhile: each submission counts anew. Hence medium confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the strategies
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#availability>: `numRestarts`
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._restarts import RESTARTS, STRATEGY, a_day, strategy_of
from flink_flint.rules.observed._wording import evidence, lasting, likewise, times

ATTEMPTS = "restart-strategy.fixed-delay.attempts"


@rule(
    code="FLK675",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{RESTARTS} total > 0"],
    since="0.1",
    thresholds={"days": Threshold(90, "days for which attempts must last")},
)
def restart_attempts_run_out(config: View) -> Iterator[Finding]:
    """the attempts of the fixed-delay strategy run out at the rate the job restarts"""
    restarted = config.observed_where(RESTARTS, statistic="total", above=0)
    if not restarted or strategy_of(config) != "fixed-delay":
        return
    attempts, restarts = config.integer(ATTEMPTS), restarted[0]
    if attempts is None:
        return
    lasts = attempts / a_day(restarts)
    if lasts > config.threshold("days"):
        return
    strategy, setting = config.get(STRATEGY), config.get(ATTEMPTS)
    spent = restarts > attempts
    outcome = "which that has spent" if spent else f"which last {lasting(lasts * DAY)} at that rate"
    knows = config.since("1.13")
    yield (setting if setting.is_set else strategy).finding(
        f"{restarts.holder} restarted {times(restarts)} in {restarts.window}, and has"
        f" {attempts} attempt{'s' if attempts != 1 else ''} for good, {outcome}{likewise(restarted, 'job')}",
        help=f"set {strategy.written} to {'exponential-delay' if knows else 'failure-rate'} (`flint size restart`)",
        severity=Severity.ERROR if spent else None,
        fix=strategy.replace("exponential-delay") if knows else None,
        related=[strategy] if setting.is_set else [],
        evidence=evidence(restarts, attempts=attempts, days_left=round(lasts, 2)),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"restart-strategy: fixed-delay\n{ATTEMPTS}: 50\n",
            at=ATTEMPTS,
            flink="1.18",
            severity=Severity.WARNING,
            observed={RESTARTS: {"total": 14}},
            says="has 50 attempts for good, which last 50 d at that rate",
            fixed=f"restart-strategy: exponential-delay\n{ATTEMPTS}: 50\n",
        ),
        bad(
            f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: 3\n",
            at=ATTEMPTS,
            observed={RESTARTS: {"total": 14}},
            severity=Severity.ERROR,
            says="which that has spent",
        ),
        bad(
            "restart-strategy: fixed-delay\n",
            at=STRATEGY,
            flink="1.12",
            observed={RESTARTS: {"total": 1}},
            fixed="restart-strategy: fixed-delay\n",
        ),
        good(f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: 2147483647\n", observed={RESTARTS: {"total": 14}}),
        good(f"{STRATEGY}: exponential-delay\n", observed={RESTARTS: {"total": 14}}),
        good(f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: 100\n", observed={RESTARTS: {"total": 1}}),
        good("parallelism.default: 2\n", observed={RESTARTS: {"total": 14}}),
        bad(
            f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: 14\n", observed={RESTARTS: {"total": 14}}, severity=Severity.WARNING
        ),
        bad(f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: 90\n", observed={RESTARTS: {"total": 14}}),
        good(f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: 91\n", observed={RESTARTS: {"total": 14}}),
        good(f"{STRATEGY}: fixed-delay\n{ATTEMPTS}: ${{ATTEMPTS}}\n", observed={RESTARTS: {"total": 14}}),
        good(f"pipeline.name: payments\n{STRATEGY}: fixed-delay\n{ATTEMPTS}: 3\n", observed={RESTARTS: {"total": 14}}),
    ]

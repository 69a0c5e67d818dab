"""The failure-rate strategy may give up at the rate the job restarts.

## What it does
Where `restart-strategy.type` is `failure-rate`, takes the mean rate of restarts observed (`numRestarts`) and asks how
many may fall into one `failure-rate-interval` by chance, with a certainty of 99.9 %. Reports a limit below that.

## Why it matters
Failures do not keep a distance. A limit that the mean rate stays below is still reached now and then, and the job then
ends for good. The defaults, one failure in one minute, end it at the second.

## What to do
Allow as many failures as proposed, or use `exponential-delay`. `flint size restart` reckons from an outage.

## Not when
The job sets its strategy in code. Failures of one cause come in bursts, of which a total says nothing: the limit may
be reached sooner.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/#failure-rate-restart-strategy>
- <https://issues.apache.org/jira/browse/FLINK-20752>: releases that allow one failure less
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.container_losses import poisson_quantile
from flink_flint.calculators.formulas.restart_delays import (
    counted_failures,
    counts_exactly_since,
    failures_to_configure,
)
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._restarts import RESTARTS, STRATEGY, strategy_of
from flink_flint.rules.observed._wording import evidence, lasting, likewise, times

MOST = "restart-strategy.failure-rate.max-failures-per-interval"
INTERVAL = "restart-strategy.failure-rate.failure-rate-interval"
_CERTAINTY = 0.999


@rule(
    code="FLK676",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{RESTARTS} total > 0"],
    since="0.1",
)
def failure_rate_reached(config: View) -> Iterator[Finding]:
    """the failure-rate strategy may give up at the rate the job restarts"""
    restarted = config.observed_where(RESTARTS, statistic="total", above=0)
    if not restarted or strategy_of(config) != "failure-rate":
        return
    most, interval, restarts = config.integer(MOST), config.duration(INTERVAL), restarted[0]
    if most is None or interval is None:
        return
    mean = restarts / (restarts.minutes * 60) * interval.seconds
    chance = poisson_quantile(mean, _CERTAINTY)
    exact = counts_exactly_since(config.since)
    if chance <= counted_failures(most, exact=exact):
        return
    setting = config.get(MOST)
    enough = str(failures_to_configure(chance, exact=exact))
    yield (setting if setting.is_set else config.get(STRATEGY)).finding(
        f"{restarts.holder} restarted {times(restarts)} in {restarts.window}: {chance} may fall into"
        f" {lasting(interval.seconds)} by chance, with {most} allowed{likewise(restarted, 'job')}",
        help=f"set {setting.key} to {enough}, or use exponential-delay",
        fix=setting.replace(enough),
        related=[config.get(INTERVAL)],
        evidence=evidence(restarts, allowed=most, by_chance=chance),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{STRATEGY}: failure-rate\n{MOST}: 3\n{INTERVAL}: 60 min\n", at=MOST, observed={RESTARTS: {"total": 168}},
            says="4 may fall into 1 h by chance, with 3 allowed",
            fixed=f"{STRATEGY}: failure-rate\n{MOST}: 4\n{INTERVAL}: 60 min\n",
        ),
        bad("restart-strategy: failure-rate\nrestart-strategy.failure-rate.failure-rate-interval: 1 h\n", at=STRATEGY,
            flink="1.11", observed={RESTARTS: {"total": 30}}),
        good(f"{STRATEGY}: failure-rate\n{MOST}: 10\n{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 168}}),
        good(f"{STRATEGY}: failure-rate\n{MOST}: 3\n{INTERVAL}: 5 min\n", observed={RESTARTS: {"total": 14}}),
        good(f"{STRATEGY}: fixed-delay\n{MOST}: 3\n{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 168}}),
        bad(f"{STRATEGY}: failure-rate\n{MOST}: 1\n{INTERVAL}: 14 d\n", observed={RESTARTS: {"total": 1}}),
        bad(f"{STRATEGY}: failure_rate\n{MOST}: 3\n{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 168}}),
        good(f"{STRATEGY}: failure-rate\n{MOST}: ${{MOST}}\n{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 168}}),
        good(f"{STRATEGY}: failure-rate\n{MOST}: 3\n{INTERVAL}: ${{TIME}}\n", observed={RESTARTS: {"total": 168}}),
        good(f"pipeline.name: payments\n{STRATEGY}: failure-rate\n{MOST}: 3\n{INTERVAL}: 60 min\n",
             observed={RESTARTS: {"total": 168}}),
    ]  # fmt: skip

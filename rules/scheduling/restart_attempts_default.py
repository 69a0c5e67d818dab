"""A fixed delay without attempts restarts the job once and then gives up.

## What it does
Reports the restart strategy `fixed-delay` where `restart-strategy.fixed-delay.attempts` is not set.

## Why it matters
The default is 1. The second failure in the life of the job ends it, be it months after the first: attempts are never
given back. Without a strategy at all a job with checkpoints restarts for ever, so that naming the strategy makes
things worse.

## What to do
Set `restart-strategy.fixed-delay.attempts`, to 2147483647 for a job that is to run for ever, or choose `failure-rate`
or `exponential-delay`, which forget failures of long ago.

## Not when
A template decides, or the file is only a part of the configuration.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#restart-strategy-fixed-delay-attempts>:
  the option and its default of 1
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the strategies
"""

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ATTEMPTS = "restart-strategy.fixed-delay.attempts"


@rule(
    code="FLK604",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["restart-strategy.type"],
    of_scale=True,
    since="0.1",
)
def restart_attempts_default(config: View) -> Iterator[Finding]:
    """a fixed delay without attempts restarts the job once and then gives up"""
    chosen = config.get("restart-strategy.type")
    if not config.document.whole or config.is_set(_ATTEMPTS):
        return
    if strategy_named(chosen.text) != "fixed-delay":
        return
    yield chosen.finding(
        "without restart-strategy.fixed-delay.attempts a job is restarted 1 time: its second failure, however much"
        " later, ends it",
        help=f"set {_ATTEMPTS}: 2147483647, or choose failure-rate or exponential-delay",
    )


def cases() -> list[Case]:
    return [
        bad("restart-strategy: fixed-delay\n", at="restart-strategy.type", flink="1.16"),
        bad("restart-strategy.type: fixeddelay\nrestart-strategy.fixed-delay.delay: 10 s\n"),
        good(f"restart-strategy: fixed-delay\n{_ATTEMPTS}: 10\n", flink="1.16"),
        good("restart-strategy: failure-rate\n", flink="1.16"),
        good("restart-strategy: ${STRATEGY}\n", flink="1.16"),
        bad("restart-strategy: fixed-delay\n", flink="1.16", profile="development", severity=Severity.INFO),
        good("SET 'restart-strategy.type' = 'fixed-delay';\n", file="job.sql"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "restart strategy",
            "restart-strategy: fixed-delay\n",
            "no restart",
            good="restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 10\n",
            releases=">=1.10",
        ),
    ]

"""The failure-rate restart strategy never gives up, or gives up at once.

## What it does
Where `restart-strategy.type` is `failure-rate`, compares
`restart-strategy.failure-rate.delay` (1 s by default) times `max-failures-per-interval` (1) with
`failure-rate-interval` (1 min). Above the interval the strategy never gives up. It also reports a strategy for
which no `max-failures-per-interval` is set.

## Why it matters
The strategy gives up when more failures than allowed fall into one interval, and each restart waits for the delay
first. With 3 failures, 60 s and a delay of 20 s a broken job stops after 3 restarts; with 21 s it restarts for
ever, though a limit was meant. Left out, the limit is one failure a minute: the second one ends the job.

## What to do
Make the interval at least twice the delay times the number of failures, and set that number. `flint size restart`
finds both for an outage.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/#failure-rate-restart-strategy>:
  the three settings
- <https://github.com/apache/flink/pull/14480>: FLINK-20752, from 1.10 to 1.12.2 (1.11.3) one restart fewer is allowed
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.calculators.formulas.restart_delays import (
    ENDLESS,
    counted_failures,
    counts_exactly_since,
    interval_for,
    never_gives_up,
)
from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.flink.values import DAY, Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OF = "restart-strategy.failure-rate"


@rule(
    code="FLK606",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=["restart-strategy.type"],
    since="0.1",
)
def failure_rate_never_trips(config: View) -> Iterator[Finding]:
    """the failure-rate restart strategy never gives up, or at once"""
    chosen = config.get("restart-strategy.type")
    if strategy_named(chosen.text) != "failure-rate":
        return
    delay, interval = config.duration(f"{_OF}.delay"), config.duration(f"{_OF}.failure-rate-interval")
    limit = config.get(f"{_OF}.max-failures-per-interval")
    most = config.integer(limit.key)
    if delay is None or not interval or most is None:
        return  # an interval of 0 is refused
    needed = counted_failures(most, exact=counts_exactly_since(config.since))
    if most >= ENDLESS:
        return  # nobody meant a limit
    if never_gives_up(needed, delay, interval):
        window = config.get(f"{_OF}.failure-rate-interval")
        written = [setting for setting in (config.get(f"{_OF}.delay"), window, limit) if setting.is_set]
        waited = Duration(delay * needed)
        enough = Duration(round(rounded_up(interval_for(most, delay) / 1e9) * 1e9))
        sensible = enough <= DAY
        yield (written or [chosen])[0].finding(
            f"the strategy never gives up: {needed} restarts after {delay} each take {waited}, so more than {most}"
            f" failures never fall into its interval of {interval}",
            help=f"set {_OF}.failure-rate-interval to {enough} or more, or shorten the delay"
            if sensible
            else f"lower {limit.key}, or shorten the delay",
            fix=window.replace(str(enough)) if sensible else None,
            related=[*written[1:], chosen],
            evidence={"delay_ms": delay.milliseconds, "interval_ms": interval.milliseconds, "failures": most},
            measure=delay.milliseconds * most / interval.milliseconds,
        )
    elif not limit.is_set:
        yield chosen.finding(
            f"how many failures failure-rate allows is not set: with the default of {most} the next failure within"
            f" {interval} ends the job",
            help=f"set {limit.key}, for example to 10, and {_OF}.failure-rate-interval, for example to 10 min",
        )


_PROGRAM = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "class Job {\n  void run(StreamExecutionEnvironment env, int limit) {\n"
    "    env.setRestartStrategy(RestartStrategies.failureRateRestart(limit, INTERVAL, DELAY));\n  }\n}\n"
)


def claims() -> list[Claim]:
    both = "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
    return [
        flink_uses(
            "failure rate",
            "restart-strategy.failure-rate.delay: 40 s\n",
            "restarts after",
            good="restart-strategy.failure-rate.delay: 10 s\n",
            both=both + "restart-strategy.failure-rate.failure-rate-interval: 60 s\n",
            releases=">=1.10",
        ),
        flink_uses(
            "restart strategy",
            "restart-strategy: failure-rate\n",
            "no restart",
            good="restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 5\n",
            releases=">=1.10",
        ),
    ]


def cases() -> list[Case]:
    return [
        good(f"restart-strategy: failure-rate\n{_OF}.failure-rate-interval: 0\n", flink="1.20"),
        bad(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
            "restart-strategy.failure-rate.failure-rate-interval: 60 s\nrestart-strategy.failure-rate.delay: 30 s\n",
            at="restart-strategy.failure-rate.delay",
            flink="1.18",
            severity=Severity.WARNING,
            says="3 restarts after 30 s each take 90 s",
            fixed="restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
            "restart-strategy.failure-rate.failure-rate-interval: 3 min\nrestart-strategy.failure-rate.delay: 30 s\n",
        ),
        bad("restart-strategy.type: failure-rate\n", at="restart-strategy.type", says="with the default of 1"),
        bad(
            "restart-strategy: failurerate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
            "restart-strategy.failure-rate.failure-rate-interval: 60 s\nrestart-strategy.failure-rate.delay: 40 s\n",
            flink="1.12.2",
            says="2 restarts after 40 s each",
        ),
        good(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
            "restart-strategy.failure-rate.failure-rate-interval: 60 s\nrestart-strategy.failure-rate.delay: 20 s\n",
            flink="1.18",
        ),
        good(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
            "restart-strategy.failure-rate.failure-rate-interval: 60 s\nrestart-strategy.failure-rate.delay: 30 s\n",
            flink="1.12.2",
        ),
        bad(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 3\n"
            "restart-strategy.failure-rate.delay: 30 s\n",
            flink="1.12.3",
            says="3 restarts after 30 s each",
        ),
        bad(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 100000\n"
            "restart-strategy.failure-rate.delay: 30 s\n",
            flink="1.18",
            says="100000 restarts after 30 s each",
        ),
        good(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: 2147483647\n"
            "restart-strategy.failure-rate.delay: 25 s\n",
            flink="1.18",
        ),
        good("restart-strategy: fixed-delay\nrestart-strategy.failure-rate.delay: 5 min\n", flink="1.18"),
        good(
            "restart-strategy.type: failure-rate\nrestart-strategy.failure-rate.max-failures-per-interval: "
            "'{{ most }}'\n"
        ),
        good("restart-strategy: failure-rate\nrestart-strategy.failure-rate.delay: ${DELAY}\n", flink="1.18"),
        good(
            "restart-strategy: failure-rate\nrestart-strategy.failure-rate.delay: 5 min\n"
            "restart-strategy.failure-rate.failure-rate-interval: ${INTERVAL}\n",
            flink="1.18",
        ),
        good(_PROGRAM, file="Job.java", flink="1.18"),
    ]

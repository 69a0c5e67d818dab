"""A few restarts with a fixed delay are all for the whole life of the job.

## What it does
Multiplies `restart-strategy.fixed-delay.attempts` by the delay. Reports a streaming job for which that is less than
five minutes, with ten attempts or fewer.

## Why it matters
Flink counts the attempts from the start of the job and never resets the count. An outage of Kafka, a database or the
network that lasts longer than the product uses them all up: `Recovery is suppressed by
FixedDelayRestartBackoffTimeStrategy`. So do a few failures that are weeks apart. The job is then `FAILED` for good, and
somebody has to start it again from a checkpoint.

## What to do
Set `restart-strategy.type: exponential-delay`, which tries for ever and slows down, or `failure-rate`, which forgets
old failures. With a fixed delay, give as many attempts as the longest outage needs.

## Not when
The job is a batch job, one attempt is the default that `restart-attempts-default` speaks about, or the profile is
`development`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/#fixed-delay-restart-strategy>:
  if the attempts are exceeded, the job fails
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/executiongraph/failover/FixedDelayRestartBackoffTimeStrategy.java>:
  a count that only grows
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_FIXED = "restart-strategy.fixed-delay"


@rule(
    code="FLK612",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[f"{_FIXED}.attempts"],
    of_scale=True,
    since="0.1",
    thresholds={
        "attempts": Threshold(10, "attempts that are few"),
        "outage": Threshold("5 min", "outage that a job has to survive"),
    },
)
def restarts_used_up_soon(config: View) -> Iterator[Finding]:
    """a few restarts are used up by a short outage, or by old failures"""
    setting = config.get(f"{_FIXED}.attempts")
    attempts, delay = config.integer(f"{_FIXED}.attempts"), config.duration(f"{_FIXED}.delay")
    if not setting.is_set or attempts is None or delay is None or not 0 < attempts <= config.threshold("attempts"):
        return
    strategy = config.get("restart-strategy.type")
    if not strategy.is_set or strategy_named(strategy.text) != "fixed-delay":
        return
    outage = Duration(attempts * delay)
    if outage >= config.threshold("outage") or config.is_bounded:
        return
    times = "1 restart is all" if attempts == 1 else f"{attempts} restarts are all"
    yield setting.finding(
        f"{times} for the life of the job, since Flink never resets the count: an outage of {outage}, or as many"
        " failures weeks apart, end it for good",
        help="set restart-strategy.type: exponential-delay, which tries for ever",
        related=[strategy],
    )


def _conf(attempts: int, delay: str, more: str = "") -> str:
    return f"restart-strategy: fixed-delay\n{_FIXED}.attempts: {attempts}\n{_FIXED}.delay: {delay}\n{more}"


def cases() -> list[Case]:
    return [
        bad(
            _conf(3, "10 s"), at=f"{_FIXED}.attempts", flink="1.18", severity=Severity.WARNING,
            says="an outage of 30 s",
        ),
        bad(_conf(1, "10 s"), flink="1.18", says="1 restart is all"),
        bad(_conf(3, "10 s").replace("strategy:", "strategy.type:"), flink="2.0"),
        bad(
            "import org.apache.flink.api.common.restartstrategy.RestartStrategies;\n"
            "import org.apache.flink.api.common.time.Time;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "class Job { public static void main(String[] args) throws Exception {\n"
            "  StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "  env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, Time.seconds(10)));\n"
            '  env.addSource(new Orders()).uid("a").print(); env.execute(); } }\n',
            file="Job.java",
            flink="1.18",
        ),
        bad(_conf(3, "10 s"), flink="1.18", profile="development", severity=Severity.INFO),
        good(_conf(10, "180 s"), flink="1.18"),
        good(_conf(2147483647, "1 s"), flink="1.18"),
        good(_conf(3, "10 s", "execution.runtime-mode: BATCH\n"), flink="1.18"),
        good(f"restart-strategy: failure-rate\n{_FIXED}.attempts: 3\n", flink="1.18"),
        good(f"restart-strategy: fixed-delay\n{_FIXED}.attempts: 3\n{_FIXED}.delay: ${{DELAY}}\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses("restart strategy", _conf(1, "10 s"), "no restart", good=_conf(1000, "10 s"), releases=">=1.10"),
    ]

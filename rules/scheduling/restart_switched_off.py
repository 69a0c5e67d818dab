"""No restart strategy: the first failure ends the job.

## What it does
Reports `restart-strategy.type` (`restart-strategy` up to 1.16) with the value `none`, `off` or `disable`, or a program
that calls `RestartStrategies.noRestart()`. It is a warning where something shows that checkpointing is on, and in a job
of which nothing shows that it is off, which overrules its cluster; else advice.

## Why it matters
A TaskManager that is moved, a broker that restarts, a request that times out: without a restart strategy each of them
leaves a streaming job in the state FAILED, until somebody submits it again. Checkpoints are of no use to it, since only
a restart goes back to one.

## What to do
Choose `exponential-delay`: it waits longer after each failure, up to a minute, and so spares what is in trouble. With
checkpointing on, leave the line out where Flink's default will do: it restarts jobs. Without checkpointing Flink's
default is not to restart either, so that the line changes nothing.

## Not when
The runtime mode is `BATCH` or `AUTOMATIC`, so that the job may be one that is simply run again. The program and its
deployment are known to switch on no checkpointing. A job whose sources have an end can be run again: advice. Something
else supervises the jobs and submits them again from their last checkpoint: then a comment can silence the finding.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/#restart-strategies>:
  the strategies, their names, and what holds without one
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/executiongraph/failover/RestartBackoffTimeStrategyFactoryLoader.java>:
  the default, with checkpointing and without
"""

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, is_of_one_start, takes_checkpoints
from flink_flint.rules.kafka._cases import program

_TYPE = "restart-strategy.type"
_MODE = "execution.runtime-mode"


@rule(
    code="FLK603",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    flink=">=1.10",
    reads=[_TYPE],
    of_scale=True,
    since="0.1",
)
def restart_switched_off(config: View) -> Iterator[Finding]:
    """the first failure ends the job"""
    chosen, mode = config.get(_TYPE), config.get(_MODE)
    if not chosen.is_set or not chosen.is_known or strategy_named(chosen.text) != "none":
        return
    if mode.is_set and config.string(_MODE) != "STREAMING":
        return
    taken = takes_checkpoints(config)
    if taken is False and (config.elements("job") or is_of_one_start(chosen)):
        return  # Flink's default without checkpointing is the same
    is_on = taken or config.may_be_set_by_program(INTERVAL)
    # A program says so whatever its cluster is configured to do, which nobody here knows.
    is_overruling = taken is None and config.document.kind in ("source", "sql")
    yield chosen.finding(
        f"{chosen.text} has the first failure end the job, whatever its cause",
        help="choose exponential-delay, which Flink 1.19 made the default, or leave the line out"
        if is_on
        else "choose exponential-delay; to leave the line out has jobs restarted only where they take checkpoints",
        severity=None if (is_on or is_overruling) and not config.is_bounded else Severity.INFO,
    )


_EVERY = "execution.checkpointing.interval: 1 min\n"
_OFF = "env.setRestartStrategy(RestartStrategies.noRestart());"


def cases() -> list[Case]:
    return [
        bad(
            f"restart-strategy.type: none\n{_EVERY}",
            at=_TYPE,
            says="none has the first failure end the job",
            severity=Severity.WARNING,
        ),
        bad(f"restart-strategy: Off\n{_EVERY}", flink="1.11", severity=Severity.WARNING),
        bad("restart-strategy: Off\n", flink="1.10", severity=Severity.INFO),
        bad("restart-strategy.type: none\n", severity=Severity.INFO),
        bad("restart-strategy.type: none\nexecution.checkpointing.interval: 0\n", severity=Severity.INFO),
        bad(
            f"restart-strategy.type: disable\nexecution.runtime-mode: STREAMING\n{_EVERY}",
            profile="development",
            severity=Severity.INFO,
        ),
        bad(
            program(_OFF, "env.enableCheckpointing(60_000);", 'env.fromSource(a, b, "c").print();'),
            file="Orders.java",
            flink="1.20",
            severity=Severity.WARNING,
        ),
        # Whether the cluster has jobs restarted and take checkpoints, nothing shows.
        bad(program(_OFF, "stream.print();"), file="Orders.java", flink="1.20", severity=Severity.WARNING),
        # Its sources have an end.
        bad(
            program(_OFF, "env.enableCheckpointing(60_000);", "env.fromElements(1, 2).print();"),
            file="Orders.java",
            flink="1.20",
            severity=Severity.INFO,
        ),
        good(f"restart-strategy.type: none\nexecution.runtime-mode: BATCH\n{_EVERY}"),
        good("SET 'restart-strategy.type' = 'none';\nSET 'execution.checkpointing.interval' = '0';\n", file="job.sql"),
        good(f"restart-strategy.type: none\nexecution.runtime-mode: automatic\n{_EVERY}"),
        good(f"restart-strategy.type: exponential-delay\n{_EVERY}"),
        good(f"restart-strategy.type: com.example.Offline\n{_EVERY}"),
        good(f"restart-strategy.type: '{{{{ strategy }}}}'\n{_EVERY}"),
        good(f"restart-strategy: none\n{_EVERY}", flink="1.9"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "restart strategy",
            "restart-strategy: none\n",
            "no restart",
            good="restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 10\n"
            "restart-strategy.fixed-delay.delay: 10 s\n",
            releases=">=1.10",
        ),
    ]

"""The program sets its restart strategy by a class that Flink 2.0 took away.

## What it does
Finds `RestartStrategies` in the source of a job for Flink 2.0 or newer.

## Why it matters
The class and `setRestartStrategy` are gone: the program does not compile, and a jar that was built for 1.x ends with a
`NoSuchMethodError` when it is started.

## What to do
Write `restart-strategy.type` and its settings in the configuration, or set them in a `Configuration` of the program.

## Not when
The job is for a release before 2.0, or nothing says for which: a program with this call is most likely for one of
those that have it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: what was removed
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the options
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_CLASS = "RestartStrategies."


@rule(
    code="FLK608",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["restart-strategy.type"],
    flink=">=2.0",
    since="0.1",
)
def restart_strategies_in_code(config: View) -> Iterator[Finding]:
    """the program uses RestartStrategies, which Flink 2.0 removed"""
    if not config.target.certain:
        return
    for entry in config.document.entries:
        if entry.layer.startswith(_CLASS) and entry.key == "restart-strategy":
            yield config.finding(
                f"Flink 2.0 removed {entry.layer}: the program does not compile, and a jar of 1.x does not start",
                span=entry.value_span,
                key="restart-strategy.type",
                help=f"set restart-strategy.type: {entry.text} and its settings in the configuration",
            )


def _program(call: str) -> str:
    return (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Orders {\n  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"    {call}\n    env.execute();\n  }}\n}}\n"
    )


_FIXED = "env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, 10_000L));"
_JAVA = {"file": "Orders.java"}


def cases() -> list[Case]:
    return [
        bad(_program(_FIXED), **_JAVA, flink="2.0", severity=Severity.ERROR, says="RestartStrategies.fixedDelayRestart",
            at="restart-strategy.type"),
        bad(_program("env.getConfig().setRestartStrategy(RestartStrategies.noRestart());"), **_JAVA, flink="2.3",
            says="RestartStrategies.noRestart"),
        good(_program(_FIXED), **_JAVA, flink="1.20"),
        good(_program(_FIXED), **_JAVA),
        bad(_program(_FIXED), **_JAVA, flink=">=1.20", severity=Severity.WARNING, says="(Flink 2.0 to 2.3)"),
        good(_program("env.setParallelism(3);"), **_JAVA, flink="2.0"),
        good("restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\n", flink="2.0"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "program",
            "import org.apache.flink.api.common.restartstrategy.RestartStrategies;\n"
            + _program(_FIXED).replace("class Orders", "class Job").replace("env.execute();", ""),
            good=_program("env.setParallelism(3);").replace("class Orders", "class Job").replace("env.execute();", ""),
            releases=">=2.3",
        ),
    ]

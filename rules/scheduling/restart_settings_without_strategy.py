"""Settings of a restart strategy that is not chosen have no effect.

## What it does
Looks at `restart-strategy.fixed-delay.*`, `restart-strategy.failure-rate.*` and
`restart-strategy.exponential-delay.*`. Where no `restart-strategy.type` is set it is an error; where the chosen
strategy has none of its own settings but another one has, a warning; leftovers beside a strategy with settings of
its own, or beside `none`, are advice.

## Why it matters
Without a type Flink takes its default strategy with built-in numbers, not with yours: with checkpointing a fixed
delay of 1 s and 2147483647 attempts up to 1.18, an exponential delay of 1 s to 1 min from 1.19 on, without
checkpointing no restart at all. `attempts: 3` alone therefore still restarts for ever.

## What to do
Add `restart-strategy.type` (`restart-strategy` up to 1.16) with the strategy whose settings you wrote, and delete
the settings of the others.

## Not when
The type is the name of a class, unknown (`restart-strategy-unknown` speaks) or filled in by a template, or the key
is one of a later release (`restart-strategy.type` before 1.17). In Flink 1.9 attempts or delay alone
still chose the fixed delay. Where jobs name the type with `-D` at submission, suppress the finding.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>:
  strategies, settings, defaults
- <https://issues.apache.org/jira/browse/FLINK-13921>: since 1.10 the settings alone choose no strategy
"""

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import STRATEGIES, strategy_named
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.spans import Edit, Span

_PREFIX = "restart-strategy."


@rule(
    code="FLK601",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    flink=">=1.10",
    reads=[f"{_PREFIX}{strategy}." for strategy in STRATEGIES[1:]],
    since="0.1",
)
def restart_settings_without_strategy(config: View) -> Iterator[Finding]:
    """settings of a restart strategy that is not chosen have no effect"""
    chosen = config.get("restart-strategy.type")
    strategy = strategy_named(chosen.text)
    if not chosen.is_known or (chosen.is_set and strategy is None):
        return
    if not chosen.is_set and chosen.key in config.document.effective:
        # Chosen, by a name this release does not know yet: that is the fault to report.
        return
    written = {name: list(config.under(f"{_PREFIX}{name}.")) for name in STRATEGIES[1:]}
    written = {name: settings for name, settings in written.items() if settings}
    for name, settings in written.items():
        if name == strategy:
            continue
        first, others = settings[0], settings[1:]
        keys = ", ".join(setting.written.removeprefix(f"{_PREFIX}{name}.") for setting in settings)
        if strategy is None:
            yield first.finding(
                f"no restart strategy is chosen, so the settings of {name} ({keys}) have no effect and Flink restarts"
                f" {_default(config)}",
                help=f"add {_type_key(config)}: {name}",
                related=others,
                fix=_chosen(config, first, name) if len(written) == 1 else None,
                at="key",
                # The templates of a chart, or other values, may choose one.
                severity=Severity.INFO if config.document.kind == "helm" else None,
            )
        else:
            misplaced = strategy != "none" and strategy not in written
            yield first.finding(
                f"the restart strategy is {chosen.text}, so the settings of {name} ({keys}) have no effect",
                help=f"delete them, or set {chosen.written} to {name}",
                severity=Severity.WARNING if misplaced else Severity.INFO,
                related=[chosen, *others],
                at="key",
            )


def _default(config: View) -> str:
    """What happens where no strategy is chosen."""
    if config.since("1.19"):
        return "for ever after 1 s to 1 min (with checkpointing) or never (without)"
    return "2147483647 times after 1 s (with checkpointing) or never (without)"


def _type_key(config: View) -> str:
    """The key that chooses the strategy in every release the file may be for."""
    in_all = config.document.is_config_yaml or (config.target.certain and config.since("1.17"))
    return "restart-strategy.type" if in_all else "restart-strategy"


def _chosen(config: View, setting: Setting, strategy: str) -> Fix | None:
    """Write the type above the first of its settings: beside it, or as its neighbour in a nested mapping."""
    entry = setting.entry
    assert entry is not None
    text, spans = config.document.text, entry.path_spans
    if len(spans) == 1:
        at, key = spans[0].start, _type_key(config)
    elif text[spans[0].start : spans[0].end] == "restart-strategy":
        at, key = spans[1].start, "type"
    else:
        return None
    start = text.rfind("\n", 0, at) + 1
    indent = text[start:at]
    if indent.strip():
        return None
    return Fix(f"add {key}: {strategy}", [Edit(Span(at, at), f"{key}: {strategy}\n{indent}")], safe=False)


_BRANCHES = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "class Job {\n  public static void main(String[] args) throws Exception {\n"
    "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    "    if (args.length > 0) {\n"
    "      env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, Time.of(10, TimeUnit.SECONDS)));\n"
    "    } else {\n"
    "      env.setRestartStrategy(RestartStrategies.failureRateRestart(6, Time.of(10L, TimeUnit.MINUTES), "
    "Time.of(5L, TimeUnit.SECONDS)));\n"
    "    }\n    env.execute();\n  }\n}\n"
)
_BY_KEY = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "class Job {\n  public static void main(String[] args) throws Exception {\n"
    "    Configuration conf = new Configuration();\n"
    '    %sconf.setString("restart-strategy.fixed-delay.attempts", "3");\n'
    "    StreamExecutionEnvironment.getExecutionEnvironment(conf).execute();\n  }\n}\n"
)


def cases() -> list[Case]:
    return [
        bad(
            "flinkConfiguration:\n  restart-strategy.fixed-delay.attempts: 3\n  rest.port: 8081\n",
            file="values.yaml",
            severity=Severity.INFO,
        ),
        bad(
            "restart-strategy.fixed-delay.attempts: 3\nrestart-strategy.fixed-delay.delay: 10 s\n",
            at="restart-strategy.fixed-delay.attempts",
            flink="1.18",
            severity=Severity.ERROR,
            says="2147483647 times",
            fixed="restart-strategy.type: fixed-delay\n"
            "restart-strategy.fixed-delay.attempts: 3\nrestart-strategy.fixed-delay.delay: 10 s\n",
        ),
        bad(
            "restart-strategy.failure-rate.delay: 10 s\n",
            flink="1.15",
            fixed="restart-strategy: failure-rate\nrestart-strategy.failure-rate.delay: 10 s\n",
        ),
        bad(
            "restart-strategy:\n  exponential-delay:\n    max-backoff: 2 min\n",
            at="restart-strategy.exponential-delay.max-backoff",
            flink="2.0",
            says="for ever after",
            fixed="restart-strategy:\n  type: exponential-delay\n  exponential-delay:\n    max-backoff: 2 min\n",
        ),
        bad(
            "restart-strategy: failure-rate\nrestart-strategy.fixed-delay.attempts: 3\n",
            at="restart-strategy.fixed-delay.attempts",
            flink="1.16",
            severity=Severity.WARNING,
        ),
        good(
            "from pyflink.datastream import StreamExecutionEnvironment\n"
            "from pyflink.table import StreamTableEnvironment\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\n"
            "t_env = StreamTableEnvironment.create(env)\n"
            "env.set_restart_strategy(strategy_of(env))\n"
            't_env.get_config().set("restart-strategy", "fixed-delay")\n'
            't_env.get_config().set("restart-strategy.fixed-delay.attempts", "10")\n'
            "env.execute()\n",
            file="job.py",
            flink="1.18",
        ),
        bad("restart-strategy: none\nrestart-strategy.fixed-delay.attempts: 3\n", flink="1.16", severity=Severity.INFO),
        good("restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\n", flink="1.16"),
        good("restart-strategy.type: exponentialdelay\nrestart-strategy.exponential-delay.max-backoff: 2 min\n"),
        good("restart-strategy: com.example.Mine\nrestart-strategy.fixed-delay.attempts: 3\n", flink="1.12"),
        good("restart-strategy: fixed_delay\nrestart-strategy.fixed-delay.attempts: 3\n", flink="1.16"),
        good("restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\n", flink="1.16"),
        good("restart-strategy: {{ strategy }}\nrestart-strategy.fixed-delay.attempts: 3\n", flink="1.16"),
        bad(
            "restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\n"
            "restart-strategy.failure-rate.delay: 10 s\n",
            at="restart-strategy.failure-rate.delay",
            flink="1.16",
            severity=Severity.INFO,
        ),
        bad(
            "restart-strategy.type: failure-rate\nrestart-strategy.fixed-delay.attempts: 3\n",
            flink="2.0",
            severity=Severity.WARNING,
        ),
        bad(
            "restart-strategy.fixed-delay.attempts: 3\nrestart-strategy.failure-rate.delay: 10 s\n",
            flink="1.16",
            times=2,
            fixed="restart-strategy.fixed-delay.attempts: 3\nrestart-strategy.failure-rate.delay: 10 s\n",
        ),
        bad(
            "restart-strategy.failure-rate.delay: 10 s\n",
            fixed="restart-strategy.type: failure-rate\nrestart-strategy.failure-rate.delay: 10 s\n",
        ),
        bad(
            "restart-strategy.failure-rate.delay: 10 s\n",
            file="flink-conf.yaml",
            fixed="restart-strategy: failure-rate\nrestart-strategy.failure-rate.delay: 10 s\n",
        ),
        bad(
            "restart-strategy.failure-rate:\n  delay: 10 s\n",
            flink="2.0",
            fixed="restart-strategy.failure-rate:\n  delay: 10 s\n",
        ),
        bad(
            "rest:\n  port: 8081\nrestart-strategy:\n  failure-rate:\n    delay: 10 s\n",
            flink="2.0",
            fixed="rest:\n  port: 8081\nrestart-strategy:\n  type: failure-rate\n  failure-rate:\n    delay: 10 s\n",
        ),
        bad(
            "restart-strategy: {failure-rate: {delay: 10 s}}\n",
            flink="2.0",
            fixed="restart-strategy: {failure-rate: {delay: 10 s}}\n",
        ),
        good(_BRANCHES, file="src/main/java/Job.java"),
        good(
            "from pyflink.datastream import StreamExecutionEnvironment\n"
            "from pyflink.common import RestartStrategies\n"
            "def main(a):\n"
            "    env = StreamExecutionEnvironment.get_execution_environment()\n"
            "    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 10000))\n"
            "    env.set_restart_strategy(RestartStrategies.failure_rate_restart(3, 60000, 10000))\n"
            "    env.execute('x')\n",
            file="job.py",
        ),
        good(
            _BY_KEY % 'conf.setString("restart-strategy.type", args[0]);\n    ',
            file="src/main/java/Job.java",
        ),
        bad(_BY_KEY % "", file="src/main/java/Job.java", says="no restart strategy is chosen"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "restart strategy", "restart-strategy.fixed-delay.attempts: 3\n", both="restart-strategy: none\n"
        ),
        flink_ignores(
            "restart strategy",
            "restart-strategy.failure-rate.delay: 10 s\n",
            both="restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\n",
        ),
    ]

"""A duration is written in a way Flink does not read.

## What it does
Reports values of duration options that the release in question refuses. Flink reads one whole number and
one unit (`d`, `h`, `min`, `s`, `ms`, `micros`, `ns`, their long forms, in any case); a number alone is
milliseconds. `m` for minutes is read from 1.15 on, ISO-8601 (`PT10S`) from 2.1 on. Decimals, signs, `1h30m`,
`mins`, `hr`, `hrs`, `us` and `w` are refused by every release.

## Why it matters
The value is refused when it is read: JobManager or TaskManager does not start, or the job is rejected when
it is submitted. Two options are exceptions that log a line and go on: a metrics reporter falls back to its interval of
10 s, and the registration of TaskManagers waits without limit.

## What to do
Write one whole number and one unit: `1500 ms` for `1.5s`, `150 min` for `2h30m`, `3 min` for `3 mins`. flint
rewrites what has one exact equivalent, in a spelling that all releases read.

## Not when
`15minutes` and `15 min` are fine, and so is `Inf` for `taskmanager.registration.timeout`. Where the release is unknown,
`10m` is worth advice only, since 1.14 and older alone refuse it. Options that are plain numbers of milliseconds or
seconds in the release at hand belong to `duration-string-on-millis-key` and `seconds-not-millis`; where the release is
unknown, options that were such numbers in some old release it may be belong there too.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: duration options and their type
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/util/TimeUtils.java>:
  what `TimeUtils.parseDuration` accepts; checked by calling it in 1.13 to 2.3
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import is_quoted, meant_duration, spell_duration, told_as_a_number
from flink_flint.rules.settings._keys import shown

_REGISTRATION = "taskmanager.registration.timeout"


@rule(
    code="FLK021", severity=Severity.ERROR, confidence=Confidence.HIGH, since="0.1", scope="key", when=["type:Duration"]
)
def bad_duration(config: View, setting: Setting) -> Iterator[Finding]:
    """a duration is written in a way Flink does not read"""
    if setting.error is None or not setting.is_read or is_quoted(config, setting):
        return
    option = setting.option
    assert option is not None  # what no option reads is not refused
    if option.type != "Duration":
        return
    if setting.key == _REGISTRATION and setting.text.strip().lower().startswith("inf"):
        return
    if told_as_a_number(config, setting):
        return
    is_doubtful = not config.target.certain and _is_short_minutes(setting.text)
    if is_doubtful and config.platform == "operator":
        return  # operators from 1.7 on refuse the releases that do not read it
    meant = meant_duration(setting.text)
    value = None if meant is None else spell_duration(meant)
    yield setting.finding(
        f"Flink reads no duration from '{shown(setting.text)}': {_why(setting.text)}; {_outcome(setting)}",
        help=f"write {value}" if value else "write one whole number and one of d, h, min, s, ms, such as 90 s",
        severity=Severity.INFO if is_doubtful else Severity.WARNING if _goes_on(setting) else None,
        fix=None if value is None else setting.replace(value, safe=True),
    )


def _goes_on(setting: Setting) -> bool:
    """Whether Flink logs a line and takes another duration."""
    return setting.written.startswith("metrics.reporter.") or setting.key == _REGISTRATION


def _outcome(setting: Setting) -> str:
    if setting.written.startswith("metrics.reporter."):
        return "the reporter falls back to its default"
    if setting.key == _REGISTRATION:
        return "the TaskManager waits without limit"
    return "whatever reads the option fails"


def _is_short_minutes(text: str) -> bool:
    """Whether it is a number and ``m``, which only releases before 1.15 refuse."""
    trimmed = text.strip().lower()
    return trimmed.endswith("m") and trimmed[:-1].rstrip().isdecimal()


def _why(text: str) -> str:
    trimmed = text.strip()
    digits = len(trimmed) - len(trimmed.lstrip("0123456789"))
    rest = trimmed[digits:].strip()
    if not trimmed:
        return "it is empty"
    if not digits:
        if trimmed[0] in "pP":
            return "ISO-8601 durations are read from 2.1 on, and then only valid ones"
        return "it does not start with a digit"
    if _is_short_minutes(trimmed):
        return "'m' stands for minutes from 1.15 on, before that only 'min' does"
    if not rest:
        return "it is too large"
    if rest[0] in ".,_":
        return "only whole numbers without separators are read"
    if any(char.isdigit() for char in rest):
        return "only one number with one unit is read"
    return f"'{shown(rest)}' is none of the units d, h, min, s, ms, micros, ns"


def cases() -> list[Case]:
    return [
        bad(
            "execution.checkpointing.interval: 3 mins\n",
            at="execution.checkpointing.interval",
            flink="1.18",
            fixed="execution.checkpointing.interval: 3 min\n",
            severity=Severity.ERROR,
            says="'mins' is none",
        ),
        bad(
            "restart-strategy.fixed-delay.delay: 1.5s\n",
            at="1.5s",
            flink="1.17",
            fixed="restart-strategy.fixed-delay.delay: 1500 ms\n",
        ),
        bad(
            "table.exec.state.ttl: 2h30m # late data\n",
            file="flink-conf.yaml",
            flink="1.19",
            fixed="table.exec.state.ttl: 150 min # late data\n",
            says="only one number",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '1min'\nSET 'parallelism.default' = '4';\n",
            file="job.sql",
            says="from ''1min'\\nSET 'par",
        ),
        bad(
            "execution.checkpointing.interval: 10m\n",
            flink="1.14",
            fixed="execution.checkpointing.interval: 10 min\n",
            severity=Severity.ERROR,
        ),
        bad("execution.checkpointing.interval: 10 m\n", file="flink-conf.yaml", severity=Severity.INFO),
        bad(
            "execution.checkpointing.interval: 10q\n",
            file="flink-conf.yaml",
            platform="operator",
            severity=Severity.WARNING,
            fixed="execution.checkpointing.interval: 10q\n",
        ),
        bad("heartbeat.timeout: 0.0000000001 s\n", flink="2.0", fixed="heartbeat.timeout: 0.0000000001 s\n"),
        bad("table.exec.state.ttl: 0.0s\n", flink="2.0", fixed="table.exec.state.ttl: 0 ms\n"),
        bad("table.exec.state.ttl: inf\n", flink="2.0"),
        good('heartbeat.timeout: "50 s"\n', flink="1.20", file="flink-conf.yaml"),
        good("pekko.ask.timeout: 10 s\nakka.ask.timeout: 10 mins\n", flink="1.20", file="flink-conf.yaml"),
        good("high-availability.zookeeper.client.session-timeout: 1.5min\n", file="flink-conf.yaml"),
        bad("execution.checkpointing.interval: 10m\n", file="flink-conf.yaml", severity=Severity.INFO),
        bad("taskmanager.registration.timeout: 5 mins\n", flink="1.18", says="without limit"),
        bad(
            "parallelism:\n  default: 4\nexecution:\n  checkpointing:\n    interval: PT10S\n",
            at="PT10S",
            flink="2.0",
            fixed="parallelism:\n  default: 4\nexecution:\n  checkpointing:\n    interval: 10 s\n",
        ),
        bad("execution.checkpointing.timeout: -1\n", flink="1.20", says="does not start with a digit"),
        bad("execution.checkpointing.timeout: soon\n", flink="1.20"),
        bad(
            "metrics.reporter.prom.interval: 1 hr\n",
            flink="1.18",
            severity=Severity.WARNING,
            fixed="metrics.reporter.prom.interval: 1 h\n",
            says="falls back to its default",
        ),
        good(
            "app:\n  job:\n    upgradeMode: savepoint\n  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 1m\n"
            "    taskmanager.numberOfTaskSlots: '2'\n",
            file="values-eqiad.yaml",
        ),
        good("execution.checkpointing.interval: 15minutes\nexecution.checkpointing.timeout: 1 HOUR\n", flink="1.18"),
        good("execution.checkpointing.interval: PT10S\n", flink="2.1"),
        good("execution.checkpointing.interval: 10m\n", flink="1.15"),
        good("execution.checkpointing.interval: '{{ interval }}'\n"),
        good("taskmanager.registration.timeout: Inf\nheartbeat.timeout: 50 s\n", flink="1.18"),
        good("execution.checkpointing.interval: 60000\n", flink="1.18"),
        good("slot.idle.timeout: 1.5min\nheartbeat.timeout: soon\n", file="flink-conf.yaml"),
        bad("slot.idle.timeout: 1.5min\n", at="1.5min", flink="1.20", fixed="slot.idle.timeout: 90 s\n"),
        bad("heartbeat.timeout: soon\nparallelism.default: 2\n", at="soon", severity=Severity.WARNING),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "options",
            "execution.checkpointing.interval: 1 minutess\n",
            good="execution.checkpointing.interval: 1 minutes\n",
        ),
        flink_refuses(
            "options", "execution.checkpointing.interval: PT\n", good="execution.checkpointing.interval: PT1M\n"
        ),
        flink_refuses(
            "options", "execution.checkpointing.interval: 1.5 min\n", good="execution.checkpointing.interval: 90 s\n"
        ),
    ]

"""A timeout of remote calls is short enough to fail calls that go well.

## What it does
Reports `pekko.ask.timeout` (`akka.ask.timeout`), `client.timeout` and `taskmanager.slot.timeout` below 10 s.

## Why it matters
The first bounds every call between JobManager and TaskManagers, and is the default of the third. Deploying a task with
a large description, a long garbage collection or a JobManager that starts 500 tasks takes seconds: the call counts as
failed with `AskTimeoutException` or `TimeoutException`, although the other side carries it out, and the job restarts.
The client's bounds the submission of a job, the third how long a TaskManager holds a slot that nobody has used. A plain
number is milliseconds.

## What to do
Keep the defaults (10 s, and 60 s for the client); with a thousand tasks and more set `pekko.ask.timeout: 60 s`.

## Not when
On a developer's machine the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#pekko-ask-timeout>: what it bounds,
  and to increase it where timeouts occur
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-slot-timeout>: its default
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_WHAT = {
    "pekko.ask.timeout": ("calls between JobManager and TaskManagers that take longer fail, and jobs restart", "10 s"),
    "client.timeout": ("a submission that takes longer fails at the client, though the job may run", "60 s"),
    "taskmanager.slot.timeout": ("a slot that waits longer for its tasks is given back, and they do not run", "10 s"),
}
_LEAST = Duration(10_000_000_000)


@rule(
    code="FLK504",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[*_WHAT],
    of_scale=True,
    since="0.1",
)
def ask_timeout_low(config: View) -> Iterator[Finding]:
    """a timeout of remote calls is short enough to fail calls that go well"""
    told = []
    for key, (effect, default) in _WHAT.items():
        setting, timeout = config.get(key), config.duration(key)
        if not setting.is_set or setting.written in told or timeout is None or not 0 < timeout < _LEAST:
            continue
        told.append(setting.written)  # the third option falls back to the first
        unit = "; a number without a unit is milliseconds" if setting.text.isdecimal() else ""
        yield setting.finding(
            f"{setting.written} is {timeout}: {effect}",
            help=f"set it to {default}, the default, or more{unit}",
            fix=setting.replace(default),
            evidence={"timeout_ms": timeout.milliseconds},
            measure=-timeout.milliseconds,
        )


def cases() -> list[Case]:
    return [
        bad("akka.ask.timeout: 2 s\n", at="pekko.ask.timeout", flink="1.14", severity=Severity.WARNING,
            says="akka.ask.timeout is 2 s", fixed="akka.ask.timeout: 10 s\n"),
        bad("pekko.ask.timeout: 5s\nclient.timeout: 1s\n", flink="1.18", times=2),
        bad("taskmanager.slot.timeout: 1 s\n", flink="1.18", at="taskmanager.slot.timeout"),
        bad("akka.ask.timeout: 1 s\n", flink="1.14", profile="development", severity=Severity.INFO),
        good("akka.ask.timeout: 10 s\n", flink="1.14"),
        good("pekko.ask.timeout: 1min\nclient.timeout: 2min\n", flink="1.18"),
        good("pekko.ask.timeout: '{{ ask }}'\n", flink="1.20"),

    ]  # fmt: skip

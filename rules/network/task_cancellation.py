"""A task that hangs while it is cancelled is waited for without end, or a slow one costs its TaskManager.

## What it does
Reports `task.cancellation.timeout: 0`, which switches the watchdog off, and a timeout below a threshold, 30 s unless
set otherwise.

## Why it matters
A task that is to be cancelled is interrupted, and ends when its code lets it. If it has not ended after the timeout the
TaskManager ends itself, because only that frees the slot.

- Without a watchdog a task that hangs in a driver or a lock stays in CANCELING for good. The job cannot restart, its
  slots are lost, and somebody has to find out which process to kill.
- With a short timeout a `close()` that flushes a buffer, waits for a client's requests or deletes a RocksDB directory
  takes the whole TaskManager down, with all other tasks on it.

## What to do
Delete the line: 3 min is the default. Where a hanging task must end sooner mend its `close()`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#task-cancellation-timeout>: what the
  timeout does, and that 0 switches it off
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND, MINUTE, Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_TIMEOUT = "task.cancellation.timeout"
_DEFAULT = Duration(3 * MINUTE)


@rule(
    code="FLK513",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_TIMEOUT],
    of_scale=True,
    since="0.1",
    thresholds={"timeout": Threshold("30 s", "shortest timeout that leaves a task time to end")},
)
def task_cancellation(config: View) -> Iterator[Finding]:
    """a hanging task is waited for without end, or a slow one costs its TaskManager"""
    setting, timeout = config.get(_TIMEOUT), config.duration(_TIMEOUT)
    if timeout is None:
        return
    if timeout == 0:
        yield setting.finding(
            "a task that hangs while it is cancelled stays so for good, and its job never restarts: 0 switches the"
            " watchdog off",
            help="delete it; the default is 3 min",
            fix=setting.remove(),
        )
    elif timeout < (shortest := config.threshold("timeout")):
        by_default = shortest <= _DEFAULT
        enough = f"{shortest / MILLISECOND:.0f}"
        yield setting.finding(
            f"a task that takes more than {timeout} to end when it is cancelled takes its whole TaskManager with it",
            help="delete it; the default is 3 min" if by_default else f"set {_TIMEOUT}: {enough}",
            fix=setting.remove() if by_default else setting.replace(enough),
            measure=1 / timeout,
        )


def cases() -> list[Case]:
    return [
        bad(
            f"{_TIMEOUT}: 0\nrest.port: 8081\n",
            at=_TIMEOUT,
            says="switches the watchdog off",
            fixed="rest.port: 8081\n",
        ),
        bad(f"{_TIMEOUT}: 0 ms\n", flink="1.20", severity=Severity.WARNING),
        bad(f"{_TIMEOUT}: 10 s\n", at=_TIMEOUT, says="more than 10 s to end", fixed=""),
        bad(f"{_TIMEOUT}: 29999\n", flink="1.14", says="29999 ms"),
        bad(f"{_TIMEOUT}: 10 s\n", profile="development", severity=Severity.INFO),
        good(f"{_TIMEOUT}: 30 s\n"),
        good(f"{_TIMEOUT}: 30000\n", flink="1.14"),
        good(f"{_TIMEOUT}: ${{TIMEOUT}}\n"),
        good("task.cancellation.interval: 10 s\n"),
    ]

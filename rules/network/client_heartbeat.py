"""The job ends with the process that submitted it, or that process cannot submit it at all.

## What it does
Looks at clients that wait for their job and take it along when they end: `execution.attached: true` together with
`execution.shutdown-on-attached-exit: true`. That is advice. It is an error where `client.heartbeat.interval` is not
below `client.heartbeat.timeout` (30 s and 3 min unless set), from 1.17 on.

## Why it matters
Such a client tells the JobManager every interval that it lives; without a word for the timeout the job is cancelled. A
laptop that sleeps, a runner of continuous integration at its time limit or a pod that is moved is enough to end a job
in production. Where the interval is not below the timeout the program fails when it submits the job: "The client's
heartbeat interval should be less than the heartbeat timeout".

## What to do
Submit jobs detached (`flink run -d`, or neither option). For interactive jobs keep the defaults of both times.

## Not when
Without both switches no heartbeats are sent, and the times do nothing.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-shutdown-on-attached-exit>:
  the switch
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#client-heartbeat-interval>: the times
- <https://github.com/apache/flink/blob/release-1.20/flink-clients/src/main/java/org/apache/flink/client/ClientUtils.java>:
  `reportHeartbeatPeriodically`: what is refused
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ATTACHED = "execution.attached"
_SHUTDOWN = "execution.shutdown-on-attached-exit"
_INTERVAL, _TIMEOUT = "client.heartbeat.interval", "client.heartbeat.timeout"


@rule(
    code="FLK514",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_SHUTDOWN],
    flink=">=1.10",
    since="0.1",
)
def client_heartbeat(config: View) -> Iterator[Finding]:
    """the job ends with the process that submitted it, or that one cannot submit it"""
    if not config.boolean(_SHUTDOWN) or not config.boolean(_ATTACHED):
        return
    if config.since("1.17"):
        interval, timeout = config.duration(_INTERVAL), config.duration(_TIMEOUT)
        if interval is not None and timeout is not None and interval >= timeout:
            setting = config.get(_INTERVAL)
            setting = setting if setting.is_set else config.get(_TIMEOUT)
            yield setting.finding(
                f"a client that sends a heartbeat every {interval} for a timeout of {timeout} cannot submit its job, as"
                " the interval has to be below the timeout",
                help=f"delete both, or set {_TIMEOUT} to {6 * interval.seconds:g} s",
            )
            return
    yield config.get(_SHUTDOWN).finding(
        "the job is cancelled when the client that submitted it ends or loses its connection",
        help="submit jobs detached: delete it",
        severity=Severity.INFO,
        related=[config.get(_ATTACHED)],
    )


_ON = f"{_ATTACHED}: true\n{_SHUTDOWN}: true\n"


def cases() -> list[Case]:
    return [
        bad(_ON, at=_SHUTDOWN, severity=Severity.INFO, says="is cancelled when the client"),
        bad(
            f"{_ON}{_INTERVAL}: 200 s\n",
            at=_INTERVAL,
            severity=Severity.ERROR,
            says="every 200 s for a timeout of 3 min",
            flink="1.20",
        ),
        bad(f"{_ON}{_TIMEOUT}: 30000\n", at=_TIMEOUT, flink="1.17", severity=Severity.ERROR),
        bad(f"{_ON}{_TIMEOUT}: 31 s\n", flink="2.0", severity=Severity.INFO),
        bad(f"{_ON}{_TIMEOUT}: 10000\n", flink="1.16", severity=Severity.INFO),
        bad(f"{_ON}{_TIMEOUT}: ${{TIMEOUT}}\n", severity=Severity.INFO),
        good(f"{_SHUTDOWN}: true\n{_INTERVAL}: 200 s\n"),
        good(f"{_ATTACHED}: true\n{_INTERVAL}: 200 s\n"),
        good(f"{_ATTACHED}: false\n{_SHUTDOWN}: true\n"),
        good(f"{_ATTACHED}: true\n{_SHUTDOWN}: ${{SHUTDOWN}}\n"),
    ]

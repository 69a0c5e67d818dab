"""Slots are given up while a job waits for them, or TaskManagers while it waits to restart.

## What it does
Where Flink asks for its containers itself (YARN, native Kubernetes, the operator) it reports

- a `slot.request.timeout` below a threshold, 60 s unless set otherwise;
- a pause between restarts that is longer than `slot.idle.timeout` and `resourcemanager.taskmanager-timeout` together
  (50 s and 30 s unless set): `restart-strategy.fixed-delay.delay`, `restart-strategy.failure-rate.delay` or
  `restart-strategy.exponential-delay.max-backoff`, whichever is in force and set. This is advice.

## Why it matters
A new TaskManager takes its time: a container is scheduled, perhaps a machine started for it, an image pulled, a JVM
begun. A job that has no slots after the request timeout fails, restarts, and asks again: the containers come when
nobody waits for them.

A job that waits to restart uses no slots. After the idle timeout it gives them back, and after the other one the
TaskManagers are sent away. Each attempt then begins with new containers, without the local state and the pulled jars
of the old.

## What to do
Leave the request timeout at its 5 min. Set `resourcemanager.taskmanager-timeout` to the longest pause, or shorten that.

## Not when
Standalone TaskManagers stay. With the adaptive scheduler there are no slot requests, and with the adaptive batch
scheduler containers come and go anyway. `resourcemanager.taskmanager-timeout` below 0 is never.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#slot-request-timeout>: the request
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#resourcemanager-taskmanager-timeout>:
  when an idle TaskManager is released
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the pauses
"""

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.flink.values import MILLISECOND, MINUTE, Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.network._native import asks_for_containers

_REQUEST = "slot.request.timeout"
_DEFAULT = Duration(5 * MINUTE)
_IDLE = "slot.idle.timeout"
_RELEASE = "resourcemanager.taskmanager-timeout"
_STRATEGY = "restart-strategy.type"
_PAUSES = {
    "fixed-delay": "restart-strategy.fixed-delay.delay",
    "failure-rate": "restart-strategy.failure-rate.delay",
    "exponential-delay": "restart-strategy.exponential-delay.max-backoff",
}


@rule(
    code="FLK512",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_REQUEST, *_PAUSES.values()],
    of_scale=True,
    since="0.1",
    thresholds={"request": Threshold("60 s", "shortest wait for slots that new containers can meet")},
)
def slot_timeouts(config: View) -> Iterator[Finding]:
    """slots or TaskManagers are given up while a job waits for them"""
    if not asks_for_containers(config) or (config.string("jobmanager.scheduler") or "").lower().startswith("adaptive"):
        return
    setting, request = config.get(_REQUEST), config.duration(_REQUEST)
    shortest = config.threshold("request")
    if request is not None and setting.is_set and request < shortest:
        by_default = shortest <= _DEFAULT
        enough = f"{shortest / MILLISECOND:.0f}"
        yield setting.finding(
            f"a job that has no slots after {request} fails, which is sooner than new containers come where a machine"
            " has to be started or an image pulled",
            help="delete it; the default is 5 min" if by_default else f"set {_REQUEST}: {enough}",
            fix=setting.remove() if by_default else setting.replace(enough),
        )
    yield from _pause(config)


def _pause(config: View) -> Iterator[Finding]:
    strategy = strategy_named(config.string(_STRATEGY) or "")
    idle, release = config.duration(_IDLE), config.duration(_RELEASE)
    if strategy not in _PAUSES or idle is None or release is None or release < 0:
        return
    setting = config.get(_PAUSES[strategy])
    pause = config.duration(setting.key)
    if pause is None or not setting.is_set or pause <= idle + release:
        return
    yield setting.finding(
        f"a job that waits {pause} to restart comes back to no TaskManagers: idle ones are released after"
        f" {Duration(idle + release)}, and every attempt begins with new containers",
        help=f"set {_RELEASE} to {pause}, or a shorter pause",
        severity=Severity.INFO,
        related=[config.get(_RELEASE), config.get(_IDLE)],
        measure=pause / (idle + release) if idle + release else None,
    )


_YARN = "yarn.application-attempts: 2\n"
_EXPONENTIAL = f"{_YARN}{_STRATEGY}: exponential-delay\n{_PAUSES['exponential-delay']}: "
_FIXED = f"{_YARN}restart-strategy: fixed-delay\n{_PAUSES['fixed-delay']}: "


def cases() -> list[Case]:
    return [
        bad(
            f"{_YARN}{_REQUEST}: 20000\n", at=_REQUEST, flink="1.14", severity=Severity.WARNING, says="after 20 s",
            fixed=_YARN,
        ),
        bad(f"kubernetes.taskmanager.cpu.amount: 2\n{_REQUEST}: 59 s\n", at=_REQUEST),
        bad(deployment(f"{_REQUEST}: 30 s"), file="deployment.yaml"),
        bad(f"{_EXPONENTIAL}5 min\n", at="5 min", severity=Severity.INFO, says="released after 80 s"),
        bad(f"{_FIXED}81 s\n", at=_PAUSES["fixed-delay"], flink="1.14", severity=Severity.INFO),
        bad(f"{_YARN}restart-strategy: failure-rate\n{_PAUSES['failure-rate']}: 2 min\n", flink="1.18"),
        bad(f"{_EXPONENTIAL}5 min\n{_RELEASE}: 4 min\n{_IDLE}: 1 s\n", severity=Severity.INFO),
        good(f"{_YARN}{_REQUEST}: 60 s\n"),
        good(f"{_REQUEST}: 20000\n", flink="1.14"),
        good(f"kubernetes.cluster-id: a\n{_REQUEST}: 20 s\n"),
        good(f"{_YARN}{_REQUEST}: ${{TIMEOUT}}\n"),
        good(f"{_YARN}{_REQUEST}: 20 s\njobmanager.scheduler: Adaptive\n"),
        good(f"{_FIXED}80 s\n", flink="1.14"),
        good(f"{_EXPONENTIAL}5 min\n{_RELEASE}: 5 min\n"),
        good(f"{_EXPONENTIAL}5 min\n{_RELEASE}: -1 ms\n"),
        good(f"{_EXPONENTIAL}5 min\n{_RELEASE}: ${{RELEASE}}\n"),
        good(f"{_YARN}{_STRATEGY}: fixed-delay\n{_PAUSES['exponential-delay']}: 5 min\n"),
        good("restart-strategy.type: exponential-delay\nrestart-strategy.exponential-delay.max-backoff: 5 min\n"),
    ]  # fmt: skip

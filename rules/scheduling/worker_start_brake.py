"""Nothing slows down the ResourceManager when TaskManagers do not start.

## What it does
Reports a `resourcemanager.start-worker.max-failure-rate` that is not above 0 (error), and a
`resourcemanager.start-worker.retry-interval` of 0.

## Why it matters
On Kubernetes and YARN the ResourceManager asks for TaskManagers by itself. When more of them fail to start in a minute
than the rate allows (a bad image, a full queue), it waits for the interval, 3 s by default, before it asks again.
Without the wait pods are made and fail as fast as the API server answers, for as long as the cause lasts. A rate of 0
is refused: the JobManager does not start.

## What to do
Leave both out, or take an interval of some seconds.

## Not when
The cluster is a standalone one, which starts no TaskManagers: nothing reads these options there, and the rule is silent
where the file says so.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#resourcemanager-start-worker-max-failure-rate>:
  what they do
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/resourcemanager/active/ActiveResourceManagerFactory.java>:
  `must be larger than 0`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_RATE = "resourcemanager.start-worker.max-failure-rate"
_INTERVAL = "resourcemanager.start-worker.retry-interval"


@rule(
    code="FLK631",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_RATE, _INTERVAL],
    flink=">=1.13",
    since="0.1",
)
def worker_start_brake(config: View) -> Iterator[Finding]:
    """nothing slows down the requests for TaskManagers that do not start"""
    if config.platform in ("standalone", "compose", "local"):
        return
    rate, interval = config.number(_RATE), config.duration(_INTERVAL)
    if rate is not None and rate <= 0:
        yield config.get(_RATE).finding(
            f"the JobManager does not start: the rate of failures is {config.get(_RATE).text} and must be above 0",
            help="delete the line; 10 a minute is the default",
            severity=Severity.ERROR,
        )
    elif interval == 0:
        yield config.get(_INTERVAL).finding(
            "TaskManagers that do not start are asked for again at once, as fast as Kubernetes or YARN answers",
            help="delete the line; 3 s is the default",
            fix=config.get(_INTERVAL).remove(),
        )


def claims() -> list[Claim]:
    return [flink_refuses("starts of workers", f"{_RATE}: 0\n", good=f"{_RATE}: 0.5\n", releases=">=1.13")]


def cases() -> list[Case]:
    return [
        bad(f"{_RATE}: 0\n", at=_RATE, severity=Severity.ERROR, says="must be above 0"),
        bad(f"{_RATE}: -1.0\n{_INTERVAL}: 0 s\n", flink="1.13", at=_RATE, platform="yarn"),
        bad(f"{_RATE}: 5\n{_INTERVAL}: 0 s\n", at=_INTERVAL, severity=Severity.WARNING, says="again at once",
            fixed=f"{_RATE}: 5\n"),
        good(f"{_RATE}: 0.5\n{_INTERVAL}: 1 ms\n"),
        good(f"{_RATE}: ${{RATE}}\n{_INTERVAL}: ${{INTERVAL}}\n", flink="1.18"),
        good(f"{_INTERVAL}: 0 s\n", platform="standalone"),
        good(f"{_INTERVAL}: 0 s\n", platform="compose"),
    ]  # fmt: skip

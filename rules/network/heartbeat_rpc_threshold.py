"""One failed call is enough to declare a process dead, or none ever is.

## What it does
Reports `heartbeat.rpc-failure-threshold: 1`, and, as advice, a value of 0 or less, which switches the count off.

## Why it matters
Since 1.14 a process that cannot be called so many times in a row counts as dead before `heartbeat.timeout` is over. At
1 a single lost packet or a restarted node of the network does it: the TaskManager is dropped and its jobs restart. With
the count off, a process that is gone is noticed only after the timeout (50 s by default).

## What to do
Keep 2, which is the default, or 3 on a network that loses packets.

## Not when
On a developer's machine the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#heartbeat-rpc-failure-threshold>:
  too low a value produces false positives, -1 disables it
- <https://issues.apache.org/jira/browse/FLINK-23209>: why there is a count
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_THRESHOLD = "heartbeat.rpc-failure-threshold"


@rule(
    code="FLK503",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_THRESHOLD],
    flink=">=1.14",
    of_scale=True,
    since="0.1",
)
def heartbeat_rpc_threshold(config: View) -> Iterator[Finding]:
    """one failed call is enough to declare a process dead, or none ever is"""
    setting, count = config.get(_THRESHOLD), config.integer(_THRESHOLD)
    if not setting.is_set or count is None or count > 1:
        return
    timeout = config.duration("heartbeat.timeout")
    if timeout is None:
        return
    if count == 1:
        yield setting.finding(
            "one failed call declares a live process dead, and its jobs restart",
            help="set it to 2, the default, or 3",
            fix=setting.replace("2"),
        )
    else:
        yield setting.finding(
            "failed calls are not counted: a process that is gone is noticed only when heartbeat.timeout"
            f" ({timeout}) is over",
            help="set it to 2, the default, or 3",
            severity=Severity.INFO,
        )


def claims() -> list[Claim]:
    return [
        flink_uses("failed calls", f"{_THRESHOLD}: 1\n", "after 1 call", good=f"{_THRESHOLD}: 2\n", releases=">=1.14"),
        flink_uses("failed calls", f"{_THRESHOLD}: -1\n", "alive", good=f"{_THRESHOLD}: 2\n", releases=">=1.14"),
    ]


def cases() -> list[Case]:
    return [
        bad(f"{_THRESHOLD}: 1\n", at=_THRESHOLD, flink="1.18", severity=Severity.WARNING, fixed=f"{_THRESHOLD}: 2\n"),
        bad(f"{_THRESHOLD}: -1\nheartbeat.timeout: 120000\n", at=_THRESHOLD, flink="1.18", severity=Severity.INFO,
            says="heartbeat.timeout (2 min)"),
        bad(f"{_THRESHOLD}: 1\n", flink="2.0", profile="development", severity=Severity.INFO),
        good(f"{_THRESHOLD}: 2\n", flink="1.18"),
        good(f"{_THRESHOLD}: 5\n", flink="1.18"),
        good(f"{_THRESHOLD}: '{{{{ threshold }}}}'\n", flink="1.20"),
    ]  # fmt: skip

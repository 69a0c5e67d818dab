"""The ports of TaskManagers are fixed, except one that a firewall then blocks.

## What it does
Looks for fixed values of `taskmanager.rpc.port` and `taskmanager.data.port`. Both are fixed only where something lets
some ports through. Reports `metrics.internal.query-service.port` if it is left at any free port.

## Why it matters
The JobManager asks each TaskManager for its metrics at that port. A NetworkPolicy, security group or firewall that
lists the fixed ports drops the connection: the web UI shows no metrics, the autoscaler has none, and the log repeats
that a connection to `flink-metrics` cannot be made.

## What to do
Set `metrics.internal.query-service.port` to a port of its own, and let it through.

## Not when
It is set, or one of the two ports is left open. In a service mesh `ports-in-mesh` speaks about all of them.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#metrics-internal-query-service-port>:
  0 lets it choose a random port
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_FIXED = ("taskmanager.rpc.port", "taskmanager.data.port")
_QUERIES = "metrics.internal.query-service.port"


@rule(
    code="FLK520",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=["taskmanager.data.port"],
    since="0.1",
)
def ports_fixed_in_part(config: View) -> Iterator[Finding]:
    """the ports of TaskManagers are fixed, except that of their metrics"""
    settings = [config.get(key) for key in _FIXED]
    if not all(one.is_set and one.is_known and one.text.strip("0 ") for one in settings) or config.is_set(_QUERIES):
        return
    yield settings[1].finding(
        f"{_FIXED[0]} and {_FIXED[1]} are fixed, and the JobManager asks for metrics at any free port: a policy or"
        " firewall that lets the fixed ones through leaves the web UI without metrics",
        help=f"set {_QUERIES} to a port of its own, and let that through",
        related=[settings[0]],
    )


_PORTS = "taskmanager.rpc.port: 6122\ntaskmanager.data.port: 6121\n"


def cases() -> list[Case]:
    return [
        bad(_PORTS, at="taskmanager.data.port", flink="1.17", severity=Severity.WARNING, says="without metrics"),
        bad(_PORTS + "blob.server.port: 6124\n", flink="1.17"),
        good(_PORTS + f"{_QUERIES}: 6126\n", flink="1.17"),
        good("taskmanager.rpc.port: 6122\nblob.server.port: 6124\njobmanager.rpc.port: 6123\n", flink="1.17"),
        good("taskmanager.rpc.port: 6122\ntaskmanager.data.port: 0\n", flink="1.17"),
        good("taskmanager.rpc.port: ${PORT}\ntaskmanager.data.port: 6121\n", flink="1.17"),
    ]

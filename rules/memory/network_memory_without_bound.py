"""Network memory takes a tenth of a large TaskManager, since nothing bounds it any more.

## What it does
Reports, as advice, a TaskManager of Flink 1.17 or later whose network memory is above 1 GiB where neither
`taskmanager.memory.network.fraction`, `.min` nor `.max` is set.

## Why it matters
Up to 1.16 `taskmanager.memory.network.max` was 1 GiB by default; from 1.17 on there is no bound. The same file then
gives the network a tenth of Flink's memory, which the task heap loses: a TaskManager of 64 GiB has 5 GiB less heap
after the upgrade. Few jobs use that many buffers.

## What to do
Set `taskmanager.memory.network.max: 1g`, or what the shuffles of the jobs need (`flint size buffer-pools`).

## Not when
Wide all-to-all shuffles at a high parallelism use such buffers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.17/release-notes/flink-1.17/>: the new default of
  `taskmanager.memory.network.max`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-memory-network-max>
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OF_NETWORK = tuple(f"taskmanager.memory.network.{part}" for part in ("fraction", "min", "max"))
_MAX = _OF_NETWORK[2]
_FORMER = 1 << 30
"""Bytes: the bound up to 1.16."""
_ROUNDING = 1 << 20
"""Bytes by which a tenth may miss a round size."""


@rule(
    code="FLK210",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["taskmanager.memory.process.size", "taskmanager.memory.flink.size"],
    flink=">=1.17",
    every_release=True,
    since="0.1",
)
def network_memory_without_bound(config: View) -> Iterator[Finding]:
    """network memory takes a tenth of a large TaskManager, without a bound"""
    if any(config.is_set(key) for key in (*_OF_NETWORK, "taskmanager.memory.task.heap.size")):
        return
    memory = config.taskmanager_memory()
    if memory is None or memory.network < _FORMER + _ROUNDING:
        return
    flink = config.get("taskmanager.memory.flink.size")
    total = flink if flink.is_set else config.get("taskmanager.memory.process.size")
    document = total.document
    more = memory.network - _FORMER
    yield total.finding(
        f"network memory is {readable(memory.network)}, a tenth of Flink's memory: up to 1.16 it ended at 1 GiB, and"
        f" the task heap had {readable(more)} more",
        help=f"set {_MAX} to 1g unless wide shuffles use the buffers",
        fix=document.add(_MAX, "1g", f"set {_MAX} to 1g"),
        evidence={"network": memory.network},
        measure=memory.network,
    )


def cases() -> list[Case]:
    return [
        bad("taskmanager.memory.process.size: 64g\n", at="taskmanager.memory.process.size", flink="1.18",
            severity=Severity.INFO, says="up to 1.16 it ended at 1 GiB",
            fixed="taskmanager.memory.process.size: 64g\ntaskmanager.memory.network.max: 1g\n"),
        bad("taskmanager.memory.flink.size: 20g\n", at="taskmanager.memory.flink.size", flink="2.0"),
        good("taskmanager.memory.process.size: 64g\n", flink="1.16"),
        good("taskmanager.memory.process.size: 8g\n", flink="1.18"),
        good("taskmanager.memory.process.size: 64g\ntaskmanager.memory.network.max: 8g\n", flink="1.18"),
        good("taskmanager.memory.process.size: 64g\ntaskmanager.memory.network.fraction: 0.1\n", flink="1.18"),
        good("taskmanager.memory.process.size: {{ size }}\n", flink="1.18"),
        good("taskmanager.memory.flink.size: 10g\n", flink="1.18"),
        bad("taskmanager.memory.flink.size: 11g\n", flink="1.18", says="network memory is 1126.4 MiB"),
        good("taskmanager.memory.process.size: 64g\ntaskmanager.memory.network.min: 2g\n", flink="1.18"),
        good("taskmanager.memory.process.size: 64g\n", file="flink-conf.yaml"),
        bad("env:\n  a: b\ntaskmanager:\n  memory:\n    flink:\n      size: 20g\n", at="20g", flink="2.0"),
        good("taskmanager.memory.flink.size: 10249m\n", flink="1.18"),
        bad("taskmanager.memory.flink.size: 10255m\n", flink="1.18"),
    ]  # fmt: skip

"""The JobManager has hardly any heap.

## What it does
Derives the memory of the JobManager as Flink does and reports a heap below 256 MB.

## Why it matters
Metaspace (256 MB), overhead (192 MB at least) and off-heap memory (128 MB) come first: of a process of 1 GB 448 MB of
heap are left, of 700 MB 124 MB. The heap holds the execution graph, the metadata of the checkpoint that is being
finished, and what the REST interface is asked for. The JobManager then spends its time collecting garbage, loses its
leadership or its TaskManagers, and ends with `OutOfMemoryError` in the midst of a checkpoint or a recovery.

## What to do
Give the JobManager 1600 MB, as the shipped configuration does; `flint size jobmanager-memory` finds what state and
parallelism want.

## Not when
Development: a playground runs with little.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_jobmanager/>: the parts
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_HEAP_OF_1600M = 1 << 30
_DECIDING = (
    "jobmanager.memory.heap.size", "jobmanager.memory.flink.size", "jobmanager.memory.process.size",
    "jobmanager.heap.size", "jobmanager.heap.mb",
)  # fmt: skip


@rule(
    code="FLK208",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.11",
    reads=["jobmanager.memory.", "jobmanager.heap.size", "jobmanager.heap.mb"],
    of_scale=True,
    since="0.1",
    thresholds={"least": Threshold("256 mb", "least heap of a JobManager")},
)
def jobmanager_heap_small(config: View) -> Iterator[Finding]:
    """the JobManager has hardly any heap"""
    memory = config.jobmanager_memory()
    least = config.threshold("least")
    if memory is None or memory.heap >= least:
        return
    setting = next((found for key in _DECIDING if (found := config.get(key)).is_set), None)
    if setting is None:
        return
    total = f" out of {setting.text}" if setting.key.endswith("process.size") else ""
    enough = "1600m or more" if least <= _HEAP_OF_1600M else f"a size that leaves {readable(int(least))} of heap"
    yield setting.finding(
        f"the JobManager is left with {readable(memory.heap)} of heap{total}, which a job graph of some size or the"
        " metadata of one checkpoint exhausts",
        help=f"set jobmanager.memory.process.size to {enough}, and no single part of it"
        if not setting.key.endswith("process.size")
        else f"set it to {enough}; `flint size jobmanager-memory` finds what state and parallelism want",
        evidence={"heap_bytes": memory.heap},
        measure=-memory.heap,
    )


def cases() -> list[Case]:
    return [
        bad("jobmanager.memory.process.size: 700m\n", at="jobmanager.memory.process.size", says="124 MiB"),
        bad("jobmanager.memory.heap.size: 200m\n", flink="1.14", at="jobmanager.memory.heap.size"),
        bad("jobmanager.memory.flink.size: 300m\n", at="jobmanager.memory.flink.size", says="172 MiB"),
        good("jobmanager.memory.process.size: 1g\n"),
        good("jobmanager.memory.process.size: 700m\njobmanager.memory.heap.size: 256m\n", flink="1.10"),
        good("jobmanager.memory.process.size: ${JM_MEMORY}\n"),
        bad("jobmanager.memory.process.size: 700m\n", profile="development", severity=Severity.INFO),
        good("jobmanager.memory.process.size: 1600m\n", flink="1.11"),
        good("jobmanager.memory.heap.size: 256m\n"),
        bad("jobmanager.memory.heap.size: 255m\n", says="255 MiB"),
        bad("jobmanager.heap.size: 200m\n", flink="1.18", at="jobmanager.heap.size"),
        bad("jobmanager.heap.mb: 200\n", flink="1.18", at="jobmanager.heap.mb"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    size = "jobmanager.memory.process.size"
    return [flink_uses("jobmanager memory", f"{size}: 700m\n", "jvmHeapSize=124", good=f"{size}: 1600m\n")]

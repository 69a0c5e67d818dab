"""Managed memory is set aside, and nobody ever used any.

## What it does
Reports managed memory (40 % of Flink's memory by default) of TaskManagers of which not a byte was used
(`Status.Flink.Memory.Managed.Used`) for a day or more although jobs ran.

## Why it matters
Managed memory is kept for RocksDB and ForSt, for batch and some SQL operators and for Python workers, and nothing else
may have it. With none of these it is paid for in vain while the heap runs full.

## What to do
Set `taskmanager.memory.managed.fraction: 0`; a few megabytes if SQL or batch jobs may come.

## Not when
Something used some of it, or no job was observed. What RocksDB reserves counts as used.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#managed-memory>: who uses
  it
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#memory>: the metric
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import total_of
from flink_flint.rules.observed._wording import evidence, sized

USED = "taskmanager/Status.Flink.Memory.Managed.Used"
FRACTION = "taskmanager.memory.managed.fraction"
_SIZE = "taskmanager.memory.managed.size"
_NONE = {FRACTION: "0", _SIZE: "0m"}
_RUNNING = "jobmanager/numRunningJobs"


@rule(
    code="FLK663",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=[f"observed:{USED} max < 1"],
    flink=">=1.10",
    since="0.1",
)
def managed_memory_never_used(config: View) -> Iterator[Finding]:
    """managed memory is set aside, and nobody ever used any"""
    used, running = config.observed(USED), config.observed(_RUNNING, p=0.5)
    if used is None or running is None or running < 1:
        return
    memory = config.taskmanager_memory()
    if memory is None or memory.managed == 0:
        return
    count = config.observed("jobmanager/numRegisteredTaskManagers", p=0.5)
    of_all = f", {sized(memory.managed * count)} on {int(count)} of them" if count and count > 1 else ""
    chosen = next((config.get(key) for key in (_SIZE, FRACTION) if config.is_set(key)), None)
    key = FRACTION if chosen is None else chosen.key
    yield (chosen or total_of(config, "taskmanager")).finding(
        f"{sized(memory.managed)} of a TaskManager are managed memory, of which nothing was used in {used.window}"
        f"{of_all}",
        help=f"set {key}: {_NONE[key]}, and give it to the heap or back",
        fix=chosen.replace(_NONE[key]) if chosen else None,
        evidence=evidence(used, running, count, managed=memory.managed),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"taskmanager.memory.process.size: 4g\n{FRACTION}: 0.4\n", at=FRACTION, flink="1.20",
            observed={USED: 0, _RUNNING: 1, "jobmanager/numRegisteredTaskManagers": 3},
            says="1372.2 MiB of a TaskManager are managed memory",
            fixed=f"taskmanager.memory.process.size: 4g\n{FRACTION}: 0\n",
        ),
        bad("taskmanager.memory.process.size: 4g\n", at="taskmanager.memory.process.size", flink="1.20",
            observed={USED: 0, _RUNNING: 1}),
        good("taskmanager.memory.process.size: 4g\n", flink="1.20", observed={USED: {"p50": 0, "max": 1}, _RUNNING: 1}),
        good("taskmanager.memory.process.size: 4g\n", flink="1.20", observed={USED: 0, _RUNNING: 0}),
        good("taskmanager.memory.process.size: 4g\n", flink="1.20", observed={USED: 0}),
        good(f"taskmanager.memory.process.size: 4g\n{FRACTION}: 0\n", flink="1.20", observed={USED: 0, _RUNNING: 1}),
        bad(f"taskmanager.memory.process.size: 4g\n{_SIZE}: 1g\n", at=_SIZE, flink="1.20",
            observed={USED: {"max": 0, "days": 1}, _RUNNING: 1},
            fixed=f"taskmanager.memory.process.size: 4g\n{_SIZE}: 0m\n"),
        good("taskmanager.memory.process.size: ${MEMORY}\n", flink="1.20", observed={USED: 0, _RUNNING: 1}),
        good("taskmanager.heap.size: 4g\n", flink="1.9", observed={USED: 0, _RUNNING: 1}),
    ]  # fmt: skip

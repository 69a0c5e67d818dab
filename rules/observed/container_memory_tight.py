"""A TaskManager's container is nearly as full as it may get.

## What it does
Compares the working set of containers (`container_memory_working_set_bytes`, as Kubernetes reports it) with the process
memory that the configuration gives a TaskManager. Reports more than 95 %.

## Why it matters
Beyond its limit a container is killed (exit code 137) without a word in any log of Flink. What the JVM does not
count fills it: RocksDB's indexes and iterators, the allocator's arenas, threads, libraries. Managed memory, heap and
network all lie within their bounds meanwhile.

## What to do
Raise `taskmanager.memory.jvm-overhead.fraction` (and `.max`) for what nobody counts; with RocksDB make sure that
`state.backend.rocksdb.memory.managed` is on and give it more managed memory rather than more overhead.

## Not when
The JobManager's process is at least as large: the working set might be its own. Where a limit factor
(`kubernetes.taskmanager.memory.limit-factor`) leaves room above the process's size, this speaks early.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#container-memory-exceeded>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_tuning/#rocksdb-state-backend>
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import total_of
from flink_flint.rules.observed._wording import evidence, percent, sized

OWN = "taskmanager/container_memory_working_set_bytes"
ANY = "stream/container_memory_working_set_bytes"


@rule(
    code="FLK672",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{OWN}", f"observed:{ANY}"],
    flink=">=1.10",
    since="0.1",
    thresholds={"full": Threshold(0.95, "part of the process memory that the working set may take")},
)
def container_memory_tight(config: View) -> Iterator[Finding]:
    """a TaskManager's container is nearly as full as it may get"""
    used = config.observed(OWN) or config.observed(ANY)
    if not used or (memory := config.taskmanager_memory()) is None:
        return
    share = used / memory.process_size
    if share <= config.threshold("full"):
        return
    if used.metric == ANY:
        jobmanager = config.jobmanager_memory() if config.since("1.11") else None
        if jobmanager is None or jobmanager.process_size >= used:
            return
    yield total_of(config, "taskmanager").finding(
        f"the working set of a TaskManager's container reached {sized(used)} ({used.basis}), {percent(share)} of the"
        f" {sized(memory.process_size)} that the process may take",
        help=f"raise taskmanager.memory.jvm-overhead.fraction (overhead is {sized(memory.overhead)}), or the managed"
        " memory where RocksDB is",
        evidence=evidence(used, process=memory.process_size, overhead=memory.overhead),
    )


_TM = "taskmanager.memory.process.size"
_JM = "jobmanager.memory.process.size"


def cases() -> list[Case]:
    return [
        bad(f"{_TM}: 2500m\n", at=_TM, flink="1.16", observed={OWN: 2490 << 20},
            says="99.6 % of the 2500 MiB that the process may take"),
        bad(f"{_TM}: 4g\n{_JM}: 1600m\n", at=_TM, flink="1.16", observed={ANY: 4000 << 20}),
        good(f"{_TM}: 4g\n{_JM}: 4g\n", flink="1.16", observed={ANY: 4000 << 20}),
        good(f"{_TM}: 4g\n", flink="1.16", observed={OWN: 3000 << 20}),
        good(f"{_TM}: 4000000000b\n{_JM}: 3900000000b\n", flink="1.16", observed={ANY: 3.9e9}),
        good(f"{_TM}: 4g\n{_JM}: ${{MEMORY}}\n", flink="1.16", observed={ANY: 4000 << 20}),
        good(f"{_TM}: ${{MEMORY}}\n", flink="1.16", observed={OWN: 4000 << 20}),
        good(f"{_TM}: 4000000000b\n", flink="1.16", observed={OWN: 3.8e9}),
        good(f"{_TM}: 4g\n{_JM}: 1600m\n", flink="1.10", observed={ANY: 4000 << 20}),
        bad(f"{_TM}: 4000000000b\n", flink="1.16", observed={OWN: 3.81e9}),
    ]  # fmt: skip

"""RocksDB runs in a container that has little room for what it takes beyond its budget.

## What it does
Derives the memory of a TaskManager as Flink does, where the state backend is `rocksdb` and the TaskManager runs in a
container. It reports a JVM overhead below `share` of the process (10 %) where an option of the overhead is set, and,
as advice, one below `share-by-default` (5 %) where Flink's bounds make it that small, as they do above 20 GB.

## Why it matters
The JVM overhead is what a container has left for memory that nothing counts. RocksDB keeps to managed memory only
nearly: its block cache is no strict limit, iterators pin blocks, and the allocator of C leaves gaps between them, more
the larger the state and the longer the process runs. The overhead takes that in; where it is too small the container
exceeds its limit and is killed (exit code 137), with nothing in Flink's log.

## What to do
Raise `taskmanager.memory.jvm-overhead.max`, or set `taskmanager.memory.jvm-overhead.fraction: 0.1` and more; the
process as much in total if the heap is to stay as it is.

## Not when
The TaskManager is a process on a machine, where no limit kills it. RocksDB's memory is not managed: `rocksdb-unmanaged`
speaks about that. A template decides on the sizes.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#container-memory-exceeded>:
  RocksDB beyond its budget, and the overhead as the remedy
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/#capped-fractionated-components>:
  10 % by default, between 192 MB and 1 GB
- <https://github.com/facebook/rocksdb/wiki/Memory-usage-in-RocksDB>: what RocksDB takes
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_BACKEND = "state.backend.type"
_OVERHEAD = "taskmanager.memory.jvm-overhead"
_OPTIONS = (f"{_OVERHEAD}.max", f"{_OVERHEAD}.fraction", f"{_OVERHEAD}.min")


@rule(
    code="FLK214",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_BACKEND],
    flink=">=1.10",
    of_scale=True,
    thresholds={
        "share": Threshold(
            0.1, "share of the process that the JVM overhead has at least where one of its options is set"
        ),
        "share-by-default": Threshold(0.05, "the same where none is"),
    },
    since="0.1",
)
def overhead_small_for_rocksdb(config: View) -> Iterator[Finding]:
    """RocksDB runs in a container with little room for what it takes beyond its budget"""
    backend = config.get(_BACKEND)
    if (config.string(_BACKEND) or "").lower() != "rocksdb" or not _is_in_a_container(config):
        return
    memory = config.taskmanager_memory()
    if memory is None or config.boolean("state.backend.rocksdb.memory.managed") is not True:
        return
    setting = next((config.get(key) for key in _OPTIONS if config.is_set(key)), None)
    wanted = config.threshold("share" if setting is not None else "share-by-default")
    share = memory.overhead / memory.process_size
    # Flink rounds each part down to whole bytes.
    if share + 1e-6 >= wanted:
        return
    yield (setting or backend).finding(
        f"of a container of {readable(memory.process_size)} only {readable(memory.overhead)} ({share:.1%}) are JVM"
        " overhead, out of which RocksDB takes what exceeds its budget: the container is killed once that is used up",
        help=f"raise {_OVERHEAD}.max, so that {wanted:.0%} of the process are overhead",
        severity=None if setting is not None else Severity.INFO,
        related=[backend] if setting is not None else (),
        evidence={"jvm_overhead": memory.overhead, "process_size": memory.process_size},
        measure=-share,
    )


def _is_in_a_container(config: View) -> bool:
    return config.is_in_containers or config.platform == "compose" or bool(config.elements("container"))


_ROCKSDB = "state.backend.type: rocksdb\n"
_PROCESS = "taskmanager.memory.process.size"
_4G = f"{_ROCKSDB}{_PROCESS}: 4g\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_4G}{_OVERHEAD}.max: 256m\n",
            at=f"{_OVERHEAD}.max",
            platform="kubernetes",
            severity=Severity.WARNING,
            says="of a container of 4 GiB only 256 MiB (6.2%)",
        ),
        bad(
            f"state.backend: RocksDB\n{_PROCESS}: 4g\n{_OVERHEAD}.fraction: 0.08\n",
            at=f"{_OVERHEAD}.fraction",
            platform="yarn",
            flink="1.14",
        ),
        bad(f"{_ROCKSDB}{_PROCESS}: 12g\n{_OVERHEAD}.min: 200m\n", at=f"{_OVERHEAD}.min", platform="operator"),
        bad(f"{_ROCKSDB}{_PROCESS}: 24g\n", at=_BACKEND, platform="emr", severity=Severity.INFO, says="(4.2%)"),
        bad(f"{_4G}{_OVERHEAD}.max: 256m\n", platform="compose", profile="development", severity=Severity.INFO),
        bad(
            "services:\n  taskmanager:\n    image: flink:1.20\n    command: taskmanager\n    environment:\n"
            "      FLINK_PROPERTIES: |\n        state.backend.type: rocksdb\n"
            "        taskmanager.memory.process.size: 4g\n"
            "        taskmanager.memory.jvm-overhead.max: 256m\n",
            file="compose.yaml",
            severity=Severity.WARNING,
        ),
        good(f"{_4G}{_OVERHEAD}.max: 2g\n", platform="kubernetes"),
        good(_4G, platform="kubernetes"),
        good(f"{_ROCKSDB}{_PROCESS}: 20g\n", platform="kubernetes"),
        good(f"{_4G}{_OVERHEAD}.max: 256m\n", platform="standalone"),
        good(f"{_4G}{_OVERHEAD}.max: 256m\nstate.backend.rocksdb.memory.managed: false\n", platform="kubernetes"),
        good(f"{_4G}{_OVERHEAD}.max: '{{{{ overhead }}}}'\n", platform="kubernetes"),
        good(f"state.backend.type: hashmap\n{_PROCESS}: 4g\n{_OVERHEAD}.max: 256m\n", platform="kubernetes"),
    ]

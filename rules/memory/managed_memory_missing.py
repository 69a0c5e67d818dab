"""There is no managed memory, and something in use lives on it.

## What it does
Looks at a managed memory of nothing (`taskmanager.memory.managed.size: 0`, or a fraction of 0) beside

- `execution.runtime-mode: BATCH`: an error;
- the state backend `rocksdb` or `forst` with its memory managed, as it is by default: a warning.

## Why it matters
Sorts, hash joins and aggregations of batch jobs work in managed memory. Without any the job fails as soon as it runs:
"Too little memory provided to sorter to perform task. Required are at least 327680 bytes. Current memory size is 0
bytes."

A state backend is handed managed memory as its budget for block cache and write buffers, and nobody checks how much it
is: with none it is handed 0 bytes, without a word. Reads then go to the disk each time, and nothing bounds the write
buffers as it should.

## What to do
Delete the line: the default gives managed memory 40 % of Flink's. Or give the state backend a size of its own
(`state.backend.rocksdb.memory.fixed-per-slot`).

## Not when
The backend has `memory.managed: false`, `memory.fixed-per-slot` or (from 1.17 on) `memory.fixed-per-tm`. Streaming jobs
with state on the heap do without managed memory.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#managed-memory>: who uses
  managed memory
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/memory/MemoryManager.java>:
  `getSharedMemoryResourceForManagedMemory`, which hands out what there is
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>: what RocksDB
  does with it
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_SIZE = "taskmanager.memory.managed.size"
_FRACTION = "taskmanager.memory.managed.fraction"
_BACKENDS = ("rocksdb", "forst")


@rule(
    code="FLK206",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_SIZE, _FRACTION],
    flink=">=1.10",
    since="0.1",
)
def managed_memory_missing(config: View) -> Iterator[Finding]:
    """there is no managed memory, and something in use lives on it"""
    setting = _nothing(config)
    if setting is None:
        return
    mode, backend = config.get("execution.runtime-mode"), config.get("state.backend.type")
    if config.string(mode.key) == "BATCH":
        yield setting.finding(
            "without managed memory batch jobs fail once they sort, join or aggregate: Too little memory provided",
            help=f"delete {setting.written}; by default managed memory is 40 % of Flink's",
            fix=setting.remove(),
            at="entry",
            related=[mode],
        )
    elif _is_managed(config, name := (config.string(backend.key) or "").lower()):
        yield setting.finding(
            f"{name} is handed 0 bytes of managed memory for its block cache and write buffers: it reads everything"
            " from disk, and its write buffers have no bound",
            help=f"delete {setting.written}, or set state.backend.{name}.memory.fixed-per-slot",
            severity=Severity.WARNING,
            fix=setting.remove(),
            at="entry",
            related=[backend],
        )


def _nothing(config: View) -> Setting | None:
    """What makes managed memory none: its size, or the fraction where no size decides."""
    size, fraction = config.get(_SIZE), config.get(_FRACTION)
    if size.is_set:
        return size if config.memory(_SIZE) == 0 else None
    return fraction if config.number(_FRACTION) == 0 else None


def _is_managed(config: View, backend: str) -> bool:
    """Whether the memory of a state backend is taken from managed memory."""
    own = f"state.backend.{backend}.memory"
    if any(config.is_set(f"{own}.fixed-per-{what}") for what in ("slot", "tm")):
        return False
    return backend in _BACKENDS and config.boolean(f"{own}.managed") is True


_ROCKSDB = "state.backend.type: rocksdb\n"
_OWN = "state.backend.rocksdb.memory"


def cases() -> list[Case]:
    return [
        bad(f"execution.runtime-mode: BATCH\n{_SIZE}: 0\n", at=_SIZE, severity=Severity.ERROR,
            says="Too little memory provided", fixed="execution.runtime-mode: BATCH\n"),
        bad(f"execution.runtime-mode: BATCH\n{_FRACTION}: 0.0\n", at=_FRACTION, flink="1.14"),
        bad(f"{_ROCKSDB}{_FRACTION}: 0\n", at=_FRACTION, severity=Severity.WARNING, says="rocksdb is handed 0 bytes",
            fixed=_ROCKSDB),
        bad(f"state.backend: rocksdb\n{_SIZE}: 0m\n{_FRACTION}: 0.4\n", at=_SIZE, flink="1.10"),
        bad(f"state.backend: rocksdb\n{_SIZE}: 0m\n{_OWN}.fixed-per-tm: 1gb\n", flink="1.16"),
        bad(f"state.backend.type: forst\n{_SIZE}: 0m\n", flink="2.0", severity=Severity.WARNING),
        good(f"execution.runtime-mode: BATCH\n{_SIZE}: 64m\n"),
        good(f"{_ROCKSDB}{_SIZE}: 1g\n{_FRACTION}: 0\n"),
        good(f"{_ROCKSDB}{_FRACTION}: 0.1\n"),
        good(f"{_ROCKSDB}{_SIZE}: '{{{{ managed }}}}'\n{_FRACTION}: 0\n"),
        good(f"{_ROCKSDB}{_SIZE}: 0\n{_OWN}.managed: false\n"),
        good(f"{_ROCKSDB}{_SIZE}: 0\n{_OWN}.managed: '{{{{ managed }}}}'\n"),
        good(f"{_ROCKSDB}{_SIZE}: 0\n{_OWN}.fixed-per-slot: 512mb\n"),
        good(f"{_ROCKSDB}{_SIZE}: 0\n{_OWN}.fixed-per-tm: 2gb\n", flink="1.17"),
        good(f"state.backend.type: hashmap\n{_SIZE}: 0\n"),
        good(f"execution.runtime-mode: STREAMING\n{_FRACTION}: 0\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "batch",
            "taskmanager.memory.managed.size: 0\n",
            good="taskmanager.memory.managed.size: 64m\n",
            both="execution.runtime-mode: BATCH\n",
            releases=">=2.3",
        ),
    ]

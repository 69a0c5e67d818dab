"""A fixed memory of RocksDB is not heeded, or comes on top of what the process has.

## What it does
Reports

- `state.backend.rocksdb.memory.fixed-per-tm` (from 1.17 on) where RocksDB uses managed memory, as it does by default,
  or where `fixed-per-slot` is set: either of them is heeded before it;
- `fixed-per-slot`, times the slots, or `fixed-per-tm`, where that is more than managed memory and JVM overhead
  together.

## Why it matters
Flink asks in this order: is there a size per slot, is managed memory in use, is there a size per TaskManager. So the
last one alone does nothing, and the limit somebody counted on is not there. A size that is heeded is taken beside
managed memory, which no one else uses in a streaming job. As long as it fits into that, the process stays within its
container; beyond, it has only the JVM overhead left before it is killed (exit 137).

## What to do
Leave both out, and let `taskmanager.memory.managed.fraction` decide. For a size per TaskManager set
`state.backend.rocksdb.memory.managed: false`, too, and keep managed memory at least as large as RocksDB's.

## Not when
- Another state backend is set.
- The memory of the TaskManager cannot be told.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>:
  the options
- <https://github.com/apache/flink/blob/release-1.20/flink-state-backends/flink-statebackend-rocksdb/src/main/java/org/apache/flink/contrib/streaming/state/RocksDBSharedResourcesFactory.java>:
  the order
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import SLOTS, may_be_rocksdb

_PER_SLOT = "state.backend.rocksdb.memory.fixed-per-slot"
_PER_TM = "state.backend.rocksdb.memory.fixed-per-tm"
_MANAGED = "state.backend.rocksdb.memory.managed"


@rule(
    code="FLK338",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_PER_SLOT, _PER_TM],
    flink=">=1.10",
    since="0.1",
)
def rocksdb_budget(config: View) -> Iterator[Finding]:
    """a fixed memory of RocksDB is not heeded, or more than the process has"""
    if not may_be_rocksdb(config):
        return
    per_slot = config.get(_PER_SLOT)
    if config.is_set(_PER_TM):
        per_tm = config.get(_PER_TM)
        if per_slot.is_set:
            yield per_tm.finding(
                "the size per slot is heeded before the size per TaskManager, which does nothing",
                help="delete one of them",
                related=[per_slot],
            )
        elif config.boolean(_MANAGED):
            yield per_tm.finding(
                f"RocksDB uses managed memory, and this does nothing, unless {_MANAGED} is false",
                help=f"set {_MANAGED}: false, too, or delete it",
            )
        elif config.boolean(_MANAGED) is False:
            yield from _beyond(config, _PER_TM, 1)
    if per_slot.is_set:
        yield from _beyond(config, _PER_SLOT, config.integer(SLOTS))


def _beyond(config: View, key: str, times: int | None) -> Iterator[Finding]:
    """A finding where a size, so many times, is more than what the process has for memory outside of the heap."""
    size, memory = config.memory(key), config.taskmanager_memory()
    if size is None or times is None or memory is None:
        return
    taken, room = MemorySize(size * times), MemorySize(memory.managed + memory.overhead)
    if taken > room:
        slots = "" if times == 1 else f" in {times} slots"
        yield config.get(key).finding(
            f"RocksDB takes {taken}{slots}, and managed memory and JVM overhead are {room} together: the process"
            " outgrows its container",
            help="let RocksDB use managed memory and raise that, or make this smaller",
            evidence={"taken": int(taken), "room": int(room)},
            measure=taken / room,
        )


_PROCESS = "taskmanager.memory.process.size: 4 gb\ntaskmanager.memory.managed.size: 1 gb\n"
_OVERHEAD = "taskmanager.memory.jvm-overhead.min: 256 mb\ntaskmanager.memory.jvm-overhead.max: 256 mb\n"
_MEMORY = _PROCESS + _OVERHEAD
_UNMANAGED = f"{_MANAGED}: false\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_PER_TM}: 1 gb\n",
            at=_PER_TM,
            flink="1.20",
            severity=Severity.WARNING,
            says="RocksDB uses managed memory",
        ),
        bad(f"{_PER_TM}: 1 gb\n{_MANAGED}: true\nstate.backend: rocksdb\n", at=_PER_TM, flink="1.17"),
        bad(f"{_PER_TM}: 1 gb\n{_PER_SLOT}: 1 gb\n{_UNMANAGED}", at=_PER_TM, flink="2.3", says="per slot is heeded"),
        bad(f"{_PER_TM}: 1281 mb\n{_UNMANAGED}{_MEMORY}", at=_PER_TM, flink="1.20", says="outgrows"),
        bad(f"{_PER_SLOT}: 1281 mb\n{SLOTS}: 1\n{_MEMORY}", at=_PER_SLOT, flink="1.20", says="RocksDB takes"),
        bad(f"{_PER_SLOT}: 641 mb\n{SLOTS}: 2\n{_MEMORY}", at=_PER_SLOT, flink="1.10", says="in 2 slots"),
        good(f"{_PER_TM}: 1280 mb\n{_UNMANAGED}{_MEMORY}", flink="1.20"),
        good(f"{_PER_SLOT}: 640 mb\n{SLOTS}: 2\n{_MEMORY}", flink="1.20"),
        good(f"{_PER_TM}: 1 gb\n{_UNMANAGED}", flink="1.20"),
        good(f"{_PER_TM}: 1 gb\n{_MANAGED}: '{{{{ managed }}}}'\n", flink="1.20", file="config.yaml"),
        good(f"{_PER_TM}: 8 gb\n{_MANAGED}: '{{{{ managed }}}}'\n{_MEMORY}", flink="1.20", file="config.yaml"),
        good(f"{_PER_TM}: 1 gb\nstate.backend.type: hashmap\n", flink="1.20"),
        good(f"{_PER_SLOT}: 8 gb\n", flink="1.20", file="config.yaml"),
        good(f"{_PER_SLOT}: 8 gb\n{SLOTS}: '{{{{ slots }}}}'\n{_MEMORY}", flink="1.20"),
        good(f"{_PER_TM}: 1 gb\n", flink="1.16"),
    ]


def claims() -> list[Claim]:
    rocksdb = "state.backend: rocksdb\n"
    return [
        flink_ignores("state in RocksDB", f"{_PER_TM}: 1gb\n", both=rocksdb, releases=">=1.17"),
        flink_ignores(
            "state in RocksDB", f"{_PER_TM}: 1gb\n", both=f"{rocksdb}{_UNMANAGED}{_PER_SLOT}: 64mb\n",
            releases=">=1.17",
        ),
    ]  # fmt: skip

"""Each slot has little managed memory for RocksDB.

## What it does
Derives the managed memory of a TaskManager as Flink does, where the state backend is `rocksdb`, and tells where a slot
has less than `per-slot` (64 MB) of it. As it depends on the job how much is enough, it runs only where it is selected.

## Why it matters
All states of all operators in a slot share its part of managed memory, half of it for write buffers by default. With
little, write buffers are small and flushed all the time: many small files, much compaction, stalled writes; and what is
left as block cache misses most reads.

## What to do
Use fewer slots a TaskManager, or give it more memory; `flint size rocksdb` finds how much for states that are known.

## Not when
The backend takes no managed memory (`state.backend.rocksdb.memory.managed: false`, `.fixed-per-slot`, `.fixed-per-tm`).
There is none at all, which `managed-memory-missing` tells. Jobs with little state do well with less.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#tuning-rocksdb-memory>: more
  managed memory is the first measure
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>: how a slot's
  part is shared out
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_BACKEND = "state.backend.type"
_SLOTS = "taskmanager.numberOfTaskSlots"
_OWN = "state.backend.rocksdb.memory"
_FIXED = (f"{_OWN}.fixed-per-slot", f"{_OWN}.fixed-per-tm")


@rule(
    code="FLK218",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    reads=[_BACKEND],
    flink=">=1.10",
    pedantic=True,
    of_scale=True,
    thresholds={"per-slot": Threshold("64 mb", "managed memory of a slot from which RocksDB has enough")},
    since="0.1",
)
def managed_memory_per_slot(config: View) -> Iterator[Finding]:
    """each slot has little managed memory for RocksDB"""
    backend, slots = config.get(_BACKEND), config.integer(_SLOTS)
    if (config.string(_BACKEND) or "").lower() != "rocksdb" or not slots:
        return
    if config.boolean(f"{_OWN}.managed") is not True or any(config.is_set(key) for key in _FIXED):
        return
    memory = config.taskmanager_memory()
    if memory is None or not 0 < memory.managed / slots < config.threshold("per-slot"):
        return
    share = memory.managed // slots
    shown = config.get(_SLOTS) if config.is_set(_SLOTS) else backend
    yield shown.finding(
        f"each of {slots} slots has {readable(share)} of managed memory for all states in it: RocksDB flushes small"
        " files all the time and finds little in its cache",
        help="use fewer slots a TaskManager, or give it more memory (flint size rocksdb)",
        related=[backend] if shown is not backend else (),
        evidence={"managed_per_slot": share},
        measure=-share,
    )


_ROCKSDB = "state.backend.type: rocksdb\n"
_SIZE = "taskmanager.memory.process.size: 4g\ntaskmanager.memory.managed.size: {}\n"


def cases() -> list[Case]:
    return [
        bad(f"{_ROCKSDB}{_SIZE.format('255m')}{_SLOTS}: 4\n", at=_SLOTS, flink="1.20", severity=Severity.WARNING,
            says="each of 4 slots has 63.8 MiB"),
        bad(f"{_ROCKSDB}{_SIZE.format('60m')}", at=_BACKEND, flink="1.20"),
        bad(f"state.backend: rocksdb\n{_SIZE.format('60m')}{_OWN}.fixed-per-tm: 1gb\n", flink="1.16"),
        good(f"{_ROCKSDB}{_SIZE.format('256m')}{_SLOTS}: 4\n", flink="1.20"),
        good(f"{_ROCKSDB}{_SIZE.format('0m')}{_SLOTS}: 4\n", flink="1.20"),
        good(f"{_ROCKSDB}{_SIZE.format('60m')}{_OWN}.managed: false\n", flink="1.20"),
        good(f"{_ROCKSDB}{_SIZE.format('60m')}{_OWN}.fixed-per-slot: 1gb\n", flink="1.20"),
        good(f"{_ROCKSDB}{_SIZE.format('60m')}{_OWN}.fixed-per-tm: 1gb\n", flink="1.17"),
        good(f"{_ROCKSDB}{_SIZE.format('60m')}{_SLOTS}: '{{{{ slots }}}}'\n", flink="1.20"),
        good(f"state.backend.type: hashmap\n{_SIZE.format('60m')}", flink="1.20"),
        good(f"state.backend.type: '{{{{ backend }}}}'\n{_SIZE.format('60m')}", flink="1.20"),
        good(f"{_ROCKSDB}{_SLOTS}: 64\n", flink="1.20"),
        bad(f"{_ROCKSDB}{_SIZE.format('60m')}", flink="1.20", profile="development", severity=Severity.INFO),
    ]  # fmt: skip


def claims() -> list[Claim]:
    rocksdb = f"state.backend: rocksdb\n{_SLOTS}: 4\n"
    return [
        flink_uses("slot", _SIZE.format("255m"), "managed 65280 kb", good=_SIZE.format("256m"), both=rocksdb),
    ]  # fmt: skip

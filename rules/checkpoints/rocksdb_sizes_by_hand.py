"""Sizes of RocksDB that are set by hand do not go with its bounded memory.

## What it does
Looks at RocksDB where its memory is bounded: by managed memory, as it is by default, or by a fixed size per slot or
TaskManager. Reports

- `state.backend.rocksdb.block.cache-size`, which is not heeded then;
- `state.backend.rocksdb.writebuffer.size` so large that one write buffer is beyond what a slot has for all of them.

## Why it matters
With bounded memory Flink makes one cache for all states of a slot and gives it to each of them, whatever the option
says. Who raises it for quicker reads gets nothing, and looks for the reason elsewhere.

A write buffer takes an eighth of its size at once. RocksDB writes its buffers to disk as soon as they are above seven
eighths of two thirds of the share for writing (`memory.write-buffer-ratio`, a half by default). Where the eighth alone
is more, it flushes without end: many tiny files, a busy disk. Flink says so in the log of the TaskManager
(`performance will be poor`) and goes on.

## What to do
Give RocksDB more managed memory (`taskmanager.memory.managed.fraction`), or change how it is shared between cache and
write buffers (`state.backend.rocksdb.memory.write-buffer-ratio`). Leave both sizes out.

## Not when
- `state.backend.rocksdb.memory.managed: false`, and no fixed size is set: each state then has a cache of its own.
- Another state backend is set, or the size is the default (8 MiB and 64 MiB).
- The memory of a slot cannot be told: nothing is said of write buffers then. All of managed memory is taken for
  RocksDB's; what Python and operators get of it makes matters worse.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>:
  what is shared
- <https://github.com/apache/flink/blob/release-1.20/flink-state-backends/flink-statebackend-rocksdb/src/main/java/org/apache/flink/contrib/streaming/state/RocksDBResourceContainer.java>:
  the shared cache replaces that of the options
- <https://github.com/apache/flink/blob/release-1.20/flink-state-backends/flink-statebackend-rocksdb/src/main/java/org/apache/flink/contrib/streaming/state/RocksDBMemoryControllerUtils.java>:
  what write buffers may take
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.claim import Claim, flink_ignores, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import SLOTS, may_be_rocksdb

_CACHE = "state.backend.rocksdb.block.cache-size"
_BUFFER = "state.backend.rocksdb.writebuffer.size"
_RATIO = "state.backend.rocksdb.memory.write-buffer-ratio"
_MANAGED = "state.backend.rocksdb.memory.managed"
_PER_SLOT = "state.backend.rocksdb.memory.fixed-per-slot"
_PER_TM = "state.backend.rocksdb.memory.fixed-per-tm"


@rule(
    code="FLK339",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_CACHE, _BUFFER],
    flink=">=1.10",
    since="0.1",
)
def rocksdb_sizes_by_hand(config: View) -> Iterator[Finding]:
    """sizes of RocksDB that are set by hand do not go with its bounded memory"""
    if not may_be_rocksdb(config):
        return
    bound = next((key for key in (_PER_SLOT, _PER_TM) if config.is_set(key)), _MANAGED)
    if bound == _MANAGED and not config.boolean(_MANAGED):
        return
    cache = config.get(_CACHE)
    if cache.value != cache.default:
        yield cache.finding(
            "RocksDB's memory is bounded, so that all states of a slot share one cache: this size is not heeded",
            help=f"give RocksDB more managed memory, or lower {_RATIO}",
            fix=cache.remove(),
            related=[config.get(bound)],
            at="entry",
        )
    if config.is_set(_BUFFER):
        yield from _flushing(config, bound)


def _flushing(config: View, bound: str) -> Iterator[Finding]:
    """A finding where one write buffer is beyond what a slot has for all of them."""
    from flink_flint.calculators.formulas.rocksdb_memory import flushes_always, largest_write_buffer

    size, ratio, memory = config.memory(_BUFFER), config.number(_RATIO), _of_a_slot(config, bound)
    if size is None or ratio is None or memory is None or not flushes_always(memory, ratio, size):
        return
    yield config.get(_BUFFER).finding(
        f"a slot has {MemorySize(memory)} for RocksDB, whose share for writing does not hold one write buffer of"
        f" {size}: it flushes without end",
        help=f"delete the line (64 mb), stay below {MemorySize(largest_write_buffer(memory, ratio))}, or give RocksDB"
        " more managed memory",
        related=[config.get(bound)],
        evidence={"memory": memory, "write-buffer": int(size)},
        measure=size / memory if memory else None,
    )


def _of_a_slot(config: View, bound: str) -> int | None:
    """The bytes that RocksDB has at most in a slot; None where nobody can tell, or where slots share them."""
    if bound == _PER_SLOT:
        return config.memory(_PER_SLOT)
    slots, memory = config.integer(SLOTS), config.taskmanager_memory()
    if bound == _PER_TM or memory is None or slots is None or slots < 1:
        return None
    return memory.managed // slots


_MEMORY = f"taskmanager.memory.process.size: 4 gb\ntaskmanager.memory.managed.size: 512 mb\n{SLOTS}: "


def cases() -> list[Case]:
    return [
        bad(
            f"state.backend.type: rocksdb\n{_CACHE}: 512 mb\n", at=_CACHE, severity=Severity.WARNING,
            fixed="state.backend.type: rocksdb\n",
        ),
        bad(f"{_CACHE}: 512 mb\n", flink="1.10", says="share one cache"),
        bad(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n{_PER_SLOT}: 1 gb\n", at=_CACHE, flink="1.18"),
        bad(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n{_PER_TM}: 1 gb\n", at=_CACHE, flink="1.17"),
        bad(f"{_BUFFER}: 300 mb\n{_MEMORY}4\n", at=_BUFFER, flink="1.20", says="a slot has 128 MiB"),
        bad(f"{_BUFFER}: 64 mb\n{_MEMORY}20\n", at=_BUFFER, flink="1.10", says="flushes without end"),
        bad(
            f"state.backend: rocksdb\n{_BUFFER}: 300 mb\n{_PER_SLOT}: 128 mb\n", at=_BUFFER, flink="1.18",
            says="one write buffer of 300 MiB",
        ),
        bad(f"{_BUFFER}: 200 mb\n{_RATIO}: 0.2\n{_MEMORY}4\n", at=_BUFFER, flink="1.18"),
        bad(f"{_BUFFER}: 2 gb\n{_MEMORY}1\n", at=_BUFFER, flink="1.20", says="a slot has 512 MiB"),
        good(f"{_CACHE}: 8 mb\n{_MEMORY}20\n", flink="1.20"),
        good(f"{_BUFFER}: 2 gb\n{_MEMORY}0\n", flink="1.20"),
        good(f"{_BUFFER}: 200 mb\n{_MEMORY}4\n", flink="1.18"),
        good(f"{_BUFFER}: 298 mb\n{_MEMORY}4\n", flink="1.20"),
        good(f"{_BUFFER}: 300 mb\n{_MEMORY}4\n{_MANAGED}: false\n", flink="1.20"),
        good(f"{_BUFFER}: 300 mb\n{_MEMORY}4\n{_PER_SLOT}: 1 gb\n", flink="1.20"),
        good(f"{_BUFFER}: 300 mb\n{_MEMORY}4\n{_MANAGED}: false\n{_PER_TM}: 512 mb\n", flink="1.20"),
        good(f"{_BUFFER}: 300 mb\n{_MEMORY}'{{{{ slots }}}}'\n", flink="1.20"),
        good(f"{_BUFFER}: '{{{{ size }}}}'\n{_MEMORY}4\n", flink="1.20"),
        good(f"state.backend.type: hashmap\n{_BUFFER}: 300 mb\n{_MEMORY}4\n"),
        good(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n"),
        good(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n{_PER_TM}: 1 gb\n", flink="1.16"),
        good(f"{_CACHE}: 512 mb\n{_MANAGED}: '{{{{ managed }}}}'\n"),
        good(f"state.backend.type: hashmap\n{_CACHE}: 512 mb\n"),
        good(f"{_CACHE}: 8 mb\n", flink="1.15"),
        good("state.backend.type: rocksdb\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    rocksdb = "state.backend: rocksdb\n"
    return [
        flink_ignores("cache of RocksDB", f"{_CACHE}: 16mb\n", both=rocksdb),
        flink_ignores("cache of RocksDB", f"{_CACHE}: 16mb\n", both=f"{rocksdb}{_MANAGED}: false\n{_PER_SLOT}: 64mb\n"),
        flink_uses(
            "write buffers", f"{_BUFFER}: 1252687880b\n", "flushes all the time", good=f"{_BUFFER}: 1252687872b\n",
            both=f"{rocksdb}{_MEMORY}1\n",
        ),
    ]  # fmt: skip

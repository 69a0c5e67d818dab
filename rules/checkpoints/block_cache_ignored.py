"""The size of RocksDB's block cache is set where all databases of a slot share one of another size.

## What it does
Reports `state.backend.rocksdb.block.cache-size` where RocksDB's memory is bounded: by managed memory, as it is by
default, or by a fixed size per slot or TaskManager.

## Why it matters
With bounded memory Flink makes one cache for all states of a slot and gives it to each of them, whatever the option
says. Who raises it for quicker reads gets nothing, and looks for the reason elsewhere.

## What to do
Give RocksDB more managed memory (`taskmanager.memory.managed.fraction`), or change how it is shared between cache and
write buffers (`state.backend.rocksdb.memory.write-buffer-ratio`).

## Not when
- `state.backend.rocksdb.memory.managed: false`, and no fixed size is set: each state then has a cache of its own.
- Another state backend is set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>: what is shared
- <https://github.com/apache/flink/blob/release-1.20/flink-state-backends/flink-statebackend-rocksdb/src/main/java/org/apache/flink/contrib/streaming/state/RocksDBResourceContainer.java>:
  the shared cache replaces that of the options
"""

from __future__ import annotations

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import View
from rules.checkpoints._checkpointing import may_be_rocksdb

_CACHE = "state.backend.rocksdb.block.cache-size"
_MANAGED = "state.backend.rocksdb.memory.managed"
_FIXED = ("state.backend.rocksdb.memory.fixed-per-slot", "state.backend.rocksdb.memory.fixed-per-tm")


@rule(
    code="FLK339",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_CACHE],
    flink=">=1.10",
    since="0.1",
)
def block_cache_ignored(config: View) -> Iterator[Finding]:
    """the size of RocksDB's block cache is not heeded where its memory is bounded"""
    cache = config.get(_CACHE)
    if not cache.is_set or not may_be_rocksdb(config):
        return
    fixed = next((config.get(key) for key in _FIXED if config.is_set(key) and config.get(key).is_read), None)
    if fixed is None and not config.boolean(_MANAGED):
        return
    yield cache.finding(
        "RocksDB's memory is bounded, so that all states of a slot share one cache: this size is not heeded",
        help="give RocksDB more managed memory, or lower state.backend.rocksdb.memory.write-buffer-ratio",
        fix=cache.remove(),
        related=[config.get(_MANAGED) if fixed is None else fixed],
        at="entry",
    )


CASES = [
    bad(
        f"state.backend.type: rocksdb\n{_CACHE}: 512 mb\n", at=_CACHE, severity=Severity.WARNING,
        fixed="state.backend.type: rocksdb\n",
    ),
    bad(f"{_CACHE}: 512 mb\n", flink="1.10", says="share one cache"),
    bad(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n{_FIXED[0]}: 1 gb\n", at=_CACHE, flink="1.18"),
    bad(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n{_FIXED[1]}: 1 gb\n", at=_CACHE, flink="1.17"),
    good(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n"),
    good(f"{_CACHE}: 512 mb\n{_MANAGED}: false\n{_FIXED[1]}: 1 gb\n", flink="1.16"),
    good(f"{_CACHE}: 512 mb\n{_MANAGED}: '{{{{ managed }}}}'\n"),
    good(f"state.backend.type: hashmap\n{_CACHE}: 512 mb\n"),
    good("state.backend.type: rocksdb\n"),
]  # fmt: skip

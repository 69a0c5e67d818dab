"""Formulas for RocksDB memory: how it is divided within a slot, and how much states, writes and reads need.

`memory` is the bytes of RocksDB in one slot (managed memory, or fixed-per-slot), and `ratio` is
`state.backend.rocksdb.memory.write-buffer-ratio` in (0, 1]. ForSt divides its memory in the same way.
"""

from __future__ import annotations

import math

from flink_flint.calculators.formulas.quantity import BadQuantity, Unit
from flink_flint.linter.text.ascii_numbers import number as number_of
from flink_flint.linter.text.named_tuple import NamedTuple

MIB = 1 << 20
WRITE_BUFFER = 64 * MIB
"""RocksDB's default size of a memtable (write buffer) in bytes."""
WRITE_BUFFERS = 2
"""RocksDB's default maximum number of memtables per column family."""
BLOCK_CACHE = 8 * MIB
"""RocksDB's default size, in bytes, of the block cache of a column family, if Flink does not share one cache."""
MEMTABLES = 16 * MIB
"""The recommended memory, in bytes, for the memtables of one state (a heuristic).

With a ratio of 0.5 a state needs 32 MiB, of which 10.7 MiB are write buffers.
"""
UNMANAGED = 140_000_000
"""The documented maximum memory of RocksDB, in bytes per state and slot, if Flink does not manage that memory.

These are two memtables, a separate block cache, and the indexes.
"""
COMPACTION = 2.0
"""The maximum bytes on disk per byte of state: a compaction writes merged data before it deletes the old files."""
_ARENA_PART = 8
_ARENA_STEP = 4096


# -- the division


def cache_capacity(memory: int, ratio: float = 0.5) -> int:
    """Return the capacity in bytes of the block cache, including memtables: `(3 - ratio) x memory / 3`."""
    return int((3.0 - ratio) * memory / 3.0)


def write_buffer_capacity(memory: int, ratio: float = 0.5) -> int:
    """Return the capacity in bytes of the write buffer manager: `2 x memory x ratio / 3`.

    RocksDB may use up to 1.5 times the capacity before a flush, hence the division by 3.
    """
    return int(2 * memory * ratio / 3.0)


def read_cache(memory: int, ratio: float = 0.5) -> int:
    """Return the bytes of block cache that full memtables leave for reads."""
    return cache_capacity(memory, ratio) - write_buffer_capacity(memory, ratio)


def mutable_limit(memory: int, ratio: float = 0.5) -> int:
    """Return the total memtable size in bytes at which RocksDB flushes: 7/8 of the write buffer manager's capacity."""
    return write_buffer_capacity(memory, ratio) * 7 // 8


def arena_block(write_buffer: int = WRITE_BUFFER) -> int:
    """Return the bytes that a memtable allocates at once: an eighth of its size, rounded up to whole 4 KiB pages."""
    return -(-(write_buffer // _ARENA_PART) // _ARENA_STEP) * _ARENA_STEP


def flushes_always(memory: int, ratio: float = 0.5, write_buffer: int = WRITE_BUFFER) -> bool:
    """Return whether RocksDB flushes continuously because one arena block exceeds `mutable_limit`."""
    return arena_block(write_buffer) > mutable_limit(memory, ratio)


def min_memory(ratio: float = 0.5, write_buffer: int = WRITE_BUFFER) -> int:
    """Return the smallest memory size in bytes at which RocksDB does not flush continuously.

    `arena block x 8 / 7 x 3 / (2 x ratio)`, exact to the byte.
    """
    # The limit is rounded to bytes twice in its derivation from the memory; the first guess is off by a few.
    capacity = -(-arena_block(write_buffer) * 8 // 7)
    memory = max(0, math.floor(capacity * 3 / (2 * ratio)) - 8)
    while flushes_always(memory, ratio, write_buffer):
        memory += 1
    return memory


def largest_write_buffer(memory: int, ratio: float = 0.5) -> int:
    """Return the size in bytes of the largest memtable whose arena block does not exceed `mutable_limit`; 0 if none."""
    return mutable_limit(memory, ratio) // _ARENA_STEP * _ARENA_STEP * _ARENA_PART


# -- what the load needs


def memory_for_states(states: int, ratio: float = 0.5) -> int:
    """Return the memory in bytes that gives each state adequate memtables: 32 MiB per state with a ratio of 0.5.

    A heuristic; more write buffers in less memory are as good.
    """
    return math.ceil(states * MEMTABLES / ratio)


def states_within(memory: int, ratio: float = 0.5) -> int:
    """Return the number of states for which `memory` is adequate: the inverse of `memory_for_states`."""
    return math.floor(memory * ratio / MEMTABLES)


def memory_for_writes(rate: float, interval: float, states: int, ratio: float = 0.5,
                      write_buffer: int = WRITE_BUFFER, write_buffers: int = WRITE_BUFFERS) -> int:  # fmt: skip
    """Return the bytes of memory needed for memtables to hold `interval` seconds of writes at `rate` bytes per second.

    At most the memory that all memtables of all states can use: with more, write buffers stay empty.
    """
    held = min(rate * interval, states * write_buffer * write_buffers)
    return math.ceil(round(held * 8 / 7 * 3 / (2 * ratio), 6))


def memtable_size(memory: int, states: int, ratio: float = 0.5, write_buffer: int = WRITE_BUFFER) -> float:
    """Return the average size in bytes of a memtable when it is flushed, if all states are written equally."""
    return min(write_buffer, mutable_limit(memory, ratio) / states)


def memory_for_reads(working_set: float, ratio: float = 0.5) -> float:
    """Return the bytes of memory needed to cache a working set next to full memtables; infinite for a ratio of 1."""
    return working_set / (1 - ratio) if ratio < 1 else (math.inf if working_set else 0.0)


def unmanaged_bound(states: int, slots: int, write_buffer: int = WRITE_BUFFER, write_buffers: int = WRITE_BUFFERS,
                    block_cache: int = BLOCK_CACHE) -> float:  # fmt: skip
    """Return the maximum bytes that RocksDB uses in a TaskManager if its memory is not managed.

    These are Flink's 140 MB per state and slot for RocksDB's defaults; for other sizes in proportion.
    """
    held = write_buffer * write_buffers + block_cache
    return UNMANAGED * states * slots * held / (WRITE_BUFFER * WRITE_BUFFERS + BLOCK_CACHE)


def native_slack(memory: float) -> float:
    """Return the bytes that RocksDB may use beyond `memory`: pinned blocks, and memory that the allocator retains.

    It is a tenth of the memory (a heuristic) and comes out of JVM overhead.
    """
    return memory * 0.1


# -- other consumers of managed memory


class Weights(NamedTuple):
    """The weights in `taskmanager.memory.managed.consumer-weights`; 0 for a consumer without a weight."""

    operator: float
    state_backend: float
    python: float

    def share(self, *, operators: bool, python: bool) -> float:
        """Return RocksDB's share (0 to 1) of a slot's managed memory, given the other consumers."""
        others = (self.operator if operators else 0) + (self.python if python else 0)
        return 0.0 if self.state_backend == 0 else self.state_backend / (self.state_backend + others)


def slot_memory(managed: int, slots: int, share: float = 1.0) -> int:
    """Return RocksDB's bytes in one slot of a TaskManager with `managed` bytes of managed memory."""
    return math.floor(managed / slots * share)


def managed_for(memory: int, slots: int, share: float = 1.0) -> int:
    """Return the bytes of managed memory, in whole MiB, that give RocksDB at least `memory` bytes per slot."""
    managed = math.ceil(memory * slots / share / MIB) * MIB
    # A share such as 7/17 is rounded to a double, and the product to bytes: the result may be one byte too small.
    return managed if slot_memory(managed, slots, share) >= memory else managed + MIB


DEFAULT_WEIGHTS = Weights(70, 70, 30)
_EXAMPLE = "OPERATOR:70,STATE_BACKEND:70,PYTHON:30"


def parse_weights(text: str) -> Weights:
    """Parse weights such as ``OPERATOR:70,STATE_BACKEND:70,PYTHON:30``; missing weights are 0.

    Raises BadQuantity for an unknown consumer or an invalid weight.
    """
    given: dict[str, float] = {}
    for item in text.split(","):
        name, colon, number = (part.strip() for part in item.partition(":"))
        weight = number_of(number)
        if not colon or weight is None or weight < 0:
            raise BadQuantity(f"{item.strip()!r} is not a consumer and a weight of at least 0; write {_EXAMPLE}")
        given[name.upper()] = weight
    known = ("OPERATOR", "STATE_BACKEND", "PYTHON", "DATAPROC")
    if unknown := given.keys() - set(known):
        raise BadQuantity(f"{sorted(unknown)[0]!r} is not a consumer of managed memory; allowed: {', '.join(known)}")
    old = given.get("DATAPROC", 0.0)  # the name of the first two in 1.12, read for both up to 1.20
    return Weights(given.get("OPERATOR", old), given.get("STATE_BACKEND", old), given.get("PYTHON", 0.0))


def spell_weights(weights: Weights) -> str:
    """Format weights as ``OPERATOR:70,STATE_BACKEND:70,PYTHON:30``, the form that `parse_weights` reads."""
    return f"OPERATOR:{weights.operator:g},STATE_BACKEND:{weights.state_backend:g},PYTHON:{weights.python:g}"


WEIGHTS = Unit("weights", parse_weights, spell_weights, _EXAMPLE)

"""RocksDB's current memory, and errors and warnings about it."""

from __future__ import annotations

from flink_flint.calculators.formulas.quantity import counted, spell_count, spell_fraction, spell_size
from flink_flint.calculators.formulas.rocksdb_memory import (
    arena_block,
    flushes_always,
    largest_write_buffer,
    min_memory,
    mutable_limit,
    slot_memory,
)
from flink_flint.calculators.inputs.current_memory import current_memory
from flink_flint.calculators.inputs.rocksdb import RocksDbNeeds, RocksDbOptions
from flink_flint.calculators.inputs.shared_memory_sizing import spell_exact
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

GOOD_HITS = 0.9
"""The minimum cache hit ratio (0 to 1) at which RocksDB's block cache is considered large enough."""
_FIRST_PER_TASKMANAGER = MINORS.index("1.17")


class Need(NamedTuple):
    """A requirement on RocksDB's memory in a slot: the size in bytes, its reason, and the step that computes it."""

    memory: int
    binding: str
    step: str
    is_present: bool = False
    """Whether the required memory is the memory that RocksDB has now."""


class Present(NamedTuple):
    """RocksDB's current memory, and the steps that derive it from the options."""

    managed: int | None = None
    per_slot: int | None = None
    """The bytes of RocksDB's memory in one slot; None if it is unknown or not limited."""
    pool: int | None = None
    """The bytes available to one write buffer manager, which serves a slot or a whole TaskManager; None if unknown."""
    idle: int | None = None
    """The bytes of a slot's managed memory that RocksDB could use but does not; None if RocksDB uses managed memory."""
    total: TaskManagerMemory | None = None
    steps: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def present_memory(inputs: RocksDbOptions, release: Release) -> Present:
    """Return RocksDB's memory under the current options; fixed memory per slot overrides managed memory."""
    derived = current_memory(inputs, release)
    if derived is not None and derived.memory is None:
        return Present(errors=(derived.said,))
    total = None if derived is None else derived.memory
    managed = inputs.managed if inputs.managed is not None or total is None else total.managed
    steps: list[str] = []
    if total is not None and inputs.managed is None:
        steps.append(
            f"Current: {spell_exact(total.flink_size)} of Flink memory makes {spell_size(total.managed)} of managed "
            "memory."
        )
    if isinstance(inputs, RocksDbNeeds):
        idle = None if managed is None else slot_memory(managed, inputs.slots, inputs.share)
        if inputs.fixed_per_slot is not None:
            return Present(managed, inputs.fixed_per_slot, inputs.fixed_per_slot, idle, total, tuple(steps))
        if not inputs.is_managed:
            shared = inputs.fixed_per_taskmanager if nearest_index(release) >= _FIRST_PER_TASKMANAGER else None
            each = None if shared is None else shared // inputs.slots
            return Present(managed, each, shared, idle, total, tuple(steps))
    if managed is None:
        return Present(total=total)
    each = slot_memory(managed, inputs.slots, inputs.share)
    steps.append(
        f"RocksDB of a slot, current: {spell_size(managed)} / {spell_count(inputs.slots)}{_of_share(inputs)} = "
        f"{spell_size(each)}."
    )
    return Present(managed, each, each, total=total, steps=tuple(steps))


def _of_share(inputs: RocksDbOptions) -> str:
    return f" x {spell_fraction(inputs.share)}" if inputs.share < 1 else ""


def judged_memory(
    inputs: RocksDbNeeds, present: Present, needs: list[Need], bound: float
) -> tuple[list[str], list[str]]:
    """Return errors and warnings about RocksDB's current memory.

    `needs`: the requirements above the minimum; `bound`: bytes that RocksDB may use where nothing limits it.
    """
    errors: list[str] = []
    warnings: list[str] = []
    if present.per_slot is not None and present.pool is not None:
        errors += flushing(present.pool, inputs)
        if not errors:
            warnings += [
                f"{spell_size(present.per_slot)} in a slot is less than the {spell_size(need.memory)} needed: "
                f"{need.binding}"
                for need in needs
                if need.memory > present.per_slot and not need.is_present
            ]
    if not inputs.is_managed and present.per_slot is None:
        warnings.append(
            f"nothing limits RocksDB's memory: {counted(inputs.states, 'state')} in {counted(inputs.slots, 'slot')} "
            f"may use {spell_size(bound)} that Flink does not account for, and the container is killed"
        )
    elif not inputs.is_managed or inputs.fixed_per_slot is not None:
        kept = (present.per_slot or 0) * inputs.slots
        warnings.append(
            f"Flink does not account for the {spell_size(kept)} of RocksDB's own memory: it comes out of JVM "
            "overhead, and managed memory is unused"
        )
    if inputs.hit_ratio is not None and inputs.hit_ratio < GOOD_HITS and present.per_slot is None:
        warnings.append(
            f"only {spell_fraction(inputs.hit_ratio)} of the reads find their block in the cache, and 90 % "
            "should: enlarge it"
        )
    return errors, warnings


def flushing(pool: int, inputs: RocksDbOptions) -> list[str]:
    """Return errors about memtables smaller than one arena block; `pool` is a write buffer manager's size in bytes."""
    ratio, buffer = inputs.write_buffer_ratio, inputs.write_buffer
    if not flushes_always(pool, ratio, buffer):
        return []
    smaller = largest_write_buffer(pool, ratio)
    instead = f", or write buffers of at most {spell_size(smaller)}" if smaller else ""
    return [
        (
            f"{spell_size(pool)} lets memtables grow to {spell_size(mutable_limit(pool, ratio))}, less than one block "
            f"of {spell_size(arena_block(buffer))}: RocksDB flushes endlessly; it needs "
            f"{spell_size(min_memory(ratio, buffer))} in a slot{instead}"
        )
    ]

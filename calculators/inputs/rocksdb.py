"""Inputs of the RocksDB calculator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.quantity import BYTES, BYTES_PER_SECOND, COUNT, FRACTION, SECONDS, YES_NO
from flink_flint.calculators.formulas.rocksdb_memory import (
    DEFAULT_WEIGHTS,
    WEIGHTS,
    WRITE_BUFFER,
    WRITE_BUFFERS,
    Weights,
)
from flink_flint.calculators.inputs.current_memory import CurrentTotal, knows_total
from flink_flint.calculators.inputs.shared_memory_sizing import share_option, size

MANAGED_SIZE = "taskmanager.memory.managed.size"
MANAGED_FRACTION = "taskmanager.memory.managed.fraction"
ROCKSDB = "state.backend.rocksdb"
FIXED_PER_SLOT = f"{ROCKSDB}.memory.fixed-per-slot"
FIXED_PER_TASKMANAGER = f"{ROCKSDB}.memory.fixed-per-tm"
IS_MANAGED = f"{ROCKSDB}.memory.managed"

_LARGEST_BUFFER = 64 << 30


def _may_flush(inputs: RocksDbOptions) -> bool:
    return not isinstance(inputs, RocksDbNeeds) or inputs.write_rate is not None


def _is_unmanaged(inputs: RocksDbNeeds) -> bool:
    return not inputs.is_managed


def _lacks_total(inputs: CurrentRocksDb) -> bool:
    return not knows_total(inputs)


def _has_company(inputs: RocksDbOptions) -> bool:
    return bool(inputs.operators or inputs.python)


def _total_counts(inputs: RocksDbNeeds | CurrentRocksDb) -> bool:
    return inputs.managed is None and knows_total(inputs)


@dataclass(frozen=True, kw_only=True)
class RocksDbOptions(Inputs):
    """Inputs shared by `RocksDbNeeds` and `CurrentRocksDb`, most of them current option values."""

    slots: int = ask(
        COUNT,
        "slots of a TaskManager",
        default=1,
        assumed="Flink's default",
        least=1,
        most=10_000,
        option="taskmanager.numberOfTaskSlots",
    )
    operators: bool = ask(
        YES_NO,
        "whether SQL windows (window TVFs: aggregations, top-N, deduplication) or sorts share the slots",
        default=False,
        assumed="a DataStream job, or SQL without them",
    )
    python: bool = ask(
        YES_NO, "whether Python workers share the slots", default=False, assumed="a Java, Scala or SQL job"
    )
    weights: Weights = ask(  # noqa: RUF009 - makes a field, as everywhere
        WEIGHTS,
        "the current weights of the consumers of managed memory",
        default=DEFAULT_WEIGHTS,
        assumed="Flink's default",
        when=_has_company,
        option="taskmanager.memory.managed.consumer-weights",
    )
    write_buffer_ratio: float = ask(
        FRACTION,
        "the part of RocksDB's memory for write buffers",
        default=0.5,
        assumed="Flink's default",
        above=0,
        most=1,
        option=f"{ROCKSDB}.memory.write-buffer-ratio",
    )
    write_buffer: int = ask(
        BYTES,
        "the size of one write buffer (memtable)",
        default=WRITE_BUFFER,
        assumed="RocksDB's default",
        least=4096,
        most=_LARGEST_BUFFER,
        option=f"{ROCKSDB}.writebuffer.size",
    )
    write_buffers: int = ask(
        COUNT,
        "write buffers of one state, at most",
        default=WRITE_BUFFERS,
        assumed="RocksDB's default",
        least=1,
        most=1_000,
        option=f"{ROCKSDB}.writebuffer.count",
    )
    flush_interval: float = ask(
        SECONDS,
        "how long write buffers should hold what is written",
        default=10.0,
        assumed="larger files, with a few compactions a minute",
        above=0,
        most=3600,
        # In reverse it always has an effect: the rate depends on it.
        when=_may_flush,
    )
    managed: int | None = size(
        "current managed memory of a TaskManager (default: derived from the current total)",
        option=MANAGED_SIZE,
        metric="Status.Flink.Memory.Managed.Total",
        statistic="max",
    )
    managed_fraction: float = share_option(
        MANAGED_FRACTION, 0.4, "current managed memory as a part of Flink's memory", when=_total_counts
    )

    @property
    def share(self) -> float:
        """The share (0 to 1) of a slot's managed memory that RocksDB gets."""
        return self.weights.share(operators=self.operators, python=self.python)

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.share == 0:
            yield BadInput(
                "weights",
                "STATE_BACKEND has no weight, so that RocksDB gets no managed memory with other consumers; allowed: "
                "above 0",
            )


@dataclass(frozen=True, kw_only=True)
class _Job(Inputs):
    """The inputs that are listed first."""

    states: int = ask(
        COUNT,
        "states of all tasks in one slot, each kind of timer counted as one",
        least=1,
        most=100_000,
    )


@dataclass(frozen=True, kw_only=True)
class RocksDbNeeds(CurrentTotal, RocksDbOptions, _Job):
    """Inputs for sizing the managed memory that RocksDB needs for its state."""

    working_set: int | None = size("the bytes of state that one slot reads repeatedly")
    hit_ratio: float | None = ask(
        FRACTION,
        "observed hits of the block cache: block-cache-hit / (block-cache-hit + block-cache-miss)",
        default=None,
        least=0,
        most=1,
    )
    write_rate: float | None = ask(BYTES_PER_SECOND, "bytes that one slot writes to its state", default=None, least=0)
    state_size: int | None = size("the state of one slot on disk")
    is_managed: bool = ask(
        YES_NO,
        "whether RocksDB's memory is limited to managed memory",
        default=True,
        assumed="Flink's default",
        option=IS_MANAGED,
    )
    fixed_per_slot: int | None = size(
        "RocksDB's own current memory of a slot, instead of managed memory", option=FIXED_PER_SLOT, above=0, least=None
    )
    fixed_per_taskmanager: int | None = size(
        "RocksDB's own current memory of a TaskManager (1.17 and later; counts only where it is not managed)",
        option=FIXED_PER_TASKMANAGER,
        above=0,
        least=None,
        when=_is_unmanaged,
    )


@dataclass(frozen=True, kw_only=True)
class CurrentRocksDb(CurrentTotal, RocksDbOptions):
    """Inputs for computing the state and write rate that RocksDB's current memory supports."""

    managed: int | None = size(
        "current managed memory of a TaskManager (default: derived from the current total)",
        option=MANAGED_SIZE,
        metric="Status.Flink.Memory.Managed.Total",
        statistic="max",
        above=0,
        least=None,
        needed=_lacks_total,
    )
    states: int | None = ask(
        COUNT,
        "states of all tasks in one slot, each kind of timer counted as one",
        default=None,
        least=1,
        most=100_000,
    )

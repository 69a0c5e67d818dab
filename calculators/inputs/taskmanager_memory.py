"""Inputs of the TaskManager memory calculator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.quantity import COUNT, NUMBER, spell_size
from flink_flint.calculators.formulas.smallest_memory import MIB
from flink_flint.calculators.inputs.shared_memory_sizing import (
    HEAP_MARGIN,
    LIMIT,
    heap_for,
    in_order,
    observed_live_set,
    observed_metaspace,
    option,
    share_option,
    size,
    up,
)
from flink_flint.linter.flink.values import MAX_INT, MAX_LONG

PROCESS = "taskmanager.memory.process.size"
FLINK = "taskmanager.memory.flink.size"
MANAGED = "taskmanager.memory.managed.size"
MANAGED_FRACTION = "taskmanager.memory.managed.fraction"
NETWORK = "taskmanager.memory.network"
METASPACE = "taskmanager.memory.jvm-metaspace.size"
OVERHEAD = "taskmanager.memory.jvm-overhead"
TASK_HEAP = "taskmanager.memory.task.heap.size"
SLOTS = "taskmanager.numberOfTaskSlots"


def _knows_total(inputs: TaskManagerNeeds | CurrentTaskManager) -> bool:
    """Return whether the current total is known, so that options determine the current parts."""
    if not isinstance(inputs, TaskManagerNeeds) or "managed_in_force" in inputs.unknown:
        return False
    return inputs.process_size is not None or _sized_otherwise(inputs)


def _sized_otherwise(inputs: TaskManagerNeeds | CurrentTaskManager) -> bool:
    """Return whether something other than the process size determines the current total."""
    return inputs.flink_size is not None or (
        inputs.current_task_heap is not None and inputs.current_managed is not None
    )


def _lacks_other_total(inputs: CurrentTaskManager) -> bool:
    return not _sized_otherwise(inputs)


def _managed_fraction_counts(inputs: TaskManagerNeeds | CurrentTaskManager) -> bool:
    if isinstance(inputs, TaskManagerNeeds) and inputs.managed_in_force is not None:
        return False
    return inputs.managed is None or _knows_total(inputs)


def _network_counts(inputs: TaskManagerNeeds | CurrentTaskManager) -> bool:
    return not isinstance(inputs, TaskManagerNeeds) or inputs.network is None or _knows_total(inputs)


def _lacks_live_set(inputs: TaskManagerNeeds) -> bool:
    return inputs.live_set is None


def _has_live_set(inputs: TaskManagerNeeds) -> bool:
    return inputs.live_set is not None


@dataclass(frozen=True, kw_only=True)
class TaskManagerOptions(Inputs):
    """Current option values, shared by `TaskManagerNeeds` and `CurrentTaskManager`."""

    slots: int = ask(
        COUNT,
        "slots that share the TaskManager",
        default=1,
        assumed="Flink's default",
        least=1,
        most=MAX_INT,
        option=SLOTS,
    )
    metaspace: int = option(METASPACE, 256 * MIB, "metaspace, for classes")
    task_off_heap: int = option(
        "taskmanager.memory.task.off-heap.size", 0, "direct and native memory that user code uses, in all slots"
    )
    framework_heap: int = option("taskmanager.memory.framework.heap.size", 128 * MIB, "heap set aside for Flink itself")
    framework_off_heap: int = option(
        "taskmanager.memory.framework.off-heap.size", 128 * MIB, "direct and native memory set aside for Flink itself"
    )
    managed_fraction: float = share_option(
        MANAGED_FRACTION, 0.4, "managed memory as a part of Flink's memory", when=_managed_fraction_counts
    )
    network_fraction: float = share_option(
        f"{NETWORK}.fraction", 0.1, "network memory as a part of Flink's memory", when=_network_counts
    )
    network_min: int = option(f"{NETWORK}.min", 64 * MIB, "the minimum network memory", when=_network_counts)
    network_max: int = option(
        f"{NETWORK}.max",
        MAX_LONG,
        "the maximum network memory (1 GiB by default up to Flink 1.16)",
        LIMIT,
        most=MAX_LONG,
        when=_network_counts,
    )
    overhead_fraction: float = share_option(f"{OVERHEAD}.fraction", 0.1, "JVM overhead as a part of the process")
    overhead_min: int = option(f"{OVERHEAD}.min", 192 * MIB, "the minimum JVM overhead")
    overhead_max: int = option(f"{OVERHEAD}.max", 1024 * MIB, "the maximum JVM overhead")


@dataclass(frozen=True, kw_only=True)
class _Required(Inputs):
    task_heap: int | None = size(
        "heap that user code, connectors and state on the heap need, in all slots together", needed=_lacks_live_set
    )
    live_set: int | None = observed_live_set()
    heap_margin: float = ask(
        NUMBER,
        "JVM heap for each byte of the live set",
        default=HEAP_MARGIN,
        assumed="a live set may fill 77 % of the heap",
        least=1,
        most=10,
        when=_has_live_set,
    )
    managed: int | None = size(
        "managed memory that RocksDB, Python, batch and SQL operators need (default: Flink's fraction, but at least "
        "the current size)",
        metric="Status.Flink.Memory.Managed.Used",
        statistic="max",
    )
    network: int | None = size(
        "network memory that the job's buffers need; `flint size network-buffers` computes it (default: Flink's "
        "fraction, but at least the current size)"
    )
    metaspace_used: int | None = observed_metaspace()
    native: int | None = size(
        "required JVM overhead: threads, code cache, native allocations such as RocksDB's beyond its share"
    )
    limit: int | None = size("the maximum memory of the container", above=0, least=None)
    process_size: int | None = size("current process size", option=PROCESS)
    flink_size: int | None = size("current total Flink memory", option=FLINK)
    managed_in_force: int | None = size("current size of managed memory", option=MANAGED)
    task_heap_in_force: int | None = size("current size of the task heap", option=TASK_HEAP)

    @property
    def current_managed(self) -> int | None:
        """The bytes of current managed memory; None if not known."""
        return self.managed if "managed_in_force" in self.unknown else self.managed_in_force

    @property
    def current_task_heap(self) -> int | None:
        """The bytes of the current task heap; None if not known."""
        return self.task_heap if "task_heap_in_force" in self.unknown else self.task_heap_in_force


@dataclass(frozen=True, kw_only=True)
class TaskManagerNeeds(TaskManagerOptions, _Required):
    """Inputs for sizing a TaskManager's memory from the needs of its parts."""

    def contradictions(self) -> Iterator[BadInput]:
        yield from in_order(self, "overhead")
        if _network_counts(self):
            yield from in_order(self, "network")
        if self.task_heap is not None and self.live_set is not None:
            required = heap_for(self.live_set, self.heap_margin)
            if self.task_heap + self.framework_heap < required:
                yield BadInput(
                    "task_heap",
                    f"{spell_size(self.task_heap)} with a framework heap of {spell_size(self.framework_heap)} is less "
                    f"than the {spell_size(required)} of heap that a live set of {spell_size(self.live_set)} needs; "
                    f"allowed: at least {spell_size(up(required - self.framework_heap))}, or only one of the two",
                )


@dataclass(frozen=True, kw_only=True)
class _Totals(Inputs):
    process_size: int | None = size("total process memory", option=PROCESS, needed=_lacks_other_total)
    flink_size: int | None = size("total Flink memory", option=FLINK)
    task_heap: int | None = size("task heap", option=TASK_HEAP)
    managed: int | None = size("managed memory", option=MANAGED)
    live_set: int | None = observed_live_set()
    metaspace_used: int | None = observed_metaspace()

    @property
    def current_managed(self) -> int | None:
        """The bytes of current managed memory; None if not known."""
        return self.managed

    @property
    def current_task_heap(self) -> int | None:
        """The bytes of the current task heap; None if not known."""
        return self.task_heap


@dataclass(frozen=True, kw_only=True)
class CurrentTaskManager(TaskManagerOptions, _Totals):
    """Inputs for computing a TaskManager's memory and safe load from its current options."""

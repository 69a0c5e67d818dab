"""Inputs of the JobManager memory calculator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.quantity import COUNT, NUMBER, YES_NO, spell_size
from flink_flint.calculators.formulas.smallest_memory import MIB
from flink_flint.calculators.inputs.shared_memory_sizing import (
    HEAP_MARGIN,
    heap_for,
    in_order,
    observed_live_set,
    observed_metaspace,
    option,
    share_option,
    size,
    up,
)

PROCESS = "jobmanager.memory.process.size"
FLINK = "jobmanager.memory.flink.size"
HEAP = "jobmanager.memory.heap.size"
METASPACE = "jobmanager.memory.jvm-metaspace.size"
OVERHEAD = "jobmanager.memory.jvm-overhead"


def _estimates_heap(inputs: JobManagerNeeds | CurrentJobManager) -> bool:
    return not isinstance(inputs, JobManagerNeeds) or inputs.heap is None


def _has_live_set(inputs: JobManagerNeeds) -> bool:
    return inputs.live_set is not None


def _lacks_other_total(inputs: CurrentJobManager) -> bool:
    return inputs.flink_size is None and inputs.heap_size is None


@dataclass(frozen=True, kw_only=True)
class JobManagerOptions(Inputs):
    """Current option values, shared by `JobManagerNeeds` and `CurrentJobManager`."""

    off_heap: int = option(
        "jobmanager.memory.off-heap.size",
        128 * MIB,
        "direct and native memory of Flink, its file systems and libraries",
    )
    metaspace: int = option(METASPACE, 256 * MIB, "metaspace, for classes")
    overhead_fraction: float = share_option(f"{OVERHEAD}.fraction", 0.1, "JVM overhead as a part of the process")
    overhead_min: int = option(f"{OVERHEAD}.min", 192 * MIB, "the minimum JVM overhead")
    overhead_max: int = option(f"{OVERHEAD}.max", 1024 * MIB, "the maximum JVM overhead")


@dataclass(frozen=True, kw_only=True)
class JobManagerLoad(Inputs):
    """Inputs about the load of a JobManager: jobs, connections between subtasks, and checkpoints."""

    jobs: int = ask(
        COUNT,
        "jobs that run at once, including those that are starting",
        default=1,
        assumed="a cluster for one job",
        least=0,
        most=100_000,
        metric="numRunningJobs",
        statistic="max",
        when=_estimates_heap,
    )
    edges: int = ask(
        COUNT,
        "connections between two subtasks, over all jobs: p x q for each exchange from p to q subtasks",
        default=0,
        assumed="few enough for the heap of a job of usual size",
        least=0,
        most=10**12,
        when=_estimates_heap,
    )
    checkpoint_heap: int = size(
        "heap that completing checkpoints need in addition; `flint size rpc-size` computes it",
        default=0,
        assumed="checkpoint metadata is small",
        when=_estimates_heap,
    )


@dataclass(frozen=True, kw_only=True)
class _Required(JobManagerLoad):
    heap: int | None = size("required heap of the JobManager, instead of an estimate", above=0, least=None)
    live_set: int | None = observed_live_set()
    heap_margin: float = ask(
        NUMBER,
        "heap for each byte of the live set",
        default=HEAP_MARGIN,
        assumed="a live set may fill 77 % of the heap",
        least=1,
        most=10,
        when=_has_live_set,
    )
    metaspace_used: int | None = observed_metaspace()
    limit: int | None = size("the maximum memory of the container", above=0, least=None)
    process_size: int | None = size("current process size", option=PROCESS)


@dataclass(frozen=True, kw_only=True)
class JobManagerNeeds(JobManagerOptions, _Required):
    """Inputs for sizing a JobManager's memory for its load."""

    def contradictions(self) -> Iterator[BadInput]:
        yield from in_order(self, "overhead")
        if self.heap is not None and self.live_set is not None:
            required = heap_for(self.live_set, self.heap_margin)
            if self.heap < required:
                yield BadInput(
                    "heap",
                    f"{spell_size(self.heap)} is less than the {spell_size(required)} that a live set of "
                    f"{spell_size(self.live_set)} needs; allowed: at least {spell_size(up(required))}, or only one of "
                    "the two",
                )


@dataclass(frozen=True, kw_only=True)
class _Totals(Inputs):
    process_size: int | None = size(
        "total process memory",
        option=PROCESS,
        needed=_lacks_other_total,
    )
    flink_size: int | None = size("total Flink memory", option=FLINK)
    heap_size: int | None = size("JVM heap", option=HEAP)
    direct_limit: bool = ask(
        YES_NO,
        "whether the JVM limits direct memory to the off-heap memory",
        default=False,
        assumed="Flink's default",
        option="jobmanager.memory.enable-jvm-direct-memory-limit",
    )
    live_set: int | None = observed_live_set()
    metaspace_used: int | None = observed_metaspace()


@dataclass(frozen=True, kw_only=True)
class CurrentJobManager(JobManagerOptions, JobManagerLoad, _Totals):
    """Inputs for computing a JobManager's memory and safe load from its current options."""

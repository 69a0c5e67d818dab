"""Inputs from a cluster's processes: TaskManager and JobManager memory, network buffers, running jobs, containers."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.given_inputs import values_for
from flink_flint.calculators.formulas.exchanges import ALL_TO_ALL, KINDS, Exchange
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, FRACTION, spell_fraction, spell_size
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.recommend.evidence import (
    HEAP_USED,
    SHORT_DAYS,
    Evidence,
    Figure,
    Processes,
    figure,
    widened,
)
from flink_flint.calculators.history.recommend.expected_demand import Expected, expected
from flink_flint.calculators.history.recommend.fill_inputs import (
    Fed,
    Feeds,
    Lacking,
    Required,
    Surroundings,
    Vertex,
    supplied,
    values_of,
)
from flink_flint.calculators.inputs.jobmanager_memory import JobManagerNeeds
from flink_flint.calculators.inputs.network_buffers import NetworkNeeds
from flink_flint.calculators.inputs.shared_memory_sizing import HEAP_MARGIN, heap_for
from flink_flint.calculators.inputs.taskmanager_memory import TaskManagerNeeds

_MIB = 1 << 20
_PROCESS_STEP = 64 * _MIB
"""Step in which processes are sized; the estimates are not more precise."""
_NETWORK_SPARE = 1.1
_NETTY = "Status.Shuffle.Netty."
_MANAGED = "Status.Flink.Memory.Managed."


def taskmanager_memory(processes: Processes, around: Surroundings) -> Feeds:
    """Yield the inputs for TaskManager memory, from the TaskManager with the highest use."""
    taskmanager = processes.taskmanager
    if taskmanager.seen(HEAP_USED) is None:
        return
    fed = _of_a_process("taskmanager-memory", taskmanager, around)
    if isinstance(fed, Lacking):
        yield fed
        return
    given, figures, remarks = dict(fed.given), dict(fed.figures), list(fed.remarks)
    used = taskmanager.known(f"{_MANAGED}Used")
    if used is not None and figures["live_set"].days >= SHORT_DAYS:
        given |= values_for(TaskManagerNeeds, managed=math.ceil(used.peak))
        figures["managed"] = figure(used, "max", used.peak)
        if not used.peak:
            remarks.append("no managed memory was ever in use")
    else:
        given.pop("managed", None)
        figures.pop("managed", None)
    requested = _requested_network(taskmanager)
    if requested is not None:
        given |= values_for(TaskManagerNeeds, network=math.ceil(requested.value))
        figures["network"] = requested
        remarks.append(f"its buffer pools request {spell_size(requested.value / _NETWORK_SPARE)} of network memory")
    yield replace(fed, given=given, figures=figures, remarks=tuple(remarks), wanted=(
        Required("taskmanager.memory.process.size", "process_size", step=_PROCESS_STEP),
        Required("taskmanager.memory.jvm-metaspace.size", step=_PROCESS_STEP),
        Required("taskmanager.memory.managed.size"),
        Required("taskmanager.memory.network.min"),
        Required("taskmanager.memory.network.max"),
    ))  # fmt: skip


def _requested_network(taskmanager: Evidence) -> Figure | None:
    """Return the network memory that buffer pools request, plus a tenth, if it exceeds the available memory."""
    usage = taskmanager.percentile(f"{_NETTY}RequestedMemoryUsage", 0.99)
    total = taskmanager.peak(f"{_NETTY}TotalMemory")
    if usage is None or total is None or usage.value <= 100:
        return None
    return total.becomes("p99 of the requested memory", total.value * usage.value / 100 * _NETWORK_SPARE)


def jobmanager_memory(processes: Processes, around: Surroundings) -> Feeds:
    """Yield the inputs for JobManager memory, from its heap and the connections between its jobs' subtasks."""
    jobmanager = processes.jobmanager
    if jobmanager.seen(HEAP_USED) is None:
        return
    fed = _of_a_process("jobmanager-memory", jobmanager, around)
    if isinstance(fed, Lacking):
        yield fed
        return
    given = dict(fed.given)
    edges = sum(one.upstream * one.downstream * one.times for one in exchanges_of(around.vertices))
    if fed.main.days >= SHORT_DAYS:
        # A heap that was observed needs no estimate.
        given |= values_for(JobManagerNeeds, heap=heap_for(given["live_set"], given.get("heap_margin", HEAP_MARGIN)))
    elif edges:
        given |= values_for(JobManagerNeeds, edges=edges)
    yield replace(fed, given=given, wanted=(
        Required("jobmanager.memory.process.size", "process_size", step=_PROCESS_STEP),
        Required("jobmanager.memory.jvm-metaspace.size", step=_PROCESS_STEP),
    ))  # fmt: skip


def _of_a_process(name: str, evidence: Evidence, around: Surroundings) -> Fed | Lacking:
    """Return the inputs for the process with the highest use: live set and metaspace."""
    if reason := evidence.lacks(HEAP_USED):
        return Lacking(name, evidence, reason)
    lows = evidence.live_set()
    if lows is None:
        return Lacking(name, evidence, "no ten minutes with at least three samples of heap usage")
    demand = evidence.demand("heapLiveSet", "max")
    need = Expected(lows, 1.0, ()) if demand is None else _live_set(demand, lows)
    way = calculator(name).forward
    figures = supplied(way, (evidence,)) | {"live_set": need.figure}
    given: dict[str, Any] = values_of(way, figures)
    heap_margin = widened(HEAP_MARGIN, lows.days)
    if heap_margin > HEAP_MARGIN:
        given["heap_margin"] = heap_margin
    return Fed(
        calculator=name,
        about=evidence,
        surroundings=around,
        given=given,
        figures=figures,
        main=need.figure,
        unit=BYTES,
        meaning="Heap still in use after collections, of the fullest process",
        wanted=(),
        margin=need.margin * heap_margin,
        demand=demand,
        tier="safe",
        remarks=need.remarks,
        doubts=int(not around.configuration.is_known),
        is_memory=True,
    )


def _live_set(demand: Demand, lows: Figure) -> Expected:
    """Return the live set to plan for; a short history gets no margin beyond that of the heap."""
    need = expected(demand, lows, "safe", BYTES)
    return need if need.remarks else Expected(lows, 1.0, ())


def network_buffers(processes: Processes, around: Surroundings) -> Feeds:
    """Yield the inputs for the network memory that the exchanges of all jobs of a cluster need."""
    taskmanager = processes.taskmanager
    if taskmanager.seen(f"{_NETTY}TotalMemory") is None and taskmanager.seen(f"{_NETTY}RequestedMemoryUsage") is None:
        return
    metric = f"{_NETTY}TotalMemory"
    metric = metric if taskmanager.seen(metric) is not None else f"{_NETTY}RequestedMemoryUsage"
    if reason := taskmanager.lacks(metric):
        yield Lacking("network-buffers", taskmanager, reason)
        return
    exchanges = exchanges_of(around.vertices)
    if not exchanges:
        yield Lacking("network-buffers", taskmanager, "no topology of a job is known (import Flink's REST responses)")
        return
    way = calculator("network-buffers").forward
    figures = supplied(way, (taskmanager,))
    main = figures.get("network") or next(iter(figures.values()))
    usage = figures.get("usage")
    entries: tuple[str, ...] = ()
    if usage is not None:
        entries = (f"buffer pools request {spell_fraction(usage.value / 100)} of the network memory",)
    is_share = main.metric.endswith("Usage")
    yield Fed(
        calculator="network-buffers",
        about=taskmanager,
        surroundings=around,
        given=values_of(way, figures) | values_for(NetworkNeeds, exchanges=exchanges),
        figures=figures,
        main=main.scaled(0.01) if is_share else main,
        unit=FRACTION if is_share else BYTES,
        meaning="Share of network memory that buffer pools request" if is_share else "Network memory of a TaskManager",
        wanted=(
            Required("taskmanager.memory.network.min"),
            Required("taskmanager.memory.network.max"),
        ),
        assumed=("subtasks are placed on TaskManagers in the least favorable way",),
        remarks=entries,
        is_memory=True,
    )


def exchanges_of(vertices: tuple[Vertex, ...]) -> tuple[Exchange, ...]:
    """Return the exchanges between vertices; equal ones are merged and counted."""
    known = {one.id: one for one in vertices}
    found: Counter[Exchange] = Counter()
    for vertex in vertices:
        for source, ship in vertex.inputs:
            sender = known.get(source)
            if sender is None or sender.parallelism < 1 or vertex.parallelism < 1:
                continue
            kind = ship.lower() if ship.lower() in KINDS else ALL_TO_ALL[1]
            if kind == "forward" and sender.parallelism != vertex.parallelism:
                kind = "rescale"
            found[Exchange(sender.parallelism, vertex.parallelism, kind)] += 1
    return tuple(exchange._replace(times=times) for exchange, times in sorted(found.items()))


def kubernetes_ha(processes: Processes, around: Surroundings) -> Feeds:
    """Yield the inputs for the JobManager's API server requests with Kubernetes high availability."""
    jobmanager = processes.jobmanager
    if "kubernetes" not in around.configuration.text("high-availability.type").lower():
        return
    yield from _by_count("kubernetes-ha", jobmanager, around, "numRunningJobs", "jobs", (
        Required("containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS", only_up=True),
    ))  # fmt: skip


def yarn(processes: Processes, around: Surroundings) -> Feeds:
    """Yield the inputs of the `yarn` calculator for a session cluster that runs on YARN."""
    current = around.configuration
    on_yarn = current.text("execution.target").startswith("yarn") or any(
        key.startswith("yarn.") for key in current.configuration.settings
    )
    if not on_yarn:
        return
    yield from _by_count("yarn", processes.jobmanager, around, "numRegisteredTaskManagers", "containers", (
        Required("yarn.application-attempts", only_up=True),
        Required("resourcemanager.start-worker.max-failure-rate", only_up=True),
        Required("yarn.maximum-failed-containers", only_up=True),
    ))  # fmt: skip


def _by_count(
    name: str, evidence: Evidence, around: Surroundings, metric: str, essential: str, wanted: tuple[Required, ...]
) -> Feeds:
    if evidence.seen(metric) is None:
        return
    if reason := evidence.lacks(metric):
        yield Lacking(name, evidence, reason)
        return
    way = calculator(name).forward
    figures = supplied(way, (evidence,))
    if essential not in figures:
        return
    yield Fed(
        calculator=name,
        about=evidence,
        surroundings=around,
        given=values_of(way, figures),
        figures=figures,
        main=figures[essential],
        unit=COUNT,
        meaning="Running jobs" if essential == "jobs" else "TaskManagers",
        wanted=wanted,
    )

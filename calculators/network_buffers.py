"""Network buffers: the network memory that a TaskManager needs to start and for full throughput.

## The formula
Subtasks send through partitions and receive through gates, and each has its own buffer pool. A gate
has one input channel for each subtask it receives from, a partition one subpartition for each it sends to: all of the
other vertex for hash, rebalance and broadcast, `ceil(other / own)` for rescale, one for forward. Buffers are as large
as a memory segment, 32 KiB.

```
gate to start      = 2 x channels from other TaskManagers + 1      (up to 1.10: without the 1)
gate at most       = 2 x channels + 8
partition to start = subpartitions + 1
partition at most  = 2 x subpartitions + 8
```

A TaskManager with `slots` slots holds `min(slots, parallelism)` subtasks of each vertex, so its network memory is
`segment x sum over exchanges (receivers x gate + senders x partition)`. The memory to set is the sum of the maxima of
the pools: with less, buffers move between the pools and throughput varies; more is never used. With less
than the sum to start, the tasks fail with "Insufficient number of network buffers: required …, but only … available".
How many channels come from the same TaskManager depends on the placement of subtasks: the answer counts none, and
reports the current memory as an error only if it is too small even for the best placement.

The 2 and the 8 are options up to 1.20 (buffers-per-channel, floating-buffers-per-gate) and constants from 2.0 on. From
1.17 on `taskmanager.network.memory.read-buffer.required-per-gate.max` limits what a gate needs to start (1000 for
batch, none for streaming): exclusive buffers are then replaced by floating ones.

A batch job runs in stages, one task in a slot at a time:
`min(slots, parallelism) x (inputs of a task x gate + partition)`. From 1.15 on its partitions are sorted: 512 buffers
to start and `4 x subpartitions` at most, but no fewer than 512. Reading them back uses a part of framework off-heap
memory, `taskmanager.memory.framework.off-heap.batch-shuffle.size`.

Overdraft buffers, from 1.16 on, come from free buffers and are never required.

Nothing is set if the current memory, or Flink's minimum, has that many buffers, and never less than 64 MiB: the rest
is room for the job to grow.

A connection is kept busy by `throughput x round trip / segment` buffers. If a gate has fewer, floating buffers (up
to 1.20) or the segment (2.x) must be increased.

Buffer debloating, from 1.14 on, fills buffers only as far as `throughput x target`: under backpressure there is less
data before a barrier. The number of buffers, and the memory, stay the same.

`Status.Shuffle.Netty.RequestedMemoryUsage` shows the requests of pools in percent of the network memory: above 100 %
some pools get less than they request, and the memory should be `current memory x usage`.

The minimum and the maximum of network memory are both set to the answer, so that no fraction and no change of the
total changes it. If the total is known, the answer also shows the equivalent fraction.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/network_mem_tuning/>: the pools,
  the minimum to start, the bandwidth-delay product, debloating
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/tuning/MemoryTuning.java>:
  buffers by kind of exchange
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-1.17/>: the limit of a gate's requirement,
  and network memory without a maximum
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_setup_tm/>: network memory as a
  part of Flink's memory
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/metrics/>: RequestedMemoryUsage
"""

from __future__ import annotations

import math
from typing import Any

from flink_flint.calculators.answer_parts.larger_process import larger_process
from flink_flint.calculators.answer_parts.network_warnings import judged_network
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.formulas.buffer_pools import (
    FLOATING,
    PER_CHANNEL,
    Buffers,
    Pool,
    are_constants,
    buffers_in_flight,
    gate,
    of_a_batch_task,
    of_a_taskmanager,
    of_an_exchange,
    partition,
)
from flink_flint.calculators.formulas.exchanges import Exchange, largest_parallelism, scaled
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    FRACTION,
    SECONDS,
    counted,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_size,
)
from flink_flint.calculators.inputs.current_memory import current_memory, thousandths_up
from flink_flint.calculators.inputs.network_buffers import (
    FLOATING_KEY,
    MIN_NETWORK,
    NETWORK,
    CurrentNetwork,
    NetworkNeeds,
    NetworkOptions,
)
from flink_flint.calculators.inputs.shared_memory_sizing import spell_exact, up
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_MAX_PARALLELISM = 32_768
_CHART_STEPS = 24


# -- inputs of both answers


def _buffers(inputs: NetworkOptions, release: Release) -> Buffers:
    """Return the buffers of channels and gates; raises BadInput for values other than the constants of 2.x."""
    if are_constants(release):
        for name, value, constant in (
            ("buffers_per_channel", inputs.buffers_per_channel, PER_CHANNEL),
            ("floating_buffers", inputs.floating_buffers, FLOATING),
        ):
            if value != constant:
                raise BadInput(
                    name,
                    f"{spell_count(value)} is impossible: Flink {release} always uses {constant}; allowed: {constant}",
                )
    return inputs.buffers


class _Present(NamedTuple):
    """The current network memory."""

    network: int | None
    total: TaskManagerMemory | None
    steps: tuple[str, ...]
    errors: tuple[str, ...] = ()


def _present(inputs: NetworkOptions, network: int | None, release: Release) -> _Present:
    derived = current_memory(inputs, release, {} if network is None else _exactly(network))
    if derived is None:
        return _Present(network, None, ())
    if derived.memory is None:
        return _Present(network, None, (), (derived.said,))
    memory = derived.memory
    if network is not None:
        return _Present(network, memory, ())
    step = (
        f"Current: {spell_exact(memory.flink_size)} of Flink memory makes {spell_size(memory.network)} of network "
        "memory."
    )
    return _Present(memory.network, memory, (step,))


def _exactly(network: int) -> dict[str, Any]:
    return {f"{NETWORK}.min": network, f"{NETWORK}.max": network}


# -- from a job to its memory


class _Plan(NamedTuple):
    """The required buffers and network memory."""

    buffers: Buffers
    least: Pool
    """The buffers with the best placement of subtasks."""
    all: Pool
    steps: tuple[str, ...]


def _plan(inputs: NetworkNeeds, release: Release) -> _Plan:
    buffers = _buffers(inputs, release)
    steps: list[str] = []
    if inputs.throughput is not None:
        buffers, step = _enough_floating(inputs, inputs.throughput, buffers, release)
        steps.append(step)
    batch = inputs.batch_inputs

    def pools(*, together: bool) -> Pool:
        return of_a_taskmanager(inputs.exchanges, inputs.slots, buffers, release, batch_inputs=batch, together=together)

    if batch is None:
        steps += [_exchange_step(exchange, inputs.slots, buffers, release) for exchange in inputs.exchanges]
    else:
        task = of_a_batch_task(inputs.exchanges, inputs.slots, batch, buffers, release)
        gates = max(gate(one.channels, buffers, release, batch=True).minimum for one in inputs.exchanges)
        partitions = max(partition(one.subpartitions, buffers, release, batch=True).minimum for one in inputs.exchanges)
        steps.append(
            f"A batch task: {spell_count(batch)} x {spell_count(gates)} buffers of the largest gate + "
            f"{spell_count(partitions)} of the largest partition = {spell_count(task.minimum)} to start, "
            f"{spell_count(task.target)} at most; {spell_count(_tasks(inputs))} such tasks at a time."
        )
    return _Plan(buffers, pools(together=True), pools(together=False), tuple(steps))


def _tasks(inputs: NetworkNeeds) -> int:
    return min(inputs.slots, largest_parallelism(inputs.exchanges))


def _enough_floating(
    inputs: NetworkNeeds, throughput: float, buffers: Buffers, release: Release
) -> tuple[Buffers, str]:
    """Return buffers with enough floating ones to keep each connection busy, if configurable, and the step about it."""
    flying = buffers_in_flight(throughput, inputs.round_trip, inputs.segment_size)
    fewest = min(one.channels for one in inputs.exchanges) * buffers.per_channel
    text = (
        f"In flight at {spell_size(throughput)}/s and a round trip of {spell_duration(inputs.round_trip)}: "
        f"{spell_count(flying)} buffers; the smallest gate has {spell_count(fewest)} + {spell_count(buffers.floating)}."
    )
    if flying > fewest + buffers.floating and not are_constants(release):
        buffers = buffers._replace(floating=flying - fewest)
        text += (
            f" So floating buffers: {spell_count(flying)} - {spell_count(fewest)} = {spell_count(buffers.floating)}."
        )
    return buffers, text


def _exchange_step(exchange: Exchange, slots: int, buffers: Buffers, release: Release) -> str:
    receivers, senders = min(slots, exchange.downstream), min(slots, exchange.upstream)
    a_gate = gate(exchange.channels, buffers, release)
    a_partition = partition(exchange.subpartitions, buffers, release)
    total = of_an_exchange(exchange, slots, buffers, release)
    most = f"{spell_count(total.target)} buffers at most, {spell_count(total.minimum)} to start"
    times = f"{spell_count(exchange.times)} x " if exchange.times > 1 else ""
    return (
        f"{exchange}: {counted(receivers, 'gate')} of {counted(exchange.channels, 'channel')}, "
        f"{spell_count(a_gate.minimum)} buffers to start and {spell_count(a_gate.target)} at most; "
        f"{counted(senders, 'partition')} of {counted(exchange.subpartitions, 'subpartition')}, "
        f"{spell_count(a_partition.minimum)} and {spell_count(a_partition.target)}: {times}"
        f"({spell_count(receivers)} x {spell_count(a_gate.target)} + {spell_count(senders)} x "
        f"{spell_count(a_partition.target)}) = {most}."
    )


def size_network_buffers(inputs: NetworkNeeds, release: Release) -> Answer:
    """Size a TaskManager's network memory so that all buffer pools of a job can be full.

    Raises BadInput for numbers of buffers that are not configurable in Flink 2.x.
    """
    plan = _plan(inputs, release)
    segment = inputs.segment_size
    to_start, target = plan.all.minimum * segment, plan.all.target * segment
    present = _present(inputs, inputs.network, release)
    steps = [
        *plan.steps,
        f"To start: {spell_count(plan.all.minimum)} buffers x {spell_size(segment)} = {spell_size(to_start)}.",
        f"All buffers: {spell_count(plan.all.target)} x {spell_size(segment)} = {spell_size(target)}.",
        *present.steps,
    ]
    binding = _binding(inputs, plan, release)
    required = target
    if inputs.usage is not None and present.network is not None:
        asked = math.ceil(present.network * inputs.usage / 100)
        steps.append(
            f"Observed: pools request {spell_fraction(inputs.usage / 100)} of {spell_size(present.network)}, "
            f"{spell_size(asked)}."
        )
        if asked > target:
            required = asked
            binding = f"pools are observed to request {spell_size(asked)}, more than the given exchanges need"
    # Flink gives no less than the minimum, whatever the total.
    there = inputs.network_min if present.network is None and inputs.network is None else present.network
    suffices = there is not None and there >= required
    network = there if there is not None and suffices else max(up(required), MIN_NETWORK)
    if suffices:
        whose = "is the current size" if present.network is not None else "is Flink's minimum"
        steps.append(f"{spell_size(network)} {whose}, which is enough: nothing is to be set.")
        binding = f"{spell_size(network)} {whose}, and pools take {spell_size(required)} at most"
    else:
        steps.append(f"In whole MiB, {spell_size(MIN_NETWORK)} at least: {spell_exact(network)}.")
    explanation = (
        "already enough (network.min, .max, .fraction)" if suffices else "with all pools full (network.min, .max)"
    )
    values = [
        Value("network_memory", network, BYTES, f"of a TaskManager, {explanation}", present.network),
        Value("all_pools", target, BYTES, "the memory of all pools when full"),
        Value("to_start", to_start, BYTES, "the memory required to start with any placement of subtasks"),
        Value("buffers", plan.all.target, COUNT, "buffers of all pools when full"),
        Value("buffers_to_start", plan.all.minimum, COUNT, "buffers required to start"),
    ]
    changed = current_memory(inputs, release, {} if suffices and inputs.network is None else _exactly(network))
    memory = None if changed is None else changed.memory
    starts = changed is None or memory is not None
    errors = list(present.errors)
    if memory is not None:
        if not suffices and inputs.network_min <= network <= inputs.network_max:
            fraction = thousandths_up(network, memory.flink_size)
            values.append(Value("fraction", fraction, FRACTION, "the equivalent part of Flink's memory"))
        if present.total is not None and present.total.task_heap != memory.task_heap:
            steps.append(
                f"Task heap goes from {spell_size(present.total.task_heap)} to {spell_size(memory.task_heap)}: the "
                "total does not change."
            )
    elif changed is not None and not present.errors:
        errors.append(
            f"{spell_exact(network)} of network memory does not fit the current total; enlarge the process "
            f"(`{larger_process(present.total, inputs.slots, network=network)}`)"
        )
    values += _flow_values(inputs, plan, steps)
    judged, warnings = judged_network(inputs, plan.buffers, plan.least, plan.all, present.network, release)
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        # Settings with which Flink does not start must not be applied.
        settings=_settings(inputs, plan, None if suffices else network) if starts else {},
        remove=("taskmanager.network.numberOfBuffers",) if starts and not suffices else (),
        errors=(*errors, *judged),
        warnings=tuple(warnings),
        chart=_chart(inputs, plan, network, present.network, release),
        memory=memory,
    )


def _settings(inputs: NetworkNeeds, plan: _Plan, network: int | None) -> dict[str, Any]:
    settings = {} if network is None else _exactly(network)
    if plan.buffers.floating != inputs.floating_buffers:
        settings[FLOATING_KEY] = plan.buffers.floating
    return settings


def _binding(inputs: NetworkNeeds, plan: _Plan, release: Release) -> str:
    if inputs.batch_inputs is not None:
        tasks = _tasks(inputs)
        each = plan.all.target // tasks
        return f"{counted(tasks, 'task')} at a time, each with {counted(each, 'buffer')}"
    sizes = {one: of_an_exchange(one, inputs.slots, plan.buffers, release).target for one in inputs.exchanges}
    largest = max(sizes, key=lambda one: sizes[one])
    return (
        f"{largest} takes {spell_count(sizes[largest])} of {spell_count(plan.all.target)} buffers: channels grow with "
        "parallelism and slots"
    )


def _flow_values(inputs: NetworkNeeds, plan: _Plan, steps: list[str]) -> list[Value]:
    """Return the values about data in flight, and append the steps about it."""
    if inputs.throughput is None:
        return []
    pools = [most.channels * plan.buffers.per_channel + plan.buffers.floating for most in inputs.exchanges]
    held = 2 * max(pools) * inputs.segment_size
    time = held / inputs.throughput
    steps.append(
        f"Under backpressure a gate and a partition hold up to {spell_size(held)}: a barrier waits "
        f"{spell_duration(time)} at {spell_size(inputs.throughput)}/s."
    )
    if inputs.debloating:
        kept = min(time, inputs.debloating_target)
        change = f"shortens this to {spell_duration(kept)}" if kept < time else "changes nothing at this throughput"
        steps.append(f"Debloating {change}; it needs as many buffers.")
        time = kept
    return [
        Value(
            "buffers_on_the_way",
            buffers_in_flight(inputs.throughput, inputs.round_trip, inputs.segment_size),
            COUNT,
            "buffers that keep one connection busy",
        ),
        Value("time_in_flight", time, SECONDS, "the time data between two subtasks takes under backpressure"),
    ]


def _chart(inputs: NetworkNeeds, plan: _Plan, wanted: int, network: int | None, release: Release) -> Chart:
    """Return a chart of network memory against the largest parallelism, all others in proportion."""
    now = largest_parallelism(inputs.exchanges)
    most = max(now * 2, 8)
    xs = sorted({now, *(max(1, most * step // _CHART_STEPS) for step in range(_CHART_STEPS + 1))})

    def pools(parallelism: int) -> Pool:
        return of_a_taskmanager(
            scaled(inputs.exchanges, parallelism), inputs.slots, plan.buffers, release, batch_inputs=inputs.batch_inputs
        )

    all_pools = {x: pools(x) for x in xs}
    segment = inputs.segment_size
    series = [
        Series("all buffers", tuple((float(x), float(pool.target * segment)) for x, pool in all_pools.items())),
        Series("to start", tuple((float(x), float(pool.minimum * segment)) for x, pool in all_pools.items())),
    ]
    points = [Point("recommended", float(now), float(wanted))]
    if network is not None:
        series.append(Series("current", ((float(xs[0]), float(network)), (float(xs[-1]), float(network)))))
        points.append(Point("now", float(now), float(network)))
    return Chart(
        "Network memory against parallelism",
        "parallelism",
        COUNT,
        "network memory",
        BYTES,
        tuple(series),
        tuple(points),
    )


# -- from memory to the job it supports


def _max_parallelism(inputs: CurrentNetwork, buffers: Buffers, available: int, release: Release, *, full: bool) -> int:
    """Return the largest parallelism whose hash exchanges get their buffers; 0 if none does."""

    def fits(parallelism: int) -> bool:
        job = (Exchange(parallelism, parallelism, "hash", inputs.shuffles),)
        pool = of_a_taskmanager(job, inputs.slots, buffers, release, batch_inputs=inputs.batch_inputs)
        return (pool.target if full else pool.minimum) <= available

    low, high = 0, _MAX_PARALLELISM + 1
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def load_of_network(inputs: CurrentNetwork, release: Release) -> Answer:
    """Compute the largest parallelism of hash exchanges that the current network memory supports.

    Raises BadInput for numbers of buffers that are not configurable in Flink 2.x, and where no memory is known.
    """
    buffers = _buffers(inputs, release)
    present = _present(inputs, inputs.network, release)
    if present.network is None:
        if present.errors:
            return Answer(
                values=(Value("parallelism", None, COUNT, "a process that does not start supports none"),),
                binding="Flink does not start with these settings",
                steps=(),
                errors=present.errors,
            )
        raise BadInput("network", f"is missing: Flink {release} cannot derive network memory from a total alone")
    available = present.network // inputs.segment_size
    full = _max_parallelism(inputs, buffers, available, release, full=True)
    starts = _max_parallelism(inputs, buffers, available, release, full=False)
    slots, shuffles = counted(inputs.slots, "slot"), counted(inputs.shuffles, "hash exchange")
    steps = [
        *present.steps,
        f"Buffers: {spell_size(present.network)} / {spell_size(inputs.segment_size)} = {spell_count(available)}.",
    ]
    for parallelism, does in ((full, "fill all pools"), (starts, "start")):
        if parallelism:
            job = (Exchange(parallelism, parallelism, "hash", inputs.shuffles),)
            pool = of_a_taskmanager(job, inputs.slots, buffers, release, batch_inputs=inputs.batch_inputs)
            needed = pool.target if parallelism == full and does != "start" else pool.minimum
            steps.append(
                f"{job[0]} in {slots} takes {counted(needed, 'buffer')} to {does}: parallelism "
                f"{spell_count(parallelism)} is the largest within {spell_count(available)}."
            )
    errors: list[str] = []
    if starts == 0:
        errors.append(f"{spell_size(present.network)} of network memory starts not even one subtask of a hash exchange")
    elif full == 0:
        errors.append(
            f"{spell_size(present.network)} of network memory does not fill the pools of even one subtask of a hash "
            "exchange"
        )
    return Answer(
        values=(
            Value("parallelism", full, COUNT, "the largest with which all pools of the hash exchanges are full"),
            Value("parallelism_that_starts", starts, COUNT, "the largest that starts with any placement of subtasks"),
            Value("buffers", available, COUNT, "buffers of the network memory"),
            Value("network_memory", present.network, BYTES, "current network memory"),
        ),
        binding=f"{shuffles} in {slots} with {counted(available, 'buffer')}",
        steps=tuple(steps),
        errors=tuple(errors),
        memory=present.total,
    )


CALCULATOR = Calculator(
    name="network-buffers",
    title="Network buffers: network memory of a TaskManager",
    question="Insufficient number of network buffers",
    forward=Way(
        NetworkNeeds,
        size_network_buffers,
        {"exchanges": "120x120 hash x3", "slots": "4", "process_size": "1728mb"},
    ),
    reverse=Way(CurrentNetwork, load_of_network, {"network": "1gb", "slots": "4", "shuffles": "3"}),
)

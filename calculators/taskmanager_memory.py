"""TaskManager memory: the process size that meets the needs of its parts.

## The formula
Flink divides a process like this:

```
process = Flink + metaspace + JVM overhead
Flink   = framework heap + task heap + managed + framework off-heap + task off-heap + network
```

`JVM overhead = process x 0.1`, but at least 192 MiB and at most 1 GiB; `network = Flink x 0.1`, but at least 64 MiB
and, up to Flink 1.16, at most 1 GiB; `managed = Flink x 0.4` if no size is given; the task heap gets the rest. All
sizes are rounded down to whole bytes, and fractions are 32-bit floats.

The process follows from the needs in reverse: with `rest = Flink + metaspace`,
`process = rest + 192 MiB` while rest is at most 1728 MiB, `rest / 0.9` up to 9 GiB, and `rest + 1 GiB` above. As
managed and network memory may be fractions of Flink's memory in turn, the answer is the smallest whole MiB that
Flink's own derivation turns into all the needs; with one MiB less the task heap would be too small.

Requested managed and network memory is set in whole MiB, so that no fraction changes it; the task heap is never
set, since it gets the rest of the process. If the current configuration is known, managed and network memory that
is not requested keeps its size, although a smaller process would give it less. Requested native memory raises
the minimum of JVM overhead if the overhead would be less, and its maximum with it.

From observations: `JVM heap = live set x 1.3`, of which the framework heap is a part, and
`metaspace = used x 1.25` in whole 64 MiB. Both margins are heuristics. The live set is what is still used after a
collection; a heap's use between collections shows nothing. RocksDB always uses all of its managed memory, so
its use does not show the need.

Flink 1.x also reads the heap options of 1.9 and a number of network buffers; the answer removes them.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_setup/>: the totals, the
  fractions with their bounds, and the JVM's arguments
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_setup_tm/>: the parts of a
  TaskManager
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-1.17/>: network memory without a maximum
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/tuning/MemoryTuning.java>:
  the operator's own tuning, which adds 20 % to the heap and metaspace it sees
- <https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html>: compressed references below 32 GiB of heap
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.answering.answer import Answer, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas.quantity import BYTES, spell_count, spell_size
from flink_flint.calculators.formulas.slot_heap import MIN_TASK_HEAP
from flink_flint.calculators.formulas.smallest_memory import MIB, Process
from flink_flint.calculators.inputs.current_memory import current_memory
from flink_flint.calculators.inputs.shared_memory_sizing import (
    TEXT,
    ElementView,
    Solved,
    chart_of,
    check_release,
    exact_texts,
    heap_for,
    judge_observed,
    judge_process,
    limit_binds,
    live_set_step,
    metaspace_for,
    metaspace_step,
    options_of,
    over_limit,
    overhead_phrase,
    refused_answer,
    safe_step,
    safe_values,
    solve,
    spare,
    spell_exact,
    up,
)
from flink_flint.calculators.inputs.taskmanager_memory import (
    FLINK,
    MANAGED,
    MANAGED_FRACTION,
    METASPACE,
    NETWORK,
    OVERHEAD,
    PROCESS,
    SLOTS,
    TASK_HEAP,
    CurrentTaskManager,
    TaskManagerNeeds,
    TaskManagerOptions,
)
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, Trace
from flink_flint.linter.flink.memory.shared_derivation import FIRST_TASKMANAGER
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory, taskmanager
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_CONTRADICTING = (
    FLINK, TASK_HEAP, "taskmanager.heap.size", "taskmanager.heap.mb",
    "taskmanager.network.numberOfBuffers",
)  # fmt: skip
_IN_FORCE = (PROCESS, FLINK, MANAGED, TASK_HEAP, SLOTS)
"""Options that the answer sets, removes or keeps, so that they are not copied from the inputs."""
_PARTS = (
    ElementView("task heap", lambda memory: memory.task_heap),
    ElementView("managed memory", lambda memory: memory.managed),
    ElementView("network memory", lambda memory: memory.network),
    ElementView("JVM overhead", lambda memory: memory.overhead),
)


# -- from needs to a process


class _Needs(NamedTuple):
    """The needs in bytes, and the steps that compute them."""

    task_heap: int
    settings: dict[str, Any]
    steps: tuple[str, ...]


def _needs(inputs: TaskManagerNeeds, release: Release) -> _Needs:
    steps: list[str] = []
    if inputs.live_set is not None:
        heap = heap_for(inputs.live_set, inputs.heap_margin)
        steps.append(live_set_step(inputs.live_set, inputs.heap_margin))
        left = max(0, heap - inputs.framework_heap)
        steps.append(
            f"Task heap: {spell_size(heap)} - {spell_size(inputs.framework_heap)} framework heap = {spell_size(left)}."
        )
        task_heap = left
        if inputs.task_heap is not None:
            steps.append(f"The requested task heap, {spell_size(inputs.task_heap)}, is enough for it and counts.")
            task_heap = inputs.task_heap
    else:
        task_heap = inputs.task_heap or 0
        steps.append(f"Task heap needed: {spell_size(task_heap)}.")
    settings = options_of(inputs, release, without=(*_IN_FORCE, *_replaced(inputs)))
    if inputs.metaspace_used is not None:
        settings[METASPACE] = metaspace_for(inputs.metaspace_used)
        steps.append(metaspace_step(inputs.metaspace_used))
    if inputs.managed is not None:
        settings[MANAGED] = up(inputs.managed)
        steps.append(f"Managed memory needed: {spell_exact(up(inputs.managed))}; its size is set.")
    elif inputs.managed_in_force is not None:
        settings[MANAGED] = inputs.managed_in_force
        steps.append(f"Managed memory keeps its current size, {spell_exact(inputs.managed_in_force)}.")
    if inputs.network is not None:
        settings |= _exact_network(inputs.network)
        steps.append(f"Network memory needed: {spell_exact(up(inputs.network))}; minimum and maximum are set to it.")
    return _Needs(task_heap, settings, tuple(steps))


def _replaced(inputs: TaskManagerNeeds) -> tuple[str, ...]:
    """Return the options that the new sizes replace."""
    managed = () if inputs.managed is None else (MANAGED_FRACTION,)
    network = () if inputs.network is None else (f"{NETWORK}.fraction", f"{NETWORK}.min", f"{NETWORK}.max")
    return managed + network


def _exact_network(network: int) -> dict[str, int]:
    return {f"{NETWORK}.min": up(network), f"{NETWORK}.max": up(network)}


def _keeping(
    needs: _Needs, solved: Solved[TaskManagerMemory], now: TaskManagerMemory, inputs: TaskManagerNeeds
) -> _Needs:
    """Return the needs plus the first unrequested part that a smaller process would shrink, if there is one."""
    found = solved.memory
    if MANAGED not in needs.settings and found.managed < now.managed:
        settings = {key: value for key, value in needs.settings.items() if key != MANAGED_FRACTION}
        size, settings[MANAGED] = spell_size(now.managed), up(now.managed)
        step = f"Managed memory would be {spell_size(found.managed)}, less than the current {size}: its size is set."
        return needs._replace(settings=settings, steps=(*needs.steps, step))
    if inputs.network is None and found.network < now.network:
        step = (
            f"Network memory would be {spell_size(found.network)}, less than the current {spell_size(now.network)}: "
            "minimum and maximum are set to that."
        )
        settings = {key: value for key, value in needs.settings.items() if key != f"{NETWORK}.fraction"}
        return needs._replace(settings=settings | _exact_network(now.network), steps=(*needs.steps, step))
    return needs


def _solve(needs: _Needs, inputs: TaskManagerNeeds, release: Release) -> Solved[TaskManagerMemory]:
    process = Process(taskmanager, spelled(needs.settings, release).settings, release)
    others = inputs.framework_heap + inputs.framework_off_heap + inputs.task_off_heap + (inputs.managed or 0)
    # The parts alone leave nothing for JVM overhead.
    return solve(process, PROCESS, _PARTS[0], needs.task_heap, above=needs.task_heap + others - 1)


def _overhead_for(native: int, most: int) -> dict[str, int]:
    """Return the bounds of JVM overhead that include native memory."""
    least = up(native)
    return {f"{OVERHEAD}.min": least, **({f"{OVERHEAD}.max": least} if least > most else {})}


def size_taskmanager_memory(inputs: TaskManagerNeeds, release: Release) -> Answer:
    """Compute the smallest process that meets a TaskManager's needs, and its settings.

    Raises BadInput for a release before 1.10, and where fractions leave no room.
    """
    check_release(release, FIRST_TASKMANAGER, "TaskManager")
    in_use = current_memory(inputs, release)
    now = None if in_use is None else in_use.memory
    needs = _needs(inputs, release)
    solved = _solve(needs, inputs, release)
    while now is not None and (kept := _keeping(needs, solved, now, inputs)) != needs:
        needs, solved = kept, _solve(kept, inputs, release)
    overhead = solved.memory.overhead
    if inputs.native is not None and overhead < inputs.native:
        step = (
            f"JVM overhead would be {spell_size(overhead)}, less than the {spell_size(inputs.native)} of native code, "
            f"so its minimum becomes {spell_exact(up(inputs.native))}."
        )
        settings = {**needs.settings, **_overhead_for(inputs.native, inputs.overhead_max)}
        needs = needs._replace(settings=settings, steps=(*needs.steps, step))
        solved = _solve(needs, inputs, release)
    memory, process_size = solved.memory, solved.process_size
    errors = []
    present = inputs.process_size if now is None else now.process_size
    warnings = judge_process(process_size, memory.jvm_heap, present=present) + _little_heap(memory, inputs.slots)
    if now is not None and memory.overhead < now.overhead and inputs.native is None:
        warnings.append(
            f"JVM overhead goes from {spell_size(now.overhead)} to {spell_size(memory.overhead)} with the total, and "
            f"native memory such as RocksDB's comes out of it; --native={-(-now.overhead // MIB)}mb keeps it"
        )
    binding = f"the parts add up to {spell_size(memory.flink_size + memory.metaspace)}, and " + _overhead(
        inputs, needs, memory
    )
    if inputs.limit is not None and process_size > inputs.limit:
        errors.append(over_limit(process_size, inputs.limit))
        binding = limit_binds(inputs.limit)
        if inputs.managed is None and memory.managed:
            origin = "the current size" if MANAGED in needs.settings else "by Flink's fraction"
            warnings.append(
                f"{spell_size(memory.managed)} of it is managed memory {origin}; a smaller --managed is enough if "
                "RocksDB, Python, batch and SQL operators are known to need less, and --managed=0 without them"
            )
    values = [
        Value("process_size", process_size, BYTES, "total process memory, which the container must provide", present),
        *_parts(memory, inputs, now),
    ]  # fmt: skip
    if inputs.limit is not None and not errors:
        values.append(spare(process_size, inputs.limit))
    refused = () if in_use is None or now is not None else (in_use.said,)
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=(*needs.steps, *solved.steps),
        # Settings that do not fit the container must not be applied.
        settings={} if errors else {PROCESS: process_size, **needs.settings},
        remove=() if errors else (*_CONTRADICTING, MANAGED_FRACTION if MANAGED in needs.settings else MANAGED),
        errors=(*refused, *errors),
        warnings=tuple(warnings),
        chart=chart_of(solved.process, PROCESS, _PARTS, {"recommended": process_size, "now": present}),
        memory=memory,
    )


def _overhead(inputs: TaskManagerOptions, needs: _Needs, memory: TaskManagerMemory) -> str:
    least = needs.settings.get(f"{OVERHEAD}.min", inputs.overhead_min)
    most = needs.settings.get(f"{OVERHEAD}.max", inputs.overhead_max)
    return overhead_phrase(memory.overhead, memory.process_size, inputs.overhead_fraction, least, most)


def _little_heap(memory: TaskManagerMemory, slots: int) -> list[str]:
    if memory.task_heap >= MIN_TASK_HEAP * slots:
        return []
    all_slots = f" for each of {slots} slots" if slots > 1 else ""
    return [
        (
            f"{spell_size(memory.task_heap)} of task heap is less than {spell_size(MIN_TASK_HEAP)}{all_slots}: tasks "
            "spend their time in garbage collection or run out of memory"
        )
    ]


def _parts(memory: TaskManagerMemory, inputs: TaskManagerOptions, now: TaskManagerMemory | None = None) -> list[Value]:
    slots = f"of {spell_count(inputs.slots)} slots" if inputs.slots > 1 else "there is one slot"

    def both(part: Callable[[TaskManagerMemory], int], name: str, explanation: str) -> Value:
        return Value(name, part(memory), BYTES, explanation, None if now is None else part(now))

    return [
        both(lambda of: of.task_heap, "task_heap", "heap for user code, connectors and state on the heap"),
        both(
            lambda of: of.managed, "managed", "for RocksDB, Python, batch and SQL operators (managed.size, .fraction)"
        ),
        both(lambda of: of.network, "network", "buffers between tasks (network.min, .max, .fraction)"),
        both(lambda of: of.metaspace, "metaspace", "classes of Flink and of the jobs (jvm-metaspace.size)"),
        both(
            lambda of: of.overhead, "overhead", "threads, code cache, native code (jvm-overhead.min, .max, .fraction)"
        ),
        both(lambda of: of.flink_size, "flink_size", "all but metaspace and JVM overhead (flink.size)"),
        both(lambda of: of.jvm_heap, "jvm_heap", "-Xmx and -Xms: framework and task heap"),
        both(lambda of: of.task_heap // inputs.slots, "task_heap_per_slot", slots),
        both(lambda of: of.managed // inputs.slots, "managed_per_slot", slots),
        Value("jvm_args", memory.jvm_args, TEXT, "the arguments Flink starts the JVM with"),
    ]


# -- from settings to the load they sustain


def load_of_taskmanager(inputs: CurrentTaskManager, release: Release) -> Answer:
    """Compute a TaskManager's memory from its options, and the load it safely supports.

    Raises BadInput for a release before 1.10.
    """
    check_release(release, FIRST_TASKMANAGER, "TaskManager")
    settings = exact_texts(options_of(inputs, release))
    process = Process(taskmanager, settings, release)
    trace = Trace()
    try:
        memory = process.memory(trace=trace)
    except MemoryRefused as refused:
        return refused_answer("TaskManager", refused, trace.steps)
    errors, warnings = judge_observed(memory.jvm_heap, inputs.live_set, memory.metaspace, inputs.metaspace_used)
    totals = {FLINK: inputs.flink_size, PROCESS: inputs.process_size}
    varied = [key for key, value in totals.items() if value is not None]
    return Answer(
        values=(
            *safe_values(memory.jvm_heap, inputs.live_set, memory.metaspace, inputs.metaspace_used),
            Value("process_size", memory.process_size, BYTES, "total process memory, which the container must provide"),
            *_parts(memory, inputs),
        ),
        binding=_given(inputs),
        steps=(*trace.steps, safe_step(memory.jvm_heap)),
        errors=tuple(errors),
        warnings=(*trace.warnings, *warnings, *_little_heap(memory, inputs.slots)),
        chart=(
            chart_of(process, varied[0], _PARTS, {"now": totals[varied[0]]})
            if len(varied) == 1 and inputs.task_heap is None
            else None
        ),
        memory=memory,
    )  # fmt: skip


def _given(inputs: CurrentTaskManager) -> str:
    """Return the given size that determines all others, as a clause."""
    if inputs.task_heap is not None and inputs.managed is not None:
        return (
            f"task heap and managed memory are given: {spell_size(inputs.task_heap)} and {spell_size(inputs.managed)}"
        )
    if inputs.flink_size is not None:
        return f"total Flink memory is given: {spell_exact(inputs.flink_size)}"
    assert inputs.process_size is not None
    return f"total process memory is given: {spell_exact(inputs.process_size)}"


CALCULATOR = Calculator(
    name="taskmanager-memory",
    title="TaskManager memory",
    question="How much memory does a TaskManager need?",
    forward=Way(
        TaskManagerNeeds,
        size_taskmanager_memory,
        {"live_set": "1.5 GiB", "managed": "2 GiB", "metaspace_used": "130 MiB", "slots": "4", "limit": "6 GiB"},
    ),
    reverse=Way(
        CurrentTaskManager,
        load_of_taskmanager,
        {"process_size": "4 GiB", "slots": "4", "live_set": "1.2 GiB"},
    ),
)

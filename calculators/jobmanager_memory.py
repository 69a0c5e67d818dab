"""JobManager memory: the process size that a JobManager needs for its jobs.

## The formula
Flink divides a JobManager like this:

```
process = heap + off-heap + metaspace + JVM overhead
```

`JVM overhead = process x 0.1`, but at least 192 MiB and at most 1 GiB; off-heap memory is 128 MiB and metaspace
256 MiB by default; the heap gets the rest.

The heap holds the jobs' graphs and the metadata of checkpoints. Without an observation it is estimated as
`heap = 1 GiB + (jobs - 1) x 200 MiB + edges x 2 KiB + checkpoint heap`. Of these only the first is Flink's: its stock
configuration of 1600 MiB leaves a heap of 1 GiB, which supports a job of usual size. The 200 MiB for each further job
and the 2 KiB for each connection between two subtasks are assumptions on the safe side, to be replaced by an
observation: `heap = live set x 1.3`. The larger of estimate and observation counts; a heap that is requested counts
alone. The heap for checkpoints grows with their metadata, and `flint size rpc-size` computes it.

The process follows from the heap in reverse: with `rest = heap + off-heap + metaspace`,
`process = rest + 192 MiB` while rest is at most 1728 MiB, `rest / 0.9` up to 9 GiB, and `rest + 1 GiB` above. The
answer is the smallest whole MiB that Flink's own derivation turns into that heap.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_setup_jobmanager/>: the parts
  of a JobManager, and that its heap follows from the jobs, their structure and user code
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_setup/>: the totals, JVM
  overhead and its bounds, and the JVM's arguments
"""

from __future__ import annotations

from flink_flint.calculators.answering.answer import Answer, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas.acknowledgement import JOBMANAGER_HEAP
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, counted, spell_count, spell_size
from flink_flint.calculators.formulas.smallest_memory import MIB, Process
from flink_flint.calculators.inputs.jobmanager_memory import (
    FLINK,
    HEAP,
    METASPACE,
    PROCESS,
    CurrentJobManager,
    JobManagerLoad,
    JobManagerNeeds,
)
from flink_flint.calculators.inputs.shared_memory_sizing import (
    TEXT,
    ElementView,
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
)
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory, jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, Trace
from flink_flint.linter.flink.memory.shared_derivation import FIRST_JOBMANAGER
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

JOB_HEAP = 200 * MIB
"""The bytes of JobManager heap assumed for each job after the first."""
EDGE_HEAP = 2 << 10
"""The bytes of JobManager heap assumed for each connection between a sending and a receiving subtask."""

_CONTRADICTING = (FLINK, HEAP, "jobmanager.heap.size", "jobmanager.heap.mb")
_PARTS = (
    ElementView("heap", lambda memory: memory.heap),
    ElementView("JVM overhead", lambda memory: memory.overhead),
    ElementView("off-heap memory and metaspace", lambda memory: memory.off_heap + memory.metaspace),
)


# -- formulas


def estimated_heap(jobs: int, edges: int = 0, checkpoint_heap: int = 0) -> int:
    """Return the estimated heap in bytes for `jobs` concurrent jobs with `edges` connections between subtasks."""
    return JOBMANAGER_HEAP + max(0, jobs - 1) * JOB_HEAP + edges * EDGE_HEAP + checkpoint_heap


def jobs_within(heap: int, edges: int = 0, checkpoint_heap: int = 0) -> int:
    """Return the estimated maximum number of concurrent jobs that `heap` bytes support; 0 if they support none."""
    room = heap - estimated_heap(1, edges, checkpoint_heap)
    return 0 if room < 0 else 1 + room // JOB_HEAP


# -- from needs to a process


class _Heap(NamedTuple):
    size: int
    decided: str
    """The constraint that decides the heap, as a clause."""
    steps: tuple[str, ...]


def _heap(inputs: JobManagerNeeds) -> _Heap:
    if inputs.heap is not None:
        asked = f"a heap of {spell_exact(inputs.heap)} is requested"
        return _Heap(inputs.heap, asked, (f"Heap: {spell_exact(inputs.heap)} is requested.",))
    estimate = estimated_heap(inputs.jobs, inputs.edges, inputs.checkpoint_heap)
    found = _Heap(estimate, f"the estimate for {_load(inputs)} is decisive", (_estimate_step(inputs),))
    if inputs.live_set is None:
        return found
    heap = heap_for(inputs.live_set, inputs.heap_margin)
    steps = (*found.steps, live_set_step(inputs.live_set, inputs.heap_margin))
    if heap <= estimate:
        return found._replace(steps=(*steps, f"The estimate is larger and counts: {spell_size(estimate)}."))
    return _Heap(heap, f"a live set of {spell_size(inputs.live_set)} is decisive", steps)


def _load(inputs: JobManagerLoad) -> str:
    load = counted(inputs.jobs, "job")
    if inputs.edges:
        load += f", {counted(inputs.edges, 'connection')}"
    if inputs.checkpoint_heap:
        load += f" and {spell_size(inputs.checkpoint_heap)} for checkpoints"
    return load


def _estimate_step(inputs: JobManagerLoad) -> str:
    sum_of = f"{spell_size(JOBMANAGER_HEAP)} (Flink's stock heap)"
    if inputs.jobs > 1:
        sum_of += f" + {counted(inputs.jobs - 1, 'further job')} x {spell_size(JOB_HEAP)} (assumed)"
    if inputs.edges:
        sum_of += f" + {counted(inputs.edges, 'connection')} x {spell_size(EDGE_HEAP)} (assumed)"
    if inputs.checkpoint_heap:
        sum_of += f" + {spell_size(inputs.checkpoint_heap)} for checkpoints"
    return (
        f"Heap, estimated: {sum_of} = {spell_size(estimated_heap(inputs.jobs, inputs.edges, inputs.checkpoint_heap))}."
    )


def size_jobmanager_memory(inputs: JobManagerNeeds, release: Release) -> Answer:
    """Compute the smallest process whose heap supports a JobManager's load, and its settings.

    Raises BadInput for a release before 1.11, and where JVM overhead leaves no room.
    """
    check_release(release, FIRST_JOBMANAGER, "JobManager")
    heap = _heap(inputs)
    steps = list(heap.steps)
    settings = options_of(inputs, release, without=(PROCESS,))
    if inputs.metaspace_used is not None:
        settings[METASPACE] = metaspace_for(inputs.metaspace_used)
        steps.append(metaspace_step(inputs.metaspace_used))
    process = Process(jobmanager, spelled(settings, release).settings, release)
    solved = solve(process, PROCESS, _PARTS[0], heap.size, above=heap.size + inputs.off_heap - 1)
    memory, process_size = solved.memory, solved.process_size
    errors = []
    binding = f"{heap.decided}, and " + overhead_phrase(
        memory.overhead, process_size, inputs.overhead_fraction, inputs.overhead_min, inputs.overhead_max
    )
    if inputs.limit is not None and process_size > inputs.limit:
        errors.append(over_limit(process_size, inputs.limit))
        binding = limit_binds(inputs.limit)
    values = [
        Value(
            "process_size",
            process_size,
            BYTES,
            "total process memory, which the container must provide",
            inputs.process_size,
        ),
        Value("heap_needed", heap.size, BYTES, "the heap that the load needs"),
        *_parts(memory),
    ]
    if inputs.limit is not None and not errors:
        values.append(spare(process_size, inputs.limit))
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=(*steps, *solved.steps),
        # Settings that do not fit the container must not be applied.
        settings={} if errors else {PROCESS: process_size, **settings},
        remove=() if errors else _CONTRADICTING,
        errors=tuple(errors),
        warnings=(*solved.warnings, *judge_process(process_size, memory.heap, present=inputs.process_size)),
        chart=chart_of(process, PROCESS, _PARTS, {"recommended": process_size, "now": inputs.process_size}),
        memory=memory,
    )


def _parts(memory: JobManagerMemory) -> list[Value]:
    return [
        Value("heap", memory.heap, BYTES, "-Xmx and -Xms"),
        Value("off_heap", memory.off_heap, BYTES, "network, file systems, native libraries (off-heap.size)"),
        Value("metaspace", memory.metaspace, BYTES, "classes of Flink and of the jobs (jvm-metaspace.size)"),
        Value(
            "overhead", memory.overhead, BYTES, "threads, code cache, native code (jvm-overhead.min, .max, .fraction)"
        ),
        Value("flink_size", memory.flink_size, BYTES, "heap and off-heap memory (flink.size)"),
        Value("jvm_args", memory.jvm_args, TEXT, "the arguments Flink starts the JVM with"),
    ]


# -- from settings to the load they sustain


def load_of_jobmanager(inputs: CurrentJobManager, release: Release) -> Answer:
    """Compute a JobManager's memory from its options, and the load it safely supports.

    Raises BadInput for a release before 1.11.
    """
    check_release(release, FIRST_JOBMANAGER, "JobManager")
    settings = exact_texts(options_of(inputs, release))
    process = Process(jobmanager, settings, release)
    trace = Trace()
    try:
        memory = process.memory(trace=trace)
    except MemoryRefused as refused:
        return refused_answer("JobManager", refused, trace.steps)
    jobs = jobs_within(memory.heap, inputs.edges, inputs.checkpoint_heap)
    steps = [
        *trace.steps,
        safe_step(memory.heap),
        _estimate_step(inputs),
        f"At {spell_size(JOB_HEAP)} for each job after the first the heap supports {spell_count(jobs)} at once.",
    ]
    errors, warnings = judge_observed(memory.heap, inputs.live_set, memory.metaspace, inputs.metaspace_used)
    required = estimated_heap(inputs.jobs, inputs.edges, inputs.checkpoint_heap)
    if required > memory.heap and inputs.live_set is None:
        warnings.append(
            f"{_load(inputs)} {'is' if _load(inputs) == '1 job' else 'are'} estimated to need a heap of "
            f"{spell_size(required)}, but it has {spell_size(memory.heap)}"
        )
    totals = {FLINK: inputs.flink_size, PROCESS: inputs.process_size}
    varied = [key for key, value in totals.items() if value is not None]
    if inputs.heap_size is not None:
        binding = f"the heap is given: {spell_exact(inputs.heap_size)}"
    elif inputs.flink_size is not None:
        binding = f"total Flink memory is given: {spell_exact(inputs.flink_size)}"
    else:
        binding = f"total process memory is given: {spell_exact(memory.process_size)}"
    return Answer(
        values=(
            Value("safe_jobs", jobs, COUNT, "jobs at once, as far as an estimate goes", inputs.jobs),
            *safe_values(memory.heap, inputs.live_set, memory.metaspace, inputs.metaspace_used),
            Value("process_size", memory.process_size, BYTES, "total process memory, which the container must provide"),
            *_parts(memory),
        ),
        binding=binding,
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=(*trace.warnings, *warnings),
        chart=(
            chart_of(process, varied[0], _PARTS, {"now": totals[varied[0]]})
            if len(varied) == 1 and inputs.heap_size is None
            else None
        ),
        memory=memory,
    )


CALCULATOR = Calculator(
    name="jobmanager-memory",
    title="JobManager memory",
    question="How much memory does the JobManager need?",
    forward=Way(
        JobManagerNeeds,
        size_jobmanager_memory,
        {"jobs": "4", "edges": "60000", "checkpoint_heap": "1 GiB", "process_size": "1600 MiB", "limit": "4 GiB"},
    ),
    reverse=Way(
        CurrentJobManager,
        load_of_jobmanager,
        {"process_size": "1600 MiB", "jobs": "3", "metaspace_used": "150 MiB"},
    ),
)

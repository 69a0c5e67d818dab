"""RocksDB: managed memory for write buffers and block cache, and additional native memory.

## The formula
RocksDB in a slot gets the slot's part of managed memory, `M = managed / slots x share`. The share is 1 for a job whose
only consumer is RocksDB; SQL windows and sorts (OPERATOR) and Python workers (PYTHON) get theirs by the weights of
`taskmanager.memory.managed.consumer-weights`: with the default 70, 70 and 30 RocksDB gets half with windows, 70 %
with Python, 41 % with both.

With `w`, the write buffer ratio, Flink divides it like this:

```
block cache          = (3 - w) x M / 3     (memtables are charged to it)
write buffer manager = 2 x w x M / 3
left for reads       = (1 - w) x M
```

RocksDB flushes when memtables hold `7/8` of the write buffer manager's capacity. A memtable allocates blocks of
an eighth of its size (8 MiB of 64 MiB, in whole 4 KiB); if one block alone is above that limit, RocksDB flushes
endlessly, and Flink 1.12 and later warn "RocksDBStateBackend performance will be poor". So at least

```
M >= block x 8/7 x 3 / (2 w)        27.43 MiB for memtables of 64 MiB and w = 0.5
```

M is the largest of

```
minimum           the bound above
states x 16 MiB / w                 memtables large enough for useful files (a heuristic: 32 MiB a state for w = 0.5)
write rate x 10 s x 8/7 x 3 / (2 w) but no more than all memtables can take
working set / (1 - w)               data that is read repeatedly stays in the cache
2 x current M                       if less than 90 % of the reads hit the cache; no more than all state
current M                           if nothing is known about the reads, or 90 % hit the cache
```

(current managed memory counts as M if RocksDB does not use it) and `managed = M x slots / share`, in whole MiB, or
its current size. Each state of each task is a column family of RocksDB, and each kind of timer is one.

RocksDB may exceed its memory: iterators pin blocks, and the allocator keeps freed memory. A tenth of it is counted as
native memory, which JVM overhead must provide in addition to the 192 MiB of the JVM itself. If memory is not managed,
RocksDB uses up to `140 MB x states x slots`, which no Flink option accounts for.

Disk: twice the state, because compactions write before they delete; `flint size storage` describes local recovery.

`taskmanager.memory.managed.size` is set rather than the fraction, so that no change of the total changes it; if the
total is known, the answer shows the fraction too. ForSt divides its memory in the same way, with
`state.backend.forst.*`.

## Sources
- <https://github.com/apache/flink/blob/master/flink-state-backends/flink-statebackend-rocksdb/src/main/java/org/apache/flink/state/rocksdb/RocksDBMemoryControllerUtils.java>:
  the division, the arena block and the limit
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/state/large_state_tuning/>: 140 MB a state,
  timers as state, and how to tune
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_setup_tm/#consumer-weights>:
  the consumers of managed memory and their weights
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/state/state_backends/>: the options, and that
  all states of a slot share one cache and one write buffer manager
- <https://github.com/facebook/rocksdb/wiki/Write-Buffer-Manager>: RocksDB flushes at about 90 % of the capacity, and
  charges memtables to the cache
"""

from __future__ import annotations

import math
from typing import Any

from flink_flint.calculators.answer_parts.current_rocksdb import (
    GOOD_HITS,
    Need,
    Present,
    flushing,
    judged_memory,
    present_memory,
)
from flink_flint.calculators.answer_parts.larger_process import larger_process
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    PER_SECOND,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_rate,
    spell_size,
)
from flink_flint.calculators.formulas.rocksdb_memory import (
    COMPACTION,
    MEMTABLES,
    MIB,
    arena_block,
    cache_capacity,
    largest_write_buffer,
    managed_for,
    memory_for_reads,
    memory_for_states,
    memory_for_writes,
    memtable_size,
    min_memory,
    mutable_limit,
    native_slack,
    read_cache,
    slot_memory,
    states_within,
    unmanaged_bound,
    write_buffer_capacity,
)
from flink_flint.calculators.inputs.current_memory import OVERHEAD, current_memory, thousandths_up
from flink_flint.calculators.inputs.rocksdb import (
    FIXED_PER_SLOT,
    FIXED_PER_TASKMANAGER,
    IS_MANAGED,
    MANAGED_FRACTION,
    MANAGED_SIZE,
    CurrentRocksDb,
    RocksDbNeeds,
    RocksDbOptions,
)
from flink_flint.calculators.inputs.shared_memory_sizing import spell_exact, up
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

_OF_THE_JVM = 192 * MIB
_FIRST_MANAGED = MINORS.index("1.10")
_FIRST_WEIGHTS = MINORS.index("1.12")
_CHART_STEPS = 24


def _check_release(inputs: RocksDbOptions, release: Release) -> None:
    if nearest_index(release) < _FIRST_MANAGED:
        raise BadInput(
            "flink_version",
            f"Flink {release} does not limit RocksDB's memory; allowed: 1.10 to {MINORS[-1]}",
        )
    if nearest_index(release) < _FIRST_WEIGHTS:
        for name in ("operators", "python"):
            if getattr(inputs, name):
                raise BadInput(
                    name, f"Flink {release} divides managed memory without weights; allowed: no, or 1.12 and later"
                )


# -- from state to memory


def _needs(inputs: RocksDbNeeds, present: Present) -> list[Need]:
    ratio, states = inputs.write_buffer_ratio, inputs.states
    least = min_memory(ratio, inputs.write_buffer)
    block = arena_block(inputs.write_buffer)
    needs = [
        Need(
            least,
            f"one block of a memtable, {spell_size(block)}, must fit the limit of the write buffers",
            f"Minimum memory of a slot: {spell_size(block)} block x 8 / 7 x 3 / (2 x {significant(ratio)}) = "
            f"{spell_size(least)}.",
        )
    ]
    memory = memory_for_states(states, ratio)
    needs.append(
        Need(
            memory,
            f"{counted(states, 'state')} {'needs' if states == 1 else 'need'} separate memtables in each slot",
            f"Memtables: {spell_count(states)} x {spell_size(MEMTABLES)} / {significant(ratio)} = "
            f"{spell_size(memory)}.",
        )
    )
    if inputs.write_rate is not None:
        memory = memory_for_writes(
            inputs.write_rate, inputs.flush_interval, states, ratio, inputs.write_buffer, inputs.write_buffers
        )
        written = inputs.write_rate * inputs.flush_interval
        most = states * inputs.write_buffer * inputs.write_buffers
        held = f"{spell_size(inputs.write_rate)}/s x {spell_duration(inputs.flush_interval)}"
        if written > most:
            held = f"{spell_size(most)} of memtables at most"
        needs.append(
            Need(
                memory,
                f"write buffers hold what is written in {spell_duration(inputs.flush_interval)}",
                f"Writes: {held} x 8 / 7 x 3 / (2 x {significant(ratio)}) = {spell_size(memory)}.",
            )
        )
    if inputs.working_set is not None:
        memory = math.ceil(round(memory_for_reads(inputs.working_set, ratio), 6))
        needs.append(
            Need(
                memory,
                f"a working set of {spell_size(inputs.working_set)} stays in the cache",
                f"Reads: {spell_size(inputs.working_set)} / (1 - {significant(ratio)}) = {spell_size(memory)}.",
            )
        )
    missed = inputs.hit_ratio is not None and inputs.hit_ratio < GOOD_HITS
    if present.per_slot is not None and inputs.hit_ratio is not None and missed:
        needs.append(_for_hits(inputs, inputs.hit_ratio, present.per_slot))
    elif present.per_slot is not None and inputs.working_set is None:
        needs.append(_as_it_is(inputs, present.per_slot))
    if present.idle is not None and inputs.working_set is None:
        why = "the current managed memory is unused, and nothing shows that RocksDB needs less of it"
        step = f"Current managed memory, unused by RocksDB: {spell_size(present.idle)} for each slot."
        needs.append(Need(present.idle, why, step, is_present=True))
    return needs


def _for_hits(inputs: RocksDbNeeds, hits: float, per_slot: int) -> Need:
    """Return the need for twice the current memory, but no more than the whole state needs."""
    memory, why = 2 * per_slot, ""
    if inputs.state_size is not None and inputs.write_buffer_ratio < 1:
        all_of_it = math.ceil(round(memory_for_reads(inputs.state_size, inputs.write_buffer_ratio), 6))
        if all_of_it < memory:
            memory, why = all_of_it, ", no more than holds all of the state"
    return Need(
        memory,
        f"only {spell_fraction(hits)} of the reads find their block in the cache",
        f"Cache: {spell_fraction(hits)} hits are below {spell_fraction(GOOD_HITS)}, so twice the "
        f"current {spell_size(per_slot)}{why}: {spell_size(memory)}; observe the hits again then.",
    )


def _as_it_is(inputs: RocksDbNeeds, per_slot: int) -> Need:
    """Return the need for the current memory: without a known working set, no cache is known to be too large."""
    if inputs.hit_ratio is None:
        why = "nothing is known about the reads, so the cache keeps its size"
    else:
        why = f"{spell_fraction(inputs.hit_ratio)} of the reads find their block in the cache, which keeps its size"
    return Need(per_slot, why, f"Cache: {why}: {spell_size(per_slot)} in a slot.", is_present=True)


def size_rocksdb(inputs: RocksDbNeeds, release: Release) -> Answer:
    """Size a TaskManager's managed memory for RocksDB in all slots, and RocksDB's additional native memory.

    Raises BadInput for releases before 1.10, and where no cache is left for a working set.
    """
    _check_release(inputs, release)
    if inputs.working_set and inputs.write_buffer_ratio == 1:
        raise BadInput("write_buffer_ratio", "100 % leaves no cache for a working set; allowed: below 100 %")
    present = present_memory(inputs, release)
    needs = _needs(inputs, present)
    deciding = max(needs, key=lambda need: need.memory)
    managed = managed_for(deciding.memory, inputs.slots, inputs.share)
    in_whole = f"{spell_exact(managed)}, in whole MiB"
    kept = _is_kept(present.managed, managed, deciding, inputs)
    if kept and present.managed is not None:
        managed = present.managed
        in_whole = f"{spell_size(managed)}, the current size"
    per_slot = slot_memory(managed, inputs.slots, inputs.share)
    of_rocksdb = per_slot * inputs.slots
    steps = [
        *present.steps,
        *(need.step for need in needs),
        (
            f"Managed memory: {spell_size(deciding.memory)} x {spell_count(inputs.slots)}{_by_share(inputs)} = "
            f"{in_whole}."
        ),
        _division_step(per_slot, inputs.write_buffer_ratio),
    ]
    slack = native_slack(of_rocksdb)
    overhead = _OF_THE_JVM + math.ceil(slack)
    steps.append(
        f"JVM overhead: {spell_size(_OF_THE_JVM)} for the JVM + {spell_size(of_rocksdb)} x 10 % beyond RocksDB's "
        f"memory = {spell_size(overhead)} at least."
    )
    settings: dict[str, Any] = {} if kept else {MANAGED_SIZE: managed}
    if not inputs.is_managed:
        settings[IS_MANAGED] = True
    fitted = _fit(inputs, release, present, None if kept else managed, overhead)
    settings |= fitted.settings
    bound = unmanaged_bound(inputs.states, inputs.slots, inputs.write_buffer, inputs.write_buffers)
    values = [
        Value("managed_memory", managed, BYTES, "of a TaskManager, for all its slots (managed.size, .fraction)",
              present.managed),
        Value("per_slot", per_slot, BYTES, "of it for RocksDB in one slot", present.per_slot),
        *_division(per_slot, inputs, present.per_slot if present.pool == present.per_slot else None),
        Value("least_per_slot", needs[0].memory, BYTES, "below it RocksDB flushes endlessly"),
        Value("overhead", overhead, BYTES, "JVM overhead that includes the memory RocksDB uses in addition",
              None if present.total is None else present.total.overhead),
        Value("unmanaged_bound", bound, BYTES, "memory RocksDB may use in a TaskManager if it is not managed"),
    ]  # fmt: skip
    memtable = memtable_size(per_slot, inputs.states, inputs.write_buffer_ratio, inputs.write_buffer)
    values.append(Value("memtable", memtable, BYTES, "a memtable on average when it is flushed"))
    if inputs.write_rate:
        rate = inputs.write_rate / memtable
        values.append(Value("flushes", rate, PER_SECOND, "flushes of all memtables of a slot"))
        steps.append(
            f"Flushes: {spell_size(inputs.write_rate)}/s / memtables of {spell_size(memtable)} = {spell_rate(rate)}."
        )
    if inputs.state_size is not None:
        disk = inputs.state_size * inputs.slots * COMPACTION
        values.append(Value("local_disk", disk, BYTES, "room for working files and compactions of a TaskManager"))
        steps.append(
            f"Local disk: {spell_size(inputs.state_size)} x {spell_count(inputs.slots)} x {significant(COMPACTION)} = "
            f"{spell_size(disk)}."
        )
    if fitted.memory is not None and not kept:
        fraction = thousandths_up(managed, fitted.memory.flink_size)
        values.append(Value("fraction", fraction, FRACTION, "the equivalent part of Flink's memory"))
    errors, warnings = judged_memory(inputs, present, needs[1:], bound)
    if present.managed is not None and managed < present.managed:
        warnings.append(
            f"managed memory shrinks from {spell_size(present.managed)} to {spell_size(managed)}: {deciding.binding}; "
            "watch the hits of the block cache afterwards"
        )
    fixed = not inputs.is_managed or inputs.fixed_per_slot is not None
    unwanted = (() if kept else (MANAGED_FRACTION,)) + ((FIXED_PER_SLOT, FIXED_PER_TASKMANAGER) if fixed else ())
    return Answer(
        values=tuple(values),
        binding=deciding.binding,
        steps=(*steps, *fitted.steps),
        # Settings with which Flink does not start must not be applied.
        settings=settings if fitted.starts else {},
        remove=unwanted if fitted.starts else (),
        errors=(*present.errors, *fitted.errors, *errors),
        warnings=tuple(warnings),
        chart=_chart(inputs, present, managed),
        memory=fitted.memory,
    )


def _is_kept(present: int | None, managed: int, deciding: Need, inputs: RocksDbNeeds) -> bool:
    """Return whether the current managed memory is within a MiB of the required one."""
    if present is None:
        return False
    enough = slot_memory(present, inputs.slots, inputs.share) >= deciding.memory
    return enough and present < managed + MIB


def _by_share(inputs: RocksDbOptions) -> str:
    return f" / {spell_fraction(inputs.share)} of it for RocksDB" if inputs.share < 1 else ""


def _division_step(per_slot: int, ratio: float) -> str:
    return (
        f"Of {spell_size(per_slot)} in a slot: block cache (3 - {significant(ratio)}) / 3 = "
        f"{spell_size(cache_capacity(per_slot, ratio))}, write buffers 2 x {significant(ratio)} / 3 = "
        f"{spell_size(write_buffer_capacity(per_slot, ratio))}, {spell_size(read_cache(per_slot, ratio))} left for "
        "reads."
    )


def _division(per_slot: int, inputs: RocksDbOptions, present: int | None = None) -> list[Value]:
    ratio = inputs.write_buffer_ratio

    def both(of: Any) -> tuple[int, int | None]:
        return of(per_slot, ratio), None if present is None else of(present, ratio)

    found = []
    for name, of, explanation in (
        ("block_cache", cache_capacity, "block cache of a slot, write buffers included"),
        ("write_buffers", write_buffer_capacity, "capacity of the write buffer manager of a slot"),
        ("read_cache", read_cache, "block cache left for reads when memtables are full"),
    ):
        wanted, now = both(of)
        found.append(Value(name, wanted, BYTES, explanation, now))
    return found


class _Fitted(NamedTuple):
    """The process with the required managed memory, if its total size is known."""

    memory: TaskManagerMemory | None
    settings: dict[str, Any]
    steps: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    starts: bool = True


def _fit(inputs: RocksDbNeeds, release: Release, present: Present, managed: int | None, overhead: int) -> _Fitted:
    """Return the process with new managed memory (None keeps the current size) and the required JVM overhead."""
    settings: dict[str, Any] = {} if managed is None else {MANAGED_SIZE: managed, MANAGED_FRACTION: None}
    fitted = current_memory(inputs, release, settings)
    if fitted is None:
        return _Fitted(None, {})
    extra: dict[str, Any] = {}
    steps: list[str] = []
    if fitted.memory is not None and fitted.memory.overhead < overhead:
        extra[f"{OVERHEAD}.min"] = up(overhead)
        if up(overhead) > inputs.overhead_max:
            extra[f"{OVERHEAD}.max"] = up(overhead)
        steps.append(
            f"JVM overhead is {spell_size(fitted.memory.overhead)}: its minimum becomes {spell_exact(up(overhead))}."
        )
        fitted = current_memory(inputs, release, {**settings, **extra})
    if fitted is None or fitted.memory is None:
        if present.errors:
            return _Fitted(None, {}, tuple(steps), starts=False)
        required = managed or present.managed or 0
        command = larger_process(present.total, inputs.slots, managed=required, native=overhead)
        error = (
            f"{spell_size(required)} of managed memory and {spell_size(overhead)} of JVM overhead do not fit the "
            f"current total; enlarge the process (`{command}`)"
        )
        return _Fitted(None, {}, tuple(steps), (error,), starts=False)
    steps.append(f"That leaves a task heap of {spell_size(fitted.memory.task_heap)}.")
    return _Fitted(fitted.memory, extra, tuple(steps))


def _chart(inputs: RocksDbNeeds, present: Present, managed: int) -> Chart:
    """Return a chart of managed memory against the number of states."""
    most = max(2 * inputs.states, 8)
    xs = sorted({inputs.states, *(max(1, most * step // _CHART_STEPS) for step in range(_CHART_STEPS + 1))})
    ratio = inputs.write_buffer_ratio
    fixed = [need.memory for need in _needs(inputs, present)[2:]]

    def wanted(states: int) -> float:
        memory = max(min_memory(ratio, inputs.write_buffer), memory_for_states(states, ratio), *fixed, 0)
        return float(managed_for(memory, inputs.slots, inputs.share))

    series = [Series("wanted", tuple((float(x), wanted(x)) for x in xs))]
    points = [Point("recommended", float(inputs.states), float(managed))]
    if present.managed is not None:
        series.append(Series("current", tuple((float(x), float(present.managed)) for x in (xs[0], xs[-1]))))
        points.append(Point("now", float(inputs.states), float(present.managed)))
    return Chart(
        "Managed memory against states",
        "states of a slot",
        COUNT,
        "managed memory",
        BYTES,
        tuple(series),
        tuple(points),
    )


# -- from memory to the state it supports


def load_of_rocksdb(inputs: CurrentRocksDb, release: Release) -> Answer:
    """Compute the states, working set and write rate that the current managed memory supports in each slot.

    Raises BadInput for releases before 1.10.
    """
    _check_release(inputs, release)
    present = present_memory(inputs, release)
    if present.per_slot is None:
        if present.errors:
            return Answer(
                values=(Value("states", None, COUNT, "a process that does not start supports none"),),
                binding="Flink does not start with these settings",
                steps=(),
                errors=present.errors,
            )
        raise BadInput("managed", f"is missing: Flink {release} cannot derive managed memory from a total alone")
    ratio, per_slot = inputs.write_buffer_ratio, present.per_slot
    states = states_within(per_slot, ratio)
    rate = mutable_limit(per_slot, ratio) / inputs.flush_interval
    steps = [
        *present.steps,
        _division_step(per_slot, ratio),
        f"States: {spell_size(per_slot)} x {significant(ratio)} / {spell_size(MEMTABLES)} = {spell_count(states)}.",
        (
            f"Writes: {spell_size(mutable_limit(per_slot, ratio))} of memtables / "
            f"{spell_duration(inputs.flush_interval)} = {spell_size(rate)}/s."
        ),
    ]
    errors = flushing(per_slot, inputs)
    warnings: list[str] = []
    if not errors and inputs.states is not None and inputs.states > states:
        memtable = memtable_size(per_slot, inputs.states, ratio, inputs.write_buffer)
        warnings.append(
            f"{counted(inputs.states, 'state')} share write buffers for {spell_count(states)}: memtables are flushed "
            f"at {spell_size(memtable)} on average, into many small files"
        )
    values = [
        Value("states", states, COUNT, "states of a slot with adequate memtables", inputs.states),
        Value("working_set", read_cache(per_slot, ratio), BYTES, "bytes that one slot may read repeatedly"),
        Value("write_rate", rate, BYTES_PER_SECOND, "bytes that one slot may write to its state"),
        Value("per_slot", per_slot, BYTES, "RocksDB's memory in one slot"),
        *_division(per_slot, inputs),
        Value("least_per_slot", min_memory(ratio, inputs.write_buffer), BYTES,
              "below it RocksDB flushes endlessly"),
        Value("largest_write_buffer", largest_write_buffer(per_slot, ratio), BYTES, "the largest that does not flush "
              "endlessly", inputs.write_buffer),
    ]  # fmt: skip
    return Answer(
        values=tuple(values),
        binding=f"{spell_size(write_buffer_capacity(per_slot, ratio))} of write buffers in a slot",
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=tuple(warnings),
        memory=present.total,
    )


CALCULATOR = Calculator(
    name="rocksdb",
    title="RocksDB: managed memory, write buffers and cache",
    question="RocksDB is slow, or the container is killed",
    forward=Way(
        RocksDbNeeds,
        size_rocksdb,
        {"states": "6", "slots": "4", "working_set": "300mb", "write_rate": "20mb/s", "process_size": "8gb"},
    ),
    reverse=Way(CurrentRocksDb, load_of_rocksdb, {"managed": "2gb", "slots": "4", "states": "6"}),
)

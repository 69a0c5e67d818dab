"""The data that fills each kind of disk: checkpoints and savepoints, logs, or the local state of TaskManagers."""

from __future__ import annotations

import math

from flink_flint.calculators.answering.answer import Snippet, Value
from flink_flint.calculators.formulas import disk_use as use
from flink_flint.calculators.formulas.acknowledgement import MAX_FILES
from flink_flint.calculators.formulas.disk_use import Usage
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    DAY,
    SECONDS,
    counted,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_rate,
    spell_size,
)
from flink_flint.calculators.inputs.shared_memory_sizing import FIRST_UNCOMPRESSED, heap_for
from flink_flint.calculators.inputs.storage import BYTES_PER_DAY, Storage
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.named_tuple import NamedTuple

_FIRST_DURATION = MINORS.index("1.11")
"""First release that parses a reporter's interval like any other duration."""
_RARELY = 300.0
"""The minimum reasonable interval, in seconds, between reports of all metrics to a log."""


class Plan(NamedTuple):
    """The bytes used over time on one kind of disk, with the reasoning and warnings."""

    usage: Usage
    """The bytes in use as a function of the seconds from now, excluding other data on the disk."""
    binding: str
    values: tuple[Value, ...]
    steps: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    elsewhere: tuple[Snippet, ...] = ()


# -- the store of checkpoints


def state_at(inputs: Storage, seconds: float) -> float:
    """Return the size in bytes of the job's state `seconds` from now."""
    return (inputs.state or 0) + inputs.growth * seconds


def checkpoints_at(inputs: Storage, seconds: float) -> float:
    """Return the size in bytes of all stored checkpoints `seconds` from now."""
    return use.checkpoints_size(state_at(inputs, seconds), inputs.in_store, inputs.share, inputs.replication)


def savepoints_at(inputs: Storage, seconds: float) -> float:
    """Return the size in bytes of all stored savepoints `seconds` from now."""
    if inputs.savepoint_every is None:
        return 0.0
    state, growth = inputs.state or 0, inputs.growth
    return use.savepoints_size(state, seconds, inputs.savepoint_every, inputs.savepoints, growth, inputs.replication)


def _checkpoints(inputs: Storage) -> Plan:
    jars = use.availability_size(inputs.jars, inputs.metadata, inputs.retained, inputs.replication)
    ahead, state = inputs.ahead, state_at(inputs, inputs.ahead)
    checkpoints, savepoints = checkpoints_at(inputs, ahead), savepoints_at(inputs, ahead)
    one = use.checkpoint_files(inputs.parallelism, inputs.pieces, state, incremental=inputs.incremental)
    kept = 0
    steps = [_checkpoints_step(inputs, state, checkpoints)]
    warnings: list[str] = []
    if inputs.savepoint_every is not None:
        kept = use.savepoints_kept(ahead, inputs.savepoint_every, inputs.savepoints)
        steps.append(
            f"Savepoints after {spell_duration(ahead)}, one every {spell_duration(inputs.savepoint_every)}: "
            f"{spell_count(kept)} of the state at their time x {counted(inputs.replication, 'copy', 'copies')} = "
            f"{spell_size(savepoints)}."
        )
        if inputs.savepoints is None:
            each = state * inputs.replication * DAY / inputs.savepoint_every
            warnings.append(
                f"Flink deletes no savepoints: {spell_size(each)} a day accumulates until something else deletes it"
            )
    if jars:
        steps.append(
            f"High availability: ({spell_size(inputs.jars)} of jars + {spell_size(inputs.metadata)} of _metadata x "
            f"{spell_count(inputs.retained)}) x {counted(inputs.replication, 'copy', 'copies')} = {spell_size(jars)}."
        )
    files = one * inputs.in_store + kept * use.checkpoint_files(inputs.parallelism, inputs.pieces)
    steps.append(
        f"Files: {spell_count(inputs.parallelism)} x {spell_count(inputs.pieces)} + 1"
        f"{' and one for every 64 MiB' if inputs.incremental else ''} = {spell_count(one)} of a checkpoint; with those "
        f"of savepoints {spell_count(files)}."
    )
    if inputs.parallelism * inputs.pieces >= MAX_FILES:
        warnings.append(
            f"{spell_count(one)} files for every checkpoint are many; a higher inline threshold makes fewer"
        )
    return Plan(
        lambda seconds: checkpoints_at(inputs, seconds) + savepoints_at(inputs, seconds) + jars,
        f"savepoints take {spell_size(savepoints)} of it"
        if savepoints > checkpoints
        else f"{counted(inputs.in_store, 'checkpoint')} of {spell_size(state)} of state",
        (
            Value("checkpoints", checkpoints, BYTES, "retained and in progress"),
            Value("savepoints", savepoints, BYTES, f"{spell_count(kept)} of them"),
            Value("high_availability", jars, BYTES, "jars and copies of _metadata"),
            Value("files", files, COUNT, "of checkpoints and savepoints"),
        ),
        tuple(steps),
        tuple(warnings),
    )


def _checkpoints_step(inputs: Storage, state: float, checkpoints: float) -> str:
    text = f"Checkpoints: {spell_size(state)} x "
    many = f"({spell_count(inputs.retained)} retained + {spell_count(inputs.concurrent)} in progress)"
    if inputs.share is not None:
        text += f"(1 + {spell_fraction(inputs.share)} x ({many[1:-1]} - 1))"
    else:
        text += many
    return f"{text} x {counted(inputs.replication, 'copy', 'copies')} = {spell_size(checkpoints)}."


# -- logs


def _logs(inputs: Storage, index: int) -> Plan:
    reported = 0.0
    steps: list[str] = []
    warnings: list[str] = []
    elsewhere: tuple[Snippet, ...] = ()
    if inputs.report_every is not None:
        subtasks = inputs.reported_subtasks or 0
        reported = use.metrics_logged(subtasks, inputs.report_every, inputs.processes)
        steps.append(
            f"Metrics: ({spell_count(use.LOGGED_BY_A_PROCESS)} x {counted(inputs.processes, 'process', 'processes')} + "
            f"{spell_count(use.LOGGED_BY_A_SUBTASK)} x {counted(subtasks, 'subtask')}) bytes every "
            f"{spell_duration(inputs.report_every)} = {BYTES_PER_DAY.spell(reported)}."
        )
        if inputs.report_every < _RARELY:
            every = "5 min" if index >= _FIRST_DURATION else "300 SECONDS"
            elsewhere = (Snippet("Flink configuration", f"metrics.reporter.<name>.interval: {every}"),)
            warnings.append(
                f"metrics in the log every {spell_duration(inputs.report_every)} crowd everything else out of it; a "
                "metrics system stores them in less space, and 5 min is enough where the log is the only place"
            )
    line = inputs.line or 0
    logged, printed = (inputs.logged or 0.0) * line, (inputs.printed or 0.0) * line
    if inputs.logged is not None:
        steps.append(_lines_step("Log lines", inputs.logged, line, logged))
    if inputs.printed is not None:
        steps.append(_lines_step("print()", inputs.printed, line, printed))
        if printed:
            warnings.append(f"nothing rolls the .out file: print() adds {spell_size(printed * DAY)} a day to it")
    rolled = reported + logged
    is_rolled = use.rolls(index)
    cap = use.logs_cap(inputs.roll_size, inputs.roll_files, inputs.processes) if is_rolled else math.inf
    values = [
        Value("growth", rolled + printed, BYTES_PER_DAY, "while nothing is deleted"),
        Value("metrics", reported, BYTES_PER_DAY, "metrics that the Slf4j reporter logs"),
    ]
    if is_rolled:
        steps.append(
            f"Rolling keeps {spell_size(inputs.roll_size)} x ({spell_count(inputs.roll_files)} + 1) x "
            f"{counted(inputs.processes, 'process', 'processes')} = {spell_size(cap)} of log files at most."
        )
        values.append(Value("cap", cap, BYTES, "maximum size of rolled log files"))
        if rolled:
            values.append(Value("history", cap / rolled, SECONDS, "period that the rolled logs cover"))
            if cap / rolled < DAY:
                warnings.append(f"rolled logs cover only the last {spell_duration(cap / rolled)}")
    elif rolled:
        warnings.append("the log4j configuration of releases before 1.12 does not roll log files: nothing is deleted")
    return Plan(
        lambda seconds: min(rolled * seconds, cap) + printed * seconds,
        f"print() writes {BYTES_PER_DAY.spell(printed)} to a file that nothing rolls"
        if printed > rolled
        else f"the logs grow by {BYTES_PER_DAY.spell(rolled)}{f', up to {spell_size(cap)}' if is_rolled else ''}",
        tuple(values),
        tuple(steps),
        tuple(warnings),
        elsewhere,
    )


def _lines_step(what: str, rate: float, line: int, written: float) -> str:
    return f"{what}: {spell_rate(rate)} x {spell_count(line)} bytes = {BYTES_PER_DAY.spell(written)}."


# -- a TaskManager's disk


def _local(inputs: Storage) -> Plan:
    on_disk = inputs.backend == "rocksdb"

    def usage(seconds: float) -> float:
        state = state_at(inputs, seconds) / inputs.taskmanagers
        return use.local_size(
            state, on_disk=on_disk, recovery=inputs.recovery, incremental=inputs.incremental, anew=inputs.anew
        )

    each = state_at(inputs, inputs.ahead) / inputs.taskmanagers
    working = each if on_disk else 0.0
    copy = usage(inputs.ahead) - working
    warnings: tuple[str, ...] = ()
    if not on_disk and heap_for(math.ceil(each)) >= FIRST_UNCOMPRESSED:
        trouble = (
            f"{spell_size(each)} of state on the heap of each TaskManager is the problem rather than the disk: it "
            f"needs a heap of {spell_size(heap_for(math.ceil(each)))}; rocksdb keeps state on disk, and more "
            "TaskManagers share it"
        )
        warnings = (trouble,)
    if inputs.recovery and on_disk and not inputs.incremental:
        binding = f"local copies of full snapshots double the {spell_size(each)} of state"
    elif on_disk:
        binding = f"{spell_size(each)} of state on the disk of each TaskManager"
    elif inputs.recovery:
        binding = f"hashmap keeps state on the heap; only the copy for local recovery is on disk, {spell_size(copy)}"
    else:
        binding = "hashmap keeps state on the heap, nothing on disk"
    steps = [
        (
            f"State of one TaskManager: {spell_size(each * inputs.taskmanagers)} / "
            f"{spell_count(inputs.taskmanagers)} = {spell_size(each)}"
            f"{', on disk' if on_disk else ', on the heap, nothing on disk'}."
        )
    ]
    if inputs.recovery:
        steps.append(
            f"Local recovery: hard links to RocksDB's files, and {spell_fraction(inputs.anew)} of the state that was "
            f"compacted away, {spell_size(copy)}."
            if on_disk and inputs.incremental
            else f"Local recovery: a copy of the last checkpoint, {spell_size(copy)}."
        )
    return Plan(
        usage,
        binding,
        (
            Value("working_state", working, BYTES, "RocksDB's files, in one TaskManager"),
            Value("local_copy", copy, BYTES, "for local recovery, in one TaskManager"),
        ),
        tuple(steps),
        warnings,
    )


def plan_of(inputs: Storage, index: int) -> Plan:
    """Return the plan for the kind of disk in `inputs.store`; `index` is the index of the release in MINORS."""
    if inputs.store == "logs":
        return _logs(inputs, index)
    return _local(inputs) if inputs.store == "local" else _checkpoints(inputs)

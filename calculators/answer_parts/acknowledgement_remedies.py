"""Remedies for a checkpoint acknowledgement that is too large: which help, which do not, and the resulting size."""

from __future__ import annotations

import math

from flink_flint.calculators.answering.answer import Snippet
from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.calculators.formulas.quantity import counted, significant, spell_count, spell_size
from flink_flint.calculators.inputs.rpc_size import Load, RpcSize, exactly
from flink_flint.linter.flink.release_spelling import size_text
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.named_tuple import NamedTuple

_FIRST_OWN_STORAGE = MINORS.index("1.20")
"""First release in which a job's own threshold was seen to have no effect without its own checkpoint storage."""
_FIRST_MERGING = MINORS.index("1.20")


def shorter(load: Load) -> str:
    """Return a phrase that says how to make an acknowledgement smaller, such as ``fewer list elements``."""
    largest = max(load.lists, load.inlined, load.names)
    if largest == load.lists:
        return "fewer list elements"
    return "less inlined state" if largest == load.inlined else "fewer files"


class Remedy(NamedTuple):
    """The remedy for a checkpoint acknowledgement that is too large: cause, reasoning, settings and warnings."""

    binding: str
    steps: tuple[str, ...]
    threshold: int | None = None
    """The recommended inline threshold in bytes; None if the current threshold should be kept."""
    message: int | None = None
    """The size in bytes of the acknowledgement with the new threshold; None if the threshold is kept."""
    elsewhere: tuple[Snippet, ...] = ()
    warnings: tuple[str, ...] = ()


def remedy_for(inputs: RpcSize, load: Load, index: int) -> Remedy:
    """Return the remedy for the largest part of an acknowledgement: list elements, inlined state or file names."""
    largest = max(load.lists, load.inlined, load.names)
    if largest < load.message - load.lists - load.inlined - load.names:
        return Remedy(
            f"{counted(inputs.operators, 'stateful operator')} in one task "
            f"{'makes' if inputs.operators == 1 else 'make'} up the message",
            (_larger_frame(load.message, "works"),),
        )
    if largest == load.lists:
        return _fewer_elements(inputs, load)
    if largest == load.inlined:
        return _less_inlined(inputs, load, index)
    return _fewer_files(load, index)


def _fewer_elements(inputs: RpcSize, load: Load) -> Remedy:
    total = load.elements * inputs.parallelism
    rest = load.message - load.lists
    subtasks = ack.subtasks_for(total, inputs.frame, load.inlined, inputs.operators)
    steps = [
        (
            "Remedy 1 is fewer list elements: a source that keeps its position instead of all that is still to come "
            f"leaves {spell_count(rest)} bytes of the message and next to nothing of _metadata; so does one element "
            "that holds many values. Union list state instead of split list state changes nothing."
        )
    ]
    if subtasks is not None and subtasks > inputs.parallelism:
        steps.append(
            f"Remedy 2 is more parallelism, which helps the frame alone: {counted(total, 'element')} over "
            f"{counted(subtasks, 'subtask')} fit {exactly(inputs.frame)} with room; _metadata stays at "
            f"{spell_size(load.metadata)}."
        )
    steps.append(
        f"A lower threshold does not help: even at 0 the message has 8 x {spell_count(load.elements)} = "
        f"{spell_count(load.lists)} bytes for the list."
    )
    steps.append(_larger_frame(load.message, "works for so many elements only"))
    text = f"8 bytes for each of {counted(load.elements, 'list element')} in one subtask"
    return Remedy(
        f"{text} explain the message; inlined state does not" if load.is_seen else f"{text} make up the message",
        tuple(steps),
        elsewhere=()
        if inputs.sequence is None
        else (
            Snippet("table with the datagen connector (SQL)", "'fields.<name>.kind' = 'random'"),
            Snippet(
                "job source (Java)", f"env.fromSequence(1, {inputs.sequence});  // keeps two numbers for each subtask"
            ),
        ),
        warnings=(
            (
                "a larger frame only delays the failure: the message grows by 8 bytes with each element, and so does "
                f"the _metadata that the JobManager writes, {spell_size(load.metadata)} for every checkpoint"
            ),
        ),
    )


def _less_inlined(inputs: RpcSize, load: Load, index: int) -> Remedy:
    threshold = ack.lower_threshold(load.piece)
    files = load.pieces * inputs.subtasks
    left = load.message - load.inlined + load.pieces * ack.BYTES_OF_A_FILE
    binding = (
        f"{counted(load.pieces, 'piece')} of state inlined up to {spell_size(load.threshold)} "
        f"{'makes' if load.pieces == 1 else 'make'} up the message"
    )
    text = (
        f"Remedy 1 is a threshold of {size_text(threshold)}: it leaves {spell_count(left)} bytes of the message and "
        f"makes {spell_count(load.pieces)} x {spell_count(inputs.subtasks)} = {counted(files, 'file')} for "
        "each checkpoint"
    )
    parallelism = (
        "More parallelism does not help: every subtask has its own pieces of state, and _metadata grows with them."
    )
    if files >= ack.MAX_FILES:
        step = f"{text}. That is too many: from {spell_count(ack.MAX_FILES)} on file systems slow it down."
        return Remedy(binding, (step, parallelism, _larger_frame(load.message, "works")))
    elsewhere: tuple[Snippet, ...] = ()
    warnings: tuple[str, ...] = ()
    if index >= _FIRST_OWN_STORAGE:
        warnings = (
            (
                "in a job's own configuration (flink run -D) the threshold counts only together with "
                "execution.checkpointing.storage; in the cluster's it always does"
            ),
        )
        elsewhere = (
            Snippet(
                "flink run, for this job only",
                "-Dexecution.checkpointing.storage=filesystem "
                f"-Dexecution.checkpointing.data-inline-threshold={size_text(threshold)}",
            ),
        )
    steps = (f"{text}.", parallelism, _larger_frame(load.message, "works too"))
    return Remedy(binding, steps, threshold, left, elsewhere, warnings)


def _fewer_files(load: Load, index: int) -> Remedy:
    merging = (
        "; state.backend.rocksdb.manual-compaction.min-interval above 0 merges small ones"
        if index >= _FIRST_MERGING
        else ""
    )
    return Remedy(
        f"the names of {counted(load.files, 'file')} in one subtask make up the message",
        (
            (
                f"Remedy 1 is fewer files: at RocksDB's 64 MiB each, {counted(load.files, 'file')} would hold "
                f"{spell_size(load.files << 26)}{merging}."
            ),
            "A lower threshold does not help: it makes more files.",
            _larger_frame(load.message, "works"),
        ),
    )


def _larger_frame(message: int, verdict: str) -> str:
    frame = ack.frame_for(message)
    if message > ack.LARGEST_FRAME:
        return f"A larger frame does not help: {spell_size(message)} are above the {exactly(frame)} that Flink accepts."
    return (
        f"A larger frame {verdict}: {significant(ack.HEADROOM)} x {spell_count(message)} = "
        f"{spell_count(math.ceil(ack.with_room(message)))} bytes, in whole MiB {exactly(frame)}."
    )

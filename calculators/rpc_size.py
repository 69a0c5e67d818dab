"""RPC size: the frame size, inline threshold and JobManager heap that the state in checkpoints needs.

## The formula
Each task acknowledges a checkpoint with one message:
`message = 8 x list elements + inlined state + 370 x files + 340 x operators + 4528` bytes. The 8 bytes for every
element of operator list state are sent whatever the inline threshold is: they are the element's offset. State up to
the threshold is sent in the message as a whole; of larger state only the file's name is sent. A threshold above 1 MiB
is ignored, and the default applies. The 340 bytes are those of an operator with one to four lists, the 370 the
maximum measured for a file.

A message above the frame size never arrives: up to 1.14 the checkpoint fails at once, later it expires.
`frame = 1.25 x largest message`, in whole MiB, from 10 to 2047.

`_metadata` contains the same for all subtasks: `_metadata = subtasks x (8 x elements + inlined + 370 x files)` and some
hundred bytes. The JobManager keeps it on its heap for every retained checkpoint, every one in progress and the one
that is being replaced: `heap = 1 GiB + _metadata x (retained + concurrent + 1)`, or the default heap as long as 30 %
of it is enough. With one retained checkpoint 2.2 to 2.7 bytes for each byte of `_metadata` were measured, besides some
70 MiB for the JobManager itself; the gibibyte is an allowance for everything else.

Remedies, in this order: fewer elements if they make up the message, since neither threshold nor parallelism makes
`_metadata` smaller then; a lower threshold if inlined state does, as long as a checkpoint stays below 10 000 files;
otherwise a larger frame and heap.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: `pekko.framesize` and the inline
  threshold with its bound of 1 MB
- <https://github.com/apache/flink/pull/12373>: FLINK-17865, the threshold's default became 20 kb in 1.11
- <https://github.com/apache/flink/pull/24880>: FLINK-26050, files of RocksDB so many that messages exceed the frame
- <https://gist.github.com/b-slim/971a069dd0754eb770d0e319a12657fb>: the log of a job whose sequence generator reports
  25 million elements from each subtask
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/>: the frame size also bounds state
  that the JobManager stores
"""

from __future__ import annotations

import math

from flink_flint.calculators.answer_parts.acknowledgement_remedies import remedy_for, shorter
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, counted, significant, spell_count, spell_size
from flink_flint.calculators.inputs.rpc_size import (
    FRAME,
    MESSAGE,
    CurrentRpc,
    Load,
    Reported,
    RpcSize,
    exactly,
    load_of,
)
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

_FIRST_HEAP_OPTION = MINORS.index("1.11")


def size_rpc(inputs: RpcSize, release: Release) -> Answer:
    """Size the RPC frame, inline threshold and heap for a job's checkpoint acknowledgements; choose the best change."""
    index = nearest_index(release)
    load = load_of(inputs, index)
    errors, warnings = _judge(inputs, load, index)
    tight = ack.with_room(load.message) > inputs.frame
    remedy = remedy_for(inputs, load, index) if tight or _is_tight(inputs, load) else None
    steps = list(load.steps)
    settings: dict[str, int | str] = {}
    message, metadata = load.message, load.metadata
    if remedy is not None:
        steps += remedy.steps
        warnings += remedy.warnings
        if remedy.threshold is not None and remedy.message is not None:
            settings["execution.checkpointing.data-inline-threshold"] = remedy.threshold
            metadata -= (message - remedy.message) * inputs.subtasks
            message = remedy.message
    carried = message <= ack.LARGEST_FRAME
    frame = ack.frame_for(message)
    if frame > inputs.frame and carried:
        settings["pekko.framesize"] = f"{frame}b"
    kept = ack.held(metadata, inputs.retained, inputs.concurrent)
    heap = ack.jobmanager_heap(kept)
    if carried:
        steps.append(_heap_step(inputs, metadata, kept, heap))
        if heap > ack.LARGEST_HEAP:
            errors.append(
                f"the JobManager would need a heap of {spell_size(heap)} for the checkpoints it holds, which no "
                f"setting fixes: {shorter(load)} or fewer retained checkpoints are needed"
            )
        elif heap > inputs.current_heap and kept > ack.room_on_heap(inputs.current_heap):
            settings["jobmanager.memory.heap.size"] = heap
    steps.append(_symptom(index))
    values = [
        Value(
            "frame",
            frame if carried else None,
            FRAME,
            "JobManager and TaskManagers need the same"
            if carried
            else f"no frame is large enough; {shorter(load)} in one subtask is the remedy",
            inputs.frame,
        ),
        Value("message", load.message, MESSAGE, "the acknowledgement of the largest subtask"),
        Value(
            "threshold",
            load.threshold if remedy is None or remedy.threshold is None else remedy.threshold,
            BYTES,
            "state up to this size is sent in the message",
            inputs.threshold,
        ),
        Value(
            "heap",
            heap if carried else None,
            BYTES,
            "the minimum the JobManager needs, for the checkpoints it holds",
            inputs.current_heap,
        ),
        Value("metadata", load.metadata, BYTES, "the current _metadata file of one checkpoint"),
        Value("list_elements", load.elements, COUNT, "list elements in one subtask"),
        Value("inlined", load.inlined * inputs.subtasks, BYTES, "inlined state in one checkpoint, over all subtasks"),
    ]
    binding = _fits(inputs, load) if remedy is None else remedy.binding
    if not carried:
        binding += f", and Flink accepts frames up to {exactly(ack.LARGEST_FRAME)}"
    old = index < _FIRST_HEAP_OPTION and "jobmanager.memory.heap.size" in settings
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        settings=settings,
        remove=("jobmanager.memory.process.size", "jobmanager.memory.flink.size")
        if "jobmanager.memory.heap.size" in settings
        else (),
        elsewhere=(
            *(() if remedy is None else remedy.elsewhere),
            *((Snippet("Flink configuration", f"jobmanager.heap.size: {heap >> 20}m"),) if old else ()),
        ),
        errors=tuple(errors),
        warnings=tuple(warnings),
        chart=_chart(inputs, load, frame if carried else inputs.frame),
    )


def _fits(inputs: RpcSize, load: Load) -> str:
    return f"a message of {spell_size(load.message)} fits the frame of {exactly(inputs.frame)} with room"


def _is_tight(inputs: Reported, load: Load) -> bool:
    return load.held(inputs) > ack.room_on_heap(inputs.current_heap)


def _heap_step(inputs: Reported, metadata: int, kept: int, heap: int) -> str:
    text = (
        f"Heap: {spell_size(metadata)} x ({spell_count(inputs.retained)} retained + {spell_count(inputs.concurrent)} "
        f"in progress + 1 being replaced) = {spell_size(kept)}"
    )
    if heap == ack.JOBMANAGER_HEAP:
        return f"{text}, within 30 % of a heap of 1 GiB, so {spell_size(heap)} is enough."
    return f"{text}; with 1 GiB for everything else, in whole 256 MiB, that is {spell_size(heap)}."


def _symptom(index: int) -> str:
    if ack.is_silent(index):
        return (
            'What to look for: "Discarding oversized payload ... was N bytes" in the log of a TaskManager; the '
            "checkpoint stays in progress until its timeout, and the JobManager logs only that it expired."
        )
    return (
        'What to look for: "The rpc invocation size N exceeds the maximum akka framesize" in the log of the '
        "JobManager or a TaskManager; the checkpoint fails at once."
    )


def _judge(inputs: Reported, load: Load, index: int) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the current settings."""
    errors: list[str] = []
    warnings: list[str] = []
    if load.message > inputs.frame:
        outcome = (
            "the TaskManager drops it, and the checkpoint expires at its timeout"
            if ack.is_silent(index)
            else "the checkpoint fails"
        )
        errors.append(
            f"an acknowledgement of {spell_count(load.message)} bytes does not fit the frame of "
            f"{spell_count(inputs.frame)} bytes: {outcome}"
        )
    elif ack.with_room(load.message) > inputs.frame:
        warnings.append(
            f"an acknowledgement of {spell_count(load.message)} bytes leaves less than a fifth of the frame of "
            f"{spell_count(inputs.frame)} bytes"
        )
    if load.message > ack.LARGEST_FRAME:
        errors.append(
            f"no frame is large enough for an acknowledgement of {spell_size(load.message)}: Flink accepts "
            f"{exactly(ack.LARGEST_FRAME)} at most"
        )
    if inputs.threshold > ack.LARGEST_THRESHOLD:
        warnings.append(
            f"a threshold of {spell_size(inputs.threshold)} is above 1 MiB: Flink ignores it and inlines state up to "
            f"{spell_size(load.threshold)}"
        )
    kept, heap = load.held(inputs), inputs.current_heap
    if load.message > ack.LARGEST_FRAME:
        return errors, warnings  # the message never reaches the JobManager
    if kept > heap:
        errors.append(
            f"the JobManager holds {spell_size(kept)} of checkpoints, more than its heap of {spell_size(heap)}: it "
            "fails with OutOfMemoryError"
        )
    elif _is_tight(inputs, load):
        warnings.append(f"checkpoints take {spell_size(kept)} of the JobManager's heap of {spell_size(heap)}")
    return errors, warnings


def _chart(inputs: Reported, load: Load, frame: int) -> Chart:
    """Return a chart of the message size against list elements or inlined state, with the frame size as a line."""
    if load.inlined > load.lists:
        count, each, x = math.ceil(load.inlined / load.piece), load.piece, "pieces of inlined state in one subtask"
    else:
        count, each, x = load.elements, ack.BYTES_OF_AN_ELEMENT, "list elements in one subtask"
    rest = load.message - count * each
    most = max(count * 5 // 4, math.ceil(ack.with_room(max(inputs.frame, 1)) / each))
    xs = sorted({most * step // 40 for step in range(41)})
    lines = [
        Series("acknowledgement", tuple((float(at), float(rest + at * each)) for at in xs)),
        Series("current frame", ((0.0, float(inputs.frame)), (float(most), float(inputs.frame)))),
    ]
    points = [Point("now", float(count), float(load.message))]
    if frame != inputs.frame:
        lines.append(Series("frame recommended", ((0.0, float(frame)), (float(most), float(frame)))))
        points.append(Point("recommended", float(count), float(frame)))
    return Chart(f"Acknowledgement against {x}", x, COUNT, "message", BYTES, tuple(lines), tuple(points))


def load_of_rpc(inputs: CurrentRpc, release: Release) -> Answer:
    """Compute the list elements and inlined state that the current frame, inline threshold and heap allow."""
    index = nearest_index(release)
    load = load_of(inputs, index)
    beside = load.message - load.lists
    fixed = beside - ack.envelope(inputs.operators)
    most = ack.max_elements(inputs.frame - fixed, inputs.operators)
    safe = ack.max_elements(inputs.frame, inputs.operators, ack.HEADROOM) - math.ceil(fixed / ack.BYTES_OF_AN_ELEMENT)
    room = ack.room_on_heap(inputs.current_heap)
    on_heap = room // ack.copies_held(inputs.retained, inputs.concurrent) // (ack.BYTES_OF_AN_ELEMENT * inputs.subtasks)
    carried = max(0, min(safe, on_heap))
    free = max(0, ack.usable(inputs.frame) - load.message + load.inlined)
    steps = [
        (
            f"List elements: ({spell_count(inputs.frame)} / {significant(ack.HEADROOM)} - {spell_count(beside)} bytes "
            f"of everything else) / {ack.BYTES_OF_AN_ELEMENT} = {spell_count(max(0, safe))} with room; at "
            f"{spell_count(most)} the frame is full."
        ),
        (
            f"On the heap: {spell_size(room)} for checkpoints / ({spell_count(inputs.retained)} retained + "
            f"{spell_count(inputs.concurrent)} in progress + 1 being replaced) / {spell_count(inputs.subtasks)} x 8 "
            f"bytes = {spell_count(on_heap)} list elements in each subtask."
        ),
    ]
    values = [
        Value("safe_list_elements", carried, COUNT, "list elements in one subtask, with room", load.elements),
        Value("most_list_elements", most, COUNT, "list elements in one subtask that fill the frame"),
    ]
    if load.threshold:
        pieces = free // load.threshold
        steps.append(
            f"Inlined state: {spell_count(free)} free bytes / {spell_size(load.threshold)} = {spell_count(pieces)} "
            "pieces in one subtask."
        )
        values.append(
            Value(
                "safe_handles",
                pieces,
                COUNT,
                "pieces of state just below the threshold in one subtask, in addition to its list elements",
                inputs.handles,
            )
        )
    errors, warnings = _judge(inputs, load, index)
    values.append(Value("message", load.message, MESSAGE, "the acknowledgement of a subtask now"))
    steps += [*load.steps, _symptom(index)]
    return Answer(
        values=tuple(values),
        binding=(
            f"the JobManager's heap of {spell_size(inputs.current_heap)} has no room for more elements of "
            f"{counted(inputs.subtasks, 'subtask')}"
            if on_heap < safe
            else f"the frame of {exactly(inputs.frame)} fits no more elements with a fifth to spare"
        ),
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=tuple(warnings),
        chart=_chart(inputs, load, inputs.frame),
    )


CALCULATOR = Calculator(
    name="rpc-size",
    title="RPC size: frame, inline threshold and JobManager heap",
    question="Checkpoints expire, or the JobManager takes minutes to finalize them",
    forward=Way(
        RpcSize, size_rpc, {"sequence": "200M", "parallelism": "8", "tasks": "2", "frame": "100485760b"},
    ),
    reverse=Way(
        CurrentRpc, load_of_rpc, {"frame": "10485760b", "threshold": "20kb", "list_elements": "1.4M"},
    ),
)  # fmt: skip

"""Inputs of the RPC size calculator, and the size of the checkpoint acknowledgement that results from them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    BadQuantity,
    Unit,
    parse_size,
    spell_count,
    spell_size,
)
from flink_flint.linter.flink.releases import NEWEST, release_at
from flink_flint.linter.text.named_tuple import NamedTuple

_BYTES = r"([0-9]{1,18})"
_IN_A_LOG = re.compile(
    rf"rpc invocation size {_BYTES} exceeds|Discarding oversized payload.{{0,1000}} was {_BYTES} bytes", re.DOTALL
)
_SURELY_LISTS = 100
"""Number of inlined state pieces in one subtask above which list state is the likelier cause of a message's size."""


def parse_message(text: str) -> int:
    """Parse a message size into bytes, from a log line that contains it, a plain number, or a size with a unit."""
    if found := _IN_A_LOG.search(text):
        return int(found[1] or found[2])
    digits = text.strip()
    return parse_size(f"{digits} b" if digits.isdecimal() else text)


def parse_frame(text: str) -> int:
    """Parse a frame size into bytes as Flink does (``10MB`` is decimal), or like other sizes if Flink rejects it."""
    from flink_flint.linter.flink.frame_size import parse_hocon_bytes
    from flink_flint.linter.flink.java_text import BadValue

    try:
        return int(parse_hocon_bytes(text))
    except BadValue as refused:
        try:
            return parse_size(text)
        except BadQuantity:
            raise BadQuantity(str(refused)) from None


def exactly(size: float) -> str:
    """Format a size with a binary unit if it is a whole number of MiB, otherwise as a plain number of bytes."""
    return spell_size(size) if size and size % (1 << 20) == 0 else f"{spell_count(size)} bytes"


MESSAGE = Unit("bytes", parse_message, exactly, "199965215", ("string", "number"))
FRAME = Unit("bytes", parse_frame, exactly, "10485760b")


def heap_within(process: int) -> int:
    """Return the bytes of heap that Flink 1.11 to 2.3 gives a JobManager process of `process` bytes by default.

    The result is 0 if Flink refuses the process.
    """
    from flink_flint.linter.flink.configuration import Configuration
    from flink_flint.linter.flink.memory.jobmanager import jobmanager
    from flink_flint.linter.flink.memory.options_reader import MemoryRefused

    size = {"jobmanager.memory.process.size": f"{process} bytes"}
    try:
        return jobmanager(Configuration(size, release_at(NEWEST), yaml=True)).heap
    except MemoryRefused:
        return 0


# -- inputs


def _unseen(inputs: Reported) -> bool:
    return not isinstance(inputs, RpcSize) or inputs.observed is None


def _has_list(inputs: Reported) -> bool:
    in_sequence = inputs.sequence if isinstance(inputs, RpcSize) else None
    return _unseen(inputs) and bool(inputs.list_elements or in_sequence)


def _lacks_sequence(inputs: RpcSize) -> bool:
    return _unseen(inputs) and inputs.sequence is None


def _has_pieces(inputs: Reported) -> bool:
    return _unseen(inputs) and bool(inputs.handles)


def _is_meaningless(inputs: RpcSize) -> bool:
    return _unseen(inputs) and inputs.sequence is None and inputs.handles is None and inputs.files is None


def _lacks_heap(inputs: Reported) -> bool:
    return inputs.heap is None


@dataclass(frozen=True, kw_only=True)
class Reported(Inputs):
    """Inputs shared by `RpcSize` and `CurrentRpc`: the state that a task reports in checkpoints, and its limits."""

    list_elements: int | None = ask(
        COUNT,
        "elements of operator list state in the subtask with the largest number",
        default=None,
        least=0,
        when=_lacks_sequence,
        needed=_is_meaningless,
    )
    element_size: int = ask(
        BYTES, "the serialized size of one element", default=8, assumed="a long", least=1, when=_has_list
    )
    handles: int | None = ask(
        COUNT,
        "pieces of small state in one subtask: for each stateful operator one for its keyed state, one for its lists",
        default=None,
        least=0,
        when=_unseen,
    )
    handle_size: int | None = ask(
        BYTES,
        "the size of such a piece (default: the largest that is inlined)",
        default=None,
        least=1,
        when=_has_pieces,
        example="100kb",
    )
    files: int | None = ask(
        COUNT, "RocksDB files that an incremental checkpoint of one subtask names", default=None, least=0, when=_unseen
    )
    operators: int = ask(
        COUNT, "stateful operators chained in the task", default=1, assumed="one operator", least=1, when=_unseen
    )
    parallelism: int = ask(
        COUNT, "subtasks of the task", default=1, assumed="one subtask", least=1, option="parallelism.default"
    )
    tasks: int = ask(COUNT, "identical tasks, such as several such sources", default=1, assumed="one task", least=1)
    frame: int = ask(
        FRAME,
        "the current frame size",
        default=ack.DEFAULT_FRAME,
        assumed="Flink's default",
        least=ack.SMALLEST_FRAME,
        most=(1 << 31) - 1,
        option="pekko.framesize",
    )
    threshold: int = ask(
        BYTES,
        "the current inline threshold",
        default=20 << 10,
        assumed="Flink's default",
        least=0,
        option="execution.checkpointing.data-inline-threshold",
    )
    retained: int = ask(
        COUNT,
        "completed checkpoints that are kept",
        default=1,
        assumed="Flink's default",
        least=1,
        option="execution.checkpointing.num-retained",
    )
    concurrent: int = ask(
        COUNT,
        "checkpoints in progress at once",
        default=1,
        assumed="Flink's default",
        least=1,
        option="execution.checkpointing.max-concurrent-checkpoints",
    )
    heap: int | None = ask(
        BYTES,
        "the JobManager's current heap",
        default=None,
        above=0,
        option="jobmanager.memory.heap.size",
    )
    process: int = ask(
        BYTES,
        "the JobManager's current process size, of which the heap is a part",
        default=1600 << 20,
        assumed="Flink's default configuration",
        above=0,
        option="jobmanager.memory.process.size",
        when=_lacks_heap,
    )

    @property
    def current_heap(self) -> int:
        """The size of the JobManager's current heap in bytes."""
        return self.heap or heap_within(self.process)

    @property
    def subtasks(self) -> int:
        """The number of subtasks that acknowledge a checkpoint."""
        return self.parallelism * self.tasks

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.heap is None and heap_within(self.process) <= 0:
            yield BadInput("process", f"{spell_size(self.process)} leaves no heap; allowed: above 576 MiB")


@dataclass(frozen=True, kw_only=True)
class RpcSize(Reported):
    """Inputs for sizing the RPC frame, the inline threshold and the JobManager heap."""

    observed: int | None = ask(
        MESSAGE, "the size of a message that did not fit, from the log, or the whole log line", default=None, above=0
    )
    sequence: int | None = ask(
        COUNT,
        "list elements over all subtasks, such as those that a datagen sequence has yet to emit",
        default=None,
        least=0,
        when=_unseen,
    )

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.observed is None and self.sequence is not None and self.list_elements is not None:
            yield BadInput(
                "list_elements",
                f"{spell_count(self.list_elements)} in one subtask contradicts {spell_count(self.sequence)} over all "
                "of them (--sequence); give one of the two",
            )


@dataclass(frozen=True, kw_only=True)
class CurrentRpc(Reported):
    """Inputs for computing the state that the current frame, inline threshold and heap allow."""

    list_elements: int | None = ask(
        COUNT, "current number of list state elements in the largest subtask", default=None, least=0
    )


class Load(NamedTuple):
    """The size of a subtask's acknowledgement, its parts, and the size of `_metadata` for all subtasks."""

    message: int
    elements: int
    """The number of elements of list state in one subtask."""
    inlined: int
    pieces: int
    """The number of pieces of state in one subtask, either inlined or in separate files."""
    files: int
    """The number of state files that the acknowledgement refers to."""
    piece: int
    """The size in bytes of one piece of state, other than list state."""
    threshold: int
    """The release's effective inline threshold, in bytes."""
    metadata: int
    is_seen: bool
    """Whether the acknowledgement's size is from a log, so that the sizes of its parts are estimates."""
    steps: tuple[str, ...]

    @property
    def lists(self) -> int:
        """The bytes that list elements occupy in the acknowledgement."""
        return ack.BYTES_OF_AN_ELEMENT * self.elements

    @property
    def names(self) -> int:
        """The bytes that the names of state files occupy in the acknowledgement."""
        return ack.BYTES_OF_A_FILE * self.files

    def held(self, inputs: Reported) -> int:
        """Return the bytes of the JobManager's heap that checkpoints occupy."""
        return ack.held(self.metadata, inputs.retained, inputs.concurrent)


def load_of(inputs: Reported, index: int) -> Load:
    """Return the sizes of the acknowledgement and of `_metadata`; `index` is the release's index in `MINORS`."""
    observed = inputs.observed if isinstance(inputs, RpcSize) else None
    load = _declared(inputs, index) if observed is None else _seen(inputs, observed, index)
    metadata = ack.metadata_size(inputs.subtasks, load.elements, load.inlined, load.pieces, load.files)
    step = (
        f"_metadata: {spell_count(inputs.subtasks)} x (8 x {spell_count(load.elements)} list elements + "
        f"{spell_count(load.inlined)} inlined + some more) = {spell_count(metadata)} bytes, {spell_size(metadata)}."
    )
    return load._replace(metadata=metadata, steps=(*load.steps, step))


def _declared(inputs: Reported, index: int) -> Load:
    """Return the parts of the message for the given state."""
    threshold = ack.effective_threshold(inputs.threshold, index)
    steps = []
    elements = inputs.list_elements or 0
    sequence = inputs.sequence if isinstance(inputs, RpcSize) else None
    if sequence is not None:
        elements = math.ceil(sequence / inputs.parallelism)
        steps.append(
            f"List elements of one subtask: {spell_count(sequence)} / {spell_count(inputs.parallelism)} = "
            f"{spell_count(elements)}."
        )
    piece = threshold if inputs.handle_size is None else inputs.handle_size
    handles, files = inputs.handles or 0, inputs.files or 0
    inlined = ack.inlined(handles, piece, threshold)
    inlined += ack.inlined(1, ack.list_state(elements, inputs.element_size), threshold)
    if not ack.inlined(1, piece, threshold):
        files += handles
    message = ack.acknowledgement(elements, inlined, inputs.operators, files)
    steps.append(
        f"Message of one subtask: 8 x {spell_count(elements)} list elements + {spell_count(inlined)} inlined + "
        f"{ack.BYTES_OF_A_FILE} x {spell_count(files)} files + {spell_count(ack.envelope(inputs.operators))} = "
        f"{spell_count(message)} bytes."
    )
    pieces = handles + bool(elements)
    return Load(message, elements, inlined, pieces, files, piece, threshold, 0, False, tuple(steps))


def _seen(inputs: Reported, message: int, index: int) -> Load:
    """Return the likely parts of a message size that was found in a log."""
    threshold = ack.effective_threshold(inputs.threshold, index)
    elements = ack.elements_of(message)
    steps = (
        (
            f"If it consists of list elements: ({spell_count(message)} - {spell_count(ack.envelope())}) / 8 = "
            f"{spell_count(elements)} in one subtask."
        ),
    )
    if not threshold:
        step = "It is not inlined state: with a threshold of 0 there is none."
        return Load(message, elements, 0, 1, 0, 0, threshold, 0, True, (*steps, step))
    pieces = math.ceil(message / threshold)
    text = (
        f"If it consists of inlined state: {spell_count(message)} / {exactly(threshold)} = {spell_count(pieces)} "
        "pieces just below the threshold in one subtask"
    )
    if pieces > _SURELY_LISTS:
        step = f"{text}, more than a chain of operators has."
        return Load(message, elements, 0, 1, 0, threshold, threshold, 0, True, (*steps, step))
    inlined = max(0, message - ack.envelope())
    return Load(message, 0, inlined, pieces, 0, threshold, threshold, 0, True, (*steps, f"{text}, which is possible."))

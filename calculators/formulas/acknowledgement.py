"""What a checkpoint's acknowledgement, its `_metadata` file and the JobManager's heap hold of the state.

A task acknowledges a checkpoint with one RPC message. It carries, for its subtask, eight bytes for every element of
operator list state (where the element begins in the state's file), all state up to the inline threshold, and the names
of the files that hold the rest. The JobManager keeps that on its heap and writes it to `_metadata`.

Sizes are in bytes. Measured on clusters of Flink 1.20.5 and on its own classes: 1 400 000 elements in one list make
a message of 11 204 868 bytes, and `_metadata` files agree with `metadata_size` to the byte for inlined state of one
operator.
"""

from __future__ import annotations

import math

from flink_flint.linter.flink.releases import MINORS

BYTES_OF_A_MESSAGE = 4_528
"""The message itself, with the checkpoint's metrics."""
BYTES_OF_AN_OPERATOR = 340
"""What each stateful operator of the chain adds besides its state; both measured on 1.20.5, for one to three operators
with one to four lists each."""
BYTES_OF_AN_ELEMENT = 8
"""A Java long for each element of operator list state: where it begins."""
BYTES_OF_A_FILE = 370
"""The name, size and identity of one file of state, in a message; 133 to 370 were measured."""
BYTES_OF_A_LIST = 190
"""What serialized list state has besides its elements."""

LARGEST_THRESHOLD = 1 << 20
"""Above this Flink ignores the inline threshold and takes the default."""
DEFAULT_THRESHOLD = 20 << 10
OLD_DEFAULT_THRESHOLD = 1 << 10
"""The inline threshold up to 1.10."""
USUAL_THRESHOLDS = (DEFAULT_THRESHOLD, 10 << 10, 5 << 10, 2 << 10, 1 << 10)
DEFAULT_FRAME = 10 << 20
SMALLEST_FRAME = 32_000
LARGEST_FRAME = 2047 << 20
"""The largest frame of whole mebibytes: Flink takes up to 2 147 483 647 bytes."""
HEADROOM = 1.25
"""Room of a frame above the largest message it is known to carry."""

_METADATA = 686
_METADATA_INLINED = 170
_METADATA_FILE = 110

MAX_FILES = 10_000
"""Files for one checkpoint above which file systems slow it down."""

JOBMANAGER_HEAP = 1 << 30
"""The heap that JobManagers have by default (process size 1600 MiB), and need beside large checkpoints."""
LARGEST_HEAP = 32 << 30
"""A heap of a JobManager above which something else is wrong than its size."""
CHECKPOINTS_SHARE = 0.3
"""The part of a JobManager's heap that checkpoints may take without need for more."""
_HEAP_STEP = 256 << 20

_FIRST_20_KB = MINORS.index("1.11")
_FIRST_SILENT = MINORS.index("1.15")


# -- the inline threshold


def default_threshold(index: int) -> int:
    """The inline threshold a release takes when none is set, or one it ignores; `index` of its minor in MINORS."""
    return DEFAULT_THRESHOLD if index >= _FIRST_20_KB else OLD_DEFAULT_THRESHOLD


def effective_threshold(threshold: int, index: int) -> int:
    """The threshold a release (`index` in MINORS) goes by: its default for one above 1 MiB, which it ignores."""
    return threshold if threshold <= LARGEST_THRESHOLD else default_threshold(index)


def inlined(pieces: int, size: int, threshold: int) -> int:
    """The bytes of `pieces` of state of `size` bytes each that travel in the message: those up to the threshold, none
    where it is 0."""
    return pieces * size if size <= threshold else 0


def lower_threshold(size: int) -> int:
    """The largest usual threshold that puts pieces of `size` bytes into files of their own: 20 KiB at most, else 0."""
    return next((step for step in USUAL_THRESHOLDS if step < size), 0)


def list_state(elements: int, element: int = 8) -> int:
    """The bytes of list state of so many elements, `element` bytes each, as written to a file; 0 of none."""
    return elements * element + BYTES_OF_A_LIST if elements else 0


# -- the message


def envelope(operators: int = 1) -> int:
    """The bytes of a message without any state: itself and its stateful `operators`, at least 1."""
    return BYTES_OF_A_MESSAGE + BYTES_OF_AN_OPERATOR * operators


def acknowledgement(elements: int, inlined: int = 0, operators: int = 1, files: int = 0) -> int:
    """The bytes with which one task acknowledges a checkpoint.

    `elements` of list state in its subtask, over all chained operators; `inlined` bytes of state below the threshold;
    stateful `operators` in the chain, at least 1; `files` that hold the rest (those of RocksDB, where it is
    incremental). Keyed state adds 8 bytes for each key group of the subtask, 256 KiB at the very most, which the
    headroom of a frame bears; channel state of unaligned checkpoints comes on top.
    """
    return BYTES_OF_AN_ELEMENT * elements + inlined + envelope(operators) + BYTES_OF_A_FILE * files


def elements_of(message: int) -> int:
    """The elements of list state that make a message of so many bytes, if nothing else does."""
    return max(0, message - envelope()) // BYTES_OF_AN_ELEMENT


def fullest_task(threshold: int, operators: int, states: int) -> int:
    """The bytes with which a task acknowledges a checkpoint when all its state lies just below the threshold.

    `operators` stateful ones in the task's chain with `states` pieces of state each.
    """
    return acknowledgement(0, operators * states * threshold, operators)


def with_room(message: int, room: float = HEADROOM) -> float:
    """The bytes a frame needs for messages of so many bytes, `room` (a factor) included."""
    return message * room


def usable(frame: int, room: float = HEADROOM) -> int:
    """The bytes of a frame that messages may fill, so that `room` (a factor) is left: the inverse of `with_room`."""
    return math.floor(frame / room)


def frame_for(message: int, room: float = HEADROOM) -> int:
    """The frame size for messages of so many bytes: `room` times that in whole mebibytes, 10 to 2047 of them."""
    return min(max(math.ceil(with_room(message, room) / (1 << 20)), DEFAULT_FRAME >> 20), LARGEST_FRAME >> 20) << 20


def max_elements(frame: int, operators: int = 1, room: float = 1.0) -> int:
    """The most elements of list state in one subtask that a frame carries; with `room` 1.25 a fifth stays free."""
    return max(0, usable(frame, room) - envelope(operators)) // BYTES_OF_AN_ELEMENT


def subtasks_for(elements: int, frame: int, inlined: int = 0, operators: int = 1) -> int | None:
    """The subtasks over which so many elements in all fit a frame with room; None where no number of them does."""
    room = usable(frame) - inlined - envelope(operators)
    each = room // BYTES_OF_AN_ELEMENT
    return max(1, math.ceil(elements / each)) if each > 0 else None


def is_silent(index: int) -> bool:
    """Whether a release (`index` in MINORS) drops a message above the frame, so that the checkpoint just expires."""
    return index >= _FIRST_SILENT


# -- the JobManager


def metadata_size(subtasks: int, elements: int, inlined: int = 0, pieces: int = 1, files: int = 0) -> int:
    """The bytes of `_metadata`: what `subtasks` alike report, each as in `acknowledgement`.

    `pieces` of state in each subtask, inlined ones and others.
    """
    each = BYTES_OF_AN_ELEMENT * elements + BYTES_OF_A_FILE * files
    each += inlined + pieces * (_METADATA_INLINED if inlined else _METADATA_FILE)
    return _METADATA + subtasks * each


def copies_held(retained: int, concurrent: int = 1) -> int:
    """How many checkpoints' metadata a JobManager holds at most: those retained, those in progress, and the one that a
    newly completed one replaces, until its files are deleted.

    Measured on 1.20.5 with one retained: a JobManager lived with 120 MiB of heap for 19 MiB of metadata, with 172 MiB
    for 38 MiB and with 245 MiB for 76 MiB, and died of OutOfMemoryError at 115, 167 and 228 MiB: 2.2 to 2.7 bytes for
    each byte of metadata beside some 70 MiB.
    """
    return retained + concurrent + 1


def held(metadata: int, retained: int, concurrent: int = 1) -> int:
    """The bytes on the JobManager's heap for `metadata` bytes of each checkpoint, see `copies_held`."""
    return metadata * copies_held(retained, concurrent)


def jobmanager_heap(held: int) -> int:
    """The heap a JobManager wants for so many held bytes: 1 GiB, and where they exceed 30 % of it, 1 GiB beside them.

    In whole 256 MiB. The gibibyte is an allowance for everything else, not a measurement.
    """
    if held <= CHECKPOINTS_SHARE * JOBMANAGER_HEAP:
        return JOBMANAGER_HEAP
    return math.ceil((JOBMANAGER_HEAP + held) / _HEAP_STEP) * _HEAP_STEP


def room_on_heap(heap: int) -> int:
    """The bytes that checkpoints may hold on a JobManager's heap of so many bytes."""
    return max(math.floor(CHECKPOINTS_SHARE * heap), heap - JOBMANAGER_HEAP)

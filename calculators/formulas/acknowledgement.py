"""Sizes of a checkpoint acknowledgement, of its `_metadata` file, and of both on the JobManager's heap.

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
"""The heap that JobManagers have by default (process size 1600 MiB), and need besides large checkpoints."""
LARGEST_HEAP = 32 << 30
"""A heap of a JobManager above which something else is wrong than its size."""
CHECKPOINTS_SHARE = 0.3
"""The part of a JobManager's heap that checkpoints may take without need for more."""
_HEAP_STEP = 256 << 20

_FIRST_20_KB = MINORS.index("1.11")
_FIRST_SILENT = MINORS.index("1.15")


# -- the inline threshold


def default_threshold(index: int) -> int:
    """Return the inline threshold that applies if none, or an ignored one, is set; `index` is the minor's in MINORS."""
    return DEFAULT_THRESHOLD if index >= _FIRST_20_KB else OLD_DEFAULT_THRESHOLD


def effective_threshold(threshold: int, index: int) -> int:
    """Return the threshold a release (`index` in MINORS) uses: its default for values above 1 MiB, which it ignores."""
    return threshold if threshold <= LARGEST_THRESHOLD else default_threshold(index)


def inlined(pieces: int, size: int, threshold: int) -> int:
    """Return the bytes of state in the message: all `pieces` of `size` bytes up to the threshold, else 0."""
    return pieces * size if size <= threshold else 0


def lower_threshold(size: int) -> int:
    """Return the largest usual threshold (at most 20 KiB, else 0) that stores pieces of `size` bytes in own files."""
    return next((step for step in USUAL_THRESHOLDS if step < size), 0)


def list_state(elements: int, element: int = 8) -> int:
    """Return the bytes of list state with so many elements of `element` bytes each, as written to a file."""
    return elements * element + BYTES_OF_A_LIST if elements else 0


# -- the message


def envelope(operators: int = 1) -> int:
    """Return the bytes of a message without state: itself and its stateful `operators`, at least 1."""
    return BYTES_OF_A_MESSAGE + BYTES_OF_AN_OPERATOR * operators


def acknowledgement(elements: int, inlined: int = 0, operators: int = 1, files: int = 0) -> int:
    """Return the bytes with which one task acknowledges a checkpoint.

    `elements` of list state in its subtask, over all chained operators; `inlined` bytes of state below the threshold;
    stateful `operators` in the chain, at least 1; `files` that hold the rest (those of RocksDB, where it is
    incremental). Keyed state adds 8 bytes for each key group of the subtask, 256 KiB at the very most, which the
    headroom of a frame bears; channel state of unaligned checkpoints comes on top.
    """
    return BYTES_OF_AN_ELEMENT * elements + inlined + envelope(operators) + BYTES_OF_A_FILE * files


def elements_of(message: int) -> int:
    """Return the number of list elements that alone make a message of so many bytes."""
    return max(0, message - envelope()) // BYTES_OF_AN_ELEMENT


def fullest_task(threshold: int, operators: int, states: int) -> int:
    """Return the largest acknowledgement of a task, with every piece of state just below the threshold.

    `operators` stateful ones in the task's chain with `states` pieces of state each.
    """
    return acknowledgement(0, operators * states * threshold, operators)


def with_room(message: int, room: float = HEADROOM) -> float:
    """Return the bytes of a frame for messages of so many bytes, with `room` as a factor."""
    return message * room


def usable(frame: int, room: float = HEADROOM) -> int:
    """Return the bytes of a frame that messages may fill if `room` (a factor) is kept: the inverse of `with_room`."""
    return math.floor(frame / room)


def frame_for(message: int, room: float = HEADROOM) -> int:
    """Return the frame size for messages of so many bytes: `room` times that in whole MiB, from 10 to 2047."""
    return min(max(math.ceil(with_room(message, room) / (1 << 20)), DEFAULT_FRAME >> 20), LARGEST_FRAME >> 20) << 20


def max_elements(frame: int, operators: int = 1, room: float = 1.0) -> int:
    """Return the most list elements of one subtask that fit a frame; with `room` 1.25 a fifth stays free."""
    return max(0, usable(frame, room) - envelope(operators)) // BYTES_OF_AN_ELEMENT


def subtasks_for(elements: int, frame: int, inlined: int = 0, operators: int = 1) -> int | None:
    """Return the subtasks over which so many elements fit a frame with room; None if no number suffices."""
    room = usable(frame) - inlined - envelope(operators)
    each = room // BYTES_OF_AN_ELEMENT
    return max(1, math.ceil(elements / each)) if each > 0 else None


def is_silent(index: int) -> bool:
    """Return whether a release (`index` in MINORS) drops oversized messages, so that the checkpoint just expires."""
    return index >= _FIRST_SILENT


# -- the JobManager


def metadata_size(subtasks: int, elements: int, inlined: int = 0, pieces: int = 1, files: int = 0) -> int:
    """Return the bytes of `_metadata` for `subtasks` equal subtasks, each as in `acknowledgement`.

    `pieces` of state in each subtask, inlined ones and others.
    """
    each = BYTES_OF_AN_ELEMENT * elements + BYTES_OF_A_FILE * files
    each += inlined + pieces * (_METADATA_INLINED if inlined else _METADATA_FILE)
    return _METADATA + subtasks * each


def copies_held(retained: int, concurrent: int = 1) -> int:
    """Return the most checkpoints whose metadata a JobManager holds.

    These are the retained ones, those in progress, and the one that a newly completed one replaces, until its files are
    deleted.

    Measured on 1.20.5 with one retained: a JobManager lived with 120 MiB of heap for 19 MiB of metadata, with 172 MiB
    for 38 MiB and with 245 MiB for 76 MiB, and died of OutOfMemoryError at 115, 167 and 228 MiB: 2.2 to 2.7 bytes for
    each byte of metadata besides some 70 MiB.
    """
    return retained + concurrent + 1


def held(metadata: int, retained: int, concurrent: int = 1) -> int:
    """Return the bytes on the JobManager's heap for `metadata` bytes of each checkpoint, see `copies_held`."""
    return metadata * copies_held(retained, concurrent)


def jobmanager_heap(held: int) -> int:
    """Return the JobManager heap for so many bytes of metadata: 1 GiB, plus 1 GiB if they exceed 30 % of it.

    In whole 256 MiB. The gibibyte is an allowance for everything else, not a measurement.
    """
    if held <= CHECKPOINTS_SHARE * JOBMANAGER_HEAP:
        return JOBMANAGER_HEAP
    return math.ceil((JOBMANAGER_HEAP + held) / _HEAP_STEP) * _HEAP_STEP


def room_on_heap(heap: int) -> int:
    """Return the bytes that checkpoints may occupy on a JobManager heap of so many bytes."""
    return max(math.floor(CHECKPOINTS_SHARE * heap), heap - JOBMANAGER_HEAP)

"""Sizes of a checkpoint acknowledgement and of a `_metadata` file, and the JobManager heap that they use.

A task acknowledges a checkpoint with one RPC message. It contains, for its subtask, eight bytes for every element of
operator list state (the element's offset in the state's file), all state up to the inline threshold, and the names
of the files with the rest. The JobManager keeps that on its heap and writes it to `_metadata`.

Sizes are in bytes. Measured on clusters of Flink 1.20.5 and on its own classes: 1 400 000 elements in one list make
a message of 11 204 868 bytes, and `_metadata` files agree exactly with `metadata_size` for inlined state of one
operator.
"""

from __future__ import annotations

import math

from flink_flint.linter.flink.releases import MINORS

BYTES_OF_A_MESSAGE = 4_528
"""The size in bytes of a checkpoint acknowledgement without state, including the checkpoint's metrics."""
BYTES_OF_AN_OPERATOR = 340
"""The bytes that each stateful operator adds to an acknowledgement in addition to its state.

This and `BYTES_OF_A_MESSAGE` were measured on 1.20.5, for one to three operators with one to four lists each.
"""
BYTES_OF_AN_ELEMENT = 8
"""The bytes that each element of operator list state (an offset, which is a Java long) adds to an acknowledgement."""
BYTES_OF_A_FILE = 370
"""The maximum bytes that one state file (name, size and identity) adds to an acknowledgement; measured: 133 to 370."""
BYTES_OF_A_LIST = 190
"""The bytes that serialized list state needs in addition to its elements."""

LARGEST_THRESHOLD = 1 << 20
"""The maximum `execution.checkpointing.data-inline-threshold` in bytes; Flink uses the default for larger values."""
DEFAULT_THRESHOLD = 20 << 10
OLD_DEFAULT_THRESHOLD = 1 << 10
"""Flink's default threshold, in bytes, for inlining state in acknowledgements, up to Flink 1.10."""
USUAL_THRESHOLDS = (DEFAULT_THRESHOLD, 10 << 10, 5 << 10, 2 << 10, 1 << 10)
DEFAULT_FRAME = 10 << 20
SMALLEST_FRAME = 32_000
LARGEST_FRAME = 2047 << 20
"""The maximum RPC frame size in bytes, rounded down to whole MiB; Flink accepts up to 2,147,483,647 bytes."""
HEADROOM = 1.25
"""The recommended RPC frame size as a multiple of the size of the largest known message."""

_METADATA = 686
_METADATA_INLINED = 170
_METADATA_FILE = 110

MAX_FILES = 10_000
"""The number of files per checkpoint at which file systems start to slow checkpoints down."""

JOBMANAGER_HEAP = 1 << 30
"""The default JobManager heap in bytes (process size 1600 MiB), which is needed in addition to checkpoint metadata."""
LARGEST_HEAP = 32 << 30
"""The largest JobManager heap, in bytes, that flint recommends; a need for more points to another problem."""
CHECKPOINTS_SHARE = 0.3
"""The share (0 to 1) of the JobManager heap that checkpoint metadata may use before a larger heap is needed."""
_HEAP_STEP = 256 << 20

_FIRST_20_KB = MINORS.index("1.11")
_FIRST_SILENT = MINORS.index("1.15")


# -- the inline threshold


def default_threshold(index: int) -> int:
    """Return the default inline threshold in bytes; `index` is the index of the minor release in MINORS."""
    return DEFAULT_THRESHOLD if index >= _FIRST_20_KB else OLD_DEFAULT_THRESHOLD


def effective_threshold(threshold: int, index: int) -> int:
    """Return the effective inline threshold; values above 1 MiB become the release's default (`index` in MINORS)."""
    return threshold if threshold <= LARGEST_THRESHOLD else default_threshold(index)


def inlined(pieces: int, size: int, threshold: int) -> int:
    """Return the bytes of inlined state: `pieces` times `size` if `size` is at most the threshold, else 0."""
    return pieces * size if size <= threshold else 0


def lower_threshold(size: int) -> int:
    """Return the largest of the usual inline thresholds, up to 20 KiB, that does not inline state of `size` bytes."""
    return next((step for step in USUAL_THRESHOLDS if step < size), 0)


def list_state(elements: int, element: int = 8) -> int:
    """Return the size in bytes of list state in a file, with `elements` elements of `element` bytes each."""
    return elements * element + BYTES_OF_A_LIST if elements else 0


# -- the message


def envelope(operators: int = 1) -> int:
    """Return the bytes of an acknowledgement without state, for `operators` stateful operators (at least 1)."""
    return BYTES_OF_A_MESSAGE + BYTES_OF_AN_OPERATOR * operators


def acknowledgement(elements: int, inlined: int = 0, operators: int = 1, files: int = 0) -> int:
    """Return the size in bytes of the message with which one task acknowledges a checkpoint.

    `elements` of list state in its subtask, over all chained operators; `inlined` bytes of state below the threshold;
    stateful `operators` in the chain, at least 1; `files` with the rest (those of RocksDB, if it is
    incremental). Keyed state adds 8 bytes for each key group of the subtask, at most 256 KiB, which the
    headroom of a frame includes; channel state of unaligned checkpoints is not included.
    """
    return BYTES_OF_AN_ELEMENT * elements + inlined + envelope(operators) + BYTES_OF_A_FILE * files


def elements_of(message: int) -> int:
    """Return the number of list elements in an acknowledgement of `message` bytes that has no other state."""
    return max(0, message - envelope()) // BYTES_OF_AN_ELEMENT


def fullest_task(threshold: int, operators: int, states: int) -> int:
    """Return the bytes of a task's largest acknowledgement, if every piece of state is as large as the threshold.

    The task's chain has `operators` stateful operators with `states` pieces of state each.
    """
    return acknowledgement(0, operators * states * threshold, operators)


def with_room(message: int, room: float = HEADROOM) -> float:
    """Return the frame size in bytes for messages of `message` bytes: `message` times `room`."""
    return message * room


def usable(frame: int, room: float = HEADROOM) -> int:
    """Return the largest message in bytes for a frame: the frame divided by `room`, the inverse of `with_room`."""
    return math.floor(frame / room)


def frame_for(message: int, room: float = HEADROOM) -> int:
    """Return the frame size to configure, in bytes: `message` times `room` in whole MiB, between 10 and 2047 MiB."""
    return min(max(math.ceil(with_room(message, room) / (1 << 20)), DEFAULT_FRAME >> 20), LARGEST_FRAME >> 20) << 20


def max_elements(frame: int, operators: int = 1, room: float = 1.0) -> int:
    """Return the maximum number of list elements per subtask that fit a frame; a `room` of 1.25 leaves a fifth free."""
    return max(0, usable(frame, room) - envelope(operators)) // BYTES_OF_AN_ELEMENT


def subtasks_for(elements: int, frame: int, inlined: int = 0, operators: int = 1) -> int | None:
    """Return the minimum number of subtasks at which `elements` list elements fit a frame; None if there is none."""
    room = usable(frame) - inlined - envelope(operators)
    each = room // BYTES_OF_AN_ELEMENT
    return max(1, math.ceil(elements / each)) if each > 0 else None


def is_silent(index: int) -> bool:
    """Return whether a release (`index` in MINORS) drops oversized messages, so that checkpoints just expire."""
    return index >= _FIRST_SILENT


# -- the JobManager


def metadata_size(subtasks: int, elements: int, inlined: int = 0, pieces: int = 1, files: int = 0) -> int:
    """Return the bytes of `_metadata` for `subtasks` equal subtasks; see `acknowledgement` for the other arguments.

    Each subtask has `pieces` pieces of state, inlined or not.
    """
    each = BYTES_OF_AN_ELEMENT * elements + BYTES_OF_A_FILE * files
    each += inlined + pieces * (_METADATA_INLINED if inlined else _METADATA_FILE)
    return _METADATA + subtasks * each


def copies_held(retained: int, concurrent: int = 1) -> int:
    """Return the maximum number of checkpoints whose metadata is on a JobManager's heap at once.

    These are the retained checkpoints, those in progress, and the one that a newly completed one replaces, until its
    files are deleted.

    Measured on 1.20.5 with one retained: a JobManager survived with 120 MiB of heap for 19 MiB of metadata, with
    172 MiB for 38 MiB and with 245 MiB for 76 MiB, and failed with OutOfMemoryError at 115, 167 and 228 MiB: 2.2 to 2.7
    bytes for each byte of metadata in addition to some 70 MiB.
    """
    return retained + concurrent + 1


def held(metadata: int, retained: int, concurrent: int = 1) -> int:
    """Return the bytes that checkpoints use on the JobManager's heap, for `metadata` bytes per checkpoint."""
    return metadata * copies_held(retained, concurrent)


def jobmanager_heap(held: int) -> int:
    """Return the JobManager heap in bytes for `held` bytes of metadata: 1 GiB, or more if they exceed 30 % of it.

    A larger heap is 1 GiB (an allowance for everything else, not a measurement) plus `held`, in whole 256 MiB.
    """
    if held <= CHECKPOINTS_SHARE * JOBMANAGER_HEAP:
        return JOBMANAGER_HEAP
    return math.ceil((JOBMANAGER_HEAP + held) / _HEAP_STEP) * _HEAP_STEP


def room_on_heap(heap: int) -> int:
    """Return how many bytes checkpoint metadata may use on a JobManager heap of `heap` bytes."""
    return max(math.floor(CHECKPOINTS_SHARE * heap), heap - JOBMANAGER_HEAP)

"""The output of every source: samples of series, records about jobs, and unusable rows.

A series is described once and its samples refer to it by position, so that no text is repeated per sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flink_flint.linter.text.named_tuple import NamedTuple

JOBMANAGER = "jobmanager"
JOB = "job"
TASKMANAGER = "taskmanager"
TASK = "task"
OPERATOR = "operator"
STREAM = "stream"
"""The scope of metrics of a stream or topic outside Flink, as CloudWatch reports them."""

SCOPES = (JOBMANAGER, JOB, TASKMANAGER, TASK, OPERATOR, STREAM)


class SeriesKey(NamedTuple):
    """The identity of a series: its metric and where it was measured; empty or -1 means unknown or not applicable."""

    metric: str
    """Flink's own dotted name (``Status.JVM.Memory.Heap.Used``) if the vocabulary has it, otherwise as reported."""
    scope: str
    """The scope of the metric, one of `SCOPES`."""
    cluster: str = ""
    job: str = ""
    """The job's name as the source spells it."""
    job_id: str = ""
    task: str = ""
    """The name of the task (vertex) as the source spells it."""
    task_id: str = ""
    operator: str = ""
    operator_id: str = ""
    subtask: int = -1
    attempt: int = -1
    tm: str = ""
    """The ID of the TaskManager that reported the series; empty for series of other scopes, or if it is unknown."""
    part: str = ""
    """The part of the scope that the metric is about, such as a RocksDB state, a shard or a partition."""
    counter: bool = False
    """Whether the value only grows until its reporter restarts."""


class Record(NamedTuple):
    """A fact about a job or a cluster other than a sample, such as its settings or its topology."""

    kind: str
    """The kind of fact: ``configuration``, ``checkpointing``, ``topology``, ``run``, ``exception``, ``taskmanager``."""
    cluster: str
    job: str
    job_id: str
    time: int
    """The time, in milliseconds since the epoch, at which the event happened or the state began."""
    body: dict[str, Any]
    """The details of the fact as JSON-compatible data; the fields depend on `kind`.

    ``configuration``: the settings by key, secrets already hidden. ``topology``: ``vertices`` (list of ``id``,
    ``name``, ``parallelism``, ``max_parallelism``, ``inputs``: list of ``id``, ``ship``). ``run``: ``state``,
    ``start``, ``end``. ``exception``: ``type``, ``message`` (first line).
    """


class Bad(NamedTuple):
    """An unusable row, kept with the reason."""

    where: str
    """The location of the row in its source: ``path:line`` or ``path#part``."""
    reason: str
    """The reason why the row is unusable, as a fixed phrase without values: ``value is not a number``."""
    text: str
    """The text of the row, truncated to 200 characters."""


class Batch(NamedTuple):
    """A part of a source's samples and records."""

    keys: list[SeriesKey]
    index: NDArray[np.int32]  # type: ignore[assignment]  # hides a method of tuples that is not needed here
    """For each sample, the position in `keys` of the series that it belongs to."""
    times: NDArray[np.int64]
    """The times of the samples in milliseconds since the epoch."""
    values: NDArray[np.float64]
    """The values of the samples in the unit of Flink's metric, possibly NaN."""
    records: list[Record]
    bad: list[Bad]


_CUT = 200


class Gathering:
    """A builder of batches while a source is read; `full` shows when the batch is large enough to emit."""

    def __init__(self, most: int = 2_000_000) -> None:
        self._most = most
        self._clear()

    def _clear(self) -> None:
        self._places: dict[SeriesKey, int] = {}
        self._index: list[int] = []
        self._times: list[int] = []
        self._values: list[float] = []
        self._blocks: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]] = []
        self._records: list[Record] = []
        self._bad: list[Bad] = []
        self._held = 0

    def series(self, key: SeriesKey) -> int:
        """Return the position of a series in the current batch, for `add` and `extend`."""
        return self._places.setdefault(key, len(self._places))

    def add(self, place: int, time: int, value: float) -> None:
        """Add one sample; `time` is in milliseconds since the epoch."""
        self._index.append(place)
        self._times.append(time)
        self._values.append(value)
        self._held += 1

    def extend(self, place: int, times: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add many samples of one series; `times` are in milliseconds since the epoch."""
        self._blocks.append((np.full(len(times), place, np.int32), times, values))
        self._held += len(times)

    def record(self, record: Record) -> None:
        """Add a record to the batch."""
        self._records.append(record)

    def reject(self, where: str, reason: str, text: str) -> None:
        """Add an unusable row to the batch, with the reason."""
        self._bad.append(Bad(where, reason, text[:_CUT]))

    @property
    def full(self) -> bool:
        """Whether the batch is large enough to emit."""
        return self._held >= self._most or len(self._bad) >= self._most

    def take(self) -> Batch:
        """Return the batch and start a new one; positions of series start over."""
        if self._index:
            self._blocks.append(
                (
                    np.array(self._index, np.int32),
                    np.array(self._times, np.int64),
                    np.array(self._values, np.float64),
                )
            )
        index, times, values = (
            (np.concatenate(arrays) for arrays in zip(*self._blocks, strict=True))
            if self._blocks
            else (np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.float64))
        )
        batch = Batch(list(self._places), index, times, values, self._records, self._bad)
        self._clear()
        return batch

"""Samples of any source, put down by day and slice of jobs: the first half of an import, done by executors.

Each row of a staged file is one series of one day: its key, and its times and values as lists. Nothing is shuffled:
every executor writes what it reads, and the day's reducer reads what all of them wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from calculators.history.files import join, place_of
from calculators.history.sample import JOBMANAGER, STREAM, TASKMANAGER, Bad, Batch, Record, SeriesKey
from calculators.history.store import SLICES
from calculators.history.vocabulary import sanitised

DAY_MS = 86_400_000
DEFAULT_CLUSTER = "default"

_TEXT = pa.dictionary(pa.int32(), pa.string())
STAGED = pa.schema(
    [
        ("slice", pa.int32()),
        ("source", _TEXT),
        ("metric", _TEXT),
        ("scope", _TEXT),
        ("cluster", _TEXT),
        ("job", _TEXT),
        ("job_id", _TEXT),
        ("task", _TEXT),
        ("task_id", _TEXT),
        ("operator", _TEXT),
        ("operator_id", _TEXT),
        ("subtask", pa.int32()),
        ("attempt", pa.int32()),
        ("tm", _TEXT),
        ("part", _TEXT),
        ("counter", pa.bool_()),
        ("times", pa.list_(pa.int64())),
        ("values", pa.list_(pa.float64())),
    ]
)
"""A series of a day."""
_FLUSH = 16_000_000
"""Samples held before they are written."""


def slice_of(key: SeriesKey) -> int:
    """Which slice a series belongs to: all series of a job share one, and those of a cluster's processes do."""
    job = "" if key.scope in (JOBMANAGER, TASKMANAGER, STREAM) else sanitised(key.job or key.job_id)
    return blake2b(f"{key.cluster}\0{job}".encode(), digest_size=2).digest()[0] % SLICES


class Written(NamedTuple):
    """A staged file."""

    path: str
    day: str
    rows: int
    """Samples."""


class Staging:
    """Gathers batches and writes them by day."""

    def __init__(self, folder: str, source: str) -> None:
        self._folder = folder
        self._source = source
        self._batches: list[tuple[list[SeriesKey], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]] = []
        self._held = 0
        self.written: list[Written] = []
        self.bad: list[Bad] = []
        self.records: list[Record] = []
        self.samples = 0

    def take(self, batches: Iterable[Batch]) -> None:
        """Take what a source yields, in its order."""
        for batch in batches:
            self.bad.extend(batch.bad)
            self.records.extend(record._replace(cluster=record.cluster or DEFAULT_CLUSTER) for record in batch.records)
            self.samples += len(batch.times)
            if len(batch.times):
                self._batches.append((batch.keys, batch.index, batch.times, batch.values))
                self._held += len(batch.times)
            if self._held >= _FLUSH:
                self.flush()

    def refuse(self, path: str, reason: str) -> None:
        """Tell that a file as a whole cannot be used."""
        self.bad.append(Bad(path, "the file cannot be read", reason))

    def flush(self) -> None:
        """Write what is held."""
        if not self._batches:
            return
        keys, index, times, values = _joined(self._batches)
        self._batches, self._held = [], 0
        slices = np.array([slice_of(key) for key in keys], np.int32)
        # Series by slice, in the order they came, so that samples sorted by series stay sorted.
        rank = np.empty(len(keys), np.int32)
        order = np.lexsort((np.arange(len(keys)), slices))
        rank[order] = np.arange(len(keys), dtype=np.int32)
        ranked = rank[index]
        ordered = [keys[place] for place in order]
        first, last = int(times.min()) // DAY_MS, int(times.max()) // DAY_MS
        if first == last:
            self._write(first, ordered, slices[order], ranked, times, values)
            return
        days = times // DAY_MS
        for day in np.unique(days):
            chosen = days == day
            self._write(int(day), ordered, slices[order], ranked[chosen], times[chosen], values[chosen])

    def _write(
        self,
        day: int,
        keys: list[SeriesKey],
        slices: NDArray[np.int32],
        index: NDArray[np.int32],
        times: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        if (index[1:] < index[:-1]).any():
            index, times, values = _by_series(index, times, values)
        starts = _starts(index)
        present = index[starts]
        offsets = pa.array(np.append(starts, len(index)).astype(np.int32))
        table = staged(
            [keys[place] for place in present],
            slices[present],
            [self._source] * len(present),
            pa.ListArray.from_arrays(offsets, pa.array(times)),
            pa.ListArray.from_arrays(offsets, pa.array(values)),
        )
        name = str(np.datetime64(day, "D"))
        path = join(self._folder, name, f"{uuid4().hex}.parquet")
        write_by_slice(path, table)
        self.written.append(Written(path, name, len(index)))


def staged(
    keys: list[SeriesKey], slices: NDArray[np.int32], sources: list[str], times: pa.ListArray, values: pa.ListArray
) -> pa.Table:
    """A table of series of a day."""
    columns: dict[str, Any] = {"slice": slices, "source": sources, "times": times, "values": values}
    for place, name in enumerate(SeriesKey._fields):
        columns[name] = [key[place] for key in keys]
    return pa.table(
        [
            columns[one.name]
            if isinstance(columns[one.name], pa.Array)
            else pa.array(
                columns[one.name], one.type.value_type if pa.types.is_dictionary(one.type) else one.type
            ).cast(one.type)
            for one in STAGED
        ],
        schema=STAGED,
    )


def write_by_slice(path: str, table: pa.Table) -> int:
    """Write a table sorted by slice, a row group for each; returns its bytes. Raises OSError."""
    system, within = place_of(path)
    system.create_dir(within.rpartition("/")[0], recursive=True)
    slices = table.column("slice").to_numpy()
    bounds = np.flatnonzero(np.diff(slices, prepend=-1, append=-1))
    texts = [one.name for one in table.schema if pa.types.is_dictionary(one.type) or pa.types.is_string(one.type)]
    with system.open_output_stream(within) as stream:
        with parquet.ParquetWriter(
            stream,
            table.schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=texts,
            store_schema=True,
        ) as writer:
            for start, end in pairwise(bounds.tolist()):
                writer.write_table(table.slice(start, end - start), row_group_size=max(1, end - start))
        return int(stream.tell())


def read_slices(path: str, slices: range, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """The row groups of a file that hold the slices, in order."""
    system, within = place_of(path)
    with parquet.ParquetFile(system.open_input_file(within)) as file:
        place = file.schema_arrow.get_field_index("slice")
        for group in range(file.metadata.num_row_groups):
            held = file.metadata.row_group(group).column(place).statistics
            if held.max >= slices.start and held.min < slices.stop:
                yield file.read_row_group(group, columns=columns)


def _clustered(key: SeriesKey) -> SeriesKey:
    return key if key.cluster else key._replace(cluster=DEFAULT_CLUSTER)


def _joined(
    batches: list[tuple[list[SeriesKey], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]],
) -> tuple[list[SeriesKey], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Batches as one; the same series of several has one place."""
    places: dict[SeriesKey, int] = {}
    indexes = []
    for keys, index, _, _ in batches:
        moved = np.array(
            [
                places.setdefault(key if key.cluster else key._replace(cluster=DEFAULT_CLUSTER), len(places))
                for key in keys
            ],
            np.int32,
        )
        indexes.append(moved[index])
    return (
        list(places),
        np.concatenate(indexes),
        np.concatenate([times for _, _, times, _ in batches]),
        np.concatenate([values for _, _, _, values in batches]),
    )


def _starts(index: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where a run of samples of one series begins."""
    return np.append(0, np.flatnonzero(index[1:] != index[:-1]) + 1)


def _by_series(
    index: NDArray[np.int32], times: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Samples by series, each series in the order it came: whole runs are moved where there are few of them."""
    starts = _starts(index)
    if len(starts) * 16 > len(index):
        order = np.argsort(index, kind="stable")
        return index[order], times[order], values[order]
    ends = np.append(starts[1:], len(index))
    runs = np.argsort(index[starts], kind="stable")
    lengths = (ends - starts)[runs]
    place = np.repeat(starts[runs] - np.append(0, np.cumsum(lengths)[:-1]), lengths) + np.arange(len(index))
    return index[place], times[place], values[place]

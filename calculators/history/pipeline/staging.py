"""Staging of samples from any source, by day and slice of jobs: the first half of an import, run by executors.

Each row of a staged file is one series of one day: its key, and its times and values as lists. Nothing is shuffled:
every executor writes what it reads, and the day's reducer reads what all of them wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from flink_flint.calculators.history.file_access import join, place_of, reason_of
from flink_flint.calculators.history.samples import JOBMANAGER, STREAM, TASKMANAGER, Bad, Batch, Record, SeriesKey
from flink_flint.calculators.history.store.layout import SLICES
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.text.named_tuple import NamedTuple

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
"""The Arrow schema of a staged file, in which each row contains one series' samples of one day."""
_NUMBERS = (pa.list_(pa.float32()), pa.list_(pa.float64()))
_CUT = 200
_FLUSH = 16_000_000
"""Number of samples in memory before they are written."""
_FEW = 16
"""Minimum mean number of samples in a run; with fewer, the samples are sorted first."""


def slice_of(key: SeriesKey) -> int:
    """Return the slice number of a series; all series of a job, or of a cluster's processes, are in the same slice."""
    job = "" if key.scope in (JOBMANAGER, TASKMANAGER, STREAM) else sanitized(key.job or key.job_id)
    return blake2b(f"{key.cluster}\0{job}".encode(), digest_size=2).digest()[0] % SLICES


class Written(NamedTuple):
    """A staged file with samples of one day."""

    path: str
    day: str
    rows: int
    """The number of samples in the file."""


class _Run(NamedTuple):
    """Consecutive samples of one series and day, which are moved together because that is faster."""

    series: int
    day: int
    """Days since the epoch."""
    times: NDArray[np.int64]
    values: NDArray[np.float64]


def unread(path: str, reason: str) -> Bad:
    """Return the error for a file that cannot be read, with the reason."""
    return Bad(path, "the file cannot be read", reason[:_CUT])


class Staging:
    """A collector of batches that writes their samples to files by day."""

    def __init__(self, folder: str, source: str) -> None:
        self._folder = folder
        self._source = source
        self._batches: list[tuple[list[SeriesKey], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]] = []
        self._held = 0
        self.written: list[Written] = []
        self.bad: list[Bad] = []
        self.records: list[Record] = []
        self.refused: list[str] = []
        """Files that could not be read completely, for reasons that may be temporary."""
        self.samples = 0

    def take(self, batches: Iterable[Batch]) -> None:
        """Collect the batches of a source, in order."""
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
        """Record that a whole file is unusable."""
        self.refused.append(path)
        self.bad.append(unread(path, reason))

    def flush(self) -> None:
        """Write the collected samples to files by day."""
        if not self._batches:
            return
        places: dict[SeriesKey, int] = {}
        days: dict[int, list[_Run]] = {}
        for keys, index, times, values in self._batches:
            of_key = [places.setdefault(_clustered(key), len(places)) for key in keys]
            for run in _runs(index, times, values):
                days.setdefault(run.day, []).append(run._replace(series=of_key[run.series]))
        self._batches, self._held = [], 0
        series = list(places)
        slices = [slice_of(key) for key in series]
        for day, runs in sorted(days.items()):
            # By slice, then in the order of arrival, for series as well as for the samples of each.
            runs.sort(key=lambda run: (slices[run.series], run.series))
            self._write(day, series, slices, runs)

    def _write(self, day: int, series: list[SeriesKey], slices: list[int], runs: list[_Run]) -> None:
        firsts = [at for at, run in enumerate(runs) if not at or run.series != runs[at - 1].series]
        present = [runs[at].series for at in firsts]
        ends = np.cumsum([0, *(len(run.times) for run in runs)])
        offsets = pa.array(ends[[*firsts, len(runs)]].astype(np.int32))
        table = staged(
            [series[place] for place in present],
            np.array([slices[place] for place in present], np.int32),
            [self._source] * len(present),
            pa.ListArray.from_arrays(offsets, pa.array(np.concatenate([run.times for run in runs]))),
            pa.ListArray.from_arrays(offsets, pa.array(np.concatenate([run.values for run in runs]))),
        )
        name = str(np.datetime64(day, "D"))
        path = join(self._folder, name, f"{uuid4().hex}.parquet")
        write_by_slice(path, table)
        self.written.append(Written(path, name, int(ends[-1])))


def staged(
    keys: list[SeriesKey], slices: NDArray[np.int32], sources: list[str], times: pa.ListArray, values: pa.ListArray
) -> pa.Table:
    """Return a table of a day's series, with the columns of `STAGED`."""
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
    """Write a table as one row group per slice and return the file's size in bytes; raise OSError if that fails."""
    try:
        return _write(path, table)
    except OSError as error:
        raise OSError(f"{path}: cannot be written: {reason_of(error)}; the previous data is unchanged") from None


def _write(path: str, table: pa.Table) -> int:
    system, within = place_of(path)
    system.create_dir(within.rpartition("/")[0], recursive=True)
    slices = table.column("slice").to_numpy()
    bounds = np.flatnonzero(np.diff(slices, prepend=-1, append=-1))
    texts = [one.name for one in table.schema if pa.types.is_dictionary(one.type) or pa.types.is_string(one.type)]
    # Grouping the bytes of similar numbers by position makes files a fifth smaller, and faster to write and read.
    numbers = [f"{one.name}.list.element" for one in table.schema if one.type in _NUMBERS]
    with system.open_output_stream(within) as stream:
        with parquet.ParquetWriter(
            stream,
            table.schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=texts,
            column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
            store_schema=True,
        ) as writer:
            for start, end in pairwise(bounds.tolist()):
                writer.write_table(table.slice(start, end - start), row_group_size=max(1, end - start))
        return int(stream.tell())


def read_slices(path: str, slices: range, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Yield a file's row groups for `slices`, in order; raise ValueError if the file is missing or damaged."""
    try:
        yield from _read(path, slices, columns)
    except FileNotFoundError:
        raise ValueError(f"{path}: was deleted because another run changed the store; run the command again") from None
    except (OSError, pa.ArrowInvalid) as error:
        text = reason_of(error) if isinstance(error, OSError) else "it is not a complete Parquet file"
        raise ValueError(
            f"{path}: the store is damaged: {text}; restore it, or import again into a new folder"
        ) from None


def values_of(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return the concatenated values of a list column."""
    values: NDArray[Any] = pa.concat_arrays([chunk.flatten() for chunk in column.chunks]).to_numpy(zero_copy_only=False)
    return values


def _read(path: str, slices: range, columns: list[str] | None) -> Iterator[pa.Table]:
    system, within = place_of(path)
    with parquet.ParquetFile(system.open_input_file(within)) as file:
        place = file.schema_arrow.get_field_index("slice")
        for group in range(file.metadata.num_row_groups):
            held = file.metadata.row_group(group).column(place).statistics
            if held.max >= slices.start and held.min < slices.stop:
                yield file.read_row_group(group, columns=columns, use_threads=False)


def _clustered(key: SeriesKey) -> SeriesKey:
    """Return a key with its cluster, and with texts that can be encoded, as JSON may contain lone surrogates."""
    try:
        "".join(one for one in key if isinstance(one, str)).encode()
    except UnicodeEncodeError:
        key = SeriesKey._make(one.encode("utf-8", "replace").decode() if isinstance(one, str) else one for one in key)
    return key if key.cluster else key._replace(cluster=DEFAULT_CLUSTER)


def _runs(index: NDArray[np.int32], times: NDArray[np.int64], values: NDArray[np.float64]) -> Iterator[_Run]:
    """Yield the runs of a batch, those of a series and day in the order of arrival."""
    days = times // DAY_MS
    starts = _starts(index, days)
    if len(starts) * _FEW > len(index):
        order = np.lexsort((days, index))
        index, days, times, values = index[order], days[order], times[order], values[order]
        starts = _starts(index, days)
    bounds = pairwise([*starts.tolist(), len(index)])
    for series, day, (start, end) in zip(index[starts].tolist(), days[starts].tolist(), bounds, strict=True):
        yield _Run(series, day, times[start:end], values[start:end])


def _starts(index: NDArray[np.int32], days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions at which another series or day begins."""
    return np.flatnonzero(np.append(True, (index[1:] != index[:-1]) | (days[1:] != days[:-1])))

"""The canonical long form as Parquet, the fastest form to read.

It is read fastest if sorted by series and then by time, with texts as dictionaries and row groups of about a million
rows: then the rows of a series are adjacent, and nothing is sorted during the import.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from flink_flint.calculators.history.file_access import place_of
from flink_flint.calculators.history.samples import Bad, Batch, SeriesKey
from flink_flint.calculators.history.sources.canonical.rows import (
    COLUMNS,
    NO_METRIC,
    NO_TIME,
    WHO,
    UnusableError,
    key_of,
    missing_of,
)
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import (
    BREAKS_OFF,
    EARLIEST,
    LATEST,
    NO_NUMBER,
    OUT_OF_RANGE,
)

_MAGIC = b"PAR1"
_KEPT = 1000
"""Number of bad rows per reason and row group that are kept with their text."""


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file is Parquet."""
    return head.startswith(_MAGIC)


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield a batch per row group; raise ValueError if the file is not Parquet, is truncated or lacks a column."""
    system, within = place_of(path)
    try:
        file = parquet.ParquetFile(
            system.open_input_file(within), read_dictionary=_texts(system.open_input_file(within))
        )
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path}: is not a complete Parquet file ({_first_line(error)}); write it again") from None
    with file:
        names = file.schema_arrow.names
        if missing := missing_of(names):
            raise ValueError(
                f"{path}: has no column {missing[0]}; the canonical form requires ts, metric and value, and accepts "
                f"{', '.join(WHO[1:])}"
            )
        columns = [name for name in COLUMNS if name in names]
        first = 0
        for group in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            try:
                table = file.read_row_group(group, columns=columns)
            except (pa.ArrowInvalid, OSError) as error:
                bad = Bad(f"{path}#row {first + 1}", BREAKS_OFF, _first_line(error))
                yield Batch([], np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0), [], [bad])
                first += rows
                continue
            yield batch_of(table, f"{path}#row ", first + 1, options)
            first += rows


def _texts(stream: Any) -> list[str]:
    with parquet.ParquetFile(stream) as file:
        return [
            one.name for one in file.schema_arrow if pa.types.is_string(one.type) or pa.types.is_large_string(one.type)
        ]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]


def batch_of(table: pa.Table, where: str = "row ", first: int = 1, options: Options | None = None) -> Batch:
    """Convert canonical rows to a batch; rows with ``bad`` (where, reason, text) only report unusable input."""
    bad: list[Bad] = []
    if "bad" in table.column_names:
        result = table.column("bad")
        bad = [Bad(**one) for one in result.drop_null().to_pylist()]
        table = table.filter(result.is_null()).drop_columns(["bad"])
    options = options or Options()
    usable = np.ones(table.num_rows, bool)
    times, no_time = _times(table.column("ts"))
    values, no_value = _numbers(table.column("value"))
    checks = [
        (no_time, NO_TIME),
        (~no_time & ((times < EARLIEST) | (times >= LATEST)), OUT_OF_RANGE),
        (no_value, NO_NUMBER),
        (_nulls(table.column("metric")), NO_METRIC),
    ]
    for wrong, reason in checks:
        usable = _without(usable, wrong, reason, table, where, first, bad)
    codes, firsts = _series(table)
    keys: list[SeriesKey] = []
    places = np.full(len(firsts), -1, np.int32)
    named = table.select([name for name in WHO if name in table.column_names]).take(pa.array(firsts)).to_pylist()
    for place, row in enumerate(named):
        try:
            key = key_of(row, options)
        except UnusableError as error:
            usable = _without(usable, codes == place, str(error), table, where, first, bad)
            continue
        places[place] = len(keys)
        keys.append(key)
    index = places[codes]
    if not usable.all():
        index, times, values = index[usable], times[usable], values[usable]
    return Batch(keys, index, times, values, [], bad)


def _without(
    usable: NDArray[np.bool_], wrong: NDArray[np.bool_], reason: str, table: pa.Table, where: str, first: int,
    bad: list[Bad],
) -> NDArray[np.bool_]:  # fmt: skip
    """Return the usable rows without the wrong ones, which are added to `bad`."""
    rows = np.flatnonzero(usable & wrong)
    if not len(rows):
        return usable
    for row in rows[:_KEPT]:
        bad.append(Bad(f"{where}{first + row}", reason, str(table.slice(row, 1).to_pylist()[0])[:200]))
    if len(rows) > _KEPT:
        bad.extend(Bad(f"{where}{first + row}", reason, "") for row in rows[_KEPT:])
    return usable & ~wrong


def _times(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        zone = kind.tz if pa.types.is_timestamp(kind) else None
        exact = column.cast(pa.timestamp("ms", zone), safe=False).cast(pa.int64())
        return exact.fill_null(0).to_numpy(), _nulls(column)
    numbers, missing = _numbers(column)
    missing |= ~np.isfinite(numbers)
    numbers = np.where(missing, 0, numbers)
    seconds = np.abs(numbers) < 100_000_000_000
    return np.where(seconds, numbers * 1000, numbers).astype(np.int64), missing


def _numbers(column: pa.ChunkedArray) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a column as doubles, and which of its values are missing."""
    missing = _nulls(column)
    try:
        doubles = column.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return np.full(len(column), np.nan), np.ones(len(column), bool)
    if missing.any():
        doubles = doubles.fill_null(0.0)
    return doubles.to_numpy(), missing


def _nulls(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    if not column.null_count:
        return np.zeros(len(column), bool)
    found: NDArray[np.bool_] = column.is_null().to_numpy()
    return found


def _series(table: pa.Table) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return for each row the number of its series within the table, and the first row of each series."""
    columns = [_numbered(table.column(name)) for name in WHO if name in table.column_names]
    begins = np.zeros(table.num_rows, bool)
    begins[:1] = True
    for numbers, _ in columns:
        begins[1:] |= numbers[1:] != numbers[:-1]
    starts = np.flatnonzero(begins)
    codes, most = np.zeros(len(starts), np.int64), 1
    for numbers, width in columns:
        if most * width >= 2**62:
            _, codes = np.unique(codes, return_inverse=True)
            most = len(codes)
        codes, most = codes * width + numbers[starts], most * width
    _, first_runs, of_run = np.unique(codes, return_index=True, return_inverse=True)
    lengths = np.diff(np.append(starts, table.num_rows))
    return np.repeat(of_run.astype(np.int32), lengths), starts[first_runs]


def _numbered(column: pa.ChunkedArray) -> tuple[NDArray[Any], int]:
    """Return the values of a column as numbers from 0, equal for equal values, and the number of distinct ones."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    if not pa.types.is_dictionary(whole.type):
        whole = whole.dictionary_encode()
    width = len(whole.dictionary) + 1
    numbers = whole.indices.fill_null(width - 1) if whole.null_count else whole.indices
    return numbers.to_numpy(), width


SOURCE = Source(
    name="canonical-parquet",
    title="Parquet files in the canonical long form",
    priority=60,
    recognizes=recognizes,
    read=read,
)

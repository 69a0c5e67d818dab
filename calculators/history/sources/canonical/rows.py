"""The canonical long form, one sample per row, which CSV, JSON lines and Parquet share.

``ts``, ``metric`` and ``value`` are required; the other columns identify the reporter and are optional. Columns with
other names are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flink_flint.calculators.history.file_access import open_bytes
from flink_flint.calculators.history.metrics import vocabulary
from flink_flint.calculators.history.samples import (
    JOB,
    JOBMANAGER,
    OPERATOR,
    SCOPES,
    TASK,
    TASKMANAGER,
    Gathering,
    SeriesKey,
)
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.rejection_reasons import EARLIEST, LATEST, NO_NUMBER, OUT_OF_RANGE
from flink_flint.linter.text.named_tuple import NamedTuple

COLUMNS: dict[str, str] = {
    "ts": "timestamp[ms, tz=UTC]",
    "metric": "string",
    "value": "double",
    "cluster": "string",
    "job": "string",
    "job_id": "string",
    "scope": "string",
    "task": "string",
    "task_id": "string",
    "operator": "string",
    "operator_id": "string",
    "subtask": "int32",
    "attempt": "int32",
    "tm": "string",
    "part": "string",
    "counter": "bool",
}
"""The columns of canonical rows, with their Arrow types.

As text, ``ts`` is ISO 8601 (UTC if it has no time zone), or seconds or milliseconds since the epoch.
"""

REQUIRED = ("ts", "metric", "value")

WHO = tuple(name for name in COLUMNS if name not in ("ts", "value"))
"""The names of the columns that together identify a series."""

NO_TIME = "time is invalid"
NO_METRIC = "metric is missing"
NO_NAME = "a name is not text"
NO_SCOPE = "scope is unknown"
NO_INDEX = "subtask or attempt is not a whole number"
NO_FLAG = "counter is neither true nor false"

_SECONDS_BELOW = 100_000_000_000
"""Numbers below this are seconds since the epoch (until the year 5138), others are milliseconds (since 1973)."""


class UncleanError(Exception):
    """The error for a block that contains an unusable row; its rows must then be read one by one."""


class UnusableError(ValueError):
    """The error for an unusable row; its message is the reason."""


def type_of(column: str) -> pa.DataType:
    """Return the Arrow type of a column of `COLUMNS`."""
    named = COLUMNS[column]
    return pa.timestamp("ms", tz="UTC") if named.startswith("timestamp") else pa.type_for_alias(named)


def time_of(said: object) -> int:
    """Convert a time in ISO 8601, seconds or milliseconds to milliseconds since the epoch, or raise UnusableError."""
    number: float
    if isinstance(said, str):
        text = said.strip()
        try:
            number = float(text)
        except ValueError:
            return _in_range(_of_iso(text))
    elif isinstance(said, int | float) and not isinstance(said, bool):
        number = float(said)
    else:
        raise UnusableError(NO_TIME)
    if not EARLIEST / 1000 <= number < LATEST:
        raise UnusableError(OUT_OF_RANGE)
    return _in_range(round(number * 1000) if number < _SECONDS_BELOW else int(number))


def _of_iso(text: str) -> int:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise UnusableError(NO_TIME) from None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    try:
        return round(aware.timestamp() * 1000)
    except (OverflowError, ValueError):
        raise UnusableError(OUT_OF_RANGE) from None


def _in_range(time: int) -> int:
    if not EARLIEST <= time < LATEST:
        raise UnusableError(OUT_OF_RANGE)
    return time


def number_of(said: object) -> float:
    """Convert a number or a numeric string (also ``NaN`` and ``+Inf``) to a float, or raise UnusableError."""
    if type(said) is float:
        return said
    # Python reads 1_000 as a number, which nothing else does.
    if isinstance(said, bool) or not isinstance(said, int | float | str) or (isinstance(said, str) and "_" in said):
        raise UnusableError(NO_NUMBER)
    try:
        return float(said)
    except (ValueError, OverflowError):
        raise UnusableError(NO_NUMBER) from None


def scope_of(row: Mapping[str, Any]) -> str:
    """Return the narrowest scope that the columns of a row allow, such as operator or job."""
    if row.get("operator") or row.get("operator_id"):
        return OPERATOR
    if row.get("task") or row.get("task_id"):
        return TASK
    if row.get("tm"):
        return TASKMANAGER
    return JOB if row.get("job") or row.get("job_id") else JOBMANAGER


def key_of(row: Mapping[str, Any], options: Options) -> SeriesKey:
    """Return the series key of a row from its columns in `WHO`; raise UnusableError if one of them is invalid.

    A column that is None or empty is unknown.
    """
    metric = _text(row.get("metric"))
    if not metric:
        raise UnusableError(NO_METRIC)
    scope = _text(row.get("scope")) or scope_of(row)
    if scope not in SCOPES:
        raise UnusableError(NO_SCOPE)
    name = vocabulary.of_metric(metric, scope)
    counter = row.get("counter")
    return SeriesKey(
        metric=name.metric,
        scope=name.scope,
        cluster=options.cluster or _text(row.get("cluster")),
        job=_text(row.get("job")),
        job_id=_text(row.get("job_id")),
        task=_text(row.get("task")),
        task_id=_text(row.get("task_id")),
        operator=_text(row.get("operator")),
        operator_id=_text(row.get("operator_id")),
        subtask=_index(row.get("subtask")),
        attempt=_index(row.get("attempt")),
        tm=_text(row.get("tm")),
        part=_text(row.get("part")) or name.part,
        counter=name.counter if counter is None or counter == "" else _flag(counter),
    )


def _text(said: object) -> str:
    if isinstance(said, dict | list):
        raise UnusableError(NO_NAME)
    return said if isinstance(said, str) else "" if said is None else str(said)


def _index(said: object) -> int:
    if said is None or said == "":
        return -1
    try:
        number = int(said) if isinstance(said, str | int) else -2
    except ValueError:
        number = -2
    if isinstance(said, bool) or not -1 <= number < 2**31:
        raise UnusableError(NO_INDEX)
    return number


def _flag(said: object) -> bool:
    if isinstance(said, bool):
        return said
    known = {"true": True, "false": False, "1": True, "0": False}.get(str(said).strip().lower())
    if known is None:
        raise UnusableError(NO_FLAG)
    return known


class Rows:
    """A reader that adds rows to a `Gathering`, one by one or as a table; it resolves each series once."""

    def __init__(self, gathering: Gathering, options: Options) -> None:
        self._gathering = gathering
        self._options = options
        self._keys: dict[tuple[Any, ...], SeriesKey] = {}

    def add(self, row: Mapping[str, Any], where: str, text: str) -> None:
        """Add one row to the `Gathering`, or reject it with its location and text if it is unusable."""
        try:
            time = time_of(row.get("ts"))
            value = number_of(row.get("value"))
            key = self._key(row)
        except UnusableError as error:
            self._gathering.reject(where, str(error), text)
            return
        self._gathering.add(self._gathering.series(key), time, value)

    def _key(self, row: Mapping[str, Any]) -> SeriesKey:
        # 1, 1.0 and True are equal as keys in Python, and lists cannot be keys, so text is used.
        who = tuple(repr(row.get(name)) for name in WHO)
        if who not in self._keys:
            self._keys[who] = key_of(row, self._options)
        return self._keys[who]

    def add_table(self, table: pa.Table) -> None:
        """Add all rows of a table; if one is unusable, add none and raise UncleanError.

        The table has some or all columns of `COLUMNS`. The text columns may be dictionaries; ``ts`` may be text,
        a number or a timestamp.
        """
        if not table.num_rows:
            return
        times = _times(table.column("ts"))
        values = _values(table.column("value"))
        codes, firsts = _series(table)
        named = table.select([name for name in WHO if name in table.column_names]).take(pa.array(firsts)).to_pylist()
        try:
            keys = [self._key(row) for row in named]
        except UnusableError as error:
            raise UncleanError(str(error)) from None
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(keys) + 1))
        times, values = times[order], values[order]
        for key, start, end in zip(keys, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            self._gathering.extend(self._gathering.series(key), times[start:end], values[start:end])


def _times(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return the milliseconds since the epoch; raise UncleanError if one is missing, invalid or out of range."""
    if column.null_count:
        raise UncleanError(NO_TIME)
    try:
        times = _milliseconds(column)
    except pa.ArrowInvalid:
        raise UncleanError(NO_TIME) from None
    if times.min() < EARLIEST or times.max() >= LATEST:
        raise UncleanError(OUT_OF_RANGE)
    return times


def _milliseconds(column: pa.ChunkedArray) -> NDArray[np.int64]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _milliseconds(column.cast(kind.value_type))
    if pa.types.is_string(kind):
        return _milliseconds(_parsed(column))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        exact = column.cast(pa.timestamp("ms", kind.tz if pa.types.is_timestamp(kind) else None), safe=False)
        return _array(exact.cast(pa.int64())).astype(np.int64, copy=False)
    numbers = _array(column)
    if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        raise UncleanError(NO_TIME)
    seconds = numbers < _SECONDS_BELOW
    if not seconds.any():
        return numbers.astype(np.int64)
    return np.where(seconds, np.rint(numbers * 1000.0), numbers).astype(np.int64)


def _parsed(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts of one kind as numbers or timestamps, trying likely formats first; raises ArrowInvalid."""
    for kind in (pa.int64(), pa.timestamp("ns", tz="UTC"), pa.timestamp("ns"), pa.float64()):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    raise pa.ArrowInvalid(NO_TIME)


def _values(column: pa.ChunkedArray) -> NDArray[np.float64]:
    if column.null_count:
        raise UncleanError(NO_NUMBER)
    try:
        return _array(column.cast(pa.float64(), safe=False)).astype(np.float64, copy=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise UncleanError(NO_NUMBER) from None


def _series(table: pa.Table) -> tuple[NDArray[np.int32], list[int]]:
    """Return for each row the number of its series within the table, and the first row of each series."""
    codes: pa.Array | None = None
    sizes = 1
    for name in WHO:
        if name not in table.column_names:
            continue
        encoded = _encoded(table.column(name))
        if len(encoded.dictionary) + (encoded.null_count > 0) <= 1:
            continue
        indices = encoded.indices.fill_null(len(encoded.dictionary)).cast(pa.int64())
        width = len(encoded.dictionary) + 1
        if codes is None:
            codes, sizes = indices, width
            continue
        if sizes * width >= 2**62:
            compact = codes.dictionary_encode()
            codes, sizes = compact.indices.cast(pa.int64()), len(compact.dictionary)
        codes, sizes = pc.add(pc.multiply(codes, pa.scalar(width, pa.int64())), indices), sizes * width
    if codes is None:
        return np.zeros(table.num_rows, np.int32), [0]
    numbers = _array(codes.dictionary_encode().indices).astype(np.int32, copy=False)
    # Numbers are assigned in order of appearance, so a row with a new number is the first of its series.
    firsts = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))
    return numbers, firsts.tolist()


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def _array(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    return np.asarray(column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy())


class Lines(NamedTuple):
    """A block of complete lines of a file."""

    first: int
    """The line number of the block's first line in the file, counted from 1."""
    text: bytes
    """The lines of the block with their line endings, which only the last line of the file may lack."""


def lines_of(path: str, size: int) -> Iterator[Lines]:
    """Yield a file's lines in blocks of about `size` bytes; raise EOFError at the end if the file is truncated."""
    number, held = 1, b""
    with open_bytes(path) as stream:
        while True:
            read, broken = read_some(stream, size)
            end = read.rfind(b"\n") + 1
            if end:
                block = held + read[:end]
                yield Lines(number, block)
                number += block.count(b"\n")
                held = read[end:]
            else:
                held += read
            if broken:
                raise EOFError(broken)
            if not read:
                break
    if held:
        yield Lines(number, held)


def read_some(stream: BinaryIO, size: int) -> tuple[bytes, str]:
    """Return the next `size` bytes (fewer at the end), and an error message, empty unless the stream is truncated."""
    parts: list[bytes] = []
    missing = size
    while missing > 0:
        try:
            # A single large read would lose what was decompressed before a corrupt part.
            part = stream.read1(missing)  # type: ignore[attr-defined]
        except Exception as error:  # also of zlib, which is not an OSError
            return b"".join(parts), str(error) or type(error).__name__
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts), ""


_ROWWISE = 32_768
"""Size in bytes up to which a block with bad rows is read row by row; larger ones are halved first."""


def halving(lines: Lines, whole: Callable[[bytes], None], row_by_row: Callable[[Lines], None]) -> None:
    """Read lines as a block; halve a block with a bad row until only the lines near that row are read one by one."""
    pending: list[Lines] = [lines]
    while pending:
        block = pending.pop()
        if not block.text:
            continue
        try:
            whole(block.text)
            continue
        except UncleanError:
            pass
        middle = block.text.rfind(b"\n", 0, len(block.text) // 2) + 1
        if len(block.text) <= _ROWWISE or not middle:
            row_by_row(block)
            continue
        front = block.text[:middle]
        pending += [Lines(block.first + front.count(b"\n"), block.text[middle:]), Lines(block.first, front)]


def missing_of(names: Sequence[str]) -> list[str]:
    """Return the required columns that are missing from the given column names."""
    return [name for name in REQUIRED if name not in names]

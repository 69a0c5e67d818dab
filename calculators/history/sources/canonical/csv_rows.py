"""The canonical long form as CSV: a header with at least ``ts``, ``metric`` and ``value``, and one sample per line.

Columns are separated by commas, semicolons or tabs, whichever the header uses; a row is one line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pyarrow as pa
from pyarrow import csv as arrow_csv

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Batch, Gathering
from flink_flint.calculators.history.sources.canonical.rows import (
    COLUMNS,
    Lines,
    Rows,
    UncleanError,
    halving,
    lines_of,
    missing_of,
    type_of,
)
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF

NO_ROW = "row does not have as many columns as the header"

_BLOCK = 16 << 20
_BOM = b"\xef\xbb\xbf"


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file's first line names the required columns."""
    return _separator(head) is not None


def _separator(head: bytes) -> str | None:
    return next((one for one in ",;\t" if not missing_of(_names(_header(head), one))), None)


def _header(head: bytes) -> bytes:
    return head.removeprefix(_BOM).partition(b"\n")[0]


def _names(line: bytes, separator: str) -> list[str]:
    """Return the columns of a header for comparison: without surrounding spaces, in lower case."""
    text = line.decode("utf-8", "replace").strip("\r\n")
    try:
        return [name.strip().lower() for name in next(csv.reader([text], delimiter=separator), [])]
    except csv.Error:
        return []


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the samples of a file; raise ValueError if its first line is not a header with the required columns."""
    head = head_of(path)
    separator = _separator(head)
    if separator is None:
        missing = ", ".join(missing_of(_names(_header(head), ",")))
        raise ValueError(f"{path}:1: the header lacks {missing}; name the columns ts, metric and value")
    names = _names(_header(head), separator)
    twice = [name for name in COLUMNS if names.count(name) > 1]
    if twice:
        raise ValueError(f"{path}:1: the header names {twice[0]} twice")
    gathering = Gathering()
    reading = _Reading(path, names, separator, gathering, options)
    try:
        for lines in lines_of(path, _BLOCK):
            if lines.first == 1:
                lines = Lines(2, lines.text.partition(b"\n")[2])
            halving(lines, reading.whole, reading.row_by_row)
            if gathering.full:
                yield gathering.take()
    except EOFError as error:
        gathering.reject(path, BREAKS_OFF, str(error))
    yield gathering.take()


class _Reading:
    """The parser of the lines of one file."""

    def __init__(self, path: str, names: list[str], separator: str, gathering: Gathering, options: Options) -> None:
        self._names = names
        self._wanted = [name for name in names if name in COLUMNS]
        self._path = path
        self._separator = separator
        self._gathering = gathering
        self._rows = Rows(gathering, options)

    def whole(self, text: bytes) -> None:
        """Add many lines at once; raise UncleanError if one of them is unusable."""
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(text),
                read_options=arrow_csv.ReadOptions(
                    column_names=self._names, block_size=max(len(text), 1), use_threads=False
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=self._separator),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=self._wanted,
                    column_types={name: _read_as(name) for name in self._wanted},
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError, pa.ArrowNotImplementedError):
            raise UncleanError(NO_ROW) from None
        if table.num_rows != text.count(b"\n") + (not text.endswith(b"\n")):
            # An unclosed quote makes one row of several lines.
            raise UncleanError(NO_ROW)
        self._rows.add_table(table)

    def row_by_row(self, lines: Lines) -> None:
        """Add lines one by one, and reject each bad one with its number."""
        for number, line in enumerate(lines.text.split(b"\n"), lines.first):
            if not line.strip():
                continue
            text = line.decode("utf-8", "replace").rstrip("\r")
            where = f"{self._path}:{number}"
            try:
                cells = next(csv.reader([text], delimiter=self._separator, strict=True), [])
            except csv.Error:
                cells = []
            if len(cells) != len(self._names):
                self._gathering.reject(where, NO_ROW, text)
            else:
                self._rows.add(dict(zip(self._names, cells, strict=True)), where, text)


def _read_as(column: str) -> pa.DataType:
    """Return the type a column is read as: text for times, which have several forms, and dictionaries for names."""
    if column == "ts":
        return pa.string()
    kind = type_of(column)
    return pa.dictionary(pa.int32(), pa.string()) if kind == pa.string() else kind


SOURCE = Source("canonical-csv", "the canonical long form as CSV", 40, recognizes, read)

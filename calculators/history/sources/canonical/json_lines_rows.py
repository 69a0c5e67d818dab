"""The canonical long form as JSON lines: one object per line, with at least ``ts``, ``metric`` and ``value``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pyarrow as pa
from pyarrow import json as arrow_json

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

NO_JSON = "line is not a JSON object"

_BLOCK = 16 << 20
_BOM = b"\xef\xbb\xbf"
_KEY = re.compile(rb'[{,]\s*"(ts|metric|value)"\s*:')


def recognizes(path: str, head: bytes) -> bool:
    """Return whether the first line is a JSON object with the required fields."""
    first = head.removeprefix(_BOM).lstrip().partition(b"\n")[0]
    if not first.startswith(b"{"):
        return False
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False if b"\n" in head else len(set(_KEY.findall(first))) == 3
    return isinstance(row, dict) and not missing_of(list(row)) and isinstance(row["metric"], str)


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the samples of a file; raise ValueError if it has no samples and a line is not a JSON object."""
    gathering = Gathering()
    reading = _Reading(path, gathering, options)
    used = False
    try:
        for lines in lines_of(path, _BLOCK):
            text = lines.text.removeprefix(_BOM) if lines.first == 1 else lines.text
            halving(Lines(lines.first, text), reading.whole, reading.row_by_row)
            if gathering.full:
                used = True
                yield gathering.take()
    except EOFError as error:
        gathering.reject(path, BREAKS_OFF, str(error))
    batch = gathering.take()
    if not used and not len(batch.times) and any(bad.reason == NO_JSON for bad in batch.bad):
        raise ValueError(f"{path}: no JSON lines with ts, metric and value: {batch.bad[0].reason}")
    yield batch


class _Reading:
    """The parser of the lines of one file."""

    def __init__(self, path: str, gathering: Gathering, options: Options) -> None:
        self._path = path
        self._gathering = gathering
        self._rows = Rows(gathering, options)

    def whole(self, text: bytes) -> None:
        """Add many lines at once; raise UncleanError if one of them is unusable."""
        try:
            first = json.loads(text.lstrip().partition(b"\n")[0])
            self._rows.add_table(_table(text, _kind_of(first["ts"])))
        except (ValueError, RecursionError, KeyError, TypeError, pa.ArrowInvalid):
            raise UncleanError(NO_JSON) from None

    def row_by_row(self, lines: Lines) -> None:
        """Add lines one by one, and reject each bad one with its number."""
        for number, line in enumerate(lines.text.split(b"\n"), lines.first):
            if not line.strip():
                continue
            text = line.decode("utf-8", "replace")
            where = f"{self._path}:{number}"
            try:
                row = json.loads(text)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict):
                self._rows.add(row, where, text)
            else:
                self._gathering.reject(where, NO_JSON, text)


def _kind_of(time: object) -> pa.DataType:
    """Return the type of a column of times from its first row, whose form most rows of a file share."""
    return pa.string() if isinstance(time, str) else pa.float64() if isinstance(time, float) else pa.int64()


def _table(text: bytes, kind: pa.DataType) -> pa.Table:
    schema = pa.schema([(name, kind if name == "ts" else type_of(name)) for name in COLUMNS])
    return arrow_json.read_json(
        pa.BufferReader(text),
        read_options=arrow_json.ReadOptions(block_size=len(text) + 1, use_threads=False),
        parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )


SOURCE = Source("canonical-json-lines", "the canonical long form as JSON lines", 40, recognizes, read)

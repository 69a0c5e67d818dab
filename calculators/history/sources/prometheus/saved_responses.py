"""Saved Prometheus ``query_range`` and ``query`` responses: matrices and vectors, one or more responses per file.

The form is that of https://prometheus.io/docs/prometheus/latest/querying/api/#range-vectors: times are seconds with
up to three decimals, values are texts. Thanos, Mimir and VictoriaMetrics use the same form.

A file is read in blocks and split into series without parsing the whole document, so a file of any size needs the
memory of its largest series. Responses as the servers write them are split with three searches per series; any other
formatting of the same JSON (indented, keys in another order) is read too, more slowly.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from flink_flint.calculators.history.file_access import open_bytes
from flink_flint.calculators.history.samples import Batch
from flink_flint.calculators.history.sources.prometheus.labels import Collecting
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF, NO_NUMBER
from flink_flint.linter.text.named_tuple import NamedTuple

_BLOCK = 1 << 20
_KNOWN = re.compile(
    rb'^\s*[\[{].{0,3000}?("resultType"\s*:|"result"\s*:\s*\[)|^\s*\{\s*"status"\s*:\s*"error"', re.DOTALL
)
_RESULT = re.compile(rb'"result"\s*:\s*\[')
_TEXT = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_FAST = re.compile(rb'\{"metric":(\{[^"{}]*(?:' + _TEXT + rb'[^"{}]*)*\}),"values":\[\[', re.DOTALL)
_TOKEN = re.compile(_TEXT + rb'|"|[\[\]{}]', re.DOTALL)
_ERROR = re.compile(rb'"error"\s*:\s*(' + _TEXT + rb")", re.DOTALL)
_WARNINGS = re.compile(rb'"warnings"\s*:\s*(\[\s*(?:' + _TEXT + rb"[\s,]*)*\])", re.DOTALL)
_PARTIAL = re.compile(rb'"isPartial"\s*:\s*true')
_BETWEEN = b" \t\r\n,"
_MUCH = 16_384
"""Bytes of samples from which the block parser is faster."""


class Piece(NamedTuple):
    """A series from a response, or notes about the response itself (`labels` is then None)."""

    labels: dict[str, str] | None
    times: NDArray[np.float64]
    """The times of the samples in milliseconds since the epoch."""
    values: NDArray[np.float64]
    notes: list[tuple[str, str]]
    """The unusable parts of the response as pairs of reason and text."""


_NONE = np.empty(0, np.float64)


def _note(reason: str, text: str) -> Piece:
    return Piece(None, _NONE, _NONE, [(reason, text)])


class _Text:
    """A stream's bytes from `at` on, read on demand; `broken` if its compressed data is truncated."""

    def __init__(self, stream: BinaryIO) -> None:
        self._read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self.held = b""
        self.at = 0
        self.broken = False

    def more(self) -> bool:
        """Read at least as much as is buffered, so that growing stays fast; return False at the end."""
        blocks = [self.held[self.at :]]
        required = max(_BLOCK, len(blocks[0]))
        try:
            # Single reads, so that what was decompressed before a corrupt part is kept.
            while required > 0 and not self.broken and (block := self._read(required)):
                blocks.append(block)
                required -= len(block)
        except (EOFError, OSError, zlib.error):
            self.broken = True
        self.held, self.at = b"".join(blocks), 0
        return len(blocks) > 1


def pieces(stream: BinaryIO) -> Iterator[Piece]:
    """Yield each series in a stream of responses, and notes on errors, warnings and unreadable parts."""
    text = _Text(stream)
    while True:
        found = _RESULT.search(text.held, text.at)
        if found is None:
            if len(text.held) - text.at > 2 * _BLOCK:
                yield from _notes(text.held[text.at : -100])
                text.at = len(text.held) - 100
            if text.more():
                continue
            yield from _notes(text.held[text.at :])
            if text.broken:
                yield _note(BREAKS_OFF, "")
            return
        yield from _notes(text.held[text.at : found.start()])
        text.at = found.end()
        for piece in _result(text):
            yield piece
            if piece.notes and piece.notes[0][0] == BREAKS_OFF:
                return


def _result(text: _Text) -> Iterator[Piece]:
    """Yield the elements of one ``result`` up to its end."""
    while True:
        while text.held[text.at : text.at + 1] in _BETWEEN:
            if text.at >= len(text.held):
                if not text.more():
                    yield _note(BREAKS_OFF, "")
                    return
            else:
                text.at += 1
        first = text.held[text.at : text.at + 1]
        if first == b"]":
            text.at += 1
            return
        if first != b"{":
            yield _note("response is neither a matrix nor a vector", _shown(text.held[text.at :]))
            return
        fast = _FAST.match(text.held, text.at)
        end = text.held.find(b"]]", fast.end()) if fast else -1
        if fast and end < 0 and text.more():
            continue
        if fast and end >= 0 and text.held[end + 2 : end + 3] == b"}":
            piece = _fast(fast[1], text.held[fast.end() : end])
            start, text.at = text.at, end + 3
            yield piece or _slow(text.held[start : text.at])
            continue
        end = _end_of(text.held, text.at)
        if end < 0:
            if text.more():
                continue
            yield _note(BREAKS_OFF, _shown(text.held[text.at :]))
            return
        start, text.at = text.at, end
        yield _slow(text.held[start:end])


def _shown(raw: bytes) -> str:
    return raw[:200].decode("utf-8", "replace")


def _end_of(held: bytes, start: int) -> int:
    """Return where the JSON value that begins at `start` ends; -1 if it is not complete yet."""
    depth = 0
    for token in _TOKEN.finditer(held, start):
        kind = held[token.start()]
        if kind in b"[{":
            depth += 1
        elif kind in b"]}":
            depth -= 1
            if depth <= 0:
                return token.end()
        elif token.end() == token.start() + 1:  # a text without an end
            return -1
    return -1


def _notes(between: bytes) -> Iterator[Piece]:
    """Yield notes on the response around the series: an error, warnings, a partial response."""
    if not between.strip(b' \t\r\n,[]{}"'):
        return
    for error in _ERROR.findall(between):
        yield _note("the server responded with an error", _unquoted(error))
    for warnings in _WARNINGS.findall(between):
        for warning in re.findall(_TEXT, warnings, re.DOTALL):
            yield _note("the server warned", _unquoted(warning))
    if _PARTIAL.search(between):
        yield _note("the server warned", "the response is partial")


def _unquoted(text: bytes) -> str:
    try:
        return str(json.loads(text)).partition("\n")[0]
    except ValueError:
        return _shown(text)


def _labels(found: Any) -> dict[str, str]:
    """Return labels as text; raises ValueError if they are invalid."""
    if not isinstance(found, dict):
        raise ValueError("no labels")
    return {str(name): value if isinstance(value, str) else str(value) for name, value in found.items()}


_TWO = csv.ReadOptions(column_names=["time", "value"], use_threads=False)
_STRICT = csv.ParseOptions(ignore_empty_lines=False)
_FLOATS = csv.ConvertOptions(column_types={"time": pa.float64(), "value": pa.float64()}, null_values=[])


def _fast(labels: bytes, samples: bytes) -> Piece | None:
    """Return a series from its labels and the text between ``[[`` and ``]]``; None if `_slow` must read it."""
    try:
        named = _labels(json.loads(labels))
        if len(samples) > _MUCH:
            table = csv.read_csv(pa.py_buffer(samples.replace(b"],[", b"\n")), _TWO, _STRICT, _FLOATS)
            times, values = table["time"].to_numpy(), table["value"].to_numpy()
        else:
            rows = json.loads(b"[[%b]]" % samples)
            times = np.array([time for time, _ in rows], np.float64)
            values = np.array([float(value) for _, value in rows], np.float64)
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    return Piece(named, times * 1000.0, values, [])


def _slow(raw: bytes) -> Piece:
    """Return a series of any shape, sample by sample."""
    try:
        element = json.loads(raw)
        labels = _labels(element["metric"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return _note("series is not a series of a response", _shown(raw))
    rows = element.get("values")
    if rows is None:
        rows = [element["value"]] if "value" in element else []
    notes: list[tuple[str, str]] = []
    if "histogram" in element or "histograms" in element:
        notes.append(("native histograms are not read", str(labels.get("__name__", ""))))
    times: list[float] = []
    values: list[float] = []
    for row in rows if isinstance(rows, list) else [rows]:
        try:
            time, value = row
            time, value = float(time), float(value)
        except (ValueError, TypeError, OverflowError):
            notes.append((NO_NUMBER, f"{labels.get('__name__', '')} {row}"))
        else:
            times.append(time * 1000.0)
            values.append(value)
    return Piece(labels, np.array(times, np.float64), np.array(values, np.float64), notes)


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file's first bytes (`head`) look like a response of Prometheus's query API."""
    return _KNOWN.match(head) is not None


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield batches of samples from a file of responses, with a `Bad` for each error or warning in a response.

    Raises ValueError if the file cannot be read at all.
    """
    collecting = Collecting(options)
    count = 0
    with open_bytes(path) as stream:
        for piece in pieces(stream):
            where = path if piece.labels is None else f"{path}#series {(count := count + 1)}"
            for reason, text in piece.notes:
                collecting.reject(where, reason, text)
            if piece.labels is not None:
                collecting.add(where, piece.labels, piece.times, piece.values)
            if collecting.full:
                yield collecting.take()
    yield collecting.take()


SOURCE = Source("prometheus-answers", "responses of Prometheus' query_range and query", 50, recognizes, read)

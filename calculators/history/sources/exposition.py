"""The Prometheus text exposition format: a reporter's page, ``/federate`` or ``promtool tsdb dump``.

``name{label="value",} 1.5 1795190147630``; the comma before ``}`` and the time are optional. OpenMetrics
(``promtool tsdb dump-openmetrics``) writes times as seconds, everything else as milliseconds; between 1990 and 2100
the size of the number shows which (https://prometheus.io/docs/instrumenting/exposition_formats/,
https://prometheus.io/docs/specs/om/open_metrics_spec/). ``promtool tsdb dump`` writes the name as a label.

A sample without a time gets the time that was given, otherwise that in the file's name (``scrape_20261120T162238Z``,
``scrape-1795190147``; UTC), otherwise that of the file's last change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.calculators.history.samples import Batch, SeriesKey
from flink_flint.calculators.history.sources.prometheus.labels import Collecting
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import (
    BREAKS_OFF,
    EARLIEST,
    LATEST,
    NO_NUMBER,
    OUT_OF_RANGE,
)
from flink_flint.calculators.history.sources.text_lines import lines_of_bytes, time_of

_NAME = rb"[a-zA-Z_:][a-zA-Z0-9_:]*"
_TEXT = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_SERIES = re.compile(rb"(%b)?[ \t]*(?:\{((?:[^\"{}]|%b)*)\})?" % (_NAME, _TEXT), re.DOTALL)
_LABEL = re.compile(rb"[ \t]*(?:(%b)[ \t]*=[ \t]*)?(%b)[ \t]*(?:,|$)" % (_NAME, _TEXT), re.DOTALL)
_SAMPLE = re.compile(
    rb"(?:%b[ \t]*)?\{[ \t]*(?:(?:%b[ \t]*=[ \t]*)?%b.*)?\}[ \t]*[-+0-9.NI]" % (_NAME, _NAME, _TEXT)
    + rb"|%b[ \t]+[-+0-9.NI][-+0-9.eENaInf]*(?:[ \t]+-?[0-9.]+)?[ \t]*$" % _NAME
)
_COMMENT = re.compile(rb"#[ \t]+(?:HELP|TYPE|UNIT)[ \t]+%b(?:[ \t]|$)|# EOF$" % _NAME)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MILLISECONDS_FROM = 1e10
"""Times from here on are milliseconds; as seconds they would be after the year 2286."""
_REMEMBERED = 500_000
"""Number of series whose spelling is cached."""


def recognizes(path: str, head: bytes) -> bool:
    """Return whether the first line that is neither empty nor an ordinary comment is in the exposition format."""
    for line in head.splitlines():
        line = line.strip()
        if line and (_COMMENT.match(line) or not line.startswith(b"#")):
            return bool(_COMMENT.match(line) or _SAMPLE.match(line))
    return False


def labels_of(series: bytes) -> dict[str, str] | None:
    """Return the labels in ``name{…}``, with the name as label ``__name__``; None if the text is not a series."""
    found = _SERIES.fullmatch(series.strip())
    if found is None:
        return None
    labels = {"__name__": found[1].decode()} if found[1] else {}
    inner, at = (found[2] or b"").strip(), 0
    while at < len(inner):
        label = _LABEL.match(inner, at)
        if label is None:
            return None
        text = label[2][1:-1].decode("utf-8", "replace")
        if "\\" in text:
            text = _ESCAPE.sub(lambda one: "\n" if one[1] == "n" else one[1], text)
        labels[label[1].decode() if label[1] else "__name__"] = text
        at = label.end()
    return labels


class _Scrape:
    """The parser of one file."""

    def __init__(self, path: str, options: Options) -> None:
        self._path = path
        self._time = time_of(path, options)
        self._collecting = Collecting(options)
        self._keys: dict[bytes, SeriesKey | None] = {}
        self._places: dict[bytes, int] = {}
        """Position of each series by its spelling, which every scrape repeats."""

    def line(self, number: int, line: bytes) -> None:
        series, brace, rest = line.rpartition(b"}")
        if b" # " in line and (exemplar := _SERIES.match(line)):
            # An exemplar has its own braces and ends the line.
            series, brace, rest = line[: exemplar.end()], b"", line[exemplar.end() :].partition(b" # ")[0]
        elif not brace:
            series, rest = (*line.split(None, 1), b"")[:2]
        parts = rest.split()
        place = self._places.get(series)
        if place is None:
            place = self._new(number, line, series, brace)
            if place < 0:
                return
        try:
            value = float(parts[0])
            if len(parts) > 1:
                time = float(parts[1])
                time = time if abs(time) >= _MILLISECONDS_FROM else time * 1000
            else:
                time = self._time
            right = EARLIEST <= time < LATEST
        except (ValueError, IndexError):
            self.reject(number, NO_NUMBER, line)
            return
        if right:
            self._collecting.sample(place, round(time), value)
        else:
            self.reject(number, OUT_OF_RANGE, line)

    def _new(self, number: int, line: bytes, series: bytes, brace: bytes) -> int:
        """Return the position of a series that is new in this batch; -1 if its lines are ignored."""
        if series not in self._keys:
            labels = labels_of(series + brace)
            if labels is None:
                self.reject(number, "line is not a sample", line)
                return -1
            if len(self._keys) >= _REMEMBERED:
                self._keys.clear()
            self._keys[series] = self._collecting.key(f"{self._path}:{number}", labels)
        key = self._keys[series]
        if key is None:
            return -1
        return self._places.setdefault(series, self._collecting.place(key))

    def reject(self, number: int, reason: str, line: bytes) -> None:
        self._collecting.reject(f"{self._path}:{number}", reason, line[:200].decode("utf-8", "replace").rstrip("\r\n"))

    @property
    def full(self) -> bool:
        return self._collecting.full

    def take(self) -> Batch:
        self._places.clear()
        return self._collecting.take()


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the samples of a file with one or many scrapes; a malformed line yields a `Bad`.

    Raises ValueError if the file cannot be read at all.
    """
    scrape = _Scrape(path, options)
    for number, line in lines_of_bytes(path, lambda number: scrape.reject(number, BREAKS_OFF, b"")):
        if line[:1] == b"#" or line.isspace():
            continue
        if not line.endswith(b"\n"):  # a truncated number still looks like one
            scrape.reject(number, BREAKS_OFF, line)
            break
        scrape.line(number, line)
        if scrape.full:
            yield scrape.take()
    yield scrape.take()


SOURCE = Source("exposition", "text exposition (Prometheus, OpenMetrics)", 40, recognizes, read)

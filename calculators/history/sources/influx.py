"""InfluxDB line protocol, as Flink's reporter sends it or ``influx_inspect export`` writes it.

``taskmanager_job_task_busyTimeMsPerSecond,host=a,job_name=my\\ job,subtask_index=1 value=1000.0 1795190995149000000``

Flink's reporter writes a gauge as ``value``, a counter as ``count``, a meter as ``count`` and ``rate``, a histogram
as ``count``, ``min``, ``max``, ``mean``, ``stddev``, ``p50`` … ``p999``, and omits values that are not finite. An
export has one field per line, so the metric's name is used as well. The time may be in nanoseconds, microseconds,
milliseconds or seconds: between 1990 and 2100 the size of the number shows which.
Format: https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.calculators.history.metrics.reporter_values import field_name, number_of
from flink_flint.calculators.history.metrics.vocabulary import Name, is_meaningless, of_series
from flink_flint.calculators.history.samples import Batch, Gathering, SeriesKey
from flink_flint.calculators.history.sources.prometheus.labels import key_of
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import (
    BREAKS_OFF,
    EARLIEST,
    LATEST,
    NO_NUMBER,
    OUT_OF_RANGE,
)
from flink_flint.calculators.history.sources.text_lines import numbered_lines, time_of
from flink_flint.linter.text.named_tuple import NamedTuple

_SERIES = r"(?:[^\\ \n]++|\\.)++"
_HEAD = re.compile(rf"{_SERIES}(?= \S)")
_MARK = re.compile(r"((?:[^\\,=]++|\\.)*+)(=)?")
_FIELD = re.compile(r'((?:[^\\,=" ]++|\\.)++)=("(?:[^"\\]++|\\.)*+"|[^," ]++)(?:,|$)')
_ESCAPE = re.compile(r"\\([,= ])")
_FLINKS = re.compile(rb"^(?:flink_)?(?:jobmanager|taskmanager)_\w+,[^\n]* [A-Za-z_]\w*=\S", re.M)
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 10**11, 10**14, 10**17
"""The smallest timestamps read as milliseconds, microseconds and nanoseconds (after year 5000 in the coarser unit)."""
_NO_LINE = "line is not in the line protocol"
_REMEMBERED = 200_000
"""Number of series whose spelling is cached."""


def recognizes(path: str, head: bytes) -> bool:
    """Return whether one of the first lines is a Flink metric in the line protocol."""
    return bool(_FLINKS.search(head))


def unescaped_parts(series: str) -> tuple[str, dict[str, str]]:
    """Return the measurement and tags of ``measurement,tag=value``; raise ValueError for a tag without a value."""
    if "\\" not in series:
        name, *rest = series.split(",")
        pairs = [tag.split("=") for tag in rest]
    else:
        name, pairs, at = "", [], 0
        while at <= len(series):
            found = _MARK.match(series, at)
            assert found
            text = _ESCAPE.sub(r"\1", found[1])
            if at == 0:
                name = text
            elif series[at - 1] == "=":
                pairs[-1].append(text)
            else:
                pairs.append([text])
            at = found.end() + (0 if found[2] else 1)
    tags = {}
    for pair in pairs:
        if len(pair) != 2 or not pair[0]:
            raise ValueError("a tag has no value")
        tags[pair[0]] = pair[1]
    return name, tags


def _parts(line: str) -> tuple[str, str, str] | None:
    """Return the series, the fields and the time of a line (empty if it has none), or None."""
    head = _HEAD.match(line)
    if not head:
        return None
    rest = line[head.end() + 1 :].rstrip()
    text, space, time = rest.rpartition(" ")
    if space and time.isdecimal():
        return head[0], text.rstrip(), time
    return head[0], rest, ""


def fields_of(text: str) -> list[tuple[str, str]]:
    """Return the fields of a line with their values as text; raise ValueError if a field has no value."""
    fields, at = [], 0
    if '"' not in text and "\\" not in text and " " not in text:
        for pair in text.split(","):
            field, _, value = pair.partition("=")
            if not field or not value or "=" in value:
                raise ValueError("a field has no value")
            fields.append((field, value))
        return fields
    while at < len(text):
        found = _FIELD.match(text, at)
        if not found:
            raise ValueError("a field has no value")
        fields.append((_ESCAPE.sub(r"\1", found[1]), found[2]))
        at = found.end()
    return fields


def value_of(text: str) -> float | None:
    """Return a field's value as a number (1 or 0 for booleans, quoted or not); None for any other text."""
    if text[-1] in "iu" and text[-2:-1].isdecimal():
        text = text[:-1]
    return number_of(text.strip('"'))


def milliseconds_of(time: int) -> int:
    """Convert a time since the epoch, of any precision, to milliseconds; raise ValueError if it is out of range."""
    if time >= _NANOSECONDS:
        time //= 1_000_000
    elif time >= _MICROSECONDS:
        time //= 1_000
    elif time < _MILLISECONDS:
        time *= 1_000
    if EARLIEST <= time < LATEST:
        return time
    raise ValueError(OUT_OF_RANGE)


class _Series(NamedTuple):
    name: Name
    key: SeriesKey


class _Reading:
    """The parser of one file."""

    def __init__(self, path: str, options: Options) -> None:
        self.gathering = Gathering()
        self._path = path
        self._options = options
        self._own_time = -1
        self._series: dict[str, _Series | None] = {}
        self._places: dict[tuple[str, str, bool], int] = {}

    def take(self) -> Batch:
        self._places.clear()
        return self.gathering.take()

    def line(self, number: int, line: str) -> bool:
        """Read a line; return whether it is in the line protocol."""
        parts = _parts(line)
        if not parts:
            self._reject(number, _NO_LINE, line)
            return False
        spelled, text, time = parts
        try:
            fields = fields_of(text)
            series = self._of(number, spelled)
        except ValueError:
            self._reject(number, _NO_LINE, line)
            return False
        if series is None:
            return True
        try:
            at = milliseconds_of(int(time)) if time else self._own()
        except ValueError:
            self._reject(number, OUT_OF_RANGE, line)
            return False
        several = len(fields) > 1
        for field, value in fields:
            place = self._place(spelled, series, field, several)
            if place < 0:
                continue
            measured = value_of(value)
            if measured is not None:
                self.gathering.add(place, at, measured)
            elif not is_meaningless(series.name.metric):
                self._reject(number, NO_NUMBER, line)
        return True

    def _of(self, number: int, spelled: str) -> _Series | None:
        """Return the series of a measurement and its tags; one that is not one of Flink's is reported once."""
        if spelled in self._series:
            return self._series[spelled]
        measurement, tags = unescaped_parts(spelled)
        name = of_series(measurement, tags)
        series: _Series | None = None
        if name is None:
            self._reject(number, "metric is not one of Flink's", spelled)
        else:
            key = key_of({"__name__": measurement} | tags, self._options)
            assert key
            if key.subtask < 0 and (index := tags.get("operator_subtask_index", "")).isdecimal():
                key = key._replace(subtask=int(index))
            series = _Series(name, key)
        if len(self._series) >= _REMEMBERED:
            self._series.clear()
        self._series[spelled] = series
        return series

    def _place(self, spelled: str, series: _Series, field: str, several: bool) -> int:
        """Return the position of a field's series in the batch; -1 if the field repeats another one."""
        place = self._places.get((spelled, field, several))
        if place is None:
            name = field_name(series.name, field, several)
            place = (
                -1
                if name is None
                else self.gathering.series(series.key._replace(metric=name.metric, counter=name.counter))
            )
            self._places[spelled, field, several] = place
        return place

    def _own(self) -> int:
        if self._own_time < 0:
            self._own_time = time_of(self._path, self._options)
        return self._own_time

    def _reject(self, number: int, reason: str, line: str) -> None:
        self.gathering.reject(f"{self._path}:{number}", reason, line.rstrip("\r\n"))


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the samples of a file in the line protocol; raise ValueError if no line is in that protocol."""
    reading = _Reading(path, options)
    good = 0
    held: tuple[int, str] | None = None
    for number, line in numbered_lines(path, reading.gathering):
        if not line.endswith("\n"):
            held = number, line
        elif line[0] not in "#\r\n":
            good += reading.line(number, line)
            if reading.gathering.full:
                yield reading.take()
    if held and held[1].strip() and held[1][0] != "#":
        good += _last(reading, path, *held)
    if not good:
        raise ValueError(
            f"{path}: no line is in InfluxDB's line protocol; if the file has another format, name it with --source"
        )
    yield reading.take()


def _last(reading: _Reading, path: str, number: int, line: str) -> bool:
    """Read a last line without a line end, which may be complete or truncated; return whether it is usable."""
    parts = _parts(line)
    if parts and len(parts[2]) in (0, 10, 13, 16, 19):
        return reading.line(number, line)
    reading.gathering.reject(f"{path}:{number}", BREAKS_OFF, line)
    return False


SOURCE = Source("influx", "InfluxDB's line protocol", 45, recognizes, read)

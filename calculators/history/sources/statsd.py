"""StatsD and Graphite lines that Flink's reporters sent, as stored by a network capture.

``127_0_0_1.taskmanager.tm.job.task.0.numRecordsIn:42|g`` (StatsD) and ``….numRecordsIn.count 42 1795190995``
(Graphite). A StatsD line has no time. It may begin with one, or follow a line that does, as ``socat -v``,
``tcpdump -A -tttt`` and ``ts`` write; what such a tool puts before an identifier does not matter, as the host is not
part of a series. Without times only the last report is used, with the time of the file.

Flink's StatsD reporter sends a gauge twice, and 0 before a negative value, because StatsD reads a sign as a change
(https://github.com/apache/flink/blob/release-1.20/flink-metrics/flink-metrics-statsd/src/main/java/org/apache/flink/metrics/statsd/StatsDReporter.java);
both repetitions are removed here.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from flink_flint.calculators.history.metrics.identifiers import SHARED, IdentifiedName, Names, key_of
from flink_flint.calculators.history.metrics.reporter_values import number_of
from flink_flint.calculators.history.metrics.vocabulary import is_meaningless
from flink_flint.calculators.history.samples import Batch, Gathering
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import (
    BREAKS_OFF,
    EARLIEST,
    LATEST,
    NO_NUMBER,
    OUT_OF_RANGE,
)
from flink_flint.calculators.history.sources.text_lines import leading_time, numbered_lines, time_of
from flink_flint.linter.text.named_tuple import NamedTuple

_STATSD = re.compile(r"([^:|]*):([^|]*)\|[a-z]+(?:\|[^\n]*)?\s*")
_FLINKS = re.compile(
    rb"(?:job|task)manager\.[^\n:|]+:[^\n|]*\|[a-z]|^\S*(?:job|task)manager\.\S+[ \t]+\S+[ \t]+\d{10}\s", re.M
)
_ARROW = re.compile(r"[<>] ")
"""Prefix before the time in ``socat -v``."""
_REPORT = 500
"""Maximum milliseconds that a report takes; the next one comes at least a second later."""
_NO_LINE = "line is neither StatsD nor Graphite"
_EARLIER = "value has no time, and a later line repeats the metric"
_UNTIMED = -1


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file's first bytes (`head`) contain a line from Flink's StatsD or Graphite reporter."""
    return bool(_FLINKS.search(head))


class Readings(NamedTuple):
    """The line numbers, times and values reported for one metric identifier, in the order of the lines."""

    lines: NDArray[np.int64]
    times: NDArray[np.int64]
    """The times of the lines in milliseconds since the epoch; -1 for a line without a time."""
    values: NDArray[np.float64]


class _Lines:
    """The lines of one file, with each identifier stored once."""

    def __init__(self, path: str, gathering: Gathering) -> None:
        self.identifiers: dict[str, int] = {}
        self.path = path
        self.gathering = gathering
        self._which = array("i")
        self._lines = array("q")
        self._times = array("q")
        self._values = array("d")
        self._foreign: set[str] = set()
        self._now = _UNTIMED

    def line(self, number: int, line: str) -> None:
        start = 2 if _ARROW.match(line) else 0
        result = leading_time(line, start)
        if result:
            self._now = result[0]
            line = line[result[1] :].lstrip()
        found = _STATSD.fullmatch(line) if "|" in line else None
        time = self._now
        if found:
            identifier, text = found[1], found[2]
        elif not result and len(parts := line.rsplit(None, 2)) == 3 and len(parts[2]) == 10 and parts[2].isdecimal():
            identifier, text = parts[0], parts[1]
            time = int(parts[2]) * 1000
        else:
            if line.strip() and not result:
                self._reject(number, BREAKS_OFF if not line.endswith("\n") else _NO_LINE, line)
            return
        value = number_of(text)
        if value is None:
            if not is_meaningless(identifier.rpartition(".")[2]):
                self._reject(number, NO_NUMBER, line)
        elif time != _UNTIMED and not EARLIEST <= time < LATEST:
            self._reject(number, OUT_OF_RANGE, line)
        else:
            self._which.append(self.identifiers.setdefault(identifier, len(self.identifiers)))
            self._lines.append(number)
            self._times.append(time)
            self._values.append(value)

    def _reject(self, number: int, reason: str, line: str) -> None:
        self.gathering.reject(f"{self.path}:{number}", reason, line.rstrip("\r\n"))

    def readings(self) -> Iterator[tuple[str, Readings]]:
        """Yield each identifier with its readings."""
        which = np.array(self._which, np.int32)
        order = np.argsort(which, kind="stable")
        columns = [np.array(column)[order] for column in (self._lines, self._times, self._values)]
        ends = np.cumsum(np.bincount(which, minlength=len(self.identifiers)))
        for identifier, start, end in zip(self.identifiers, [0, *ends.tolist()], ends.tolist(), strict=False):
            yield identifier, Readings(*(column[start:end] for column in columns))


def once(readings: Readings) -> Readings:
    """Return `readings` without gauges repeated on the next line and without the 0 sent before a negative value."""
    lines, values = readings.lines, readings.values
    follows = np.diff(lines) == 1
    same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    again = np.append(False, follows & same)
    reset = np.append(follows & (values[:-1] == 0) & (values[1:] < 0), False)
    kept = ~(again | reset)
    return Readings(lines[kept], readings.times[kept], values[kept])


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield batches of samples from StatsD or Graphite lines; raise ValueError if no line is from a Flink reporter."""
    gathering = Gathering()
    lines = _Lines(path, gathering)
    for number, line in numbered_lines(path, gathering):
        lines.line(number, line)
    names = Names()
    names.learn(lines.identifiers)
    if not any(names.resolved(identifier) for identifier in lines.identifiers):
        raise ValueError(f"{path}: no line is from Flink's reporters for StatsD or Graphite")
    own = time_of(path, options)
    for identifier, readings in lines.readings():
        result = names.resolved(identifier)
        if result is None:
            gathering.reject(f"{path}:{readings.lines[0]}", "metric is not one of Flink's", identifier)
        elif result.name is not None:
            _add(gathering, path, names, identifier, result, once(readings), own, options)
            if gathering.full:
                yield gathering.take()
    yield gathering.take()


def _add(
    gathering: Gathering,
    path: str,
    names: Names,
    identifier: str,
    identified: IdentifiedName,
    readings: Readings,
    own: int,
    options: Options,
) -> None:
    """Add the readings of one identifier, report by report, with the scope that each belongs to."""
    lines, times, values = readings
    expected = names.readings_in_a_report(identified.identifier)
    timed = times != _UNTIMED
    for place in np.flatnonzero(~timed)[:-expected]:
        gathering.reject(f"{path}:{lines[place]}", _EARLIER, f"{identifier}: {values[place]}")
    ends = np.flatnonzero(np.diff(times) > _REPORT) + 1
    if expected == 1 and not identified.identifier.either and timed.all() and len(ends) + 1 == len(times):
        assert identified.name
        key = key_of(identified.identifier, identified.name, identified.name.scope, options.cluster)
        gathering.extend(gathering.series(key), times, values)
        return
    for start, end in zip([0, *ends.tolist()], [*ends.tolist(), len(times)], strict=True):
        first = max(start, end - expected) if times[start] == _UNTIMED else start
        time = own if times[start] == _UNTIMED else int(times[first])
        assigned = names.assigned(identified.identifier, values[first:end].tolist())
        if assigned is None:
            for place in range(first, end):
                gathering.reject(f"{path}:{lines[place]}", SHARED, f"{identifier}: {values[place]}")
            continue
        for scope, value in assigned:
            assert identified.name
            key = key_of(identified.identifier, identified.name, scope, options.cluster)
            gathering.add(gathering.series(key), time, value)


SOURCE = Source("statsd", "StatsD or Graphite lines", 35, recognizes, read)

"""Flink's logs: reports of the Slf4j reporter, completed checkpoints and oversized messages.

A block begins with ``=== Starting metrics report ===`` after the time of its log line and contains a line
``<identifier>: <value>`` for each metric, under ``-- Counters --``, ``-- Gauges --``, ``-- Meters --`` (the rate) and
``-- Histograms --`` (``count=14, min=0, …, p99=76.0``). In addition to the blocks, these lines are read:

- ``Completed checkpoint 3 for job <id> (21488 bytes, checkpointDuration=206 ms, finalizationTime=4 ms).``; up to 1.13
  ``(21488 bytes in 206 ms)``.
- ``Discarding oversized payload … max allowed size 10485760 bytes, actual size of encoded … was 12000000 bytes``; up to
  1.14 ``The rpc invocation size 12000000 exceeds the maximum akka framesize``.

The time is what the logging pattern puts first (``2026-11-20 16:09:55,149``, ISO 8601, ``26/11/20 16:09:55``), possibly
after that of a container's runtime; without a time zone it is UTC. A pattern without a date gives no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.calculators.history.metrics.identifiers import SHARED, Names, key_of
from flink_flint.calculators.history.metrics.reporter_values import number_of
from flink_flint.calculators.history.metrics.vocabulary import is_meaningless
from flink_flint.calculators.history.samples import JOB, TASKMANAGER, Batch, Gathering, SeriesKey
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import (
    BREAKS_OFF,
    EARLIEST,
    LATEST,
    NO_NUMBER,
    OUT_OF_RANGE,
)
from flink_flint.calculators.history.sources.text_lines import leading_time, numbered_lines

_START, _FINISH = "Starting metrics report", "Finished metrics report"
_FLINKS = re.compile(
    rb"=== Starting metrics report ===|Slf4jReporter"
    rb"|^[^\n]{0,60}\d\d:\d\d:\d\d[^\n]{0,40}(?:TRACE|DEBUG|INFO|WARN|ERROR)[^\n]{0,60}"
    rb"(?:org\.apache\.flink|o\.a\.f|akka\.|pekko\.)",
    re.M,
)
_CONTAINER = re.compile(r"\S+Z (?:stdout|stderr) [FP] ")
"""Prefix that a Kubernetes node adds to each line."""
_SECTION = re.compile(r"-- (Counters|Gauges|Meters|Histograms) -*\s*")
_COMPLETED = re.compile(
    r"Completed checkpoint \d+ for job ([0-9a-f]{32}) \((\d+) bytes"
    r"(?:, checkpointDuration=(\d+) ms, finalizationTime=(\d+) ms|(?: in|,) (\d+) ms)"
)
_OVERSIZED = re.compile(
    r"(?:max allowed size \d+ bytes, actual size of encoded .{0,300}? was|The rpc invocation size) (\d+)"
    r"(?: bytes| exceeds the maximum)"
)
_RESOURCE = re.compile(r"TaskManager with ResourceID: (\S+)")
_NO_TIME = "report has no time with a date"
_NO_LINE = "line of a report has no value"


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file's first bytes (`head`) contain a line of a Flink log."""
    return bool(_FLINKS.search(head))


class _Report:
    """A block of the Slf4j reporter while it is read."""

    def __init__(self, time: int, number: int) -> None:
        self.time = time
        self.number = number
        self.section = ""
        self.values: dict[str, list[float]] = {}


class _Log:
    """The parser of one log."""

    def __init__(self, path: str, options: Options) -> None:
        self.gathering = Gathering()
        self.useful = False
        self._path = path
        self._cluster = options.cluster
        self._names = Names()
        self._report: _Report | None = None
        self._time = -1
        self._dated = False
        self._tm = ""
        self._oversized: tuple[int, float] = (-1, -1.0)

    def line(self, number: int, line: str) -> None:
        container = _CONTAINER.match(line) if line[10:11] == "T" else None
        outer = leading_time(line) if container else None
        if container:
            line = line[container.end() :]
        result = leading_time(line)
        if result:
            self._time, self._dated = result[0], True
        elif outer and not self._dated:
            self._time = outer[0]
        if _START in line:
            self._begin(number)
        elif self._report is None:
            if not result and _FINISH in line:
                self._reject(number, "report begins in another file", line)
            else:
                self._event(number, line)
        elif _FINISH in line:
            self._end()
        elif result:
            # Another logger's line: the report was truncated by a full disk or a killed process.
            self._reject(number, "report is truncated", line)
            self._end()
            self._event(number, line)
        else:
            self._reading(number, line)

    def finish(self, last: str) -> None:
        """Handle the end of the log."""
        if self._report:
            self._reject(self._report.number, BREAKS_OFF, last)
            self._end()

    def _begin(self, number: int) -> None:
        self.useful = True
        if self._report:
            self._reject(number, "report is truncated", "")
            self._end()
        self._report = _Report(self._time, number)
        if self._time < 0:
            self._reject(number, _NO_TIME, "")
        elif not EARLIEST <= self._time < LATEST:
            self._reject(number, OUT_OF_RANGE, str(self._time))
            self._report.time = -1

    def _reading(self, number: int, line: str) -> None:
        report = self._report
        assert report
        if line.startswith("-- ") and (section := _SECTION.fullmatch(line)):
            report.section = section[1]
            return
        text = line.strip()
        if not text or report.time < 0:
            return
        identifier, colon, value = text.rpartition(": ")
        if not colon:
            self._reject(number, _NO_LINE if line.endswith("\n") else BREAKS_OFF, line)
        elif report.section == "Histograms":
            for part in value.split(", "):
                field, _, number_text = part.partition("=")
                self._keep(report, number, f"{identifier}.{field}", number_text, line)
        else:
            self._keep(report, number, f"{identifier}.rate" if report.section == "Meters" else identifier, value, line)

    def _keep(self, report: _Report, number: int, identifier: str, text: str, line: str) -> None:
        value = number_of(text)
        if value is not None:
            report.values.setdefault(identifier, []).append(value)
        elif not is_meaningless(identifier.rpartition(".")[2]):
            self._reject(number, NO_NUMBER, line)

    def _end(self) -> None:
        report, self._report = self._report, None
        assert report
        self._names.learn(report.values)
        where = f"{self._path}:{report.number}"
        for identifier, values in report.values.items():
            result = self._names.resolved(identifier)
            if result is None:
                self.gathering.reject(where, "metric is not one of Flink's", identifier)
                continue
            if result.name is None:
                continue
            assigned = self._names.assigned(result.identifier, values)
            if assigned is None:
                for value in values:
                    self.gathering.reject(where, SHARED, f"{identifier}: {value}")
                continue
            for scope, value in assigned:
                key = key_of(result.identifier, result.name, scope, self._cluster)
                self.gathering.add(self.gathering.series(key), report.time, value)

    def _event(self, number: int, line: str) -> None:
        if "Completed checkpoint" in line and (found := _COMPLETED.search(line)):
            job, size, duration, finalization, older = found.groups()
            self._sample(number, line, SeriesKey("lastCheckpointSize", JOB, self._cluster, job_id=job), size)
            duration = duration or older
            self._sample(number, line, SeriesKey("lastCheckpointDuration", JOB, self._cluster, job_id=job), duration)
            if finalization:
                key = SeriesKey("checkpointFinalizationTime", JOB, self._cluster, job_id=job)
                self._sample(number, line, key, finalization)
        elif ("oversized payload" in line or "rpc invocation size" in line) and (found := _OVERSIZED.search(line)):
            # A stack trace repeats the message for each cause.
            if self._oversized != (self._time, float(found[1])):
                self._oversized = self._time, float(found[1])
                key = SeriesKey("rpcMessageSize", TASKMANAGER, self._cluster, tm=self._tm)
                self._sample(number, line, key, found[1])
        elif "ResourceID: " in line and (found := _RESOURCE.search(line)):
            self._tm = found[1]

    def _sample(self, number: int, line: str, key: SeriesKey, text: str) -> None:
        self.useful = True
        if EARLIEST <= self._time < LATEST:
            self.gathering.add(self.gathering.series(key), self._time, float(text))
        else:
            self._reject(number, _NO_TIME if self._time < 0 else OUT_OF_RANGE, line)

    def _reject(self, number: int, reason: str, line: str) -> None:
        self.gathering.reject(f"{self._path}:{number}", reason, line.rstrip("\r\n"))


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield batches of samples from a log; a log without metrics yields an empty batch."""
    log = _Log(path, options)
    line = ""
    for number, line in numbered_lines(path, log.gathering):
        log.line(number, line)
        if log.gathering.full:
            yield log.gathering.take()
    log.finish(line)
    yield log.gathering.take()


SOURCE = Source("slf4j-log", "Flink's logs", 30, recognizes, read)

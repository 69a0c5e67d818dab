"""CloudWatch as a source: API responses and metric streams of Managed Service for Apache Flink and Kinesis.

Responses of GetMetricData are read (with the queries in the same document or in a file next to it, as ``Id`` and
``Label`` identify little), responses of GetMetricStatistics with the request's ``Namespace`` and ``Dimensions`` added,
and the JSON of metric streams as Firehose writes them, one object per line or one directly after the other.

CloudWatch keeps statistics, not samples. Managed Flink reports four snapshots of every subtask or TaskManager per
minute, so a sum is divided by the number of snapshots to get the sum over subtasks; Kinesis counts what happened in a
period, which becomes a rate per second (``IncomingBytesPerSecond``). `cloudwatch_metrics` defines which statistic keeps
the metric's own name; others get it as a suffix (``busyTimeMsPerSecond.max``). Percentages are kept as percentages. A
managed application is a cluster of its own with the application's name, unless another name is given.

Sources: "Metrics and dimensions in Managed Service for Apache Flink", "Monitor the Amazon Kinesis Data Streams service
with Amazon CloudWatch", "CloudWatch metric streams output in JSON format", the API reference of GetMetricData.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from pyarrow import fs

from flink_flint.calculators.history.file_access import join, open_bytes, place_of
from flink_flint.calculators.history.samples import Batch, Gathering, SeriesKey
from flink_flint.calculators.history.sources.canonical.rows import UnusableError, number_of, read_some, time_of
from flink_flint.calculators.history.sources.cloudwatch_metrics import (
    FLINK,
    KINESIS,
    Query,
    forms_of_flink,
    forms_of_kinesis,
    namespace_of,
    series_of_flink,
    series_of_kinesis,
)
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF

NO_SHAPE = "document is not one of CloudWatch's"
NO_JSON = "document is not JSON"
NO_METRIC = "response does not name its metric"
NO_NAMESPACE = "namespace is neither Flink's nor Kinesis'"
NOT_PAIRED = "response does not have as many values as times"


_MINUTE = 60.0
"""Seconds of a period of a metric stream, and of others that do not give a period."""

_STATISTICS = {"Average": "avg", "Maximum": "max", "Minimum": "min", "Sum": "sum", "SampleCount": "count"}


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file looks like a response, a list of queries or a metric stream of CloudWatch."""
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not start.startswith((b"{", b"[")):
        return False
    if re.search(rb'"(?:MetricDataResults|MetricDataQueries|Datapoints|MetricStat)"\s*:', start):
        return True
    return all(f'"{key}"'.encode() in start for key in ("namespace", "metric_name", "timestamp", "value"))


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the samples of a file; raise ValueError if it contains no JSON."""
    gathering = Gathering()
    reading = _Reading(gathering, options)
    queries: dict[str, Query] | None = None
    used = False
    for number, document in _documents(path, gathering):
        used = True
        where = f"{path}:{number}"
        if isinstance(document, dict) and "metric_name" in document:
            reading.add_stream_object(document, where)
        else:
            if queries is None:
                queries = _sibling_queries(path)
            for one in document if isinstance(document, list) else (document,):
                reading.add_response(one, queries, where)
        if gathering.full:
            yield gathering.take()
    batch = gathering.take()
    if not used and not any(bad.reason == BREAKS_OFF for bad in batch.bad):
        raise ValueError(f"{path}: not a response of CloudWatch: it contains no JSON document")
    yield batch


_CHUNK = 1 << 20
_START = '{"metric_stream_name"'
_LONGEST = 1 << 28
"""Maximum number of characters of one document; the API's own limit for a response is far lower."""


def _documents(path: str, gathering: Gathering) -> Iterator[tuple[int, Any]]:
    """Yield the JSON documents of a file with their first lines; separators between them are optional."""
    decoder, decode = json.JSONDecoder(), codecs.getincrementaldecoder("utf-8")("replace").decode
    text, line, broken, more = "", 1, "", True
    required = _CHUNK
    with open_bytes(path) as stream:
        while more:
            part, broken = read_some(stream, required)
            more = bool(part) and not broken
            text += decode(part, not more)
            position = 0
            while True:
                start = _skipped(text, position)
                line += text.count("\n", position, start)
                position = start
                if position == len(text):
                    break
                try:
                    document, end = decoder.raw_decode(text, position)
                except (ValueError, RecursionError) as error:
                    if more and _cut_off(error, text) and len(text) - position < _LONGEST:
                        break
                    # A document that cannot be read ends with its line, or where the next object of a stream starts.
                    ends = (text.find("\n", position), text.find(_START, position + 1))
                    end = min((one for one in ends if one >= 0), default=-1)
                    if end < 0 and (more or broken):
                        break
                    end = len(text) if end < 0 else end
                    reason = BREAKS_OFF if not more and end == len(text) else NO_JSON
                    gathering.reject(f"{path}:{line}", reason, text[position : position + 200])
                    line += text.count("\n", position, end)
                    position = end
                    continue
                if end == len(text) and more and not isinstance(document, dict | list):
                    break
                yield line, document
                line += text.count("\n", position, end)
                position = end
            text = text[position:]
            # Twice as much each time that a document needs more, so that it is not parsed over and over.
            required = max(_CHUNK, len(text))
    if broken:
        gathering.reject(f"{path}:{line}", BREAKS_OFF, broken)


_BETWEEN = re.compile(r"[\s,\ufeff]*")


def _skipped(text: str, position: int) -> int:
    found = _BETWEEN.match(text, position)
    assert found is not None
    return found.end()


def _cut_off(error: Exception, text: str) -> bool:
    """Return whether a document may be unreadable only because its end has not been read yet."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    # A truncated text or number is reported at its start.
    return error.pos >= len(text) - 20 or "Unterminated" in error.msg


def _queries_of(document: Any) -> dict[str, Query]:
    """Return the queries of a document by id."""
    listed = document.get("MetricDataQueries") if isinstance(document, dict) else document
    queries = {}
    for query in listed if isinstance(listed, list) else ():
        try:
            given = query["MetricStat"]
            metric = given["Metric"]
            queries[str(query["Id"])] = Query(
                str(metric["Namespace"]),
                str(metric["MetricName"]),
                _dimensions(metric.get("Dimensions")),
                str(given["Stat"]),
                _period(given["Period"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            # Expressions are not metrics, and their results are identified only by their label.
            continue
    return queries


def _sibling_queries(path: str) -> dict[str, Query]:
    """Return the queries in files next to a response that are named after it (``queries.json``, ``a.queries.json``)."""
    folder, _, name = path.rpartition("/")
    folder = folder or "."
    system, within = place_of(folder)
    try:
        found = system.get_file_info(fs.FileSelector(within))
    except OSError:
        return {}
    own = name.partition(".")[0]
    of_all: list[tuple[str, int]] = []
    of_this: list[tuple[str, int]] = []
    for info in found:
        first, _, rest = info.base_name.partition(".")
        if info.type != fs.FileType.File or "json" not in rest:
            continue
        if "quer" in first.lower():
            of_all.append((info.base_name, int(info.mtime_ns or 0)))
        elif "quer" in rest.lower() and first == own:
            of_this.append((info.base_name, int(info.mtime_ns or 0)))
    # The queries of this response override those of all responses.
    return _queries_in(folder, (*sorted(of_all), *sorted(of_this)))


@lru_cache(maxsize=8)
def _queries_in(folder: str, files: tuple[tuple[str, int], ...]) -> dict[str, Query]:
    queries: dict[str, Query] = {}
    for name, _ in files:
        try:
            with open_bytes(join(folder, name)) as stream:
                queries |= _queries_of(json.loads(stream.read(_LONGEST)))
        except (ValueError, RecursionError, OSError, EOFError):
            continue
    return queries


def _period(said: Any) -> float:
    """Return the seconds of a period; raise ValueError if it is invalid."""
    period = number_of(said)
    if not 1 <= period <= 86_400 * 365:
        raise ValueError
    return period


def _dimensions(said: Any) -> dict[str, str]:
    if isinstance(said, Mapping):
        return {str(name): str(value) for name, value in said.items()}
    return {str(one["Name"]): str(one["Value"]) for one in said or ()}


class _Reading:
    """The parser of documents."""

    def __init__(self, gathering: Gathering, options: Options) -> None:
        self._gathering = gathering
        self._options = options
        self._forms: dict[tuple[object, ...], list[tuple[SeriesKey, str, float]]] = {}

    def add_stream_object(self, document: Mapping[str, Any], where: str) -> None:
        """Add an object of a metric stream: the statistics of one metric in one minute."""
        try:
            namespace, metric = str(document["namespace"]), str(document["metric_name"])
            dimensions = _dimensions(document.get("dimensions"))
            labels = {name: str(document[name]) for name in ("account_id", "region") if name in document}
            given = document["value"]
            time = time_of(document["timestamp"])
            statistics = {name: number_of(given[name]) for name in ("max", "min", "sum", "count")}
            if statistics["count"] > 0:
                statistics["avg"] = statistics["sum"] / statistics["count"]
            self._statistics(Query(namespace, metric, dimensions, "", _MINUTE), labels, time, statistics)
        except UnusableError as error:
            self._gathering.reject(where, str(error), json.dumps(document)[:200])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._gathering.reject(where, NO_SHAPE, json.dumps(document)[:200])

    def add_response(self, document: Any, queries: Mapping[str, Query], where: str) -> None:
        """Add a response of GetMetricData or GetMetricStatistics."""
        try:
            if "MetricDataResults" in document:
                known = {**queries, **_queries_of(document)}
                for result in document["MetricDataResults"]:
                    self._guarded(self._result, result, known, f"{where}#{_name_of(result)}")
            elif "Datapoints" in document:
                self._guarded(self._datapoints, document, queries, where)
            elif not any(key in document for key in ("MetricDataQueries", "MetricStat", "Expression")):
                raise TypeError
        except (KeyError, TypeError, ValueError, AttributeError):
            self._gathering.reject(where, NO_SHAPE, str(document))

    def _guarded(self, method: Any, said: Any, queries: Mapping[str, Query], where: str) -> None:
        try:
            method(said, queries, where)
        except UnusableError as error:
            self._gathering.reject(where, str(error), str(said)[:200])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._gathering.reject(where, NO_SHAPE, str(said)[:200])

    def _result(self, result: Mapping[str, Any], queries: Mapping[str, Query], where: str) -> None:
        times, values = result["Timestamps"], result["Values"]
        if len(times) != len(values):
            raise UnusableError(NOT_PAIRED)
        if not times:
            return
        query = queries.get(str(result.get("Id"))) or _query_of_label(str(result.get("Label", "")))
        pairs = [pair for pair in zip(times, values, strict=True) if self._usable(pair, where)]
        at = [time_of(time) for time, _ in pairs]
        if not query.period:
            query = query._replace(period=_period_of(at))
        name = _STATISTICS.get(query.statistic, query.statistic)
        for time, (_, value) in zip(at, pairs, strict=True):
            self._statistics(query, {}, time, {name: number_of(value)})

    def _usable(self, pair: tuple[Any, Any], where: str) -> bool:
        try:
            time_of(pair[0])
            number_of(pair[1])
        except UnusableError as error:
            self._gathering.reject(where, str(error), str(pair))
            return False
        return True

    def _datapoints(self, document: Mapping[str, Any], _: Mapping[str, Query], where: str) -> None:
        metric = str(document.get("MetricName") or document.get("Label") or "")
        namespace = str(document.get("Namespace") or namespace_of(metric))
        points = [point for point in document["Datapoints"] if self._usable((point.get("Timestamp"), 0), where)]
        at = [time_of(point["Timestamp"]) for point in points]
        period = _period(document["Period"]) if "Period" in document else _period_of(at)
        query = Query(namespace, metric, _dimensions(document.get("Dimensions")), "", period)
        for time, point in zip(at, points, strict=True):
            statistics = {short: number_of(point[name]) for name, short in _STATISTICS.items() if name in point}
            extended = point.get("ExtendedStatistics") or {}
            statistics |= {str(name): number_of(value) for name, value in extended.items()}
            if "sum" not in statistics and {"avg", "count"} <= set(statistics):
                statistics["sum"] = statistics["avg"] * statistics["count"]
            self._statistics(query, {}, time, statistics)

    def _statistics(self, query: Query, labels: Mapping[str, str], time: int, statistics: Mapping[str, float]) -> None:
        """Add the statistics of a metric in one period, each as a sample if it has information of its own."""
        known = (*query[:2], *query[3:], *query.dimensions.items(), *labels.items(), *statistics)
        forms = self._forms.get(known)
        if forms is None:
            forms = self._forms[known] = self._forms_by(query, labels, tuple(statistics))
        for key, statistic, factor in forms:
            self._gathering.add(self._gathering.series(key), time, statistics[statistic] * factor)

    def _forms_by(
        self, query: Query, labels: Mapping[str, str], statistics: tuple[str, ...]
    ) -> list[tuple[SeriesKey, str, float]]:
        """Return the series that the statistics of a metric belong to, and the factor for their values."""
        if not query.metric:
            raise UnusableError(NO_METRIC)
        if query.namespace not in (FLINK, KINESIS):
            raise UnusableError(NO_NAMESPACE)
        of_flink = query.namespace == FLINK
        forms = []
        for form in forms_of_flink(query, statistics) if of_flink else forms_of_kinesis(query, statistics):
            key = series_of_flink(query, form.metric) if of_flink else series_of_kinesis(query, form.metric)
            label = {**labels, **query.dimensions}.get(self._options.cluster_label, "")
            key = key._replace(cluster=self._options.cluster or label or key.cluster)
            forms.append((key, form.statistic, form.factor))
        return forms


def _name_of(result: Any) -> str:
    return str(result.get("Id") or result.get("Label") or "") if isinstance(result, dict) else ""


def _query_of_label(label: str) -> Query:
    """Return the query that a label generated by CloudWatch implies: metric name, and application or stream."""
    words = label.split()
    metric = next((word for word in words if namespace_of(word)), "")
    namespace = namespace_of(metric)
    owner = " ".join(word for word in words if word != metric)
    dimension = "Application" if namespace == FLINK else "StreamName"
    return Query(namespace, metric, {dimension: owner} if owner else {}, "", 0.0)


def _period_of(times: Iterable[int]) -> float:
    """Return the seconds between the times of a response (milliseconds), if nothing else gives its period."""
    ordered = sorted(set(times))
    return min((b - a for a, b in pairwise(ordered)), default=_MINUTE * 1000) / 1000


SOURCE = Source("cloudwatch", "responses of CloudWatch's API and its metric streams", 30, recognizes, read)

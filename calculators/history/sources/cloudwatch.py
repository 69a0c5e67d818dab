"""CloudWatch's metrics of Managed Service for Apache Flink and of Kinesis: answers of its API, and metric streams.

Read are answers of GetMetricData (with the queries in the same document or in a file beside it, as ``Id`` and ``Label``
say little), answers of GetMetricStatistics with the request's ``Namespace`` and ``Dimensions`` added, and the JSON of
metric streams, one object per line or one straight after the other, as Firehose writes them.

CloudWatch keeps statistics, not samples. Managed Flink puts four snapshots of every subtask or TaskManager into a
minute, so that a sum is divided by them to be the sum over subtasks; Kinesis counts what happened in a period, which
becomes a rate per second (``IncomingBytesPerSecond``). `Kind` says which statistic a metric's own name stands for;
others get it as a suffix (``busyTimeMsPerSecond.max``). Percentages stay percentages. A managed application is a
cluster of its own and bears its name, unless another was said.

Sources: "Metrics and dimensions in Managed Service for Apache Flink", "Monitor the Amazon Kinesis Data Streams service
with Amazon CloudWatch", "CloudWatch metric streams output in JSON format", the API reference of GetMetricData.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from pyarrow import fs

from calculators.history import vocabulary
from calculators.history.files import join, open_bytes, place_of
from calculators.history.sample import (
    JOB,
    JOBMANAGER,
    OPERATOR,
    STREAM,
    TASK,
    TASKMANAGER,
    Batch,
    Gathering,
    SeriesKey,
)
from calculators.history.sources.canonical import BREAKS_OFF, UnusableError, number_of, read_some, time_of
from calculators.history.sources.source import Options, Source

FLINK = "AWS/KinesisAnalytics"
KINESIS = "AWS/Kinesis"

NO_SHAPE = "document is none of CloudWatch's"
NO_JSON = "document is no JSON"
NO_METRIC = "answer does not say which metric it is"
NO_OWNER = "answer does not say whose metric it is"
NO_NAMESPACE = "namespace is neither Flink's nor Kinesis'"
NO_STATISTIC = "answer does not say which statistic it is"
NOT_PAIRED = "answer has not as many values as times"


class Kind(Enum):
    """What a metric of many reporters is taken as: the statistic that its own name stands for."""

    TOTAL = "sum"
    """The sum over subtasks: rates and counts of records."""
    MEAN = "avg"
    """The mean over subtasks, shards or processes."""
    PEAK = "max"
    """The largest: how far a consumer is behind."""
    LEAST = "min"
    """The smallest: how far a watermark is."""
    SINGLE = ""
    """One reporter, so that all statistics but the sum say the same."""


class Metric(NamedTuple):
    """What a metric of Managed Flink is in Flink's words."""

    name: str
    scope: str
    """Where the dimensions name no task, operator or TaskManager."""
    kind: Kind
    counter: bool = False


_JOB_METRICS = (
    "lastCheckpointDuration lastCheckpointSize lastCheckpointFullSize numRestarts uptime downtime runningTime "
    "restartingTime failingTime cancellingTime initializingTime numberOfFailedCheckpoints numberOfCompletedCheckpoints"
)
_SHARES_OF_PROCESSES = (
    "cpuUtilization containerCPUUtilization containerMemoryUtilization containerDiskUtilization heapMemoryUtilization "
    "managedMemoryUtilization threadsCount"
)
_SHARES_OF_TIME = "busyTimeMsPerSecond idleTimeMsPerSecond backPressuredTimeMsPerSecond"
_RECORDS = "numRecordsIn numRecordsOut numLateRecordsDropped commitsFailed commitsSucceeded"
_RATES = "numRecordsInPerSecond numRecordsOutPerSecond bytes_consumed_rate"

FLINK_METRICS: dict[str, Metric] = {
    **{name: Metric(name, JOB, Kind.SINGLE, vocabulary.is_counter(name)) for name in _JOB_METRICS.split()},
    "fullRestarts": Metric("numRestarts", JOB, Kind.SINGLE, True),
    "KPUs": Metric("KPUs", JOB, Kind.SINGLE),
    **{name: Metric(name, TASKMANAGER, Kind.MEAN) for name in _SHARES_OF_PROCESSES.split()},
    "managedMemoryUsed": Metric("Status.Flink.Memory.Managed.Used", TASKMANAGER, Kind.MEAN),
    "managedMemoryTotal": Metric("Status.Flink.Memory.Managed.Total", TASKMANAGER, Kind.MEAN),
    "oldGenerationGCCount": Metric("oldGenerationGCCount", TASKMANAGER, Kind.MEAN, True),
    "oldGenerationGCTime": Metric("oldGenerationGCTime", TASKMANAGER, Kind.MEAN, True),
    "taskmanagerFileDescriptorsMax": Metric("Status.JVM.FileDescriptor.Max", TASKMANAGER, Kind.MEAN),
    "taskmanagerFileDescriptorsOpen": Metric("Status.JVM.FileDescriptor.Open", TASKMANAGER, Kind.MEAN),
    "jobmanagerFileDescriptorsMax": Metric("Status.JVM.FileDescriptor.Max", JOBMANAGER, Kind.SINGLE),
    "jobmanagerFileDescriptorsOpen": Metric("Status.JVM.FileDescriptor.Open", JOBMANAGER, Kind.SINGLE),
    **{name: Metric(name, JOB, Kind.MEAN) for name in _SHARES_OF_TIME.split()},
    **{name: Metric(name, JOB, Kind.TOTAL, True) for name in _RECORDS.split()},
    **{name: Metric(name, JOB, Kind.TOTAL) for name in _RATES.split()},
    "millisBehindLatest": Metric("millisBehindLatest", JOB, Kind.PEAK),
    "millisbehindLatest": Metric("millisBehindLatest", JOB, Kind.PEAK),
    "records_lag_max": Metric("records_lag_max", JOB, Kind.PEAK),
    "currentInputWatermark": Metric("currentInputWatermark", JOB, Kind.LEAST),
    "currentOutputWatermark": Metric("currentOutputWatermark", JOB, Kind.LEAST),
    "currentoffsets": Metric("currentOffsets", JOB, Kind.SINGLE),
    "committedoffsets": Metric("committedOffsets", JOB, Kind.SINGLE),
}
"""Managed Flink's metrics by CloudWatch's names. The others keep their names, their mean counts."""

_LATE = ("IteratorAgeMilliseconds", "MillisBehindLatest")
_SHARES = ("Latency", "Success")
KINESIS_METRICS = frozenset((
    "GetRecords.Bytes", "GetRecords.IteratorAge", "GetRecords.IteratorAgeMilliseconds", "GetRecords.Latency",
    "GetRecords.Records", "GetRecords.Success", "IncomingBytes", "IncomingRecords", "OutgoingBytes",
    "OutgoingRecords", "IteratorAgeMilliseconds", "PutRecord.Bytes", "PutRecord.Latency", "PutRecord.Success",
    "PutRecords.Bytes", "PutRecords.Latency", "PutRecords.Records", "PutRecords.Success", "PutRecords.TotalRecords",
    "PutRecords.SuccessfulRecords", "PutRecords.FailedRecords", "PutRecords.ThrottledRecords",
    "ReadProvisionedThroughputExceeded", "WriteProvisionedThroughputExceeded", "SubscribeToShard.RateExceeded",
    "SubscribeToShard.Success", "SubscribeToShardEvent.Bytes", "SubscribeToShardEvent.MillisBehindLatest",
    "SubscribeToShardEvent.Records", "SubscribeToShardEvent.Success",
))  # fmt: skip
"""Kinesis' metrics by CloudWatch's names, to tell them in a label."""

_SNAPSHOT = 15.0
"""Seconds between the snapshots that Managed Flink takes of a metric."""
_MINUTE = 60.0
"""Seconds of a period of a metric stream, and of others that say no period."""

_STATISTICS = {"Average": "avg", "Maximum": "max", "Minimum": "min", "Sum": "sum", "SampleCount": "count"}
_OWNERS = ("Application", "Task", "Operator", "Parallelism", "tm_id", "Flow", "Host")
"""Dimensions that have a field of their own, or tell no more than others."""


def recognises(path: str, head: bytes) -> bool:
    """Whether a file looks like an answer of CloudWatch, the queries of one, or a metric stream."""
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not start.startswith((b"{", b"[")):
        return False
    if re.search(rb'"(?:MetricDataResults|MetricDataQueries|Datapoints|MetricStat)"\s*:', start):
        return True
    return all(f'"{key}"'.encode() in start for key in ("namespace", "metric_name", "timestamp", "value"))


def read(path: str, options: Options) -> Iterator[Batch]:
    """The samples of a file. Raises ValueError where it holds no JSON."""
    gathering = Gathering()
    reading = _Reading(gathering, options)
    queries: dict[str, _Query] | None = None
    used = False
    for number, document in _documents(path, gathering):
        used = True
        where = f"{path}:{number}"
        if isinstance(document, dict) and "metric_name" in document:
            reading.streamed(document, where)
        else:
            if queries is None:
                queries = _queries_beside(path)
            for one in document if isinstance(document, list) else (document,):
                reading.answered(one, queries, where)
        if gathering.full:
            yield gathering.take()
    batch = gathering.take()
    if not used and not any(bad.reason == BREAKS_OFF for bad in batch.bad):
        raise ValueError(f"{path}: no answer of CloudWatch: it holds no JSON document")
    yield batch


_CHUNK = 1 << 20
_START = '{"metric_stream_name"'
_LONGEST = 1 << 28
"""Characters of one document; the API's own limit for an answer is far below."""


def _documents(path: str, gathering: Gathering) -> Iterator[tuple[int, Any]]:
    """The JSON documents of a file with the lines they start at, whether anything stands between them or not."""
    decoder, decode = json.JSONDecoder(), codecs.getincrementaldecoder("utf-8")("replace").decode
    text, line, broken, more = "", 1, "", True
    wanted = _CHUNK
    with open_bytes(path) as stream:
        while more:
            part, broken = read_some(stream, wanted)
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
                    # A document that cannot be read ends with its line, or where the next of a stream starts.
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
            # Twice as much each time that a document needs more, so that it is not read over and over.
            wanted = max(_CHUNK, len(text))
    if broken:
        gathering.reject(f"{path}:{line}", BREAKS_OFF, broken)


_BETWEEN = re.compile(r"[\s,\ufeff]*")


def _skipped(text: str, position: int) -> int:
    found = _BETWEEN.match(text, position)
    assert found is not None
    return found.end()


def _cut_off(error: Exception, text: str) -> bool:
    """Whether a document may be unreadable only because its end has not been read yet."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    # A text or a number that is cut is reported at its start.
    return error.pos >= len(text) - 20 or "Unterminated" in error.msg


class _Query(NamedTuple):
    """A metric that was asked for."""

    namespace: str
    metric: str
    dimensions: dict[str, str]
    statistic: str
    period: float


def _queries_of(document: Any) -> dict[str, _Query]:
    """The queries of a document by their ids."""
    listed = document.get("MetricDataQueries") if isinstance(document, dict) else document
    queries = {}
    for query in listed if isinstance(listed, list) else ():
        try:
            said = query["MetricStat"]
            metric = said["Metric"]
            queries[str(query["Id"])] = _Query(
                str(metric["Namespace"]),
                str(metric["MetricName"]),
                _dimensions(metric.get("Dimensions")),
                str(said["Stat"]),
                _period(said["Period"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            # Expressions are no metric, and what they yield is known by its label alone.
            continue
    return queries


def _queries_beside(path: str) -> dict[str, _Query]:
    """The queries in the files beside an answer whose names say so (``queries.json``, ``a.queries.json``)."""
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
    # The queries of this answer count more than those of all.
    return _queries_in(folder, (*sorted(of_all), *sorted(of_this)))


@lru_cache(maxsize=8)
def _queries_in(folder: str, files: tuple[tuple[str, int], ...]) -> dict[str, _Query]:
    queries: dict[str, _Query] = {}
    for name, _ in files:
        try:
            with open_bytes(join(folder, name)) as stream:
                queries |= _queries_of(json.loads(stream.read(_LONGEST)))
        except (ValueError, RecursionError, OSError, EOFError):
            continue
    return queries


def _period(said: Any) -> float:
    """Seconds; raises ValueError where it is none."""
    period = number_of(said)
    if not 1 <= period <= 86_400 * 365:
        raise ValueError
    return period


def _dimensions(said: Any) -> dict[str, str]:
    if isinstance(said, Mapping):
        return {str(name): str(value) for name, value in said.items()}
    return {str(one["Name"]): str(one["Value"]) for one in said or ()}


class _Reading:
    """Puts documents into a gathering."""

    def __init__(self, gathering: Gathering, options: Options) -> None:
        self._gathering = gathering
        self._options = options
        self._forms: dict[tuple[object, ...], list[tuple[SeriesKey, str, float]]] = {}

    def streamed(self, document: Mapping[str, Any], where: str) -> None:
        """An object of a metric stream: the statistics of one metric in one minute."""
        try:
            namespace, metric = str(document["namespace"]), str(document["metric_name"])
            dimensions = _dimensions(document.get("dimensions"))
            labels = {name: str(document[name]) for name in ("account_id", "region") if name in document}
            said = document["value"]
            time = time_of(document["timestamp"])
            statistics = {name: number_of(said[name]) for name in ("max", "min", "sum", "count")}
            if statistics["count"] > 0:
                statistics["avg"] = statistics["sum"] / statistics["count"]
            self._statistics(_Query(namespace, metric, dimensions, "", _MINUTE), labels, time, statistics)
        except UnusableError as error:
            self._gathering.reject(where, str(error), json.dumps(document)[:200])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._gathering.reject(where, NO_SHAPE, json.dumps(document)[:200])

    def answered(self, document: Any, queries: Mapping[str, _Query], where: str) -> None:
        """An answer of GetMetricData or GetMetricStatistics."""
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

    def _guarded(self, method: Any, said: Any, queries: Mapping[str, _Query], where: str) -> None:
        try:
            method(said, queries, where)
        except UnusableError as error:
            self._gathering.reject(where, str(error), str(said)[:200])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._gathering.reject(where, NO_SHAPE, str(said)[:200])

    def _result(self, result: Mapping[str, Any], queries: Mapping[str, _Query], where: str) -> None:
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

    def _datapoints(self, document: Mapping[str, Any], _: Mapping[str, _Query], where: str) -> None:
        metric = str(document.get("MetricName") or document.get("Label") or "")
        namespace = str(document.get("Namespace") or _namespace_of(metric))
        points = [point for point in document["Datapoints"] if self._usable((point.get("Timestamp"), 0), where)]
        at = [time_of(point["Timestamp"]) for point in points]
        period = _period(document["Period"]) if "Period" in document else _period_of(at)
        query = _Query(namespace, metric, _dimensions(document.get("Dimensions")), "", period)
        for time, point in zip(at, points, strict=True):
            statistics = {short: number_of(point[name]) for name, short in _STATISTICS.items() if name in point}
            extended = point.get("ExtendedStatistics") or {}
            statistics |= {str(name): number_of(value) for name, value in extended.items()}
            if "sum" not in statistics and {"avg", "count"} <= set(statistics):
                statistics["sum"] = statistics["avg"] * statistics["count"]
            self._statistics(query, {}, time, statistics)

    def _statistics(self, query: _Query, labels: Mapping[str, str], time: int, statistics: Mapping[str, float]) -> None:
        """The statistics of a metric in one period, each a sample where it says something of its own."""
        known = (*query[:2], *query[3:], *query.dimensions.items(), *labels.items(), *statistics)
        forms = self._forms.get(known)
        if forms is None:
            forms = self._forms[known] = self._told_by(query, labels, tuple(statistics))
        for key, statistic, factor in forms:
            self._gathering.add(self._gathering.series(key), time, statistics[statistic] * factor)

    def _told_by(
        self, query: _Query, labels: Mapping[str, str], statistics: tuple[str, ...]
    ) -> list[tuple[SeriesKey, str, float]]:
        """Of which series the statistics of a metric are samples, and times what."""
        if not query.metric:
            raise UnusableError(NO_METRIC)
        if query.namespace not in (FLINK, KINESIS):
            raise UnusableError(NO_NAMESPACE)
        of_flink = query.namespace == FLINK
        forms = []
        for form in _of_flink(query, statistics) if of_flink else _of_kinesis(query, statistics):
            key = _series_of_flink(query, form.metric) if of_flink else _series_of_kinesis(query, form.metric)
            label = {**labels, **query.dimensions}.get(self._options.cluster_label, "")
            key = key._replace(cluster=self._options.cluster or label or key.cluster)
            forms.append((key, form.statistic, form.factor))
        return forms


def _name_of(result: Any) -> str:
    return str(result.get("Id") or result.get("Label") or "") if isinstance(result, dict) else ""


def _query_of_label(label: str) -> _Query:
    """What a label says that CloudWatch made up itself: the metric's name, and the application's or stream's."""
    words = label.split()
    metric = next((word for word in words if _namespace_of(word)), "")
    namespace = _namespace_of(metric)
    owner = " ".join(word for word in words if word != metric)
    dimension = "Application" if namespace == FLINK else "StreamName"
    return _Query(namespace, metric, {dimension: owner} if owner else {}, "", 0.0)


def _namespace_of(metric: str) -> str:
    return KINESIS if metric in KINESIS_METRICS else FLINK if metric in FLINK_METRICS else ""


def _period_of(times: Iterable[int]) -> float:
    """Seconds between the times of an answer (milliseconds), where nothing else says its period."""
    ordered = sorted(set(times))
    return min((b - a for a, b in pairwise(ordered)), default=_MINUTE * 1000) / 1000


class _Form(NamedTuple):
    """What a statistic is a sample of."""

    metric: str
    statistic: str
    factor: float = 1.0


def _of_flink(query: _Query, statistics: Iterable[str]) -> Iterator[_Form]:
    """What the statistics of a metric of Managed Flink are."""
    metric = _meaning(query)
    snapshots = query.period / _SNAPSHOT
    said = [name for name in statistics if name != "count"]
    if metric.kind is Kind.SINGLE:
        one = next((name for name in (*_ALIKE, "sum") if name in said), None)
        if one is not None:
            yield _Form(metric.name, one, 1 / snapshots if one == "sum" else 1.0)
        said = [name for name in said if name not in (*_ALIKE, "sum")]
    for form in _named(metric.name, metric.kind, said):
        yield form._replace(factor=1 / snapshots) if form.statistic == "sum" else form


_ALIKE = ("max", "avg", "min", "")
"""Statistics that say the same of a metric of one reporter, the first the best; the last is one that nothing names."""


def _of_kinesis(query: _Query, statistics: Iterable[str]) -> Iterator[_Form]:
    """What the statistics of a metric of Kinesis are."""
    last = query.metric.rpartition(".")[2]
    said = [name for name in statistics if name != "count"]
    if last in _LATE:
        # The metric of a shard and that of its stream have different names.
        name = "GetRecords.IteratorAgeMilliseconds" if query.metric == "IteratorAgeMilliseconds" else query.metric
        yield from _named(name, Kind.PEAK, said)
    elif last in _SHARES or query.metric == "GetRecords.IteratorAge":
        yield from _named(query.metric, Kind.MEAN, said)
    elif "sum" in said:
        yield _Form(f"{query.metric}PerSecond", "sum", 1 / query.period)
    else:
        yield from _named(query.metric, Kind.TOTAL, said)


def _named(metric: str, kind: Kind, statistics: Collection[str]) -> Iterator[_Form]:
    """The statistic that the metric's name stands for, and the others that are worth a name of their own."""
    if "" in statistics:
        raise UnusableError(NO_STATISTIC)
    own = kind.value
    for name in statistics:
        # Beside the one that counts, only the hottest of many says something more, and percentiles that were asked for.
        worth = name not in ("avg", "min", "max", "sum") or (name == "max" and kind is Kind.MEAN)
        if name == own:
            yield _Form(metric, name)
        elif worth or own not in statistics:
            yield _Form(f"{metric}.{name}", name)


def _meaning(query: _Query) -> Metric:
    """What a metric of Managed Flink is, at the scope that its dimensions say."""
    dimensions = query.dimensions
    scope = OPERATOR if "Operator" in dimensions else TASK if "Task" in dimensions else ""
    found = FLINK_METRICS.get(query.metric)
    if found is None:
        name = vocabulary.of_metric(query.metric, scope or JOB)
        return Metric(name.metric, scope or JOB, Kind.MEAN, name.counter)
    if scope and found.scope != JOB:
        # What a task uses of a process is no metric of Flink's.
        return found._replace(name=query.metric, scope=scope)
    return found._replace(scope=scope or (TASKMANAGER if "tm_id" in dimensions else found.scope))


_PARTS = ("Stream", "StreamName", "Id", "Topic", "ShardId", "PartitionId")
"""Dimensions that say what a metric speaks of, in the order of its part."""


def _series_of_flink(query: _Query, metric: str) -> SeriesKey:
    dimensions = query.dimensions
    application = dimensions.get("Application", "")
    if not application:
        raise UnusableError(NO_OWNER)
    meaning = _meaning(query)
    below = meaning.scope in (TASK, OPERATOR)
    subtask = dimensions.get("Parallelism", "")
    others = sorted(set(dimensions) - {*_OWNERS, *_PARTS})
    return SeriesKey(
        metric=metric,
        scope=meaning.scope,
        cluster=application,
        job=application,
        task=dimensions.get("Task", "") if below else "",
        operator=dimensions.get("Operator", ""),
        subtask=int(subtask) if subtask.isdecimal() and len(subtask) < 9 else -1,
        tm=dimensions.get("tm_id", ""),
        part="/".join(dimensions[name] for name in (*_PARTS, *others) if dimensions.get(name)),
        counter=meaning.counter,
    )


def _series_of_kinesis(query: _Query, metric: str) -> SeriesKey:
    names = ("StreamName", "ShardId", "ConsumerName")
    if not query.dimensions.get("StreamName"):
        raise UnusableError(NO_OWNER)
    part = "/".join(query.dimensions[name] for name in names if query.dimensions.get(name))
    return SeriesKey(metric=metric, scope=STREAM, part=part)


SOURCE = Source("cloudwatch", "answers of CloudWatch's API and its metric streams", 30, recognises, read)

"""The mapping of CloudWatch metrics of Managed Service for Apache Flink and Kinesis to Flink's metrics.

It defines which statistic keeps the metric's own name, what the others are called, and which series they belong to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum

from flink_flint.calculators.history.metrics import vocabulary
from flink_flint.calculators.history.samples import (
    JOB,
    JOBMANAGER,
    OPERATOR,
    STREAM,
    TASK,
    TASKMANAGER,
    SeriesKey,
)
from flink_flint.calculators.history.sources.canonical.rows import UnusableError
from flink_flint.linter.text.named_tuple import NamedTuple

FLINK = "AWS/KinesisAnalytics"
KINESIS = "AWS/Kinesis"

NO_OWNER = "response does not name the application or stream of its metric"
NO_STATISTIC = "response does not name its statistic"


class Kind(Enum):
    """The kind of a metric: the statistic over its reporters to store under the metric's own name."""

    TOTAL = "sum"
    """The sum over subtasks, for rates and counts of records."""
    MEAN = "avg"
    """The mean over subtasks, shards or processes."""
    PEAK = "max"
    """The maximum over reporters, for metrics such as a consumer's lag."""
    LEAST = "min"
    """The minimum over reporters, for metrics such as a watermark."""
    SINGLE = ""
    """The value of the only reporter, whose statistics are all equal except the sum."""


class Metric(NamedTuple):
    """The Flink metric that corresponds to a metric of Managed Service for Apache Flink."""

    name: str
    scope: str
    """The metric's scope, used if the CloudWatch dimensions name no task, operator or TaskManager."""
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
"""The metrics of Managed Service for Apache Flink by CloudWatch name; others keep their name and use the mean."""

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
"""The CloudWatch names of Kinesis metrics, used to recognize a metric name in a label."""

_SNAPSHOT = 15.0
"""Seconds between the snapshots that Managed Flink takes of a metric."""

_OWNERS = ("Application", "Task", "Operator", "Parallelism", "tm_id", "Flow", "Host")
"""Dimensions that have a field of their own, or that add no information."""


class Query(NamedTuple):
    """A CloudWatch query: a metric with its dimensions, a statistic and a period."""

    namespace: str
    metric: str
    dimensions: dict[str, str]
    statistic: str
    period: float


def namespace_of(metric: str) -> str:
    """Return the CloudWatch namespace of a metric; empty for an unknown metric."""
    return KINESIS if metric in KINESIS_METRICS else FLINK if metric in FLINK_METRICS else ""


class Form(NamedTuple):
    """The name under which a statistic is stored as a metric, and the factor for its values."""

    metric: str
    statistic: str
    factor: float = 1.0


def forms_of_flink(query: Query, statistics: Iterable[str]) -> Iterator[Form]:
    """Yield the names and factors for storing the statistics of a metric of Managed Service for Apache Flink."""
    metric = _meaning(query)
    snapshots = query.period / _SNAPSHOT
    given = [name for name in statistics if name != "count"]
    if metric.kind is Kind.SINGLE:
        one = next((name for name in (*_ALIKE, "sum") if name in given), None)
        if one is not None:
            yield Form(metric.name, one, 1 / snapshots if one == "sum" else 1.0)
        given = [name for name in given if name not in (*_ALIKE, "sum")]
    for form in _named(metric.name, metric.kind, given):
        yield form._replace(factor=1 / snapshots) if form.statistic == "sum" else form


_ALIKE = ("max", "avg", "min", "")
"""Statistics that are equal for a metric of one reporter, the best first; the last one is that without a name."""


def forms_of_kinesis(query: Query, statistics: Iterable[str]) -> Iterator[Form]:
    """Yield the names and factors for storing the statistics of a Kinesis metric."""
    last = query.metric.rpartition(".")[2]
    given = [name for name in statistics if name != "count"]
    if last in _LATE:
        # The metric of a shard and that of its stream have different names.
        name = "GetRecords.IteratorAgeMilliseconds" if query.metric == "IteratorAgeMilliseconds" else query.metric
        yield from _named(name, Kind.PEAK, given)
    elif last in _SHARES or query.metric == "GetRecords.IteratorAge":
        yield from _named(query.metric, Kind.MEAN, given)
    elif "sum" in given:
        yield Form(f"{query.metric}PerSecond", "sum", 1 / query.period)
    else:
        yield from _named(query.metric, Kind.TOTAL, given)


def _named(metric: str, kind: Kind, statistics: Collection[str]) -> Iterator[Form]:
    """Yield the statistic that keeps the metric's name, and the others with names of their own."""
    if "" in statistics:
        raise UnusableError(NO_STATISTIC)
    own = kind.value
    for name in statistics:
        # Other useful statistics are only the maximum of many and percentiles that were requested.
        worth = name not in ("avg", "min", "max", "sum") or (name == "max" and kind is Kind.MEAN)
        if name == own:
            yield Form(metric, name)
        elif worth or own not in statistics:
            yield Form(f"{metric}.{name}", name)


def _meaning(query: Query) -> Metric:
    """Return the Flink metric of a metric of Managed Flink, at the scope of its dimensions."""
    dimensions = query.dimensions
    scope = OPERATOR if "Operator" in dimensions else TASK if "Task" in dimensions else ""
    found = FLINK_METRICS.get(query.metric)
    if found is None:
        name = vocabulary.of_metric(query.metric, scope or JOB)
        return Metric(name.metric, scope or JOB, Kind.MEAN, name.counter)
    if scope and found.scope != JOB:
        # What a task uses of a process is not a metric of Flink.
        return found._replace(name=query.metric, scope=scope)
    return found._replace(scope=scope or (TASKMANAGER if "tm_id" in dimensions else found.scope))


_PARTS = ("Stream", "StreamName", "Id", "Topic", "ShardId", "PartitionId")
"""Dimensions that identify what a metric is about, in the order of its part."""


def series_of_flink(query: Query, metric: str) -> SeriesKey:
    """Return the key of the series that stores `metric` of a query to Managed Service for Apache Flink."""
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


def series_of_kinesis(query: Query, metric: str) -> SeriesKey:
    """Return the key of the series that stores `metric` of a query to Kinesis."""
    names = ("StreamName", "ShardId", "ConsumerName")
    if not query.dimensions.get("StreamName"):
        raise UnusableError(NO_OWNER)
    part = "/".join(query.dimensions[name] for name in names if query.dimensions.get(name))
    return SeriesKey(metric=metric, scope=STREAM, part=part)

"""Observed metrics of a configuration's jobs, read from the small summary of a history store, without Spark.

`open_store` opens the summary, `Store.of` finds the cluster and the jobs that a document configures, and `Observations`
provides the statistics that rules read. Without a history, for missing metrics and for metrics with too little data
(fewer than 60 samples or 10 minutes), the result is None: a rule must not report what it cannot know.
"""

from __future__ import annotations

import math
import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.flink.secret_places import name_without_secrets
from flink_flint.linter.model.observed_summary import (
    COLUMNS,
    JOBS,
    ClusterEntry,
    Column,
    Directory,
    SummaryFile,
    holders_of,
)

METRICS: tuple[str, ...] = (
    "job/checkpointFinalizationTime",
    "job/lastCheckpointDuration",
    "job/lastCheckpointFullSize",
    "job/lastCheckpointMetadataSize",
    "job/millisBehindLatest",
    "job/numRestarts",
    "job/numberOfCompletedCheckpoints",
    "job/numberOfFailedCheckpoints",
    "job/restartingTime",
    "job/rpcMessageSize",
    "jobmanager/Status.JVM.Memory.Metaspace.Used",
    "jobmanager/gcTimeShare",
    "jobmanager/heapLiveSet",
    "jobmanager/numRegisteredTaskManagers",
    "jobmanager/numRunningJobs",
    "jobmanager/taskSlotsAvailable",
    "jobmanager/taskSlotsTotal",
    "operator/KafkaSourceReader.KafkaConsumer.records-lag-max",
    "operator/inFlight",
    "operator/inFlightTime",
    "operator/millisBehindLatest",
    "operator/numRecordsInPerSecond.steady",
    "operator/pendingRecords",
    "operator/rocksdb.actual-delayed-write-rate",
    "operator/rocksdb.block-cache-capacity",
    "operator/rocksdb.block-cache-hit",
    "operator/rocksdb.block-cache-miss",
    "operator/rocksdb.is-write-stopped",
    "stream/GetRecords.IteratorAgeMilliseconds",
    "stream/ReadProvisionedThroughputExceeded",
    "stream/ReadProvisionedThroughputExceededPerSecond",
    "stream/container_memory_working_set_bytes",
    "task/arrivalRate",
    "task/busySkew",
    "task/busyTimeMsPerSecond",
    "task/catchingUp",
    "task/checkpointAlignmentTime",
    "task/checkpointStartDelayNanos",
    "task/numRecordsInPerSecond.vertex.steady",
    "task/numRecordsOutPerSecond.vertex.steady",
    "task/recordsSkew",
    "task/trueProcessingRate.vertex",
    "taskmanager/Status.Flink.Memory.Managed.Used",
    "taskmanager/Status.JVM.Memory.Direct.MemoryUsed",
    "taskmanager/Status.JVM.Memory.Heap.Used",
    "taskmanager/Status.JVM.Memory.Metaspace.Used",
    "taskmanager/Status.Shuffle.Netty.RequestedMemoryUsage",
    "taskmanager/Status.Shuffle.Netty.TotalMemory",
    "taskmanager/container_memory_working_set_bytes",
    "taskmanager/gcTimeShare",
    "taskmanager/heapLiveSet",
    "taskmanager/rpcMessageSize",
)
"""The metrics that rules read, each as ``scope/name``; a summary contains only these."""

_CLUSTER_KEYS = (
    "kubernetes.cluster-id", "high-availability.cluster-id", "high-availability.zookeeper.path.namespace",
    "yarn.application.name",
)  # fmt: skip
_JOB_KEY = "pipeline.name"


@cache
def scoped(metric: str) -> str:
    """Return `metric` as ``scope/name``; raise ValueError if it has no scope and the name is unknown or ambiguous."""
    if "/" in metric:
        return metric
    found = [one for one in METRICS if one.partition("/")[2] == metric]
    if len(found) != 1:
        raise ValueError(f"{metric!r} is {'the name of several metrics' if found else 'not a metric'} of a summary")
    return found[0]


def statistic_of(p: float | None, statistic: str) -> str:
    """Return the column name for percentile `p` (0.5, 0.95, 0.99) or else `statistic`; raise ValueError if unknown."""
    name = statistic if p is None else f"p{round(p * 100)}"
    if name not in COLUMNS:
        raise ValueError(f"{name!r} is not a statistic of a summary; use one of {', '.join(COLUMNS)}")
    return name


class Observed(float):
    """One statistic of one metric of a cluster, job or operator, in Flink's own unit, with its origin."""

    __slots__ = ("_of", "_place", "metric", "statistic")

    _of: Observations
    _place: int
    metric: str
    statistic: str

    @property
    def holder(self) -> Holder:
        """The cluster, job or operator that the metric belongs to."""
        return self._of.holder(self.metric, self._place)

    @property
    def operator(self) -> Operator:
        """The operator that the metric belongs to; only for metrics of operators and tasks."""
        return self._of.operator(self._place)

    def beside(self, metric: str, statistic: str) -> float | None:
        """Return a statistic of another metric of the same cluster, job or operator; None if missing.

        The metric must be one of the same kind of holder.
        """
        return self._of.at(metric, statistic, self._place)

    def other(self, statistic: str) -> float:
        """Return another statistic of the same metric of the same cluster, job or operator; 0.0 if missing.

        A gauge has either all of its statistics or none.
        """
        return self.beside(self.metric, statistic) or 0.0

    @property
    def samples(self) -> int:
        """The number of samples that the statistic is computed from."""
        return int(self.beside(self.metric, "samples") or 0)

    @property
    def minutes(self) -> float:
        """The number of minutes with samples of the metric."""
        return self.beside(self.metric, "minutes") or 0.0

    @property
    def days(self) -> int:
        """The number of days with samples of the metric."""
        return int(self.beside(self.metric, "days") or 0)

    @property
    def window(self) -> str:
        """The observed period of the metric as text: ``14 days to 2026-11-20``."""
        end = time.gmtime(self.holder.last / 1000)
        days = self.days
        return f"{days} day{'s' if days != 1 else ''} to {end.tm_year}-{end.tm_mon:02}-{end.tm_mday:02}"

    @property
    def basis(self) -> str:
        """The statistic's name with the observed period as text: ``p99 of 14 days to 2026-11-20``."""
        return f"{self.statistic} of {self.window}"

    @property
    def evidence(self) -> dict[str, object]:
        """The statistic with its metric, period and number of samples, as a JSON object."""
        value = float(self)
        return {
            "metric": self.metric,
            "statistic": self.statistic,
            "value": int(value) if value.is_integer() else value,
            "samples": self.samples,
            "minutes": self.minutes,
            "days": self.days,
            **self.holder.identity,
            "from": self.holder.first,
            "until": self.holder.last,
        }


class Holder:
    """A cluster, a job or an operator that has metrics."""

    __slots__ = ("_of", "_place", "first", "last")

    def __init__(self, of: Observations, place: int, first: int, last: int) -> None:
        self._of = of
        self._place = place
        self.first = first
        """The start of its observation in milliseconds since the epoch; `last` is the end."""
        self.last = last

    @property
    def identity(self) -> dict[str, object]:
        """The JSON fields that name the cluster, job or operator in the evidence of findings."""
        return {"cluster": self._of.cluster}

    def number(self, metric: str, statistic: str) -> float | None:
        """Return a statistic of a metric as a plain number; None if it was not observed."""
        return self._of.at(metric, statistic, self._place)

    def observed(self, metric: str, p: float | None = None, *, statistic: str = "max") -> Observed | None:
        """Return percentile `p`, or else `statistic`, of a metric as an `Observed`; None if it was not observed.

        `metric` is ``scope/name``, or its name alone if only one scope has it.
        """
        metric, name = scoped(metric), statistic_of(p, statistic)
        value = self.number(metric, name)
        return None if value is None else self._of.made(value, metric, name, self._place)


class Job(Holder):
    """An observed job."""

    __slots__ = ("key", "name", "written")

    def __init__(self, of: Observations, place: int, key: str, name: str, first: int, last: int) -> None:
        super().__init__(of, place, first, last)
        self.key = key
        """The sanitized name."""
        self.written = name
        """The name in the store, which may contain a secret."""
        self.name = name_without_secrets(name)

    @property
    def identity(self) -> dict[str, object]:
        return {**super().identity, "job": self.name}

    @property
    def operators(self) -> list[Operator]:
        """The operators of the job."""
        return self._of.operators_of(self._place)

    def __str__(self) -> str:
        return f"job {self.name!r}"


class Operator(Holder):
    """An observed operator and the task whose operator chain it begins."""

    __slots__ = ("job", "key", "name", "parallelism")

    def __init__(self, of: Observations, place: int, job: Job, key: str, name: str, parallelism: int) -> None:
        super().__init__(of, place, job.first, job.last)
        self.job = job
        self.key = key
        """The sanitized name."""
        self.name = name_without_secrets(name)
        self.parallelism = parallelism

    @property
    def identity(self) -> dict[str, object]:
        return {**self.job.identity, "operator": self.name, "parallelism": self.parallelism}

    @property
    def is_source(self) -> bool:
        """Whether the operator's name starts with ``Source:``, as Flink names tasks that begin with a source."""
        return self.name.startswith("Source:") or self.key.startswith("Source:")

    def __str__(self) -> str:
        return f"{self.name!r} of {self.job}"


class Observations:
    """The observed metrics of the cluster and jobs that one document configures."""

    def __init__(self, file: SummaryFile, cluster: ClusterEntry, directory: Directory, job: str | None) -> None:
        self._file = file
        self._entry = cluster
        self._directory = directory
        self._columns: dict[tuple[str, str], Sequence[float | None]] = {}
        # A rule runs for several releases, and the observed values are the same in all of them.
        self._known: dict[tuple[str, str, float | None, float | None], list[Observed]] = {}
        self._jobs: list[Job] | None = None
        self._only = job

    @property
    def cluster(self) -> str:
        """The cluster's name in the store, with secrets hidden."""
        return name_without_secrets(self._entry.name)

    def meets(self, condition: str) -> bool:
        """Return whether a condition such as ``task/busySkew p50 > 2`` holds for any cluster, job or operator.

        `condition` is ``task/busySkew``, ``task/busySkew p50 > 2`` or ``task/busyTimeMsPerSecond p99 < 200``.
        """
        metric, *bound = condition.split()
        if not bound:
            return metric in self._directory.columns or metric in self._directory.metrics
        statistic, sign, number = bound
        if holders_of(metric) is None:
            value = self.at(metric, statistic, 0)
            smallest = largest = value
        else:
            column = self._where_it_is(metric, statistic)
            smallest, largest = (None, None) if column is None else (column.smallest, column.largest)
        if smallest is None or largest is None:
            return False
        return largest > float(number) if sign == ">" else smallest < float(number)

    def at(self, metric: str, statistic: str, place: int) -> float | None:
        """Return a metric's statistic for the cluster, or for the job or operator at index `place`; None if missing."""
        if holders_of(metric) is None:
            row = self._directory.metrics.get(metric)
            return None if row is None else row[COLUMNS.index(statistic)]
        column = self._column(metric, statistic)
        return column[place] if column else None

    def made(self, value: float, metric: str, statistic: str, place: int) -> Observed:
        """Return `value` as an `Observed` for a metric, a statistic, and a job or operator."""
        made = Observed(value)
        made.metric, made.statistic, made._of, made._place = metric, statistic, self, place
        return made

    def _where_it_is(self, metric: str, statistic: str) -> Column | None:
        known = self._directory.columns.get(metric, {}).get(statistic)
        return None if known is None else Column(*known)

    def _column(self, metric: str, statistic: str) -> Sequence[float | None]:
        known = self._columns.get((metric, statistic))
        if known is None:
            column = self._where_it_is(metric, statistic)
            known = self._columns[metric, statistic] = () if column is None else self._file.column(column)
        return known

    @property
    def _whole(self) -> Holder:
        return Holder(self, 0, self._entry.first, self._entry.last)

    def _all_jobs(self) -> list[Job]:
        if self._jobs is None:
            self._jobs = [Job(self, place, *row) for place, row in enumerate(self._directory.jobs)]
        return self._jobs

    def jobs(self) -> list[Job]:
        """Return the jobs that the document configures: the one it names, otherwise all jobs of the cluster."""
        if self._only is None:
            return self._all_jobs()
        return [job for job in self._all_jobs() if self._only in (job.written, job.key)]

    def operators_of(self, job: int) -> list[Operator]:
        """Return the operators of the job with this index."""
        rows = self._directory.operators
        # They are in the order of their jobs.
        start = bisect_left(rows, job, key=lambda row: row[0])
        end = bisect_right(rows, job, key=lambda row: row[0])
        return [self.operator(place) for place in range(start, end)]

    def operator(self, place: int) -> Operator:
        """Return the operator with this index."""
        job, key, name, parallelism = self._directory.operators[place]
        return Operator(self, place, self._all_jobs()[job], key, name, parallelism)

    def observed(self, metric: str, p: float | None = None, *, statistic: str = "max") -> Observed | None:
        """Return the largest value of a metric's statistic over jobs or operators; None if not observed."""
        found = self._between(scoped(metric), statistic_of(p, statistic), None, None)
        if not found:
            return None
        value, place = max(found)
        return self.made(value, scoped(metric), statistic_of(p, statistic), place)

    def where(
        self,
        metric: str,
        p: float | None = None,
        *,
        statistic: str = "max",
        above: float | None = None,
        below: float | None = None,
    ) -> list[Observed]:
        """Return a metric's statistic for each cluster, job or operator where it is above `above` and below `below`.

        With a bound, the largest values come first, without bounds the smallest.
        """
        metric, name = scoped(metric), statistic_of(p, statistic)
        query = (metric, name, above, below)
        known = self._known.get(query)
        if known is None:
            found = self._between(metric, name, above, below)
            found.sort(reverse=above is not None or below is None)
            known = self._known[query] = [self.made(value, metric, name, place) for value, place in found]
        return list(known)

    def _between(
        self, metric: str, statistic: str, above: float | None, below: float | None
    ) -> list[tuple[float, int]]:
        """Return the values between two bounds, each with its holder's index."""
        low, high = -math.inf if above is None else above, math.inf if below is None else below
        kind = holders_of(metric)
        if kind is None:
            value = self.at(metric, statistic, 0)
            return [(value, 0)] if value is not None and low < value < high else []
        column = self._where_it_is(metric, statistic)
        if column is None or column.largest <= low or column.smallest >= high:
            return []
        numbers = self._column(metric, statistic)
        found = [(value, place) for place, value in enumerate(numbers) if value is not None and low < value < high]
        if found and self._only is not None:
            meant = {job.key for job in self.jobs()}
            rows, jobs = self._directory.operators, self._directory.jobs
            found = [pair for pair in found if jobs[pair[1] if kind == JOBS else rows[pair[1]][0]][0] in meant]
        return found

    def holder(self, metric: str, place: int) -> Holder:
        """Return the holder of a metric: the job or operator at index `place`, or the cluster."""
        kind = holders_of(metric)
        if kind is None:
            return self._whole
        return self._all_jobs()[place] if kind == JOBS else self.operator(place)


class Store:
    """A history store, read through its summary."""

    def __init__(self, named: str) -> None:
        path, mark, cluster = named.rpartition("#")
        if not mark or os.path.exists(named):
            path, cluster = named, ""
        self.path = path
        self._file = SummaryFile(path)
        self._named = cluster or None
        if self._named is not None and self._named not in self._file.clusters:
            raise ValueError(f"{path}: has no cluster {self._named!r}; it has {self.spelled_clusters}")

    @property
    def clusters(self) -> list[str]:
        """The names of the clusters in the store, with secrets hidden."""
        return list(map(name_without_secrets, self._file.clusters))

    @property
    def spelled_clusters(self) -> str:
        """The names of up to ten clusters in the store, and the number of other clusters, as text for messages."""
        names = self.clusters
        more = f" and {len(names) - 10} more" if len(names) > 10 else ""
        return ", ".join(names[:10]) + more if names else "none"

    def of(self, values: Mapping[str, object], name: str | None) -> Observations | None:
        """Return the observations of the cluster that a document configures; None if it is unknown or ambiguous.

        `values` are the settings of the document, `name` is its name. The cluster is the one named with the store, or
        the only one in the store, or the one that the document names (its identifiers, those of its custom resource,
        its job).
        """
        job = values.get(_JOB_KEY)
        job_name = str(job) if job else None
        cluster = self._cluster(values, name, job_name)
        if cluster is None:
            return None
        return Observations(self._file, cluster, self._directory(cluster.name), job_name)

    def _cluster(self, values: Mapping[str, object], name: str | None, job: str | None) -> ClusterEntry | None:
        clusters = self._file.clusters
        if self._named is not None:
            return clusters[self._named]
        if len(clusters) == 1:
            return next(iter(clusters.values()))
        names = {spelling for text in _names(values, name) for spelling in (text, sanitized(text))}
        found = [entry for entry in clusters.values() if entry.name in names or sanitized(entry.name) in names]
        if not found and job is not None:
            found = [entry for entry in clusters.values() if sanitized(job) in entry.jobs]
        return found[0] if len(found) == 1 else None

    def _directory(self, cluster: str) -> Directory:
        return _directory_of(self._file, cluster)


@cache
def _directory_of(file: SummaryFile, cluster: str) -> Directory:
    return file.directory(file.clusters[cluster])


def _names(values: Mapping[str, object], name: str | None) -> Iterable[str]:
    """Yield the names that a document gives its cluster."""
    for key in _CLUSTER_KEYS:
        value = values.get(key)
        if value:
            yield str(value).strip("/")
    if name is not None:
        # "FlinkDeployment default/orders"
        whole = name.rpartition(" ")[2]
        yield from (whole, whole.rpartition("/")[2])


@cache
def open_store(named: str) -> Store:
    """Open the store at a path (``STORE`` or ``STORE#cluster``); raise ValueError, with a remedy, if it is unusable."""
    return Store(named)

"""Recommendations from observations in memory, made by each calculator whose required metrics were observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.compare_settings import rows_of
from flink_flint.calculators.history.recommend.current_configuration import CurrentConfiguration, overlaid, recorded
from flink_flint.calculators.history.recommend.default_parallelism import with_default
from flink_flint.calculators.history.recommend.evidence import Job, Processes, gathered
from flink_flint.calculators.history.recommend.feeds import async_operators as async_io
from flink_flint.calculators.history.recommend.feeds import checkpoints, clusters, jobs
from flink_flint.calculators.history.recommend.feeds import vertices as parallelism
from flink_flint.calculators.history.recommend.fill_inputs import Feeds, Surroundings, vertices_of
from flink_flint.calculators.history.recommend.recommendation import Plan, Row
from flink_flint.calculators.history.samples import Record
from flink_flint.linter.flink.reporter_names import sanitized

_JOB_FEEDS: tuple[tuple[tuple[str, ...], Callable[[Job, Surroundings], Feeds]], ...] = (
    (("async-io",), async_io.feed),
    (("parallelism",), parallelism.feed),
    (("checkpoint", "kafka-transactions"), checkpoints.feed),
    (("restart",), jobs.restart),
    (("storage",), jobs.storage),
    (("catch-up",), jobs.catch_up),
    (("rpc-size",), jobs.rpc_size),
    (("rocksdb",), jobs.rocksdb),
    (("kinesis",), jobs.kinesis),
)
_CLUSTER_FEEDS: tuple[tuple[str, Callable[[Processes, Surroundings], Feeds]], ...] = (
    ("taskmanager-memory", clusters.taskmanager_memory),
    ("jobmanager-memory", clusters.jobmanager_memory),
    ("network-buffers", clusters.network_buffers),
    ("kubernetes-ha", clusters.kubernetes_ha),
    ("yarn", clusters.yarn),
)

TIME_SERIES = frozenset(
    [
        "numRecordsInPerSecond.vertex.steady",
        "numRecordsOutPerSecond.vertex.steady",
        "numRecordsInPerSecond.steady",
        "numRecordsOutPerSecond.steady",
        "numRecordsInPerSecond",
        "numRecordsOutPerSecond",
        "arrivalRate",
        "heapLiveSet",
        "trueProcessingRate",
    ]
)
"""The names of the metrics that recommendations read as time series."""
METRICS = TIME_SERIES | frozenset(
    [
        "busyTimeMsPerSecond",
        "backPressuredTimeMsPerSecond",
        "trueProcessingRate.vertex",
        "catchingUp",
        "numRecordsIn",
        "numRecordsInPerSecond.catchup",
        "numRecordsOutPerSecond.vertex.catchup",
        "numBytesIn",
        "numBytesInPerSecond",
        "inFlight",
        "inFlightTime",
        "serviceRate",
        "checkpointAlignmentTime",
        "checkpointStartDelayNanos",
        "lastCheckpointDuration",
        "lastCheckpointSize",
        "lastCheckpointFullSize",
        "lastCheckpointMetadataSize",
        "checkpointFinalizationTime",
        "numRestarts",
        "rate(numRestarts)",
        "rate(numberOfCompletedCheckpoints)",
        "restartingTime",
        "pendingRecords",
        "millisBehindLatest",
        "averageRecordSizeBytes",
        "KafkaProducer.txn-commit-time-ns-total",
        "KafkaProducer.txn-begin-time-ns-total",
        "rocksdb.block-cache-usage",
        "rocksdb.cur-size-all-mem-tables",
        "rocksdb.estimate-num-keys",
        "rocksdb.estimate-live-data-size",
        "rocksdb.block-cache-hit",
        "rocksdb.block-cache-miss",
        "Status.JVM.Memory.Heap.Used",
        "Status.JVM.Memory.Metaspace.Used",
        "Status.Flink.Memory.Managed.Used",
        "Status.Flink.Memory.Managed.Total",
        "Status.Shuffle.Netty.TotalMemory",
        "Status.Shuffle.Netty.RequestedMemoryUsage",
        "numRunningJobs",
        "numRegisteredTaskManagers",
    ]
)
"""The names of all metrics that recommendations read."""


def recommend(groups: Iterable[Observed], records: Sequence[Record], plan: Plan) -> Iterator[Row]:
    """Yield the recommendations for the observed jobs, then those for the observed clusters."""
    found = gathered(one for one in groups if not plan.cluster or one.group.cluster == plan.cluster)
    for job in found.jobs:
        if not plan.wants_job(job.job):
            continue
        around = _around(records, plan, job.cluster, job.job)
        made: list[Row] = []
        for names, feed in _JOB_FEEDS:
            if plan.wants(*names):
                made += rows_of(feed(job, around), plan, job.name)
        yield from with_default(made, around)
    for processes in found.processes:
        around = _around(records, plan, processes.cluster, "")
        for name, feed_cluster in _CLUSTER_FEEDS:
            if plan.wants(name):
                yield from rows_of(feed_cluster(processes, around), plan, "")


def _around(records: Sequence[Record], plan: Plan, cluster: str, job: str) -> Surroundings:
    until = plan.until or max((record.time for record in records), default=0)
    settings = recorded(records, cluster, job, until)
    for given in (plan.given.get(""), plan.given.get(cluster)):
        settings = overlaid(settings, given or {}, plan.release)
    return Surroundings(
        CurrentConfiguration(settings, plan.release), vertices_of(_topologies(records, cluster, job, until))
    )


def _topologies(records: Sequence[Record], cluster: str, job: str, until: int) -> Iterator[Mapping[str, Any]]:
    """Return the latest topology of a job; for a cluster, those of all its jobs."""
    latest: dict[str, Record] = {}
    for record in records:
        name = sanitized(record.job or record.job_id)
        if record.kind != "topology" or record.cluster != cluster or record.time > until or (job and name != job):
            continue
        if name not in latest or record.time >= latest[name].time:
            latest[name] = record
    return (record.body for _, record in sorted(latest.items()))

"""The options that are read with a grammar, and what their values lead to that are outside of it.

The type of an option decides what its `ConfigOption` takes: an integer, a duration, an enum. What the code that uses
the value refuses afterwards (a port above 65535, no attempts, an unknown name) is declared here, option by option, in
the keys of the newest release. Each was found in the messages of Flink's classes and put to real releases
(`tests/oracle/refusals.json`).
"""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.flink.grammars.grammar import (
    ACCESS,
    AGGREGATION,
    AT_LEAST_ONE,
    CLASS_ORDER,
    CLEANUP,
    COMPRESSION,
    CONSISTENCY,
    DIALECT,
    EXCHANGE_MODE,
    FAILOVER,
    FRACTION,
    FRACTION_BELOW_ONE,
    GROWTH,
    INTEGER_MILLISECONDS,
    MAX_PARALLELISM,
    MILLISECONDS,
    NOT_BELOW_MINUS_ONE,
    NOT_EMPTY,
    NOT_NEGATIVE,
    PARALLELISM,
    PAUSED_OR_TEN_MILLISECONDS,
    PORT,
    POSITIVE,
    PRIORITY,
    SEGMENT,
    SLOTS,
    TEN_MILLISECONDS,
    TLS_PROVIDER,
    UNLIMITED,
    Grammar,
)
from flink_flint.linter.flink.grammars.texts import (
    ARCHIVES,
    CACHED_FILES,
    CACHED_PATHS,
    CHECKPOINT_STORAGE,
    CLASSES,
    COUNT,
    DIRECTORIES,
    DIRECTORY,
    DURATION,
    ENTROPY_MARK,
    FACTORIES,
    FACTORY,
    FILTERS,
    FINGERPRINT,
    HOST,
    KRYO_SERIALIZERS,
    PART_SIZE,
    PORT_RANGE,
    PORT_RANGE_OF_TWO,
    POSITIVE_DURATION,
    REPORTER_PORT,
    REPORTER_UDP_PORT,
    SCHEME,
    SERIALIZERS,
    TIME_ZONE,
    TIME_ZONE_OR_OFFSET,
    URL,
    WHOLE,
)
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.text.named_tuple import NamedTuple


class Reading(NamedTuple):
    """How an option is read: with a grammar, by something that fails on other values, under some conditions."""

    grammar: Grammar
    outcome: str
    """What a value outside the grammar leads to."""
    since: str = ""
    """The first release that checks the value; empty if all do."""
    until: str = ""
    """The first release that no longer does; empty if all do."""
    under: tuple[tuple[str, str], ...] = ()
    """Options, and the values that they must all have for this one to be read: ``true``, ``> 0``, or a name.

    ``<name>`` in the key of such an option stands for what is there in the key of this one.
    """
    refuses_empty: bool = False
    """Whether the grammar holds for an empty value, too, which otherwise is the same as none."""


_JOB = "the job is refused"
_SQL = "SQL jobs are refused"
_S3 = "nothing is read from S3 or written to it"
_REPORTER = "the processes run without the reporter"
_DEPLOYMENT = "the deployment is refused"
_JOBMANAGER = "the JobManager does not start"
_TASKMANAGER = "the TaskManager does not start"
_BOTH = "JobManager and TaskManagers do not start"
_CLIENT = "no client starts"
_HISTORY = "the history server does not start"

_ROCKSDB = (("state.backend.type", "rocksdb"),)
_FORST = (("state.backend.type", "forst"),)
_LATENCY = (("state.latency-track.keyed-state-enabled", "true"),)
_LIMITED = (("fs.<scheme>.limit.total", "> 0"),)
_ON_KUBERNETES = (("execution.target", "kubernetes"),)
_INTERNAL_TLS, _REST_TLS = ((("security.ssl." + of + ".enabled", "true"),) for of in ("internal", "rest"))
_ZOOKEEPER = (("high-availability.type", "zookeeper"),)
_NO_HA = (("high-availability.type", "none"),)
_QUERIED = (("queryable-state.enable", "true"),)
_SPECULATIVE = (("execution.batch.speculative.enabled", "true"), ("execution.runtime-mode", "batch"))
_FIXED, _RATE, _EXPONENTIAL = (
    (("restart-strategy.type", name),) for name in ("fixed-delay", "failure-rate", "exponential-delay")
)
_EQUAL_ENDS = "1.19"
"""The first release that refuses a range of one port, such as 50100-50100."""


def _port_range(outcome: str, under: tuple[tuple[str, str], ...] = ()) -> tuple[Reading, ...]:
    return (
        Reading(PORT_RANGE, outcome, until=_EQUAL_ENDS, under=under),
        Reading(PORT_RANGE_OF_TWO, outcome, since=_EQUAL_ENDS, under=under, refuses_empty=True),
    )


def _of_rocksdb(prefix: str, under: tuple[tuple[str, str], ...]) -> dict[str, tuple[Reading, ...]]:
    positive = (
        "thread.num", "writebuffer.count", "writebuffer.number-to-merge", "log.file-num", "writebuffer.size",
        "block.cache-size", "block.blocksize", "block.metadata-blocksize", "compaction.level.target-file-size-base",
        "compaction.level.max-size-level-base",
    )  # fmt: skip
    found: dict[str, tuple[Reading, ...]] = {
        f"{prefix}{name}": (Reading(POSITIVE, _JOB, under=under),) for name in positive
    }
    found[f"{prefix}restore-overlap-fraction-threshold"] = (Reading(FRACTION, _JOB, under=under),)
    found[f"{prefix}options-factory"] = (Reading(FACTORY, _JOB, since="1.13", under=under),)
    found[f"{prefix}log.dir"] = (Reading(DIRECTORY, _JOB, under=under, refuses_empty=True),)
    return found


def _of_reporters() -> dict[str, tuple[Reading, ...]]:
    kinds: dict[str, tuple[tuple[str, Grammar], ...]] = {
        "port": (
            ("PrometheusReporterFactory", PORT_RANGE_OF_TWO),
            ("GraphiteReporterFactory", REPORTER_PORT),
            ("StatsDReporterFactory", REPORTER_UDP_PORT),
            ("InfluxdbReporterFactory", REPORTER_PORT),
        ),
        "host": (
            ("GraphiteReporterFactory", NOT_EMPTY),
            ("StatsDReporterFactory", NOT_EMPTY),
            ("InfluxdbReporterFactory", NOT_EMPTY),
        ),
        "hostUrl": (("PrometheusPushGatewayReporterFactory", URL),),
        "consistency": (("InfluxdbReporterFactory", CONSISTENCY),),
        "exporter.endpoint": (("OpenTelemetryMetricReporterFactory", URL),),
        "exporter.timeout": (("OpenTelemetryMetricReporterFactory", DURATION),),
        "exporter.compression": (("OpenTelemetryMetricReporterFactory", COMPRESSION),),
    }
    gateway = (
        ("metrics.reporter.<name>.factory.class", "PrometheusPushGatewayReporterFactory"),
        ("metrics.reporter.<name>.hostUrl", "unset"),
    )
    filters = (Reading(FILTERS, _REPORTER, since="1.20", until="2.0"),)
    found: dict[str, tuple[Reading, ...]] = {
        f"metrics.reporter.<name>.filter.{which}": filters for which in ("includes", "excludes")
    }
    found |= {
        f"metrics.reporter.<name>.{suffix}": tuple(
            Reading(
                grammar,
                _REPORTER,
                since="1.20",
                under=(("metrics.reporter.<name>.factory.class", factory),),
                refuses_empty=True,
            )
            for factory, grammar in readers
        )
        for suffix, readers in kinds.items()
    }
    for suffix, grammar in (("host", NOT_EMPTY), ("port", REPORTER_PORT)):
        of_gateway = Reading(grammar, _REPORTER, since="1.20", until="2.0", under=gateway, refuses_empty=True)
        found[f"metrics.reporter.<name>.{suffix}"] += (of_gateway,)
    return found


READINGS: dict[str, tuple[Reading, ...]] = {
    # -- ports
    "rest.port": (Reading(PORT, _JOBMANAGER),),
    "rest.bind-port": _port_range(_JOBMANAGER),
    "blob.server.port": _port_range(_JOBMANAGER),
    "jobmanager.rpc.port": (Reading(PORT, _JOBMANAGER, under=_NO_HA),),
    "jobmanager.rpc.bind-port": (Reading(PORT, _JOBMANAGER),),
    "high-availability.jobmanager.port": _port_range(_JOBMANAGER, _ZOOKEEPER),
    "metrics.internal.query-service.port": _port_range(_BOTH),
    "taskmanager.rpc.port": _port_range(_TASKMANAGER),
    "taskmanager.rpc.bind-port": (Reading(PORT, _TASKMANAGER),),
    "taskmanager.data.port": (Reading(PORT, _TASKMANAGER),),
    "taskmanager.data.bind-port": (
        Reading(PORT, _TASKMANAGER, until="1.19"),
        Reading(PORT_RANGE_OF_TWO, _TASKMANAGER, since="1.19", refuses_empty=True),
    ),
    "queryable-state.proxy.ports": _port_range(_TASKMANAGER, _QUERIED),
    "queryable-state.server.ports": _port_range(_TASKMANAGER, _QUERIED),
    "historyserver.web.port": (Reading(PORT, _HISTORY),),
    # -- the JobManager
    "cluster.io-pool.size": (Reading(POSITIVE, _BOTH, since="1.12"),),
    "jobstore.max-capacity": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "jobstore.cache-size": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "completed-application-store.max-capacity": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "completed-application-store.cache-size": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "rest.bind-address": (Reading(HOST, _JOBMANAGER, since="1.13"),),
    "jobmanager.bind-host": (Reading(HOST, _JOBMANAGER, since="1.13"),),
    "slotmanager.max-total-resource.cpu": (Reading(NOT_NEGATIVE, _JOBMANAGER, since="1.13", until="1.18"),),
    "io.tmp.dirs": (Reading(NOT_EMPTY, _TASKMANAGER, refuses_empty=True),),
    "jobstore.expiration-time": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "web.refresh-interval": (Reading(POSITIVE, _JOBMANAGER),),
    "rest.cache.checkpoint-statistics.size": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "web.exception-history-size": (Reading(NOT_NEGATIVE, _JOB),),
    "web.checkpoints.history": (Reading(NOT_NEGATIVE, _JOB),),
    "metrics.fetcher.update-interval": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "rest.server.max-content-length": (Reading(POSITIVE, _JOBMANAGER),),
    "rest.server.thread-priority": (Reading(PRIORITY, _JOBMANAGER),),
    "rest.profiling.history-size": (Reading(POSITIVE, _JOBMANAGER, under=(("rest.profiling.enabled", "true"),)),),
    "fs.default-scheme": (Reading(SCHEME, _BOTH),),
    "fs.<scheme>.limit.timeout": (Reading(NOT_NEGATIVE, _BOTH, since="1.13", under=_LIMITED),),
    "fs.<scheme>.limit.stream-timeout": (Reading(NOT_NEGATIVE, _BOTH, since="1.13", under=_LIMITED),),
    "fs.<scheme>.limit.total": (Reading(NOT_BELOW_MINUS_ONE, _BOTH),),
    "fs.<scheme>.limit.input": (Reading(NOT_BELOW_MINUS_ONE, _BOTH),),
    "fs.<scheme>.limit.output": (Reading(NOT_BELOW_MINUS_ONE, _BOTH),),
    "classloader.resolve-order": (Reading(CLASS_ORDER, _BOTH, refuses_empty=True),),
    "jobmanager.execution.failover-strategy": (Reading(FAILOVER, _JOB, refuses_empty=True),),
    "slotmanager.redundant-taskmanager-num": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "blob.service.cleanup.interval": (Reading(POSITIVE, _BOTH),),
    "heartbeat.rpc-failure-threshold": (Reading(UNLIMITED, _BOTH),),
    "high-availability.zookeeper.client.acl": (Reading(ACCESS, _BOTH, under=_ZOOKEEPER),),
    "high-availability.zookeeper.client.session-timeout": (Reading(INTEGER_MILLISECONDS, _BOTH, under=_ZOOKEEPER),),
    "security.ssl.provider": (
        Reading(TLS_PROVIDER, _BOTH, under=_INTERNAL_TLS),
        Reading(TLS_PROVIDER, _JOBMANAGER, since="1.13", under=_REST_TLS),
    ),
    "security.ssl.internal.cert.fingerprint": (Reading(FINGERPRINT, _BOTH, since="1.13", under=_INTERNAL_TLS),),
    "security.ssl.internal.keystore-type": (Reading(NOT_EMPTY, _BOTH, under=_INTERNAL_TLS, refuses_empty=True),),
    "security.ssl.internal.truststore-type": (Reading(NOT_EMPTY, _BOTH, under=_INTERNAL_TLS, refuses_empty=True),),
    "security.ssl.rest.keystore": (Reading(NOT_EMPTY, _JOBMANAGER, under=_REST_TLS, refuses_empty=True),),
    "security.module.factory.classes": (Reading(FACTORIES, _BOTH, since="1.13"),),
    "cleanup-strategy.type": (Reading(CLEANUP, _JOBMANAGER, refuses_empty=True),),
    "cleanup-strategy.fixed-delay.attempts": (
        Reading(NOT_NEGATIVE, _JOBMANAGER, under=(("cleanup-strategy.type", "fixed-delay"),)),
    ),
    "cleanup-strategy.exponential-delay.attempts": (
        Reading(NOT_NEGATIVE, _JOBMANAGER, under=(("cleanup-strategy.type", "exponential-delay"),)),
    ),
    "pekko.ask.timeout": (Reading(POSITIVE_DURATION, _BOTH, since="1.13", until="1.14"),),
    "pekko.startup-timeout": (Reading(POSITIVE_DURATION, _BOTH, since="1.13", until="1.14"),),
    "pekko.retry-gate-closed-for": (Reading(NOT_NEGATIVE, _BOTH, since="1.13"),),
    "pekko.fork-join-executor.parallelism-max": (Reading(AT_LEAST_ONE, _BOTH, since="1.13"),),
    "pekko.client-socket-worker-pool.pool-size-max": (Reading(AT_LEAST_ONE, _BOTH, since="1.13", until="1.18"),),
    "pekko.server-socket-worker-pool.pool-size-max": (Reading(AT_LEAST_ONE, _BOTH, since="1.13", until="1.18"),),
    # -- clients and the history server
    "rest.client.max-content-length": (Reading(POSITIVE, _CLIENT),),
    "rest.retry.max-attempts": (Reading(NOT_NEGATIVE, _CLIENT),),
    "rest.retry.delay": (Reading(NOT_NEGATIVE, _CLIENT),),
    "rest.await-leader-timeout": (Reading(NOT_NEGATIVE, _CLIENT),),
    "historyserver.archive.fs.dir": (Reading(ARCHIVES, _HISTORY, refuses_empty=True),),
    "historyserver.web.address": (Reading(HOST, _HISTORY, since="1.13"),),
    "historyserver.archive.retained-jobs": (Reading(UNLIMITED, _HISTORY),),
    "historyserver.archive.retained-ttl": (Reading(POSITIVE, _HISTORY),),
    "historyserver.archive.fs.refresh-interval": (Reading(POSITIVE, _HISTORY),),
    # -- the TaskManager
    "taskmanager.numberOfTaskSlots": (Reading(SLOTS, _TASKMANAGER),),
    "taskmanager.bind-host": (Reading(HOST, _TASKMANAGER, since="1.13"),),
    "taskmanager.registration.timeout": (Reading(POSITIVE, _TASKMANAGER, since="1.13", until="1.14"),),
    "cluster.registration.initial-timeout": (Reading(POSITIVE, _TASKMANAGER),),
    "cluster.registration.max-timeout": (Reading(POSITIVE, _TASKMANAGER),),
    "cluster.registration.error-delay": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "cluster.registration.refused-registration-delay": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.proxy.network-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.proxy.query-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.server.network-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.server.query-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "taskmanager.memory.framework.off-heap.batch-shuffle.size": (Reading(SEGMENT, _TASKMANAGER),),
    "taskmanager.network.netty.num-arenas": (Reading(UNLIMITED, _TASKMANAGER),),
    "taskmanager.network.netty.server.numThreads": (Reading(NOT_BELOW_MINUS_ONE, _TASKMANAGER),),
    "taskmanager.network.netty.client.numThreads": (Reading(NOT_BELOW_MINUS_ONE, _TASKMANAGER),),
    "taskmanager.network.memory.buffers-request-timeout": (Reading(POSITIVE, _TASKMANAGER),),
    "taskmanager.network.memory.read-buffer.required-per-gate.max": (Reading(POSITIVE, _TASKMANAGER),),
    "taskmanager.network.memory.floating-buffers-per-gate": (Reading(AT_LEAST_ONE, _TASKMANAGER, since="1.17"),),
    "taskmanager.network.memory.buffers-per-channel": (Reading(NOT_NEGATIVE, _TASKMANAGER, since="1.17"),),
    "taskmanager.network.memory.buffer-debloat.target": (Reading(POSITIVE, _TASKMANAGER, since="1.14"),),
    "taskmanager.network.memory.buffer-debloat.samples": (Reading(AT_LEAST_ONE, _TASKMANAGER, since="1.15"),),
    # -- jobs
    "execution.checkpointing.interval": (Reading(TEN_MILLISECONDS, _JOB),),
    "execution.checkpointing.timeout": (Reading(TEN_MILLISECONDS, _JOB),),
    "execution.checkpointing.interval-during-backlog": (Reading(PAUSED_OR_TEN_MILLISECONDS, _JOB),),
    "execution.checkpointing.max-concurrent-checkpoints": (Reading(AT_LEAST_ONE, _JOB),),
    "execution.checkpointing.tolerable-failed-checkpoints": (Reading(NOT_NEGATIVE, _JOB),),
    "execution.checkpointing.storage": (Reading(CHECKPOINT_STORAGE, _JOB),),
    "execution.job-listeners": (Reading(FACTORIES, _JOB, since="1.13"),),
    "pipeline.registered-kryo-types": (Reading(CLASSES, _JOB, since="1.13"),),
    "pipeline.registered-pojo-types": (Reading(CLASSES, _JOB, since="1.13"),),
    "pipeline.default-kryo-serializers": (Reading(KRYO_SERIALIZERS, _JOB, since="1.13"),),
    "pipeline.cached-files": (Reading(CACHED_PATHS, _JOB, until="1.20"), Reading(CACHED_FILES, _JOB, since="1.20")),
    "pipeline.serialization-config": (Reading(SERIALIZERS, _JOB),),
    "execution.checkpointing.dir": (Reading(NOT_EMPTY, _JOB, since="1.20", until="2.0", refuses_empty=True),),
    "state.latency-track.sample-interval": (Reading(AT_LEAST_ONE, _JOB, since="1.13", under=_LATENCY),),
    "parallelism.default": (Reading(PARALLELISM, _JOB),),
    "pipeline.max-parallelism": (Reading(MAX_PARALLELISM, _JOB),),
    "slow-task-detector.check-interval": (Reading(POSITIVE, _JOB, under=_SPECULATIVE),),
    "slow-task-detector.execution-time.baseline-ratio": (Reading(FRACTION_BELOW_ONE, _JOB, under=_SPECULATIVE),),
    "slow-task-detector.execution-time.baseline-multiplier": (Reading(POSITIVE, _JOB, under=_SPECULATIVE),),
    "restart-strategy.fixed-delay.attempts": (Reading(NOT_NEGATIVE, _JOB, under=_FIXED),),
    "restart-strategy.failure-rate.max-failures-per-interval": (Reading(AT_LEAST_ONE, _JOB, under=_RATE),),
    "restart-strategy.failure-rate.failure-rate-interval": (Reading(POSITIVE, _JOB, under=_RATE),),
    "restart-strategy.exponential-delay.initial-backoff": (Reading(MILLISECONDS, _JOB, under=_EXPONENTIAL),),
    "restart-strategy.exponential-delay.max-backoff": (Reading(MILLISECONDS, _JOB, under=_EXPONENTIAL),),
    "restart-strategy.exponential-delay.reset-backoff-threshold": (Reading(MILLISECONDS, _JOB, under=_EXPONENTIAL),),
    "restart-strategy.exponential-delay.backoff-multiplier": (Reading(GROWTH, _JOB, under=_EXPONENTIAL),),
    "restart-strategy.exponential-delay.jitter-factor": (Reading(FRACTION, _JOB, under=_EXPONENTIAL),),
    "restart-strategy.exponential-delay.attempts-before-reset-backoff": (
        Reading(AT_LEAST_ONE, _JOB, under=_EXPONENTIAL),
    ),
    **_of_rocksdb("state.backend.rocksdb.", _ROCKSDB),
    "state.backend.rocksdb.localdir": (Reading(DIRECTORIES, _JOB, under=_ROCKSDB, refuses_empty=True),),
    **_of_rocksdb("state.backend.forst.", _FORST),
    "state.backend.forst.local-dir": (Reading(DIRECTORIES, _JOB, under=_FORST),),
    # -- SQL
    "table.exec.shuffle-mode": (
        Reading(EXCHANGE_MODE, _SQL, since="1.13", under=(("execution.runtime-mode", "batch"),)),
    ),
    "table.sql-dialect": (Reading(DIALECT, _SQL, since="1.13"),),
    "table.optimizer.agg-phase-strategy": (Reading(AGGREGATION, _SQL, since="1.13"),),
    "table.local-time-zone": (
        Reading(TIME_ZONE_OR_OFFSET, _SQL, since="1.13", until="1.20"),
        Reading(TIME_ZONE, _SQL, since="1.20", refuses_empty=True),
    ),
    "table.generated-code.max-length": (Reading(AT_LEAST_ONE, _SQL, since="1.17"),),
    "table.generated-code.max-members": (Reading(AT_LEAST_ONE, _SQL, since="1.17"),),
    "table.builtin-catalog-name": (Reading(NOT_EMPTY, _SQL, refuses_empty=True),),
    "table.builtin-database-name": (Reading(NOT_EMPTY, _SQL, refuses_empty=True),),
    # -- plugins
    "s3.entropy.key": (Reading(ENTROPY_MARK, _S3, since="1.17"),),
    "s3.entropy.length": (Reading(COUNT, _S3, since="1.17", under=(("s3.entropy.key", "set"),)),),
    "s3.upload.min.part.size": (Reading(PART_SIZE, _S3, since="1.17"),),
    "s3.upload.max.concurrent.uploads": (Reading(WHOLE, _S3, since="1.17"),),
    **_of_reporters(),
    # -- deployments
    "kubernetes.namespace": (Reading(NOT_EMPTY, _DEPLOYMENT, under=_ON_KUBERNETES, refuses_empty=True),),
    "kubernetes.container.image.ref": (Reading(NOT_EMPTY, _DEPLOYMENT, under=_ON_KUBERNETES, refuses_empty=True),),
    "kubernetes.jobmanager.replicas": (Reading(AT_LEAST_ONE, _DEPLOYMENT),),
    "kubernetes.jobmanager.cpu.limit-factor": (Reading(AT_LEAST_ONE, _DEPLOYMENT),),
    "kubernetes.jobmanager.memory.limit-factor": (Reading(AT_LEAST_ONE, _DEPLOYMENT),),
    "kubernetes.taskmanager.cpu.limit-factor": (Reading(AT_LEAST_ONE, _DEPLOYMENT),),
    "kubernetes.taskmanager.memory.limit-factor": (Reading(AT_LEAST_ONE, _DEPLOYMENT),),
}
"""How options are read beyond their type, by the newest key, or by the template of a family of keys."""


def allowed_values(names: Iterable[str], index: int) -> str:
    """Return what a minor release allows beyond the type of an option with one of the names, in words; or nothing."""
    for name in names:
        for reading in READINGS.get(name, ()):
            first = MINORS.index(reading.since) if reading.since else 0
            last = MINORS.index(reading.until) - 1 if reading.until else NEWEST
            if first <= index <= last:
                return reading.grammar.allowed
    return ""

"""Values that Flink refuses beside ones that it takes, with the part of Flink that is asked about them."""

from __future__ import annotations

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import CATALOGUED

_CHECKPOINTS = "execution.checkpointing.interval: 1 min\n"
_DEBLOAT = "taskmanager.network.memory.buffer-debloat.enabled: true\n"
_ROCKSDB = "state.backend: rocksdb\nstate.checkpoints.dir: file:///data/checkpoints\n"
_FORST = "state.backend: forst\nexecution.checkpointing.dir: file:///data/checkpoints\n"
_FIXED, _RATE, _EXPONENTIAL = (
    f"restart-strategy: {name}\n" for name in ("fixed-delay", "failure-rate", "exponential-delay")
)
_ZOOKEEPER = (
    "high-availability: zookeeper\nhigh-availability.zookeeper.quorum: localhost:1\n"
    "high-availability.storageDir: file:///tmp/ha\n"
)
_QUERIED = "queryable-state.enable: true\n"
_SPECULATIVE = "execution.batch.speculative.enabled: true\nexecution.runtime-mode: BATCH\n"
STORES = "".join(
    f"security.ssl.internal.{name}: {value}\n"
    for name, value in (
        ("enabled", "true"), ("keystore", "/etc/flink/keystore.jks"), ("truststore", "/etc/flink/keystore.jks"),
        ("keystore-password", "secret"), ("truststore-password", "secret"), ("key-password", "secret"),
    )
)  # fmt: skip
_ATTEMPTS = "restart-strategy.exponential-delay.attempts-before-reset-backoff"
_MILLIS = ">=1.11,<1.20"
"""The releases in which a number of milliseconds may have a sign; later ones read a duration, which has none."""

_RELEASES = {"TaskManager": ">=1.11", "RocksDB": ">=1.10"}
"""When a part can be asked: 1.10 builds a TaskManager otherwise, and 1.9 has RocksDB's options as texts."""

_VALUES = (
    ("JobManager process", "", "rest.bind-port", "70000", "0", ""),
    ("JobManager process", "", "rest.bind-port", "50100-", "50100-50200,0", ""),
    ("JobManager process", "", "jobmanager.rpc.port", "70000", "0", ""),
    ("JobManager process", "", "jobmanager.rpc.port", "-1", "0", ""),
    ("JobManager process", "", "jobmanager.rpc.bind-port", "70000", "0", ""),
    ("JobManager process", "", "metrics.internal.query-service.port", "none", "50100-50200", ""),
    ("JobManager process", _ZOOKEEPER, "high-availability.jobmanager.port", "70000", "0", ""),
    ("JobManager process", "", "rest.server.thread-priority", "11", "10", ""),
    ("JobManager process", "", "blob.service.cleanup.interval", "0", "1", ""),
    ("JobManager process", "", "metrics.fetcher.update-interval", "-1", "0", "<1.20"),
    ("JobManager", "", "blob.server.port", "70000", "0", ""),
    ("JobManager", "", "blob.server.port", "50200-50100", "50100-50110,50200", ""),
    ("JobManager", "", "blob.server.port", "50200-50200", "50200", ""),
    ("JobManager", "", "cluster.io-pool.size", "0", "1", ""),
    ("JobManager", "", "jobstore.max-capacity", "-1", "0", ""),
    ("JobManager", "", "jobstore.cache-size", "-1", "0", ""),
    ("JobManager", "", "jobstore.expiration-time", "-1", "1", ""),
    ("JobManager", "", "web.refresh-interval", "0", "1", ""),
    ("JobManager", "rest.profiling.enabled: true\n", "rest.profiling.history-size", "0", "1", ""),
    ("JobManager", "", "fs.default-scheme", "a b://c", "file:///", ""),
    ("JobManager", "", "fs.file.limit.total", "-2", "-1", ""),
    ("JobManager", "", "fs.file.limit.input", "-2", "-1", ""),
    ("JobManager", "", "fs.file.limit.output", "-2", "-1", ""),
    ("JobManager", "", "classloader.resolve-order", "parent", "parent-first", ""),
    ("REST endpoint", "rest.address: localhost\n", "rest.server.max-content-length", "0", "1", ""),
    ("REST client", "", "rest.client.max-content-length", "0", "1", ""),
    ("REST client", "", "rest.retry.max-attempts", "-1", "0", ""),
    ("REST client", "", "rest.retry.delay", "-1", "0", _MILLIS),
    ("REST client", "", "rest.await-leader-timeout", "-1", "0", _MILLIS),
    ("high availability", _ZOOKEEPER, "high-availability.zookeeper.client.acl", "all", "open", ""),
    ("high availability", _ZOOKEEPER, "high-availability.zookeeper.client.session-timeout", "30 d", "24 d", ">=1.20"),
    ("internal TLS", STORES, "security.ssl.provider", "BoringSSL", "JDK", ""),
    ("slots", "", "slotmanager.redundant-taskmanager-num", "-1", "0", ""),
    ("failover", "", "jobmanager.execution.failover-strategy", "regions", "region", ""),
    ("cleanup", "", "cleanup-strategy", "fixed", "fixed-delay", ""),
    ("cleanup", "cleanup-strategy: fixed-delay\n", "cleanup-strategy.fixed-delay.attempts", "-1", "0", ""),
    ("cleanup", "", "cleanup-strategy.exponential-delay.attempts", "-1", "0", ""),
    ("history server", "", "historyserver.archive.retained-jobs", "0", "-1", ""),
    ("history server", "", "historyserver.archive.retained-jobs", "-2", "1", ""),
    ("history server", "", "historyserver.archive.retained-ttl", "0 s", "1 s", ""),
    ("history server", "", "historyserver.archive.fs.refresh-interval", "0", "1", ""),
    ("history server", "", "historyserver.archive.fs.dir", "s4://bucket/jobs", "file:///tmp", ""),
    ("history server", "", "historyserver.web.port", "70000", "0", ""),
    ("TaskManager process", "", "taskmanager.rpc.port", "70000", "0", ""),
    ("TaskManager process", "", "taskmanager.rpc.port", "x", "50100-50200", ""),
    ("TaskManager process", "", "taskmanager.rpc.bind-port", "70000", "0", ""),
    ("TaskManager", "", "taskmanager.data.port", "-1", "0", ""),
    ("TaskManager", "", "taskmanager.data.bind-port", "70000", "0", ""),
    ("TaskManager", "", "cluster.registration.initial-timeout", "0", "1", ""),
    ("TaskManager", "", "cluster.registration.max-timeout", "0", "1", ""),
    ("TaskManager", "", "cluster.registration.error-delay", "-1", "0", _MILLIS),
    ("TaskManager", "", "cluster.registration.refused-registration-delay", "-1", "0", _MILLIS),
    ("TaskManager", _QUERIED, "queryable-state.proxy.ports", "70000", "9069", ""),
    ("TaskManager", _QUERIED, "queryable-state.server.ports", "a", "9067-9070", ""),
    ("TaskManager", _QUERIED, "queryable-state.proxy.network-threads", "-1", "0", ""),
    ("TaskManager", _QUERIED, "queryable-state.proxy.query-threads", "-1", "0", ""),
    ("TaskManager", _QUERIED, "queryable-state.server.network-threads", "-1", "0", ""),
    ("TaskManager", _QUERIED, "queryable-state.server.query-threads", "-1", "0", ""),
    ("TaskManager", "", "taskmanager.memory.framework.off-heap.batch-shuffle.size", "0 b", "64 mb", ""),
    ("TaskManager", "", "taskmanager.network.netty.num-arenas", "-2", "-1", ""),
    ("TaskManager", "", "taskmanager.network.netty.server.numThreads", "-2", "-1", ""),
    ("TaskManager", "", "taskmanager.network.netty.client.numThreads", "-2", "-1", ""),
    ("TaskManager", "", "taskmanager.network.memory.exclusive-buffers-request-timeout-ms", "0", "1", ""),
    ("TaskManager", "", "taskmanager.network.memory.read-buffer.required-per-gate.max", "0", "1", ""),
    ("network", "", "taskmanager.network.memory.floating-buffers-per-gate", "0", "1", ""),
    ("network", "", "taskmanager.network.memory.buffers-per-channel", "-1", "2", ""),
    ("heartbeats", "", "heartbeat.rpc-failure-threshold", "0", "-1", ""),
    ("job", "", "execution.checkpointing.interval", "1 ms", "10 ms", ""),
    ("job", _CHECKPOINTS, "execution.checkpointing.timeout", "1 ms", "10 ms", ""),
    ("job", _CHECKPOINTS, "execution.checkpointing.interval-during-backlog", "9 ms", "0", ">=1.19"),
    ("job", _CHECKPOINTS, "execution.checkpointing.max-concurrent-checkpoints", "0", "1", ""),
    ("job", _CHECKPOINTS, "execution.checkpointing.tolerable-failed-checkpoints", "-1", "0", ""),
    ("job", "", "pipeline.max-parallelism", "40000", "32768", ""),
    ("run", _CHECKPOINTS, "state.checkpoint-storage", "x", "jobmanager", ""),
    ("run", "", "web.exception-history-size", "-1", "1", ""),
    ("run", _CHECKPOINTS, "web.checkpoints.history", "-1", "0", ""),
    ("run", "", "parallelism.default", "0", "1", ""),
    ("run", "parallelism.default: 1\n", "taskmanager.numberOfTaskSlots", "0", "1", ""),
    # A cluster of 1.12 or 1.13 waits for its TaskManager instead of saying why it ended.
    ("run", "", "taskmanager.data.port", "70000", "0", ">=1.14"),
    ("run", "", "rest.port", "70000", "0", ""),
    ("run", _DEBLOAT, "taskmanager.network.memory.buffer-debloat.target", "0 ms", "1 s", ""),
    ("run", _DEBLOAT, "taskmanager.network.memory.buffer-debloat.samples", "0", "1", ""),
    ("slow tasks", _SPECULATIVE, "slow-task-detector.check-interval", "0 s", "1 s", ">=1.17"),
    ("slow tasks", _SPECULATIVE, "slow-task-detector.execution-time.baseline-ratio", "1", "0.5", ">=1.17"),
    ("slow tasks", _SPECULATIVE, "slow-task-detector.execution-time.baseline-multiplier", "0", "0.5", ">=1.17"),
    ("restart strategy", _FIXED, "restart-strategy.fixed-delay.attempts", "-1", "0", ""),
    ("restart strategy", _RATE, "restart-strategy.failure-rate.max-failures-per-interval", "0", "1", ""),
    ("restart strategy", _RATE, "restart-strategy.failure-rate.failure-rate-interval", "0 s", "1 s", ""),
    ("restart strategy", _EXPONENTIAL, "restart-strategy.exponential-delay.initial-backoff", "0 s", "1 s", ""),
    ("restart strategy", _EXPONENTIAL, "restart-strategy.exponential-delay.max-backoff", "0 ms", "1 h", ""),
    ("restart strategy", _EXPONENTIAL, "restart-strategy.exponential-delay.reset-backoff-threshold", "0 s", "1 s", ""),
    ("restart strategy", _EXPONENTIAL, "restart-strategy.exponential-delay.backoff-multiplier", "1", "1.1", ""),
    ("restart strategy", _EXPONENTIAL, "restart-strategy.exponential-delay.jitter-factor", "1.5", "1", ""),
    ("restart strategy", _EXPONENTIAL, _ATTEMPTS, "0", "1", ""),
    ("Kubernetes", "", "kubernetes.jobmanager.replicas", "0", "1", ""),
    ("Kubernetes", "", "kubernetes.jobmanager.cpu.limit-factor", "0.9", "1", ""),
    ("Kubernetes", "", "kubernetes.jobmanager.memory.limit-factor", "0.9", "1", ""),
    ("Kubernetes", "", "kubernetes.taskmanager.cpu.limit-factor", "0.9", "1", ""),
    ("Kubernetes", "", "kubernetes.taskmanager.memory.limit-factor", "0.9", "1", ""),
)  # fmt: skip
"""The part of Flink, what is set besides, the option, a value that is refused, one that is taken, and the releases."""

_OF_STATE_BACKENDS = (
    ("thread.num", "0", "1"), ("writebuffer.count", "0", "1"), ("writebuffer.number-to-merge", "0", "1"),
    ("log.file-num", "0", "1"), ("log.dir", "logs", "/data/logs"), ("writebuffer.size", "0 b", "1 mb"),
    ("block.cache-size", "0 b", "1 mb"), ("block.blocksize", "0 b", "1 kb"),
    ("block.metadata-blocksize", "0 b", "1 kb"), ("compaction.level.target-file-size-base", "0 b", "1 mb"),
    ("compaction.level.max-size-level-base", "0 b", "1 mb"), ("restore-overlap-fraction-threshold", "2", "1"),
)  # fmt: skip
"""Options that RocksDB and ForSt have alike, a value that is refused, and one that is taken."""


def claims_of_values() -> list[Claim]:
    """Return the claims that Flink refuses the values."""
    state = [
        ("RocksDB", both, f"state.backend.{name}.{key}", refused, taken, releases)
        for name, both, releases in (("rocksdb", _ROCKSDB, ""), ("forst", _FORST, ">=2.0"))
        for key, refused, taken in _OF_STATE_BACKENDS
    ]
    directories = (
        ("RocksDB", _ROCKSDB, "state.backend.rocksdb.localdir", "data/rocksdb", "/data/rocksdb", ""),
        ("RocksDB", _FORST, "state.backend.forst.local-dir", "data/forst", "/data/forst", ">=2.0"),
    )
    return [
        flink_refuses(
            probe,
            f"{key}: {refused}\n",
            good=f"{key}: {taken}\n",
            both=both,
            releases=releases or _RELEASES.get(probe, CATALOGUED),
        )
        for probe, both, key, refused, taken, releases in (*_VALUES, *state, *directories)
    ]

"""Flink dropped this key, so the line does nothing any more.

## What it does
Reports keys that an older Flink release accepts and the one at hand does not: neither as an option nor as
an old name of one. Old names that still work are deprecated, not removed (FLK003), and are not reported here.

## Why it matters
Flink ignores a key it does not know and logs nothing. After an upgrade the protection or the size that the
line gave is gone: from 2.0 on, `security.ssl.enabled` encrypts nothing and `cluster.evenly-spread-out-slots`
spreads nothing.

## What to do
Write what took the option's place, which the finding names where there is something; else delete the line.
The line can be deleted safely where the option had become a formality: what it switched is always on.

## Not when
- The key is handed on to something that reads it by itself (`s3.`, `fs.`, …).
- Another rule says more: FLK209 of `jobmanager.heap.*` and `taskmanager.heap.*`, FLK921 of
  `metrics.reporter.<name>.class`, FLK750 of `yarn.maximum-failed-containers`.
- The option had become a formality: advice if the line says what is always so, else a warning, since nothing that can
  be written brings the other behavior back.
- The release is unknown and some releases read all keys of the file: then it is most likely for one of them.
  If no release does, a key that only some of the candidates dropped is a warning, with the releases it holds for;
  and advice for a key dropped in 1.10 or 1.11 in a file that gives memory only in the options of those days.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-master/release-notes/flink-2.0/>: the options that 2.0 dropped
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_migration/>:
  memory options since 1.10
"""

from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.memory._old_model import may_predate_the_model
from flink_flint.rules.settings._keys import accepted_by_all, taken_by_all, target_name

REPLACED = {
    "akka.transport.heartbeat.interval": "heartbeat.interval and heartbeat.timeout watch the processes now",
    "akka.transport.heartbeat.pause": "heartbeat.interval and heartbeat.timeout watch the processes now",
    "akka.transport.threshold": "heartbeat.interval and heartbeat.timeout watch the processes now",
    "akka.watch.heartbeat.interval": "heartbeat.interval and heartbeat.timeout watch the processes now",
    "akka.watch.heartbeat.pause": "heartbeat.interval and heartbeat.timeout watch the processes now",
    "akka.watch.threshold": "heartbeat.interval and heartbeat.timeout watch the processes now",
    "cluster.evenly-spread-out-slots": "write taskmanager.load-balance.mode: SLOTS for true",
    "containerized.heap-cutoff-min": "set taskmanager.memory.jvm-overhead.min (and jobmanager.…) instead",
    "containerized.heap-cutoff-ratio": "set taskmanager.memory.jvm-overhead.fraction (and jobmanager.…) instead",
    "fs.hdfs.hadoopconf": "set env.hadoop.conf.dir, or HADOOP_CONF_DIR in the environment",
    "fs.hdfs.hdfsdefault": "set env.hadoop.conf.dir, or HADOOP_CONF_DIR in the environment",
    "fs.hdfs.hdfssite": "set env.hadoop.conf.dir, or HADOOP_CONF_DIR in the environment",
    "jobmanager.web.ssl.enabled": "set security.ssl.rest.enabled",
    "pipeline.default-kryo-serializers": "register serializers with pipeline.serialization-config",
    "pipeline.registered-kryo-types": "register types with pipeline.serialization-config",
    "pipeline.registered-pojo-types": "register types with pipeline.serialization-config",
    "restart-backoff-time-strategy.failure-rate.backoff-time": "set restart-strategy.failure-rate.delay",
    "restart-backoff-time-strategy.failure-rate.failure-rate-interval": (
        "set restart-strategy.failure-rate.failure-rate-interval"
    ),
    "restart-backoff-time-strategy.failure-rate.max-failures-per-interval": (
        "set restart-strategy.failure-rate.max-failures-per-interval"
    ),
    "restart-backoff-time-strategy.fixed-delay.attempts": "set restart-strategy.fixed-delay.attempts",
    "restart-backoff-time-strategy.fixed-delay.backoff-time": "set restart-strategy.fixed-delay.delay",
    "security.ssl.enabled": "set security.ssl.internal.enabled and security.ssl.rest.enabled",
    "slotmanager.request-timeout": "set slot.request.timeout",
    "sql-client.display.max-column-width": "set table.display.max-column-width",
    "table.exec.legacy-transformation-uids": "set table.exec.uid.generation",
    "table.exec.shuffle-mode": "set execution.batch-shuffle-mode",
    "taskmanager.initial-registration-pause": "set cluster.registration.initial-timeout",
    "taskmanager.max-registration-pause": "set cluster.registration.max-timeout",
    "taskmanager.memory.fraction": (
        "set taskmanager.memory.managed.fraction, which is a part of the whole Flink memory, not of the free heap"
    ),
    "taskmanager.network.batch-shuffle.compression.enabled": (
        "write taskmanager.network.compression.codec: NONE for false"
    ),
    "taskmanager.network.blocking-shuffle.compression.enabled": (
        "write taskmanager.network.compression.codec: NONE for false"
    ),
    "taskmanager.network.numberOfBuffers": "set taskmanager.memory.network.fraction, .min and .max",
    "taskmanager.refused-registration-pause": "set cluster.registration.refused-registration-delay",
    "taskmanager.registration.initial-backoff": "set cluster.registration.initial-timeout",
    "taskmanager.registration.max-backoff": "set cluster.registration.max-timeout",
    "taskmanager.registration.refused-backoff": "set cluster.registration.refused-registration-delay",
    "web.ssl.enabled": "set security.ssl.rest.enabled",
    "yarn.heap-cutoff-min": "set taskmanager.memory.jvm-overhead.min (and jobmanager.…) instead",
    "yarn.heap-cutoff-ratio": "set taskmanager.memory.jvm-overhead.fraction (and jobmanager.…) instead",
}
"""What took an option's place where that is not the same option under another name."""

FORMALITIES = {
    "state.backend.async": ("true", "snapshots are always asynchronous"),
    "state.backend.rocksdb.ttl.compaction.filter.enabled": ("true", "the filter is always on"),
    "table.planner": ("blink", "there is only one planner"),
    "taskmanager.memory.off-heap": ("true", "managed memory is always off-heap"),
    "taskmanager.memory.preallocate": ("false", "managed memory is never allocated ahead"),
    "taskmanager.network.credit-based-flow-control.enabled": ("true", "flow control is always based on credits"),
    "taskmanager.network.credit-model": ("true", "flow control is always based on credits"),
}
"""Options that were dropped because one of their values is now the only behavior, with that value.

Any other value asked for something that no setting brings back, and that no job depends on for its result.
"""

_OLD_MODEL = ("1.9", "1.10")
"""The releases with the old memory model of the TaskManager or the JobManager."""

TOLD_ELSEWHERE = (
    *("jobmanager.heap.mb", "jobmanager.heap.size", "taskmanager.heap.mb", "taskmanager.heap.size"),
    *("metrics.reporter.<name>.class", "yarn.maximum-failed-containers"),
)


@rule(
    code="FLK002", severity=Severity.ERROR, confidence=Confidence.HIGH, since="0.1", scope="key", when=["irregular-key"]
)
def removed_key(config: View, setting: Setting) -> Iterator[Finding]:
    """Flink dropped this key, so the line does nothing"""
    key, options = setting.written, config.catalogue
    if config.accept(key) is not None or options.passes_through(key):
        return
    releases = options.releases(key)
    if not releases or releases[0] > config.index:
        return
    accepted = options.accept(key, releases[-1])
    assert accepted is not None
    if accepted.option.key in TOLD_ELSEWHERE:
        return
    assert setting.entry is not None
    successor, dropped = _successor(config, setting), MINORS[releases[-1] + 1]
    is_formality = key in FORMALITIES
    says_nothing_new = is_formality and setting.text.lower() == FORMALITIES[key][0]
    gone_for_all = not any(options.accept(key, index) for index in config.target.indices)
    fix: Fix | None = None
    if gone_for_all and successor is not None:
        taken = setting.is_known and taken_by_all(config, successor, setting.entry.value)
        fix = setting.rename(successor, safe=False) if taken else None
    elif gone_for_all and says_nothing_new:
        fix = setting.remove(safe=True)
    is_of_its_time = MINORS[releases[-1]] in _OLD_MODEL and may_predate_the_model(config)
    yield setting.finding(
        f"Flink dropped the key {key} in {dropped}: the line does nothing, and nothing is logged",
        at="key",
        help=_remedy(key, successor),
        fix=fix,
        severity=Severity.INFO if says_nothing_new or is_of_its_time else Severity.WARNING if is_formality else None,
        evidence={"last_release": MINORS[releases[-1]], "target": target_name(config)},
    )


def _remedy(key: str, successor: str | None) -> str:
    if successor is not None:
        return f"write {successor}"
    if key in REPLACED:
        return REPLACED[key]
    if key in FORMALITIES:
        return f"delete the line: {FORMALITIES[key][1]}"
    if key.startswith("mesos."):
        return "Flink left Mesos with 1.14; deploy on Kubernetes or YARN, and delete the line"
    return "delete the line; nothing took the option's place"


def _successor(config: View, setting: Setting) -> str | None:
    """The name under which every candidate release knows the very option, if no line sets that."""
    names = config.catalogue.current_names(setting.written)
    if len(names) != 1:
        return None
    if not accepted_by_all(config, names[0]) or config.get(names[0]).is_set:
        return None
    return names[0]


def cases() -> list[Case]:
    return [
        bad("security.ssl.enabled: true\n", file="config.yaml", flink="2.0", severity=Severity.ERROR),
        bad(
            "taskmanager.memory.preallocate: false\nparallelism.default: 2\n",
            at="taskmanager.memory.preallocate",
            flink="1.18",
            severity=Severity.INFO,
            fixed="parallelism.default: 2\n",
        ),
        bad(
            "taskmanager.memory.preallocate: true\n",
            flink="1.13",
            severity=Severity.WARNING,
            fixed="taskmanager.memory.preallocate: true\n",
        ),
        bad(
            "state.backend.rocksdb.ttl.compaction.filter.enabled: false\n",
            flink="1.15",
            severity=Severity.WARNING,
        ),
        bad("high-availability.zookeeper.path.leader: /leader\n", flink="1.14", says="in 1.14"),
        bad(
            "taskmanager.network.netty.transport: epoll\nstate.backend.forst.cache.dir: /data\n",
            severity=Severity.WARNING,
            says="in 2.0: the line does nothing, and nothing is logged (Flink 2.0 to 2.3)",
        ),
        good("taskmanager.network.netty.transport: epoll\nrest.port: 8081\n"),
        bad(
            "state.backend.rocksdb.checkpointdir: /data/rocksdb\n",
            file="config.yaml",
            flink="2.1",
            fixed="state.backend.rocksdb.localdir: /data/rocksdb\n",
        ),
        bad("mesos.master: zk://a:2181/mesos\n", flink="1.15"),
        bad(
            "taskmanager.memory.fraction: 0.7\ntaskmanager.memory.process.size: 4g\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
        ),
        good("taskmanager.memory.fraction: 0.7\nparallelism.default: 2\n", file="flink-conf.yaml"),
        bad(
            "taskmanager.memory.fraction: 0.7\nexecution.runtime-mode: BATCH\ntaskmanager.heap.size: 4g\n",
            file="flink-conf.yaml",
            severity=Severity.INFO,
        ),
        bad("cluster.evenly-spread-out-slots: true\nparallelism.default: 2\n", flink="2.2"),
        good("security.ssl.enabled: true\ntaskmanager.heap.size: 4g\n", flink="1.20"),
        good(
            "akka.framesize: 20m\nstate.backend: rocksdb\nhigh-availability: zookeeper\nenv.java.opts: -Da=b\n",
            flink="2.3",
        ),
        good(
            "taskmanager.memory.size: 1g\ntaskmanager.network.memory.fraction: 0.1\njobmanager.web.port: 8081\n",
            flink="2.3",
        ),
        good("s3.entropy.key: _e_\ns3.entropy.length: 4\nparallelism.default: 2\n", flink="1.18"),
        good("execution.checkpointing.dir: s3://b/c\n", flink="1.15"),
        good("metrics.reporter.prom.class: x.Y\nparallelism.default: 2\n", flink="2.0"),
        bad(
            "state.backend.rocksdb.checkpointdir: /d\nstate.backend.forst.cache.dir: /data\n",
            severity=Severity.WARNING,
            fixed="state.backend.rocksdb.checkpointdir: /d\nstate.backend.forst.cache.dir: /data\n",
        ),
        bad(
            "state.backend.rocksdb.checkpointdir: ${D}\n",
            flink="2.1",
            fixed="state.backend.rocksdb.checkpointdir: ${D}\n",
        ),
        bad(
            "state.backend.rocksdb.checkpointdir: /a\nstate.backend.rocksdb.localdir: /b\n",
            flink="2.1",
            fixed="state.backend.rocksdb.checkpointdir: /a\nstate.backend.rocksdb.localdir: /b\n",
        ),
        bad("table.exec.topn-cache-size: lots\n", flink="2.1", fixed="table.exec.topn-cache-size: lots\n"),
        bad(
            "mesos.master: ''\nparallelism.default: 2\n",
            flink="2.1",
            severity=Severity.ERROR,
            fixed="mesos.master: ''\nparallelism.default: 2\n",
        ),
        bad(
            "taskmanager.memory.preallocate: false\nexecution.runtime-mode: BATCH\n",
            file="flink-conf.yaml",
            severity=Severity.INFO,
            fixed="taskmanager.memory.preallocate: false\nexecution.runtime-mode: BATCH\n",
        ),
        bad(
            "containerized.heap-cutoff-min: 600\ntaskmanager.heap.size: 4g\nexecution.runtime-mode: BATCH\n",
            file="flink-conf.yaml",
            severity=Severity.INFO,
        ),
        bad(
            "high-availability.zookeeper.path.leader: /l\ntaskmanager.heap.size: 4g\nstate.backend.type: hashmap\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores("REST endpoint", "security.ssl.enabled: true\n", both="rest.address: a\n", releases=">=2.0"),
        flink_ignores("network", "taskmanager.network.numberOfBuffers: 100\n", releases=">=2.0"),
        flink_ignores(
            "restart strategy",
            "restart-backoff-time-strategy.fixed-delay.attempts: 0\n",
            both="restart-strategy: fixed-delay\n",
            releases=">=1.10",
        ),
    ]

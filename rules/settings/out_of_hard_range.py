"""A value is outside what Flink accepts beyond the type of the option.

## What it does
Knows what Flink's own code checks when it uses an option, and reports values outside:

- ports from 0 to 65535, and ranges and lists of them (`rest.bind-port`, `blob.server.port`, `taskmanager.rpc.port`);
- names: the order of class loading, the failover and the cleanup strategy, the checkpoint storage, the provider of TLS,
  ZooKeeper's access control, the time zone, dialect and exchange mode of SQL;
- texts that no class can have as its name, or that only a class of Java has, where a class of yours is loaded; hosts
  with blanks; fingerprints of certificates; lists of serializers and cached files;
- empty values where there is no default: a namespace, a cluster's name, a list of directories;
- paths that must be absolute (`state.backend.rocksdb.localdir`), and the scheme of the default file system;
- checkpoints: interval and timeout at least 10 ms, at least 1 concurrent checkpoint, tolerable failures not
  negative, the interval during backlog 0 or at least 10 ms;
- `parallelism.default` at least 1 (or -1, the default), `pipeline.max-parallelism` from 1 to 32768;
- pools, histories, caches and buffers of JobManager and TaskManager; registrations; REST clients and servers;
- RocksDB and ForSt: counts and sizes above 0, write buffer ratio and high priority pool ratio together at most 1, the
  restore overlap threshold from 0 to 1;
- restart and cleanup strategies, where the strategy is the one in use: attempts, multiplier, jitter and backoffs;
- Kubernetes: limit factors at least 1, at least 1 JobManager replica;
- reporters from 1.20 on, by their factory: port, host and URL of Prometheus, the PushGateway, Graphite, StatsD,
  InfluxDB and OpenTelemetry, which are logged and left out;
- S3: the entropy key and its length, the size of a part;
- the history server: retained jobs, retention time, refresh interval and port.

## Why it matters
Each of these ends in an exception when the process starts or the job is submitted: "Invalid port range definition",
"Checkpoint interval must be larger than or equal to 10 ms", "Unknown failover strategy". The most common one is
`execution.checkpointing.interval: 0`, meant to switch checkpointing off.

## What to do
Choose a value inside the range. To switch checkpointing off, delete the interval.

## Not when
A value Flink cannot even read belongs to the rules on values. Heartbeat interval and timeout, the size of memory
segments and memory that does not add up have rules of their own, and so have values that do not fit together. Where
the job may choose another state backend, the options of one are a warning. `taskmanager.numberOfTaskSlots: -1` stands
for 1; only the memory of a process refuses it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the options and their meaning
- <https://github.com/apache/flink/blob/master/flink-runtime/src/main/java/org/apache/flink/streaming/api/environment/CheckpointConfig.java>:
  the checks on checkpoint settings; every value was tried with the classes of each release
"""

import re
from collections.abc import Iterator
from typing import Any

from flink_flint.linter.flink.grammars.readings import READINGS, Reading
from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.model.claim import Claim
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._refused_values import claims_of_values

_WRITE_RATIO, _POOL_RATIO = "memory.write-buffer-ratio", "memory.high-prio-pool-ratio"
RATIOS = {
    f"state.backend.{backend}.{ratio}": backend
    for backend in ("rocksdb", "forst")
    for ratio in (_WRITE_RATIO, _POOL_RATIO)
}
"""Options of which two share a cache, and the state backend whose cache it is."""

_ADVICE = {
    "execution.checkpointing.interval": "to switch checkpointing off, delete it; else write a unit, such as 60 s",
    "execution.checkpointing.timeout": "write a unit, such as 10 min",
    "execution.checkpointing.interval-during-backlog": "write 0 to pause checkpoints during a backlog, or a unit",
}
_OF_PLUGINS = ("s3.", "metrics.reporter.")
_RETRIES = {"fixeddelay": "fixed-delay", "exponentialdelay": "exponential-delay"}
"""Other spellings of the names of cleanup strategies."""


@rule(
    code="FLK027",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[*READINGS, *RATIOS],
    since="0.1",
    scope="key",
)
def out_of_hard_range(config: View, setting: Setting) -> Iterator[Finding]:
    """a value is outside what Flink accepts beyond its type"""
    if setting.key in RATIOS:
        yield from _ratios(config, setting)
        return
    key, readings = _read_as(config, setting)
    value = _value(config, setting, key)
    if value is None:
        return
    for reading in readings:
        if (value == "" and not reading.refuses_empty) or reading.grammar.takes(value) or not _checks(config, reading):
            continue
        is_used = [_is_used(config, _beside(key, other), chosen) for other, chosen in reading.under]
        if False in is_used:
            continue
        allowed = reading.grammar.allowed
        yield setting.finding(
            f"{setting.written} is {_spell(value) or 'empty'}, but Flink takes only {allowed}: {reading.outcome}",
            help=_ADVICE.get(key, f"allowed: {allowed}"),
            severity=Severity.WARNING if None in is_used else None,
        )
        return


def _value(config: View, setting: Setting, key: str) -> Any:
    """Return what the code reads: of an option of plugins the text, since their readers know of no types."""
    if key.startswith(_OF_PLUGINS):
        return setting.text if setting.is_known else None
    return config.value(key)


def _beside(key: str, template: str) -> str:
    """Return the option of a family that has the same name in it as `key`."""
    if "<" not in template:
        return template
    start, _, end = template.partition("<")
    return f"{start}{key.removeprefix(start).partition('.')[0]}{end.partition('>')[2]}"


def _read_as(config: View, setting: Setting) -> tuple[str, tuple[Reading, ...]]:
    """Return the option that an entry sets, by the key of its value, and how it is read.

    `web.port` is an old name of two options, of which only one has a grammar; a family is declared by its template.
    """
    for name in (setting.key, *config.catalogue.current_names(setting.written)):
        if name in READINGS:
            return name, READINGS[name]
    template = setting.option.key if setting.option is not None else ""
    return setting.key, READINGS.get(template, ())


def _checks(config: View, reading: Reading) -> bool:
    return not (reading.since and not config.since(reading.since)) and not (
        reading.until and config.since(reading.until)
    )


def _is_used(config: View, key: str, value: str) -> bool | None:
    """Return whether an option has the value under which another one is read; None if the job may still choose it."""
    chosen = config.get(key)
    if key == "state.backend.type":
        return None if not chosen.is_set or not chosen.is_known else value in chosen.text.lower()
    if key == "execution.target":
        # `flink run --target` may still choose it.
        return chosen.text.startswith(f"{value}-") if chosen.is_set and chosen.is_known else None
    if value == "true":
        return config.boolean(key) is True
    if value == "set":
        return key in config.effective
    if value == "unset":
        return key not in config.effective
    if key.startswith("metrics.reporter."):
        return _is_loaded(config, key) and chosen.text.strip().rpartition(".")[2] == value
    if value == "> 0":
        number = config.number(key)
        return number is not None and number > 0
    name = str(config.value(key) or "").lower()
    return value == (strategy_named(name) if key == "restart-strategy.type" else _RETRIES.get(name, name))


def _is_loaded(config: View, key: str) -> bool:
    """Return whether `metrics.reporters` has a reporter, or is not set; False if that is not known."""
    listed = config.get("metrics.reporters")
    return not listed.is_set or (listed.is_known and key.split(".")[2] in re.split(r"[,\s;]+", listed.text))


def _ratios(config: View, setting: Setting) -> Iterator[Finding]:
    backend = RATIOS[setting.key]
    of_writes, of_pool = (f"state.backend.{backend}.{ratio}" for ratio in (_WRITE_RATIO, _POOL_RATIO))
    write, pool = config.number(of_writes), config.number(of_pool)
    if setting.key == of_pool and config.is_set(of_writes):
        return
    if write is None or pool is None or write + pool <= 1:
        return
    is_used = _is_used(config, "state.backend.type", backend)
    if is_used is False:
        return
    yield setting.finding(
        f"the write buffer ratio {write:g} and the high priority pool ratio {pool:g} are above 1 together: the job is"
        " refused",
        help=f"lower {of_writes} or {of_pool} (0.5 and 0.1 by default)",
        related=[config.get(of_pool)] if setting.key == of_writes else [],
        severity=Severity.WARNING if is_used is None else None,
    )


def _spell(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


_PROMETHEUS, _GATEWAY = (
    f"metrics.reporter.{name}.factory.class: org.apache.flink.metrics.prometheus.Prometheus{factory}ReporterFactory\n"
    for name, factory in (("prom", ""), ("push", "PushGateway"))
)
_NATIVE = "execution.target: kubernetes-application\n"


def cases() -> list[Case]:
    return [
        bad(
            "execution.checkpointing.interval: 0\n",
            at="execution.checkpointing.interval",
            flink="1.18",
            severity=Severity.ERROR,
            says="at least 10 ms",
        ),
        bad("execution.checkpointing.interval: 0\n", severity=Severity.ERROR),
        bad("execution.checkpointing.timeout: 5 ms\n", file="flink-conf.yaml", at="5 ms"),
        bad("pipeline.max-parallelism: 40000\n", flink="1.20", says="1 to 32768"),
        bad("pipeline.max-parallelism: -1\n", flink="2.1"),
        bad("parallelism.default: 0\n", flink="1.13", at="0"),
        bad("taskmanager.numberOfTaskSlots: 0\n", flink="1.18"),
        bad("web.port: 70000\n", flink="1.18", at="70000", says="0 to 65535"),
        bad("heartbeat.rpc-failure-threshold: 0\n", flink="1.14", says="JobManager and TaskManagers"),
        bad("taskmanager.network.memory.floating-buffers-per-gate: 0\n", flink="1.18"),
        bad(
            "taskmanager.network.memory.floating-buffers-per-gate: 0\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
        ),
        bad("rest.bind-port: 8081-\n", flink="1.18", at="8081-", says="ranges of them"),
        bad("blob.server.port: 50200-50100\n", flink="1.13"),
        bad("taskmanager.rpc.port: 50100-50100\n", flink="1.20"),
        bad("fs.s3.limit.total: -2\n", flink="1.20", says="at least -1"),
        bad("classloader.resolve-order: parent\n", flink="1.20", says="child-first, parent-first"),
        bad("cleanup-strategy: exponentialdelay\ncleanup-strategy.exponential-delay.attempts: -1\n", flink="1.20"),
        bad("queryable-state.enable: true\nqueryable-state.proxy.ports: a\n", flink="1.20"),
        bad("state.backend: rocksdb\nstate.backend.rocksdb.localdir: file:///data\n", flink="1.20"),
        bad("state.checkpoint-storage: s3\n", flink="1.20", says="jobmanager, filesystem"),
        good(
            "rest.bind-port: 8081, 8090-8099,\nblob.server.port: 0\ntaskmanager.rpc.port: 50100-50100\n", flink="1.13"
        ),
        good("fs.s3.limit.total: -1\nstate.checkpoint-storage: com.example.Storage\n", flink="1.20"),
        good("queryable-state.proxy.ports: a\nhigh-availability.jobmanager.port: a\n", flink="1.20"),
        good("high-availability: zookeeper\njobmanager.rpc.port: 70000\n", flink="1.20"),
        good("state.backend: rocksdb\nstate.backend.rocksdb.localdir: /data,/more\n", flink="1.20"),
        bad(
            "state.backend: rocksdb\nstate.backend.rocksdb.memory.write-buffer-ratio: 0.7\n"
            "state.backend.rocksdb.memory.high-prio-pool-ratio: 0.4\n",
            flink="1.16",
            at="state.backend.rocksdb.memory.write-buffer-ratio",
            times=1,
        ),
        bad("restart-strategy: exponential-delay\nrestart-strategy.exponential-delay.max-backoff: 0 s\n", flink="1.18"),
        bad("restart-strategy: fixeddelay\nrestart-strategy.fixed-delay.attempts: -1\n", flink="1.14"),
        bad("historyserver.archive.retained-jobs: 0\n", flink="1.18", says="history server"),
        bad("kubernetes.taskmanager.memory.limit-factor: 0.8\n", flink="1.17", says="0.8"),
        bad("table.sql-dialect: ansi\n", flink="1.20", says="SQL jobs are refused"),
        bad("table.local-time-zone: UTC+8\n", flink="1.17", says="GMT-08:00"),
        bad("table.local-time-zone: America/los_angeles\n", flink="1.20"),
        bad("table.local-time-zone: +08:00\n", flink="1.20"),
        good("table.local-time-zone: +08:00\n", flink="1.17"),
        good("table.local-time-zone: America/Port_of_Spain\n", flink="1.20"),
        bad(f"{_PROMETHEUS}metrics.reporter.prom.port: 9250 - 9260\n", flink="1.20", says="without the reporter"),
        good(f"{_PROMETHEUS}metrics.reporter.prom.port: 9250,9260\n", flink="1.20"),
        good(f"metrics.reporters: jmx\n{_PROMETHEUS}metrics.reporter.prom.port: x\n", flink="1.20"),
        good("metrics.reporter.acme.port: x\nmetrics.reporter.acme.factory.class: com.example.Factory\n", flink="1.20"),
        bad(f"{_GATEWAY}metrics.reporter.push.port: 0\n", flink="1.20"),
        good(
            f"{_GATEWAY}metrics.reporter.push.port: 0\nmetrics.reporter.push.hostUrl: http://gateway:9091\n",
            flink="1.20",
        ),
        bad("metrics.reporter.a.filter.includes: '*:*:number'\n", file="config.yaml", flink="1.20"),
        good("metrics.reporter.a.filter.includes: jobmanager:*:Counter,meter;*\n", flink="1.20"),
        bad("s3.entropy.key: _e{1}_\n", flink="1.20", says="S3"),
        bad("s3.entropy.key: _e_\ns3.entropy.length: 0\n", flink="1.18"),
        good("s3.entropy.length: 0\ns3.upload.min.part.size: 5242880\n", flink="1.20"),
        bad("fs.s3.limit.total: 5\nfs.s3.limit.timeout: -1\n", flink="1.20"),
        good("fs.s3.limit.timeout: -1\n", flink="1.20"),
        bad(f"{_NATIVE}kubernetes.namespace: ''\n", file="config.yaml", flink="1.20", says="is empty"),
        bad("kubernetes.namespace: ''\n", file="config.yaml", flink="1.20", severity=Severity.WARNING),
        bad("io.tmp.dirs: ''\n", file="config.yaml", flink="2.1", says="is empty"),
        good("security.ssl.internal.keystore-type: ''\n", file="config.yaml", flink="1.20"),
        bad("pipeline.registered-kryo-types: com.example.Event;com.example.1st\n", flink="1.18"),
        good("pipeline.registered-kryo-types: com.example.Event$Inner;java.lang.String\n", flink="1.18"),
        bad("execution.job-listeners: java.lang.String\n", flink="1.18", says="factories"),
        bad("pipeline.cached-files: name:a\n", flink="1.18"),
        good("pipeline.cached-files: path:a;name:b,path:c\n", flink="1.18"),
        bad("pipeline.serialization-config: com.example.Event\n", flink="1.20"),
        good("pipeline.serialization-config: '[com.example.Event: {type: pojo}]'\n", file="config.yaml", flink="1.20"),
        bad("fs.default-scheme: hdfs://\n", flink="1.20"),
        good("fs.default-scheme: hdfs\n", flink="1.20"),
        bad("akka.ask.timeout: 0 s\n", flink="1.13"),
        good("akka.ask.timeout: 0 s\n", flink="1.16"),
        bad("taskmanager.bind-host: a b\n", flink="1.20"),
        good("execution.checkpointing.interval: 10 ms\nexecution.checkpointing.tolerable-failed-checkpoints: 0\n"),
        good(
            "parallelism.default: -1\ntaskmanager.numberOfTaskSlots: -1\npipeline.max-parallelism: 32768\n",
            flink="1.18",
        ),
        good("execution.checkpointing.interval: {{ interval }}\n", flink="1.18"),
        good(
            "execution.checkpointing.interval: 1 min\nexecution.checkpointing.interval-during-backlog: 0\n", flink="2.0"
        ),
        good("taskmanager.network.memory.floating-buffers-per-gate: 0\n", flink="1.16"),
        good("restart-strategy: none\nrestart-strategy.fixed-delay.attempts: -1\n", flink="1.14"),
        good("state.backend: hashmap\nstate.backend.rocksdb.thread.num: 0\n", flink="1.18"),
        good("state.backend.rocksdb.memory.write-buffer-ratio: 0\n", flink="1.18"),
        good(
            "heartbeat.interval: 10000\nheartbeat.timeout: 5000\nhistoryserver.archive.retained-jobs: -1\n",
            flink="1.18",
        ),
        good("execution.checkpointing.timeout: 3 mins\n", flink="1.18"),
        bad("state.backend: hashmap\nrestart-strategy: none\nparallelism.default: 0\n", flink="1.18"),
        bad("state.backend: rocksdb\nstate.backend.rocksdb.thread.num: 0\n", flink="1.18"),
        bad("state.backend.rocksdb.thread.num: 0\n", flink="1.18", severity=Severity.WARNING),
        bad("state.backend: rocksdb\nstate.backend.rocksdb.writebuffer.size: 0\n", flink="1.18"),
        good(
            "state.backend.rocksdb.thread.num: 1\nhistoryserver.archive.retained-jobs: 1\n"
            "kubernetes.taskmanager.cpu.limit-factor: 1.0\n",
            flink="1.18",
        ),
        good("taskmanager.network.memory.floating-buffers-per-gate: 0\n", flink="2.0"),
        good("heartbeat.rpc-failure-threshold: 0\n", flink="1.13"),
        bad("execution.checkpointing.interval-during-backlog: 9 ms\n", flink="2.0", says="at least 10 ms"),
        good("execution.checkpointing.interval-during-backlog: 10 ms\n", flink="2.0"),
        bad(
            "state.backend.rocksdb.memory.high-prio-pool-ratio: 0.6\n",
            flink="1.18",
            at="state.backend.rocksdb.memory.high-prio-pool-ratio",
        ),
        good(
            "state.backend.rocksdb.memory.write-buffer-ratio: 0.9\n"
            "state.backend.rocksdb.memory.high-prio-pool-ratio: 0.1\n",
            flink="1.18",
        ),
        good(
            "state.backend.rocksdb.memory.write-buffer-ratio: ${RATIO}\n"
            "state.backend.rocksdb.memory.high-prio-pool-ratio: 0.9\n",
            flink="1.18",
        ),
        good(
            "state.backend.rocksdb.memory.write-buffer-ratio: 0.95\n"
            "state.backend.rocksdb.memory.high-prio-pool-ratio: ${RATIO}\n",
            flink="1.18",
        ),
        good("state.backend: hashmap\nstate.backend.rocksdb.memory.write-buffer-ratio: 0.95\n", flink="1.18"),
        good("restart-strategy.exponential-delay.initial-backoff: 10 min\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return claims_of_values()

"""The grammars of values that Flink checks beyond the type of an option, and the options that are read with them.

The type of an option decides what its `ConfigOption` takes: an integer, a duration, an enum. What the code that uses
the value refuses afterwards (a port above 65535, no attempts, an unknown name) is declared here, option by option, in
the keys of the newest release. Each was found in the messages of Flink's classes and put to real releases
(`tests/oracle`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flink_flint.linter.flink.java_text import JAVA_BLANKS, BadValue
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.flink.uris import locate, scheme_meant
from flink_flint.linter.flink.values import MILLISECOND, parse
from flink_flint.linter.text.named_tuple import NamedTuple


class Grammar(NamedTuple):
    """What the code that reads a typed value takes."""

    name: str
    allowed: str
    """What is allowed, in words that follow "allowed:"."""
    takes: Callable[[Any], bool]


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
    """Options, and the values that they must all have for this one to be read: ``true``, or a name."""


def _number(name: str, allowed: str, takes: Callable[[Any], bool]) -> Grammar:
    return Grammar(name, allowed, lambda value: not isinstance(value, int | float) or takes(value))


def _text(name: str, allowed: str, takes: Callable[[str], bool]) -> Grammar:
    return Grammar(name, allowed, lambda value: takes(str(value)))


def _one_of(name: str, *names: str) -> Grammar:
    return _text(name, ", ".join(names), lambda text: text.lower() in names)


def _port(text: str) -> int | None:
    """Return the port that Java's Integer.valueOf makes of a text; None if it makes none."""
    try:
        found = parse("Integer", (), text, NEWEST, yaml=False)
    except BadValue:
        return None
    return found if isinstance(found, int) and 0 <= found <= MAX_PORT else None


def _ports(text: str, *, takes_any_order: bool) -> bool:
    """Return whether ``50100-50200,50300`` names ports; Java drops what is empty at the end of a list.

    With `takes_any_order` a range may be of one port, and a descending one is empty.
    """
    has_any = False
    for one in text.rstrip(",").split(",") if text.strip(",") else [text]:
        start, dash, end = one.strip(JAVA_BLANKS).partition("-")
        first, last = _port(start), _port(end if dash else start)
        if first is None or last is None or (dash and first >= last and not takes_any_order):
            return False
        has_any = has_any or first <= last
    return has_any


def _are_absolute(text: str) -> bool:
    return all(part.startswith("/") for part in text.replace(",", ":").split(":") if part)


def _name_a_file_system(text: str) -> bool:
    """Return whether one directory of a list has no scheme that is a slip of another."""
    schemes = (locate(one).scheme for one in text.split(","))
    return any(scheme_meant(scheme) is None for scheme in schemes)


MAX_PORT = 65535
POSITIVE = _number("positive", "above 0", lambda value: value > 0)
AT_LEAST_ONE = _number("at least one", "at least 1", lambda value: value >= 1)
NOT_NEGATIVE = _number("not negative", "at least 0", lambda value: value >= 0)
UNLIMITED = _number("positive or unlimited", "at least 1, or -1", lambda value: value >= 1 or value == -1)
SLOTS = UNLIMITED._replace(name="slots", allowed="at least 1")
NOT_BELOW_MINUS_ONE = _number("default or not negative", "at least -1", lambda value: value >= -1)
FRACTION = _number("fraction", "0 to 1", lambda value: 0 <= value <= 1)
FRACTION_BELOW_ONE = _number("fraction below one", "0 to 1, without 1", lambda value: 0 <= value < 1)
GROWTH = _number("growth", "above 1", lambda value: value > 1)
PARALLELISM = _number("parallelism", "at least 1, or -1", lambda value: value >= 1 or value in (-1, -2))
MAX_PARALLELISM = _number("maximum parallelism", "1 to 32768", lambda value: 1 <= value <= 32768)
PRIORITY = _number("thread priority", "1 to 10", lambda value: 1 <= value <= 10)
MILLISECONDS = _number("milliseconds", "at least 1 ms", lambda value: value >= MILLISECOND)
TEN_MILLISECONDS = _number("ten milliseconds", "at least 10 ms", lambda value: value >= 10 * MILLISECOND)
PAUSED_OR_TEN_MILLISECONDS = _number(
    "pause or ten milliseconds", "0, or at least 10 ms", lambda value: value == 0 or value >= 10 * MILLISECOND
)
INTEGER_MILLISECONDS = _number(
    "integer milliseconds", "at most 2147483647 ms", lambda value: value < (1 << 31) * MILLISECOND
)
PORT = _number("port", f"0 to {MAX_PORT}", lambda value: 0 <= value <= MAX_PORT)
_PORTS = f"ports from 0 to {MAX_PORT} and ranges of them, such as 50100-50200,50300"
PORT_RANGE = _text("port range", _PORTS, lambda text: _ports(text, takes_any_order=True))
PORT_RANGE_OF_TWO = _text("port range", _PORTS, lambda text: _ports(text, takes_any_order=False))
DIRECTORIES = _text("absolute directories", "absolute paths without a scheme", _are_absolute)
DIRECTORY = _text("absolute directory", "an absolute path", lambda text: not text or text.startswith("/"))
SCHEME = _text("file system", "a URI with a scheme, such as hdfs://namenode:8020", lambda text: " " not in text.strip())
ARCHIVES = _text("archives", "URIs of file systems, of which one must exist", _name_a_file_system)
CLASS_ORDER = _one_of("class loading order", "child-first", "parent-first")
FAILOVER = _one_of("failover strategy", "region", "full")
CLEANUP = _one_of(
    "cleanup strategy", "none", "disable", "off", "fixed-delay", "fixeddelay", "exponential-delay", "exponentialdelay"
)
ACCESS = _one_of("access control", "open", "creator")
TLS_PROVIDER = _one_of("TLS provider", "jdk", "openssl")
CHECKPOINT_STORAGE = _text(
    "checkpoint storage", "jobmanager, filesystem or the class of a factory",
    lambda text: "." in text or text.lower() in ("jobmanager", "filesystem"),
)  # fmt: skip

_JOB = "the job is refused"
_DEPLOYMENT = "the deployment is refused"
_JOBMANAGER = "the JobManager does not start"
_TASKMANAGER = "the TaskManager does not start"
_BOTH = "JobManager and TaskManagers do not start"
_CLIENT = "no client starts"
_HISTORY = "the history server does not start"

_ROCKSDB = (("state.backend.type", "rocksdb"),)
_FORST = (("state.backend.type", "forst"),)
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
        Reading(PORT_RANGE_OF_TWO, outcome, since=_EQUAL_ENDS, under=under),
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
    found[f"{prefix}log.dir"] = (Reading(DIRECTORY, _JOB, under=under),)
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
        Reading(PORT_RANGE_OF_TWO, _TASKMANAGER, since="1.19"),
    ),
    "queryable-state.proxy.ports": _port_range(_TASKMANAGER, _QUERIED),
    "queryable-state.server.ports": _port_range(_TASKMANAGER, _QUERIED),
    "historyserver.web.port": (Reading(PORT, _HISTORY),),
    # -- the JobManager
    "cluster.io-pool.size": (Reading(POSITIVE, _BOTH, since="1.12"),),
    "jobstore.max-capacity": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "jobstore.cache-size": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "jobstore.expiration-time": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "web.refresh-interval": (Reading(POSITIVE, _JOBMANAGER),),
    "web.exception-history-size": (Reading(NOT_NEGATIVE, _JOB),),
    "web.checkpoints.history": (Reading(NOT_NEGATIVE, _JOB),),
    "metrics.fetcher.update-interval": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "rest.server.max-content-length": (Reading(POSITIVE, _JOBMANAGER),),
    "rest.server.thread-priority": (Reading(PRIORITY, _JOBMANAGER),),
    "rest.profiling.history-size": (Reading(POSITIVE, _JOBMANAGER, under=(("rest.profiling.enabled", "true"),)),),
    "fs.default-scheme": (Reading(SCHEME, _BOTH),),
    "fs.<scheme>.limit.total": (Reading(NOT_BELOW_MINUS_ONE, _BOTH),),
    "fs.<scheme>.limit.input": (Reading(NOT_BELOW_MINUS_ONE, _BOTH),),
    "fs.<scheme>.limit.output": (Reading(NOT_BELOW_MINUS_ONE, _BOTH),),
    "classloader.resolve-order": (Reading(CLASS_ORDER, _BOTH),),
    "jobmanager.execution.failover-strategy": (Reading(FAILOVER, _JOB),),
    "slotmanager.redundant-taskmanager-num": (Reading(NOT_NEGATIVE, _JOBMANAGER),),
    "blob.service.cleanup.interval": (Reading(POSITIVE, _BOTH),),
    "heartbeat.rpc-failure-threshold": (Reading(UNLIMITED, _BOTH),),
    "high-availability.zookeeper.client.acl": (Reading(ACCESS, _BOTH, under=_ZOOKEEPER),),
    "high-availability.zookeeper.client.session-timeout": (Reading(INTEGER_MILLISECONDS, _BOTH, under=_ZOOKEEPER),),
    "security.ssl.provider": (Reading(TLS_PROVIDER, _BOTH, under=(("security.ssl.internal.enabled", "true"),)),),
    "cleanup-strategy.type": (Reading(CLEANUP, _JOBMANAGER),),
    "cleanup-strategy.fixed-delay.attempts": (
        Reading(NOT_NEGATIVE, _JOBMANAGER, under=(("cleanup-strategy.type", "fixed-delay"),)),
    ),
    "cleanup-strategy.exponential-delay.attempts": (
        Reading(NOT_NEGATIVE, _JOBMANAGER, under=(("cleanup-strategy.type", "exponential-delay"),)),
    ),
    # -- clients and the history server
    "rest.client.max-content-length": (Reading(POSITIVE, _CLIENT),),
    "rest.retry.max-attempts": (Reading(NOT_NEGATIVE, _CLIENT),),
    "rest.retry.delay": (Reading(NOT_NEGATIVE, _CLIENT),),
    "rest.await-leader-timeout": (Reading(NOT_NEGATIVE, _CLIENT),),
    "historyserver.archive.fs.dir": (Reading(ARCHIVES, _HISTORY),),
    "historyserver.archive.retained-jobs": (Reading(UNLIMITED, _HISTORY),),
    "historyserver.archive.retained-ttl": (Reading(POSITIVE, _HISTORY),),
    "historyserver.archive.fs.refresh-interval": (Reading(POSITIVE, _HISTORY),),
    # -- the TaskManager
    "taskmanager.numberOfTaskSlots": (Reading(SLOTS, _TASKMANAGER),),
    "cluster.registration.initial-timeout": (Reading(POSITIVE, _TASKMANAGER),),
    "cluster.registration.max-timeout": (Reading(POSITIVE, _TASKMANAGER),),
    "cluster.registration.error-delay": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "cluster.registration.refused-registration-delay": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.proxy.network-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.proxy.query-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.server.network-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "queryable-state.server.query-threads": (Reading(NOT_NEGATIVE, _TASKMANAGER),),
    "taskmanager.memory.framework.off-heap.batch-shuffle.size": (Reading(POSITIVE, _TASKMANAGER),),
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
    "state.backend.rocksdb.localdir": (Reading(DIRECTORIES, _JOB, under=_ROCKSDB),),
    **_of_rocksdb("state.backend.forst.", _FORST),
    "state.backend.forst.local-dir": (Reading(DIRECTORIES, _JOB, under=_FORST),),
    # -- deployments
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

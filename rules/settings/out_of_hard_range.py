"""A number lies outside the range Flink accepts.

## What it does
Knows the ranges that Flink's own code checks when it uses an option, and reports values outside:

- checkpoints: interval and timeout at least 10 ms, at least 1 concurrent checkpoint, tolerable failures not
  negative, the interval during backlog 0 or at least the normal interval (from 1.19 on);
- `parallelism.default` at least 1 (or -1, the default), `pipeline.max-parallelism` from 1 to 32768;
- `taskmanager.numberOfTaskSlots` at least 1, `taskmanager.data.port` and `rest.port` from 0 to 65535, floating buffers
  per gate at least 1 and buffers per channel not negative (1.17 to 1.20), target (from 1.14 on) and samples (1.15) of
  buffer debloating above 0;
- `heartbeat.rpc-failure-threshold` at least 1 or -1;
- RocksDB: counts and sizes above 0, write buffer ratio and high priority pool ratio together at most 1, the restore
  overlap threshold from 0 to 1;
- restart strategies, where the strategy is the one in use: attempts not negative, backoff multiplier above 1, jitter
  from 0 to 1, initial backoff above 0 and at most the maximum, at least 1 failure per interval, the interval
  above 0;
- Kubernetes: limit factors at least 1, at least 1 JobManager replica;
- `historyserver.archive.retained-jobs` at least 1 or -1.

## Why it matters
Each of these ends in an exception when the process starts or the job is submitted. The most common one is
`execution.checkpointing.interval: 0`, meant to switch checkpointing off.

## What to do
Choose a value inside the range. To switch checkpointing off, delete the interval.

## Not when
A value Flink cannot even read belongs to the rules on values. Heartbeat interval and timeout, the size of memory
segments and memory that does not add up have rules of their own. `taskmanager.numberOfTaskSlots: -1` stands for 1;
only the memory of a process refuses it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the options and their meaning
- <https://github.com/apache/flink/blob/master/flink-runtime/src/main/java/org/apache/flink/streaming/api/environment/CheckpointConfig.java>:
  the checks on checkpoint settings; every range was tried with the classes of 1.13 to 2.3
"""

from collections.abc import Callable, Iterator
from typing import Any

from flink_flint.linter.flink.values import MILLISECOND
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import CATALOGUED, Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple

_JOB = "the job is refused"
_PROCESS = "the TaskManager does not start"


class _Range(NamedTuple):
    """What Flink checks about one option."""

    question: str
    """The typed question of `View` that gives the value."""
    holds: Callable[[Any], bool]
    legal: str
    outcome: str
    since: str = ""
    strategy: str = ""
    """The restart strategy the option belongs to."""
    backend: str = ""
    """The state backend it belongs to."""


def _at_least(least: int, outcome: str, **more: str) -> _Range:
    return _Range("integer", lambda value: value >= least, f"at least {least}", outcome, **more)


def _above_zero(question: str, outcome: str, **more: str) -> _Range:
    return _Range(question, lambda value: value > 0, "above 0", outcome, **more)


def _positive_or_unlimited(outcome: str) -> _Range:
    return _Range("integer", lambda value: value >= 1 or value == -1, "at least 1, or -1", outcome)


def _port(outcome: str) -> _Range:
    return _Range("integer", lambda value: 0 <= value <= 65535, "0 to 65535", outcome)


_TEN_MILLISECONDS = _Range("duration", lambda value: value >= 10 * MILLISECOND, "at least 10 ms", _JOB)
_FACTOR = _Range("number", lambda value: value >= 1, "at least 1", "the deployment is refused")
_ROCKSDB_COUNT = _above_zero("integer", _JOB, backend="rocksdb")
_ROCKSDB_SIZE = _above_zero("memory", _JOB, backend="rocksdb")
_EXPONENTIAL = "restart-strategy.exponential-delay."

RANGES = {
    "execution.checkpointing.interval": _TEN_MILLISECONDS,
    "execution.checkpointing.timeout": _TEN_MILLISECONDS,
    "execution.checkpointing.max-concurrent-checkpoints": _at_least(1, _JOB),
    "execution.checkpointing.tolerable-failed-checkpoints": _at_least(0, _JOB),
    "parallelism.default": _Range("integer", lambda value: value >= 1 or value in (-1, -2), "at least 1, or -1", _JOB),
    "pipeline.max-parallelism": _Range("integer", lambda value: 1 <= value <= 32768, "1 to 32768", _JOB),
    "taskmanager.numberOfTaskSlots": _Range(
        "integer", lambda value: value >= 1 or value == -1, "at least 1", _PROCESS
    ),
    "taskmanager.data.port": _port(_PROCESS),
    "rest.port": _port("the JobManager does not start"),
    "taskmanager.network.memory.floating-buffers-per-gate": _at_least(1, _PROCESS, since="1.17"),
    "taskmanager.network.memory.buffers-per-channel": _at_least(0, _PROCESS, since="1.17"),
    "taskmanager.network.memory.buffer-debloat.target": _above_zero("duration", _PROCESS, since="1.14"),
    "taskmanager.network.memory.buffer-debloat.samples": _at_least(1, _PROCESS, since="1.15"),
    "heartbeat.rpc-failure-threshold": _positive_or_unlimited("JobManager and TaskManagers do not start"),
    "state.backend.rocksdb.thread.num": _ROCKSDB_COUNT,
    "state.backend.rocksdb.writebuffer.count": _ROCKSDB_COUNT,
    "state.backend.rocksdb.writebuffer.number-to-merge": _ROCKSDB_COUNT,
    "state.backend.rocksdb.log.file-num": _ROCKSDB_COUNT,
    "state.backend.rocksdb.writebuffer.size": _ROCKSDB_SIZE,
    "state.backend.rocksdb.block.cache-size": _ROCKSDB_SIZE,
    "state.backend.rocksdb.restore-overlap-fraction-threshold": _Range(
        "number", lambda value: 0 <= value <= 1, "0 to 1", _JOB, backend="rocksdb"
    ),
    "restart-strategy.fixed-delay.attempts": _at_least(0, _JOB, strategy="fixed-delay"),
    "restart-strategy.failure-rate.max-failures-per-interval": _at_least(1, _JOB, strategy="failure-rate"),
    "restart-strategy.failure-rate.failure-rate-interval": _above_zero("duration", _JOB, strategy="failure-rate"),
    _EXPONENTIAL + "backoff-multiplier": _Range(
        "number", lambda value: value > 1, "above 1", _JOB, strategy="exponential-delay"
    ),
    _EXPONENTIAL + "jitter-factor": _Range(
        "number", lambda value: 0 <= value <= 1, "0 to 1", _JOB, strategy="exponential-delay"
    ),
    _EXPONENTIAL + "attempts-before-reset-backoff": _at_least(1, _JOB, strategy="exponential-delay"),
    "kubernetes.jobmanager.replicas": _at_least(1, "the deployment is refused"),
    "kubernetes.jobmanager.cpu.limit-factor": _FACTOR,
    "kubernetes.jobmanager.memory.limit-factor": _FACTOR,
    "kubernetes.taskmanager.cpu.limit-factor": _FACTOR,
    "kubernetes.taskmanager.memory.limit-factor": _FACTOR,
    "historyserver.archive.retained-jobs": _positive_or_unlimited("the history server does not start"),
}  # fmt: skip

_BACKLOG = "execution.checkpointing.interval-during-backlog"
_WRITE_RATIO = "state.backend.rocksdb.memory.write-buffer-ratio"
_POOL_RATIO = "state.backend.rocksdb.memory.high-prio-pool-ratio"
_BACKOFF, _MAX_BACKOFF = _EXPONENTIAL + "initial-backoff", _EXPONENTIAL + "max-backoff"

_ADVICE = {
    "execution.checkpointing.interval": "to switch checkpointing off, delete it; else write a unit, such as 60 s",
    "execution.checkpointing.timeout": "write a unit, such as 10 min",
}


@rule(
    code="FLK027",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[*RANGES, _BACKLOG, _WRITE_RATIO, _POOL_RATIO, _BACKOFF, _MAX_BACKOFF],
    since="0.1",
    scope="key",
)
def out_of_hard_range(config: View, setting: Setting) -> Iterator[Finding]:
    """a number lies outside the range Flink accepts"""
    key = setting.key
    if key == _BACKLOG:
        yield from _backlog(config, setting)
    elif key in (_WRITE_RATIO, _POOL_RATIO):
        yield from _ratios(config, setting)
    elif key in (_BACKOFF, _MAX_BACKOFF):
        yield from _backoffs(config, setting)
    else:
        # `web.port` is an old name of two options, and only one of them has a range here
        key = next(name for name in (key, *config.catalogue.current_names(setting.written)) if name in RANGES)
        legal = RANGES[key]
        value = getattr(config, legal.question)(key)
        if value is None or legal.holds(value) or not _applies(config, legal):
            return
        yield setting.finding(
            f"{setting.written} is {_spell(value)}, but Flink takes only {legal.legal}: {legal.outcome}",
            help=_ADVICE.get(key, f"allowed: {legal.legal}"),
        )


def _applies(config: View, legal: _Range) -> bool:
    if legal.since and not config.since(legal.since):
        return False
    return _uses_strategy(config, legal.strategy) and _may_use_backend(config, legal.backend)


def _uses_strategy(config: View, strategy: str) -> bool:
    """Whether the restart strategy is this one for sure; its options do nothing otherwise."""
    chosen = (config.string("restart-strategy.type") or "").lower()
    return not strategy or chosen in (strategy, strategy.replace("-", ""))


def _may_use_backend(config: View, backend: str) -> bool:
    """Whether nothing chooses another state backend; the job may choose its own."""
    chosen = config.get("state.backend.type")
    return not backend or not chosen.is_set or backend in chosen.text.lower()


def _backlog(config: View, setting: Setting) -> Iterator[Finding]:
    during, normal = config.duration(_BACKLOG), config.duration("execution.checkpointing.interval")
    if during is None or during == 0:
        return
    if during < 10 * MILLISECOND:
        yield setting.finding(
            f"{setting.written} is {during}, but Flink takes only 0 or at least 10 ms: {_JOB}",
            help="write 0 to pause checkpoints while there is a backlog, or a unit, such as 10 min",
        )
    elif normal is not None and during < normal:
        yield setting.finding(
            f"{setting.written} is {during}, less than the normal checkpoint interval of {normal}: {_JOB}",
            help=f"write at least {normal}, or 0 to pause checkpoints while there is a backlog",
            related=[config.get("execution.checkpointing.interval")],
        )


def _ratios(config: View, setting: Setting) -> Iterator[Finding]:
    write, pool = config.number(_WRITE_RATIO), config.number(_POOL_RATIO)
    if setting.key == _POOL_RATIO and config.is_set(_WRITE_RATIO):
        return
    if write is None or pool is None or write + pool <= 1 or not _may_use_backend(config, "rocksdb"):
        return
    yield setting.finding(
        f"RocksDB's write buffer ratio {write:g} and high priority pool ratio {pool:g} are above 1 together: {_JOB}",
        help=f"lower {_WRITE_RATIO} or {_POOL_RATIO} (0.5 and 0.1 by default)",
        related=[config.get(_POOL_RATIO)] if setting.key == _WRITE_RATIO else [],
    )


def _backoffs(config: View, setting: Setting) -> Iterator[Finding]:
    initial, most = config.duration(_BACKOFF), config.duration(_MAX_BACKOFF)
    if not _uses_strategy(config, "exponential-delay") or initial is None:
        return
    if setting.key == _BACKOFF and initial < MILLISECOND:
        yield setting.finding(
            f"{setting.written} is {initial}, but Flink takes only 1 ms and more: {_JOB}", help="write 1 s, for example"
        )
    elif most is not None and initial > most and (setting.key == _BACKOFF or not config.is_set(_BACKOFF)):
        yield setting.finding(
            f"the initial restart backoff of {initial} is longer than the maximum backoff of {most}: {_JOB}",
            help=f"lower {_BACKOFF} or raise {_MAX_BACKOFF}",
            related=[config.get(_MAX_BACKOFF)] if setting.key == _BACKOFF else [],
        )


def _spell(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _backoffs_of(initial: str, most: str) -> str:
    return f"restart-strategy: exponential-delay\n{_BACKOFF}: {initial}\n{_MAX_BACKOFF}: {most}\n"


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
        bad(
            "execution.checkpointing.interval: 1 min\nexecution.checkpointing.interval-during-backlog: 30 s\n",
            flink="2.0",
            at="execution.checkpointing.interval-during-backlog",
            says="normal checkpoint interval of 1 min",
        ),
        bad(
            "state.backend: rocksdb\nstate.backend.rocksdb.memory.write-buffer-ratio: 0.7\n"
            "state.backend.rocksdb.memory.high-prio-pool-ratio: 0.4\n",
            flink="1.16",
            at="state.backend.rocksdb.memory.write-buffer-ratio",
            times=1,
        ),
        bad(
            "restart-strategy: exponential-delay\nrestart-strategy.exponential-delay.initial-backoff: 10 min\n",
            flink="1.18",
            says="maximum backoff of 5 min",
        ),
        bad("restart-strategy: fixeddelay\nrestart-strategy.fixed-delay.attempts: -1\n", flink="1.14"),
        bad("historyserver.archive.retained-jobs: 0\n", flink="1.18", says="history server"),
        bad("kubernetes.taskmanager.memory.limit-factor: 0.8\n", flink="1.17", says="0.8"),
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
        bad("state.backend.rocksdb.thread.num: 0\n", flink="1.18"),
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
        good(f"execution.checkpointing.interval: 1 min\n{_BACKLOG}: 1 min\n", flink="2.0"),
        good(f"execution.checkpointing.interval: 1 min\n{_BACKLOG}: ${{I}}\n", flink="2.0"),
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
        good(_backoffs_of("${BACKOFF}", "1 min"), flink="1.18"),
        good(_backoffs_of("10 min", "${BACKOFF}"), flink="1.18"),
        good(_backoffs_of("1 min", "1 min"), flink="1.18"),
        good(_backoffs_of("1 ms", "1 min"), flink="1.18"),
        bad(_backoffs_of("0 ms", "1 min"), flink="1.18", at=_BACKOFF),
        bad(_backoffs_of("10 min", "1 min"), flink="1.18", at=_BACKOFF),
        bad(f"restart-strategy: exponential-delay\n{_MAX_BACKOFF}: 500 ms\n", flink="1.18", at=_MAX_BACKOFF),
    ]


_RATE = "restart-strategy: failure-rate\n"
_CHECKPOINTS = "execution.checkpointing.interval: 1 min\n"
_ROCKSDB = "state.backend: rocksdb\nstate.checkpoints.dir: file:///data/checkpoints\n"
_DEBLOAT = "taskmanager.network.memory.buffer-debloat.enabled: true\n"
_CLAIMED = (
    ("job", "", "execution.checkpointing.interval", "1 ms", "10 ms"),
    ("job", _CHECKPOINTS, "execution.checkpointing.timeout", "1 ms", "10 ms"),
    ("job", _CHECKPOINTS, "execution.checkpointing.max-concurrent-checkpoints", "0", "1"),
    ("job", _CHECKPOINTS, "execution.checkpointing.tolerable-failed-checkpoints", "-1", "0"),
    ("job", "", "pipeline.max-parallelism", "40000", "32768"),
    ("run", "", "parallelism.default", "0", "1"),
    ("run", "parallelism.default: 1\n", "taskmanager.numberOfTaskSlots", "0", "1"),
    ("run", "", "taskmanager.data.port", "70000", "0"),
    ("run", "", "rest.port", "70000", "0"),
    ("run", _DEBLOAT, "taskmanager.network.memory.buffer-debloat.target", "0 ms", "1 s"),
    ("run", _DEBLOAT, "taskmanager.network.memory.buffer-debloat.samples", "0", "1"),
    ("network", "", "taskmanager.network.memory.buffers-per-channel", "-1", "2"),
    ("heartbeats", "", "heartbeat.rpc-failure-threshold", "0", "-1"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.thread.num", "0", "1"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.writebuffer.count", "0", "1"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.writebuffer.number-to-merge", "0", "1"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.log.file-num", "0", "1"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.writebuffer.size", "0 b", "1 mb"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.block.cache-size", "0 b", "1 mb"),
    ("RocksDB", _ROCKSDB, "state.backend.rocksdb.restore-overlap-fraction-threshold", "2", "1"),
    ("restart strategy", "restart-strategy: fixed-delay\n", "restart-strategy.fixed-delay.attempts", "-1", "0"),
    ("restart strategy", _RATE, "restart-strategy.failure-rate.max-failures-per-interval", "0", "1"),
    ("restart strategy", _RATE, "restart-strategy.failure-rate.failure-rate-interval", "0 s", "1 s"),
)
"""The part of Flink that is asked, what is set besides, and a value that it refuses beside one that it takes."""


def claims() -> list[Claim]:
    return [
        flink_refuses(
            probe, f"{key}: {refused}\n", good=f"{key}: {taken}\n", both=both,
            releases=">=1.10" if probe == "RocksDB" else CATALOGUED,  # 1.9 has these options as texts
        )
        for probe, both, key, refused, taken in _CLAIMED
    ]  # fmt: skip

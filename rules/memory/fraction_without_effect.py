"""A fraction of memory is set that Flink does not ask for.

## What it does
Reports `taskmanager.memory.managed.fraction` beside `taskmanager.memory.managed.size`, and
`taskmanager.memory.network.fraction` where the network memory is what the other parts leave: with
`taskmanager.memory.task.heap.size` and `taskmanager.memory.flink.size`, or with `taskmanager.memory.task.heap.size` and
`taskmanager.memory.process.size` without `taskmanager.memory.managed.size`.

## Why it matters
Flink takes the size where there is one, without a word. Who raises the fraction to give RocksDB or the shuffle more
changes nothing. Parts with sizes that leave the network memory outside its bounds keep the TaskManager from starting;
that is `memory-does-not-add-up`.

## What to do
Delete the fraction, or delete the sizes and keep a total and fractions.

## Not when
A template decides on a size.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#managed-memory>:
  if both are set, the size is used and the fraction ignored
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/util/config/memory/taskmanager/TaskExecutorFlinkMemoryUtils.java>:
  `deriveFromTotalFlinkMemory` and `deriveFromRequiredFineGrainedOptions`
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_MANAGED = "taskmanager.memory.managed"
_NETWORK = "taskmanager.memory.network"
_HEAP = "taskmanager.memory.task.heap.size"
_FLINK, _PROCESS = "taskmanager.memory.flink.size", "taskmanager.memory.process.size"


@rule(
    code="FLK203",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[f"{_MANAGED}.fraction", f"{_NETWORK}.fraction"],
    flink=">=1.10",
    since="0.1",
)
def fraction_without_effect(config: View) -> Iterator[Finding]:
    """a fraction of memory is set beside sizes that leave it without effect"""
    memory = config.taskmanager_memory()
    fraction = config.get(f"{_MANAGED}.fraction")
    size = config.get(f"{_MANAGED}.size")
    if fraction.is_set and size.is_set and size.is_known and config.memory(size.key) is not None:
        yield fraction.finding(
            f"{fraction.written} {fraction.text} has no effect: {size.written} {size.text} decides",
            help=f"delete one of the two; without {size.written} the fraction counts",
            fix=fraction.remove(),
            at="entry",
            related=[size],
        )
    fraction = config.get(f"{_NETWORK}.fraction")
    if not fraction.is_set or memory is None or not config.is_set(_HEAP):
        return
    total = config.get(_FLINK if config.is_set(_FLINK) else _PROCESS)
    if not total.is_set or (total.key == _PROCESS and size.is_set):
        return
    yield fraction.finding(
        f"{fraction.written} {fraction.text} has no effect: network memory is the {readable(memory.network)} that"
        f" {_HEAP} and the rest leave of {total.written}",
        help=f"delete it, or delete {_HEAP}: then the fraction counts, and the heap is what is left",
        fix=fraction.remove(),
        at="entry",
        related=[config.get(_HEAP), total],
    )


_PARTS = f"{_HEAP}: 2g\n{_MANAGED}.size: 1g\n"
_BOUNDS = f"{_NETWORK}.max: 4g\n"


def cases() -> list[Case]:
    return [
        bad(f"{_PROCESS}: 4g\n{_MANAGED}.size: 1g\n{_MANAGED}.fraction: 0.5\n", at=f"{_MANAGED}.fraction", flink="1.18",
            severity=Severity.WARNING, says="taskmanager.memory.managed.size 1g decides",
            fixed=f"{_PROCESS}: 4g\n{_MANAGED}.size: 1g\n"),
        bad(f"{_PARTS}{_FLINK}: 4g\n{_NETWORK}.fraction: 0.2\n{_BOUNDS}", at=f"{_NETWORK}.fraction", flink="1.18",
            says="network memory is the 768 MiB"),
        bad(f"{_HEAP}: 1g\n{_PROCESS}: 4g\n{_NETWORK}.fraction: 0.2\n{_BOUNDS}", at=f"{_NETWORK}.fraction"),
        good(f"{_PROCESS}: 4g\n{_MANAGED}.fraction: 0.5\n{_NETWORK}.fraction: 0.2\n", flink="1.18"),
        good(f"{_PARTS}{_NETWORK}.fraction: 0.2\n{_BOUNDS}", flink="1.18"),
        good(f"{_PARTS}{_PROCESS}: 5g\n{_NETWORK}.fraction: 0.2\n{_BOUNDS}", flink="1.18"),
        good(f"{_PROCESS}: 4g\n{_MANAGED}.size: {{{{ managed }}}}\n{_MANAGED}.fraction: 0.5\n", flink="1.18"),
        good(f"{_PROCESS}: 4g\n{_MANAGED}.size: lots\n{_MANAGED}.fraction: 0.5\n", flink="1.18"),
        good(f"{_HEAP}: 1g\n{_FLINK}: 4g\n{_BOUNDS}", flink="1.18"),
        good(f"{_PROCESS}: 4g\n{_FLINK}: ${{SIZE}}\n{_HEAP}: 1g\n{_NETWORK}.fraction: 0.2\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "taskmanager memory",
            "taskmanager.memory.managed.fraction: 0.2\n",
            both="taskmanager.memory.process.size: 4g\ntaskmanager.memory.managed.size: 1g\n",
            releases=">=1.10",
        ),
    ]

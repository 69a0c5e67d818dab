"""The heap is set in the JVM options, past Flink's memory model.

## What it does
Looks for `-Xmx`, `-Xms`, `-XX:MaxHeapSize`, `-XX:InitialHeapSize`, `-XX:MaxRAMPercentage` and their kin in the JVM
options of JobManager and TaskManager: `env.java.opts.all`, `env.java.opts.jobmanager`, `env.java.opts.taskmanager`
and the same under `env.java.default-opts`.

## Why it matters
Flink puts its own `-Xmx` and `-Xms` first and these options after them, and the JVM obeys the last:

- a larger `-Xmx` makes the heap exceed what the memory model planned, until the container is killed;
- a smaller `-Xmx` without `-Xms`, or a larger `-Xms`, ends the JVM with "Initial heap size set to a larger value
  than the maximum heap size";
- percentages of the RAM are ignored wherever `-Xmx` is given, that is always.

## What to do
Size the heap with `taskmanager.memory.process.size` or `.flink.size`, `taskmanager.memory.task.heap.size` and
`jobmanager.memory.process.size` or `jobmanager.memory.heap.size`.

## Not when
`env.java.opts.client`, `env.java.opts.historyserver` and `env.java.opts.sql-gateway`: Flink does not size those
processes.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/#jvm-parameters>:
  the options Flink passes
- <https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html>: the options of the JVM
"""

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.memory.jvm_options import JvmOption, split_options, without
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.finding import Fix, joined
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex

_SIZE = regex(r"(?:-Xm([xs])|-XX:(?:Max|Initial)HeapSize=)(\d+)([kKmMgGtT]?)")
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_OF_RAM = ("MaxRAMPercentage", "InitialRAMPercentage", "MinRAMPercentage", "MaxRAMFraction", "InitialRAMFraction")
_PROCESSES = (("jobmanager", "JobManager"), ("taskmanager", "TaskManager"))


@rule(
    code="FLK215",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=[
        f"env.java.{kind}.{process}"
        for kind in ("opts", "default-opts")
        for process in ("all", "jobmanager", "taskmanager")
    ],
    scope="key",
    since="0.1",
)
def heap_in_java_opts(config: View, setting: Setting) -> Iterator[Finding]:
    """the heap is set in the JVM options, past Flink's memory model"""
    if not setting.is_known or not setting.is_read:
        return
    options = split_options(setting.text)
    largest, initial = _last(options, "x"), _last(options, "s")
    of_ram = [option for option in options if option.flag in _OF_RAM]
    if largest is None and initial is None:
        if of_ram:
            words = ", ".join(option.text for option in of_ram)
            yield setting.finding(
                f"{words} has no effect: Flink always passes -Xmx, and the JVM then ignores shares of the RAM",
                help=_remedy(_totals(config, setting, None)),
                fix=_without(setting, of_ram, safe=True),
            )
        return
    heaps, heap = _heaps(config, setting), _size(largest)
    totals = _totals(config, setting, heap)
    short = [] if heap is None else [name for name, derived in heaps if derived < heap]
    named = " ".join(option.text for option in (largest, initial) if option)
    yield setting.finding(
        f"{named} comes after Flink's own -Xmx and -Xms and wins: {_consequence(largest, initial, heaps)}",
        help=_remedy(totals, heap),
        severity=Severity.WARNING if largest is None and not _too_large(initial, heaps) else None,
        fix=_moved(setting, [o for o in options if _SIZE.fullmatch(o.text) or o in of_ram], totals, short),
        evidence={f"{name} heap": heap for name, heap in heaps},
    )


def _last(options: Sequence[JvmOption], which: str) -> JvmOption | None:
    """The last option that sets the largest ("x") or initial ("s") heap."""
    word = {"x": "Max", "s": "Initial"}[which]
    starts = (f"-Xm{which}", f"-XX:{word}HeapSize=")
    return next((option for option in reversed(options) if option.text.startswith(starts)), None)


def _size(option: JvmOption | None) -> int | None:
    """Its bytes; None for one whose size cannot be read."""
    match = _SIZE.fullmatch(option.text) if option else None
    return None if match is None else int(match[2]) << _SHIFTS[match[3].lower()]


def _heaps(config: View, setting: Setting) -> list[tuple[str, int]]:
    """The heap that Flink derives for each process the setting reaches."""
    heaps = []
    for process, name in _PROCESSES:
        if setting.key.endswith((".all", f".{process}")):
            if process == "taskmanager":
                taskmanager = config.taskmanager_memory()
                heap = taskmanager.jvm_heap if taskmanager else None
            else:
                jobmanager = config.jobmanager_memory()
                heap = jobmanager.heap if jobmanager else None
            if heap is not None:
                heaps.append((name, heap))
    return heaps


def _too_large(initial: JvmOption | None, heaps: list[tuple[str, int]]) -> bool:
    size = _size(initial)
    return size is not None and any(size > heap for _, heap in heaps)


def _consequence(largest: JvmOption | None, initial: JvmOption | None, heaps: list[tuple[str, int]]) -> str:
    size, first = _size(largest), _size(initial)
    for name, heap in heaps:
        if largest is None and first is not None and first > heap:
            return f"above the {name}'s heap of {readable(heap)} it keeps the JVM from starting"
        if initial is None and size is not None and size < heap:
            return f"below the {name}'s initial heap of {readable(heap)} it keeps the JVM from starting"
    for name, heap in heaps:
        if size is not None and size > heap:
            return (
                f"the {name}'s heap may grow to {readable(size)} where its memory model has {readable(heap)},"
                " and the process outgrows its container"
            )
        if size is not None and size < heap:
            return f"the {name} gets {readable(size)} of heap and leaves the rest of its {readable(heap)} unused"
    if largest is None:
        return "the heap starts smaller than Flink planned"
    return "the heap no longer follows from the memory options, and the process may outgrow its container"


_Totals = dict[str, tuple[Setting, str | None] | None]
"""Of each process whose JVM gets the options: the total that sizes it, and the value that gives it more heap."""


def _totals(config: View, setting: Setting, heap: int | None) -> _Totals:
    reached = [process for process, _ in _PROCESSES if setting.key.endswith((".all", f".{process}"))]
    return {process: None if heap is None else _raised(config, process, heap) for process in reached}


def _remedy(totals: _Totals, heap: int | None = None) -> str:
    remedies = []
    for process, raised in totals.items():
        if raised is None:
            remedies.append(f"{process}.memory.process.size")
        else:
            total, value = raised
            told = f": {value} for a heap of {readable(heap)}" if value and heap is not None else ""
            remedies.append(f"{total.written}{told}")
    return f"take it out and set {' and '.join(remedies)} instead"


def _raised(config: View, process: str, heap: int) -> tuple[Setting, str | None] | None:
    """The total that sizes a process, and the value that gives it a heap of so many bytes where it has less.

    None where no total is set; no value where the heap is large enough or no total helps.
    """
    from flink_flint.rules.memory._proposals import proposed

    part = "jvm_heap" if process == "taskmanager" else "heap"
    for name in ("flink.size", "process.size"):
        total = config.get(f"{process}.memory.{name}")
        if total.is_set:
            derived = config.taskmanager_memory() if process == "taskmanager" else config.jobmanager_memory()
            if derived is None or getattr(derived, part) >= heap:
                return total, None
            return total, proposed(config, process, total, part, heap)
    return None


def _moved(setting: Setting, options: list[JvmOption], totals: _Totals, short: list[str]) -> Fix | None:
    """The options taken out, and the totals of the processes that are `short` of what they gave raised instead.

    None where that cannot be done: a smaller heap than the author asked for mends nothing.
    """
    taken_out = _without(setting, options, safe=False)
    if taken_out is None:
        return None
    fixes = [taken_out]
    for process, name in _PROCESSES:
        if name in short:
            total, value = totals[process] or (None, None)
            fix = total.replace(value) if total is not None and value is not None else None
            if fix is None:
                return None
            fixes.append(fix)
    return joined(" and ".join(fix.title for fix in fixes), fixes, safe=False)


def _without(setting: Setting, options: list[JvmOption], *, safe: bool) -> Fix | None:
    words = " ".join(option.text for option in options)
    rest = without(setting.text, options)
    if not rest.strip("\"' "):
        return setting.remove(safe=safe)
    return setting.replace(rest, safe=safe, title=f"take {words} out of {setting.written}")


def cases() -> list[Case]:
    return [
        bad(
            "env.java.opts.taskmanager: -XX:+UseG1GC -Xmx8g -Dx=y\ntaskmanager.memory.process.size: 4g\n",
            at="env.java.opts.taskmanager",
            flink="1.18",
            severity=Severity.ERROR,
            says="may grow to 8 GiB",
            fixed="env.java.opts.taskmanager: -XX:+UseG1GC -Dx=y\ntaskmanager.memory.process.size: 17984mb\n",
        ),
        bad(
            "env.java.opts: -Xmx512m\njobmanager.memory.process.size: 1600m\n",
            at="env.java.opts.all",
            flink="1.14",
            says="below the JobManager's initial heap of 1 GiB",
            fixed="jobmanager.memory.process.size: 1600m\n",
        ),
        bad(
            "env.java.opts.jobmanager: -Xms5G\njobmanager.memory.process.size: 1600m\n",
            flink="1.14",
            severity=Severity.ERROR,
            says="keeps the JVM from starting",
        ),
        bad("env.java.opts.jobmanager: -Xms64m\n", flink="1.14", severity=Severity.WARNING),
        bad(
            "env.java.opts.all: -XX:MaxRAMPercentage=75.0 -Dx=y\n",
            at="env.java.opts.all",
            flink="1.19",
            file="flink-conf.yaml",
            says="has no effect",
            fixed="env.java.opts.all: -Dx=y\n",
        ),
        good("env.java.opts.client: -Xmx512m\nenv.java.opts.historyserver: -Xmx2g\n", flink="1.18"),
        good("env.java.opts.all: -XX:+UseG1GC -XX:MaxGCPauseMillis=50 -Xss4m\n", flink="1.18"),
        good("env.java.opts.all: '{{ java_opts }} -Xmx2g'\n"),
        good("env.java.opts.taskmanager: -Xmx8g\n", flink="1.9"),
        bad(
            "env.java.opts.taskmanager: -XX:MaxHeapSize=64m\ntaskmanager.memory.process.size: 4g\n",
            flink="1.18",
            says="below the TaskManager's initial heap",
        ),
        bad(
            "env.java.opts.jobmanager: -XX:InitialHeapSize=5g\njobmanager.memory.process.size: 1600m\n"
            "taskmanager.memory.process.size: 32g\n",
            flink="1.18",
            severity=Severity.ERROR,
            says="above the JobManager's heap of 1 GiB",
        ),
        bad(
            "env.java.opts.jobmanager: -Xms1g\njobmanager.memory.heap.size: 1g\n",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        bad(
            "env.java.opts.jobmanager: -Xms{size}\njobmanager.memory.heap.size: 1g\n",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        bad(
            "env.java.opts.taskmanager: -Xmx1g -XX:MaxRAMPercentage=75\ntaskmanager.memory.task.heap.size: 2g\n"
            "taskmanager.memory.managed.size: 1g\n",
            flink="1.18",
            fixed="taskmanager.memory.task.heap.size: 2g\ntaskmanager.memory.managed.size: 1g\n",
        ),
        bad(
            "env.java.opts.taskmanager: -Xmx4g\ntaskmanager.memory.flink.size: 4g\n",
            flink="1.18",
            fixed="taskmanager.memory.flink.size: 8512mb\n",
        ),
    ]

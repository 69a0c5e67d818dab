"""The metaspace of a process is nearly full.

## What it does
Compares `taskmanager.memory.jvm-metaspace.size` and `jobmanager.memory.jvm-metaspace.size` (256 MB by default) with
the most metaspace that was used. Reports more than 90 %; a limit below what was used is an error.

## Why it matters
Each job brings its classes, and a session keeps those of finished jobs until nothing holds them. At the limit the JVM
throws `OutOfMemoryError: Metaspace`, and the process ends.

## What to do
Give it a quarter more than was used, and the process as much more. If it grows with every restart of a job, something
holds its classes: threads, drivers, caches; libraries then belong into `lib/`, or
`classloader.parent-first-patterns.additional`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#outofmemoryerror-metaspace>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/debugging_classloading/>: classes that are
  never unloaded
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import room_for
from flink_flint.rules.observed._wording import evidence, percent, setting_size, sized, steps_of

_ROOM = 1.25
_PROCESSES = {"taskmanager": "TaskManager", "jobmanager": "JobManager"}
_USED = "{}/Status.JVM.Memory.Metaspace.Used"


@rule(
    code="FLK662",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{_USED.format(process)}" for process in _PROCESSES],
    flink=">=1.10",
    since="0.1",
    thresholds={"full": Threshold(0.9, "part of the metaspace that may be used")},
)
def metaspace_nearly_full(config: View) -> Iterator[Finding]:
    """the metaspace of a process is nearly full"""
    full = config.threshold("full")
    for process, name in _PROCESSES.items():
        used = config.observed(_USED.format(process))
        key = f"{process}.memory.jvm-metaspace.size"
        size = config.memory(key)
        if used is None or size is None or used <= full * size:
            continue
        setting = config.get(key)
        enough = setting_size(steps_of(used * room_for(full, _ROOM)))
        outcome = "more than it may take" if used > size else percent(used / size)
        yield setting.finding(
            f"classes of a {name} took {sized(used)} of metaspace ({used.basis}), which is limited to {sized(size)}:"
            f" {outcome}",
            help=f"set {setting.written} to {enough}, and {process}.memory.process.size as much higher",
            severity=Severity.ERROR if used > size and setting.is_set else None,
            fix=setting.replace(enough),
            evidence=evidence(used, limit=int(size)),
        )


_TM = "taskmanager.memory.jvm-metaspace.size"
_JM = "jobmanager.memory.jvm-metaspace.size"


def cases() -> list[Case]:
    return [
        bad(
            "parallelism.default: 2\n",
            at=_TM,
            flink="1.17",
            observed={_USED.format("taskmanager"): 255 << 20},
            severity=Severity.WARNING,
            says="classes of a TaskManager took 255 MiB",
        ),
        bad(
            f"{_JM}: 256m\n",
            at=_JM,
            flink="1.17",
            observed={_USED.format("jobmanager"): 300 << 20},
            severity=Severity.ERROR,
            fixed=f"{_JM}: 384mb\n",
        ),
        bad(
            f"{_TM}: 400m\n{_JM}: 512m\n",
            flink="1.20",
            times=2,
            severity=Severity.WARNING,
            observed={_USED.format("jobmanager"): 500 << 20, _USED.format("taskmanager"): 390 << 20},
        ),
        good(f"{_TM}: 512m\n", flink="1.17", observed={_USED.format("taskmanager"): 255 << 20}),
        good("parallelism.default: 2\n", flink="1.10", observed={_USED.format("jobmanager"): 255 << 20}),
        good(f"{_TM}: ${{META}}\n", flink="1.17", observed={_USED.format("taskmanager"): 255 << 20}),
        bad(
            f"{_TM}: 300000000b\n", flink="1.17", observed={_USED.format("taskmanager"): 3e8}, severity=Severity.WARNING
        ),
        bad(
            "parallelism.default: 2\n",
            flink="1.17",
            observed={_USED.format("taskmanager"): 300 << 20},
            severity=Severity.WARNING,
        ),
        bad(
            f"{_TM}: 300000000b\n{_JM}: 256m\n",
            at=_JM,
            flink="1.17",
            says="of a JobManager took",
            observed={_USED.format("taskmanager"): 2.7e8, _USED.format("jobmanager"): 255 << 20},
        ),
        good(f"{_TM}: 300000000b\n", flink="1.17", observed={_USED.format("taskmanager"): 2.7e8}),
    ]

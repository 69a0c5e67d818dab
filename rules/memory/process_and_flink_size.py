"""Both the process size and the Flink size are set, and the difference has to fit.

## What it does
Speaks where `taskmanager.memory.process.size` and `taskmanager.memory.flink.size` are both set, or the two of
the JobManager. JVM overhead is then no longer derived: it is what process size minus Flink size minus metaspace
leaves. If that lies outside `jvm-overhead.min` to `jvm-overhead.max` (192 MB to 1 GB by default) it is an
error, otherwise advice.

## Why it matters
Out of the range the process ends at once with "Derived JVM Overhead size (...) is not in configured JVM
Overhead range". 4 GB and 2 GB do not start, 4 GB and 3 GB do. Within the range two numbers have to be kept in
step on every change, for no gain.

## What to do
Delete one of the two: keep the process size in containers, the Flink size on plain machines.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/#configure-total-memory>:
  setting both is discouraged
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.options_reader import MemoryRefused
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_PROCESSES = (("taskmanager", "TaskManager"), ("jobmanager", "JobManager"))


@rule(
    code="FLK202",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=["taskmanager.memory.flink.size", "jobmanager.memory.flink.size"],
    since="0.1",
)
def process_and_flink_size(config: View) -> Iterator[Finding]:
    """process size and Flink size are both set"""
    for process, name in _PROCESSES:
        whole, flink = (config.get(f"{process}.memory.{total}.size") for total in ("process", "flink"))
        process_size, flink_size = config.memory(whole.key), config.memory(flink.key)
        metaspace = config.memory(f"{process}.memory.jvm-metaspace.size")
        if process_size is None or flink_size is None or metaspace is None:
            continue
        rest = int(process_size) - int(flink_size) - int(metaspace)
        given = f"{readable(process_size)} of process minus {readable(flink_size)} of Flink memory"
        evidence = {"process_size": int(process_size), "flink_size": int(flink_size), "overhead": rest}
        refusal = config.memory_refusal(process)
        if refusal is not None and is_about_both_totals(refusal):
            least, most = (config.memory(f"{process}.memory.jvm-overhead.{end}") for end in ("min", "max"))
            left = f"{readable(rest)} of JVM overhead" if rest >= 0 else "less than nothing for JVM overhead"
            message = (
                f"the {name} does not start: {given} and {readable(metaspace)} of metaspace leaves {left},"
                f" which must be {readable(least or 0)} to {readable(most or 0)}"
            )
        elif refusal is None and _is_derived(config, process):
            message = (
                f"the {name} has two totals: {given} and metaspace happens to leave {readable(rest)} of JVM"
                " overhead, but the next change of one of them may stop it from starting"
            )
        else:
            continue
        remedy, fix = _remedy(config, process, whole, flink)
        yield whole.finding(
            message,
            help=remedy,
            severity=Severity.INFO if refusal is None else None,
            fix=fix,
            related=[flink],
            evidence=evidence,
        )


def _remedy(config: View, process: str, whole: Setting, flink: Setting) -> tuple[str, Fix | None]:
    """What to delete, with what then follows; the fix is for where the process runs, as far as that is known."""
    from flink_flint.rules.memory._proposals import tried

    without_flink, without_whole = (
        tried(config, process).accepted({setting.written: None}) for setting in (flink, whole)
    )
    of_flink = f"; {readable(without_flink.flink_size)} of Flink memory then" if without_flink else ""
    of_whole = f"; a process of {readable(without_whole.process_size)} then" if without_whole else ""
    remedy = f"delete {flink.written} (in containers{of_flink}) or {whole.written} (on plain machines{of_whole})"
    goes, derived = (whole, without_whole) if config.platform == "standalone" else (flink, without_flink)
    return remedy, goes.remove() if derived else None


def is_about_both_totals(refusal: MemoryRefused) -> bool:
    """Whether a refusal is that the process size and the Flink size do not fit together."""
    return {key.rpartition(".memory.")[2] for key in refusal.keys} >= {"process.size", "flink.size"}


def _is_derived(config: View, process: str) -> bool:
    if process == "taskmanager":
        return config.taskmanager_memory() is not None
    return config.jobmanager_memory() is not None


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n",
            at="taskmanager.memory.process.size",
            flink="1.18",
            severity=Severity.ERROR,
            says="leaves 1792 MiB of JVM overhead",
            fixed="taskmanager.memory.process.size: 4g\n",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n",
            flink="1.18",
            platform="standalone",
            fixed="taskmanager.memory.flink.size: 2g\n",
        ),
        bad(
            "jobmanager.memory.process.size: 1g\njobmanager.memory.flink.size: 1g\n",
            at="jobmanager.memory.process.size",
            flink="1.20",
            severity=Severity.ERROR,
            says="less than nothing",
            fixed="jobmanager.memory.process.size: 1g\n",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 3g\n",
            at="taskmanager.memory.process.size",
            flink="1.18",
            severity=Severity.INFO,
        ),
        good("taskmanager.memory.process.size: 4g\n", flink="1.18"),
        good("taskmanager.memory.flink.size: 3g\njobmanager.memory.process.size: 2g\n", flink="1.18"),
        good("taskmanager.memory.process.size: {{ size }}\ntaskmanager.memory.flink.size: 3g\n", flink="1.18"),
        good("taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n", flink="1.9"),
        bad(
            "jobmanager.memory.process.size: 2g\njobmanager.memory.flink.size: 1536m\n",
            at="jobmanager.memory.process.size",
            flink="1.20",
            severity=Severity.INFO,
            says="the JobManager has two totals",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: {{ size }}\n"
            "jobmanager.memory.process.size: 1g\njobmanager.memory.flink.size: 1g\n",
            at="jobmanager.memory.process.size",
            flink="1.20",
            says="the JobManager does not start",
        ),
        bad(
            "taskmanager.memory.process.size: 600m\ntaskmanager.memory.flink.size: 2g\n",
            flink="1.18",
            says="the TaskManager does not start: 600 MiB of process minus 2 GiB",
            fixed="taskmanager.memory.process.size: 600m\ntaskmanager.memory.flink.size: 2g\n",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n",
            flink="1.18",
            says="which must be 192 MiB to 1 GiB",
        ),
        good(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n"
            "taskmanager.memory.jvm-metaspace.size: {{ metaspace }}\n",
            flink="1.18",
        ),
        good(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 3g\n"
            "taskmanager.memory.managed.size: {{ managed }}\n",
            flink="1.18",
        ),
        good(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 3g\n"
            "taskmanager.memory.task.off-heap.size: 40g\n",
            flink="1.18",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "taskmanager memory",
            "taskmanager.memory.process.size: 2g\ntaskmanager.memory.flink.size: 4g\n",
            good="taskmanager.memory.process.size: 4g\n",
        ),
    ]

"""A large heap is collected by one thread, because the container has one core.

## What it does
Tells where a JobManager or TaskManager on Kubernetes has at most one core as its limit
(`kubernetes.taskmanager.cpu.amount` times its limit factor), a process of `process` (4 GB) or more, and no garbage
collector is chosen in its JVM options. As nobody measured the pauses, it runs only where it is selected.

## Why it matters
With one processor, a JVM whose options name no collector takes the serial one, however large the heap. It stops all
threads for each collection, and a full one of several gigabytes takes seconds: long enough for heartbeats to come late
when it happens under load.

## What to do
Add `-XX:+UseG1GC` to `env.java.opts.taskmanager` (or `.jobmanager`), or give the container two cores.

## Not when
A collector is chosen. The limit is more than one core, as the JVM rounds up. A template fills in the cores, the size or
the options.

## Sources
- <https://docs.oracle.com/en/java/javase/17/gctuning/ergonomics.html>: which collector the JVM takes by itself
- <https://docs.oracle.com/en/java/javase/17/gctuning/available-collectors.html>: what the serial one is for
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import keys_for, split_options
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_CPU = "kubernetes.{}.cpu.amount"
_COLLECTOR = regex(r"Use\w+GC")


@rule(
    code="FLK964",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["kubernetes.taskmanager.cpu.amount", "kubernetes.jobmanager.cpu.amount"],
    flink=">=1.15",
    pedantic=True,
    of_scale=True,
    thresholds={"process": Threshold("4 gb", "size of a process from which the serial collector is told")},
    since="0.1",
)
def serial_collector(config: View) -> Iterator[Finding]:
    """a large heap is collected by one thread, because the container has one core"""
    for process in ("taskmanager", "jobmanager"):
        setting = config.get(_CPU.format(process))
        cores = config.number(setting.key)
        factor = config.number(f"kubernetes.{process}.cpu.limit-factor")
        if not setting.is_set or not cores or factor is None or cores * factor > 1:
            continue
        memory = config.taskmanager_memory() if process == "taskmanager" else config.jobmanager_memory()
        if memory is None or memory.process_size < config.threshold("process") or _may_choose(config, process):
            continue
        yield setting.finding(
            f"with one core the JVM takes the serial collector, which stops everything while it works through a process"
            f" of {readable(memory.process_size)}",
            help=f"add -XX:+UseG1GC to env.java.opts.{process}, or give it two cores",
            evidence={"process_size": memory.process_size},
        )


def _may_choose(config: View, process: str) -> bool:
    """Whether the JVM options name a collector, or a template may."""
    for key in keys_for(process):
        setting = config.get(key)
        if not setting.is_known:
            return True
        if any(one.is_enabled and _COLLECTOR.fullmatch(one.flag) for one in split_options(setting.text)):
            return True
    return False


_TASKMANAGER = "kubernetes.taskmanager.cpu: 1.0\ntaskmanager.memory.process.size: 4g\n"


def cases() -> list[Case]:
    return [
        bad(_TASKMANAGER, at="kubernetes.taskmanager.cpu.amount", flink="1.20", severity=Severity.INFO,
            says="a process of 4 GiB"),
        bad("kubernetes.jobmanager.cpu: 0.5\nkubernetes.jobmanager.cpu.limit-factor: 2\n"
            "jobmanager.memory.process.size: 8g\n", at="kubernetes.jobmanager.cpu.amount", flink="1.18", says="8 GiB"),
        bad(f"{_TASKMANAGER}env.java.opts.jobmanager: -XX:+UseG1GC\nenv.java.opts.all: -XX:-UseG1GC\n", flink="1.20"),
        good(f"{_TASKMANAGER}env.java.opts.all: -XX:+UseG1GC\n", flink="1.20"),
        good(f"{_TASKMANAGER}env.java.opts.taskmanager: '{{{{ opts }}}}'\n", flink="1.20"),
        good(f"{_TASKMANAGER}kubernetes.taskmanager.cpu.limit-factor: 1.1\n", flink="1.20"),
        good("kubernetes.taskmanager.cpu: 1.0\ntaskmanager.memory.process.size: 4095m\n", flink="1.20"),
        good(f"{_TASKMANAGER}kubernetes.taskmanager.cpu.limit-factor: '{{{{ factor }}}}'\n", flink="1.20"),
        good("kubernetes.taskmanager.cpu: '{{ cores }}'\ntaskmanager.memory.process.size: 8g\n", flink="1.20"),
        good("kubernetes.jobmanager.cpu: 2\ntaskmanager.memory.process.size: 8g\n", flink="1.20"),
        good("kubernetes.taskmanager.cpu: 2\ntaskmanager.memory.process.size: 8g\n", flink="1.20"),
        good("kubernetes.taskmanager.cpu: 1\ntaskmanager.memory.process.size: '{{ size }}'\n", flink="1.20"),
    ]  # fmt: skip

"""Two garbage collectors are chosen, so the JVM does not start.

## What it does
Puts the JVM options of a process together as the start scripts do, `env.java.default-opts.all`,
`env.java.opts.all` and the two of the process, and reports more than one of `UseG1GC`, `UseParallelGC`,
`UseSerialGC`, `UseZGC`, `UseShenandoahGC`, `UseEpsilonGC` and, up to 1.17, `UseConcMarkSweepGC`. A later `-XX:-Use...`
takes a choice back.

## Why it matters
The JVM ends at once: "Conflicting collector combinations in option list" or "Multiple garbage collectors selected".
`env.java.opts.taskmanager` is appended to `env.java.opts.all` and does not replace it, so a collector for all
processes and another one for TaskManagers exclude each other.

## What to do
Keep one: choose the collector in `env.java.opts.jobmanager` and `env.java.opts.taskmanager`, or only in
`env.java.opts.all`.

## Not when
From 1.18 on unknown flags are ignored, CMS too where Java no longer has it: `removed-jvm-flags` speaks about that.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#jvm-and-logging-options>:
  which options reach which process
- <https://docs.oracle.com/en/java/javase/17/gctuning/available-collectors.html>: the collectors and their flags
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import PROCESSES, keys_for, split_options
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_COLLECTORS = ("UseG1GC", "UseParallelGC", "UseSerialGC", "UseZGC", "UseShenandoahGC", "UseEpsilonGC")
_OLD_COLLECTOR = "UseConcMarkSweepGC"


@rule(
    code="FLK961",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=list(dict.fromkeys(key for process in PROCESSES for key in keys_for(process))),
    since="0.1",
)
def several_garbage_collectors(config: View) -> Iterator[Finding]:
    """two garbage collectors are chosen, so the JVM does not start"""
    told = set()
    for process in PROCESSES:
        chosen: dict[str, Setting] = {}
        for key in keys_for(process):
            setting = config.get(key)
            if not setting.is_known:
                # A template may take a choice back.
                chosen.clear()
                break
            for option in split_options(setting.text):
                if option.flag in _COLLECTORS or (option.flag == _OLD_COLLECTOR and not config.since("1.18")):
                    chosen.pop(option.flag, None)
                    if option.is_enabled:
                        chosen[option.flag] = setting
        places = list({setting.key: setting for setting in chosen.values()}.values())
        if len(chosen) < 2 or places[-1].key in told:
            continue
        told.add(places[-1].key)
        name = "JobManager" if process == "jobmanager" else "TaskManager"
        who = "no process starts" if places[-1].key.endswith(".all") else f"the {name} does not start"
        yield places[-1].finding(
            f"{who}: the JVM is told to use {' and '.join(chosen)}, and refuses more than one garbage collector",
            help="keep one of them",
            related=places[:-1],
            evidence={"collectors": ", ".join(chosen)},
        )


def cases() -> list[Case]:
    return [
        bad(
            "env.java.opts.all: -XX:+UseG1GC\nenv.java.opts.taskmanager: -XX:+UseParallelGC\n",
            at="env.java.opts.taskmanager",
            flink="1.18",
            severity=Severity.ERROR,
            says="the TaskManager does not start",
        ),
        bad(
            "env.java.opts: -XX:+UseSerialGC -XX:+UseG1GC\n",
            at="env.java.opts.all",
            flink="1.13",
            says="UseSerialGC and UseG1GC",
        ),
        bad("env.java.opts: -XX:+UseConcMarkSweepGC -XX:+UseG1GC\n", flink="1.13"),
        good("env.java.opts.jobmanager: -XX:+UseG1GC\nenv.java.opts.taskmanager: -XX:+UseParallelGC\n", flink="1.18"),
        good("env.java.opts.all: -XX:+UseG1GC\nenv.java.opts.taskmanager: -XX:-UseG1GC -XX:+UseZGC\n", flink="1.18"),
        good("env.java.opts.all: -XX:+UseG1GC -XX:+UseG1GC\n", flink="1.18"),
        good("env.java.opts: -XX:+UseConcMarkSweepGC -XX:+UseParNewGC\n", flink="1.13"),
        good("env.java.opts.all: -XX:+UseG1GC\nenv.java.opts.taskmanager: '{{ gc }} -XX:+UseZGC'\n"),
        good("env.java.opts.client: -XX:+UseSerialGC\nenv.java.opts.all: -XX:+UseG1GC\n"),
    ]

"""Direct memory or metaspace is bounded in the JVM options, past Flink's memory model.

## What it does
Looks for `-XX:MaxDirectMemorySize` and `-XX:MaxMetaspaceSize` in the JVM options of JobManager and TaskManager
(`env.java.opts.all`, `.jobmanager`, `.taskmanager`, and the same under `env.java.default-opts`), where they say
something else than the memory model. It is an error where a TaskManager's direct memory has no room for its network
buffers.

## Why it matters
Flink passes both options itself, and these come after its own, so the JVM obeys these:

- a smaller limit of direct memory fails with `OutOfMemoryError: Direct buffer memory`, and below the network memory the
  TaskManager does not start, as it takes its buffers at once;
- a smaller metaspace fails with `OutOfMemoryError: Metaspace` after a few jobs;
- larger ones let the process outgrow its container, which planned for the model's.

## What to do
Set `taskmanager.memory.task.off-heap.size` (or `.framework.off-heap.size`), `jobmanager.memory.off-heap.size`,
`taskmanager.memory.jvm-metaspace.size`, `jobmanager.memory.jvm-metaspace.size`.

## Not when
The value is the model's own. Direct memory of the JobManager: Flink bounds it only with
`jobmanager.memory.enable-jvm-direct-memory-limit`, and a bound of one's own is sound.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/#jvm-parameters>:
  the options Flink passes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/>: the errors
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import JvmOption, split_options, without
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.flink.values import MAX_LONG, number_of
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_SIZE = regex(r"-XX:(MaxDirectMemorySize|MaxMetaspaceSize)=(\d+)([kKmMgGtT]?)")
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_DIRECT = "MaxDirectMemorySize"


class _Planned(NamedTuple):
    """What the memory model has for a process."""

    name: str
    size: int
    least: int
    """Bytes that the process takes at once when it starts."""
    key: str


@rule(
    code="FLK216",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[
        f"env.java.{kind}.{process}"
        for kind in ("opts", "default-opts")
        for process in ("all", "jobmanager", "taskmanager")
    ],
    flink=">=1.10",
    scope="key",
    since="0.1",
)
def off_heap_in_java_opts(config: View, setting: Setting) -> Iterator[Finding]:
    """direct memory or metaspace is bounded past Flink's memory model"""
    if not setting.is_known or not setting.is_read:
        return
    last: dict[str, JvmOption] = {option.flag: option for option in split_options(setting.text)}
    for flag in (_DIRECT, "MaxMetaspaceSize"):
        option = last.get(flag)
        match = _SIZE.fullmatch(option.text) if option is not None else None
        if option is None or match is None:
            continue
        size = number_of(match[2]) << _SHIFTS[match[3].lower()]
        if size > MAX_LONG:
            continue  # the JVM does not start with it
        for planned in _planned(config, setting, flag):
            if planned.size == size:
                continue
            yield setting.finding(
                f"{option.text} comes after Flink's own and wins: {_effect(planned, flag, size)}",
                help=f"take it out and size {planned.key} instead",
                severity=Severity.ERROR if size < planned.least else None,
                fix=_without(setting, option),
                evidence={"planned": planned.size},
            )
            break


def _planned(config: View, setting: Setting, flag: str) -> Iterator[_Planned]:
    if not setting.key.endswith(".jobmanager") and (memory := config.taskmanager_memory()) is not None:
        if flag == _DIRECT:
            key = "taskmanager.memory.task.off-heap.size"
            yield _Planned("TaskManager", memory.jvm_direct, memory.network, key)
        else:
            yield _Planned("TaskManager", memory.metaspace, 0, "taskmanager.memory.jvm-metaspace.size")
    if setting.key.endswith(".taskmanager") or flag == _DIRECT:
        return
    if (held := config.jobmanager_memory()) is not None:
        yield _Planned("JobManager", held.metaspace, 0, "jobmanager.memory.jvm-metaspace.size")


def _effect(planned: _Planned, flag: str, size: int) -> str:
    what = "direct memory" if flag == _DIRECT else "metaspace"
    if size < planned.least:
        return f"the {planned.name} does not start, as its network buffers alone take {readable(planned.least)} of it"
    if size < planned.size:
        return (
            f"the {planned.name} fails with OutOfMemoryError at {readable(size)} of {what}, where its memory model has"
            f" {readable(planned.size)}"
        )
    return (
        f"the {planned.name}'s {what} may grow to {readable(size)} where its memory model has {readable(planned.size)},"
        " and the process outgrows its container"
    )


def _without(setting: Setting, option: JvmOption) -> Fix | None:
    rest = without(setting.text, [option])
    if not rest.strip("\"' "):
        return setting.remove()
    return setting.replace(rest, title=f"take {option.text} out of {setting.written}")


_SMALL = "taskmanager.memory.process.size: 4g\n"


def cases() -> list[Case]:
    return [
        bad(
            _SMALL + "env.java.opts.taskmanager: -XX:+UseG1GC -XX:MaxDirectMemorySize=400m\n",
            flink="1.18",
            at="env.java.opts.taskmanager",
            severity=Severity.WARNING,
            says="at 400 MiB of direct memory",
            fixed=_SMALL + "env.java.opts.taskmanager: -XX:+UseG1GC\n",
        ),
        bad(
            _SMALL + "env.java.opts.all: -XX:MaxDirectMemorySize=128m\n",
            flink="1.18",
            severity=Severity.ERROR,
            says="the TaskManager does not start",
        ),
        bad(
            _SMALL + "env.java.opts: -XX:MaxMetaspaceSize=1g\n",
            flink="1.14",
            severity=Severity.WARNING,
            says="may grow to 1 GiB where its memory model has 256 MiB",
        ),
        bad(
            "jobmanager.memory.process.size: 2g\nenv.java.opts.jobmanager: -XX:MaxMetaspaceSize=128m\n",
            flink="1.18",
            says="the JobManager fails with OutOfMemoryError",
        ),
        good(_SMALL + "env.java.opts.taskmanager: -XX:MaxMetaspaceSize=256m\n", flink="1.18"),
        good(
            "jobmanager.memory.process.size: 2g\nenv.java.opts.jobmanager: -XX:MaxDirectMemorySize=512m\n", flink="1.18"
        ),
        good("env.java.opts.client: -XX:MaxDirectMemorySize=512m\n" + _SMALL, flink="1.18"),
        good(_SMALL + "env.java.opts.all: '{{ opts }} -XX:MaxDirectMemorySize=128m'\n", flink="1.18"),
        bad(
            _SMALL + "env.java.opts.taskmanager: -XX:MaxDirectMemorySize=1g -XX:MaxMetaspaceSize=1g\n",
            flink="1.18",
            times=2,
            says="the TaskManager's metaspace may grow to 1 GiB",
        ),
        bad(_SMALL + "env.java.opts.taskmanager: -XX:MaxDirectMemorySize=1g\n", flink="1.18", fixed=_SMALL),
        bad(
            _SMALL + "jobmanager.memory.process.size: 2g\njobmanager.memory.jvm-metaspace.size: 512m\n"
            "env.java.opts.all: -XX:MaxMetaspaceSize=256m\n",
            flink="1.18",
            says="the JobManager fails",
        ),
        good(
            _SMALL + "jobmanager.memory.process.size: 2g\njobmanager.memory.jvm-metaspace.size: 512m\n"
            "env.java.opts.taskmanager: -XX:MaxMetaspaceSize=256m\n",
            flink="1.18",
        ),
        good(_SMALL + "env.java.opts.jobmanager: -XX:MaxDirectMemorySize=1g\n", flink="1.18"),
        bad(
            _SMALL + "taskmanager.memory.network.min: 256m\ntaskmanager.memory.network.max: 256m\n"
            "env.java.opts.taskmanager: -XX:MaxDirectMemorySize=256m\n",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        good(_SMALL + "env.java.default-opts.taskmanager: -XX:MaxDirectMemorySize=1g\n", flink="1.15"),
    ]

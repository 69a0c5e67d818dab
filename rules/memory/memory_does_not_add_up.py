"""The memory options contradict each other, so Flink does not start the process.

## What it does
Derives the memory of the TaskManager (1.10 and later) and of the JobManager (1.11 and later) exactly as Flink
does and reports what Flink refuses: parts that exceed their total, fractions that leave no room for the heap,
network memory outside its bounds, a minimum above its maximum, a fraction of 1 or more.

## Why it matters
All memory options are read before the JVM is started; on a contradiction the start script ends with an
IllegalConfigurationException and the container restarts for ever. The same file may hold on one release and not
on the next: `taskmanager.memory.network.max` was 1 GB up to 1.16 and has no limit from 1.17 on, so a large
network fraction that used to be capped then exceeds the total.

## What to do
Raise the total or lower the parts. Where a total of up to twice the present one (or 2 GB) helps, the finding proposes
the smallest, in steps of 64 MB, with which the process starts and has 128 MB of heap, a TaskManager 128 MB of task
heap for each slot. By default a TaskManager's Flink memory is 40 % managed memory, 10 % network memory (64 MB at
least), 128 MB framework heap and 128 MB framework off-heap memory; what is left is task heap. Keep the managed
fraction below 0.7 and the network fraction below 0.2. If the parts may be set in a file that flint does not see, it is
a warning.

## Not when
A value that Flink cannot read, a size without its unit (`bare-number-memory`), no total at all
(`memory-not-configured`), process size and Flink size that do not fit together (`process-and-flink-size`), or the
size of memory segments (`segment-size`): those are told by their own rules. A file for an unknown release that gives
memory only in the options of 1.9 and before.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/>:
  how the parts of a TaskManager follow from each other
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#illegalconfigurationexception>:
  the exception
"""

import re
from collections.abc import Iterator

from flink_flint.calculators.formulas.slot_heap import MIN_TASK_HEAP
from flink_flint.linter.flink.memory.options_reader import MemoryRefused
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.flink.values import MAX_LONG
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.memory._old_model import may_predate_the_model
from flink_flint.rules.memory.process_and_flink_size import is_about_both_totals
from flink_flint.rules.settings._amounts import lacks_unit

_BYTES = regex(r"(?<!\d)(\d++)\.(\d{3})(tb|gb|mb|kb) \((\d+) bytes\)")
_SHARE = regex(
    r"Inconsistently configured Key: '([^']+)\.fraction' .*\(([^()]*)\) and its min \((.*)\), max \((.*)\) value"
)
_TOTALS = (".process.size", ".flink.size", "manager.heap.size")
_FACTOR, _SMALL = 2, 2 << 30
"""A total that would have to be more than doubled, and above 2 GiB, is not what is wrong."""
_TOLD_ELSEWHERE = ("taskmanager.memory.segment-size", "taskmanager.numberOfTaskSlots")


@rule(
    code="FLK204",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=[
        "taskmanager.memory.", "jobmanager.memory.", "taskmanager.heap.size", "taskmanager.heap.mb",
        "jobmanager.heap.size", "jobmanager.heap.mb", "taskmanager.network.numberOfBuffers", "taskmanager.cpu.cores",
    ],
    since="0.1",
)  # fmt: skip
def memory_does_not_add_up(config: View) -> Iterator[Finding]:
    """the memory options contradict each other, so a process does not start"""
    if may_predate_the_model(config):
        return
    for process, name in (("taskmanager", "TaskManager"), ("jobmanager", "JobManager")):
        refusal = config.memory_refusal(process)
        if refusal is None or is_about_both_totals(refusal):
            continue
        settings = [config.get(key) for key in refusal.keys]
        first = settings[0]
        if not first.is_set or first.key in _TOLD_ELSEWHERE or any(setting.error for setting in settings):
            continue
        if any(map(lacks_unit, settings)):
            continue
        reason, remedy = _reason(refusal)
        total = next((setting for setting in settings if setting.key.endswith(_TOTALS)), None)
        wanted = None if remedy or total is None else _wanted(config, process, total)
        yield first.finding(
            f"the {name} does not start: {reason}",
            help=remedy or _remedy([setting.written for setting in settings], wanted),
            severity=Severity.INFO
            if _is_of_several_values(config, settings)
            else None
            if len(settings) > 1 or _is_known_whole(config)
            else Severity.WARNING,
            fix=total.replace(wanted) if total is not None and wanted is not None else None,
            related=settings[1:],
            evidence={"keys": ", ".join(setting.written for setting in settings)},
        )


def _is_of_several_values(config: View, settings: list[Setting]) -> bool:
    """Whether options come from several values files of a chart, of which others may set them, too."""
    owners = {id(config.owner(setting.written)) for setting in settings if setting.is_set}
    return config.document.kind == "helm" and len(owners) > 1


def _is_known_whole(config: View) -> bool:
    """Whether what the document and its layers do not set is set nowhere else either."""
    return config.document.whole or any(lower.whole for lower in config.below)


def _reason(refusal: MemoryRefused) -> tuple[str, str | None]:
    """What Flink says, without its introduction and with sizes for people; and a remedy if it is a special one."""
    texts = [str(refusal), *refusal.causes]
    while len(texts) > 1 and (texts[1] in texts[0] or texts[0].startswith("If Total Flink")):
        texts = texts[1:]
    said = _BYTES.sub(_readable, texts[0]).rstrip(".").replace("  ", " ")
    share = _SHARE.fullmatch(said)
    if share is None:
        return said[0].lower() + said[1:], None
    part, fraction, least, most = share.groups()
    if texts[-1].startswith("fraction"):
        return f"{part}.fraction is {float(fraction):.5g}, but must be at least 0 and below 1", None
    return f"{part}.min is {least}, above {part}.max of {most}", f"raise {part}.max, or lower {part}.min"


def _wanted(config: View, process: str, total: Setting) -> str | None:
    """The least total with which the process starts and has some heap; None where a part is the likelier slip."""
    from flink_flint.rules.memory._proposals import proposed

    least = MIN_TASK_HEAP
    if process == "taskmanager":
        least *= max(1, config.integer("taskmanager.numberOfTaskSlots") or 1)
    most = max(_FACTOR * (config.memory(total.key) or 0), _SMALL)
    return proposed(config, process, total, "task_heap" if process == "taskmanager" else "heap", least, most)


def _readable(match: re.Match[str]) -> str:
    size = int(match[4])
    return "no limit" if size == MAX_LONG else readable(size)


def _remedy(keys: list[str], wanted: str | None) -> str:
    totals = [key for key in keys if key.endswith(_TOTALS)]
    parts = [key for key in keys if key not in totals]
    if totals and wanted:
        return f"set {totals[0]}: {wanted} at least" + (f", or lower {', '.join(parts)}" if parts else "")
    if totals and parts:
        return f"raise {' or '.join(totals)}, or lower {', '.join(parts)}"
    if totals:
        return f"raise {' or '.join(totals)}: what Flink takes by default does not fit into it"
    return f"change {' or '.join(parts)}"


_LYFT = """apiVersion: flink.k8s.io/v1beta1
kind: FlinkApplication
metadata: {name: orders}
spec:
  image: beam:7
  flinkVersion: "1.16"
  flinkConfig: {}
  taskManagerConfig:
    taskSlots: 2
    resources:
      requests: {memory: 400Mi}
  parallelism: 2
"""


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.memory.process.size: 600m\n",
            at="taskmanager.memory.process.size",
            flink="1.18",
            severity=Severity.ERROR,
            says="exceed configured Total Flink Memory",
            fixed="taskmanager.memory.process.size: 1280mb\n",
        ),
        bad(
            "jobmanager.memory.process.size: 400m\njobmanager.memory.off-heap.size: 256m\n",
            at="jobmanager.memory.process.size",
            flink="1.15",
            fixed="jobmanager.memory.process.size: 832mb\njobmanager.memory.off-heap.size: 256m\n",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.task.off-heap.size: 400g\n",
            at="taskmanager.memory.process.size",
            flink="1.18",
            fixed="taskmanager.memory.process.size: 4g\ntaskmanager.memory.task.off-heap.size: 400g\n",
        ),
        bad(
            "taskmanager.memory.flink.size: 4g\ntaskmanager.memory.managed.fraction: 0.9\n"
            "taskmanager.memory.network.fraction: 0.2\n",
            at="taskmanager.memory.flink.size",
            flink="1.17",
        ),
        bad(
            "taskmanager.memory.process.size: 40g\ntaskmanager.memory.managed.fraction: 0.8\n"
            "taskmanager.memory.network.fraction: 0.2\n",
            at="taskmanager.memory.process.size",
            flink="1.17",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.network.min: 2g\n"
            "taskmanager.memory.network.max: 1g\n",
            at="taskmanager.memory.network.min",
            flink="1.18",
            says="network.min is 2 GiB, above taskmanager.memory.network.max of 1 GiB",
            fixed="taskmanager.memory.process.size: 4g\ntaskmanager.memory.network.min: 2g\n"
            "taskmanager.memory.network.max: 1g\n",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.task.heap.size: 1g\n"
            "taskmanager.memory.managed.size: 1g\ntaskmanager.memory.network.max: 64m\n"
            "taskmanager.memory.flink.size: 3g\n",
            at="taskmanager.memory.flink.size",
            flink="1.18",
            says="derived Network Memory size",
        ),
        bad(
            "jobmanager.memory.flink.size: 128m\njobmanager.memory.off-heap.size: 128m\n",
            at="jobmanager.memory.flink.size",
            flink="2.0",
        ),
        bad(_LYFT, file="application.yaml", at="400Mi", severity=Severity.WARNING, says="JVM Metaspace"),
        bad(
            _LYFT.replace("beam:7", "flink:1.16.3"),
            file="application.yaml",
            at="400Mi",
            severity=Severity.ERROR,
        ),
        good("taskmanager.memory.process.size: 1728m\njobmanager.memory.process.size: 1600m\n", flink="1.18"),
        good(
            "taskmanager.memory.process.size: 40g\ntaskmanager.memory.managed.fraction: 0.8\n"
            "taskmanager.memory.network.fraction: 0.2\n",
            flink="1.16",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.jvm-overhead.fraction: 1.5\n",
            at="taskmanager.memory.jvm-overhead.fraction",
            flink="1.14",
            says="fraction is 1.5, but",
            fixed="taskmanager.memory.process.size: 4g\ntaskmanager.memory.jvm-overhead.fraction: 1.5\n",
        ),
        good("taskmanager.memory.process.size: 4096\n", flink="1.18"),
        bad("taskmanager.heap.mb: 256\n", at="taskmanager.heap.mb", flink="1.14"),
        good("taskmanager.heap.mb: 256\n", file="flink-conf.yaml"),
        good("taskmanager.memory.process.size: 1.5g\n", flink="1.18"),
        good("taskmanager.memory.task.heap.size: 1g\n", flink="1.18"),
        good("taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n", flink="1.18"),
        good("taskmanager.memory.process.size: 600m\ntaskmanager.memory.managed.size: {{ managed }}\n", flink="1.18"),
        good("taskmanager.memory.process.size: 4g\ntaskmanager.memory.segment-size: 48kb\n", flink="1.18"),
        good("taskmanager.memory.process.size: 4g\ntaskmanager.numberOfTaskSlots: 0\n", flink="1.18"),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.segment-size: 48kb\n"
            "jobmanager.memory.process.size: 400m\n",
            at="jobmanager.memory.process.size",
            flink="1.18",
            says="the JobManager does not start",
        ),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n"
            "jobmanager.memory.process.size: 400m\ntaskmanager.numberOfTaskSlots: 8\n",
            at="jobmanager.memory.process.size",
            flink="1.18",
            fixed="taskmanager.memory.process.size: 4g\ntaskmanager.memory.flink.size: 2g\n"
            "jobmanager.memory.process.size: 704mb\ntaskmanager.numberOfTaskSlots: 8\n",
        ),
        bad(
            "taskmanager.memory.process.size: 600m\ntaskmanager.numberOfTaskSlots: 4\n",
            flink="1.18",
            says="the TaskManager does not start",
            fixed="taskmanager.memory.process.size: 2gb\ntaskmanager.numberOfTaskSlots: 4\n",
        ),
        bad("taskmanager.heap.size: 256m\n", at="taskmanager.heap.size", flink="1.14"),
        bad("jobmanager.heap.size: 64m\n", at="jobmanager.heap.size", flink="1.14", platform="yarn"),
        bad("jobmanager.heap.mb: 64\n", at="jobmanager.heap.mb", flink="1.14", platform="yarn"),
        bad(
            "taskmanager.memory.flink.size: 256m\n",
            at="taskmanager.memory.flink.size",
            flink="1.18",
            fixed="taskmanager.memory.flink.size: 832mb\n",
        ),
        bad(
            "taskmanager.memory.process.size: 600m\ntaskmanager.memory.task.off-heap.size: 900m\n",
            flink="1.18",
            fixed="taskmanager.memory.process.size: 600m\ntaskmanager.memory.task.off-heap.size: 900m\n",
        ),
        bad(
            "taskmanager.memory.process.size: 2g\ntaskmanager.memory.task.off-heap.size: 1300m\n",
            flink="1.18",
            fixed="taskmanager.memory.process.size: 4032mb\ntaskmanager.memory.task.off-heap.size: 1300m\n",
        ),
        bad(
            "taskmanager.memory.process.size: 2g\ntaskmanager.memory.task.off-heap.size: 2200m\n",
            flink="1.18",
            fixed="taskmanager.memory.process.size: 2g\ntaskmanager.memory.task.off-heap.size: 2200m\n",
        ),
        bad("taskmanager.heap.size: 256m\n", flink="1.10", fixed="taskmanager.heap.size: 832mb\n"),
        bad("jobmanager.heap.size: 64m\n", flink="1.14", platform="yarn", fixed="jobmanager.heap.size: 704mb\n"),
        bad(
            "taskmanager.memory.process.size: 4g\ntaskmanager.numberOfTaskSlots: 0\n"
            "jobmanager.memory.process.size: 400m\n",
            flink="1.18",
            says="the JobManager does not start",
        ),
        bad(
            "taskmanager.memory.process.size: 4096\njobmanager.memory.process.size: 400m\n",
            flink="1.18",
            says="the JobManager does not start",
        ),
        bad(
            "taskmanager.memory.flink.size: 1g\ntaskmanager.memory.task.heap.size: 400m\n"
            "taskmanager.memory.managed.size: 350m\n",
            flink="1.20",
            says="no limit",
        ),
        bad(
            "jobmanager.memory.process.size: 1g\njobmanager.memory.off-heap.size: 1800m\n",
            flink="1.18",
            fixed="jobmanager.memory.process.size: 1g\njobmanager.memory.off-heap.size: 1800m\n",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "taskmanager memory",
            "taskmanager.memory.managed.fraction: 1.5\njobmanager.memory.process.size: 1600m\n",
            good="taskmanager.memory.managed.fraction: 0.5\njobmanager.memory.process.size: 1600m\n",
            both="taskmanager.memory.process.size: 4g\n",
        ),
        flink_refuses(
            "taskmanager memory",
            "taskmanager.memory.network.min: 1g\n"
            "taskmanager.memory.network.max: 512m\n"
            "jobmanager.memory.process.size: 1600m\n",
            good="taskmanager.memory.network.min: 256m\n"
            "taskmanager.memory.network.max: 512m\n"
            "jobmanager.memory.process.size: 1600m\n",
            both="taskmanager.memory.process.size: 4g\n",
        ),
        flink_refuses(
            "taskmanager memory",
            "taskmanager.memory.process.size: 1g\n"
            "taskmanager.memory.managed.size: 2g\n"
            "jobmanager.memory.process.size: 1600m\n",
            good="taskmanager.memory.process.size: 4g\n"
            "taskmanager.memory.managed.size: 2g\n"
            "jobmanager.memory.process.size: 1600m\n",
        ),
        flink_refuses(
            "jobmanager memory",
            "jobmanager.memory.process.size: 200m\n",
            good="jobmanager.memory.process.size: 1600m\n",
            both="taskmanager.memory.process.size: 2g\n",
        ),
    ]

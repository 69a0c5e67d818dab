"""The configuration does not say how much memory a process has, so it does not start.

## What it does
Works out, as Flink's start scripts do, whether the memory of the TaskManager and of the JobManager is given.
A TaskManager needs one of `taskmanager.memory.process.size`, `taskmanager.memory.flink.size`, or both
`taskmanager.memory.task.heap.size` and `taskmanager.memory.managed.size`; a JobManager (from 1.11 on) needs
`jobmanager.memory.process.size`, `jobmanager.memory.flink.size` or `jobmanager.memory.heap.size`. None of
them has a default.

It speaks where a part of that memory is set but no total, where the file looks like the whole
configuration of a cluster of plain machines: it sets `jobmanager.rpc.address` or memory of the JobManager,
as well as slots or addresses of the TaskManager; and where a container mounts a folder or ConfigMap as its whole
configuration, in place of the image's own file.

## Why it matters
The process ends at once with "Either required fine-grained memory (...), or Total Flink Memory size (...), or
Total Process Memory size (...) need to be configured explicitly". The `conf` directory of the distribution and
its images hold 1728 MB for the TaskManager and 1600 MB for the JobManager; a file that replaces them loses
these.

## What to do
Set `taskmanager.memory.process.size` and `jobmanager.memory.process.size` in containers, where the limit
counts for the whole process, and `taskmanager.memory.flink.size` and `jobmanager.memory.flink.size` on plain
machines.

## Not when
A fragment that is merged into another configuration (as EMR merges its classifications), YARN and Kubernetes (memory
often comes from the command line or from the operator's resource), Flink 1.9 (which has defaults), or the heap options
of old releases: `legacy-heap-size` speaks about those. A program's own configuration: the cluster has its memory
already, and a MiniCluster has defaults of its own.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/#configure-total-memory>:
  one of the options must be set
- <https://issues.apache.org/jira/browse/FLINK-13980>: the memory model of TaskManagers since 1.10
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View

if TYPE_CHECKING:
    from flink_flint.linter.model.containers.mounts import Mount

_TOTALS = {
    "taskmanager": ("process.size", "flink.size"),
    "jobmanager": ("process.size", "flink.size", "heap.size"),
}
_PARTS = {
    "taskmanager": ("task.heap.size", "managed.size"),
    "jobmanager": ("off-heap.size",),
}
_OF_A_TASKMANAGER = (
    "taskmanager.numberOfTaskSlots", "taskmanager.host", "taskmanager.bind-host", "taskmanager.rpc.port",
    "taskmanager.network.bind-policy", "taskmanager.tmp.dirs",
)  # fmt: skip
_OF_A_JOBMANAGER = ("jobmanager.bind-host", "jobmanager.rpc.port", "jobmanager.memory.jvm-metaspace.size")


@rule(
    code="FLK201",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=["taskmanager.memory.", "jobmanager.memory.", "jobmanager.rpc.address"],
    when=["element:container"],
    since="0.1",
)
def memory_not_configured(config: View) -> Iterator[Finding]:
    """the memory of a process is not configured, so it does not start"""
    if config.refusals or config.platform == "emr":
        return  # what is not set by a file that cannot be read, or is laid upon another, is anybody's guess
    if config.is_mounted:
        return  # the containers that read the file tell, with their variables and arguments
    if config.document.kind == "source":
        return  # no process is started with a program's settings; a MiniCluster has defaults of its own
    for process, name in (("taskmanager", "TaskManager"), ("jobmanager", "JobManager")):
        if _is_given(config, process):
            continue
        totals = [f"{process}.memory.{total}" for total in _TOTALS[process]]
        part = next((f"{process}.memory.{part}" for part in _PARTS[process] if _sets(config, process, part)), None)
        is_replaced = _is_replaced(config, process)
        if (part is None and not is_replaced and not _looks_whole(config, process)) or config.memory_refusal(
            process
        ) is None:
            continue
        setting = config.get(part or totals[0])
        size = _example(config, process)
        alone = f"{part} alone does not size it" if part else "nothing sets its total memory"
        yield setting.finding(
            f"the {name} does not start: {alone}, and Flink has no default for it",
            help=f"set {totals[0]} (in containers; for example {size}) or {totals[1]} (on plain machines)",
            confidence=None if part or is_replaced else Confidence.MEDIUM,
        )


def _example(config: View, process: str) -> str:
    """The process size of Flink's stock configuration, or the smallest that goes with the parts the file sets."""
    from flink_flint.calculators.formulas.slot_heap import MIN_TASK_HEAP
    from flink_flint.rules.memory._proposals import STEP, tried

    key, stock = f"{process}.memory.process.size", "1728m" if process == "taskmanager" else "1600m"
    sized = tried(config, process)
    if sized.accepted({key: stock}) is None:
        slots = config.integer("taskmanager.numberOfTaskSlots") or 1
        part = attrgetter("task_heap" if process == "taskmanager" else "heap")
        least = MIN_TASK_HEAP * (slots if process == "taskmanager" else 1)
        smallest = sized.smallest(key, part, least, above=int(parse_memory(stock)), step=STEP)
        return stock if smallest is None else f"{smallest >> 20}m"
    return stock


def _is_given(config: View, process: str) -> bool:
    if any(_sets(config, process, total) for total in _TOTALS[process]):
        return True
    if next(config.under(f"{process}.heap."), None) is not None:
        return True
    return process == "taskmanager" and all(_sets(config, process, part) for part in _PARTS[process])


def _sets(config: View, process: str, name: str) -> bool:
    return config.is_set(f"{process}.memory.{name}")


def _is_replaced(config: View, process: str) -> bool:
    """Whether a container that runs the process mounts a whole configuration in place of the image's own."""
    if not config.elements("container") or _is_changed_by_image(config):
        return False
    from flink_flint.rules.settings._clusters import words_of

    return any(
        one.role == process
        and not one.is_requested
        and one.settings_are_known
        and any(map(_is_whole_folder, one.files))
        and not any("memory" in word for word in words_of(one))
        for one in config.processes
    )


def _is_whole_folder(file: Mount) -> bool:
    """Whether a file of a mounted folder is read, so that the image's own is not, and nothing of it is unknown."""
    return file.is_folder and file.is_read is True and file.document is not None and file.document.whole


def _is_changed_by_image(config: View) -> bool:
    """Return whether the image changes its configuration in a way that cannot be read from its Dockerfile."""
    dockerfile = config.relation.dockerfile
    return dockerfile is not None and any(
        image.has("unread-edits") or image.has("entrypoint") for image in dockerfile.elements_of(("image",))
    )


def _looks_whole(config: View, process: str) -> bool:
    """Whether the file is meant to configure a process of this kind all by itself."""
    if config.platform not in (None, "standalone"):
        return False
    addressed = config.is_set("jobmanager.rpc.address")
    if process == "jobmanager":
        return addressed and any(config.is_set(key) for key in _OF_A_JOBMANAGER)
    sized = any(_sets(config, "jobmanager", total) for total in _TOTALS["jobmanager"])
    return (addressed or sized) and any(config.is_set(key) for key in _OF_A_TASKMANAGER)


def cases() -> list[Case]:
    return [
        bad(
            "jobmanager.rpc.address: jm-1\njobmanager.memory.process.size: 1600m\ntaskmanager.numberOfTaskSlots: 4\n",
            flink="1.18",
            severity=Severity.ERROR,
            says="the TaskManager does not start",
        ),
        bad(
            "jobmanager.rpc.address: jm-1\ntaskmanager.numberOfTaskSlots: 4\ntaskmanager.memory.task.heap.size: 2g\n",
            at="taskmanager.memory.task.heap.size",
            flink="1.17",
            says="alone does not size it",
        ),
        bad("taskmanager.memory.managed.size: 512m\n", at="taskmanager.memory.managed.size", flink="2.0"),
        bad(
            "jobmanager.rpc.address: jm-1\njobmanager.bind-host: 0.0.0.0\ntaskmanager.numberOfTaskSlots: 1\n",
            flink="1.20",
            file="config.yaml",
            times=2,
        ),
        good("jobmanager.rpc.address: jm-1\ntaskmanager.numberOfTaskSlots: 4\n", flink="1.9"),
        good("taskmanager.numberOfTaskSlots: 4\nparallelism.default: 4\n", flink="1.18"),
        good("jobmanager.rpc.address: jm-1\ntaskmanager.numberOfTaskSlots: 4\n", flink="1.18", platform="yarn"),
        good(
            "jobmanager.rpc.address: jm-1\ntaskmanager.numberOfTaskSlots: 4\ntaskmanager.heap.size: 2g\n", flink="1.18"
        ),
        good(
            "jobmanager.rpc.address: jm-1\ntaskmanager.numberOfTaskSlots: 4\n"
            "taskmanager.memory.process.size: {{ tm_memory }}\n",
            flink="1.18",
        ),
        good(
            '[{"Classification": "flink-conf", "Properties": {"taskmanager.memory.managed.size": "1g"}}]\n',
            file="emr.json",
            flink="1.17",
        ),
        good("taskmanager.memory.task.heap.size: 1g\ntaskmanager.memory.managed.size: 512m\n", flink="1.18"),
        good(
            "jobmanager.rpc.address: jm-1\njobmanager.memory.process.size: 100m\njobmanager.bind-host: 0.0.0.0\n"
            "taskmanager.numberOfTaskSlots: 4\ntaskmanager.memory.process.size: 600m\n",
            flink="1.18",
        ),
        good(
            "jobmanager.rpc.address: jm-1\njobmanager.memory.flink.size: 100m\njobmanager.bind-host: 0.0.0.0\n"
            "taskmanager.numberOfTaskSlots: 4\ntaskmanager.memory.flink.size: 100m\n",
            flink="1.18",
        ),
        good(
            "jobmanager.rpc.address: jm-1\njobmanager.memory.heap.size: 1m\njobmanager.bind-host: 0.0.0.0\n",
            flink="1.18",
        ),
        good("jobmanager.rpc.address: jm-1\njobmanager.heap.mb: 1\njobmanager.bind-host: 0.0.0.0\n", flink="1.18"),
        bad("jobmanager.memory.off-heap.size: 512m\n", at="jobmanager.memory.off-heap.size", flink="1.18"),
        bad(
            "jobmanager.rpc.address: jm-1\njobmanager.rpc.port: 6123\ntaskmanager.memory.process.size: 2g\n",
            at="jobmanager.memory.process.size",
            flink="1.18",
            says="the JobManager does not start",
            platform="standalone",
        ),
        bad(
            "jobmanager.rpc.address: jm-1\njobmanager.memory.jvm-metaspace.size: 256m\n",
            at="jobmanager.memory.process.size",
            flink="1.18",
        ),
        bad(
            "jobmanager.memory.process.size: 1600m\ntaskmanager.numberOfTaskSlots: 4\n",
            at="taskmanager.memory.process.size",
            flink="1.18",
        ),
        good("jobmanager.memory.process.size: 1600m\n", flink="1.18"),
        good("jobmanager.bind-host: 0.0.0.0\ntaskmanager.memory.process.size: 2g\n", flink="1.18"),
        good("jobmanager.memory.off-heap.size: '{{ direct }}'\ntaskmanager.numberOfTaskSlots: 4\n", flink="1.18"),
        good("taskmanager.memory.task.heap.size: '{{ heap }}'\n", flink="1.18"),
        good("jobmanager.rpc.address: jm-1\ntaskmanager.numberOfTaskSlots: 4\nbroken: [\n"),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "taskmanager memory",
            "",
            good="taskmanager.memory.process.size: 2g\n",
            both="taskmanager.memory.managed.size: 512m\n",
        ),
        flink_refuses(
            "jobmanager memory",
            "",
            good="jobmanager.memory.process.size: 2g\n",
            both="jobmanager.memory.off-heap.size: 512m\n",
        ),
    ]

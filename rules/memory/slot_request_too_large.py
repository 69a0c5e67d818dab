"""A slot sharing group asks for more memory than a TaskManager has.

## What it does
Reports a `SlotSharingGroup` whose task heap, task off-heap or managed memory exceeds that of the whole TaskManager, as
Flink derives it from the configuration the program runs with.

## Why it matters
A slot with declared resources is cut out of the memory of one TaskManager. If none has that much, the request is never
fulfilled, however many slots are free: the job restarts again and again with `NoResourceAvailableException: Could not
acquire the minimum required resources`.

## What to do
Ask for less, or enlarge the TaskManager (`taskmanager.memory.process.size`) until that part of its memory is larger
than what all groups of a TaskManager ask for together.

## Not when
The memory of the TaskManager or the request is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/finegrained_resource/>: how slots are cut out of
  the resources of a TaskManager
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/>: the parts
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, cases_in_folders, rule
from flink_flint.rules.settings._clusters import pairs

_PARTS = {"task-heap": "task_heap", "task-off-heap": "task_off_heap", "managed": "managed"}


@rule(
    code="FLK222",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    flink=">=1.14",
    when=["element:slot-request"],
    scope="project",
    compares=[(["element:slot-request"], ["element:container"])],
    since="0.1",
)
def slot_request_too_large(project: Project) -> Iterator[Finding]:
    """a slot sharing group asks for more memory than a TaskManager has"""
    workers = list(pairs(project))
    apart = workers[0] if len(workers) == 1 and workers[0].is_whole else None
    for config in project.views:
        for request in config.elements("slot-request"):
            own = config.taskmanager_memory()
            deciding = config if own is not None or apart is None else apart.taskmanager
            memory = own or deciding.taskmanager_memory()
            if memory is None or config.document.purpose in ("test", "example"):
                continue
            for name, part in _PARTS.items():
                asked, there = request.value(name), getattr(memory, part)
                if isinstance(asked, int) and asked > there:
                    size = deciding.get("taskmanager.memory.process.size")
                    yield request.finding(
                        f"the group asks for {readable(asked)} of {name.replace('-', ' ')} memory, and a whole"
                        f" TaskManager of {readable(memory.process_size)} has {readable(there)}: the job never gets its"
                        " slots",
                        of=name,
                        help="ask for less, or raise taskmanager.memory.process.size until that part holds the groups",
                        related=[size] if size.is_set else (),
                        evidence={"asked": asked, "available": there},
                        measure=asked / max(1, there),
                    )


def cases() -> list[Case]:
    return cases_in_folders(__file__)

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
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
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


_JAVA = """import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    SlotSharingGroup large = SlotSharingGroup.newBuilder("large").setCpuCores(1.0)
        %s.build();
    env.fromSource(orders(), marks(), "orders").slotSharingGroup(large).sinkTo(sums());
    env.execute("orders");
  }
}
"""
_PYTHON = """from pyflink.datastream import SlotSharingGroup, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
large = SlotSharingGroup.builder("large").set_cpu_cores(1.0).set_managed_memory_mb(%s).build()
env.from_source(orders, marks, "orders").slot_sharing_group(large).sink_to(sums)
env.execute("orders")
"""
_CLUSTER = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        taskmanager.numberOfTaskSlots: 4
        taskmanager.memory.process.size: %s
"""
_WHOLE = "taskmanager:\n  memory:\n    process:\n      size: 1728m\n"
_HEAP = ".setTaskHeapMemory(%s)"


def cases() -> list[Case]:
    def java(size: str) -> str:
        return _JAVA % (_HEAP % size)

    def cluster(size: str) -> dict[str, str]:
        return {"docker-compose.yml": _CLUSTER % size}

    job = "src/main/java/Orders.java"
    return [
        bad(java("MemorySize.ofMebiBytes(64)"), file=job, beside=cluster("1024m"), at="MemorySize.ofMebiBytes(64)",
            says="asks for 64 MiB of task heap memory, and a whole TaskManager of 1 GiB has 25.6 MiB"),
        bad(_PYTHON % 4096, file="orders.py", beside=cluster("4g"), at="4096", says="managed memory"),
        bad(java('MemorySize.parse("3g")'), file=job, beside={"conf/config.yaml": _WHOLE, "pom.xml": "<project/>"},
            flink="1.20", says="task heap memory"),
        good(java("MemorySize.ofMebiBytes(64)"), file=job, beside=cluster("2g")),
        good(java('MemorySize.parse("1t")'), file=job, beside=cluster("${MEMORY}")),
        good(java("parsed(args)"), file=job, beside=cluster("1024m")),
        good(java("MemorySize.ofMebiBytes(64)"), file=job),
    ]  # fmt: skip

"""The memory of a process is told in several places, and together they do not hold.

## What it does
Sets what the memory model of the release makes of the memory of a TaskManager against what else its container is to
hold, and against what other releases make of the same lines. Reports

- a container whose room beside heap, direct and managed memory is less than what takes memory there: volumes in memory
  (`emptyDir` with `medium: Memory` and a `sizeLimit`), RocksDB with `fixed-per-slot`, a tenth of RocksDB's managed
  memory for what it takes beyond, and the JVM itself;
- a heap in a variable of the pod template (`_JAVA_OPTIONS`, `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`), which is either
  ignored or overrides what Flink reckoned;
- a shared file that gives TaskManagers of two releases more than 20 % more or less task heap or managed memory.

## Why it matters
One limit holds for the container, and three things are written about it in different places: how large it is
(`spec.taskManager.resource.memory`), how Flink divides it (`flinkConfiguration`, the operator's defaults), and what
else is in it (the pod template). Take 4 GiB, RocksDB, and a volume in memory for the files of a library:

    limit of the container       4096 MiB    resource.memory
    heap, direct, managed      - 3430 MiB    what is left of it, by the fractions
    metaspace                  -  256 MiB
    room                          410 MiB    the JVM overhead, a tenth

    volume in memory             1024 MiB    podTemplate, sizeLimit: 1Gi
    RocksDB beyond managed        137 MiB    a tenth of 1372 MiB
    the JVM itself                128 MiB    code, stacks, the collector

As the volume fills, the container needs 880 MiB more than it has, and the kernel kills it (exit code 137, nothing in
the log). Each line for itself is usual.

With a heap in a variable it depends on the name. Flink passes `-Xmx` and `-Xms` on the command line, which override
`JAVA_TOOL_OPTIONS` and `JDK_JAVA_OPTIONS`: the author relies on a heap that nobody gets. `_JAVA_OPTIONS` overrides the
command line: a larger heap grows beyond the container, and one below Flink's `-Xms` keeps the JVM from starting.

And the same lines are not the same memory in every release. Up to 1.16 network memory ended at 1 GiB, from 1.17 on it
is a tenth. A file with `taskmanager.memory.process.size: 64g` and a managed fraction of 0.7 gives a task heap of
17.6 GiB to a container of 1.16 and of 12.3 GiB to one of 1.17: 30 % less.

Other rules judge one number each: FLK204 what does not add up, FLK215 a heap in `env.java.opts`, FLK221 a process above
the limit, FLK210 network memory without a bound, FLK112 state in a volume in memory.

## What to do
Raise `taskmanager.memory.jvm-overhead.min` (and `.max`) by what the finding says is missing, so that Flink leaves room
for it, or the memory of the resource, or make the volume smaller. Size heaps with Flink's own options. Where two
releases share a file, write down what differs, such as `taskmanager.memory.network.max`.

## Not when
- A volume in memory has no `sizeLimit`, or Flink's container does not mount it: what it takes is not known.
- The memory is a template, or Flink refuses it; the limit of the container is not known.
- RocksDB's fixed size is all that takes memory.
- The threshold `difference` (20 %) bounds what two releases may differ in; `jvm` (128 MiB) is what the JVM is taken to
  need of its overhead.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/>: the parts of the memory
- <https://kubernetes.io/docs/concepts/storage/volumes/#emptydir>: files in memory count towards the container's limit
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>: what
  `fixed-per-slot` takes instead of managed memory
- <https://nightlies.apache.org/flink/flink-docs-release-1.17/release-notes/flink-1.17/>: network memory has no bound
- tried with Java 17: `-Xmx` of the command line overrides `JAVA_TOOL_OPTIONS` and `JDK_JAVA_OPTIONS`, and
  `_JAVA_OPTIONS` overrides the command line
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.memory.size_arithmetic import percent, readable
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._native_memory import (
    PER_SLOT,
    SLOTS,
    Container,
    Heap,
    container_of,
    heap_of_environment,
    memory_volumes,
    takers,
)
from flink_flint.rules.composites._places import first_set, links, name_of, readers, release_place

_OVERHEAD = "taskmanager.memory.jvm-overhead"
_TOTALS = ("taskmanager.memory.flink.size", "taskmanager.memory.process.size")
_OF_MEMORY = ("taskmanager.memory.", "taskmanager.heap.", "taskmanager.network.memory.", "taskmanager.network.number")
_SHIFT = 20


@rule(
    code="FLK055",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=list(_TOTALS),
    when=["element:container"],
    scope="project",
    compares=[],
    flink=">=1.10",
    since="0.1",
    thresholds={
        "jvm": Threshold("128 mb", "JVM overhead that the JVM itself is taken to need"),
        "difference": Threshold(0.2, "part by which task heap or managed memory may differ between two releases"),
    },
)
def memory_in_several_places(project: Project) -> Iterator[Finding]:
    """the memory of a process is told in several places, and together they do not hold"""
    for config in project.views:
        yield from _heaps(config)
        yield from _container(config)
        yield from _releases(config, readers(project, config))


# -- what else is in the container


def _container(config: View) -> Iterator[Finding]:
    volumes = list(memory_volumes(config))
    container = container_of(config) if volumes else None
    if container is None:
        return
    memory, found = container.memory, takers(config, container.memory, volumes)
    jvm = int(config.threshold("jvm"))
    fixed = any(one.key == PER_SLOT for one in found)
    # With a size of its own RocksDB leaves the managed memory to nobody.
    room = container.limit - memory.flink_size - memory.metaspace + (memory.managed if fixed else 0)
    taken = sum(one.size for one in found)
    missing = taken + jvm - room
    if missing <= 0:
        return
    overhead = first_set(config, (f"{_OVERHEAD}.max", f"{_OVERHEAD}.min", f"{_OVERHEAD}.fraction"))
    at = next((one for one in found if one.document is config.document), found[0])
    told = [f"{readable(one.size)} for {one.what}" for one in found]
    enough = _overhead_for(config, memory, taken + jvm - (container.limit - memory.process_size), shares=fixed)
    yield config.finding(
        f"beside heap, direct memory{'' if fixed else ', managed memory'} and metaspace the container of"
        f" {readable(container.limit)} has {readable(room)}, and {', '.join(told)} and {readable(jvm)} for the JVM"
        f" itself are {readable(missing)} too much: the container is killed",
        span=at.span,
        key=at.key,
        document=at.document,
        help=(f"set {_OVERHEAD}.min and .max to {enough}, so that Flink leaves room for it, or " if enough else "")
        + "give the container more memory, or lower this",
        severity=Severity.ERROR if taken > room + (0 if fixed else memory.managed) else None,
        related=[
            *_limit(config, container),
            *(one.place() for one in found if one is not at),
            *links(
                (config.get(SLOTS) if fixed else None, "slots, each with a RocksDB"),
                (overhead, f"JVM overhead of {readable(memory.overhead)}"),
            ),
            *_allocator(container.part),
        ],
        evidence={"limit": container.limit, "room": room, "taken": taken, "jvm": jvm},
        measure=missing,
    )


def _limit(config: View, container: Container) -> list[Place]:
    """Where it is said how large the container is, and the process in it."""
    memory = container.memory
    heap, direct, managed = map(readable, (memory.jvm_heap, memory.jvm_direct, memory.managed))
    found = links((first_set(config, _TOTALS), f"{heap} of heap, {direct} direct, {managed} managed"))
    if container.part.has("memory") and config.platform != "operator":
        found.append(container.part.place("memory", f"a container of {readable(container.limit)}"))
    if container.factor > 1:
        factor = config.get("kubernetes.taskmanager.memory.limit-factor")
        found += links((factor, f"a limit of {container.factor:g} times the process"))
    return found


def _allocator(part: ElementView) -> list[Place]:
    """Where the allocator of the image is changed for one that keeps more."""
    if (part.text("environment.DISABLE_JEMALLOC") or "").lower() != "true":
        return []
    arenas = part.text("environment.MALLOC_ARENA_MAX")
    told = f"{arenas} arenas at most" if arenas else "MALLOC_ARENA_MAX unset, 8 arenas a core"
    return [part.place("environment.DISABLE_JEMALLOC", f"and glibc's malloc keeps what is freed ({told})")]


def _overhead_for(config: View, memory: TaskManagerMemory, need: int, *, shares: bool) -> str | None:
    """The JVM overhead that leaves so many bytes beside the model, in whole 64 MiB; None where none does.

    With `shares` managed memory counts as left, too, and becomes less as the overhead takes from the Flink memory.
    """
    managed = memory.managed if shares else 0
    is_share = shares and not config.is_set("taskmanager.memory.managed.size")
    fraction = managed / memory.flink_size if is_share else 0.0
    # overhead + managed, where managed is a fraction of what the overhead leaves.
    growing = need - managed - memory.overhead
    size = memory.overhead + growing / (1 - fraction) if fraction < 1 else 0.0
    steps = -(-int(size) // (64 << _SHIFT))
    return f"{steps * 64}m" if 0 < size < memory.process_size / 2 else None


# -- a heap in a variable


class _Process(NamedTuple):
    """A process whose heap a variable speaks of."""

    part: ElementView
    heap: Heap
    name: str
    own: int
    """Bytes of heap that Flink reckons."""
    beside: int
    limit: int


def _heaps(config: View) -> Iterator[Finding]:
    """What variables of the containers do to the heaps that Flink reckons."""
    ignored: list[_Process] = []
    for part in config.elements("container"):
        name = part.text("role")
        if (heap := heap_of_environment(part)) is None or (derived := _derived(config, name)) is None or name is None:
            continue
        process = _Process(part, heap, name, *derived)
        if heap.wins:
            yield from _overriding(config, process)
        else:
            ignored.append(process)
    if ignored:
        yield _without_effect(config, ignored)


def _without_effect(config: View, processes: Sequence[_Process]) -> Finding:
    """A variable that both processes may have from one pod template does nothing."""
    first = processes[0]
    heaps = " and ".join(f"-Xmx{one.own >> _SHIFT}m to the {one.name}" for one in processes)
    return first.part.finding(
        f"{first.heap.variable} asks for a heap of {readable(first.heap.size)}, which does nothing: Flink passes"
        f" {heaps}, and the command line wins",
        of=f"environment.{first.heap.variable}",
        key=first.heap.variable,
        help="take it away, and size the heap with the memory of the resource",
        confidence=Confidence.HIGH,
        related=[place for one in processes for place in _total(config, one)],
        evidence={one.name: one.own for one in processes},
    )


def _overriding(config: View, process: _Process) -> Iterator[Finding]:
    part, heap, name, own, beside, limit = process
    if heap.size < own:
        message = (
            f"{heap.variable} bounds the heap to {readable(heap.size)} and wins over Flink's options, which begin with"
            f" {readable(own)}: the JVM of the {name} does not start"
        )
    elif heap.size + beside > limit:
        message = (
            f"{heap.variable} raises the heap to {readable(heap.size)} and wins over Flink's {readable(own)}: with"
            f" {readable(beside)} beside it the {name} outgrows its {readable(limit)} and is killed"
        )
    else:
        return
    yield part.finding(
        message,
        of=f"environment.{heap.variable}",
        key=f"{name}.{heap.variable}",
        help=f"take it away, and size the heap with {name}.memory.process.size or the memory of the resource",
        severity=Severity.ERROR,
        confidence=Confidence.HIGH,
        related=_total(config, process),
        evidence={"variable": heap.size, "heap": own},
        measure=abs(heap.size - own),
    )


def _total(config: View, process: _Process) -> list[Place]:
    """Where the size is set that Flink's own heap follows from."""
    keys = (f"{process.name}.memory.flink.size", f"{process.name}.memory.process.size")
    return links((first_set(config, keys), f"the {process.name}'s heap of {readable(process.own)} follows from this"))


def _derived(config: View, process: str | None) -> tuple[int, int, int] | None:
    """The heap of a process, what else it takes, and what it has for all."""
    if process == "taskmanager" and (container := container_of(config)) is not None:
        memory = container.memory
        return memory.jvm_heap, memory.process_size - memory.jvm_heap - memory.overhead, container.limit
    if process == "jobmanager" and (jobmanager := config.jobmanager_memory()) is not None:
        beside = jobmanager.process_size - jobmanager.heap - jobmanager.overhead
        return jobmanager.heap, beside, jobmanager.process_size
    return None


# -- two releases


def _releases(config: View, processes: Sequence[View]) -> Iterator[Finding]:
    """Whether TaskManagers of two releases get much the same of the lines of one file."""
    found = [
        (one, memory)
        for one in processes
        if _total_of(one, config) is not None and (memory := one.taskmanager_memory()) is not None
    ]
    if not found:
        return
    older, before = min(found, key=lambda pair: pair[0].index)
    newer, after = max(found, key=lambda pair: pair[0].index)
    total = _total_of(older, config)
    if total is None or _written(older) != _written(newer):
        return
    parts = {"task heap": (before.task_heap, after.task_heap), "managed memory": (before.managed, after.managed)}
    difference = config.threshold("difference")
    changed = {name: pair for name, pair in parts.items() if abs(pair[1] - pair[0]) > difference * pair[0]}
    if not changed:
        return
    name, (old, new) = next(iter(changed.items()))
    change = percent(round(abs(new - old) / max(1, old), 2))
    why = ""
    if before.network != after.network:
        why = f", as network memory is {readable(before.network)} in the one and {readable(after.network)} in the other"
    yield total.finding(
        f"of the same lines {name_of(newer)} (Flink {newer.target.version}) has {readable(new)} of {name} and"
        f" {name_of(older)} (Flink {older.target.version}) {readable(old)}, {change} {'less' if new < old else 'more'}"
        f" in the newer one{why}",
        help="write down what the releases decide otherwise"
        + (": taskmanager.memory.network.max, 1g as up to 1.16" if why else ""),
        related=[
            release_place(one, f"Flink {one.target.version}: {_told(memory)}")
            for one, memory in ((older, before), (newer, after))
        ],
        evidence={"before": old, "after": new, "part": name},
        measure=abs(new - old),
    )


def _total_of(process: View, shared: View) -> Setting | None:
    """What gives a process the size of its TaskManagers, where that stands in the shared file."""
    total = first_set(process, _TOTALS)
    return total if total is not None and total.document is shared.document else None


def _written(config: View) -> dict[str, str]:
    """All that is written about the memory of TaskManagers."""
    return {key: entry.text for key, entry in config.effective.items() if key.startswith(_OF_MEMORY)}


def _told(memory: TaskManagerMemory) -> str:
    heap, managed, network = map(readable, (memory.task_heap, memory.managed, memory.network))
    return f"task heap {heap}, managed {managed}, network {network}"


_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20.4
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    %s
  podTemplate:
    spec:
      containers:
        - name: %s
          env:
            - name: %s
              value: "%s"
          volumeMounts:
            - name: scratch
              mountPath: /scratch
      volumes:
        - name: scratch
          emptyDir: %s
  taskManager:
    resource:
      memory: %s
      cpu: 2
"""
_ROCKSDB = "state.backend.type: rocksdb"
_VOLUME = "{medium: Memory, sizeLimit: 1Gi}"


def _deployment(configuration: str = _ROCKSDB, *, volume: str = _VOLUME, name: str = "flink-main-container",
                variable: str = "TZ", value: str = "UTC", memory: str = "4g") -> str:  # fmt: skip
    return _DEPLOYMENT % (configuration, name, variable, value, volume, memory)


_FIXED = _ROCKSDB + "\n    state.backend.rocksdb.memory.fixed-per-slot: 1g"
_SMALL = "{medium: Memory, sizeLimit: %dMi}"

_JOBMANAGER = "  jobManager:\n    resource: {memory: 2g, cpu: 1}\n"
_SIZES = """services:
  taskmanager-small:
    image: flink:1.20.4
    command: taskmanager
    mem_limit: 2g
    environment: &all
      _JAVA_OPTIONS: -Xmx3g
      FLINK_PROPERTIES: "taskmanager.memory.process.size: 1728m"
  taskmanager-large:
    image: flink:1.20.4
    command: taskmanager
    mem_limit: 16g
    environment: *all
"""


def _of_jobmanager(text: str) -> str:
    """The deployment with the pod template of its JobManager alone."""
    head, _, rest = text.partition("  podTemplate:\n")
    template, _, tail = rest.partition("  taskManager:\n")
    indented = "".join(f"  {line}" for line in template.splitlines(keepends=True))
    return f"{head}  jobManager:\n    podTemplate:\n{indented}  taskManager:\n{tail}"


_WORKLOAD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: taskmanager
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.20
          args: [taskmanager]
          resources:
            limits: {memory: %s}
          env:
            - name: FLINK_PROPERTIES
              value: "jobmanager.rpc.address: jobmanager"
          volumeMounts:
            - {name: scratch, mountPath: /scratch}
      volumes:
        - name: scratch
          emptyDir: {medium: Memory, sizeLimit: %s}
"""


def cases() -> list[Case]:
    return [
        bad(
            _deployment(),
            file="orders.yaml",
            severity=Severity.WARNING,
            at="1Gi",
            says="are 879.6 MiB too much: the container is killed",
        ),
        bad(_deployment(volume="{medium: Memory, sizeLimit: 2Gi}"), file="orders.yaml", severity=Severity.ERROR),
        bad(
            _deployment(_FIXED),
            file="orders.yaml",
            severity=Severity.ERROR,
            says="RocksDB with 1 GiB in each of 2 slots",
        ),
        bad(_deployment(_ROCKSDB + "\n    kubernetes.taskmanager.memory.limit-factor: '1.1'"), file="orders.yaml"),
        bad(_deployment("parallelism.default: 2", volume=_SMALL % 282), file="orders.yaml"),
        good(_deployment("parallelism.default: 2", volume=_SMALL % 281), file="orders.yaml"),
        good(_deployment(_ROCKSDB + "\n    kubernetes.taskmanager.memory.limit-factor: '1.3'"), file="orders.yaml"),
        good(
            _deployment(
                _ROCKSDB + "\n    taskmanager.memory.jvm-overhead.min: 1300m"
                "\n    taskmanager.memory.jvm-overhead.max: 1400m"
            ),
            file="orders.yaml",
        ),
        good(_deployment(volume="{medium: Memory}"), file="orders.yaml"),
        good(_deployment(volume="{sizeLimit: 1Gi}"), file="orders.yaml"),
        good(_deployment(name="sidecar"), file="orders.yaml"),
        good(_deployment(memory="{{ .Values.memory }}"), file="orders.yaml"),
        good(_deployment(_FIXED, volume="{}"), file="orders.yaml"),
        good(_deployment(_ROCKSDB + "\n    kubernetes.taskmanager.memory.limit-factor: ${FACTOR}"), file="orders.yaml"),
        bad(_WORKLOAD % ("2Gi", "1Gi"), file="taskmanager.yaml", at="1Gi"),
        good(_WORKLOAD % ("4Gi", "1Gi"), file="taskmanager.yaml"),
        bad(
            _deployment(volume="{}", variable="_JAVA_OPTIONS", value="-Xmx1800m") + _JOBMANAGER,
            file="orders.yaml",
            at="jobmanager._JAVA_OPTIONS",
            says="with 384 MiB beside it the jobmanager outgrows its 2 GiB",
        ),
        good(_deployment(volume="{}", variable="_JAVA_OPTIONS", value="-Xmx1650m") + _JOBMANAGER, file="orders.yaml"),
        bad(
            _deployment(volume="{}", variable="_JAVA_OPTIONS", value="-XX:+UseG1GC -Xmx3g"),
            file="orders.yaml",
            severity=Severity.ERROR,
            says="outgrows its 4 GiB and is killed",
        ),
        bad(
            _deployment(volume="{}", variable="_JAVA_OPTIONS", value="-Xmx512m"),
            file="orders.yaml",
            severity=Severity.ERROR,
            at="taskmanager._JAVA_OPTIONS",
            says="does not start",
        ),
        bad(
            _deployment(volume="{}", variable="JAVA_TOOL_OPTIONS", value="-Xmx3g"),
            file="orders.yaml",
            severity=Severity.WARNING,
            says="which does nothing: Flink passes -Xmx",
        ),
        bad(
            _deployment(volume="{}", variable="JDK_JAVA_OPTIONS", value="-XX:MaxHeapSize=3g") + _JOBMANAGER,
            file="orders.yaml",
            says="Flink passes -Xmx1459m to the jobmanager and -Xmx1587m to the taskmanager",
        ),
        good(_deployment(volume="{}", variable="_JAVA_OPTIONS", value="-Xmx1700m"), file="orders.yaml"),
        good(_deployment(volume="{}", variable="JAVA_TOOL_OPTIONS", value="-XX:+UseG1GC"), file="orders.yaml"),
        good(
            _deployment(volume="{}", variable="JAVA_TOOL_OPTIONS", value="-Xmx3g", memory="{{ .Values.memory }}"),
            file="orders.yaml",
        ),
        # What RocksDB takes is told by its options alone, and what the container has by its limit.
        bad(_deployment(_ROCKSDB, volume=_SMALL % 281), file="orders.yaml", at="281Mi"),
        good(_deployment("state.backend.type: hashmap", volume=_SMALL % 281), file="orders.yaml"),
        good(
            _deployment(_ROCKSDB + "\n    state.backend.rocksdb.memory.managed: false", volume=_SMALL % 281),
            file="orders.yaml",
        ),
        good(
            _deployment(_ROCKSDB + "\n    state.backend.rocksdb.memory.fixed-per-tm: 512m", volume=_SMALL % 281),
            file="orders.yaml",
        ),
        good(
            _deployment(_FIXED + "\n    taskmanager.numberOfTaskSlots: ${SLOTS}", volume=_SMALL % 281),
            file="orders.yaml",
        ),
        good(_WORKLOAD % ("${LIMIT}", "1Gi"), file="taskmanager.yaml"),
        good(_WORKLOAD % ('"0"', "1Gi"), file="taskmanager.yaml"),
        # Two TaskManagers of one text, of different sizes.
        good(_SIZES, file="docker-compose.yml"),
        # Which volumes are memory of the TaskManager.
        good(_deployment(volume="{medium: HugePages-2Mi, sizeLimit: 1Gi}"), file="orders.yaml"),
        good(_deployment(variable="CACHE", value="Memory", volume="{}"), file="orders.yaml"),
        good(_of_jobmanager(_deployment()), file="orders.yaml"),
        *cases_in_folders(__file__),
    ]

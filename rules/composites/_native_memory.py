"""Memory in a TaskManager's container that Flink's memory model does not include, in bytes.

Bytes throughout. What has no number (a memory volume without a limit, fragments of an allocator) is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER, quantity
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

BACKEND = "state.backend.type"
SLOTS = "taskmanager.numberOfTaskSlots"
PER_SLOT = "state.backend.rocksdb.memory.fixed-per-slot"
_FOR_ALL = "state.backend.rocksdb.memory.fixed-per-tm"
_MANAGED = "state.backend.rocksdb.memory.managed"
_LIMIT_FACTOR = "kubernetes.taskmanager.memory.limit-factor"
_MEDIUM = regex(r"(spec\.(?:.*\.)?(?:podTemplate|template)\.spec\.)volumes\[(\d+)\]\.emptyDir\.medium")
_XMX = regex(r"(?:-Xmx|-XX:MaxHeapSize=)(\d+)([kKmMgGtT]?)(?=\s|$)")
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
WINNING = "_JAVA_OPTIONS"
LOSING = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")


class Taker(NamedTuple):
    """A use of memory outside of Flink's memory model: its size, its place in a file, and its description."""

    size: int
    what: str
    document: Document
    span: Span
    key: str

    def place(self) -> Place:
        """Return the place in the file that shows the use of memory."""
        return Place(self.document.path, self.span, f"{readable(self.size)}: {self.what}")


class Container(NamedTuple):
    """A TaskManager's container: its memory limit, and the memory that Flink derives for the process."""

    part: ElementView
    limit: int
    memory: TaskManagerMemory
    factor: float = 1.0
    """The memory limit of the container divided by the memory of the process."""


def container_of(config: View) -> Container | None:
    """Return the container of the TaskManagers; None if its limit is unknown."""
    memory = config.taskmanager_memory()
    parts = [part for part in config.elements("container") if part.text("role") == "taskmanager"]
    if memory is None or len(parts) != 1:
        return None
    if config.platform == "operator":
        factor = config.number(_LIMIT_FACTOR) if config.since("1.15") else 1.0
        if factor is None:
            return None
        return Container(parts[0], int(memory.process_size * max(1.0, factor)), memory, factor)
    limit = parts[0].value("memory")
    return Container(parts[0], limit, memory) if isinstance(limit, int) and limit else None


def takers(config: View, memory: TaskManagerMemory, volumes: Sequence[Taker]) -> list[Taker]:
    """Return all uses of memory outside of the memory model, including `volumes`, the largest first."""
    return sorted((*volumes, *_rocksdb(config, memory)), key=lambda one: -one.size)


def memory_volumes(config: View) -> Iterator[Taker]:
    """Yield the memory volumes with a size limit that the TaskManagers' container mounts."""
    names = {MAIN_CONTAINER, *(part.name for part in config.elements("container"))}
    for resource in config.elements("kubernetes-object"):
        attributes = resource.element.attributes
        for name in attributes:
            if resource.text(name) != "Memory" or ".jobManager." in name or not (match := _MEDIUM.fullmatch(name)):
                continue
            volume = f"{match[1]}volumes[{match[2]}]"
            limit, size = f"{volume}.emptyDir.sizeLimit", None
            if isinstance(text := resource.value(limit), str):
                size = quantity(text)
            path = _mount(resource, match[1], resource.text(f"{volume}.name"), names)
            if size is None or path is None:
                continue
            yield Taker(int(size), f"a volume in memory at {path}", resource.document, resource.span(limit), limit)


def _mount(resource: ElementView, pod: str, volume: str | None, names: set[str]) -> str | None:
    """Where a container of one of these names has a volume."""
    for container in resource.items(f"{pod}containers"):
        if container.text("name") in names:
            for mount in container.items("volumeMounts"):
                if mount.text("name") == volume:
                    return mount.text("mountPath")
    return None


def _rocksdb(config: View, memory: TaskManagerMemory) -> Iterator[Taker]:
    """What RocksDB takes: a fixed size for each slot, or a little more than its managed memory."""
    from flink_flint.calculators.formulas.rocksdb_memory import native_slack

    backend, fixed = config.get(BACKEND), config.get(PER_SLOT)
    if backend.entry is None or backend.text.lower() != "rocksdb":
        return
    if fixed.entry is not None:
        size, slots = config.memory(PER_SLOT), config.integer(SLOTS)
        if size and slots:
            what = f"RocksDB with {readable(size)} in each of {slots} slots"
            yield Taker(size * slots, what, fixed.document, fixed.entry.value_span, PER_SLOT)
    elif config.boolean(_MANAGED) and not config.is_set(_FOR_ALL):
        what = "RocksDB beyond its managed memory, a tenth of that"
        yield Taker(int(native_slack(memory.managed)), what, backend.document, backend.entry.value_span, BACKEND)


# -- the heap that variables of the JVM ask for


class Heap(NamedTuple):
    """A heap size in an environment variable of a container."""

    size: int
    variable: str
    wins: bool
    """Whether the -Xmx in the variable takes precedence over Flink's own -Xmx."""


def heap_of_environment(part: ElementView) -> Heap | None:
    """Return the heap size in an environment variable, preferring the one with precedence; None if there is none."""
    for variable in (WINNING, *LOSING):
        text = part.text(f"environment.{variable}")
        found = _XMX.findall(text) if text is not None else []
        if found:
            number, unit = found[-1]
            return Heap(int(number) << _SHIFTS[unit.lower()], variable, variable == WINNING)
    return None

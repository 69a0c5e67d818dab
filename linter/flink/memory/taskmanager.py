"""The memory of a TaskManager, as Flink 1.10 and later derive it from the configuration.

Exact to the byte, including errors and their messages (measured on every release from 1.10 to 2.3). There are three
ways to configure it, and the first that applies is used: by task heap and managed memory, by the total Flink memory, by
the total process memory.

    process = Flink + metaspace + JVM overhead
    Flink   = heap (framework, task) + managed + off-heap (framework, task) + network
"""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.options_reader import Inconsistent, MemoryRefused, MemoryUnknown, Reader, Trace
from flink_flint.linter.flink.memory.shared_derivation import (
    FIRST_TASKMANAGER,
    derived,
    derives_both_alike,
    framework_keys,
    introduced,
    jvm_args,
    legacy_heap,
    needs_sizes,
    overflow,
    total_keys,
)
from flink_flint.linter.flink.memory.size_arithmetic import flink_text, total
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.flink.values import MAX_INT
from flink_flint.linter.text.named_tuple import NamedTuple

_FIRST_WITH_RESOURCES = MINORS.index("1.13")
"""From here on slots and external resources are read along with the memory in any case."""

_SMALLEST_PAGE = 4096


class TaskManagerMemory(NamedTuple):
    """The memory components of a TaskManager process, in bytes."""

    framework_heap: int
    task_heap: int
    managed: int
    framework_off_heap: int
    task_off_heap: int
    network: int
    metaspace: int
    overhead: int

    @property
    def flink_size(self) -> int:
        """The total Flink memory in bytes: everything except metaspace and JVM overhead."""
        return self.jvm_heap + self.managed + self.jvm_direct

    @property
    def process_size(self) -> int:
        """The total process memory in bytes, which a container must provide."""
        return self.flink_size + self.metaspace + self.overhead

    @property
    def jvm_heap(self) -> int:
        """The JVM heap size in bytes: the value of ``-Xmx`` and ``-Xms``."""
        return self.framework_heap + self.task_heap

    @property
    def jvm_direct(self) -> int:
        """The JVM's limit for direct memory in bytes: the value of ``-XX:MaxDirectMemorySize``."""
        return self.framework_off_heap + self.task_off_heap + self.network

    @property
    def jvm_args(self) -> str:
        """The JVM's memory arguments, as Flink's start script passes them."""
        return jvm_args(self.jvm_heap, self.jvm_direct, self.metaspace)


def taskmanager(
    config: Configuration,
    trace: Trace | None = None,
    *,
    containers: bool = False,
    environment: Mapping[str, str] | None = None,
) -> TaskManagerMemory:
    """Return the memory of a TaskManager, as Flink derives it from `config`.

    `containers`: started by Flink itself on YARN or Kubernetes (native), where the old heap keys of 1.x set the process
    size; elsewhere they set the Flink size. `environment`: the process's variables (1.x reads FLINK_TM_HEAP). Raises
    MemoryRefused if Flink does not start, MemoryUnknown if a value is a template expression or the release is older
    than 1.10.
    """
    if config.index < FIRST_TASKMANAGER:
        raise MemoryUnknown(f"Flink {config.release.name} sizes its TaskManagers differently")
    config.restrict(FIRST_TASKMANAGER, NEWEST)
    reader = Reader(config, "taskmanager", trace)
    introduction = "TaskManager failed to map legacy JVM heap option to the new one"
    try:
        legacy_heap(
            reader,
            "FLINK_TM_HEAP",
            reader.key("process.size" if containers else "flink.size"),
            environment or {},
        )
        introduction = "TaskManager memory configuration failed"
        memory = _taskmanager(reader)
        _check_resources(reader)
    except Inconsistent as refused:
        if not derives_both_alike(reader):
            raise MemoryRefused(str(refused), refused.causes, refused.keys) from None
        raise introduced(introduction, refused) from None
    except OverflowError as error:
        raise overflow(reader, error) from None
    return memory


class _FlinkParts(NamedTuple):
    """The components of a TaskManager's Flink memory."""

    framework_heap: int
    task_heap: int
    managed: int
    framework_off_heap: int
    task_off_heap: int
    network: int


def _taskmanager(reader: Reader) -> TaskManagerMemory:
    process_key, flink_key = reader.key("process.size"), reader.key("flink.size")
    heap_key, managed_key = reader.key("task.heap.size"), reader.key("managed.size")
    sizes = derived(reader, _from_parts, _from_flink_size, heap_key, managed_key)
    if sizes is not None:
        return TaskManagerMemory(*sizes)
    if derives_both_alike(reader):
        message = needs_sizes(reader, heap_key, managed_key)
    else:
        message = (
            f"Either Task Heap Memory size ({heap_key}) and Managed Memory size ({managed_key}), or Total "
            f"Flink Memory size ({flink_key}), or Total Process Memory size ({process_key}) need to be "
            "configured explicitly."
        )
    raise Inconsistent(message, (), (process_key, flink_key))


def _from_parts(reader: Reader) -> _FlinkParts:
    """Return the components for given task heap and managed memory; network memory is the rest or a share."""
    task_heap = reader.size(reader.key("task.heap.size"))
    managed = reader.size(reader.key("managed.size"))
    framework_heap, framework_off_heap, task_off_heap = _framework_sizes(reader)
    reader.step("Task heap and managed memory are given: {} and {}.", task_heap, managed)
    parts = _FlinkParts(framework_heap, task_heap, managed, framework_off_heap, task_off_heap, 0)
    others = total(*parts)
    flink_key = reader.key("flink.size")
    if reader.is_set(flink_key):
        return _network_as_rest(reader, parts, reader.size(flink_key))
    if _uses_buffers(reader):
        network = _buffers(reader)
    else:
        share = reader.share("network")
        network = reader.bounded("Network memory", share, share.next_to(others), "the resulting Flink size")
    return parts._replace(network=network)


def _from_flink_size(reader: Reader, flink_size: int) -> _FlinkParts:
    """Return the components for a given total: task heap is the rest, or network memory if task heap is given."""
    framework_heap, framework_off_heap, task_off_heap = _framework_sizes(reader)
    heap_key, managed_key = reader.key("task.heap.size"), reader.key("managed.size")
    if reader.is_set(heap_key):
        task_heap = reader.size(heap_key)
        reader.step("Task heap is given: {}.", task_heap)
        managed = _managed(reader, flink_size)
        parts = _FlinkParts(framework_heap, task_heap, managed, framework_off_heap, task_off_heap, 0)
        return _network_as_rest(reader, parts, flink_size)
    managed = _managed(reader, flink_size)
    if _uses_buffers(reader):
        network = _buffers(reader)
    else:
        share = reader.share("network")
        network = reader.bounded("Network memory", share, share.of(flink_size), "the Flink size")
    others = total(framework_heap, framework_off_heap, task_off_heap, managed, network)
    if others > flink_size:
        raise reader.inconsistent(
            f"Sum of configured Framework Heap Memory ({flink_text(framework_heap)}), Framework Off-Heap "
            f"Memory ({flink_text(framework_off_heap)}), Task Off-Heap Memory ({flink_text(task_off_heap)}), "
            f"Managed Memory ({flink_text(managed)}) and Network Memory ({flink_text(network)}) exceed "
            f"configured Total Flink Memory ({flink_text(flink_size)}).",
            *total_keys(reader),
            managed_key,
            reader.key("managed.fraction"),
            *_network_keys(reader),
            *framework_keys(reader),
        )
    task_heap = flink_size - others
    reader.step("Task heap is the rest of the Flink size: {}.", task_heap)
    return _FlinkParts(framework_heap, task_heap, managed, framework_off_heap, task_off_heap, network)


def _framework_sizes(reader: Reader) -> tuple[int, int, int]:
    framework_heap = reader.size(reader.key("framework.heap.size"))
    framework_off_heap = reader.size(reader.key("framework.off-heap.size"))
    task_off_heap = reader.size(reader.key("task.off-heap.size"))
    reader.step(
        "Framework heap is {}, framework off-heap {}, task off-heap {}.",
        framework_heap,
        framework_off_heap,
        task_off_heap,
    )
    return framework_heap, framework_off_heap, task_off_heap


def _managed(reader: Reader, flink_size: int) -> int:
    key = reader.key("managed.size")
    if reader.is_set(key):
        managed = reader.size(key)
        reader.step("Managed memory is given: {}.", managed)
        return managed
    share = reader.unbounded_share("managed")
    return reader.bounded("Managed memory", share, share.of(flink_size), "the Flink size")


def _network_as_rest(reader: Reader, parts: _FlinkParts, flink_size: int) -> _FlinkParts:
    """Return the components with network memory as the rest of the Flink memory; it must match its own options."""
    others = total(*parts)
    involved = (
        *total_keys(reader),
        reader.key("task.heap.size"),
        reader.key("managed.size"),
        reader.key("managed.fraction"),
    )
    if others > flink_size:
        raise reader.inconsistent(
            f"Sum of configured Framework Heap Memory ({flink_text(parts.framework_heap)}), Framework "
            f"Off-Heap Memory ({flink_text(parts.framework_off_heap)}), Task Heap Memory "
            f"({flink_text(parts.task_heap)}), Task Off-Heap Memory ({flink_text(parts.task_off_heap)}) and "
            f"Managed Memory ({flink_text(parts.managed)}) exceed configured Total Flink Memory "
            f"({flink_text(flink_size)}).",
            *involved,
            *framework_keys(reader),
        )
    network = flink_size - others
    reader.step("Network memory is the rest of the Flink size: {}.", network)
    try:
        _check_network(reader, network, involved)
    except Inconsistent as refused:
        raise reader.inconsistent(
            "If Total Flink, Task Heap and (or) Managed Memory sizes are explicitly configured then the "
            "Network Memory size is the rest of the Total Flink memory after subtracting all other "
            "configured types of memory, but the derived Network Memory is inconsistent with its "
            "configuration.",
            *refused.keys,
            causes=(str(refused), *refused.causes),
        ) from None
    return parts._replace(network=network)


def _check_network(reader: Reader, network: int, involved: tuple[str, ...]) -> None:
    """Reject network memory that does not match its own options."""
    if _uses_buffers(reader):
        expected = _buffers(reader)
        if network == expected:
            return
        problem = f"does not match configured Network Memory size ({flink_text(expected)})"
    else:
        share = reader.share("network")
        if share.allows(network):
            return
        bounds = f"[{flink_text(share.minimum)}, {flink_text(share.maximum)}]"
        problem = f"is not in configured Network Memory range {bounds}"
    raise reader.inconsistent(
        f"Derived Network Memory size ({flink_text(network)}) {problem}.",
        *involved,
        *_network_keys(reader),
        *framework_keys(reader),
    )


def _network_keys(reader: Reader) -> tuple[str, ...]:
    if _uses_buffers(reader):
        return "taskmanager.network.numberOfBuffers", "taskmanager.memory.segment-size"
    return tuple(reader.key(f"network.{bound}") for bound in ("fraction", "min", "max"))


def _uses_buffers(reader: Reader) -> bool:
    """Return whether the number of network buffers is used: in 1.x, if no newer option is set."""
    return reader.is_set("taskmanager.network.numberOfBuffers") and not any(
        reader.is_set(reader.key(f"network.{bound}")) for bound in ("min", "max", "fraction")
    )


def _buffers(reader: Reader) -> int:
    """Return network memory as a number of buffers of one segment each."""
    count_key, segment_key = "taskmanager.network.numberOfBuffers", "taskmanager.memory.segment-size"
    count = reader.integer(count_key)
    segment = reader.integer(segment_key)
    if segment > MAX_INT:
        raise MemoryRefused(f"Cannot downcast long value {segment} to integer.", (), (segment_key,))
    name = reader.config.resolve(segment_key).name
    if segment < _SMALLEST_PAGE:
        problem = f"Minimum memory segment size is {_SMALLEST_PAGE}"
        raise reader.inconsistent(f"Invalid configuration value for {name} : {segment} - {problem}", segment_key)
    if segment & (segment - 1):
        raise reader.inconsistent(
            f"Invalid configuration value for {name} : {segment} - Memory segment size must be a power of 2.",
            segment_key,
        )
    if count < 0:
        raise MemoryRefused("bytes must be >= 0", (), (count_key,))
    reader.step(f"Network memory: {count} buffers of {{}} are {{}}.", segment, count * segment)
    return count * segment


def _check_resources(reader: Reader) -> None:
    """Reject invalid options that Flink reads along with the memory.

    These are the CPU cores (the number of slots by default); from 1.13 on also slots and external resources.
    """
    cores_key, slots_key = "taskmanager.cpu.cores", "taskmanager.numberOfTaskSlots"
    key = cores_key if reader.is_set(cores_key) else slots_key
    cores = reader.value(key)
    assert isinstance(cores, (int, float))
    if cores <= 0:
        raise reader.inconsistent(
            "TaskExecutors need to be started with a positive number of CPU cores. Please configure "
            f"{cores_key} accordingly.",
            key,
        )
    if not cores < float("inf"):
        from flink_flint.linter.flink.yaml.yaml_core_schema import double_text

        raise MemoryRefused(
            f"Character {double_text(cores)[0]} is neither a decimal digit number, decimal point, nor "
            '"e" notation exponential mark.',
            (),
            (key,),
        )
    resources = reader.is_set("external-resources")
    if key == slots_key and not resources:
        return
    if reader.config.index < _FIRST_WITH_RESOURCES:
        reader.config.restrict(FIRST_TASKMANAGER, _FIRST_WITH_RESOURCES - 1)
        return
    reader.config.restrict(_FIRST_WITH_RESOURCES, NEWEST)
    reader.value(slots_key)
    names = reader.value("external-resources") if resources else None
    for name in names if isinstance(names, list) else ():
        reader.value(f"external-resource.{name}.amount")

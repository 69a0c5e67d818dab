"""The memory of a JobManager, as Flink 1.11 and later derive it from the configuration.

Exact to the byte, including errors and their messages (measured on every release from 1.11 to 2.3). There are three
ways to configure it, and the first that applies is used: by the heap, by the total Flink memory, by the total process
memory.

    process = Flink + metaspace + JVM overhead
    Flink   = heap + off-heap
"""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.options_reader import Inconsistent, MemoryRefused, MemoryUnknown, Reader, Trace
from flink_flint.linter.flink.memory.shared_derivation import (
    FIRST_JOBMANAGER,
    derived,
    introduced,
    jvm_args,
    legacy_heap,
    needs_sizes,
    overflow,
    total_keys,
)
from flink_flint.linter.flink.memory.size_arithmetic import flink_text, total
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.text.named_tuple import NamedTuple

_FIRST_UNWRAPPED = MINORS.index("2.0")
"""From here on errors of a JobManager do not begin with "JobManager memory configuration failed"."""

_SMALLEST_HEAP = 128 << 20


class JobManagerMemory(NamedTuple):
    """The memory components of a JobManager process, in bytes."""

    heap: int
    off_heap: int
    metaspace: int
    overhead: int
    direct_limit: bool = False
    """Whether the JVM limits direct memory to `off_heap` (``jobmanager.memory.enable-jvm-direct-memory-limit``)."""

    @property
    def flink_size(self) -> int:
        """The total Flink memory in bytes: everything except metaspace and JVM overhead."""
        return self.heap + self.off_heap

    @property
    def process_size(self) -> int:
        """The total process memory in bytes, which a container must provide."""
        return self.flink_size + self.metaspace + self.overhead

    @property
    def jvm_args(self) -> str:
        """The JVM's memory arguments, as Flink's start script passes them."""
        return jvm_args(self.heap, self.off_heap if self.direct_limit else None, self.metaspace)


def jobmanager(
    config: Configuration,
    trace: Trace | None = None,
    *,
    containers: bool = False,
    environment: Mapping[str, str] | None = None,
) -> JobManagerMemory:
    """Return the memory of a JobManager, as Flink derives it from a configuration.

    `containers` and `environment` are as for `taskmanager`, except that elsewhere the old heap keys set the JVM heap
    and the variable is FLINK_JM_HEAP. Raises MemoryRefused if Flink does not start, MemoryUnknown if a value is a
    template expression or the release is older than 1.11.
    """
    if config.index < FIRST_JOBMANAGER:
        raise MemoryUnknown(f"Flink {config.release.name} sizes its JobManager differently")
    config.restrict(FIRST_JOBMANAGER, NEWEST)
    reader = Reader(config, "jobmanager", trace)
    try:
        legacy_heap(
            reader,
            "FLINK_JM_HEAP",
            reader.key("process.size" if containers else "heap.size"),
            environment or {},
        )
        memory = _jobmanager(reader)
    except Inconsistent as refused:
        if config.index >= _FIRST_UNWRAPPED:
            config.restrict(_FIRST_UNWRAPPED, NEWEST)
            raise MemoryRefused(str(refused), refused.causes, refused.keys) from None
        config.restrict(FIRST_JOBMANAGER, _FIRST_UNWRAPPED - 1)
        raise introduced("JobManager memory configuration failed", refused) from None
    except OverflowError as error:
        raise overflow(reader, error) from None
    limit = reader.value(reader.key("enable-jvm-direct-memory-limit"))
    return memory._replace(direct_limit=limit is True)


def _jobmanager(reader: Reader) -> JobManagerMemory:
    heap_key = reader.key("heap.size")
    sizes = derived(reader, _from_heap, _heap_as_rest, heap_key)
    if sizes is None:
        keys = (reader.key("process.size"), reader.key("flink.size"), heap_key)
        raise Inconsistent(needs_sizes(reader, heap_key), (), keys)
    heap, off_heap, metaspace, overhead = sizes
    return JobManagerMemory(heap, off_heap, metaspace, overhead)


def _from_heap(reader: Reader) -> tuple[int, int]:
    """Return heap and off-heap memory for a given heap."""
    heap = reader.size(reader.key("heap.size"))
    off_heap = reader.size(reader.key("off-heap.size"))
    reader.step("JVM heap is given: {}.", heap)
    if reader.is_set(reader.key("flink.size")):
        off_heap = _off_heap_as_rest(reader, heap, off_heap)
    reader.step("Off-heap memory is {}.", off_heap)
    _warn_of_small_heap(reader, heap)
    return heap, off_heap


def _off_heap_as_rest(reader: Reader, heap: int, off_heap: int) -> int:
    """Return off-heap memory for a given heap and total; reject sizes that do not add up."""
    flink_key, heap_key, off_heap_key = (reader.key(name) for name in ("flink.size", "heap.size", "off-heap.size"))
    flink_size = reader.size(flink_key)
    advice = (
        "Please, make the configuration consistent or configure only one option: either JVM Heap or Total Flink Memory."
    )
    if reader.is_set(off_heap_key):
        if total(heap, off_heap) != flink_size:
            raise reader.inconsistent(
                f"Sum of the configured JVM Heap Memory ({flink_text(heap)}) and the configured Off-heap "
                f"Memory ({flink_text(off_heap)}) does not match the configured Total Flink Memory "
                f"({flink_text(flink_size)}). {advice}",
                flink_key,
                heap_key,
                off_heap_key,
            )
        return off_heap
    if flink_size < heap:
        raise reader.inconsistent(
            f"The configured JVM Heap Memory ({flink_text(heap)}) exceeds the configured Total Flink Memory "
            f"({flink_text(flink_size)}). {advice}",
            flink_key,
            heap_key,
        )
    return flink_size - heap


def _heap_as_rest(reader: Reader, flink_size: int) -> tuple[int, int]:
    """Return heap and off-heap memory for a given Flink memory."""
    off_heap = reader.size(reader.key("off-heap.size"))
    reader.step("Off-heap memory is {}.", off_heap)
    if flink_size <= off_heap:
        raise reader.inconsistent(
            f"The configured Total Flink Memory ({flink_text(flink_size)}) is less than the configured "
            f"Off-heap Memory ({flink_text(off_heap)}).",
            *total_keys(reader),
            reader.key("off-heap.size"),
        )
    heap = flink_size - off_heap
    reader.step("JVM heap is the rest of the Flink size: {}.", heap)
    _warn_of_small_heap(reader, heap)
    return heap, off_heap


def _warn_of_small_heap(reader: Reader, heap: int) -> None:
    if heap < _SMALLEST_HEAP:
        reader.warn(
            f"The configured or derived JVM heap memory size ({flink_text(heap)}) is less than its "
            f"recommended minimum value ({flink_text(_SMALLEST_HEAP)})"
        )

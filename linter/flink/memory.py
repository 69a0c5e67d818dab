"""The memory of Flink's processes: what a TaskManager and a JobManager make of their configuration.

Reproduces, byte for byte, how Flink 1.10 and later derive a TaskManager's memory and Flink 1.11 and later a
JobManager's, refusals and their messages included (measured on every release from 1.10 to 2.3). All sizes
are whole bytes.

Three ways lead to a result, and the first that applies is taken: the parts are given (task heap and managed
memory; the JobManager's heap), the total Flink memory is given, the total process memory is given.

    process = Flink + metaspace + JVM overhead
    Flink   = heap + off-heap (+ managed memory of a TaskManager)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linter.flink.configuration import BadValue, Configuration
from linter.flink.releases import MINORS, NEWEST
from linter.flink.values import parse_memory, text_of

FIRST_TASKMANAGER = MINORS.index("1.10")
FIRST_JOBMANAGER = MINORS.index("1.11")
_FIRST_WITH_RESOURCES = MINORS.index("1.13")
"""From here on slots and external resources are read along with the memory in any case."""
_FIRST_UNWRAPPED = MINORS.index("2.0")
"""From here on a JobManager's refusal is not introduced by "JobManager memory configuration failed"."""

_LARGEST = 2**63 - 1
_LARGEST_INT = 2**31 - 1
_SMALLEST_HEAP = 128 << 20
_SMALLEST_PAGE = 4096
_UNITS = ((40, "tb"), (30, "gb"), (20, "mb"), (10, "kb"))


class TaskManagerMemory(NamedTuple):
    """The parts of a TaskManager process, in bytes."""

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
        """Total Flink memory: everything but metaspace and JVM overhead."""
        return self.jvm_heap + self.managed + self.jvm_direct

    @property
    def process_size(self) -> int:
        """Total process memory: what a container needs to grant."""
        return self.flink_size + self.metaspace + self.overhead

    @property
    def jvm_heap(self) -> int:
        """What ``-Xmx`` and ``-Xms`` get."""
        return self.framework_heap + self.task_heap

    @property
    def jvm_direct(self) -> int:
        """What ``-XX:MaxDirectMemorySize`` gets."""
        return self.framework_off_heap + self.task_off_heap + self.network

    @property
    def jvm_args(self) -> str:
        """The JVM's arguments as Flink's start script passes them."""
        return _jvm_args(self.jvm_heap, self.jvm_direct, self.metaspace)


class JobManagerMemory(NamedTuple):
    """The parts of a JobManager process, in bytes."""

    heap: int
    off_heap: int
    metaspace: int
    overhead: int
    direct_limit: bool = False
    """Whether the JVM is held to `off_heap` (``jobmanager.memory.enable-jvm-direct-memory-limit``)."""

    @property
    def flink_size(self) -> int:
        """Total Flink memory: everything but metaspace and JVM overhead."""
        return self.heap + self.off_heap

    @property
    def process_size(self) -> int:
        """Total process memory: what a container needs to grant."""
        return self.flink_size + self.metaspace + self.overhead

    @property
    def jvm_args(self) -> str:
        """The JVM's arguments as Flink's start script passes them."""
        return _jvm_args(self.heap, self.off_heap if self.direct_limit else None, self.metaspace)


def _jvm_args(heap: int, direct: int | None, metaspace: int) -> str:
    limit = "" if direct is None else f" -XX:MaxDirectMemorySize={direct}"
    return f"-Xmx{heap} -Xms{heap}{limit} -XX:MaxMetaspaceSize={metaspace}"


class MemoryRefused(ValueError):  # noqa: N818 - it says what Flink does
    """Flink does not start the process: `str()` is the message of its exception."""

    def __init__(self, message: str, causes: tuple[str, ...] = (), keys: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.causes = causes
        """The messages of the exceptions behind it, outermost first."""
        self.keys = keys
        """The keys at fault (primary names of the newest release), the likeliest first; those that are set
        when any is, else those of which one should be."""


class _Inconsistent(MemoryRefused):
    """A refusal that Flink words as a configuration error, to be introduced by the process's name."""


class MemoryUnknown(LookupError):  # noqa: N818 - it says what flint knows
    """Nothing can be said: a template fills a value in later, or the release is too old for this model."""

    def __init__(self, message: str, keys: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.keys = keys


class Trace:
    """The reasoning behind a result: hand one in to have it filled, up to the refusal if there is one."""

    __slots__ = ("steps", "warnings")

    def __init__(self) -> None:
        self.steps: list[str] = []
        """Plain sentences with their numbers, in the order of the derivation."""
        self.warnings: list[str] = []
        """What Flink would log at WARN."""


# Arithmetic


def times(size: int, factor: float) -> int:
    """`size` bytes times a factor >= 0, cut to whole bytes.

    Flink multiplies in decimal, by the shortest decimal number that reads back as the factor. Raises
    OverflowError where the product exceeds a Java long.
    """
    digits, _, exponent = repr(factor).partition("e")
    whole, _, decimals = digits.partition(".")
    power = int(exponent or 0) - len(decimals)
    product = size * int(whole + decimals)
    if power >= 0:
        return total(product * 10**power)
    divisor: int = 10**-power
    if product > _LARGEST * divisor:
        raise OverflowError("long overflow")
    return product // divisor


def total(*sizes: int) -> int:
    """The sum in bytes; raises OverflowError where it exceeds a Java long."""
    result = sum(sizes)
    if result > _LARGEST:
        raise OverflowError("long overflow")
    return result


class Share(NamedTuple):
    """A part of memory given as a fraction with bounds, such as JVM overhead or network memory."""

    fraction: float
    """In [0, 1): the 32-bit float Flink holds, widened."""
    least: int
    """Bytes."""
    most: int
    """Bytes; not below `least`."""

    def of(self, whole: int) -> int:
        """The part's bytes in a whole of so many bytes, before the bounds."""
        return times(whole, self.fraction)

    def beside(self, rest: int) -> int:
        """The part's bytes when all other parts together are `rest` bytes, before the bounds."""
        return times(rest, self.fraction / (1 - self.fraction))

    def bounded(self, size: int) -> int:
        """A part's bytes brought within the bounds."""
        return max(self.least, min(size, self.most))

    def allows(self, size: int) -> bool:
        """Whether a part of so many bytes lies within the bounds."""
        return self.least <= size <= self.most


# Sizes as text


def flink_text(size: int) -> str:
    """A size as Flink's messages have it: ``1.688gb (1811939328 bytes)``."""
    for shift, unit in _UNITS:
        if size > 1 << shift:
            return f"{_thousandths(size / (1 << shift))}{unit} ({size} bytes)"
    return f"{size} bytes"


def _thousandths(value: float) -> str:
    # Java rounds the shortest decimal text of a number half up; Python rounds its binary value half to even.
    thousandths = (times(10_000, value) + 5) // 10
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def readable(size: int) -> str:
    """A size for people: ``4 GiB``, ``1728 MiB``, ``172.8 MiB``, ``12.5 GiB``, ``512 bytes``."""
    for shift, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        count = size / (1 << shift)
        # 1.7 GiB is better known as 1728 MiB: few of a unit are counted in it only if they come out even.
        if count >= 10 or (count >= 1 and (count.is_integer() or unit == "MiB")):
            return f"{count:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size} bytes"


def _percent(fraction: float) -> str:
    return f"{fraction * 100:.5g} %"


# Reading


class _Reader:
    """Reads the memory options of one process as Flink does, and tells what it found."""

    def __init__(self, config: Configuration, process: str, trace: Trace | None) -> None:
        self.config = config
        self.process = process
        self.trace = trace or Trace()
        self.given: dict[str, tuple[int, str | None]] = {}
        """Sizes that stand in for an option: bytes, and the key they came from (None: the environment)."""
        self.sizes: dict[str, int] = {}

    def step(self, sentence: str) -> None:
        self.trace.steps.append(sentence)

    def key(self, name: str) -> str:
        return f"{self.process}.memory.{name}"

    def is_set(self, key: str) -> bool:
        return key in self.given or self.config.is_set(key)

    def at_fault(self, *keys: str) -> tuple[str, ...]:
        """Of these keys those the user wrote (all of them when none), as `MemoryRefused.keys` wants them."""
        written: list[str] = []
        for key in dict.fromkeys(keys):
            source = self.given[key][1] if key in self.given else key if self.config.is_set(key) else None
            if source:
                written.append(source)
        return tuple(written) or keys

    def inconsistent(self, message: str, *keys: str, causes: tuple[str, ...] = ()) -> _Inconsistent:
        return _Inconsistent(message, causes, self.at_fault(*keys))

    def value(self, key: str) -> object:
        """The typed value; refuses what does not parse."""
        try:
            value = self.config.value(key)
        except BadValue as bad:
            raise MemoryRefused(self._unparsable(key), (str(bad),), (key,)) from None
        if value is None and self.config.is_set(key):
            raise MemoryUnknown(f"the value of {key} is filled in by a template", (key,))
        return value

    def _unparsable(self, key: str) -> str:
        resolution = self.config.resolve(key)
        return f"Could not parse value '{text_of(resolution.raw)}' for key '{resolution.name}'."

    def size(self, key: str) -> int:
        """Bytes of a size option that is set or has a default."""
        if key in self.given:
            return self.given[key][0]
        try:
            value = self.value(key)
        except MemoryRefused as refused:
            name = self.config.resolve(key).name
            raise _Inconsistent(
                f"Cannot read memory size from config option '{name}'.",
                (str(refused), *refused.causes),
                refused.keys,
            ) from None
        assert isinstance(value, int), key
        self.sizes[key] = int(value)
        return self.sizes[key]

    def integer(self, key: str) -> int:
        value = self.value(key)
        assert isinstance(value, int), key
        return int(value)

    def share(self, part: str) -> Share:
        """The fraction of a part (``network``, ``jvm-overhead``) with its bounds; refuses contradictions."""
        least = self.size(self.key(f"{part}.min"))
        most = self.size(self.key(f"{part}.max"))
        return self._share(part, least, most)

    def unbounded_share(self, part: str) -> Share:
        """The fraction of a part that has no bounds of its own (``managed``)."""
        return self._share(part, 0, _LARGEST)

    def _share(self, part: str, least: int, most: int) -> Share:
        key = self.key(f"{part}.fraction")
        fraction = self.value(key)
        assert isinstance(fraction, float), key
        if least > most:
            cause = "min value must be less or equal to max value"
            keys = [self.key(f"{part}.min"), self.key(f"{part}.max")]
        elif not 0 <= fraction < 1:
            cause = "fraction must be in range [0, 1)"
            keys = [key]
        else:
            return Share(fraction, least, most)
        option = _option_text(self.config, key)
        raise self.inconsistent(
            f"Inconsistently configured {option} ({_double_text(fraction)}) and its min "
            f"({flink_text(least)}), max ({flink_text(most)}) value",
            *keys,
            causes=(cause,),
        )

    def bounded(self, label: str, share: Share, size: int, of: str) -> int:
        """A part's size brought within its bounds, and the sentence that says so."""
        result = share.bounded(size)
        sentence = f"{label}: {_percent(share.fraction)} of {of} is {readable(size)}"
        if size > share.most:
            sentence += f", above its maximum, so {readable(result)}"
        elif size < share.least:
            sentence += f", below its minimum, so {readable(result)}"
        self.step(sentence + ".")
        return result


def _option_text(config: Configuration, key: str) -> str:
    """An option as Flink's messages print it."""
    resolution = config.resolve(key)
    option = resolution.option
    assert option is not None, key
    aliases = ", ".join(
        f"{{key={alias}, isDeprecated={'true' if alias in option.deprecated_keys else 'false'}}}"
        for alias in option.lookup_order
    )
    default = text_of(option.default) if option.has_default and option.default is not None else "null"
    return f"Key: '{resolution.name}' , default: {default} (fallback keys: [{aliases}])"


def _double_text(value: float) -> str:
    from linter.flink.core_schema import double_text

    return double_text(value)


# Both processes


def _heap_of_old(reader: _Reader, variable: str, key: str, environment: Mapping[str, str]) -> None:
    """Let the heap size of releases before this model stand for the option `key`, as 1.x still does."""
    if reader.is_set(key):
        return
    process = reader.process
    size_key, megabytes_key = f"{process}.heap.size", f"{process}.heap.mb"
    source: str | None
    if variable in environment:
        if not reader.config.resolve(size_key).option:
            return
        text = environment[variable]
        try:
            found, source = int(parse_memory(text)), None
        except BadValue as bad:
            raise _Inconsistent(
                f"Cannot read total process memory size from environment variable value {text}.", (str(bad),)
            ) from None
    elif reader.is_set(size_key):
        found, source = reader.size(size_key), size_key
    elif reader.is_set(megabytes_key):
        megabytes = reader.integer(megabytes_key)
        if megabytes < 0:
            raise reader.inconsistent(
                f"Configured total process memory size ({megabytes}MB) must not be less than 0.",
                megabytes_key,
            )
        found, source = megabytes << 20, megabytes_key
    else:
        return
    reader.given[key] = (found, source)
    reader.step(f"{source or variable} stands for {key}: {readable(found)}.")


def _derives_both_alike(reader: _Reader) -> bool:
    """Whether the release derives both processes alike (1.11 and later); 1.10 words a few refusals else."""
    alike = reader.config.index >= FIRST_JOBMANAGER
    if alike:
        reader.config.narrow(FIRST_JOBMANAGER, NEWEST)
    else:
        reader.config.narrow(FIRST_TASKMANAGER, FIRST_TASKMANAGER)
    return alike


def _metaspace_and_overhead_inside(reader: _Reader, process_size: int) -> tuple[int, int]:
    """Metaspace and JVM overhead of a process whose total is given."""
    metaspace = reader.size(reader.key("jvm-metaspace.size"))
    reader.step(f"JVM metaspace is {readable(metaspace)}.")
    share = reader.share("jvm-overhead")
    overhead = reader.bounded("JVM overhead", share, share.of(process_size), "the process size")
    if total(metaspace, overhead) > process_size:
        raise reader.inconsistent(
            f"Sum of configured JVM Metaspace ({flink_text(metaspace)}) and JVM Overhead "
            f"({flink_text(overhead)}) exceed configured Total Process Memory ({flink_text(process_size)}).",
            reader.key("process.size"),
            reader.key("jvm-metaspace.size"),
            *_overhead_keys(reader),
        )
    return metaspace, overhead


def _metaspace_and_overhead_beside(reader: _Reader, flink_size: int) -> tuple[int, int]:
    """Metaspace and JVM overhead of a process whose Flink memory is known."""
    metaspace = reader.size(reader.key("jvm-metaspace.size"))
    reader.step(f"JVM metaspace is {readable(metaspace)}.")
    rest = total(flink_size, metaspace)
    process_key = reader.key("process.size")
    if not reader.is_set(process_key):
        share = reader.share("jvm-overhead")
        overhead = reader.bounded("JVM overhead", share, share.beside(rest), "the resulting process size")
        total(rest, overhead)  # Flink adds them up here, and fails where a long does not hold the sum
        return metaspace, overhead

    process_size = reader.size(process_key)
    totals = (process_key, reader.key("flink.size"))
    if process_size < rest:
        if not _derives_both_alike(reader):
            raise MemoryRefused("bytes must be >= 0", (), reader.at_fault(*totals, *_parts_keys(reader)))
        raise reader.inconsistent(
            f"The configured Total Process Memory size ({flink_text(process_size)}) is less than the sum of "
            f"the derived Total Flink Memory size ({flink_text(flink_size)}) and the configured or default "
            f"JVM Metaspace size  ({flink_text(metaspace)}).",
            *totals,
            *_parts_keys(reader),
            reader.key("jvm-metaspace.size"),
        )
    overhead = process_size - rest
    share = reader.share("jvm-overhead")
    reader.step(
        f"JVM overhead is the rest of the process size {readable(process_size)}: {readable(overhead)} "
        f"(allowed: {readable(share.least)} to {readable(share.most)})."
    )
    if not share.allows(overhead):
        raise reader.inconsistent(
            f"Derived JVM Overhead size ({flink_text(overhead)}) is not in configured JVM Overhead range "
            f"[{flink_text(share.least)}, {flink_text(share.most)}].",
            *totals,
            *_parts_keys(reader),
            *_overhead_keys(reader),
            reader.key("jvm-metaspace.size"),
        )
    return metaspace, overhead


def _overhead_keys(reader: _Reader) -> tuple[str, ...]:
    return tuple(reader.key(f"jvm-overhead.{bound}") for bound in ("fraction", "min", "max"))


def _parts_keys(reader: _Reader) -> tuple[str, ...]:
    """The keys whose sizes add up to the Flink memory when its total is not given."""
    if reader.process == "jobmanager":
        return reader.key("heap.size"), reader.key("off-heap.size")
    return reader.key("task.heap.size"), reader.key("managed.size"), *_framework_keys(reader)


def _framework_keys(reader: _Reader) -> tuple[str, ...]:
    return tuple(reader.key(f"{part}.size") for part in ("task.off-heap", "framework.heap", "framework.off-heap"))


def _flink_inside(reader: _Reader, process_size: int, metaspace: int, overhead: int) -> int:
    flink_size = process_size - metaspace - overhead
    reader.step(f"Flink gets what metaspace and overhead leave: {readable(flink_size)}.")
    return flink_size


def _introduced(introduction: str, refused: _Inconsistent) -> MemoryRefused:
    return MemoryRefused(f"{introduction}: {refused}", (str(refused), *refused.causes), refused.keys)


def _overflow(reader: _Reader, error: OverflowError) -> MemoryRefused:
    written = sorted(reader.sizes, key=reader.sizes.__getitem__, reverse=True)
    return MemoryRefused(str(error), (), reader.at_fault(*written)[:1])


# TaskManager


def taskmanager(
    config: Configuration,
    trace: Trace | None = None,
    *,
    containers: bool = False,
    environment: Mapping[str, str] | None = None,
) -> TaskManagerMemory:
    """The memory of a TaskManager started with a configuration, as Flink derives it.

    `containers`: started by Flink itself on YARN or Kubernetes (native), where the old heap keys of 1.x stand
    for the process size; elsewhere they stand for the Flink size. `environment`: the process's variables
    (1.x reads FLINK_TM_HEAP). Raises MemoryRefused where Flink does not start, MemoryUnknown where a
    template holds a value or the release is older than 1.10.
    """
    if config.index < FIRST_TASKMANAGER:
        raise MemoryUnknown(f"Flink {config.release.name} sizes its TaskManagers differently")
    config.narrow(FIRST_TASKMANAGER, NEWEST)
    reader = _Reader(config, "taskmanager", trace)
    introduction = "TaskManager failed to map legacy JVM heap option to the new one"
    try:
        _heap_of_old(
            reader,
            "FLINK_TM_HEAP",
            reader.key("process.size" if containers else "flink.size"),
            environment or {},
        )
        introduction = "TaskManager memory configuration failed"
        memory = _taskmanager(reader)
        _check_resources(reader)
    except _Inconsistent as refused:
        if not _derives_both_alike(reader):
            raise MemoryRefused(str(refused), refused.causes, refused.keys) from None
        raise _introduced(introduction, refused) from None
    except OverflowError as error:
        raise _overflow(reader, error) from None
    return memory


class _FlinkParts(NamedTuple):
    """A TaskManager's Flink memory."""

    framework_heap: int
    task_heap: int
    managed: int
    framework_off_heap: int
    task_off_heap: int
    network: int


def _taskmanager(reader: _Reader) -> TaskManagerMemory:
    process_key, flink_key = reader.key("process.size"), reader.key("flink.size")
    heap_key, managed_key = reader.key("task.heap.size"), reader.key("managed.size")
    if reader.is_set(heap_key) and reader.is_set(managed_key):
        parts = _from_parts(reader)
        return TaskManagerMemory(*parts, *_metaspace_and_overhead_beside(reader, total(*parts)))
    if reader.is_set(flink_key):
        flink_size = reader.size(flink_key)
        reader.step(f"Total Flink memory is given: {readable(flink_size)}.")
        parts = _from_flink_size(reader, flink_size)
        return TaskManagerMemory(*parts, *_metaspace_and_overhead_beside(reader, flink_size))
    if reader.is_set(process_key):
        process_size = reader.size(process_key)
        reader.step(f"Total process memory is given: {readable(process_size)}.")
        metaspace, overhead = _metaspace_and_overhead_inside(reader, process_size)
        parts = _from_flink_size(reader, _flink_inside(reader, process_size, metaspace, overhead))
        return TaskManagerMemory(*parts, metaspace, overhead)
    if _derives_both_alike(reader):
        message = (
            f"Either required fine-grained memory ({heap_key} and {managed_key}), or Total Flink Memory size "
            f"({_option_text(reader.config, flink_key)}), or Total Process Memory size "
            f"({_option_text(reader.config, process_key)}) need to be configured explicitly."
        )
    else:
        message = (
            f"Either Task Heap Memory size ({heap_key}) and Managed Memory size ({managed_key}), or Total "
            f"Flink Memory size ({flink_key}), or Total Process Memory size ({process_key}) need to be "
            "configured explicitly."
        )
    raise _Inconsistent(message, (), (process_key, flink_key))


def _from_parts(reader: _Reader) -> _FlinkParts:
    """Task heap and managed memory are given: network memory is what is left, or a share of the sum."""
    task_heap = reader.size(reader.key("task.heap.size"))
    managed = reader.size(reader.key("managed.size"))
    framework_heap, framework_off_heap, task_off_heap = _framework_sizes(reader)
    reader.step(f"Task heap and managed memory are given: {readable(task_heap)} and {readable(managed)}.")
    parts = _FlinkParts(framework_heap, task_heap, managed, framework_off_heap, task_off_heap, 0)
    others = total(*parts)
    flink_key = reader.key("flink.size")
    if reader.is_set(flink_key):
        return _network_as_rest(reader, parts, reader.size(flink_key))
    if _uses_buffers(reader):
        network = _buffers(reader)
    else:
        share = reader.share("network")
        network = reader.bounded("Network memory", share, share.beside(others), "the resulting Flink size")
    return parts._replace(network=network)


def _from_flink_size(reader: _Reader, flink_size: int) -> _FlinkParts:
    """The total is given: task heap is what is left, or network memory if task heap is given too."""
    framework_heap, framework_off_heap, task_off_heap = _framework_sizes(reader)
    heap_key, managed_key = reader.key("task.heap.size"), reader.key("managed.size")
    if reader.is_set(heap_key):
        task_heap = reader.size(heap_key)
        reader.step(f"Task heap is given: {readable(task_heap)}.")
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
            *_total_keys(reader),
            managed_key,
            reader.key("managed.fraction"),
            *_network_keys(reader),
            *_framework_keys(reader),
        )
    task_heap = flink_size - others
    reader.step(f"Task heap is the rest of the Flink size: {readable(task_heap)}.")
    return _FlinkParts(framework_heap, task_heap, managed, framework_off_heap, task_off_heap, network)


def _framework_sizes(reader: _Reader) -> tuple[int, int, int]:
    framework_heap = reader.size(reader.key("framework.heap.size"))
    framework_off_heap = reader.size(reader.key("framework.off-heap.size"))
    task_off_heap = reader.size(reader.key("task.off-heap.size"))
    reader.step(
        f"Framework heap is {readable(framework_heap)}, framework off-heap {readable(framework_off_heap)}, "
        f"task off-heap {readable(task_off_heap)}."
    )
    return framework_heap, framework_off_heap, task_off_heap


def _managed(reader: _Reader, flink_size: int) -> int:
    key = reader.key("managed.size")
    if reader.is_set(key):
        managed = reader.size(key)
        reader.step(f"Managed memory is given: {readable(managed)}.")
        return managed
    share = reader.unbounded_share("managed")
    return reader.bounded("Managed memory", share, share.of(flink_size), "the Flink size")


def _network_as_rest(reader: _Reader, parts: _FlinkParts, flink_size: int) -> _FlinkParts:
    """Network memory as what all other parts leave of the Flink memory; it must suit its own options."""
    others = total(*parts)
    involved = (
        *_total_keys(reader),
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
            *_framework_keys(reader),
        )
    network = flink_size - others
    reader.step(f"Network memory is the rest of the Flink size: {readable(network)}.")
    try:
        _check_network(reader, network, involved)
    except _Inconsistent as refused:
        raise reader.inconsistent(
            "If Total Flink, Task Heap and (or) Managed Memory sizes are explicitly configured then the "
            "Network Memory size is the rest of the Total Flink memory after subtracting all other "
            "configured types of memory, but the derived Network Memory is inconsistent with its "
            "configuration.",
            *refused.keys,
            causes=(str(refused), *refused.causes),
        ) from None
    return parts._replace(network=network)


def _check_network(reader: _Reader, network: int, involved: tuple[str, ...]) -> None:
    """Refuse network memory that is not what its own options ask for."""
    if _uses_buffers(reader):
        wanted = _buffers(reader)
        if network == wanted:
            return
        problem = f"does not match configured Network Memory size ({flink_text(wanted)})"
    else:
        share = reader.share("network")
        if share.allows(network):
            return
        problem = f"is not in configured Network Memory range [{flink_text(share.least)}, {flink_text(share.most)}]"
    raise reader.inconsistent(
        f"Derived Network Memory size ({flink_text(network)}) {problem}.",
        *involved,
        *_network_keys(reader),
        *_framework_keys(reader),
    )


def _total_keys(reader: _Reader) -> tuple[str, ...]:
    """The keys that set the Flink memory: its own, or without it the process size."""
    flink_key = reader.key("flink.size")
    return (flink_key,) if reader.is_set(flink_key) else (reader.key("process.size"),)


def _network_keys(reader: _Reader) -> tuple[str, ...]:
    if _uses_buffers(reader):
        return "taskmanager.network.numberOfBuffers", "taskmanager.memory.segment-size"
    return tuple(reader.key(f"network.{bound}") for bound in ("fraction", "min", "max"))


def _uses_buffers(reader: _Reader) -> bool:
    """Whether the number of network buffers decides: in 1.x, as long as no newer option is set."""
    return reader.is_set("taskmanager.network.numberOfBuffers") and not any(
        reader.is_set(reader.key(f"network.{bound}")) for bound in ("min", "max", "fraction")
    )


def _buffers(reader: _Reader) -> int:
    """Network memory as a number of buffers of one segment each."""
    count_key, segment_key = "taskmanager.network.numberOfBuffers", "taskmanager.memory.segment-size"
    count = reader.integer(count_key)
    segment = reader.integer(segment_key)
    if segment > _LARGEST_INT:
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
    reader.step(f"Network memory: {count} buffers of {readable(segment)} are {readable(count * segment)}.")
    return count * segment


def _check_resources(reader: _Reader) -> None:
    """Refuse what Flink reads along with the memory and does not accept.

    Processor cores (the number of slots by default); from 1.13 on also slots and external resources.
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
        raise MemoryRefused(
            f"Character {_double_text(cores)[0]} is neither a decimal digit number, decimal point, nor "
            '"e" notation exponential mark.',
            (),
            (key,),
        )
    resources = reader.is_set("external-resources")
    if key == slots_key and not resources:
        return
    if reader.config.index < _FIRST_WITH_RESOURCES:
        reader.config.narrow(FIRST_TASKMANAGER, _FIRST_WITH_RESOURCES - 1)
        return
    reader.config.narrow(_FIRST_WITH_RESOURCES, NEWEST)
    reader.value(slots_key)
    names = reader.value("external-resources") if resources else None
    for name in names if isinstance(names, list) else ():
        reader.value(f"external-resource.{name}.amount")


# JobManager


def jobmanager(
    config: Configuration,
    trace: Trace | None = None,
    *,
    containers: bool = False,
    environment: Mapping[str, str] | None = None,
) -> JobManagerMemory:
    """The memory of a JobManager started with a configuration, as Flink derives it.

    `containers` and `environment` as for `taskmanager`, except that elsewhere the old heap keys stand for the
    JVM heap and the variable is FLINK_JM_HEAP. Raises MemoryRefused where Flink does not start,
    MemoryUnknown where a template holds a value or the release is older than 1.11.
    """
    if config.index < FIRST_JOBMANAGER:
        raise MemoryUnknown(f"Flink {config.release.name} sizes its JobManager differently")
    config.narrow(FIRST_JOBMANAGER, NEWEST)
    reader = _Reader(config, "jobmanager", trace)
    try:
        _heap_of_old(
            reader,
            "FLINK_JM_HEAP",
            reader.key("process.size" if containers else "heap.size"),
            environment or {},
        )
        memory = _jobmanager(reader)
    except _Inconsistent as refused:
        if config.index >= _FIRST_UNWRAPPED:
            config.narrow(_FIRST_UNWRAPPED, NEWEST)
            raise MemoryRefused(str(refused), refused.causes, refused.keys) from None
        config.narrow(FIRST_JOBMANAGER, _FIRST_UNWRAPPED - 1)
        raise _introduced("JobManager memory configuration failed", refused) from None
    except OverflowError as error:
        raise _overflow(reader, error) from None
    limit = reader.value(reader.key("enable-jvm-direct-memory-limit"))
    return memory._replace(direct_limit=limit is True)


def _jobmanager(reader: _Reader) -> JobManagerMemory:
    process_key, flink_key = reader.key("process.size"), reader.key("flink.size")
    heap_key, off_heap_key = reader.key("heap.size"), reader.key("off-heap.size")
    if reader.is_set(heap_key):
        heap = reader.size(heap_key)
        off_heap = reader.size(off_heap_key)
        reader.step(f"JVM heap is given: {readable(heap)}.")
        if reader.is_set(flink_key):
            off_heap = _off_heap_as_rest(reader, heap, off_heap)
        reader.step(f"Off-heap memory is {readable(off_heap)}.")
        _warn_of_small_heap(reader, heap)
        return JobManagerMemory(heap, off_heap, *_metaspace_and_overhead_beside(reader, total(heap, off_heap)))
    if reader.is_set(flink_key):
        flink_size = reader.size(flink_key)
        reader.step(f"Total Flink memory is given: {readable(flink_size)}.")
        heap, off_heap = _heap_as_rest(reader, flink_size)
        return JobManagerMemory(heap, off_heap, *_metaspace_and_overhead_beside(reader, flink_size))
    if reader.is_set(process_key):
        process_size = reader.size(process_key)
        reader.step(f"Total process memory is given: {readable(process_size)}.")
        metaspace, overhead = _metaspace_and_overhead_inside(reader, process_size)
        heap, off_heap = _heap_as_rest(reader, _flink_inside(reader, process_size, metaspace, overhead))
        return JobManagerMemory(heap, off_heap, metaspace, overhead)
    raise _Inconsistent(
        f"Either required fine-grained memory ({heap_key}), or Total Flink Memory size "
        f"({_option_text(reader.config, flink_key)}), or Total Process Memory size "
        f"({_option_text(reader.config, process_key)}) need to be configured explicitly.",
        (),
        (process_key, flink_key, heap_key),
    )


def _off_heap_as_rest(reader: _Reader, heap: int, off_heap: int) -> int:
    """Off-heap memory where heap and total are both given; refuses sizes that do not add up."""
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


def _heap_as_rest(reader: _Reader, flink_size: int) -> tuple[int, int]:
    """Heap and off-heap memory of a given Flink memory."""
    off_heap = reader.size(reader.key("off-heap.size"))
    reader.step(f"Off-heap memory is {readable(off_heap)}.")
    if flink_size <= off_heap:
        raise reader.inconsistent(
            f"The configured Total Flink Memory ({flink_text(flink_size)}) is less than the configured "
            f"Off-heap Memory ({flink_text(off_heap)}).",
            *_total_keys(reader),
            reader.key("off-heap.size"),
        )
    heap = flink_size - off_heap
    reader.step(f"JVM heap is the rest of the Flink size: {readable(heap)}.")
    _warn_of_small_heap(reader, heap)
    return heap, off_heap


def _warn_of_small_heap(reader: _Reader, heap: int) -> None:
    if heap < _SMALLEST_HEAP:
        reader.trace.warnings.append(
            f"The configured or derived JVM heap memory size ({flink_text(heap)}) is less than its "
            f"recommended minimum value ({flink_text(_SMALLEST_HEAP)})"
        )

"""The memory derivation that TaskManagers and JobManagers share: metaspace, JVM overhead, legacy heap options."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flink_flint.linter.flink.configuration import BadValue
from flink_flint.linter.flink.memory.options_reader import Inconsistent, MemoryRefused, Reader, option_text
from flink_flint.linter.flink.memory.size_arithmetic import flink_text, total
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.flink.values import parse_memory

FIRST_TASKMANAGER = MINORS.index("1.10")
FIRST_JOBMANAGER = MINORS.index("1.11")


def jvm_args(heap: int, direct: int | None, metaspace: int) -> str:
    limit = "" if direct is None else f" -XX:MaxDirectMemorySize={direct}"
    return f"-Xmx{heap} -Xms{heap}{limit} -XX:MaxMetaspaceSize={metaspace}"


def legacy_heap(reader: Reader, variable: str, key: str, environment: Mapping[str, str]) -> None:
    """Use the heap size option or variable of older releases as the value of the option `key`, as Flink 1.x does."""
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
            raise Inconsistent(
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
    reader.step(f"{source or variable} sets {key}: {{}}.", found)


def derives_both_alike(reader: Reader) -> bool:
    """Return whether the release derives JobManager and TaskManager memory alike, as all releases from 1.11 on do."""
    alike = reader.config.index >= FIRST_JOBMANAGER
    if alike:
        reader.config.restrict(FIRST_JOBMANAGER, NEWEST)
    else:
        reader.config.restrict(FIRST_TASKMANAGER, FIRST_TASKMANAGER)
    return alike


def derived(
    reader: Reader,
    from_parts: Callable[[Reader], tuple[int, ...]],
    from_flink_size: Callable[[Reader, int], tuple[int, ...]],
    *parts_keys: str,
) -> tuple[int, ...] | None:
    """Return the sizes of Flink's memory components, metaspace and JVM overhead; None if no size is configured.

    Either the components of some keys are given, or the total Flink memory, or the total process memory. None if
    nothing is given.
    """
    process_key, flink_key = reader.key("process.size"), reader.key("flink.size")
    if all(map(reader.is_set, parts_keys)):
        parts = from_parts(reader)
        return *parts, *_metaspace_and_overhead_beside(reader, total(*parts))
    if reader.is_set(flink_key):
        flink_size = reader.size(flink_key)
        reader.step("Total Flink memory is given: {}.", flink_size)
        return *from_flink_size(reader, flink_size), *_metaspace_and_overhead_beside(reader, flink_size)
    if reader.is_set(process_key):
        process_size = reader.size(process_key)
        reader.step("Total process memory is given: {}.", process_size)
        metaspace, overhead = _metaspace_and_overhead_inside(reader, process_size)
        flink_size = process_size - metaspace - overhead
        reader.step("Flink gets what metaspace and overhead leave: {}.", flink_size)
        return *from_flink_size(reader, flink_size), metaspace, overhead
    return None


def needs_sizes(reader: Reader, *parts_keys: str) -> str:
    """Return Flink's message for a configuration that sets neither enough components nor a total size."""
    config, process_key, flink_key = reader.config, reader.key("process.size"), reader.key("flink.size")
    return (
        f"Either required fine-grained memory ({' and '.join(parts_keys)}), or Total Flink Memory size "
        f"({option_text(config, flink_key)}), or Total Process Memory size "
        f"({option_text(config, process_key)}) need to be configured explicitly."
    )


def _metaspace_and_overhead_inside(reader: Reader, process_size: int) -> tuple[int, int]:
    """Return metaspace and JVM overhead of a process whose total is given."""
    metaspace = reader.size(reader.key("jvm-metaspace.size"))
    reader.step("JVM metaspace is {}.", metaspace)
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


def _metaspace_and_overhead_beside(reader: Reader, flink_size: int) -> tuple[int, int]:
    """Return metaspace and JVM overhead of a process whose Flink memory is known."""
    metaspace = reader.size(reader.key("jvm-metaspace.size"))
    reader.step("JVM metaspace is {}.", metaspace)
    rest = total(flink_size, metaspace)
    process_key = reader.key("process.size")
    if not reader.is_set(process_key):
        share = reader.share("jvm-overhead")
        overhead = reader.bounded("JVM overhead", share, share.next_to(rest), "the resulting process size")
        total(rest, overhead)  # Flink adds them here, and fails if the sum exceeds a long
        return metaspace, overhead

    process_size = reader.size(process_key)
    totals = (process_key, reader.key("flink.size"))
    if process_size < rest:
        if not derives_both_alike(reader):
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
        "JVM overhead is the rest of the process size {}: {} (allowed: {} to {}).",
        process_size,
        overhead,
        share.minimum,
        share.maximum,
    )
    if not share.allows(overhead):
        raise reader.inconsistent(
            f"Derived JVM Overhead size ({flink_text(overhead)}) is not in configured JVM Overhead range "
            f"[{flink_text(share.minimum)}, {flink_text(share.maximum)}].",
            *totals,
            *_parts_keys(reader),
            *_overhead_keys(reader),
            reader.key("jvm-metaspace.size"),
        )
    return metaspace, overhead


def _overhead_keys(reader: Reader) -> tuple[str, ...]:
    return tuple(reader.key(f"jvm-overhead.{bound}") for bound in ("fraction", "min", "max"))


def _parts_keys(reader: Reader) -> tuple[str, ...]:
    """Return the keys whose sizes add up to the Flink memory if its total is not given."""
    if reader.process == "jobmanager":
        return reader.key("heap.size"), reader.key("off-heap.size")
    return reader.key("task.heap.size"), reader.key("managed.size"), *framework_keys(reader)


def framework_keys(reader: Reader) -> tuple[str, ...]:
    return tuple(reader.key(f"{part}.size") for part in ("task.off-heap", "framework.heap", "framework.off-heap"))


def introduced(introduction: str, refused: Inconsistent) -> MemoryRefused:
    return MemoryRefused(f"{introduction}: {refused}", (str(refused), *refused.causes), refused.keys)


def overflow(reader: Reader, error: OverflowError) -> MemoryRefused:
    written = sorted(reader.sizes, key=reader.sizes.__getitem__, reverse=True)
    return MemoryRefused(str(error), (), reader.at_fault(*written)[:1])


def total_keys(reader: Reader) -> tuple[str, ...]:
    """Return, as a one-element tuple, the key that sets the total memory: Flink size if set, otherwise process size."""
    flink_key = reader.key("flink.size")
    return (flink_key,) if reader.is_set(flink_key) else (reader.key("process.size"),)

"""Margins, inputs, search and messages that the TaskManager and JobManager memory calculators share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Value
from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask, inputs_of
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    FRACTION,
    Unit,
    parse_size,
    significant,
    spell_fraction,
    spell_size,
)
from flink_flint.calculators.formulas.smallest_memory import MIB, M, Process
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, Trace
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.flink.release_spelling import size_text
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index
from flink_flint.linter.flink.values import MAX_LONG

OBSERVED_STEP = 64 * MIB
"""The granularity, in bytes, to which an observed metaspace size is rounded up."""
LARGEST = 1 << 50
"""The largest size in bytes that the calculators accept: 1 PiB."""
HEAP_MARGIN = 1.3
"""The recommended heap as a multiple of the live set: a collector needs free memory and time between collections."""
METASPACE_MARGIN = 1.25
"""The recommended metaspace as a multiple of its use: a restarting job loads classes before it unloads old ones."""
LIVE = "max of minima"
"""The name of the heap statistic that gives the live set: the maximum over time windows of each window's minimum.

A minimum is used because a heap fills with garbage until each collection.
"""
FIRST_UNCOMPRESSED = 32 << 30
"""The minimum heap size in bytes at which the JVM's references use 8 bytes instead of 4."""
_MAX_AT_ONCE = 0.4
_CHART_STEPS = 20


def _parse_limit(text: str) -> int:
    return MAX_LONG if text.strip().lower() == "unlimited" else parse_size(text)


def _spell_limit(size: float) -> str:
    return "unlimited" if size >= MAX_LONG else spell_size(size)


LIMIT = Unit(BYTES.name, _parse_limit, _spell_limit, "1gb")
"""The unit of a size in bytes or ``unlimited``."""
TEXT = Unit("text", str, str, "-Xmx1g")


# -- formulas


def up(size: float, step: int = MIB) -> int:
    """Round a size in bytes up to a multiple of `step`, by default to whole MiB."""
    # Floating-point errors must not add another step.
    return math.ceil(round(size, 6) / step) * step


def heap_for(live_set: int, margin: float = HEAP_MARGIN) -> int:
    """Return the JVM heap in bytes: `margin` (1 or more) times the bytes in use after a garbage collection.

    A heuristic: with 1.3 the live set fills at most 77 % of the heap.
    """
    return math.ceil(round(live_set * margin, 6))


def metaspace_for(used: int) -> int:
    """Return the metaspace in bytes to configure: a quarter more than `used` (a heuristic), in steps of 64 MiB."""
    return up(used * METASPACE_MARGIN, OBSERVED_STEP)


# -- inputs


def size(meaning: str, **more: Any) -> Any:
    """Declare an optional input in bytes, from 0 to `LARGEST`; `more` overrides these defaults."""
    return ask(BYTES, meaning, most=LARGEST, **{"least": 0, "default": None, **more})


def option(key: str, default: int, meaning: str, unit: Unit = BYTES, **more: Any) -> Any:
    """Declare an input for a Flink option that is a size, with Flink's default."""
    return ask(
        unit, meaning, default=default, assumed="Flink's default", option=key, **{"least": 0, "most": LARGEST, **more}
    )


def share_option(key: str, default: float, meaning: str, **more: Any) -> Any:
    """Declare an input for a Flink option that is a fraction, with Flink's default."""
    return ask(FRACTION, meaning, default=default, assumed="Flink's default", option=key, least=0, below=1, **more)


def in_order(inputs: Any, part: str) -> Iterator[BadInput]:
    """Yield a BadInput if the minimum of a memory part is above its maximum."""
    least, most = getattr(inputs, f"{part}_min"), getattr(inputs, f"{part}_max")
    if least > most:
        yield BadInput(f"{part}_min", f"{spell_size(least)} is above the {part} maximum of {spell_size(most)}")


def check_release(release: Release, first: int, process: str) -> None:
    """Raise BadInput for releases before `first` (an index in `MINORS`), since they divide memory differently."""
    if nearest_index(release) < first:
        raise BadInput(
            "flink_version",
            f"Flink {release} sizes its {process}s differently; allowed: {MINORS[first]} to {MINORS[-1]}",
        )


def observed_live_set() -> Any:
    """Declare the input for the observed use of heap after garbage collections."""
    return size(
        "heap still used after garbage collection, at its highest",
        metric="Status.JVM.Memory.Heap.Used",
        statistic=LIVE,
        least=None,
        above=0,
    )


def observed_metaspace() -> Any:
    """Declare the input for the observed use of metaspace."""
    return size("metaspace in use, at its highest", metric="Status.JVM.Memory.Metaspace.Used", statistic="max")


def options_of(inputs: Inputs, release: Release, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the options whose input values differ from Flink's defaults, as settings of an answer.

    A value that is the newest release's default means the default of the release. Inputs without an effect on the
    answer are omitted.
    """
    defaults = Configuration({}, release, yaml=False)
    found: dict[str, Any] = {}
    for declared in inputs_of(type(inputs)):
        value = getattr(inputs, declared.name)
        if not declared.option or declared.option in without or value is None or value == declared.default:
            continue
        if not declared.matters(inputs):
            continue
        known = defaults.resolve(declared.option).option
        if known is not None and not _same(value, defaults.default(known)):
            found[declared.option] = value
    return found


def _same(one: Any, other: Any) -> bool:
    # Flink's fractions are 32-bit floats.
    return bool(
        math.isclose(one, other, rel_tol=1e-7) if isinstance(one, float) and other is not None else one == other
    )


def exact_texts(settings: dict[str, Any]) -> dict[str, str]:
    """Format settings so that Flink reads them without rounding: sizes in plain bytes, fractions with all digits."""
    return {key: str(value).lower() if isinstance(value, bool) else repr(value) for key, value in settings.items()}


# -- search


class ElementView(NamedTuple):
    """A part of a process's memory: its name in sentences and charts, and the function that returns its bytes."""

    label: str
    bytes_of: Callable[[Any], int]


class Solved(NamedTuple, Generic[M]):
    """The result of `solve`: the smallest process in which a part of the memory is large enough."""

    process: Process[M]
    process_size: int
    memory: M
    steps: tuple[str, ...]
    warnings: tuple[str, ...]
    """The warnings that Flink itself would log for the process."""


def solve(process: Process[M], key: str, part: ElementView, needed: int, *, above: int) -> Solved[M]:
    """Find the smallest value of `key`, in whole MiB above `above`, that leaves `needed` bytes for `part`.

    Raises BadInput if the fractions of the other parts leave too little of any total.
    """
    found = process.smallest(key, part.bytes_of, needed, above=max(0, above))
    if found is None:
        raise BadInput(
            "overhead_fraction",
            f"no process up to 8 PiB leaves {spell_size(needed)} of {part.label} in addition to the fractions of the "
            "other parts; allowed: smaller fractions",
        )
    trace: Trace = Trace()
    memory = process.memory({key: str(found)}, trace)
    less = process.accepted({key: str(found - MIB)})
    without = "Flink would not start"
    if less is not None:
        without = f"the {part.label} would be {spell_size(needed - part.bytes_of(less))} too small"
    step = (
        f"The smallest process in whole MiB that leaves {spell_size(needed)} of {part.label}: {spell_exact(found)}; "
        f"with 1 MiB less {without}."
    )
    # Flink's derivation starts from a configured total; here it is the one just found.
    given = f"Total process memory is given: {readable(found)}."
    divided: list[str] = [
        f"So Flink divides {readable(found)} like this." if text == given else text for text in trace.steps
    ]
    return Solved(process, found, memory, (step, *divided), tuple(trace.warnings))


# -- sentences


def spell_exact(size: int) -> str:
    """Format a whole number of MiB exactly (``12345 MiB``, not ``12.06 GiB``), and other sizes like `spell_size`."""
    return f"{size // MIB} MiB" if size % MIB == 0 and size % (1 << 30) else spell_size(size)


def live_set_step(live_set: int, margin: float) -> str:
    """Return the explanation of how the heap follows from a live set (the heap in use after a collection)."""
    heap = heap_for(live_set, margin)
    return f"JVM heap for the live set: {spell_size(live_set)} x {significant(margin)} = {spell_size(heap)}."


def metaspace_step(used: int) -> str:
    """Return the explanation of how the metaspace to configure follows from the metaspace in use."""
    return (
        f"Metaspace: {spell_size(used)} in use x {METASPACE_MARGIN} = {spell_size(used * METASPACE_MARGIN)}, in whole "
        f"{spell_size(OBSERVED_STEP)}: {spell_exact(metaspace_for(used))}."
    )


def overhead_phrase(overhead: int, process_size: int, fraction: float, least: int, most: int) -> str:
    """Return a clause stating what determines JVM overhead: its minimum, its maximum, or a part of the process."""
    if overhead == least:
        return f"JVM overhead is at its minimum of {spell_size(least)}"
    if overhead == most:
        return f"JVM overhead is at its maximum of {spell_size(most)}"
    return f"JVM overhead is {spell_fraction(fraction)} of {spell_exact(process_size)}"


def safe_values(jvm_heap: int, live_set: int | None, metaspace: int, metaspace_used: int | None) -> list[Value]:
    """Return the answer's values for the largest safe live set and the largest safe use of metaspace."""
    return [
        Value("safe_live_set", int(jvm_heap / HEAP_MARGIN), BYTES, "the maximum heap after a collection", live_set),
        Value("safe_metaspace", int(metaspace / METASPACE_MARGIN), BYTES, "the maximum metaspace use", metaspace_used),
    ]


def safe_step(jvm_heap: int) -> str:
    """Return the reasoning step that computes the largest safe live set of a heap."""
    return f"Safe live set: {spell_size(jvm_heap)} of heap / {HEAP_MARGIN} = {spell_size(int(jvm_heap / HEAP_MARGIN))}."


def judge_process(process_size: int, jvm_heap: int, *, present: int | None) -> list[str]:
    """Return warnings if the recommended process is much smaller than the current one or its heap is very large."""
    warnings = []
    if present is not None and process_size < present * (1 - _MAX_AT_ONCE):
        warnings.append(
            f"{spell_exact(process_size)} is less than {spell_fraction(1 - _MAX_AT_ONCE)} of the "
            f"current {spell_exact(present)}: reduce it in steps and observe garbage collection after each"
        )
    if jvm_heap >= FIRST_UNCOMPRESSED:
        warnings.append(
            f"from a heap of {spell_size(FIRST_UNCOMPRESSED)} on the JVM's references use 8 bytes instead of 4, so "
            "that it holds hardly more than a slightly smaller one"
        )
    return warnings


def judge_observed(
    jvm_heap: int, live_set: int | None, metaspace: int, metaspace_used: int | None
) -> tuple[list[str], list[str]]:
    """Return errors and warnings if the observed use of heap or metaspace is too high for the process."""
    errors: list[str] = []
    warnings: list[str] = []
    if live_set is not None and live_set > jvm_heap:
        errors.append(f"a live set of {spell_size(live_set)} does not fit a heap of {spell_size(jvm_heap)}")
    elif live_set is not None and heap_for(live_set) > jvm_heap:
        warnings.append(
            f"a live set of {spell_size(live_set)} needs a heap of {spell_size(heap_for(live_set))}; "
            f"{spell_size(jvm_heap)} makes the JVM collect garbage more and more often"
        )
    if metaspace_used is not None and metaspace_used > metaspace:
        errors.append(f"{spell_size(metaspace_used)} of classes do not fit a metaspace of {spell_size(metaspace)}")
    elif metaspace_used is not None and metaspace_used * METASPACE_MARGIN > metaspace:
        warnings.append(
            f"{spell_size(metaspace_used)} of classes leave little of a metaspace of {spell_size(metaspace)}: "
            "when jobs restart, their classes are temporarily loaded twice"
        )
    return errors, warnings


def over_limit(process_size: int, limit: int) -> str:
    """Return the error message about a process that is larger than its container."""
    return (
        f"the needs add up to a process of {spell_exact(process_size)}, {spell_size(process_size - limit)} more than "
        f"the container's {spell_exact(limit)}"
    )


def limit_binds(limit: int) -> str:
    """Return a clause stating that the container's limit is below the total memory needed."""
    return f"the container's limit of {spell_exact(limit)} is below the sum of the needs"


def spare(process_size: int, limit: int) -> Value:
    """Return the `Value` for the part of a container's limit that a process leaves unused."""
    return Value("spare", limit - process_size, BYTES, "unused part of the container's limit")


def refused_answer(process: str, refused: MemoryRefused, steps: list[str]) -> Answer:
    """Return the answer for a process that Flink refuses to start, with Flink's error message."""
    return Answer(
        values=(Value("safe_live_set", None, BYTES, "a process that does not start has no heap"),),
        binding=f"Flink does not start a {process} with these settings",
        steps=tuple(steps),
        errors=(_refused_text(refused),),
    )


def _refused_text(refused: MemoryRefused) -> str:
    """Return Flink's error message with those of its causes, as a clause."""
    given = [str(refused)]
    given += [cause for cause in refused.causes if not any(cause in text for text in given)]
    return ": ".join(text.rstrip(".") for text in given)


# -- charts


def chart_of(process: Process[M], key: str, parts: tuple[ElementView, ...], points: dict[str, int | None]) -> Chart:
    """Return a chart of memory parts against the total; `points` are labeled totals on the first part's line."""
    marked: list[int] = [total for total in points.values() if total is not None]
    least: int = min(marked) // 2
    most: int = max(marked) * 3 // 2
    totals = sorted({*marked, *(up(least + (most - least) * step // _CHART_STEPS) for step in range(_CHART_STEPS + 1))})
    known = {total: process.accepted({key: size_text(total)}) for total in totals}
    series = tuple(
        Series(
            part.label,
            tuple(
                (float(total), float(part.bytes_of(memory))) for total, memory in known.items() if memory is not None
            ),
        )
        for part in parts
    )
    return Chart(
        f"Memory against {key}",
        key,
        BYTES,
        "memory",
        BYTES,
        series,
        tuple(
            Point(label, float(total), float(parts[0].bytes_of(memory)))
            for label, total in points.items()
            if total is not None and (memory := known[total]) is not None
        ),
    )

"""The memory of a process as proportional bars in a terminal.

Every component's bar begins where the previous one ends, so that the components of a whole are side by side under it: a
whole is a line, a component a block. Ends are on half cells.
"""

from __future__ import annotations

from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.text.named_tuple import NamedTuple

_SMALLEST_BAR = 10
"""The width in cells below which bars are omitted and only the figures shown."""

# Colors of the 256-color table with medium lightness, readable on light and dark backgrounds.
_HEAP, _HEAP_SMALL, _MANAGED = 32, 67, 29
_NETWORK, _DIRECT, _DIRECT_SMALL = 166, 136, 137
_METASPACE, _OVERHEAD = 133, 244


class _Part(NamedTuple):
    """A component of a process: with a color, or composed of other components."""

    label: str
    size: int
    color_index: int | None = None
    parts: tuple[_Part, ...] = ()


class _Row(NamedTuple):
    label: str
    part: _Part
    start: int
    """Bytes of the process before this component."""


def bars(memory: TaskManagerMemory | JobManagerMemory, width: int, color: bool) -> list[str]:
    """Return lines of at most `width` columns that show how a process's memory is divided.

    Each names a component, its size, its percentage of the process and its position. With `color`, components are
    distinguished by ANSI colors (256-color table); without, by position alone.
    """
    process = _taskmanager(memory) if isinstance(memory, TaskManagerMemory) else _jobmanager(memory)
    rows = list(_rows(process, 0, "", ""))
    sizes = _sizes([row.part.size for row in rows], process.size)
    percents = [_percent(row.part.size, process.size) for row in rows]
    label_width = max(len(row.label) for row in rows)
    size_width = max(map(len, sizes))
    percent_width = max(map(len, percents))
    cells = width - label_width - size_width - percent_width - 6
    lines = []
    for row, size, percent in zip(rows, sizes, percents, strict=True):
        line = f"{row.label:<{label_width}}  {size:>{size_width}}  {percent:>{percent_width}}"
        if cells >= _SMALLEST_BAR:
            line += "  " + _bar(row, process.size, cells, color)
        lines.append(line.rstrip())
    return lines


def _taskmanager(memory: TaskManagerMemory) -> _Part:
    heap = _whole(
        "JVM heap",
        _Part("framework heap", memory.framework_heap, _HEAP_SMALL),
        _Part("task heap", memory.task_heap, _HEAP),
    )
    managed = _Part("managed memory", memory.managed, _MANAGED)
    off_heap = _whole(
        "off-heap (direct)",
        _Part("framework off-heap", memory.framework_off_heap, _DIRECT_SMALL),
        _Part("task off-heap", memory.task_off_heap, _DIRECT),
        _Part("network", memory.network, _NETWORK),
    )
    return _process("TaskManager process", memory, heap, managed, off_heap)


def _jobmanager(memory: JobManagerMemory) -> _Part:
    heap = _Part("JVM heap", memory.heap, _HEAP)
    off_heap = _Part("off-heap", memory.off_heap, _DIRECT)
    return _process("JobManager process", memory, heap, off_heap)


def _process(label: str, memory: TaskManagerMemory | JobManagerMemory, *flink: _Part) -> _Part:
    return _whole(
        label,
        _whole("Flink memory", *flink),
        _Part("JVM metaspace", memory.metaspace, _METASPACE),
        _Part("JVM overhead", memory.overhead, _OVERHEAD),
    )


def _whole(label: str, *parts: _Part) -> _Part:
    return _Part(label, sum(part.size for part in parts), None, parts)


def _rows(part: _Part, start: int, lead: str, below: str) -> list[_Row]:
    """Return a component and its subcomponents as rows, with the branches of the tree before the labels."""
    rows = [_Row(lead + part.label, part, start)]
    for child in part.parts:
        last = child is part.parts[-1]
        rows += _rows(child, start, below + ("└ " if last else "├ "), below + ("  " if last else "│ "))
        start += child.size
    return rows


def _sizes(sizes: list[int], process: int) -> list[str]:
    """Return all sizes in one unit, so that they can be compared at a glance."""
    shift, unit = (30, "GiB") if process >= 10 << 30 else (20, "MiB")
    decimals = 2 if unit == "GiB" else 1
    texts = [_rounded(size / (1 << shift), decimals) for size in sizes]
    fraction = "." + "0" * decimals
    if all(text.endswith(fraction) for text in texts):
        texts = [text.removesuffix(fraction) for text in texts]
    return [f"{text} {unit}" for text in texts]


def _percent(size: int, process: int) -> str:
    return f"{_rounded(100 * size / process, 1)} %" if process else "-"


def _rounded(value: float, decimals: int) -> str:
    smallest: float = 10**-decimals
    return f"<{smallest:.{decimals}f}" if 0 < value < smallest / 2 else f"{value:.{decimals}f}"


def _bar(row: _Row, process: int, cells: int, color: bool) -> str:
    if not row.part.size:
        return ""
    start = _half_cells(row.start, process, cells)
    end = max(_half_cells(row.start + row.part.size, process, cells), start + 1)
    if end > 2 * cells:
        start, end = 2 * cells - 1, 2 * cells
    full, left, right = ("━", "╸", "╺") if row.part.parts else ("█", "▌", "▐")
    blanks = start // 2
    blocks = "".join(right if half < start else left if half + 1 == end else full for half in range(2 * blanks, end, 2))
    if color and row.part.color_index is not None:
        blocks = f"\x1b[38;5;{row.part.color_index}m{blocks}\x1b[0m"
    return " " * blanks + blocks


def _half_cells(size: int, process: int, cells: int) -> int:
    return (4 * cells * size + process) // (2 * process)

"""The memory bars of a process."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.output.memory.memory_bars import bars

MIB = 1 << 20
SHIPPED = TaskManagerMemory(
    framework_heap=128 * MIB,
    task_heap=384 * MIB,
    managed=512 * MIB,
    framework_off_heap=128 * MIB,
    task_off_heap=0,
    network=128 * MIB,
    metaspace=256 * MIB,
    overhead=192 * MIB,
)
COLOR = re.compile(r"\x1b\[38;5;(\d+)m|\x1b\[0m")

sizes = st.one_of(st.just(0), st.integers(1, 2**44))
processes = st.one_of(
    st.builds(TaskManagerMemory, *[sizes] * 8), st.builds(JobManagerMemory, sizes, sizes, sizes, sizes)
)


def test_draws_the_shipped_taskmanager() -> None:
    assert bars(SHIPPED, 72, color=False) == [
        "TaskManager process       1728 MiB  100.0 %  ━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "├ Flink memory            1280 MiB   74.1 %  ━━━━━━━━━━━━━━━━━━━━",
        "│ ├ JVM heap               512 MiB   29.6 %  ━━━━━━━━",
        "│ │ ├ framework heap       128 MiB    7.4 %  ██",
        "│ │ └ task heap            384 MiB   22.2 %    ██████",
        "│ ├ managed memory         512 MiB   29.6 %          ████████",
        "│ └ off-heap (direct)      256 MiB   14.8 %                  ━━━━",
        "│   ├ framework off-heap   128 MiB    7.4 %                  ██",
        "│   ├ task off-heap          0 MiB    0.0 %",
        "│   └ network              128 MiB    7.4 %                    ██",
        "├ JVM metaspace            256 MiB   14.8 %                      ████",
        "└ JVM overhead             192 MiB   11.1 %                          ███",
    ]


def test_a_small_part_of_a_large_process_is_seen() -> None:
    memory = SHIPPED._replace(managed=200 << 30, task_off_heap=100)
    line = next(line for line in bars(memory, 80, color=False) if "task off-heap" in line)
    assert "<0.01 GiB   <0.1 %" in line
    assert line[-1] in "▌▐"


def test_a_narrow_terminal_gets_the_figures_alone() -> None:
    lines = bars(SHIPPED, 40, color=False)
    assert lines[0] == "TaskManager process       1728 MiB  100.0 %"
    assert len(lines) == 12


@given(processes, st.integers(60, 250), st.booleans())
def test_every_line_fits(memory: TaskManagerMemory | JobManagerMemory, width: int, color: bool) -> None:
    lines = bars(memory, width, color)
    assert len(lines) == (12 if isinstance(memory, TaskManagerMemory) else 6)
    plain = [COLOR.sub("", line) for line in lines]
    assert plain == bars(memory, width, color=False)
    assert max(map(len, plain)) <= width


@given(processes, st.integers(60, 250))
def test_what_has_a_size_has_a_bar(memory: TaskManagerMemory | JobManagerMemory, width: int) -> None:
    for line in bars(memory, width, color=False):
        assert (line[-1] in "█▌▐━╸╺") == (not re.search(r" 0(\.0+)? [MG]iB", line)), line


gibibytes = st.integers(1, 50).map(lambda count: count << 30)


@given(st.builds(JobManagerMemory, gibibytes, gibibytes, gibibytes, gibibytes), st.integers(60, 250))
def test_bars_lie_in_order_and_within_their_whole(memory: JobManagerMemory, width: int) -> None:
    lines = bars(memory, width, color=False)
    offset = lines[0].index("━")
    starts = [len(line[:offset]) + len(line[offset:]) - len(line[offset:].lstrip()) for line in lines]
    process, flink, heap, off_heap, metaspace, overhead = starts
    assert process == flink == heap == offset
    assert heap <= off_heap <= metaspace <= overhead
    assert len(lines[0]) == len(lines[-1])


def channel(level: int) -> float:
    value: float = (0, 95, 135, 175, 215, 255)[level] / 255
    return float(value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4)


def luminance(color: int) -> float:
    """Return the relative luminance of a color in the 256-color table (6 x 6 x 6 cube, then grays)."""
    if color >= 232:
        grey = (8 + 10 * (color - 232)) / 255
        return float(((grey + 0.055) / 1.055) ** 2.4)
    red, rest = divmod(color - 16, 36)
    green, blue = divmod(rest, 6)
    return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)


def test_colors_stand_out_on_black_and_on_white() -> None:
    memory = SHIPPED._replace(task_off_heap=64 * MIB)
    colors = {int(code) for code in COLOR.findall("".join(bars(memory, 120, color=True))) if code}
    assert len(colors) == 8
    for color in colors:
        assert (luminance(color) + 0.05) / 0.05 >= 3
        assert 1.05 / (luminance(color) + 0.05) >= 3


@pytest.mark.parametrize("width", [80, 200])
def test_a_jobmanager_has_fewer_parts(width: int) -> None:
    lines = bars(JobManagerMemory(1024 * MIB, 128 * MIB, 256 * MIB, 192 * MIB), width, color=False)
    assert [re.split(r"\s{2,}", line)[0] for line in lines] == [
        "JobManager process",
        "├ Flink memory",
        "│ ├ JVM heap",
        "│ └ off-heap",
        "├ JVM metaspace",
        "└ JVM overhead",
    ]
    assert {len(lines[0]), len(lines[-1])} == {width}


@pytest.mark.parametrize(
    ("width", "drawn"),
    [
        (47, ["━━━━━━━━━━", "━━━━━", "███", "   ██", "     ██", "       ███"]),
        (57, ["━" * 20, "━" * 10, "██████", "      ████", "          ████", "              ██████"]),
        # In 29 cells a tenth has 5.8 halves.
        (
            66,
            ["━" * 29, "━" * 14 + "╸", "████████▌", "        ▐█████▌", "              ▐█████▌", " " * 20 + "▐████████"],
        ),
    ],
)
def test_parts_begin_and_end_in_the_middle_of_a_cell(width: int, drawn: list[str]) -> None:
    memory = JobManagerMemory(heap=3 << 30, off_heap=2 << 30, metaspace=2 << 30, overhead=3 << 30)
    assert [line[37:] for line in bars(memory, width, color=False)] == drawn


def test_the_last_part_is_seen_though_it_begins_at_the_end() -> None:
    memory = JobManagerMemory(heap=400 << 30, off_heap=1 << 20, metaspace=1 << 20, overhead=1)
    lines = bars(memory, 60, color=False)
    assert [len(line) for line in lines] == [60] * 6
    assert [line[-2:] for line in lines[3:]] == [" ▐"] * 3

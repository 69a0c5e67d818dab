"""The chart and the memory bars of an answer, in windows of different sizes."""

from __future__ import annotations

import math
from typing import Any

import pytest
from textual.app import App, ComposeResult

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, DAY, SECONDS
from flink_flint.calculators.interactive.answer_chart import Picture, tick_marks
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from tests.interactive.driving import seen

CHART = Chart("Time against load", "load", COUNT, "time", COUNT, (Series("needed", ((10.0, 100.0), (40.0, 200.0))),))
MEMORY = JobManagerMemory(heap=1 << 30, off_heap=128 << 20, metaspace=256 << 20, overhead=192 << 20)
BAR, TOO_SMALL, NOTHING = "├ JVM metaspace", "A larger window shows a chart.", "This answer has no chart."


class Window(App[None]):
    """A window with the picture of an answer alone."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    def compose(self) -> ComposeResult:
        yield Picture()

    def on_mount(self) -> None:
        self.query_one(Picture).show(self._answer)


async def drawn(size: tuple[int, int], **parts: Any) -> str:
    """The text of a window that shows the picture of an answer with such parts."""
    app = Window(Answer(values=(), binding="", steps=(), **parts))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        return seen(app)


def marks(chart: str) -> tuple[list[str], list[str]]:
    """The numbers at the axes of a chart, each from its low end."""
    lines = chart.splitlines()
    bottom = next(number for number, line in enumerate(lines) if line.lstrip().startswith("└"))
    return lines[bottom + 1].split(), [line.split("┤")[0].strip() for line in reversed(lines) if "┤" in line]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("size", "parts", "shown"),
    [
        ((34, 11), {"chart": CHART}, {CHART.title}),
        ((33, 11), {"chart": CHART}, {TOO_SMALL}),
        ((34, 10), {"chart": CHART}, {TOO_SMALL}),
        ((34, 11), {}, {NOTHING}),
        ((60, 18), {"chart": CHART, "memory": MEMORY}, {BAR, CHART.title}),
        ((60, 17), {"chart": CHART, "memory": MEMORY}, {BAR}),
    ],
)
async def test_the_bars_are_always_shown_and_the_chart_where_they_leave_it_room(
    size: tuple[int, int], parts: dict[str, Any], shown: set[str]
) -> None:
    picture = await drawn(size, **parts)
    assert {text for text in (BAR, CHART.title, TOO_SMALL, NOTHING) if text in picture} == shown


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("points", "x_marks", "y_marks"),
    [
        pytest.param(((10, 100), (40, 200)), ["0", "20", "40"], ["0", "50", "100", "150", "200"], id="from-zero"),
        pytest.param(((30, 150), (40, 200)), ["30", "35", "40"], ["160", "180", "200"], id="apart"),
        pytest.param(((10, 100), (40, 100)), ["0", "20", "40"], ["0", "50", "100", "150", "200"], id="constant"),
        pytest.param(
            ((10, 100), (20, 200), (40, math.inf)), ["0", "20", "40"], ["0", "50", "100", "150", "200"], id="unlimited"
        ),
        pytest.param(
            ((10, 100), (40, 150), (math.inf, 200)), ["0", "20", "40"], ["0", "50", "100", "150", "200"], id="endless"
        ),
        pytest.param(((10, 0), (40, 0)), ["0", "20", "40"], ["-1", "0", "1"], id="zero"),
    ],
)
async def test_an_axis_begins_at_zero_unless_that_squeezes_the_line_and_ends_where_values_are_finite(
    points: tuple[tuple[float, float], ...], x_marks: list[str], y_marks: list[str]
) -> None:
    picture = await drawn((60, 20), chart=CHART._replace(series=(Series("needed", points),)))
    assert marks(picture) == (x_marks, y_marks)


@pytest.mark.asyncio
@pytest.mark.parametrize("point", [(10, math.inf), (math.inf, 100)])
async def test_a_line_without_any_finite_point_is_explained_and_not_drawn(point: tuple[float, float]) -> None:
    endless = Series("endless", (point,))
    alone = await drawn((60, 20), chart=CHART._replace(series=(endless,)))
    assert "⠒⠒ endless" in alone
    assert "┤" not in alone
    beside = await drawn((60, 20), chart=CHART._replace(series=(*CHART.series, endless)))
    assert "·· endless" in beside
    assert beside.count("·") == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(("x", "y", "drawings"), [(20.0, 150.0, 2), (20.0, math.inf, 1), (math.inf, 150.0, 1)])
async def test_a_point_is_drawn_if_it_is_finite_and_explained_in_any_case(x: float, y: float, drawings: int) -> None:
    picture = await drawn((60, 20), chart=CHART._replace(points=(Point("now", x, y),)))
    assert "◆ now" in picture
    assert picture.count("◆") == drawings


@pytest.mark.asyncio
async def test_without_an_answer_the_chart_and_the_bars_of_the_last_one_are_gone() -> None:
    app = Window(Answer(values=(), binding="", steps=(), chart=CHART, memory=MEMORY))
    async with app.run_test(size=(60, 20)) as pilot:
        app.query_one(Picture).show(None)
        await pilot.pause()
        assert seen(app).strip() == NOTHING


def test_the_marks_of_an_axis_of_sizes_are_powers_of_two() -> None:
    assert tick_marks(BYTES, 0, 1 << 30, 4) == [0, 1 << 28, 1 << 29, 3 << 28, 1 << 30]


def test_the_marks_of_an_axis_of_counts_are_whole_or_else_its_low_end() -> None:
    assert tick_marks(COUNT, 1, 3, 4) == [1, 2, 3]
    assert tick_marks(COUNT, 10.25, 10.75, 4) == [10.25]


def test_the_marks_of_a_time_axis_are_round_times() -> None:
    assert tick_marks(SECONDS, 0, 600, 4) == [0, 300, 600]
    assert tick_marks(COUNT, 0, 600, 4) == [0, 200, 400, 600]
    assert tick_marks(SECONDS, 0, 3, 4) == [0, 1, 2, 3]
    assert tick_marks(SECONDS, 0, 1, 4) == pytest.approx([0, 0.5, 1])
    assert tick_marks(SECONDS, 0, 4.5 * 365 * DAY, 4) == [years * 365 * DAY for years in range(5)]

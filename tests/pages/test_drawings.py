"""Charts and pages as they were drawn before: a changed picture is to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from flink_flint.calculators.formulas.quantity import BYTES, COUNT, FRACTION, PER_SECOND, SECONDS
from flink_flint.calculators.pages.charts import (
    Bar,
    Bars,
    Chart,
    Curve,
    CurvePoint,
    HeatMap,
    NamedLine,
    SeriesChart,
    draw,
)
from flink_flint.calculators.pages.history_page import history_page
from tests.pages.test_history_page import example, load

HOUR = 3600.0
START = datetime(2026, 11, 16, 22, tzinfo=UTC).timestamp()
LONG = "taskmanager.memory.framework.off-heap.batch-shuffle.size"


def series(values: list[float], *lines: NamedLine, **more: object) -> SeriesChart:
    times = [START + HOUR * place for place in range(len(values))]
    return SeriesChart("Heap", BYTES, times, [HOUR] * len(values), values, lines=lines, **more)  # type: ignore[arg-type]


def week(*known: tuple[int, int, float]) -> list[list[float | None]]:
    hours: list[list[float | None]] = [[None] * 24 for _ in range(7)]
    for day, hour, value in known:
        hours[day][hour] = value
    return hours


CHARTS: dict[str, Chart] = {
    "a load of two weeks": load(days=14),
    "six hours": series([1e9, 2e9, 1.5e9, 1.2e9, 1e9, 1.1e9]),
    "one sample": series([1e9]),
    "no sample": series([]),
    "all the same": series([5e8] * 4),
    "all zero": series([0.0] * 4, NamedLine("now", 4e9, "set")),
    "lines close together, far above, and without end": series(
        [1e9, 1.2e9],
        NamedLine("now", 1.1e9, "set"), NamedLine("recommended", 1.12e9, "advice"), NamedLine("limit", 1.13e9, "set"),
        NamedLine("disk", 9e12, "set", "of the machine"), NamedLine("room", 8e12, "advice"),
        NamedLine("never", float("inf"), "set"),
    ),
    "a heat map": HeatMap("Load", PER_SECOND, week(*((0, hour, 10.0 * hour) for hour in range(24)), (6, 23, 5.0))),
    "a heat map of one hour": HeatMap("Load", PER_SECOND, week((2, 3, 7.0))),
    "a heat map of nothing": HeatMap("Load", PER_SECOND, week()),
    "bars": Bars("Settings", COUNT, (Bar("a", 8), Bar(LONG, 3), Bar(LONG[:42], 2, "set"), Bar("none", 0))),
    "bars of nothing": Bars("Settings", COUNT, (Bar("none", 0),)),
    "a trade-off": Curve(
        "Lag against slack", "slack", FRACTION, "lag", FRACTION,
        (("flint", ((0.5, 0.1), (0.6, 0.01), (0.8, 0.001))),),
        (CurvePoint(1, "flint", 0.6, 0.01, True), CurvePoint(2, "oracle", 0.5, 0.0), CurvePoint(3, "p99", 1.7, 0.1)),
    ),
    "a trade-off of one point": Curve(
        "Lag", "slack", FRACTION, "lag", SECONDS, (), (CurvePoint(1, "flint", 0.6, 60.0, True),)
    ),
    "a trade-off where nothing is paid": Curve(
        "Lag", "slack", FRACTION, "lag", SECONDS, (), (CurvePoint(1, "a", 0.2, 0.0), CurvePoint(2, "b", 0.4, 0.0)),
    ),
    "a trade-off of nothing": Curve("Lag", "slack", FRACTION, "lag", FRACTION, (), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_drawn_as_it_was(name: str, golden: Callable[[str, str], None]) -> None:
    drawn = draw(CHARTS[name], "c1")
    golden(f"charts/{name.replace(' ', '-').replace(',', '')}.svg", drawn.replace("><", ">\n<") + "\n")


def test_a_page_is_written_as_it_was(golden: Callable[[str, str], None]) -> None:
    before, _, body = history_page(example()).partition("<body")
    assert before.startswith("<!")
    golden("pages/history.html", f"<body{body}")

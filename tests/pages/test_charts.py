"""SVG charts: what is drawn, the description for those who cannot see it, and the ticks."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.formulas.quantity import BYTES, COUNT, DAY, FRACTION, NUMBER, PER_SECOND, SECONDS, Unit
from flink_flint.calculators.pages.axis_ticks import logarithmic_ticks, moments, ticks
from flink_flint.calculators.pages.charts import (
    MAX_POINTS,
    Bar,
    Bars,
    Chart,
    Curve,
    CurvePoint,
    HeatMap,
    NamedLine,
    SeriesChart,
    draw,
    gapless_runs,
)

SVG = "{http://www.w3.org/2000/svg}"
START = datetime(2026, 11, 16, tzinfo=UTC).timestamp()
"""A Monday."""


def chart(values: list[float], *, step: float = 300, **more: object) -> SeriesChart:
    """Return a line chart over consecutive intervals."""
    times = [START + step * place for place in range(len(values))]
    return SeriesChart("Records in", PER_SECOND, times, [step] * len(values), values, **more)  # type: ignore[arg-type]


def parsed(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(draw(chart, "c1"))


def texts(element: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]


def of_class(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in element.iter() if name in one.get("class", "").split()]


def moves(path: ElementTree.Element) -> int:
    """Return the number of separate lines in a path."""
    return path.get("d", "").count("M")


def points(path: ElementTree.Element) -> list[tuple[int, int]]:
    """Return the points of a path."""
    found = []
    for line in path.get("d", "").split("M")[1:]:
        numbers = [int(number) for number in re.findall(r"-?\d+", line)]
        x = y = 0
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            found.append((x, y))
    return found


# -- lines


def test_a_line_goes_where_its_values_are() -> None:
    (mid,) = of_class(parsed(chart([0, 50, 100])), "mid")
    corners = points(mid)
    assert corners[0] == (0, 1000)
    assert corners[-1] == (1000, 0), "the last slot lasts to the end of the plane, and 100/s is its top tick"
    assert (500, 500) in corners, "the middle value stands in the middle of its slot"


def test_time_without_samples_is_a_gap() -> None:
    whole = SeriesChart(
        "x", PER_SECOND, [0, 300, 600, 3600, 3900], [300] * 5, [1, 2, 3, 4, 5], low=[1] * 5, high=[5] * 5
    )
    drawn = parsed(whole)
    assert moves(of_class(drawn, "mid")[0]) == 2
    assert moves(of_class(drawn, "band")[0]) == 2
    assert len(of_class(drawn, "gap")) == 1
    assert "1 gap without samples" in drawn.findtext(f"{SVG}desc", "")


def test_a_value_that_is_none_is_a_gap_too() -> None:
    assert [len(one) for one in gapless_runs(chart([1, 2, math.nan, 4]))] == [2, 1]


def test_hours_that_follow_five_minutes_are_no_gap() -> None:
    aged = SeriesChart("x", PER_SECOND, [0, 3600, 7200, 7500], [3600, 3600, 300, 300], [1, 1, 1, 1])
    assert len(gapless_runs(aged)) == 1


def test_a_long_line_keeps_its_extremes_in_the_band_and_stays_small() -> None:
    values = [10.0] * 2000
    values[777], values[1234] = 900.0, 1.0
    long = chart(values, low=values, high=values)
    slots = [slot for run in gapless_runs(long) for slot in run]
    assert len(slots) <= MAX_POINTS
    assert max(slot.high for slot in slots) == 900
    assert min(slot.low for slot in slots) == 1
    assert len(draw(long, "c1").encode()) < 30_000


@given(
    st.lists(st.tuples(st.floats(1, 10_000), st.floats(-1e9, 1e9)), min_size=1, max_size=1500),
    st.lists(st.integers(0, 1499), max_size=30),
)
def test_any_course_is_drawn_within_its_plane_and_its_points(
    course: list[tuple[float, float]], holes: list[int]
) -> None:
    times, now = [], START
    for place, (step, _) in enumerate(course):
        now += step * (50 if place in holes else 1)
        times.append(now)
    steps = [min(step for step, _ in course)] * len(course)
    drawn = SeriesChart("x", NUMBER, times, steps, [value for _, value in course])
    found = gapless_runs(drawn)
    assert sum(map(len, found)) <= max(MAX_POINTS, len(found))
    for run in found:
        assert all(before.time < after.time for before, after in pairwise(run))
    for x, y in points(of_class(parsed(drawn), "mid")[0]):
        assert -1 <= x <= 1001
        assert 0 <= y <= 1000


def test_what_is_set_and_recomfixed_is_named_at_its_height() -> None:
    lines = (NamedLine("now", 5000, "set"), NamedLine("recommended", 90, "advice"))
    drawn = parsed(chart([40, 60, 80], lines=lines))
    assert "recommended 90/s" in texts(drawn)
    assert "↑ now 5 000/s" in texts(drawn), "what lies far above is named, but does not flatten the rest"
    assert len(of_class(drawn, "named")) == 1
    assert "now 5 000/s. recommended 90/s." in drawn.findtext(f"{SVG}desc", "")


def test_names_of_lines_that_lie_together_do_not_cover_each_other() -> None:
    drawn = parsed(
        chart([40, 60, 80], lines=(NamedLine("now", 90), NamedLine("recommended", 91), NamedLine("p99", 92)))
    )
    heights = sorted(float(name.get("y", "")) for name in of_class(drawn, "name"))
    assert all(after - before >= 12 for before, after in pairwise(heights))


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]])
def test_a_chart_without_samples_says_so(values: list[float]) -> None:
    assert texts(parsed(chart(values))) == ["no samples in this window"]


@pytest.mark.parametrize("values", [[0.0], [5.0], [0.0, 0.0], [-3.0, -3.0]])
def test_constant_and_single_values_are_drawn(values: list[float]) -> None:
    assert of_class(parsed(chart(values)), "mid")


def test_words_from_outside_are_text() -> None:
    bad = '<script>alert("1")</script>'
    charts: list[Chart] = [
        chart([1, 2], lines=(NamedLine(bad, 1),))._replace(title=bad),
        HeatMap(bad, COUNT, [[1] * 24] * 7),
        Bars(bad, COUNT, (Bar(bad, 1),)),
        Curve(bad, bad, FRACTION, bad, FRACTION, ((bad, ((0.1, 0.1),)),), (CurvePoint(1, bad, 0.1, 0.1),)),
    ]
    for one in charts:
        drawn = parsed(one)
        assert drawn.findtext(f"{SVG}title") == bad
        assert not [element for element in drawn.iter() if element.tag.endswith("script")]


def test_a_chart_is_reported_to_those_who_do_not_see_it() -> None:
    drawn = parsed(chart([1, 2, 6]))
    assert drawn.get("role") == "img"
    names = {element.get("id") for element in drawn if element.tag in (f"{SVG}title", f"{SVG}desc")}
    assert set(drawn.get("aria-labelledby", "").split()) == names
    assert drawn.findtext(f"{SVG}desc") == (
        "From 16 Nov 2026 00:00 UTC to 16 Nov 2026 00:15 UTC: minimum 1/s, mean 3/s, maximum 6/s."
    )


# -- heat maps, bars, trade-offs


def test_a_heat_map_has_a_field_for_each_hour_with_samples() -> None:
    week: list[list[float | None]] = [[None] * 24 for _ in range(7)]
    week[0][8], week[1][9], week[6][23] = 100.0, 50.0, 0.0
    drawn = parsed(HeatMap("Load", PER_SECOND, week))
    cells = {"".join(one.itertext()): one for one in drawn.iter(f"{SVG}rect") if one.find(f"{SVG}title") is not None}
    assert set(cells) == {"Mon 08:00 100/s", "Tue 09:00 50/s", "Sun 23:00 0/s"}
    assert [cells[name].get("class") for name in cells] == ["h8", "h4", "h0"]
    assert (cells["Sun 23:00 0/s"].get("x"), cells["Sun 23:00 0/s"].get("y")) == ("23", "6")
    assert "no samples" in texts(drawn)
    assert drawn.findtext(f"{SVG}desc") == (
        "By hour of the week: highest on Mon 08:00 UTC (100/s), lowest on Sun 23:00 UTC (0/s). "
        "165 hours of 168 without samples."
    )


def test_a_heat_map_of_one_value_and_of_none_is_drawn() -> None:
    full = parsed(HeatMap("Load", COUNT, [[3] * 24] * 7))
    assert len(of_class(full, "h0")) == 168 + 1, "the fields and the legend"
    assert "no samples" not in texts(full)
    assert parsed(HeatMap("Load", COUNT, [[None] * 24] * 7)).findtext(f"{SVG}desc") == "No samples."


def test_bars_are_as_long_as_their_values() -> None:
    drawn = parsed(Bars("Settings", COUNT, (Bar("a", 8), Bar("b", 2, "set"), Bar("c", 0))))
    assert [bar.get("width") for bar in of_class(drawn, "bar")] == ["100%", "25%", "0%"]
    assert [texts(drawn)[place] for place in (0, 1)] == ["a", "8"]


def test_a_trade_off_numbers_its_marks_and_keeps_zero_on_the_ground() -> None:
    marks = (CurvePoint(1, "flint", 0.6, 0.01, True), CurvePoint(2, "oracle", 0.5, 0.0), CurvePoint(3, "p99", 0.7, 0.1))
    sweep = ("flint", ((0.5, 0.1), (0.6, 0.01), (0.8, 0.001)))
    drawn = parsed(Curve("Lag against slack", "slack", FRACTION, "lag", FRACTION, (sweep,), marks))
    circles = {one.findtext(f"{SVG}text"): one.find(f"{SVG}circle") for one in of_class(drawn, "mark")}
    assert set(circles) == {"1", "2", "3"}
    heights = {number: float(circle.get("cy", "")) for number, circle in circles.items() if circle is not None}
    assert heights["2"] > heights["1"] > heights["3"], "the more is paid, the higher the mark"
    assert moves(of_class(drawn, "sweep")[0]) == 1
    assert "flint: 60 % and 1 %" in drawn.findtext(f"{SVG}desc", "")


# -- ticks


UNITS = st.sampled_from([BYTES, COUNT, FRACTION, NUMBER, PER_SECOND, SECONDS])


@given(st.floats(-1e15, 1e15), st.floats(0, 1e15), UNITS, st.integers(2, 10))
def test_ticks_are_few_even_and_cover_the_range(low: float, width: float, unit: Unit, most: int) -> None:
    high = low + width
    found = ticks(low, high, unit, most)
    assert 2 <= len(found) <= most + 1
    step = (found[-1] - found[0]) / (len(found) - 1)
    assert all(after - before == pytest.approx(step, rel=1e-6) for before, after in pairwise(found))
    assert found[0] <= low + 1e-6 * step
    assert found[-1] >= high - 1e-6 * step


@pytest.mark.parametrize(
    ("high", "unit", "spelled"),
    [
        (900, PER_SECOND, ["0/s", "200/s", "400/s", "600/s", "800/s", "1 000/s"]),
        (0.93, FRACTION, ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]),
        (3 << 30, BYTES, ["0 bytes", "1 GiB", "2 GiB", "3 GiB"]),
        (700 << 20, BYTES, ["0 bytes", "256 MiB", "512 MiB", "768 MiB"]),
        (200, SECONDS, ["0 s", "60 s", "2 min", "3 min", "4 min"]),
        (40, SECONDS, ["0 s", "10 s", "20 s", "30 s", "40 s"]),
        (0.008, SECONDS, ["0 s", "2 ms", "4 ms", "6 ms", "8 ms"]),
        (3 * DAY, SECONDS, ["0 s", "1 d", "2 d", "3 d"]),
        (2, COUNT, ["0", "1", "2"]),
    ],
)
def test_ticks_are_what_people_would_write(high: float, unit: Unit, spelled: list[str]) -> None:
    assert [unit.spell(tick) for tick in ticks(0, high, unit)] == spelled


@given(st.floats(1e-9, 1e6), st.floats(1, 1e9))
def test_logarithmic_ticks_cover_the_range(low: float, ratio: float) -> None:
    found = logarithmic_ticks(low, low * ratio)
    assert found == sorted(found)
    assert found[0] <= low * 1.000001
    assert found[-1] >= low * ratio * 0.999999


@given(st.integers(0, 4 * 10**9), st.integers(300, 2 * 10**9), st.integers(2, 9))
def test_moments_are_few_and_within(start: int, width: int, most: int) -> None:
    found = moments(start, start + width, most)
    assert len(found) <= most
    assert all(start <= moment.time <= start + width for moment in found)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (0.25, ["17 Nov", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00"]),
        (2, ["17 Nov", "12:00", "18 Nov", "12:00", "19 Nov"]),
        (28, ["23 Nov", "30 Nov", "7 Dec", "14 Dec"]),
        (180, ["Dec 2026", "Jan 2027", "Feb 2027", "Mar 2027", "Apr 2027", "May 2027"]),
    ],
)
def test_moments_are_round(days: float, expected: list[str]) -> None:
    """Weeks begin on Mondays, months on their first day."""
    start = START + DAY
    assert [moment.text for moment in moments(start, start + days * DAY)] == expected

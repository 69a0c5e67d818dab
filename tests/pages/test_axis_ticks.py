"""Ticks of axes: round, few, and around what is shown."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.formulas.quantity import BYTES, COUNT, DAY, FRACTION, PER_SECOND, SECONDS, Unit
from flink_flint.calculators.pages.axis_ticks import logarithmic_ticks, moments, ticks

MIB = 1024.0**2
UNITS = [BYTES, COUNT, FRACTION, PER_SECOND, SECONDS]


@pytest.mark.parametrize(
    ("low", "high", "unit", "expected"),
    [
        (0, 10, PER_SECOND, [0, 2, 4, 6, 8, 10]), (0, 10.1, PER_SECOND, [0, 5, 10, 15]),
        (3, 9, PER_SECOND, [2, 4, 6, 8, 10]),
        (0, 0.01, FRACTION, [0, 0.002, 0.004, 0.006, 0.008, 0.01]), (0, 3, COUNT, [0, 1, 2, 3]), (0, 1, COUNT, [0, 1]),
        (0, 1, FRACTION, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 100 * MIB, BYTES, [0, 32 * MIB, 64 * MIB, 96 * MIB, 128 * MIB]),
        (0, 1, BYTES, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 5, BYTES, [0, 1, 2, 3, 4, 5]),
        (0, 90, SECONDS, [0, 30, 60, 90]), (0, 7_200, SECONDS, [0, 1_800, 3_600, 5_400, 7_200]),
        (0, 1, SECONDS, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 3 * DAY, SECONDS, [0, DAY, 2 * DAY, 3 * DAY]), (0, 30 * DAY, SECONDS, [0, 10 * DAY, 20 * DAY, 30 * DAY]),
        # of no width
        (5, 5, COUNT, [5, 6, 7, 8, 9, 10]), (0, 0, COUNT, [0, 1]), (5, 5 + 1e-10, PER_SECOND, [5, 6, 7, 8, 9, 10]),
        (-5, -5, PER_SECOND, [-5, -4, -3, -2, -1, 0]),
    ],
)  # fmt: skip
def test_ticks(low: float, high: float, unit: Unit, expected: list[float]) -> None:
    assert ticks(low, high, unit) == pytest.approx(expected)


@pytest.mark.parametrize("power", range(-12, 7))
def test_ticks_are_what_people_write(power: int) -> None:
    for digit in (1, 2, 5):
        assert ticks(0, float(f"{5 * digit}e{power}"), PER_SECOND)[1] == float(f"{digit}e{power}")


@given(
    st.floats(-1e15, 1e15), st.floats(0, 1e15), st.sampled_from(UNITS), st.integers(2, 9)
)  # fmt: skip
def test_ticks_cover_what_is_shown(low: float, width: float, unit: Unit, most: int) -> None:
    found = ticks(low, low + width, unit, most)
    step = found[1] - found[0]
    assert 2 <= len(found) <= most + 1
    assert found[0] <= low + 1e-6 * step
    assert found[-1] >= low + width - 1e-6 * step
    assert all(after > before for before, after in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 10, [1, 2, 5, 10]), (1, 100, [1, 2, 5, 10, 20, 50, 100]), (1, 101, [1, 10, 100, 1000]),
        (3, 9, [2, 5, 10]), (2, 5, [2, 5]),
        (0.02, 0.3, [0.02, 0.05, 0.1, 0.2, 0.5]), (7, 7, [5, 10]), (10, 10, [10]),
    ],
)  # fmt: skip
def test_logarithmic_ticks(low: float, high: float, expected: list[float]) -> None:
    assert logarithmic_ticks(low, high) == pytest.approx(expected)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("start", "end", "texts"),
    [
        ("2026-11-20T10:00", "2026-11-20T10:05", ["10:00", "10:01", "10:02", "10:03", "10:04", "10:05"]),
        ("2026-11-20T10:00:30", "2026-11-20T10:05:30", ["10:01", "10:02", "10:03", "10:04", "10:05"]),
        ("2026-11-20T22:00", "2026-11-21T02:00", ["22:00", "23:00", "21 Nov", "01:00", "02:00"]),
        ("2026-11-20", "2026-11-21", ["20 Nov", "06:00", "12:00", "18:00", "21 Nov"]),
        ("2026-11-20", "2026-11-25", ["20 Nov", "21 Nov", "22 Nov", "23 Nov", "24 Nov", "25 Nov"]),
        # Mondays
        ("2026-11-01", "2026-11-30", ["2 Nov", "9 Nov", "16 Nov", "23 Nov", "30 Nov"]),
        ("2026-09-01", "2026-11-30", ["14 Sep", "28 Sep", "12 Oct", "26 Oct", "9 Nov", "23 Nov"]),
        ("2026-01-02", "2026-07-01", ["Feb 2026", "Mar 2026", "Apr 2026", "May 2026", "Jun 2026", "Jul 2026"]),
        ("2026-01-01", "2027-01-01",
         ["Jan 2026", "Mar 2026", "May 2026", "Jul 2026", "Sep 2026", "Nov 2026", "Jan 2027"]),
        ("2020-01-01", "2026-06-01",
         ["Jan 2020", "Jan 2021", "Jan 2022", "Jan 2023", "Jan 2024", "Jan 2025", "Jan 2026"]),
    ],
)  # fmt: skip
def test_moments(start: str, end: str, texts: list[str]) -> None:
    found = moments(at(start), at(end))
    assert [one.text for one in found] == texts
    assert all(at(start) <= one.time <= at(end) for one in found)


@given(st.integers(0, 4_000_000_000), st.integers(60, 3_000_000_000), st.integers(2, 12))
def test_moments_are_few_and_ascend(start: int, length: int, most: int) -> None:
    found = moments(float(start), min(float(start + length), 2.5e11), most)
    assert len(found) <= most
    assert all(after.time > before.time for before, after in itertools.pairwise(found))

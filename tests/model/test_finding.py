"""Comparing the measure of a finding with an earlier one."""

from __future__ import annotations

from math import inf, nan

import pytest

from flink_flint.linter.model.finding import has_grown, worse_note


@pytest.mark.parametrize(
    ("now", "there", "grown"),
    [(2, 1, True), (1, 1, False), (1, 2, False), (None, 1, False), (1, None, False), (nan, 1, True), (1, nan, True)],
)
def test_a_problem_has_grown_if_its_measure_is_not_at_most_the_earlier_one(
    now: float | None, there: float | None, grown: bool
) -> None:
    assert has_grown(now, there) is grown


@pytest.mark.parametrize(
    ("now", "there", "note"),
    [
        (400.0, 2.5, "worse than before: 400 now, 2.5 there"),
        (1e15, 1 / 3, "worse than before: 1000000000000000 now, 0.333333 there"),
        (inf, nan, "worse than before: inf now, nan there"),
        (-1.5, -2, "worse than before: 1.5 now, 2 there"),
        (1, None, "worse than before: 1 now, unknown there"),
    ],
)
def test_a_note_compares_any_two_measures(now: float | None, there: float | None, note: str) -> None:
    assert worse_note(None, "before", now, there) == note

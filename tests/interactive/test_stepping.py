"""Moving a number by a nice step, and what is drawn from numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import Input, inputs_of
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, FRACTION, NUMBER, PER_SECOND, SECONDS, Unit
from flink_flint.calculators.interactive.answer_chart import tick_marks
from flink_flint.calculators.interactive.large_figures import large
from flink_flint.calculators.interactive.value_steps import can_step, stepped, text_of


def declared(unit: Unit, **bounds: float) -> Input:
    """An input of a unit within bounds."""
    limits: dict[str, Any] = {"least": None, "above": None, "most": None, "below": None, **bounds}
    return Input(
        "x", unit, "x", None, required=False, needed=None, assumed="", metric="", statistic="", option="", when=None,
        **limits,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "value", "up", "down"),
    [
        (SECONDS, 2.0, 2.2, 1.8),
        (SECONDS, 52.0, 55.0, 50.0),
        (SECONDS, 502.0, 540.0, 480.0),
        (SECONDS, 480.0, 540.0, 420.0),
        (SECONDS, 0.35, 0.36, 0.34),
        (SECONDS, 3600.0, 3900.0, 3300.0),
        (COUNT, 1, 2, 0),
        (COUNT, 25, 26, 24),
        (COUNT, 10_000, 11_000, 9_000),
        (PER_SECOND, 3000.0, 3200.0, 2800.0),
        (BYTES, 1 << 30, (1 << 30) + (1 << 27), (1 << 30) - (1 << 27)),
        (FRACTION, 0.7, 0.75, 0.65),
        (FRACTION, 0.05, 0.06, 0.04),
        (NUMBER, 2.0, 2.2, 1.8),
        (SECONDS, 0.0, 1.0, -1.0),
    ],
)
def test_a_step_is_about_a_tenth_and_lands_on_round_values(unit: Unit, value: Any, up: Any, down: Any) -> None:
    assert stepped(declared(unit), value, 1) == pytest.approx(up)
    assert stepped(declared(unit), value, -1) == pytest.approx(down)


def test_a_step_ends_at_the_bound_and_never_reaches_what_is_excluded() -> None:
    assert stepped(declared(COUNT, least=1), 1, -1) == 1
    assert stepped(declared(FRACTION, most=1), 0.98, 1) == 1
    assert stepped(declared(FRACTION, most=0.94), 0.93, 1) == 0.94
    assert stepped(declared(FRACTION, below=1), 0.98, 1) == 0.98
    assert stepped(declared(SECONDS, above=0), 0.001, -1) == 0.001


STEPPABLE = [
    one
    for name in NAMES
    for one in inputs_of(calculator(name).forward.inputs)
    if can_step(one.unit) and (one.least is not None or one.above is not None)
]


@given(st.sampled_from(STEPPABLE), st.floats(1e-3, 1e9), st.lists(st.sampled_from([1, -1]), max_size=30))
def test_however_one_steps_the_value_stays_within_the_range(one: Input, start: float, walk: list[int]) -> None:
    value: Any = round(start) if isinstance(one.unit.read(one.unit.example), int) else start
    low, high = one.least or one.above or 0, one.most or one.below
    value = max(value, low) if high is None else min(max(value, low), high)
    try:
        one.check(value)
    except ValueError:
        return
    for direction in walk:
        after = stepped(one, value, direction)
        one.check(after)
        assert (after - value) * direction >= 0
        value = after


@given(st.sampled_from([SECONDS, PER_SECOND, NUMBER]), st.floats(1e-6, 1e12))
def test_a_value_as_text_reads_back_exactly(unit: Unit, value: float) -> None:
    assert unit.parse(text_of(unit, value)) == value


@given(st.floats(1e-6, 1))
def test_a_fraction_as_text_reads_back_exactly(value: float) -> None:
    assert FRACTION.parse(text_of(FRACTION, value)) == value


@given(st.integers(0, 1 << 50))
def test_a_size_as_text_reads_back_exactly(size: int) -> None:
    assert BYTES.parse(text_of(BYTES, size)) == size


@given(st.sampled_from([SECONDS, COUNT, PER_SECOND, FRACTION, BYTES]), st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_the_marks_of_an_axis_are_few_and_lie_on_it(unit: Unit, low: float, span: float) -> None:
    for wanted in (2, 5, 9):
        marks = tick_marks(unit, low, low + span, wanted)
        assert 1 <= len(marks) <= max(wanted + 2, 12)
        assert all(low - span * 1e-6 <= mark <= (low + span) * 1.000001 for mark in marks)


def test_the_figures_of_the_answer_are_large_and_its_words_are_not() -> None:
    assert large("52 s", 40).splitlines() == ["┏━╸╺━┓", "┗━┓┏━┛", "╺━┛┗━╸ s"]
    assert large("8 min 22 s", 10) == "\n8 min 22 s\n", "too little room"
    assert large("unlimited", 40) == "\nunlimited\n"

"""What calculators answer to questions on both sides of each of their conditions, compared with golden answers.

`questions/CALCULATOR.txt` holds the questions as command lines. `pytest tests/calculators/test_answers.py
--update-golden` writes the answers again; read the difference.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flink_flint.calculators.answering.answer import Answer, Chart, Value
from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import BadInput, current_name, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.linter.flink.releases import parse_release

QUESTIONS = Path(__file__).parent / "questions"


@pytest.mark.parametrize("name", NAMES)
def test_answers(name: str, golden: Callable[[str, str], None]) -> None:
    questions = QUESTIONS.joinpath(f"{name}.txt").read_text(encoding="utf-8").splitlines()
    golden(f"answers/{name}.txt", "\n".join(f"$ {question}\n{answer(question)}" for question in questions))


def answer(question: str) -> str:
    """Return everything a calculator answers to `flint size NAME [--reverse] --flink-version V --INPUT=VALUE…`."""
    _, _, name, *flags = shlex.split(question)
    reverse = "--reverse" in flags
    given = dict(flag.removeprefix("--").split("=", 1) for flag in flags if flag != "--reverse")
    release = parse_release(given.pop("flink-version"))
    way = calculator(name).way(reverse=reverse)
    declared = {one.name: one for one in inputs_of(way.inputs)}
    try:
        read = {current_name(flag): declared[current_name(flag)].read(text) for flag, text in given.items()}
        return "".join(f"{line}\n" for line in lines(way.answer(collect(way.inputs, read), release)))
    except BadInput as refused:
        return f"refused: {refused}\n"


def lines(found: Answer) -> Iterator[str]:
    yield from map(line_of, found.values)
    yield f"decisive: {found.binding}"
    yield from (f"step: {step}" for step in found.steps)
    yield from (f"set {key}: {number(value)}" for key, value in found.settings.items())
    yield from (f"remove {key}" for key in found.remove)
    yield from (f"write into {snippet.where}: {snippet.text}" for snippet in found.elsewhere)
    yield from (f"error: {error}" for error in found.errors)
    yield from (f"warning: {warning}" for warning in found.warnings)
    if found.chart is not None:
        yield from drawn(found.chart)
    if found.memory is not None:
        yield f"memory: {found.memory}"


def line_of(value: Value) -> str:
    now = "" if value.present is None else f", now {number(value.present)}"
    return f"{value.name}: {number(value.value)} {value.unit.name}{now} ({value.explanation})"


def drawn(chart: Chart) -> Iterator[str]:
    yield f"chart: {chart.title}, {chart.y} in {chart.y_unit.name} over {chart.x} in {chart.x_unit.name}"
    for series in chart.series:
        fourth = max(1, (len(series.points) - 1) // 4)
        yield f"  {series.label}: " + " ".join(f"{x:.5g},{y:.5g}" for x, y in series.points[::fourth])
    yield from (f"  {point.label} at {point.x:.5g},{point.y:.5g}" for point in chart.points)


def number(value: object) -> str:
    """Return a value of an answer, without the digits in which mathematical libraries differ."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)

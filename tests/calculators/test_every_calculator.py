"""Every calculator, both ways: whatever it is given, it answers or says which input cannot be used, and why.

What is given comes from the declarations: values anywhere in their ranges, now usual ones, now the ends of the range,
with any of the optional inputs, for the releases of the catalogue and one beyond either end.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer, Chart, Value
from flink_flint.calculators.answering.calculator import NAMES, Calculator, Way, calculator
from flink_flint.calculators.answering.declaration import BadInput, Input, inputs_of, missing
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.command_line.answer_formats import as_json, as_markdown, as_text, export
from flink_flint.calculators.command_line.collect_inputs import ask
from flink_flint.calculators.command_line.input_file import read_input_file
from flink_flint.calculators.formulas.exchanges import KINDS, Exchange
from flink_flint.calculators.formulas.rocksdb_memory import Weights
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, NEWEST, Release, nearest_index, parse_release, release_at
from flink_flint.linter.output.terminal_style import Style

EXAMPLES = 20
LONGEST = 450
RELEASES = [parse_release(name) for name in ("1.8", *MINORS, "3.0")]
NEW = release_at(NEWEST)
WAYS = [(name, reverse) for name in NAMES for reverse in (False, True)]
WAY_IDS = [f"{name}{'-reverse' if reverse else ''}" for name, reverse in WAYS]

every_way = pytest.mark.parametrize(("name", "reverse"), WAYS, ids=WAY_IDS)
some = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # making thirty inputs smaller takes minutes and says little more
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# -- what is given

_USUAL: dict[str, float] = {
    "count": 10, "seconds": 10.0, "bytes": 1 << 30, "1/s": 1000.0, "bytes/s": 1e7, "fraction": 0.5, "number": 2.0,
    "percent": 50.0,
}  # fmt: skip
_PARALLELISMS = st.sampled_from([1, 2, 7, 120, 1000, 32_768])


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[Exchange, ...]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        kind, upstream = draw(st.sampled_from(sorted(KINDS))), draw(_PARALLELISMS)
        downstream = upstream if kind == "forward" else draw(_PARALLELISMS)
        found.append(Exchange(upstream, downstream, kind, draw(st.sampled_from([1, 3, 1000]))))
    return tuple(found)


@st.composite
def values(draw: st.DrawFn, declared: Input, usual: tuple[float, ...], *, wild: bool) -> Any:
    """A value an input may have: near a usual one, or, when wild, anywhere up to the ends of its range."""
    unit = declared.unit
    if unit.choices:
        return draw(st.sampled_from(unit.choices))
    if unit.name == "yes/no":
        return draw(st.booleans())
    if unit.name == "exchanges":
        return draw(exchanges())
    if unit.name == "weights":
        return Weights(*(draw(st.sampled_from([0.0, 1.0, 30.0, 70.0, 1e6])) for _ in range(3)))
    whole = unit.name in ("count", "bytes")
    least = declared.least if declared.least is not None else (declared.above or 0) + (1 if whole else 1e-9)
    most = declared.furthest if declared.below is None else declared.below * (1 - 1e-9)
    if not wild:
        number = draw(st.sampled_from(usual)) * draw(st.sampled_from([1, 1, 0, 0.01, 0.3, 0.9, 1.1, 2, 7, 100]))
    elif draw(st.booleans()):
        number = draw(st.sampled_from([least, least + 1, math.sqrt(max(least, 1) * most), most]))
    else:
        number = math.exp(draw(st.floats(math.log(max(least, 1e-9)), math.log(most))))
    number = min(max(number, least), most)
    return round(number) if whole else float(f"{number:.12g}") if least <= float(f"{number:.12g}") <= most else number


def _usual(found: Calculator, declared: Input) -> tuple[float, ...]:
    """What is usual for an input: what the examples have, its default."""
    known = [_USUAL.get(declared.unit.name, 0)]
    if declared.default is not None:
        known.append(declared.default)
    for way in (found.forward, found.reverse):
        if declared.name in way.example and declared.name in {one.name for one in inputs_of(way.inputs)}:
            known.append(declared.read(way.example[declared.name]))
    return tuple(known)


@st.composite
def inputs(draw: st.DrawFn, name: str, *, reverse: bool, tame: bool = False) -> dict[str, Any]:
    """Values by field name: all that the answer needs, and some of what is optional."""
    found = calculator(name)
    way = found.way(reverse=reverse)
    wild = not tame and draw(st.sampled_from([False, False, True]))
    often = draw(st.sampled_from([1, 4, 8]))
    chosen: dict[str, Any] = {}
    if draw(st.booleans()):
        chosen = {one.name: one.read(way.example[one.name]) for one in inputs_of(way.inputs) if one.name in way.example}
    for one in inputs_of(way.inputs):
        if draw(st.integers(1, 10)) <= often:
            chosen[one.name] = draw(values(one, _usual(found, one), wild=wild))
    while wanted := missing(way.inputs, chosen):
        chosen[wanted[0].name] = draw(values(wanted[0], _usual(found, wanted[0]), wild=wild))
    return chosen


releases = st.sampled_from(RELEASES)


def answered(way: Way, chosen: Mapping[str, Any], release: Release) -> Answer | BadInput:
    """The answer, or why there is none; anything else that is raised is a defect."""
    try:
        return way.answer(collect(way.inputs, chosen), release)
    except BadInput as bad:
        return bad


# -- what is wrong with an answer

_NO_WORDS = re.compile(r"\b(nan|None|inf|infinity)\b|  |[{}]")
_OF_FLINK = re.compile(
    r"memory configuration failed|Inconsistently configured|explicitly configured|configured Total|Sum of"
)
_BOUNDLESS = ("forever", "unlimited", "unlimited/s")


def badly_said(sentence: str, *, stop: bool) -> Iterator[str]:
    """What is wrong with a sentence; what Flink itself says when it refuses to start stands as it says it."""
    if _OF_FLINK.search(sentence):
        return
    if not sentence.strip() or sentence != sentence.strip():
        yield f"empty or with blanks around it: {sentence!r}"
    if found := _NO_WORDS.search(sentence):
        yield f"{found[0]!r} in {sentence!r}"
    if sentence.endswith((".", ":") if stop else ".") is not stop:
        yield f"a full stop is {'missing' if stop else 'too much'}: {sentence!r}"
    if len(sentence) > LONGEST:
        yield f"{len(sentence)} characters: {sentence!r}"


def bad_sentences(answer: Answer) -> Iterator[str]:
    for step in answer.steps:
        yield from badly_said(step, stop=True)
    explained = (value.explanation for value in answer.values)
    for clause in (answer.binding, *answer.errors, *answer.warnings, *explained):
        yield from badly_said(clause, stop=False)
    for told in (answer.errors, answer.warnings):
        if len(set(told)) < len(told):
            yield f"said twice: {told}"


def bad_number(value: Value, number: Any) -> bool:
    if not isinstance(number, float) or math.isfinite(number):
        return isinstance(number, (int, float)) and number < 0
    return number != math.inf or value.unit.spell(number) not in _BOUNDLESS


def bad_numbers(answer: Answer) -> Iterator[str]:
    for value in answer.values:
        if bad_number(value, value.value) or bad_number(value, value.present):
            yield f"{value.name} is {value.value}, now {value.present}"
    for key, setting in answer.settings.items():
        if isinstance(setting, float) and not math.isfinite(setting):
            yield f"{key} is {setting}"
    if len({value.name for value in answer.values}) < len(answer.values):
        yield "two values of one name"
    if answer.chart is not None:
        yield from bad_points(answer.chart)


def bad_points(chart: Chart) -> Iterator[str]:
    for series in chart.series:
        if not series.points or not all(math.isfinite(x) and math.isfinite(y) for x, y in series.points):
            yield f"the line {series.label} cannot be drawn: {series.points[:3]}"
        if [x for x, _ in series.points] != sorted(x for x, _ in series.points):
            yield f"the line {series.label} goes back and forth"
    for point in chart.points:
        if not (math.isfinite(point.x) and math.isfinite(point.y)):
            yield f"the point {point.label} cannot be drawn: {point}"


# -- whatever is given


@every_way
@some
@given(st.data())
def test_every_answer_is_sound_and_the_same_again(name: str, reverse: bool, data: st.DataObject) -> None:
    chosen, release = data.draw(inputs(name, reverse=reverse)), data.draw(releases)
    way = calculator(name).way(reverse=reverse)
    answer = answered(way, chosen, release)
    if isinstance(answer, BadInput):
        assert list(badly_said(str(answer), stop=False)) == []
        return
    assert list(bad_sentences(answer)) == []
    assert list(bad_numbers(answer)) == []
    assert answered(way, dict(chosen), release) == answer
    accepted(answer, release)


def accepted(answer: Answer, release: Release) -> None:
    """Every setting is one the release accepts, or is reported as unknown there."""
    found = spelled(answer.settings, release)
    assert len(found.settings) + len(found.unknown) == len(answer.settings)
    configuration, index = Configuration({}, release, yaml=True), nearest_index(release)
    for key, text in found.settings.items():
        known = catalogue().as_of(release).accept(key, index)
        assert known is not None, key
        configuration.parse(known.option, text)  # raises BadValue where Flink refuses it
    for key in (*found.unknown, *answer.remove):
        assert any(catalogue().as_of(at).accept(key, nearest_index(at)) for at in RELEASES), key


@pytest.mark.slow
@every_way
@some
@given(st.data())
def test_every_answer_is_the_same_in_other_units(name: str, reverse: bool, data: st.DataObject) -> None:
    way = calculator(name).way(reverse=reverse)
    chosen = data.draw(inputs(name, reverse=reverse))
    one, other = {}, {}
    for declared in inputs_of(way.inputs):
        value = chosen.get(declared.name)
        if value is None:
            continue
        unit = declared.unit.name
        texts = in_two_units(unit, max(1, round(value))) if unit in _TWO_UNITS else (declared.unit.spell(value),) * 2
        try:
            one[declared.name], other[declared.name] = map(declared.read, texts)
        except BadInput:  # a number that was made whole, out of its range
            one[declared.name] = other[declared.name] = value
    assert one == other
    assert answered_alike(way, one, other)


_TWO_UNITS = ("seconds", "bytes", "1/s", "bytes/s", "fraction")


def in_two_units(unit: str, number: int) -> tuple[str, str]:
    """A number in its unit's base, written in two ways."""
    return {
        "seconds": (f"{number}s", f"{number * 1000} ms"),
        "bytes": (f"{number}kb", f"{number * 1024} bytes"),
        "1/s": (f"{number}/s", f"{number * 60} records/min"),
        "bytes/s": (f"{number} MiB/s", f"{number * 60}mb/min"),
        "fraction": ("0.5", "50 %"),
    }[unit]


def answered_alike(way: Way, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    first, second = answered(way, one, NEW), answered(way, other, NEW)
    return str(first) == str(second) if isinstance(first, BadInput) else first == second


@every_way
@some
@given(st.data())
def test_what_is_shown_of_an_input_can_be_typed(name: str, reverse: bool, data: st.DataObject) -> None:
    for declared in inputs_of(calculator(name).way(reverse=reverse).inputs):
        value = data.draw(values(declared, _usual(calculator(name), declared), wild=True))
        shown = declared.unit.spell(value)
        read = declared.unit.parse(shown)
        if isinstance(value, (bool, str, tuple)):
            assert read == value
        else:  # a time is shown in two units, such as days and hours
            assert read == pytest.approx(
                value,
                rel=0.05 if declared.unit.name == "seconds" else 1e-3,
                abs=0.5 if declared.unit.name == "bytes/s" else 1e-12,
            )


@pytest.mark.slow
@every_way
@some
@given(st.data())
def test_every_answer_can_be_written_and_its_inputs_give_it_again(
    name: str, reverse: bool, data: st.DataObject
) -> None:
    chosen, release = data.draw(inputs(name, reverse=reverse)), data.draw(releases)
    found = calculator(name)
    try:
        asked = ask(found, chosen, reverse=reverse, release=release)
    except BadInput:
        return
    for text in (json.dumps(as_json(asked), allow_nan=False), *as_text(asked, Style(False), 80), as_markdown(asked)):
        assert "nan" not in re.findall(r"[a-z]+", text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "inputs.json")
        path.write_text(json.dumps(export(asked), allow_nan=False), encoding="utf-8")
        again = ask(found, read_input_file(str(path), found, reverse=reverse).values, reverse=reverse, release=release)
    assert again.inputs == asked.inputs
    assert again.answer == asked.answer


# -- recommended values are accepted


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name != "parallelism"]
)  # its rates hold for one parallelism
@some
@given(st.data())
def test_recommended_values_are_no_error_once_they_are_set(name: str, data: st.DataObject) -> None:
    way = calculator(name).forward
    chosen, release = data.draw(inputs(name, reverse=False, tame=True)), data.draw(releases)
    needs = {one.name: chosen.get(one.name) for one in inputs_of(way.inputs) if not is_current(one)}
    needs["limit"] = None  # what a limit leaves may be less than is wanted, which is warned of at once
    needs = {name: value for name, value in needs.items() if value is not None}
    answer = answered(way, needs, release)
    if isinstance(answer, BadInput) or answer.errors:
        return
    again = answered(way, {**needs, **recommended(way, answer)}, release)
    if isinstance(again, BadInput):
        assert "out of range" in again.message  # more than a calculator takes to be meant
    else:
        assert again.errors == ()


def is_current(declared: Input) -> bool:
    return re.search(r"\bcurrent\b", declared.meaning) is not None or declared.name.endswith("_in_force")


def recommended(way: Way, answer: Answer) -> dict[str, Any]:
    """The values of an answer, by the inputs that take them as current values."""
    found = {}
    for declared in inputs_of(way.inputs):
        if not is_current(declared):
            continue
        wanted = answer.settings.get(declared.option)
        if wanted is None:
            wanted = next(
                (value.value for value in answer.values if value.name == declared.name.removesuffix("_in_force")), None
            )
        if wanted is not None and wanted != math.inf:
            found[declared.name] = declared.unit.parse(wanted) if isinstance(wanted, str) else wanted
    return found


# -- numbers no one means


@every_way
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -1.0, 1e300, sys.float_info.min])
def test_numbers_no_one_means_are_refused_by_name(name: str, reverse: bool, number: float) -> None:
    way = calculator(name).way(reverse=reverse)
    example = {one.name: one.read(way.example[one.name]) for one in inputs_of(way.inputs) if one.name in way.example}
    for declared in inputs_of(way.inputs):
        if declared.unit.name in _USUAL and not (0 < number < 1 and declared.unit.name in ("count", "bytes")):
            answer = answered(way, {**example, declared.name: number}, NEW)
            assert isinstance(answer, BadInput), declared.name

"""Declared inputs: ranges, what is wanted, what is assumed, and the schema of a file of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from jsonschema import Draft202012Validator

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import (
    BadInput,
    Inputs,
    MissingInput,
    ask,
    inputs_of,
    missing,
    schema,
)
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.answering.input_conditions import condition, instead
from flink_flint.calculators.command_line import collect_inputs as asking
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, YES_NO, choice
from flink_flint.calculators.inputs.async_io import AsyncIo, CurrentAsyncIo
from flink_flint.linter.flink.releases import NEWEST, release_at

BY_NAME = {declared.name: declared for declared in inputs_of(AsyncIo)}


def test_a_value_out_of_range_names_input_value_and_range() -> None:
    with pytest.raises(BadInput) as caught:
        BY_NAME["pool"].read("0")
    assert str(caught.value) == f"--pool: 0 is out of range; allowed: {BY_NAME['pool'].range}"
    assert BY_NAME["catch_up"].range == "at least 1"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_no_input(value: float) -> None:
    with pytest.raises(BadInput, match=r"--read-timeout: .* is not a usable number"):
        AsyncIo(read_timeout=value, pool=1, capacity=1)


def test_a_utilization_in_percent_is_asked_back() -> None:
    with pytest.raises(BadInput, match=r"--utilization: '70' is above 1; if 70 % was meant, write 0.7 or 70 %"):
        BY_NAME["utilization"].read("70")


def test_a_negative_value_is_refused() -> None:
    with pytest.raises(BadInput, match=r"--read-timeout: -2 s is out of range; allowed: above 0 s"):
        BY_NAME["read_timeout"].read("-2s")


def test_contradictions_name_the_input() -> None:
    with pytest.raises(BadInput, match="--latency: 3 s is above the read timeout of 2 s"):
        AsyncIo(read_timeout=2, pool=1, capacity=1, latency=3)


def test_what_is_missing_depends_on_what_is_given() -> None:
    assert [declared.name for declared in missing(AsyncIo, {})] == ["read_timeout", "rate"]
    assert [declared.name for declared in missing(AsyncIo, {"rate": 1.0})] == ["read_timeout", "latency"]
    assert [declared.name for declared in missing(AsyncIo, {"read_timeout": 2.0, "capacity": 5})] == ["rate"]
    assert missing(AsyncIo, {"read_timeout": 2.0, "capacity": 5, "pool": 1}) == []
    assert missing(AsyncIo, {"read_timeout": 2.0, "capacity": 5, "client": "async"}) == []
    with pytest.raises(
        MissingInput, match=r"--rate: is missing: records per second .* write it like 5k/s, or provide --capacity, and "
    ):
        collect(AsyncIo, {"read_timeout": 2.0})


def test_only_what_plays_a_part_is_assumed() -> None:
    given = {"client": "async", "rate": 5.0, "read_timeout": 2.0, "latency": 1.0}
    sources = asking.ask(calculator("async-io"), given, release=release_at(NEWEST)).sources
    assumed = [name for name, source in sources.items() if source.kind == "assumed"]
    assert "catch_up" in assumed
    assert "shared_by" not in assumed  # an asynchronous client has no pool to share
    assert "pooled" not in assumed  # no connect timeout is given


def test_unknown_names_are_for_the_caller_to_catch() -> None:
    with pytest.raises(KeyError):
        collect(AsyncIo, {"color": 1})


def test_the_schema_takes_what_the_declaration_takes() -> None:
    validator = Draft202012Validator(schema(CurrentAsyncIo))
    Draft202012Validator.check_schema(schema(CurrentAsyncIo))
    assert validator.is_valid({"read_timeout": "2s", "capacity": 5000, "timeout": "52s", "pool": "200"})
    assert not validator.is_valid({"read_timeout": 2, "capacity": 5000, "timeout": "52s"})
    assert not validator.is_valid({"read_timeout": "2s", "capacity": 5000, "timeout": "52s", "pols": 200})


@pytest.mark.parametrize("name", NAMES)
def test_every_calculator_answers_its_own_examples(name: str) -> None:
    from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

    for reverse in (False, True):
        way = calculator(name).way(reverse=reverse)
        declared = {one.name: one for one in inputs_of(way.inputs)}
        given = {field: declared[field].read(text) for field, text in way.example.items()}
        release = parse_release(way.release) if way.release else release_at(NEWEST)
        answer = way.answer(collect(way.inputs, given), release)
        assert answer.values
        assert answer.steps
        assert answer.binding
        assert not answer.binding.endswith(".")
        assert all(step.endswith(".") for step in answer.steps)
        assert not any(sentence.endswith(".") for sentence in (*answer.errors, *answer.warnings))


@pytest.mark.parametrize("name", NAMES)
def test_every_declaration_is_complete(name: str) -> None:
    from flink_flint.linter.flink.options import catalogue

    found = calculator(name)
    assert found.name == name
    assert found.question
    for way in (found.forward, found.reverse):
        Draft202012Validator.check_schema(schema(way.inputs))
        for declared in inputs_of(way.inputs):
            assert declared.meaning, declared.name
            assert not declared.meaning.endswith("."), declared.name
            assert declared.default is None or declared.assumed, f"{declared.name} has a default but no reason for it"
            assert not declared.option or catalogue().releases(declared.option), declared.option
            assert bool(declared.metric) == bool(declared.statistic), declared.name
            if declared.default is not None:
                declared.check(declared.default)


# -- examples


@pytest.mark.parametrize("name", NAMES)
def test_every_example_can_be_used_as_it_stands(name: str) -> None:
    for way in (calculator(name).forward, calculator(name).reverse):
        for declared in inputs_of(way.inputs):
            assert declared.read(declared.example) is not None


@dataclass(frozen=True, kw_only=True)
class Sizes(Inputs):
    element: int = ask(BYTES, "an element", example="200 b")
    heap: int = ask(BYTES, "a heap", default=2 << 30, assumed="two")
    small: int = ask(BYTES, "a page", most=4096)
    other: int = ask(BYTES, "any", default=0, assumed="none")


def test_an_example_is_the_inputs_own_else_its_default_else_within_its_bounds() -> None:
    assert [declared.example for declared in inputs_of(Sizes)] == ["200 b", "2 GiB", "4 KiB", "512mb"]
    assert schema(Sizes)["properties"]["element"]["examples"] == ["200 b"]


# -- when an input is required


def _writes_lines(inputs: Conditional) -> bool:
    return inputs.store == "logs" and (bool(inputs.fast) or inputs.live is not None)


@dataclass(frozen=True, kw_only=True)
class Conditional(Inputs):
    always: int = ask(COUNT, "a")
    store: str = ask(choice("disk", "logs"), "b", default="disk", assumed="a disk")
    live: int | None = ask(COUNT, "c", default=None)
    heap: int | None = ask(COUNT, "d", default=None, needed=lambda inputs: inputs.live is None)
    state: int | None = ask(COUNT, "e", when=lambda inputs: inputs.store != "logs")
    fast: bool = ask(YES_NO, "f", default=False, assumed="no")
    line: int | None = ask(COUNT, "g", default=None, needed=_writes_lines)
    lone: int | None = ask(COUNT, "h", default=None, needed=lambda inputs: inputs.store == "tape")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("always", ""),
        ("live", ""),
        ("heap", "unless --live is given"),
        ("state", "unless --store logs is given"),
        ("line", "with --store logs, and --live or --fast"),
        ("lone", ""),
    ],
)
def test_what_requires_an_input_is_told_by_its_flags(name: str, told: str) -> None:
    assert condition(Conditional, next(one for one in inputs_of(Conditional) if one.name == name)) == told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("duration", "unless --state-size and --bandwidth are given"),
        ("bandwidth", "with --state-size, unless --duration is given"),
        ("cost", "with --mtbf"),
        ("mtbf", ""),
    ],
)
def test_what_requires_an_input_of_a_calculator_is_told(name: str, told: str) -> None:
    declaration = calculator("checkpoint").forward.inputs
    assert condition(declaration, next(one for one in inputs_of(declaration) if one.name == name)) == told


def test_what_to_give_instead_leaves_alone_what_was_given() -> None:
    declared = {one.name: one for one in inputs_of(Conditional)}
    assert instead(Conditional, {"always": 1}, declared["heap"]) == "--live"
    assert instead(Conditional, {"always": 1}, declared["state"]) == "--store logs"
    assert instead(Conditional, {"always": 1, "live": 2}, declared["heap"]) == ""
    assert instead(Conditional, {"always": 1}, declared["always"]) == ""


@pytest.mark.parametrize(
    ("value", "allowed"),
    [(1e300, "at most 1 000 000 000 000 000/s"), (1e-300, "at least 8.64e-05/d")],
)
def test_what_no_one_can_mean_is_refused_even_where_no_bound_is_declared(value: float, allowed: str) -> None:
    with pytest.raises(BadInput, match=f"--rate: .* is implausible; allowed: {allowed}"):
        AsyncIo(read_timeout=2.0, latency=1.0, rate=value)

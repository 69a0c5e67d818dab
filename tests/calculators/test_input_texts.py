"""What users read of inputs: ranges, examples, when one is required, and what can be given in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import BadInput, Input, Inputs, inputs_of, missing
from flink_flint.calculators.answering.input_conditions import condition, instead
from flink_flint.calculators.answering.option_values import plain
from flink_flint.calculators.formulas.quantity import choice
from flink_flint.linter.flink.values import Duration
from tests.calculators.test_which_inputs_play import CIRCUMSTANCES


def described(declaration: type[Inputs], one: Input) -> str:
    when = condition(declaration, one)
    return f"  {one.flag}: {one.range}; for example {one.example}" + (f"; required {when}" if when else "")


def lacking(declaration: type[Inputs], given: dict[str, Any]) -> Iterator[str]:
    names = {one.name for one in inputs_of(declaration)}
    known = {name: value for name, value in given.items() if name in names}
    for one in missing(declaration, known):
        others = instead(declaration, known, one)
        yield f"  {given or 'nothing else'}: {one.flag}" + (f", or {others}" if others else "")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_the_inputs(name: str, golden: Callable[[str, str], None]) -> None:
    made = calculator(name)
    lines = []
    for way, part in (("given needs", made.forward), ("given settings", made.reverse)):
        declaration = part.inputs
        lines += [f"{way}:", *(described(declaration, one) for one in inputs_of(declaration)), f"{way}, missing:"]
        lines += [line for given in ({}, *CIRCUMSTANCES.get(name, [])) for line in lacking(declaration, given)]
    golden(f"input_texts/{name}.txt", "\n".join(lines) + "\n")


def test_a_word_that_is_no_choice_is_refused_whoever_gives_it() -> None:
    (declared,) = (one for one in inputs_of(calculator("async-io").forward.inputs) if one.name == "client")
    assert declared.unit.choices
    with pytest.raises(BadInput, match="'magic' is not one of"):
        declared.check("magic")
    assert declared._replace(unit=choice("a", "b")).range == "one of a, b"


@pytest.mark.parametrize(
    ("value", "key", "expected"),
    [
        (Duration(90_000_000_000), "", 90.0),
        ("10485760b", "pekko.framesize", 10 << 20),
        ("10485760b", "some.name", "10485760b"),
        (10, "pekko.framesize", 10),
        (None, "pekko.framesize", None),
        (True, "", True),
    ],
)
def test_typed_values_of_options_in_base_units(value: object, key: str, expected: object) -> None:
    assert plain(value, key) == expected

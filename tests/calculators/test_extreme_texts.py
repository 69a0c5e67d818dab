"""Whatever is typed for an input of a calculator: an answer, or a sentence that names the flag and what to write."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import BadInput, inputs_of
from flink_flint.calculators.command_line.answer_formats import as_json, as_markdown, as_patch, as_text
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.calculators.formulas.quantity import (
    BadQuantity,
    parse_byte_rate,
    parse_count,
    parse_duration,
    parse_flag,
    parse_fraction,
    parse_number,
    parse_rate,
    parse_size,
)
from flink_flint.linter.flink.releases import NEWEST, release_at
from flink_flint.linter.output.terminal_style import Style
from tests.conftest import Flint
from tests.marks import mostly_slow

NUMBERS = (
    "0", "-0", "-1", "1", "1e15", "1e18", "1e300", "1e309", "-1e300", "1e-300", "5e-324", "9" * 400, "nan", "NaN",
    "inf", "-Infinity", "\u0663", "\u0661\u0662", "\u00b2", "\u00bd", "1_000", "1__0", "_1", "1_", "1,000", "1.", ".5",
    "+5", "--5", "0x10", "1e", "1e+", "1e1000000000", "1\u00a0000", "1 00",
)  # fmt: skip
UNITS = ("", "s", "ns", "W", "MIN", "b", "PIB", "gIb", "%", "/s", "/0", "/", "/NS", "mb/S", "PIB/ns", "k/s", "M", "1")
WORDS = (
    " ", "\t", "\n", "?", "none", "null", "true", "-", "e", "\0", "\x1b[31m", "\u202e5s", "5\u200bs", "5\ns", "5s 5s",
    "1h -30m", "1e308h 1e308h", "1h" * 5000, "a" * 100_000, f"1{' ' * 100_000}s", f"1e{'9' * 100}", "\u017f",
    "5\u017f", "5 \u212a", "5m\u017f", "10 \u0130", f"{'9' * 304}h" * 40,
)  # fmt: skip
TEXTS = (*(number + unit for number in NUMBERS for unit in UNITS), *WORDS)
PARSERS = (
    parse_duration, parse_size, parse_count, parse_number, parse_fraction, parse_rate, parse_byte_rate, parse_flag,
)  # fmt: skip
WAYS = [(name, reverse) for name in NAMES for reverse in (False, True)]


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: str(parser.__name__))
def test_no_text_is_too_much_for_a_parser(parser: Any) -> None:
    for text in TEXTS:
        try:
            value = parser(text)
        except BadQuantity:
            continue
        assert value == value
        assert abs(value) != float("inf"), text


@pytest.mark.parametrize("text", ["\u0663", "\u0661\u0662 s", "\u00b2", "nan", "inf", "1__0x", "0x10", "1,000"])
def test_only_the_digits_that_flink_reads_are_a_number(text: str) -> None:
    for parser in PARSERS:
        with pytest.raises(BadQuantity):
            parser(text)


def outcome(made: Callable[[], Any], flag: str) -> Any:
    """What a call makes; None where it refuses, naming a flag."""
    refusal = ""
    try:
        return made()
    except BadInput as refused:
        refusal = str(refused)
    assert refusal.startswith(flag), refusal[:200]
    return None


@pytest.mark.parametrize(
    "text", [f"retries: {'9' * 5000}", "retries: 2024-99-99", "retries: !!int x", "retries: .inf", "read_timeout: .nan"]
)
def test_a_file_of_inputs_says_it_too(text: str, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "inputs.yaml").write_text(text)
    done = flint("size", "async-io", "--input", "inputs.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("error: inputs.yaml:"), done.stderr
    assert "write it" in done.stderr


def usable(declared: Any) -> Iterator[Any]:
    """The values that the texts come to, each once, smallest and largest and what is between."""
    found: dict[str, Any] = {}
    for text in TEXTS:
        value = outcome(partial(declared.read, text), declared.flag)
        if value is not None:
            found.setdefault(repr(value), value)
    if not found or declared.unit.choices or isinstance(next(iter(found.values())), bool):
        return
    ordered = sorted(found.values())
    yield from dict.fromkeys((ordered[0], ordered[len(ordered) // 2], ordered[-1]))


@pytest.mark.parametrize("asked", mostly_slow(WAYS, every=5))
def test_every_calculator_answers_or_says_why_not(asked: tuple[str, bool]) -> None:
    name, reverse = asked
    found = calculator(name)
    way = found.way(reverse=reverse)
    example = read_texts(found, dict(way.example), reverse=reverse)
    for declared in inputs_of(way.inputs):
        for value in usable(declared):
            given = {**example, declared.name: value}
            asked = outcome(partial(ask, found, given, reverse=reverse, release=release_at(NEWEST)), "--")
            if asked is None:
                continue
            assert "".join(as_text(asked, Style(False), 80))
            assert as_markdown(asked)
            as_patch(asked, None)
            json.dumps(as_json(asked), allow_nan=False)


@pytest.mark.parametrize("text", ["1e300s", "\u0663s", "nan", "\x1b[31m", "", " ", "1h -30m"])
def test_the_command_says_it_and_ends_with_2(text: str, flint: Flint) -> None:
    done = flint("size", "async-io", "--read-timeout", "2s", "--rate", "3k/s", "--latency", "40ms", "--margin", text)
    assert "Traceback" not in done.stderr
    assert "please report" not in done.stderr
    assert done.returncode == (0 if not text.strip() else 2), done.stderr
    assert "\x1b[31m" not in done.stderr

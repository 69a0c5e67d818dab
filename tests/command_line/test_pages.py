"""The page of a calculator."""

from __future__ import annotations

import json
import re

import pytest

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.command_line.reference_page import command_line, page_object, page_of
from tests.conftest import Flint


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_question_inputs_formula_sources_and_examples(name: str) -> None:
    found = calculator(name)
    page = page_of(found)
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert headings[:2] == ["Inputs", "Inputs with --reverse"]
    assert headings[-2:] == ["Example", "Example with --reverse"]
    assert {"The formula", "Sources"} <= set(headings)
    assert f"**{found.question}**" in page
    for reverse in (False, True):
        for declared in inputs_of(found.way(reverse=reverse).inputs):
            assert f"`{declared.flag}`" in page


def test_the_page_for_programs_tells_which_inputs_are_always_required() -> None:
    inputs = page_object(calculator("async-io"))["inputs"]
    assert [one["name"] for one in inputs if one["required"]] == ["read_timeout"]
    (rate,) = [one for one in inputs if one["name"] == "rate"]
    assert rate["required_when"].startswith("unless ")


@pytest.mark.parametrize("reverse", [False, True])
def test_the_worked_example_is_what_the_command_prints(reverse: bool, flint: Flint) -> None:
    found = calculator("async-io")
    words = command_line(found, reverse=reverse).split()[1:]
    printed = flint(*words, COLUMNS="80").stdout
    assert f"\n{printed}```" in page_of(found)


def test_explain_prints_the_page(flint: Flint) -> None:
    text = flint("explain", "async-io", COLUMNS="80").stdout
    assert text.startswith("Async I/O: capacity, timeout and pool (async-io)\n")
    assert "  --read-timeout\n      the client's read timeout: the longest a response may take\n" in text
    assert "|" not in text
    assert flint("explain", "async_io", "--output-format", "markdown").stdout == page_of(calculator("async-io"))
    row = json.loads(flint("explain", "async-io", "--output-format", "json").stdout)
    assert (row["version"], row["calculator"], row["question"]) == (1, "async-io", "My async calls time out")
    assert row["page"] == page_of(calculator("async-io"))
    rate = next(one for one in row["inputs"] if one["name"] == "rate")
    assert (rate["flag"], rate["metric"], rate["statistic"]) == ("--rate", "numRecordsInPerSecond", "p95")


def test_the_text_fits_the_terminal(flint: Flint) -> None:
    lines = flint("explain", "async-io", COLUMNS="60").stdout.splitlines()
    assert [line for line in lines if len(line) > 60 and "http" not in line and not line.startswith("    ")] == []

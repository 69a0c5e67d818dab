"""The flags of a calculator's command."""

from __future__ import annotations

import re
from typing import Any

import click
import pytest

from flink_flint.calculators.answering.calculator import Calculator
from flink_flint.calculators.command_line.flags import CalculatorCommand, command_of


def command(given: dict[str, str], name: str = "async-io") -> CalculatorCommand:
    """Return a command that puts the texts of its inputs into `given`."""

    def run(_found: Calculator, _reverse: bool, texts: dict[str, str], _options: Any) -> int:
        given.update(texts)
        return 0

    found = command_of(name, run)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (["--ordered"], {"ordered": "yes"}),
        (["--ordered", "no"], {"ordered": "no"}),
        (["--ordered", "--rate", "3/s"], {"ordered": "yes", "rate": "3/s"}),
    ],
)
def test_a_yes_or_no_needs_no_value(words: list[str], texts: dict[str, str]) -> None:
    given: dict[str, str] = {}
    assert command(given).main(words, prog_name="size", standalone_mode=False) == 0
    assert given == texts


def test_any_other_input_needs_a_value() -> None:
    with pytest.raises(click.UsageError, match="'--rate' requires an argument"):
        command({}).main(["--rate"], prog_name="size", standalone_mode=False)


def test_the_help_lists_inputs_by_whether_they_are_required() -> None:
    found = command({})
    text = found.get_help(found.make_context("async-io", [], resilient_parsing=True))
    parts = re.split(r"^(\w.*):$", text, flags=re.MULTILINE)
    flags = {
        title: re.findall(r"^  (--[\w-]+)", part, re.MULTILINE)
        for title, part in zip(parts[1::2], parts[2::2], strict=True)
    }
    assert flags["Required"] == ["--read-timeout"]
    assert flags["Required in some cases"] == ["--latency", "--rate"]
    assert {"--client", "--retries", "--timeout"} <= set(flags["Optional"])


def test_the_help_has_no_heading_without_flags() -> None:
    found = command({}, "rpc-size")
    text = found.get_help(found.make_context("rpc-size", ["--reverse"], resilient_parsing=True))
    assert re.findall(r"^(\w[\w ]*):$", text, re.MULTILINE) == ["Optional", "Options"]

"""Prompts on the terminal for missing inputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from flink_flint.calculators.answering.calculator import Way
from flink_flint.calculators.answering.declaration import BadInput, Input, missing, with_defaults
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, Style, terminal_width, uses_color, wrap

_FORMS = {
    "seconds": "a time with its unit", "bytes": "a size with its unit", "count": "a whole number",
    "1/s": "a rate with its period", "bytes/s": "a size and its period", "fraction": "a fraction of 1, or a percentage",
    "number": "a number", "yes/no": "yes or no",
}  # fmt: skip
"""The expected form of an input by the name of its unit."""

Missing = Callable[[dict[str, Any]], list[Input]]
"""A function that returns the inputs that are still missing, given the known values by field name."""


def wanted(way: Way, known: dict[str, Any]) -> list[Input]:
    """Return all missing inputs, including those that become required once the first ones are given."""
    supposed, found = dict(known), list[Input]()
    while more := missing(way.inputs, supposed):
        found += more
        supposed |= {declared.name: declared.read(declared.example) for declared in more}
    return found


def can_prompt() -> bool:
    """Return whether standard input and error are terminals, so that prompts can be answered."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def prompt(way: Way, still_missing: Missing) -> dict[str, Any] | None:
    """Prompt for the missing values one by one; return None if the user cancels (end of input, Ctrl-C).

    Prompts go to standard error, so that the answer can be piped.
    """
    values: dict[str, Any] = {}
    try:
        while inputs := still_missing(values):
            values[inputs[0].name] = _ask_for(inputs[0], way, values)
    except (EOFError, KeyboardInterrupt):
        sys.stderr.write("\n")
        return None
    return values


def _ask_for(declared: Input, way: Way, values: dict[str, Any]) -> Any:
    """Prompt until the value is usable; raise EOFError at the end of the input."""
    style, width = Style(uses_color(sys.stderr)), min(terminal_width(sys.stderr), 100)
    _print(_question(declared, way, values, style, width))
    while True:
        sys.stderr.write(style.paint(BOLD, f"{declared.flag[2:].replace('-', ' ')}: "))
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        if line.strip() in ("", "?"):
            _print(_unknown(declared, width))
            continue
        try:
            return declared.read(line.strip())
        except BadInput as bad:
            _print(f"  {wrap(bad.message, width, '  ', used=2)}".splitlines())


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n")


def _question(declared: Input, way: Way, values: dict[str, Any], style: Style, width: int) -> list[str]:
    """Return the lines of the prompt: what the input is, its range, and an example."""
    about = f"{declared.meaning[:1].upper()}{declared.meaning[1:]}"
    if declared.unit.choices:
        form = f"one of {', '.join(declared.unit.choices)}"
    else:
        bounds = "" if declared.range == "any" else f", {declared.range}"
        form = f"{_FORMS.get(declared.unit.name, declared.unit.name)}{bounds}; such as {sample(declared, way)}"
    default = with_defaults(way.inputs, values)[declared.name]
    if default is not None:
        form += f"; default {declared.unit.spell(default)}"
    return [
        *style.paint(FRAME, wrap(about, width, "")).splitlines(),
        *style.paint(DIM, f"  {wrap(f'{form} ({declared.flag})', width, '  ', used=2)}").splitlines(),
    ]


def sample(declared: Input, way: Way) -> str:
    """Return a sample value of an input: from the worked example, otherwise the example in the declaration."""
    return way.example.get(declared.name, declared.example)


def _unknown(declared: Input, width: int) -> list[str]:
    """Return advice about a required input whose value the user does not know."""
    text = f"there is no default for {declared.flag}; a rough figure is enough"
    if declared.metric:
        text += f": Flink's metric {declared.metric} ({declared.statistic}) shows it"
    elif declared.option:
        text += f": Flink's option {declared.option} sets it"
    return ("  " + wrap(text, width, "  ", used=2)).splitlines()

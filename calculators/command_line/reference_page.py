"""A calculator's reference page in Markdown: typical problem, inputs, formula, sources, and a computed example."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

from flink_flint.calculators.answering.calculator import Calculator, Way, module_of
from flink_flint.calculators.answering.declaration import Input, flag_of, inputs_of
from flink_flint.calculators.answering.input_conditions import condition
from flink_flint.calculators.command_line.answer_formats import as_text
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.calculators.command_line.prompts import sample
from flink_flint.linter.flink.releases import NEWEST, release_at
from flink_flint.linter.output.terminal_style import Style

_EXAMPLE_WIDTH = 80


def page_of(calculator: Calculator, *, picture: str = "") -> str:
    """Return a calculator's reference page in Markdown; `picture` is the URL of an image of the interactive form."""
    first, _, rest = (sys.modules[module_of(calculator.name)].__doc__ or "").strip().partition("\n")
    parts = [
        f"# {calculator.title} ({calculator.name})",
        "",
        f"**{calculator.question}**",
        "",
        first,
        "",
        f"`flint size {calculator.name}` prompts for missing inputs; `--reverse` evaluates the current settings.",
    ]
    if picture:
        parts += ["", f"![{calculator.title}, in the interactive form]({picture})"]
    parts += ["", "## Inputs", "", *_table(calculator.forward)]
    parts += ["", "## Inputs with --reverse", "", *_reverse(calculator)]
    parts += ["", rest.strip(), "", "## Example", *example(calculator)]
    parts += ["", "## Example with --reverse", *example(calculator, reverse=True)]
    return "\n".join(parts) + "\n"


def _reverse(calculator: Calculator) -> list[str]:
    """Return the lines about inputs that only --reverse has, and the flags of those already listed."""
    above = {declared.name: declared for declared in inputs_of(calculator.forward.inputs)}
    both = [one.name for one in inputs_of(calculator.reverse.inputs) if above.get(one.name) == one]
    lines = _table(calculator.reverse, without=both)
    if both:
        lines += ["", "As above: " + ", ".join(f"`{flag_of(name)}`" for name in both) + "."]
    return lines


def _table(way: Way, without: Sequence[str] = ()) -> list[str]:
    rows = ["| flag | what it is | written like | allowed | default | Flink |", "|---|---|---|---|---|---|"]
    for declared in inputs_of(way.inputs):
        if declared.name in without:
            continue
        cells = (
            f"`{declared.flag}`", declared.meaning, f"`{sample(declared, way)}`", declared.range,
            default_of(declared, way), flink_of(declared),
        )  # fmt: skip
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows


def default_of(declared: Input, way: Way) -> str:
    """Return an input's default with the reason for it, or the condition under which the input is required."""
    if declared.default is not None:
        why = f" ({declared.assumed})" if declared.assumed else ""
        return f"{declared.unit.spell(declared.default)}{why}"
    if declared.required and declared.when is None:
        return "required"
    result = condition(way.inputs, declared)
    return f"required {result}" if result else "none"


def flink_of(declared: Input) -> str:
    """Return the Flink option or metric that an input corresponds to, in Markdown."""
    parts = [f"option `{declared.option}`"] if declared.option else []
    if declared.metric:
        parts.append(f"metric `{declared.metric}`" + (f" ({declared.statistic})" if declared.statistic else ""))
    return ", ".join(parts)


def command_line(calculator: Calculator, *, reverse: bool = False) -> str:
    """Return the `flint size` command of a calculator's worked example."""
    words = ["flint", "size", calculator.name, *(["--reverse"] if reverse else [])]
    for name, text in calculator.way(reverse=reverse).example.items():
        words += [flag_of(name), text]
    return " ".join(map(shlex.quote, words))


def example(calculator: Calculator, *, reverse: bool = False) -> list[str]:
    """Return a calculator's worked example and its answer as the lines of a code block."""
    given = read_texts(calculator, calculator.way(reverse=reverse).example, reverse=reverse)
    asked = ask(calculator, given, reverse=reverse, release=release_at(NEWEST))
    typed = folded(command_line(calculator, reverse=reverse), _EXAMPLE_WIDTH, "    ")
    return ["", "```console", f"$ {typed}", *as_text(asked, Style(False), _EXAMPLE_WIDTH), "```"]


def folded(line: str, width: int, indent: str) -> str:
    """Return a command wrapped before flags with backslashes; continuation lines start with `indent`."""
    lines = [""]
    for part in line.replace(" --", "\0--").split("\0"):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width - 4:
            lines.append(f"{indent}{part}")
        else:
            lines[-1] = f"{lines[-1]} {part}".lstrip() if len(lines) == 1 else f"{lines[-1]} {part}"
    return " \\\n".join(lines)


def page_object(calculator: Calculator) -> dict[str, Any]:
    """Return a calculator's reference page as a JSON object: the inputs of each direction, and the text in Markdown."""
    return {
        "version": 1,
        "calculator": calculator.name,
        "title": calculator.title,
        "question": calculator.question,
        "inputs": _inputs(calculator.forward),
        "reverse_inputs": [
            _input_object(declared, calculator.reverse) for declared in inputs_of(calculator.reverse.inputs)
        ],
        "page": page_of(calculator),
    }


def _inputs(way: Way) -> list[dict[str, Any]]:
    return [_input_object(declared, way) for declared in inputs_of(way.inputs)]


def _input_object(declared: Input, way: Way) -> dict[str, Any]:
    return {
        "name": declared.name,
        "flag": declared.flag,
        "meaning": declared.meaning,
        "unit": declared.unit.name,
        "example": sample(declared, way),
        "range": declared.range,
        "default": declared.default,
        "assumed": declared.assumed or None,
        "required": declared.required and declared.when is None,
        "required_when": condition(way.inputs, declared) or None,
        "option": declared.option or None,
        "metric": declared.metric or None,
        "statistic": declared.statistic or None,
    }


def index_page(calculators: list[Calculator]) -> str:
    """Return a Markdown page that lists the given calculators."""
    text = "`flint size` prompts for inputs, `flint size NAME --help` lists flags, `flint explain NAME` prints a page."
    lines = [
        "# Calculators", "",
        f"{len(calculators)} calculators. {text}", "",
        "| calculator | subject | typical problem |", "|---|---|---|",
    ]  # fmt: skip
    lines += [f"| [{one.name}]({one.name}.md) | {one.title} | {one.question} |" for one in calculators]
    return "\n".join(lines) + "\n"

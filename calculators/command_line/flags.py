"""The Click command of a calculator: its help, and flags generated from the declaration of its inputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from flink_flint.calculators.answering.calculator import NAMES, Calculator, Way, calculator
from flink_flint.calculators.answering.declaration import Input, current_name, inputs_of
from flink_flint.calculators.answering.input_conditions import condition
from flink_flint.calculators.command_line.prompts import sample
from flink_flint.calculators.command_line.reference_page import command_line, default_of, folded
from flink_flint.calculators.command_line.similar_names import near_names
from flink_flint.calculators.command_line.size_options import SizeOptions
from flink_flint.calculators.command_line.wrapped_messages import fitted
from flink_flint.linter.output.terminal_style import terminal_width, wrap

_EXAMPLE_WIDTH = 76
_LEAD = len("Error: ")

EXIT_STATUS = (
    "Exit status: 0 an answer; 1 an answer with an error, because the current settings fail (after --write: the "
    "new ones still fail); 2 wrong usage or invalid input; 130 canceled at a prompt."
)

FORMATS = ("text", "json", "markdown", "patch")

Run = Callable[[Calculator, bool, dict[str, str], SizeOptions], int]
"""A function that runs a calculator (in reverse if True) with input texts and options, and returns the exit status."""


class InputOption(click.Option):
    """The command-line option of an input."""

    def __init__(self, declared: Input, way: Way) -> None:
        # A yes/no input may be given without a value.
        alone: dict[str, Any] = {"is_flag": False, "flag_value": "yes"} if "boolean" in declared.unit.json_types else {}
        super().__init__(
            [declared.flag, declared.name],
            metavar=_metavar(declared),
            **alone,
        )
        self.declared = declared
        self.way = way

    @property
    def group(self) -> str:
        """The heading under which the help lists the flag."""
        if self.declared.required and self.declared.when is None:
            return "Required"
        return "Required in some cases" if condition(self.way.inputs, self.declared) else "Optional"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        # Computed only for --help: finding when an input is required varies the other inputs.
        self.help = _help(self.declared, self.way)
        return super().get_help_record(ctx)


class CalculatorCommand(click.Command):
    """The command `flint size NAME`, whose flags depend on whether --reverse is given."""

    def __init__(self, found: Calculator, run: Run) -> None:
        super().__init__(
            found.name,
            params=[],
            help=f"{found.title}.\n\n\b\nTypical problem: {found.question}",
            short_help=found.question,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )
        self.calculator = found
        self.run = run

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        reverse = "--reverse" in args
        way = self.calculator.way(reverse=reverse)
        self.params = [*(InputOption(declared, way) for declared in inputs_of(way.inputs)), *_common()]
        line = command_line(self.calculator, reverse=reverse)
        self.epilog = f"\b\nExample:\n  {folded(line, _EXAMPLE_WIDTH, '      ')}\n\n{EXIT_STATUS}"
        self.callback = self._call
        try:
            return super().make_context(info_name, [_current_flag(word) for word in args], parent, **extra)
        except click.NoSuchOption as unknown:
            raise click.UsageError(
                fitted(self._unknown(unknown.option_name, way, reverse), _LEAD), unknown.ctx
            ) from None
        except click.UsageError as wrong:
            raise click.UsageError(fitted(wrong.format_message(), _LEAD), wrong.ctx) from None

    def _unknown(self, flag: str, way: Way, reverse: bool) -> str:
        """Return the error message for an unknown flag, with the likely intended one."""
        other = self.calculator.way(reverse=not reverse)
        if any(flag == declared.flag for declared in inputs_of(other.inputs)):
            return f"{flag} is an input only {'without' if reverse else 'with'} --reverse"
        names = [flag[2:] for param in self.params for flag in param.opts if flag.startswith("--")]
        close = [f"--{name}" for name in near_names(flag.lstrip("-"), names)]
        return f"no such option: {flag}" + (f"; did you mean {' or '.join(close)}?" if close else "")

    def _call(self, **values: Any) -> None:
        context = click.get_current_context()
        above = context.parent.params if context.parent is not None else {}
        names = {param.name for param in self.params if isinstance(param, InputOption)}
        texts = {name: str(values[name]) for name in values if name in names and values[name] is not None}
        options: dict[str, Any] = {
            name.removeprefix("run_"): above.get(name) if value is None else value
            for name, value in values.items()
            if name not in names
        }
        reverse = bool(options.pop("reverse"))
        context.exit(self.run(self.calculator, reverse, texts, SizeOptions(**options)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                title = param.group if isinstance(param, InputOption) else "Options"
                groups.setdefault(title, []).append(record)
        for title in ("Required", "Required in some cases", "Optional", "Options"):
            if title in groups:
                with formatter.section(title):
                    formatter.write_dl(groups[title], col_max=28)


def _current_flag(word: str) -> str:
    """Return a command-line argument with an old name of a flag replaced by the current one."""
    if not word.startswith("--"):
        return word
    flag, equals, value = word[2:].partition("=")
    name = flag.replace("-", "_")
    return word if current_name(name) == name else f"--{current_name(name).replace('_', '-')}{equals}{value}"


def _metavar(declared: Input) -> str:
    if declared.unit.choices:
        return "|".join(declared.unit.choices)
    return {
        "seconds": "TIME", "bytes": "SIZE", "count": "COUNT", "1/s": "RATE", "bytes/s": "SIZE/s",
        "fraction": "FRACTION", "number": "NUMBER", "yes/no": "yes|no",
    }.get(declared.unit.name, "VALUE")  # fmt: skip


def _help(declared: Input, way: Way) -> str:
    result = condition(way.inputs, declared)
    parts = [f"required {result}"] if result else []
    if not declared.unit.choices and "boolean" not in declared.unit.json_types:
        parts += [declared.range] if declared.range != "any" else []
        parts += [f"such as {sample(declared, way)}"] if declared.default is None else []
    if declared.default is not None:
        parts.append(f"default {default_of(declared, way)}")
    if declared.option:
        parts.append(f"Flink's option {declared.option}")
    about = f"{declared.meaning[:1].upper()}{declared.meaning[1:]}"
    return f"{about} [{'; '.join(parts)}]" if parts else about


def _common() -> list[click.Option]:
    """Return the options that all calculators share; their names are distinct from inputs."""
    return [
        click.Option(["--reverse", "run_reverse"], is_flag=True,
                     help="Reverse: compute the load that these settings sustain."),
        click.Option(["--what-if", "run_what_if"], multiple=True, metavar="INPUT=A..B",
                     help="A table over a range (4..32, 4..32:4) or a list (10ms,40ms) of an input; may be repeated."),
        click.Option(["--input", "run_input"], metavar="FILE",
                     help="Inputs from a YAML or JSON file, or an answer of flint in JSON; - is standard input; "
                          "flags override it."),
        click.Option(["--config", "run_config"], metavar="PATH",
                     help="Use inputs from a Flink configuration, and compare the answer with it."),
        click.Option(["--write", "run_write"], is_flag=True, help="Write the settings into the file of --config; "
                          "templates in it are not changed."),
        click.Option(["--diff", "run_diff"], is_flag=True,
                     help="Show what --write would change, without writing it."),
        click.Option(["--output-format", "run_output_format"], type=click.Choice(FORMATS), default="text",
                     show_default=True),
        click.Option(["--output-file", "-o", "run_output_file"], metavar="F", help="Write the answer to this file."),
        click.Option(["--flink-version", "run_flink_version"], metavar="V",
                     help="Release (1.20, 1.20.5) to answer for [default: that of --config, else the newest]"),
        click.Option(["--web", "run_web"], is_flag=True, help="Serve the interactive form to a browser."),
        click.Option(["--port", "run_port"], type=click.IntRange(0, 65535), metavar="N", help="The port of --web."),
    ]  # fmt: skip


def command_of(name: str, run: Run) -> CalculatorCommand | None:
    """Return the Click command of the calculator called `name`; None for an unknown name."""
    try:
        found = calculator(name)
    except KeyError:
        return None
    return CalculatorCommand(found, run)


def near(name: str) -> str:
    """Return the end of the message about an unknown calculator name: a suggestion or the list of names."""
    close = near_names(name.replace("_", "-"), NAMES, most=2)
    return f"; did you mean {' or '.join(close)}?" if close else f"; known are {', '.join(NAMES)}"


def questions() -> Iterable[tuple[str, str]]:
    """Yield the name of each calculator with the typical problem that it solves."""
    return ((name, calculator(name).question) for name in NAMES)


def list_of_questions() -> Iterable[str]:
    """Yield lines for standard error that list all calculators with the problems that they solve."""
    listed = list(questions())
    longest, width = max(map(len, NAMES)), terminal_width(sys.stderr)
    below = width - longest - 4 < max(len(word) for _, question in listed for word in question.split()) + 12
    indent = " " * (6 if below else longest + 4)
    for name, question in listed:
        text = f"{indent}{wrap(question, width, indent, used=len(indent))}"
        yield f"  {name}\n{text}" if below else f"  {name:<{longest}}{text[longest + 2 :]}"

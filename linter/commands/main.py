"""The `flint` command: one thin function per subcommand, which imports what it needs when it is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import click

from flink_flint.linter import __version__
from flink_flint.linter.commands.check_arguments import CHECK, RENAMED, TARGET, CheckArguments, OptionSpec
from flink_flint.linter.commands.errors import EXIT_ERROR, print_message
from flink_flint.linter.output.missing_packages import missing_editor_package

if TYPE_CHECKING:
    from flink_flint.calculators.answering.calculator import Calculator
    from flink_flint.calculators.command_line.size_options import SizeOptions


def _options(specs: Sequence[OptionSpec]) -> Callable[[Any], Any]:
    """Return a decorator that adds the options to a click command."""

    def decorate(command: Any) -> Any:
        for spec in reversed(specs):
            kind = click.Choice(spec.choices) if spec.choices else click.IntRange(min=1) if spec.is_count else None
            command = click.option(
                *spec.names, spec.parameter, help=spec.help, metavar=spec.metavar or None,
                is_flag=spec.is_flag or None, type=kind, multiple=spec.multiple,
            )(command)  # fmt: skip
        return command

    return decorate


class _RenamingCommand(click.Command):
    """A command that accepts the old spellings of its options and reports the current ones on standard error."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = {name for parameter in self.params for name in parameter.opts}
        end = args.index("--") if "--" in args else len(args)
        for place, argument in enumerate(args[:end]):
            old, equals, value = argument.partition("=")
            if (new := RENAMED.get(old)) in known:
                args[place] = f"{new}{equals}{value}"
                if not ctx.resilient_parsing:
                    print_message(f"{old} is now {new}", kind="info")
        return super().parse_args(ctx, args)


class _Commands(click.Group):
    """The commands; those in `MODULES` are imported when they are used."""

    MODULES: ClassVar = {
        "backtest": "flink_flint.linter.commands.history_arguments",
        "comment": "flink_flint.linter.commands.comment",
        "dev": "flink_flint.linter.commands.dev",
        "history": "flink_flint.linter.commands.history_arguments",
        "recommend": "flink_flint.linter.commands.history_arguments",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.MODULES])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if module := self.MODULES.get(cmd_name):
            from importlib import import_module

            command: click.Command = import_module(module).COMMANDS[cmd_name]
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="flint %(version)s")
@click.pass_context
def flint(ctx: click.Context) -> None:
    """Lint and size Apache Flink configurations."""
    ctx.obj = print_message


def run() -> None:
    """Run the command given on the command line."""
    flint(prog_name="flint")


@flint.command(cls=_RenamingCommand)
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_options(CHECK)
def check(**given: Any) -> None:
    """Check Flink configurations.

    PATHS are files and directories (by default the current one); `-` is standard input. Exit status: 0 no findings
    at or above the fail level, 1 findings, 2 wrong usage, unreadable input or an internal error.
    """
    from flink_flint.linter.commands.check import run_arguments

    sys.exit(run_arguments(CheckArguments(**given), print_message))


@flint.command(cls=_RenamingCommand, short_help="Show the effective configuration and memory.")
@click.argument("paths", nargs=-1, metavar="[PATH]")
@click.option("--diff", is_flag=True, help="Compare two paths: flint show --diff A B.")
@click.option("--show-secrets", is_flag=True, help="Show the values of secret keys.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@_options(TARGET)
def show(**given: Any) -> None:
    """Show the processes that use PATH (a file or a folder): their settings with their origins, and their memory.

    The project around PATH is read, charts are rendered and kustomizations built. With --diff, exit status 0 means that
    both paths could be compared.
    """
    from flink_flint.linter.commands.show import ShowArguments, run_show

    sys.exit(run_show(ShowArguments(**given), print_message))


@flint.command(short_help="Show what Flink's planner makes of SQL scripts.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--install", metavar="V", help="Download the libraries of a Flink release (1.20) with pip, to plan with.")
@click.option("--flink-version", metavar="V", help="Flink release to plan with (default: detected for each file).")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def plan(**given: Any) -> None:
    """Show what the planner of a Flink release makes of the statements of SQL scripts.

    Shows the operators of each query, what they keep in state, the changes and upsert keys that they yield, and what
    the planner refuses. The JVM that plans runs nothing, loads no code of PATHS and reaches no network. Exit status: 0
    the planner refuses nothing, 1 it does, 2 nothing can be planned.
    """
    from flink_flint.linter.commands.plan import PlanArguments, run_plan

    sys.exit(run_plan(PlanArguments(**given), print_message))


@flint.command(short_help="Convert a flink-conf.yaml to config.yaml.")
@click.argument("file")
@click.option("--nested/--flat", "nested", default=True, help="Write keys as nested mappings (default) or dotted.")
@click.option("--write", is_flag=True, help="Write config.yaml next to FILE; a manifest is edited in place.")
@click.option("-o", "--output-file", metavar="F", help="Write to this file (- is standard output).")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--rename", is_flag=True, help="Rename deprecated keys to their names in the release of --to.")
@click.option("--to", metavar="V", help="Flink release to migrate to, 1.19 or newer (default: the newest).")
def migrate(**given: Any) -> None:
    """Convert FILE (a flink-conf.yaml, a directory with one, or `-`) to config.yaml, keeping comments and order.

    In a ConfigMap, the entry flink-conf.yaml becomes config.yaml.

    Flink loads exactly the same settings from the new file. If that is impossible, nothing is written and the exit
    status is 2.
    """
    from flink_flint.linter.commands.migrate import MigrateArguments, run_migrate

    sys.exit(run_migrate(MigrateArguments(**given), print_message))


@flint.command(cls=_RenamingCommand, short_help="Show what upgrading Flink changes.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--to", required=True, metavar="V", help="Flink release to upgrade to.")
@click.option(
    "--from", "from_release", metavar="V", help="Flink release to upgrade from (default: detected for each file)."
)
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--output-file", "-o", metavar="F", help="Write the report to this file.")
@click.option("--all-defaults", is_flag=True, help="Also list changed defaults that hardly affect a file.")
@click.option("--fix", is_flag=True, help="Rename keys in place.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, without changing files.")
@click.option(
    "--fail-level",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    help="Lowest severity that makes the exit status 1: breaking changes (error), changed precedence and new hazards "
    "(warning), everything (info).",
)
@_options([spec for spec in TARGET if spec.parameter != "flink_version"])
def upgrade(**given: Any) -> None:
    """Show what upgrading Flink changes for PATHS (files and directories; by default the current one).

    Reports settings that stop working, renamed keys, changed defaults and their effect on memory, changed precedence
    between two spellings of a key, and files that are no longer read. Exit status: 0 nothing breaks, 1 something
    does, 2 wrong usage, a file whose current release is unknown, unreadable input or an internal error.
    """
    from flink_flint.linter.commands.upgrade import UpgradeArguments, run_upgrade

    sys.exit(run_upgrade(UpgradeArguments(**given), print_message))


@flint.command(short_help="Explain a rule, a Flink option or a calculator.")
@click.argument("word", metavar="RULE|OPTION|CALCULATOR")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--flink-version", metavar="V", help="Flink release to explain an option for.")
def explain(word: str, output_format: str, flink_version: str | None) -> None:
    """Show the page of a rule (code or name) or of a calculator, or describe a Flink option."""
    from flink_flint.linter.commands.explain import run_explain

    sys.exit(run_explain(word, output_format, flink_version, print_message))


@flint.command(short_help="List all rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--check",
    "check_",
    is_flag=True,
    help="Check the declarations and pages of rules, and run the test cases of your own.",
)
def rules(output_format: str, check_: bool) -> None:
    """List all rules."""
    from flink_flint.linter.commands.explain import check_rules, list_rules

    sys.exit(check_rules(print_message) if check_ else list_rules(output_format, print_message))


@flint.command(short_help="List the options of a Flink release.")
@click.argument("pattern", default="")
@click.option("--connector", metavar="NAME", help="List those of a table connector, format or catalog instead.")
@click.option("--flink-version", metavar="V", help="Flink release (default: the newest; of connectors all).")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def options(pattern: str, connector: str | None, flink_version: str | None, output_format: str) -> None:
    """List the Flink options whose key contains PATTERN or, if PATTERN has * or ?, matches it."""
    if connector is not None:
        from flink_flint.linter.commands.connector_options import list_connector_options

        sys.exit(list_connector_options(connector, pattern, flink_version, output_format, print_message))
    from flink_flint.linter.commands.explain import list_options

    sys.exit(list_options(pattern, flink_version, output_format, print_message))


@flint.command(short_help="Generate a JSON Schema of Flink's configuration for editors.")
@click.option("--flink-version", metavar="V", help="Flink release (default: the newest).")
@click.option(
    "--of",
    "of_",
    type=click.Choice(["config.yaml", "flinkConfiguration", "FlinkDeployment"]),
    help="What the schema describes (default: config.yaml, or flinkConfiguration for releases before 1.19).",
)
@click.option("--open", "open_", is_flag=True, help="Allow unknown keys everywhere, for a Flink with custom options.")
@click.option("-o", "--output-file", metavar="F", help="Write to this file instead of standard output.")
def schema(flink_version: str | None, of_: str | None, open_: bool, output_file: str | None) -> None:
    """Generate a JSON Schema (2020-12) of Flink's configuration: types, constants, sizes, durations, old names.

    Editors with yaml-language-server complete and check a configuration that names the schema in its first line:
    `# yaml-language-server: $schema=flink-2.3.json`.
    """
    from flink_flint.linter.lsp.schema import run_schema

    run_schema(flink_version, of_, is_open=open_, output_file=output_file)


@flint.command(short_help="Run the language server.")
def lsp() -> None:
    """Run the language server (LSP) on standard input and output; editors start it."""
    try:
        from flink_flint.linter.lsp.server import run_server
    except ModuleNotFoundError as missing:
        raise missing_editor_package(missing) from None
    run_server()


class _Calculators(click.Group):
    """The calculators as commands, each created when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from flink_flint.calculators.answering.calculator import NAMES

        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from flink_flint.calculators.command_line.flags import command_of

        return command_of(cmd_name, _size)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from flink_flint.calculators.command_line.flags import questions

        with formatter.section("Calculators"):
            formatter.write_dl(list(questions()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is None and not args[0].startswith("-") and not ctx.resilient_parsing:
            from flink_flint.calculators.command_line.flags import near
            from flink_flint.calculators.command_line.wrapped_messages import fitted

            raise click.UsageError(fitted(f"no calculator is called {args[0]!r}{near(args[0])}", len("Error: ")), ctx)
        return super().resolve_command(ctx, args)


@flint.group(
    cls=_Calculators,
    invoke_without_command=True,
    short_help="Calculate what Flink cannot size by itself.",
    subcommand_metavar="[CALCULATOR] [INPUTS]...",
)
@click.option("--config", "run_config", metavar="PATH", help="Read inputs from this Flink configuration.")
@click.option("--flink-version", "run_flink_version", metavar="V", help="Flink release to calculate for.")
@click.option("--web", "run_web", is_flag=True, help="Serve the interactive form to browsers on this machine.")
@click.option("--port", "run_port", type=click.IntRange(0, 65535), metavar="N", help="Port for --web.")
@click.pass_context
def size(
    ctx: click.Context, run_config: str | None, run_flink_version: str | None, run_web: bool, run_port: int | None
) -> None:
    """Calculate a value and print it, given a calculator and its flags; otherwise open an interactive form.

    `flint size CALCULATOR --help` lists the flags of a calculator, `flint explain CALCULATOR` shows its formula.
    """
    if ctx.invoked_subcommand is not None:
        return
    from flink_flint.calculators.command_line.size_options import SizeOptions

    options = SizeOptions(config=run_config, flink_version=run_flink_version, web=run_web, port=run_port)
    if run_web or _is_interactive():
        sys.exit(_form(None, options))
    from flink_flint.calculators.command_line.flags import list_of_questions
    from flink_flint.calculators.command_line.wrapped_messages import fitted

    click.echo(fitted("Name a calculator; its flags are in `flint size CALCULATOR --help`:") + "\n", err=True)
    for line in list_of_questions():
        click.echo(line, err=True)
    sys.exit(EXIT_ERROR)


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _size(calculator: Calculator, reverse: bool, texts: dict[str, str], options: SizeOptions) -> int:
    """Print the result, or open the form if only a calculator was named and the terminal is interactive."""
    from flink_flint.calculators.command_line.size import run_size
    from flink_flint.calculators.command_line.wrapped_messages import fitted

    def print_fitted(message: str, kind: str = "error") -> None:
        print_message(fitted(message, len(f"{kind}: ")), kind)

    if options.web:
        return _form(calculator.name, options)
    if _is_interactive() and not reverse and not (texts or options.any_given):
        try:
            return _form(calculator.name, options)
        except _NoForm as missing:
            print_fitted(str(missing), kind="info")  # the command prompts for the inputs instead
    try:
        return run_size(calculator, reverse, texts, options, print_fitted)
    except ValueError as error:
        print_fitted(str(error))
        return EXIT_ERROR


_PORT = 8765


class _NoForm(ValueError):  # noqa: N818 - the name says what is missing
    """The packages that the form requires are not installed."""


def _form(name: str | None, options: SizeOptions) -> int:
    """Run the interactive form in the terminal, or serve it to browsers."""
    config, flink_version = options.config, options.flink_version
    try:
        if options.web:
            from flink_flint.calculators.interactive.web_server import run_web

            port = _PORT if options.port is None else options.port
            return run_web(name, "127.0.0.1", port, config, flink_version)
        from flink_flint.calculators.interactive.app import run_form
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "flink_flint":
            raise
        raise _NoForm(
            f"the form requires the package {missing.name}: pip install 'flink-flint[tui]', or give flags "
            "(`flint size CALCULATOR --help` lists them)"
        ) from None
    from flink_flint.calculators.command_line.open_configuration import open_configuration
    from flink_flint.calculators.command_line.size import release_of

    opened = open_configuration(config, flink_version=flink_version) if config else None
    return run_form(name, {}, opened, release_of(flink_version, opened, print_message))

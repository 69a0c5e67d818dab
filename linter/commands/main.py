"""The command `flint`: one thin function a subcommand; heavy imports inside the function that needs them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import click

from flink_flint.linter import __version__
from flink_flint.linter.commands.check_arguments import CHECK, TARGET, OptionSpec, run_arguments
from flink_flint.linter.commands.errors import EXIT_ERROR, print_message
from flink_flint.linter.output.missing_packages import missing_editor_package


def _options(words: Sequence[OptionSpec]) -> Callable[[Any], Any]:
    """The options that words declare, as click's."""

    def decorate(command: Any) -> Any:
        for word in reversed(words):
            kind = click.Choice(word.one_of) if word.one_of else click.IntRange(min=1) if word.counts else None
            command = click.option(
                *word.names, word.into, help=word.help, metavar=word.takes or None, is_flag=word.is_flag or None,
                type=kind, multiple=word.many,
            )(command)  # fmt: skip
        return command

    return decorate


class _Commands(click.Group):
    """The commands; some are declared in modules of their own, read when one of them is asked for."""

    ELSEWHERE: ClassVar = {
        "backtest": "flink_flint.linter.commands.history_group",
        "comment": "flink_flint.linter.commands.comment",
        "dev": "flink_flint.linter.commands.dev",
        "history": "flink_flint.linter.commands.history_group",
        "recommend": "flink_flint.linter.commands.history_group",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if module := self.ELSEWHERE.get(cmd_name):
            from importlib import import_module

            command: click.Command = import_module(module).COMMANDS[cmd_name]
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="flint %(version)s")
@click.pass_context
def flint(ctx: click.Context) -> None:
    """Reads Apache Flink configuration as Flink will, and says what will break before it does."""
    ctx.obj = print_message


def run() -> None:
    """Run the command that the program was started with."""
    flint(prog_name="flint")


@flint.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_options(CHECK)
def check(**given: Any) -> None:
    """Find what is wrong in configuration files.

    PATHS are files and folders (the current one by default); `-` is standard input. Exit status: 0 nothing
    at or above the fail level, 1 findings, 2 wrong usage, unreadable input or an internal error.
    """
    sys.exit(run_arguments(given, print_message))


@flint.command(short_help="Show a configuration and its memory as Flink sees it.")
@click.argument("path", default=".")
@click.option("--show-secrets", is_flag=True, help="Show the values of secret keys.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@_options(TARGET)
def show(path: str, **given: Any) -> None:
    """The effective configuration of PATH (a file, or a configuration directory) and its memory, as Flink sees it."""
    from flink_flint.linter.commands.show import run_show

    sys.exit(run_show(path, given, print_message))


@flint.command(short_help="Write a flink-conf.yaml as the config.yaml that Flink reads the same.")
@click.argument("file")
@click.option("--nested/--flat", "nested", default=True, help="Keys as mappings in mappings (default), or with dots.")
@click.option("--write", is_flag=True, help="Write config.yaml beside FILE (a manifest is rewritten).")
@click.option("-o", "--output-file", metavar="F", help="Write there instead (- is standard output).")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--rename", is_flag=True, help="Write the names that the release of --to has for old keys.")
@click.option("--to", metavar="V", help="Release to migrate to, from 1.19 on (default: the newest).")
def migrate(file: str, **given: Any) -> None:
    """Migrate FILE (a flink-conf.yaml, a folder with one, or `-`) to config.yaml, with its comments, in its order.

    Of a ConfigMap the block that is its flink-conf.yaml becomes its config.yaml.

    Flink loads the new file to exactly the same settings; where that cannot be, nothing is written and the exit
    status is 2.
    """
    from flink_flint.linter.commands.migrate import run_migrate

    sys.exit(run_migrate(file, given, print_message))


@flint.command(short_help="Tell what a step to a later release of Flink does.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--to", required=True, metavar="V", help="The release to go to.")
@click.option("--from", "from_", metavar="V", help="The release to leave (default: what each file says).")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--output-file", "-o", metavar="F", help="Write the report there instead.")
@click.option("--all-defaults", is_flag=True, help="List also the defaults that mean little to a file.")
@click.option("--fix", "fix_", is_flag=True, help="Write the new names of what is renamed, in place.")
@click.option("--diff", "diff_", is_flag=True, help="Show what --fix would change and change nothing.")
@click.option(
    "--fail-level",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    help="What makes the exit status 1: what breaks (error), other winners and new hazards (warning), all (info).",
)
@_options([word for word in TARGET if word.into != "flink_version"])
def upgrade(paths: tuple[str, ...], **given: Any) -> None:
    """What a step to a later release of Flink does to PATHS (files and folders; the current one by default).

    What stops working, what is renamed, which defaults change and what that does to memory, which of two spellings
    counts, which files are no longer read. Exit status: 0 nothing breaks, 1 something does, 2 wrong usage, a file
    without a release to start from, unreadable input or an internal error.
    """
    from flink_flint.linter.commands.upgrade import run_upgrade

    sys.exit(run_upgrade(paths, given, print_message))


@flint.command(short_help="Explain a rule, an option of Flink or a calculator.")
@click.argument("word", metavar="RULE|OPTION|CALCULATOR")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--flink-version", metavar="V", help="Release to explain an option for.")
def explain(word: str, output_format: str, flink_version: str | None) -> None:
    """The page of a rule (code or name) or of a calculator, or what is known of an option of Flink."""
    from flink_flint.linter.commands.explain import run_explain

    sys.exit(run_explain(word, output_format, flink_version, print_message))


@flint.command(short_help="List all rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--check", "check_", is_flag=True, help="Check declarations and pages, and try the cases of your own.")
def rules(output_format: str, check_: bool) -> None:
    """All rules."""
    from flink_flint.linter.commands.explain import check_rules, list_rules

    sys.exit(check_rules(print_message) if check_ else list_rules(output_format, print_message))


@flint.command(short_help="List the options of a release of Flink.")
@click.argument("pattern", default="")
@click.option("--flink-version", metavar="V", help="Release whose options to list (default: the newest).")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def options(pattern: str, flink_version: str | None, output_format: str) -> None:
    """Flink's options whose key contains PATTERN (or matches it, with * and ?)."""
    from flink_flint.linter.commands.explain import list_options

    sys.exit(list_options(pattern, flink_version, output_format, print_message))


@flint.command(short_help="Write a JSON Schema of a release's configuration, for editors.")
@click.option("--flink-version", metavar="V", help="Release whose options it holds (default: the newest).")
@click.option(
    "--of",
    "of_",
    type=click.Choice(["config.yaml", "flinkConfiguration", "FlinkDeployment"]),
    help="What the schema is of (default: config.yaml, or flinkConfiguration for a Flink before 1.19).",
)
@click.option("--open", "open_", is_flag=True, help="Take unknown keys everywhere, for a Flink with keys of its own.")
@click.option("-o", "--output-file", metavar="F", help="Write it there instead of standard output.")
def schema(flink_version: str | None, of_: str | None, open_: bool, output_file: str | None) -> None:
    """A JSON Schema (2020-12) of Flink's configuration: types, constants, sizes, durations, old names.

    Name the file in the first line of a configuration, and an editor with yaml-language-server completes and checks
    it: `# yaml-language-server: $schema=flink-2.3.json`.
    """
    from flink_flint.linter.lsp.schema import run_schema

    run_schema(flink_version, of_, is_open=open_, output_file=output_file)


@flint.command(short_help="Serve an editor: the language server.")
def lsp() -> None:
    """Serve an editor over standard input and output, in the Language Server Protocol; editors start it."""
    try:
        from flink_flint.linter.lsp.server import run_server
    except ModuleNotFoundError as missing:
        raise missing_editor_package(missing) from None
    run_server()


class _Calculators(click.Group):
    """One command a calculator, made when it is asked for."""

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
            from flink_flint.calculators.command_line.terminal_width import fitted

            raise click.UsageError(fitted(f"no calculator is called {args[0]!r}{near(args[0])}", len("Error: ")), ctx)
        return super().resolve_command(ctx, args)


@flint.group(
    cls=_Calculators,
    invoke_without_command=True,
    short_help="Size what Flink cannot size by itself.",
    subcommand_metavar="[CALCULATOR] [INPUTS]...",
)
@click.option("--config", "run_config", metavar="PATH", help="A Flink configuration to take inputs from.")
@click.option("--flink-version", "run_flink_version", metavar="V", help="Release to answer for.")
@click.option("--web", "run_web", is_flag=True, help="Serve the interactive form to a browser on this machine.")
@click.option("--port", "run_port", type=click.IntRange(0, 65535), metavar="N", help="Where --web serves.")
@click.pass_context
def size(
    ctx: click.Context, run_config: str | None, run_flink_version: str | None, run_web: bool, run_port: int | None
) -> None:
    """What should a value be? With a calculator and its flags the answer is printed; alone, a form opens.

    `flint size CALCULATOR --help` lists the flags of one, `flint explain CALCULATOR` tells its formula.
    """
    if ctx.invoked_subcommand is not None:
        return
    options = {"config": run_config, "flink_version": run_flink_version, "web": run_web, "port": run_port}
    if run_web or _is_interactive():
        sys.exit(_form(None, options))
    from flink_flint.calculators.command_line.flags import list_of_questions
    from flink_flint.calculators.command_line.terminal_width import fitted

    click.echo(fitted("Name a calculator; its flags are in `flint size CALCULATOR --help`:") + "\n", err=True)
    for line in list_of_questions():
        click.echo(line, err=True)
    sys.exit(EXIT_ERROR)


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _size(calculator: Any, reverse: bool, texts: dict[str, str], options: dict[str, Any]) -> int:
    """Answer at once, or open the form where nothing but a name was said and somebody looks on."""
    from flink_flint.calculators.command_line.size import run_size, said_anything
    from flink_flint.calculators.command_line.terminal_width import fitted

    def print_message(message: str, kind: str = "error") -> None:
        print_message(fitted(message, len(f"{kind}: ")), kind)

    if options["web"]:
        return _form(calculator.name, options)
    if _is_interactive() and not reverse and not said_anything(texts, options):
        try:
            return _form(calculator.name, options)
        except _NoForm as missing:
            print_message(str(missing), kind="info")  # questions one by one will do as well
    try:
        return run_size(calculator, reverse, texts, options, print_message)
    except ValueError as error:
        print_message(str(error))
        return EXIT_ERROR


_PORT = 8765


class _NoForm(ValueError):  # noqa: N818 - it names what is missing
    """The packages of the form are not installed."""


def _form(name: str | None, options: dict[str, Any]) -> int:
    """The interactive form, in the terminal or served to a browser."""
    config, flink_version = options["config"], options["flink_version"]
    try:
        if options["web"]:
            from flink_flint.calculators.interactive.web_server import run_web

            port = _PORT if options["port"] is None else options["port"]
            return run_web(name, "127.0.0.1", port, config, flink_version)
        from flink_flint.calculators.interactive.app import run_form
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "flink_flint":
            raise
        raise _NoForm(
            f"the form wants the package {missing.name}: pip install 'flink-flint[tui]', or give flags "
            "(`flint size CALCULATOR --help` lists them)"
        ) from None
    from flink_flint.calculators.command_line.open_configuration import open_configuration
    from flink_flint.calculators.command_line.size import release_of

    opened = open_configuration(config, flink_version=flink_version) if config else None
    return run_form(name, {}, opened, release_of(flink_version, opened, print_message))

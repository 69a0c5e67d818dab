"""The command `flint`: one thin function a subcommand; heavy imports inside the function that needs them."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from linter import __version__

TROUBLE = 2
"""Exit status for wrong usage, preferences, unreadable input and internal errors."""

ISSUES = "https://github.com/flink-flint/flint/issues"

_PLATFORMS = ["local", "standalone", "compose", "kubernetes", "operator", "yarn", "emr", "msf"]
_TARGET_OPTIONS = (
    click.option("--flink-version", metavar="V", help="Release (1.20, 1.20.5) or range (>=1.18,<2) to judge for."),
    click.option("--platform", type=click.Choice(_PLATFORMS),
                 help="Where the cluster runs."),
    click.option("--profile", type=click.Choice(["production", "development"]), help="What the files are judged for."),
    click.option("--preferences", "preferences_file", metavar="FILE",
                 help="The preferences file to use for all paths."),
)  # fmt: skip


def _target_options(command: Any) -> Any:
    for option in reversed(_TARGET_OPTIONS):
        command = option(command)
    return command


class _Commands(click.Group):
    """The commands; those on histories are declared in a module of their own, read when one of them is asked for."""

    ON_HISTORIES = ("backtest", "history", "recommend")

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.ON_HISTORIES])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.ON_HISTORIES:
            from linter.history_commands import COMMANDS

            return COMMANDS[cmd_name]
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="flint %(version)s")
@click.pass_context
def flint(ctx: click.Context) -> None:
    """Reads Apache Flink configuration as Flink will, and says what will break before it does."""
    ctx.obj = _say


def run() -> None:
    """Run the command; what nobody can use becomes a message and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        flint(prog_name="flint")
    except ValueError as error:
        _say(str(error))
        sys.exit(TROUBLE)
    except BrokenPipeError:
        # The reader (head, less) has what it wanted; without this, Python complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception:
        import traceback

        traceback.print_exc()
        _say("flint itself failed; please report it with what stands above: " + ISSUES)
        sys.exit(TROUBLE)


def _say(message: str, kind: str = "error") -> None:
    """Tell a trouble ("error" or "warning") on standard error."""
    from linter.finding import Severity
    from linter.reports.style import Style, wants_color

    click.echo(f"{Style(wants_color(sys.stderr)).severity(Severity[kind.upper()], kind)}: {message}", err=True)


@flint.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--fix", "fix_", is_flag=True, help="Mend what can be mended safely, in place.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also fixes that change what Flink does.")
@click.option("--diff", "diff_", is_flag=True, help="Show what --fix would change and change nothing.")
@click.option("--select", multiple=True, metavar="X", help="Rules to run: codes, prefixes, names or families, or ALL.")
@click.option("--extend-select", multiple=True, metavar="X", help="Rules to run besides the selected ones.")
@click.option("--ignore", multiple=True, metavar="X", help="Rules not to run.")
@click.option("--output-format", multiple=True, metavar="FORMAT", help="full, concise, json or json-lines.")
@click.option(
    "--output-file", "-o", multiple=True, metavar="F", help="Write there instead; pairs with --output-format."
)
@click.option(
    "--fail-level", metavar="LEVEL", help="Lowest severity that makes the exit status 1: error, warning, info."
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 when something was fixed.")
@click.option("--min-confidence", metavar="C", help="Show findings of at least this confidence: low, medium, high.")
@click.option("--exclude", multiple=True, metavar="P", help="gitignore pattern of files not to check.")
@click.option("--force-exclude", is_flag=True, help="Exclude also files named on the command line.")
@click.option("--no-ignores", is_flag=True, help="Show also what comments suppress.")
@click.option("--history", metavar="STORE", help="Compare with what was observed: a store (STORE, STORE#cluster).")
@click.option("--statistics", is_flag=True, help="Count the findings of each rule.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and what they are judged for.")
@click.option("--show-preferences", is_flag=True, help="Print the preferences in force for the first path.")
@click.option("--stdin-filename", metavar="F", help="The name of the file that `-` reads from standard input.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Processes to use.")
@_target_options
def check(**given: Any) -> None:
    """Find what is wrong in configuration files.

    PATHS are files and folders (the current one by default); `-` is standard input. Exit status: 0 nothing
    at or above the fail level, 1 findings, 2 wrong usage, unreadable input or an internal error.
    """
    from linter.checking import run_check

    sys.exit(run_check(given, _say))


@flint.command(short_help="Show a configuration and its memory as Flink sees it.")
@click.argument("path", default=".")
@click.option("--show-secrets", is_flag=True, help="Show the values of secret keys.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@_target_options
def show(path: str, **given: Any) -> None:
    """The effective configuration of PATH (a file, or a configuration directory) and its memory, as Flink sees it."""
    from linter.showing import run_show

    sys.exit(run_show(path, given, _say))


@flint.command(short_help="Explain a rule, an option of Flink or a calculator.")
@click.argument("word", metavar="RULE|OPTION|CALCULATOR")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--flink-version", metavar="V", help="Release to explain an option for.")
def explain(word: str, output_format: str, flink_version: str | None) -> None:
    """The page of a rule (code or name) or of a calculator, or what is known of an option of Flink."""
    from linter.explaining import run_explain

    sys.exit(run_explain(word, output_format, flink_version, _say))


@flint.command(short_help="List all rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--check", "check_", is_flag=True, help="Check the rules' declarations, pages and index.")
def rules(output_format: str, check_: bool) -> None:
    """All rules."""
    from linter.explaining import check_rules, list_rules

    sys.exit(check_rules(_say) if check_ else list_rules(output_format))


@flint.command(short_help="List the options of a release of Flink.")
@click.argument("pattern", default="")
@click.option("--flink-version", metavar="V", help="Release whose options to list (default: the newest).")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def options(pattern: str, flink_version: str | None, output_format: str) -> None:
    """Flink's options whose key contains PATTERN (or matches it, with * and ?)."""
    from linter.explaining import list_options

    sys.exit(list_options(pattern, flink_version, output_format, _say))


class _Calculators(click.Group):
    """One command a calculator, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from calculators.calculator import NAMES

        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from linter.sizing.command import command_of

        return command_of(cmd_name, _size)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from linter.sizing.command import questions

        with formatter.section("Calculators"):
            formatter.write_dl(list(questions()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is None and not args[0].startswith("-") and not ctx.resilient_parsing:
            from linter.sizing.command import near
            from linter.sizing.fitting import fitted

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
    from linter.sizing.command import list_of_questions
    from linter.sizing.fitting import fitted

    click.echo(fitted("Name a calculator; its flags are in `flint size CALCULATOR --help`:") + "\n", err=True)
    for line in list_of_questions():
        click.echo(line, err=True)
    sys.exit(TROUBLE)


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _size(calculator: Any, reverse: bool, texts: dict[str, str], options: dict[str, Any]) -> int:
    """Answer at once, or open the form where nothing but a name was said and somebody looks on."""
    from linter.sizing.fitting import fitted
    from linter.sizing.running import run_size, said_anything

    def say(message: str, kind: str = "error") -> None:
        _say(fitted(message, len(f"{kind}: ")), kind)

    if options["web"]:
        return _form(calculator.name, options)
    if _is_interactive() and not reverse and not said_anything(texts, options):
        try:
            return _form(calculator.name, options)
        except _NoForm as missing:
            say(str(missing), kind="info")  # questions one by one will do as well
    try:
        return run_size(calculator, reverse, texts, options, say)
    except ValueError as error:
        say(str(error))
        return TROUBLE


_PORT = 8765


class _NoForm(ValueError):  # noqa: N818 - it names what is missing
    """The packages of the form are not installed."""


def _form(name: str | None, options: dict[str, Any]) -> int:
    """The interactive form, in the terminal or served to a browser."""
    config, flink_version = options["config"], options["flink_version"]
    try:
        if options["web"]:
            from linter.form.web import run_web

            port = _PORT if options["port"] is None else options["port"]
            return run_web(name, "127.0.0.1", port, config, flink_version)
        from linter.form.app import run_form
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "linter":
            raise
        raise _NoForm(
            f"the form wants the package {missing.name}: pip install 'flink-flint[tui]', or give flags "
            "(`flint size CALCULATOR --help` lists them)"
        ) from None
    from linter.sizing.opening import open_configuration
    from linter.sizing.running import release_of

    opened = open_configuration(config, flink_version=flink_version) if config else None
    return run_form(name, {}, opened, release_of(flink_version, opened, _say))

"""The reference of the command line, docs/cli.md, generated from the commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

import click

from docs.markdown import anchor_of, fenced, prose, table
from flink_flint.calculators.answering.calculator import NAMES
from flink_flint.calculators.command_line.flags import CalculatorCommand, InputOption
from flink_flint.linter.commands.main import flint

PAGE = "cli.md"

STATUSES = (
    ("0", "no findings at or above the fail level (warning, unless `--fail-level` or flint.toml says otherwise)"),
    ("1", "findings; `flint check --diff`: files would change"),
    ("2", "wrong usage, an invalid flint configuration, unreadable input, or an internal error"),
)

VARIABLES = {
    "COLUMNS": "the width of the output; by default the terminal's width, or 100",
    "NO_COLOR": "set to anything: no colors",
    "FLINT_CACHE_DIR": "the folder of flint's cache, by default `flint` in the user's cache directory",
    "XDG_CACHE_HOME": "the user's cache directory, by default `~/.cache`",
    "XDG_CONFIG_HOME": "the directory of your own configuration (`flint/flint.toml`), by default `~/.config`",
    "APPDATA": "on Windows, the directory of your own configuration",
    "LOCALAPPDATA": "the folder that contains the cache on Windows",
    "FORCE_COLOR": "set to anything: colors also if the output is not a terminal",
    "TERM": "`dumb`: no colors",
    "FLINT_PROMETHEUS_TOKEN": "the bearer token for `flint history import`, without `--token-file`",
    "FLINT_PROMETHEUS_USER": "the user of basic authentication for `flint history import`, without `--user`",
    "FLINT_PROMETHEUS_PASSWORD": "that user's password, without `--password-file`",
    "FLINT_SPARK_LOG": "set to anything: shows Spark's log output",
    "JAVA_HOME": "the Java that Spark runs on",
    "_FLINT_COMPLETE": "`bash_source`, `zsh_source` or `fish_source`: prints the completion for that shell",
    "GITHUB_ACTIONS": "set by GitHub: `flint check` prints `github`, `flint comment` comments on GitHub",
    "GITHUB_TOKEN": "the token of `flint comment` for GitHub",
    "GH_TOKEN": "the same, if `GITHUB_TOKEN` is not set",
    "GITHUB_API_URL": "the address of GitHub's API, for an Enterprise server",
    "GITHUB_SERVER_URL": "the address of GitHub, for an Enterprise server",
    "GITHUB_REPOSITORY": "the repository of `flint comment`, without `--repository`",
    "GITHUB_EVENT_PATH": "the event of the run, which names the pull request",
    "GITHUB_REF": "the reference of the run, which may name the pull request",
    "GITHUB_WORKSPACE": "the folder that paths in reports are relative to",
    "CI_PROJECT_DIR": "the same on GitLab",
    "GITLAB_CI": "set by GitLab: `flint comment` comments on GitLab",
    "GITLAB_TOKEN": "the token of `flint comment` for GitLab",
    "CI_JOB_TOKEN": "the token of a GitLab job, which can read but not write comments",
    "CI_API_V4_URL": "the address of GitLab's API",
    "CI_SERVER_URL": "the address of GitLab",
    "CI_SERVER_TLS_CA_FILE": "certificates (PEM) to trust for GitLab",
    "CI_MERGE_REQUEST_PROJECT_ID": "the project of the merge request",
    "CI_PROJECT_ID": "the project, if that is not set",
    "CI_PROJECT_PATH": "the project, if neither is set",
    "CI_MERGE_REQUEST_IID": "the number of the merge request",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "the commit that was checked, in a merged results pipeline",
    "CI_COMMIT_SHA": "the commit that was checked",
}
"""The environment variables that flint reads, with their meanings."""

_CALCULATOR = "CALCULATOR"


def page() -> str:
    """Return the reference: one section per command, then exit statuses and environment variables."""
    commands = list(_commands(flint, ("flint",)))
    links = ((f"[`{' '.join(path)}`](#{anchor_of(' '.join(path))})", _short(command)) for path, command, _ in commands)
    lines = ["# Command line", "", *_help_of(flint), "", *table(("command", "what it does"), links)]
    for path, command, context in commands:
        lines += ["", f"## {' '.join(path)}", "", *_command(path, command, context)]
    lines += ["", "## Exit status", "", *table(("status", "meaning"), STATUSES), ""]
    lines += ["`flint size` has [its own statuses](#flint-size-calculator)."]
    rows = ((f"`{name}`", meaning) for name, meaning in VARIABLES.items())
    lines += ["", "## Environment variables", "", *table(("variable", "what it does"), rows)]
    return "\n".join(lines) + "\n"


def _commands(
    group: click.Group, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """Yield full name, command and context of each command; one calculator represents them all."""
    context = click.Context(group, info_name=" ".join(path))
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        if isinstance(command, CalculatorCommand):
            if name == NAMES[0]:
                # Its flags are made when it is called.
                yield (*path, _CALCULATOR), command, command.make_context(name, ["--input", "-"], context)
            continue
        inner = click.Context(command, info_name=" ".join((*path, name)))
        if isinstance(command, click.Group):
            if command.params or command.invoke_without_command:
                yield (*path, name), command, inner
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command, inner


def _short(command: click.Command) -> str:
    if isinstance(command, CalculatorCommand):
        return "Answer one question from flags."
    return prose(command.get_short_help_str(limit=200))


def _command(path: Sequence[str], command: click.Command, context: click.Context) -> Iterator[str]:
    name = " ".join(path)
    if isinstance(command, CalculatorCommand):
        yield from fenced(f"{name} [INPUTS]... [OPTIONS]", "")
        yield from ("", "Each calculator has a page with its inputs, formula and worked example:", "")
        yield ", ".join(f"[{one}](calculators/{one}.md)" for one in NAMES) + "."
        yield from ("", command.epilog.rpartition("\n\n")[2] if command.epilog else "", "", "All of them accept:", "")
    else:
        yield from fenced(f"{name} {' '.join(command.collect_usage_pieces(context))}", "")
        yield from ("", *_help_of(command), "")
    rows = list(_options(command, context))
    if rows:
        yield from table(("option", "meaning"), rows)


def _help_of(command: click.Command) -> list[str]:
    """Return the lines of the help text as paragraphs, without click's control characters."""
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    paragraphs = [prose(" ".join(paragraph.split())) for paragraph in text.split("\n\n")]
    return "\n\n".join(paragraphs).split("\n")


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        if isinstance(parameter, (InputOption, click.Argument)) or "--help" in parameter.opts:
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            flags, meaning = record
            if isinstance(parameter.type, click.Choice):
                # A long list of choices would make the column of flags wider than that of meanings.
                flags = f"{', '.join(parameter.opts)} WORD"
                meaning = f"{meaning} One of {', '.join(map(str, parameter.type.choices))}."
            yield f"`{' '.join(flags.split())}`", prose(" ".join(meaning.split()))

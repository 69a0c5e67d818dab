"""The reference of the command line, docs/cli.md, from the commands themselves."""

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
    ("0", "nothing at or above the fail level (warnings, unless `--fail-level` or flint.toml says otherwise)"),
    ("1", "findings; `flint check --diff`: files would change"),
    ("2", "wrong usage, an invalid flint configuration, unreadable input, or an internal error"),
)

VARIABLES = {
    "COLUMNS": "how wide the output is; the terminal's width, or 100, without it",
    "NO_COLOR": "set to anything: no colors",
    "FORCE_COLOR": "set to anything: colors also where the output is no terminal",
    "TERM": "`dumb`: no colors",
    "FLINT_PROMETHEUS_TOKEN": "the bearer token for `flint history import`, without `--token-file`",
    "FLINT_PROMETHEUS_USER": "the user of basic authentication for `flint history import`, without `--user`",
    "FLINT_PROMETHEUS_PASSWORD": "that user's password, without `--password-file`",
    "FLINT_SPARK_LOG": "set to anything: what Spark says at its start is shown",
    "JAVA_HOME": "the Java that Spark runs on",
    "_FLINT_COMPLETE": "`bash_source`, `zsh_source` or `fish_source`: prints the completion for that shell",
    "GITHUB_ACTIONS": "set by GitHub: `flint check` prints `github`, `flint comment` writes there",
    "GITHUB_TOKEN": "what `flint comment` proves itself with on GitHub",
    "GH_TOKEN": "the same, where `GITHUB_TOKEN` is not set",
    "GITHUB_API_URL": "where GitHub's API is, on an Enterprise server",
    "GITHUB_SERVER_URL": "where GitHub is, on an Enterprise server",
    "GITHUB_REPOSITORY": "the repository that `flint comment` writes to, without `--repository`",
    "GITHUB_EVENT_PATH": "the event of the run, which names the pull request",
    "GITHUB_REF": "the reference of the run, which may name the pull request",
    "GITHUB_WORKSPACE": "the folder that paths in reports are relative to",
    "CI_PROJECT_DIR": "the same on GitLab",
    "GITLAB_CI": "set by GitLab: `flint comment` writes there",
    "GITLAB_TOKEN": "what `flint comment` proves itself with on GitLab",
    "CI_JOB_TOKEN": "the token of a GitLab job, which may read and not write comments",
    "CI_API_V4_URL": "where GitLab's API is",
    "CI_SERVER_URL": "where GitLab is",
    "CI_SERVER_TLS_CA_FILE": "certificates (PEM) to trust for GitLab",
    "CI_MERGE_REQUEST_PROJECT_ID": "the project of the merge request",
    "CI_PROJECT_ID": "the project, where that is not set",
    "CI_PROJECT_PATH": "the project, where neither is set",
    "CI_MERGE_REQUEST_IID": "the merge request",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "the commit that was checked, of a pipeline for merged results",
    "CI_COMMIT_SHA": "the commit that was checked",
}
"""What flint reads of its environment, and what for."""

_CALCULATOR = "CALCULATOR"


def page() -> str:
    """The reference: a section a command, then exit statuses and the environment."""
    commands = list(_commands(flint, ("flint",)))
    links = ((f"[`{' '.join(path)}`](#{anchor_of(' '.join(path))})", _short(command)) for path, command, _ in commands)
    lines = ["# Command line", "", *_help_of(flint), "", *table(("command", "what it does"), links)]
    for path, command, context in commands:
        lines += ["", f"## {' '.join(path)}", "", *_command(path, command, context)]
    lines += ["", "## Exit status", "", *table(("status", "what it means"), STATUSES), ""]
    lines += ["`flint size` has [statuses of its own](#flint-size-calculator)."]
    rows = ((f"`{name}`", meaning) for name, meaning in VARIABLES.items())
    lines += ["", "## Environment variables", "", *table(("variable", "what it does"), rows)]
    return "\n".join(lines) + "\n"


def _commands(
    group: click.Group, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """All commands with their full names; of the calculators one stands for all."""
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
        yield from ("", command.epilog.rpartition("\n\n")[2] if command.epilog else "", "", "All of them take:", "")
    else:
        yield from fenced(f"{name} {' '.join(command.collect_usage_pieces(context))}", "")
        yield from ("", *_help_of(command), "")
    rows = list(_options(command, context))
    if rows:
        yield from table(("option", "meaning"), rows)


def _help_of(command: click.Command) -> list[str]:
    """The help as paragraphs, without the marks that steer click."""
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
                # Many words to choose from would make the column of flags wider than that of meanings.
                flags = f"{', '.join(parameter.opts)} WORD"
                meaning = f"{meaning} One of {', '.join(map(str, parameter.type.choices))}."
            yield f"`{' '.join(flags.split())}`", prose(" ".join(meaning.split()))

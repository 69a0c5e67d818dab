"""The options of `flint check`, their values, and a fast parser for them.

`linter.commands.main` builds click's command from them. Importing click takes a fifth of the time of checking one
file, so the entry point first parses the arguments itself. The fast parser covers the plain forms; for anything else
(help, an unknown option, an invalid value, an old spelling, completion) it returns None and click takes over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from flink_flint.linter.model.platforms import PLATFORMS, PROFILES
from flink_flint.linter.output import FORMATS
from flink_flint.linter.text.named_tuple import NamedTuple


class OptionSpec(NamedTuple):
    """A command-line option: a flag unless it has a metavar or choices."""

    names: tuple[str, ...]
    parameter: str
    """The name of the parameter that receives the value."""
    help: str
    metavar: str = ""
    """The placeholder for the value in the help text; empty for a flag and for an option with choices."""
    multiple: bool = False
    """Whether the option may be repeated."""
    choices: tuple[str, ...] = ()
    is_count: bool = False
    """Whether the value is an integer of at least 1."""

    @property
    def is_flag(self) -> bool:
        """Whether the option has no value."""
        return not (self.metavar or self.choices)


def _flag(name: str, help: str) -> OptionSpec:  # noqa: A002 - click's name
    return OptionSpec((name,), name[2:].replace("-", "_"), help)


def _value(name: str, metavar: str, help: str, parameter: str = "") -> OptionSpec:  # noqa: A002 - click's name
    return OptionSpec((name,), parameter or name[2:].replace("-", "_"), help, metavar)


def _values(name: str, metavar: str, help: str) -> OptionSpec:  # noqa: A002 - click's name
    return OptionSpec((name,), name[2:].replace("-", "_"), help, metavar, multiple=True)


TARGET = (
    _value("--flink-version", "V", "Flink release (1.20, 1.20.5) or range (>=1.18,<2) to check for."),
    OptionSpec(("--platform",), "platform", "Where the cluster runs.", choices=PLATFORMS),
    OptionSpec(("--profile",), "profile", "What the cluster is used for.", choices=PROFILES),
    _value("--flint-config", "FILE", "Use this flint configuration file for all paths.", "flint_config_file"),
)
"""The options shared by several commands that select the files to read and the Flink release to check against."""

CHECK = (
    _flag("--fix", "Apply safe fixes."),
    _flag("--unsafe-fixes", "With --fix or --diff: include fixes that change what Flink does."),
    _flag("--diff", "Show what --fix would change, without changing files."),
    _values("--select", "X", "Rules to run: codes, prefixes, names, families, or ALL."),
    _values("--extend-select", "X", "Rules to run in addition to the selected ones."),
    _values("--ignore", "X", "Rules not to run."),
    _values("--output-format", "FORMAT", f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."),
    OptionSpec(
        ("--output-file", "-o"),
        "output_file",
        "Write the report to this file (- is standard output); pairs with --output-format.",
        "F",
        multiple=True,
    ),
    _value("--fail-level", "LEVEL", "Lowest severity that makes the exit status 1: error, warning, info."),
    _flag("--show-fixes", "List the applied fixes."),
    _flag("--exit-zero", "Exit with 0 even if there are findings."),
    _flag("--exit-non-zero-on-fix", "Exit with 1 if anything was fixed."),
    _value("--min-confidence", "C", "Lowest confidence to report: low, medium, high."),
    _value("--baseline", "F", "Ignore findings recorded in this file."),
    _flag("--write-baseline", "Record all findings in the baseline instead of reporting them."),
    _flag("--prune-baseline", "Remove entries from the baseline that no longer match a finding."),
    _flag("--no-baseline", "Do not use the baseline named in flint's configuration."),
    _value("--diff-base", "REV", "Report only findings that changes since REV touch or cause."),
    _flag("--watch", "Check again whenever a file is saved, until Ctrl-C."),
    _values("--exclude", "P", "gitignore pattern of files to skip."),
    _flag("--force-exclude", "Also apply exclusions to files named on the command line."),
    _flag("--include-tests", "Also check the files of tests and benchmarks."),
    _flag("--render", "Render charts and overlays with helm and kustomize from PATH, cut off from networks."),
    _flag("--plan", "Plan SQL scripts with the planner of their Flink release, in a JVM that runs nothing."),
    _flag("--no-cache", "Do not remember the files of the project."),
    _flag("--no-ignores", "Also report findings that comments suppress."),
    _value("--history", "STORE", "Compare with recorded metrics: a history store (STORE, STORE#cluster)."),
    _flag("--statistics", "Count the findings of each rule."),
    _flag("--show-files", "List the files to check with their Flink releases, and those skipped, without checking."),
    _flag("--show-flint-config", "Print flint's configuration for the first path."),
    _value("--stdin-filename", "F", "File name to assume for standard input (-)."),
    OptionSpec(("--jobs", "-j"), "jobs", "Number of processes.", "N", is_count=True),
    *TARGET,
)

RENAMED = {"--preferences": "--flint-config", "--show-preferences": "--show-flint-config"}
"""The deprecated flags that the click commands still accept, mapped to the current flags."""


class CheckArguments(NamedTuple):
    """The arguments of `flint check`: the paths, and the value of each option in `CHECK`."""

    paths: tuple[str, ...] = ()
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    output_format: tuple[str, ...] = ()
    output_file: tuple[str, ...] = ()
    fail_level: str | None = None
    show_fixes: bool = False
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    min_confidence: str | None = None
    baseline: str | None = None
    write_baseline: bool = False
    prune_baseline: bool = False
    no_baseline: bool = False
    diff_base: str | None = None
    watch: bool = False
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    include_tests: bool = False
    render: bool = False
    plan: bool = False
    no_cache: bool = False
    no_ignores: bool = False
    history: str | None = None
    statistics: bool = False
    show_files: bool = False
    show_flint_config: bool = False
    stdin_filename: str | None = None
    jobs: int | None = None
    flink_version: str | None = None
    platform: str | None = None
    profile: str | None = None
    flint_config_file: str | None = None


def read_check(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> CheckArguments | None:
    """Return the arguments of `flint check`, or None if click has to parse them."""
    # click expands file patterns on Windows, and answers completion requests.
    if os.name == "nt" or "_FLINT_COMPLETE" in environment:
        return None
    by_name = {name: spec for spec in CHECK for name in spec.names}
    values: dict[str, Any] = {}
    paths = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument[:1] != "-" or argument == "-":
            paths.append(argument)
            continue
        name, equals, value = argument.partition("=")
        if (spec := by_name.get(name)) is None or (equals and (spec.is_flag or name[:2] != "--")):
            return None
        if spec.is_flag:
            values[spec.parameter] = True
            continue
        if not equals and (value := next(remaining, "-"))[:1] == "-":
            return None
        if spec.choices and value not in spec.choices:
            return None
        if spec.is_count:
            if not (value.isdecimal() and value.isascii() and int(value)):
                return None
            values[spec.parameter] = int(value)
        elif spec.multiple:
            values[spec.parameter] = (*values.get(spec.parameter, ()), value)
        else:
            values[spec.parameter] = value
    return CheckArguments(tuple(paths), **values)

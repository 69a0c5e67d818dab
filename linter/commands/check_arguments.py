"""The words of `flint check`, a quick reading of them, and what they start.

`linter.commands.main` makes click's command of them. To import click takes a fifth of the time of checking one file,
so the entry point first reads the words itself. It knows their plain forms; at anything else (help, an unknown word,
a value that is amiss, completion) it gives up, and click, which knows them all, answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flink_flint.linter.output import FORMATS
from flink_flint.linter.text.named_tuple import NamedTuple


class OptionSpec(NamedTuple):
    """An option: a flag, unless it takes something."""

    names: tuple[str, ...]
    into: str
    """The parameter it fills."""
    help: str
    takes: str = ""
    """What to call the value it takes (click's metavar); empty of a flag, and where it is `one_of` some."""
    many: bool = False
    """Whether it may be repeated."""
    one_of: tuple[str, ...] = ()
    counts: bool = False
    """Whether the value is a number from 1 on."""

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value."""
        return not (self.takes or self.one_of)


PLATFORMS = ("local", "standalone", "compose", "kubernetes", "operator", "yarn", "emr", "msf")


def _flag(name: str, help: str, into: str = "") -> OptionSpec:  # noqa: A002 - click's name
    return OptionSpec((name,), into or name[2:].replace("-", "_"), help)


def _value(name: str, takes: str, help: str, into: str = "") -> OptionSpec:  # noqa: A002 - click's name
    return OptionSpec((name,), into or name[2:].replace("-", "_"), help, takes)


def _values(name: str, takes: str, help: str) -> OptionSpec:  # noqa: A002 - click's name
    return OptionSpec((name,), name[2:].replace("-", "_"), help, takes, many=True)


TARGET = (
    _value("--flink-version", "V", "Release (1.20, 1.20.5) or range (>=1.18,<2) to judge for."),
    OptionSpec(("--platform",), "platform", "Where the cluster runs.", one_of=PLATFORMS),
    OptionSpec(("--profile",), "profile", "What the files are judged for.", one_of=("production", "development")),
    _value("--preferences", "FILE", "The preferences file to use for all paths.", "preferences_file"),
)
"""What several commands ask about the files."""

CHECK = (
    _flag("--fix", "Mend what can be mended safely, in place.", "fix_"),
    _flag("--unsafe-fixes", "With --fix or --diff: also fixes that change what Flink does."),
    _flag("--diff", "Show what --fix would change and change nothing.", "diff_"),
    _values("--select", "X", "Rules to run: codes, prefixes, names or families, or ALL."),
    _values("--extend-select", "X", "Rules to run besides the selected ones."),
    _values("--ignore", "X", "Rules not to run."),
    _values("--output-format", "FORMAT", f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."),
    OptionSpec(
        ("--output-file", "-o"),
        "output_file",
        "Write there instead (- is standard output); pairs with --output-format.",
        "F",
        many=True,
    ),
    _value("--fail-level", "LEVEL", "Lowest severity that makes the exit status 1: error, warning, info."),
    _flag("--show-fixes", "List what was fixed."),
    _flag("--exit-zero", "Exit with 0 whatever is found."),
    _flag("--exit-non-zero-on-fix", "Exit with 1 when something was fixed."),
    _value("--min-confidence", "C", "Show findings of at least this confidence: low, medium, high."),
    _value("--baseline", "F", "Let stand what this file holds; report what is new or worse."),
    _flag("--write-baseline", "Write all that is found to the baseline instead of reporting it."),
    _flag("--prune-baseline", "Take out of the baseline what no longer occurs."),
    _flag("--no-baseline", "Report also what the baseline of the preferences lets stand."),
    _value("--diff-base", "REV", "Report what the changes since the branch left REV touch or cause."),
    _flag("--watch", "Check again whenever a file is saved, until Ctrl-C."),
    _values("--exclude", "P", "gitignore pattern of files not to check."),
    _flag("--force-exclude", "Exclude also files named on the command line."),
    _flag("--no-ignores", "Show also what comments suppress."),
    _value("--history", "STORE", "Compare with what was observed: a store (STORE, STORE#cluster)."),
    _flag("--statistics", "Count the findings of each rule."),
    _flag("--show-files", "List the files that would be checked, and what they are judged for."),
    _flag("--show-preferences", "Print the preferences in force for the first path."),
    _value("--stdin-filename", "F", "The name of the file that `-` reads from standard input."),
    OptionSpec(("--jobs", "-j"), "jobs", "Processes to use.", "N", counts=True),
    *TARGET,
)


def read_check(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> dict[str, Any] | None:
    """The parameters of `flint check` with these arguments; None where click had better read them."""
    if os.name == "nt" or "_FLINT_COMPLETE" in environment:  # click expands patterns of files there, and completes
        return None
    by_name = {name: word for word in CHECK for name in word.names}
    given: dict[str, Any] = {w.into: [] if w.many else False if w.is_flag else None for w in CHECK}
    paths = []
    left = iter(arguments)
    for argument in left:
        if argument[:1] != "-" or argument == "-":
            paths.append(argument)
            continue
        name, equals, value = argument.partition("=")
        if (word := by_name.get(name)) is None or (equals and (word.is_flag or name[:2] != "--")):
            return None
        if word.is_flag:
            given[word.into] = True
            continue
        if not equals and (value := next(left, "-"))[:1] == "-":
            return None
        if word.one_of and value not in word.one_of:
            return None
        if word.counts:
            if not (value.isdecimal() and value.isascii() and int(value)):
                return None
            given[word.into] = int(value)
        elif word.many:
            given[word.into].append(value)
        else:
            given[word.into] = value
    return {"paths": tuple(paths), **{into: tuple(v) if isinstance(v, list) else v for into, v in given.items()}}


def run_arguments(given: dict[str, Any], print_message: Callable[..., None]) -> int:
    """Check once, or whenever a file is saved; the exit status."""
    if given.pop("watch"):
        from flink_flint.linter.commands.check_watch import run_watch

        return run_watch(given, print_message)
    from flink_flint.linter.commands.check import run_check

    return run_check(given, print_message)

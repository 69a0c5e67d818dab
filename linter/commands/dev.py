"""`flint dev`: creates rules from templates and runs their test cases."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterator, Mapping

import click

from flink_flint.linter import __version__
from flink_flint.linter.commands.errors import EXIT_ERROR, INTERRUPTED, print_message
from flink_flint.linter.commands.rule_names import TEMPLATES, rule_name, template_of
from flink_flint.linter.config.flint_config import NONE, FlintConfigFile
from flink_flint.linter.engine.registry import PACKAGE, Declaration, bypass_index, registry
from flink_flint.linter.model.rule import FAMILIES, RETIRED, code_of
from flink_flint.linter.text.lazy_regex import regex

KINDS: Mapping[str, str] = {
    "toml": "one option and the values it must not have, as data without code",
    "check": "a function of one configuration: several options, sizes, elements of a program",
    "project": "a function of all files of a run, which compares them",
}
_CODE = regex(r"""(?m)^[ \t]*+code *= *["'](FLK[0-9]{3})["']""")


@click.group(short_help="Create rules from templates and run their test cases.")
def dev() -> None:
    """Create rules and run their test cases."""


_FAMILY = click.Choice([*FAMILIES], case_sensitive=False)
_KIND = click.Choice([*KINDS], case_sensitive=False)


@dev.command("new-rule")
@click.argument("name")
@click.option("--family", type=_FAMILY, help="The folder below rules/.")
@click.option(
    "--kind",
    type=_KIND,
    help="".join(f"{name}: {meaning}; " for name, meaning in KINDS.items()).removesuffix("; ") + ".",
)
@click.option(
    "--rules", "folder", type=click.Path(exists=True, file_okay=False),
    help="The folder of rules to write to (default: that of flint's own checkout).",
)  # fmt: skip
def new_rule_command(name: str, family: str | None, kind: str | None, folder: str | None) -> None:
    """Create a working rule NAME (words with hyphens), with a page and test cases, under the next free code."""
    try:
        folder = folder or _rules_of_checkout()
        rule_name(name)  # before any question
        code, path = new_rule(name, family or _asked("Family", _FAMILY), kind or _asked_kind(), folder)
    except ValueError as error:
        print_message(str(error))
        sys.exit(EXIT_ERROR)
    print(f"{code}: {os.path.relpath(path)}")
    if os.path.isdir(folders := os.path.splitext(path)[0]):
        print(f"cases with several files, one folder per case:  {os.path.relpath(folders)}")
    name = os.path.splitext(os.path.basename(path))[0].replace("_", "-")
    print("This is a working example: replace its page, check and cases with your own,")
    print(f"and run the cases with `flint dev test {name}`. Then run `make index docs`.")


def _asked_kind() -> str:
    """Ask for the kind, explaining each."""
    for name, meaning in KINDS.items():
        click.echo(f"  {name:<8} {meaning}")
    return _asked("Kind", _KIND)


def _asked(label: str, choices: click.Choice[str]) -> str:
    """Ask for one of several words; raises ValueError if there is no answer, and ends after Ctrl-C."""
    try:
        if sys.stdin is None:  # closed by the parent process
            raise click.Abort
        answer: str = click.prompt(label, type=choices)
    except click.Abort as abort:
        click.echo()
        if isinstance(abort.__context__, KeyboardInterrupt):
            print_message("interrupted")
            sys.exit(INTERRUPTED)
        raise ValueError(f"no answer to {label!r} on standard input: give --family and --kind") from None
    return answer


def _is_checkout() -> bool:
    """Return whether flint runs from a checkout, where its rules are edited."""
    return os.path.isfile(os.path.join(os.path.dirname(os.path.realpath(PACKAGE)), "pyproject.toml"))


def _rules_of_checkout() -> str:
    """Return the rules folder of the checkout that flint runs from; raises ValueError in an installation."""
    folder = os.path.realpath(PACKAGE)
    if not _is_checkout():
        raise ValueError("flint's rules are only written in a checkout; for your own rules, see docs/own-rules.md")
    return folder


def new_rule(name: str, family: str, kind: str, folder: str) -> tuple[str, str]:
    """Create a rule and its test cases from templates and return its code and path; raise ValueError if that fails."""
    import shutil

    name = rule_name(name)
    function = name.replace("-", "_")
    if not os.path.isdir(os.path.join(folder, family)):
        raise ValueError(f"{folder} has no folder {family}: it is not the folder of flint's rules")
    code = next_code(family, {*registry().by_code, *_codes_in(folder)})
    text = template_of(kind).substitute(code=code, function=function, since=__version__.rpartition(".")[0])
    path = os.path.join(folder, family, f"{function}.{'toml' if kind == 'toml' else 'py'}")
    cases = os.path.join(TEMPLATES, f"new_rule_{kind}")
    cases_to = os.path.join(folder, family, function)
    for one in (path, cases_to):
        if os.path.lexists(one):
            raise ValueError(f"{one}: file exists: remove it, or use another name")
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(text)
        if os.path.isdir(cases):
            shutil.copytree(cases, cases_to)
    except OSError as error:
        raise ValueError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    return code, path


def _codes_in(folder: str) -> Iterator[str]:
    """Yield the codes that the rules in a folder declare, which flint may not run from."""
    from glob import iglob

    for path in (*iglob(os.path.join(folder, "*", "*.py")), *iglob(os.path.join(folder, "*", "*.toml"))):
        with open(path, encoding="utf-8", errors="replace") as stream:
            yield from _CODE.findall(stream.read())


def next_code(family: str, taken: Container[str], retired: Mapping[str, str] = RETIRED) -> str:
    """Return the first code of a family that no current or retired rule has; raise ValueError if there is none."""
    for block in FAMILIES[family]:
        for code in map(code_of, block):
            if code not in taken and code not in retired:
                return code
    raise ValueError(f"the family {family} has no free code: add a block in FAMILIES (linter/model/rule.py)")


@dev.command("test")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def test_command(names: tuple[str, ...]) -> None:
    """Run the test cases of rules, selected by name, code, prefix of codes or family, including your own rules.

    Exit status: 0 all cases pass, 1 some fail, 2 a name that matches no rule.
    """
    try:
        sys.exit(test_rules(names))
    except ValueError as error:
        print_message(str(error))
        sys.exit(EXIT_ERROR)


def test_rules(names: tuple[str, ...]) -> int:
    """Run the test cases of rules, print `ok` or the difference for each, and return 1 if any fails, otherwise 0.

    Raises ValueError for a name that matches no rule and for a case that cannot be run.
    """
    from flink_flint.linter.commands.explain import own_rules_here

    if _is_checkout():
        bypass_index()
    _, flint_config = own_rules_here()
    chosen = set().union(*map(_named, names))
    declarations = [one for one in registry().declarations if one.identity in chosen]
    results = [_try_cases(declaration, flint_config) for declaration in declarations]
    return int(not all(results))


def _named(name: str) -> set[str]:
    """Return the identities of the rules with a name, code, prefix, family or file; raises ValueError if none."""
    from flink_flint.linter.engine.selection import codes_of

    file = os.path.splitext(os.path.basename(name))[0]
    one = registry().find(file)
    return {one.identity} if one is not None else codes_of(name)


def _try_cases(declaration: Declaration, flint_config: FlintConfigFile) -> bool:
    from flink_flint.linter.commands.explain import cases_of, problems_of, shown_source
    from flink_flint.linter.commands.rule_cases import case_name, failing

    rule = declaration.load()
    cases = cases_of(rule)
    problems = []
    for number, case in enumerate(cases, 1):
        name = case_name(number, case)
        try:
            problem = failing(rule, case, flint_config if rule.own else NONE)
        except Exception as error:  # whatever is wrong with the case
            raise ValueError(f"{shown_source(rule)}: {name}: {type(error).__name__}: {error}") from error
        print(f"{rule.code} {rule.name} {name}: {problem or 'ok'}", flush=True)
        problems.append(problem)
    wrong = [] if rule.own else [*problems_of(declaration)]
    if rule.own and not cases:
        wrong.append("it has no cases")
    for one in wrong:
        print(f"{rule.code} {rule.name}: {one}", flush=True)
    return not wrong and not any(problems)


COMMANDS = {"dev": dev}

"""`flint dev`: what people who write rules need. A new rule from a template, and the cases of rules, tried."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Mapping
from string import Template

import click

from flink_flint.linter import __version__
from flink_flint.linter.commands.errors import EXIT_ERROR, print_message
from flink_flint.linter.config.flint_config import NONE, FlintConfigFile
from flink_flint.linter.engine.registry import PACKAGE, Declaration, bypass_index, registry
from flink_flint.linter.model.rule import FAMILIES, RETIRED, code_of

KINDS: Mapping[str, str] = {
    "toml": "one option and the values it must not have, as data without code",
    "check": "a function of one configuration: several options, sizes, elements of a program",
    "project": "a function of all files of a run, which compares them",
}
_LONGEST_NAME = 60
_TEMPLATES = os.path.join(os.path.dirname(PACKAGE), "templates")


@click.group(short_help="Write rules: a new one from a template, and the cases of rules.")
def dev() -> None:
    """Create and test rules."""


def _asked_kind(context: click.Context, option: click.Parameter, kind: str | None) -> str:
    """Ask for the kind, with what each is for, where the command line has none."""
    if kind is None:
        for name, meaning in KINDS.items():
            click.echo(f"  {name:<8} {meaning}")
        kind = click.prompt("Kind", type=click.Choice([*KINDS]))
    return kind


@dev.command("new-rule")
@click.argument("name")
@click.option("--family", type=click.Choice([*FAMILIES]), prompt="Family", help="The folder below rules/.")
@click.option(
    "--kind",
    type=click.Choice([*KINDS]),
    callback=_asked_kind,
    help="".join(f"{name}: {meaning}; " for name, meaning in KINDS.items()).removesuffix("; ") + ".",
)
@click.option(
    "--rules", "folder", type=click.Path(exists=True, file_okay=False),
    help="The folder of rules to write to (default: that of flint's own checkout).",
)  # fmt: skip
def new_rule_command(name: str, family: str, kind: str, folder: str | None) -> None:
    """Write a new rule NAME (words with hyphens) that runs, with a page and cases, under the next free code."""
    try:
        code, path = new_rule(name, family, kind, folder or _rules_of_checkout())
    except ValueError as error:
        print_message(str(error))
        sys.exit(EXIT_ERROR)
    print(f"{code}: {os.path.relpath(path)}")
    if os.path.isdir(folders := os.path.splitext(path)[0]):
        print(f"cases of several files, a folder each: {os.path.relpath(folders)}")
    name = os.path.splitext(os.path.basename(path))[0].replace("_", "-")
    print("It is an example that runs. Write your own page, check and cases in its place, and try them as often as you")
    print(f"like with `flint dev test {name}`; then `make index docs`.")


def _is_checkout() -> bool:
    """Return whether flint runs from a checkout, where its rules are edited."""
    return os.path.isfile(os.path.join(os.path.dirname(os.path.realpath(PACKAGE)), "pyproject.toml"))


def _rules_of_checkout() -> str:
    """Return the folder of rules of the checkout that runs; raises ValueError in an installation."""
    folder = os.path.realpath(PACKAGE)
    if not _is_checkout():
        raise ValueError("new rules of flint's are written in a checkout; for rules of your own see docs/own-rules.md")
    return folder


def new_rule(name: str, family: str, kind: str, folder: str) -> tuple[str, str]:
    """Write a rule, and the folders of its cases, from the templates of its kind; return its code and path.

    Raises ValueError.
    """
    import shutil

    words = name.replace("_", "-").lower()
    function = words.replace("-", "_")
    if not (function.isidentifier() and function.isascii()) or function.startswith("_") or len(name) > _LONGEST_NAME:
        raise ValueError(
            f"{name!r} is not a name of a rule: words of letters and digits with hyphens, {_LONGEST_NAME} at most"
        )
    if (other := registry().find(words)) is not None:
        raise ValueError(f"{words} is {other.code} already")
    if not os.path.isdir(os.path.join(folder, family)):
        raise ValueError(f"{folder} has no folder {family}: it is not the folder of flint's rules")
    code = next_code(family, registry().by_code)
    with open(os.path.join(_TEMPLATES, f"new_rule_{kind}.txt"), encoding="utf-8") as stream:
        template = Template(stream.read())
    text = template.substitute(code=code, function=function, since=__version__.rpartition(".")[0])
    path = os.path.join(folder, family, f"{function}.{'toml' if kind == 'toml' else 'py'}")
    cases = os.path.join(_TEMPLATES, f"new_rule_{kind}")
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(text)
        if os.path.isdir(cases):
            shutil.copytree(cases, os.path.join(folder, family, function))
    except OSError as error:
        raise ValueError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    return code, path


def next_code(family: str, taken: Container[str], retired: Mapping[str, str] = RETIRED) -> str:
    """Return the next code of a family that no rule has or had; raises ValueError where its blocks are full."""
    for block in FAMILIES[family]:
        for code in map(code_of, block):
            if code not in taken and code not in retired:
                return code
    raise ValueError(f"the family {family} has no free code: give it another block in FAMILIES (linter/model/rule.py)")


@dev.command("test")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def test_command(names: tuple[str, ...]) -> None:
    """Try the cases of rules: by name, code, prefix of codes or family, also of your own rules.

    Exit status: 0 all cases hold, 1 some do not, 2 a name that means no rule.
    """
    try:
        sys.exit(test_rules(names))
    except ValueError as error:
        print_message(str(error))
        sys.exit(EXIT_ERROR)


def test_rules(names: tuple[str, ...]) -> int:
    """Print for each case of the rules `ok` or what differs; 1 if something does. Raises ValueError."""
    from flink_flint.linter.commands.explain import own_rules_here

    if _is_checkout():
        bypass_index()
    _, flint_config = own_rules_here()
    chosen = set().union(*map(_named, names))
    declarations = [one for one in registry().declarations if one.identity in chosen]
    results = [_try_cases(declaration, flint_config) for declaration in declarations]
    return int(not all(results))


def _named(name: str) -> set[str]:
    """Return the identities of the rules of a name, code, prefix, family or file; raises ValueError for none."""
    from flink_flint.linter.engine.selection import codes_of

    file = os.path.splitext(os.path.basename(name))[0]
    one = registry().find(file)
    return {one.identity} if one is not None else codes_of(name)


def _try_cases(declaration: Declaration, flint_config: FlintConfigFile) -> bool:
    from flink_flint.linter.commands.explain import amiss, cases_of
    from flink_flint.linter.commands.rule_cases import case_name, failing

    rule = declaration.load()
    cases = cases_of(rule)
    problems = [failing(rule, case, flint_config if rule.own else NONE) for case in cases]
    for number, (case, problem) in enumerate(zip(cases, problems, strict=True), 1):
        print(f"{rule.code} {rule.name} {case_name(number, case)}: {problem or 'ok'}")
    wrong = [] if rule.own else [*amiss(declaration)]
    if rule.own and not cases:
        wrong.append("it has no cases")
    for one in wrong:
        print(f"{rule.code} {rule.name}: {one}")
    return not wrong and not any(problems)


COMMANDS = {"dev": dev}

"""The pages on histories agree with the code: their commands exist, and their tables match the declarations."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from flink_flint.calculators.history.backtest.score_report import METHODS
from flink_flint.calculators.history.sources.canonical.rows import COLUMNS
from flink_flint.calculators.history.sources.recognition import priority_of, sources
from flink_flint.linter.commands.main import flint

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", DOCS / "history.md", DOCS / "history-on-clusters.md", DOCS / "backtest.md"]

STARTS = ("flint", "$FLINT", "local:///opt/flint/main.py")
"""The words that precede a command."""


def commands(page: Path) -> list[list[str]]:
    """Return the words of all flint commands in a page's code blocks, including those after spark-submit."""
    found = []
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for block in (block for language, block in blocks if not language):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True) if line.startswith(("flint ", "spark-submit ")) else []
            starts = [at for at, word in enumerate(words) if word in STARTS]
            if starts:
                found.append(words[starts[0] + 1 :])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_ones_that_flint_knows(page: Path) -> None:
    told = commands(page)
    assert told
    for words in told:
        command: click.Command = flint
        context = click.Context(flint)
        while isinstance(command, click.Group) and words:
            name, found, words = command.resolve_command(context, words)
            assert found is not None
            command = found
            if not isinstance(command, click.Group):
                command.make_context(name, list(words), parent=context)


def rows(page: str, title: str) -> dict[str, str]:
    """Return the first two columns of the table whose header line begins with a title."""
    text = (DOCS / page).read_text(encoding="utf-8")
    table = text[text.index(f"| {title} |") :].partition("\n\n")[0].splitlines()[2:]
    return {first.strip(): second.strip() for _, first, second, *_ in (line.split("|") for line in table)}


def test_the_kinds_of_sources_are_all_there() -> None:
    told = {name for cell in rows("history.md", "kind") for name in re.findall(r"`([^`]+)`", cell)}
    assert told == {"prometheus", *(one.name for one in sources())}


def test_the_priorities_are_those_of_the_sources() -> None:
    due: dict[str, set[str]] = defaultdict(set)
    for name in ("prometheus", *(one.name for one in sources())):
        due[str(priority_of(name))].add(name)
    told = rows("history.md", "priority")
    assert {number: set(re.findall(r"`([^`]+)`", names)) for number, names in told.items()} == due


def test_the_columns_are_those_of_the_canonical_form() -> None:
    told = [name for cell in rows("history.md", "column") for name in re.findall(r"`([^`]+)`", cell)]
    assert sorted(told) == sorted(COLUMNS)


def test_the_figures_are_of_all_methods() -> None:
    page = (DOCS / "backtest.md").read_text(encoding="utf-8")
    assert [method.name for method in METHODS if f"\n{method.name} " not in page] == []


def test_the_help_of_an_import_lists_the_kinds() -> None:
    told = CliRunner().invoke(flint, ["history", "import", "--help"], terminal_width=200).output
    assert all(source.name in told for source in sources())

"""Writes the pages under docs that come from the code: `make docs`.

One page a rule and a calculator with their indexes, the index by option, the references of the command line and of
flint.toml.
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs import command_page, flint_config_page, option_pages, report_page, rule_pages
from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.command_line import reference_page as sizing
from flink_flint.linter.engine.registry import walk

DOCS = Path(__file__).resolve().parent

FOLDERS = ("rules", "calculators")
"""The folders whose pages are all written."""

NOTE = "<!-- written by `make docs` from the {} -->\n"


def pages() -> dict[str, str]:
    """Path below docs/ -> text of every page. An example with bytes that are no UTF-8 shows their escapes."""
    texts = {
        **_rules(),
        **_calculators(),
        command_page.PAGE: NOTE.format("commands themselves") + command_page.page(),
        flint_config_page.PAGE: NOTE.format("schema of flint.toml") + flint_config_page.page(),
        report_page.PAGE: NOTE.format("formats themselves") + report_page.page(),
    }
    return {name: text.encode("utf-8", "backslashreplace").decode("utf-8") for name, text in texts.items()}


def _rules() -> dict[str, str]:
    declarations = sorted(walk())
    texts = {f"{one.name}.md": rule_pages.page_of(one.load()) for one in declarations}
    texts[rule_pages.INDEX] = rule_pages.index_page(declarations)
    written = {f"rules/{name}": NOTE.format("rule itself") + text for name, text in texts.items()}
    return {**written, option_pages.PAGE: NOTE.format("rules themselves") + option_pages.index_page(declarations)}


def _calculators() -> dict[str, str]:
    note, all_of_them = NOTE.format("calculator itself"), [calculator(name) for name in NAMES]
    written = {
        f"calculators/{one.name}.md": note + sizing.page_of(one, picture=f"{one.name}.svg") for one in all_of_them
    }
    return {"calculators/README.md": note + sizing.index_page(all_of_them), **written}


def main() -> None:
    """Write all pages and delete those whose rule or calculator is gone."""
    texts = pages()
    for folder in FOLDERS:
        (DOCS / folder).mkdir(exist_ok=True)
        for path in (DOCS / folder).glob("*.md"):
            if f"{folder}/{path.name}" not in texts:
                path.unlink()
    for name, text in texts.items():
        (DOCS / name).write_bytes(text.encode("utf-8"))
    sys.stdout.write(f"{len(texts)} pages in {DOCS}\n")


if __name__ == "__main__":
    main()

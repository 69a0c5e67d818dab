"""Writes docs/rules/ and docs/calculators/: one page each, as `flint explain` prints it, and indexes: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from calculators.calculator import NAMES, calculator
from linter.explaining import page_of, rule_object
from linter.registry import Declaration, walk
from linter.sizing import pages as sizing

DOCS = Path(__file__).resolve().parent

FOLDERS = ("rules", "calculators")
"""The folders whose pages are written."""

NOTE = "<!-- written by `make docs` from the {} itself -->\n"


def pages() -> dict[str, str]:
    """Path below docs/ -> text of every page. An example with bytes that are no UTF-8 shows their escapes."""
    texts = {**_rules(), **_calculators()}
    return {name: text.encode("utf-8", "backslashreplace").decode("utf-8") for name, text in texts.items()}


def _rules() -> dict[str, str]:
    note, declarations = NOTE.format("rule"), sorted(walk())
    written = {f"rules/{declaration.name}.md": note + page_of(declaration.load()) for declaration in declarations}
    return {"rules/README.md": note + _index(declarations), **written}


def _calculators() -> dict[str, str]:
    note, all_of_them = NOTE.format("calculator"), [calculator(name) for name in NAMES]
    written = {
        f"calculators/{one.name}.md": note + sizing.page_of(one, picture=f"{one.name}.svg") for one in all_of_them
    }
    return {"calculators/README.md": note + sizing.index_page(all_of_them), **written}


def _index(declarations: list[Declaration]) -> str:
    lines = ["# Rules", "", f"{len(declarations)} rules. `flint explain CODE` prints a page in the terminal."]
    family = None
    for declaration in declarations:
        if declaration.family != family:
            family = declaration.family
            lines += [
                "",
                f"## {family}",
                "",
                "| code | rule | severity | fix | what it finds |",
                "|---|---|---|---|---|",
            ]
        rule = rule_object(declaration)
        summary = rule["summary"].replace("|", "\\|").replace("<", "&lt;")
        fix = "yes" if rule["fix"] else ""
        lines.append(
            f"| {rule['code']} | [{rule['name']}]({rule['name']}.md) | {rule['severity']} | {fix} | {summary} |"
        )
    return "\n".join(lines) + "\n"


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

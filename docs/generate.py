"""Writes docs/rules/ from the rules: one page each, as `flint explain` prints it, and an index: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from linter.explaining import page_of, rule_object
from linter.registry import Declaration, walk

PAGES = Path(__file__).resolve().parent / "rules"

NOTE = "<!-- written by `make docs` from the rule itself -->\n"


def pages() -> dict[str, str]:
    """File name -> text of every page. An example with bytes that are no UTF-8 shows their escapes."""
    declarations = sorted(walk())
    written = {f"{declaration.name}.md": NOTE + page_of(declaration.load()) for declaration in declarations}
    texts = {"README.md": NOTE + _index(declarations), **written}
    return {name: text.encode("utf-8", "backslashreplace").decode("utf-8") for name, text in texts.items()}


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
    """Write all pages and delete those whose rule is gone."""
    PAGES.mkdir(exist_ok=True)
    texts = pages()
    for stale in {path.name for path in PAGES.glob("*.md")} - set(texts):
        (PAGES / stale).unlink()
    for name, text in texts.items():
        (PAGES / name).write_bytes(text.encode("utf-8"))
    sys.stdout.write(f"{len(texts)} pages in {PAGES}\n")


if __name__ == "__main__":
    main()

"""MkDocs hooks for the site: see mkdocs.yml.

The pages are written for GitHub first. The hooks adapt them to the site: headings get the anchors that GitHub gives
them, links to files outside of docs lead to the repository, and rules and calculators are added to the navigation.
"""

from __future__ import annotations

import posixpath
import re
from itertools import groupby
from pathlib import Path
from typing import Any

from flink_flint.calculators.answering.calculator import NAMES
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.model.rule import DOCS as RULE_PAGES

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = RULE_PAGES.removesuffix("/docs/rules")

_LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]*)")
_FENCE = re.compile(r"^(`{3,}).*?^\1`*\s*?$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_LIST = re.compile(r"^([^\n#\-|<\s][^\n]*\n)((?:- |\d+\. ))", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Use GitHub's anchors for headings, and add rules (a section per family) and calculators to the navigation."""
    config.mdx_configs["toc"]["slugify"] = slugify
    for entry in config.nav:
        for title, members in entry.items():
            if title == "Rules":
                members += _rules()
            elif title == "Calculators":
                members += [{name: f"calculators/{name}.md"} for name in NAMES]
    return config


def _rules() -> list[dict[str, list[dict[str, str]]]]:
    families = groupby(registry().declarations, lambda declaration: declaration.family)
    return [
        {family.replace("_", " "): [{f"{one.code} {one.name}": f"rules/{one.name}.md"} for one in members]}
        for family, members in families
    ]


def slugify(title: str, separator: str) -> str:
    """Return the anchor that GitHub gives a heading without markup."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", separator)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links to files outside of docs to the repository, and add the empty lines that Python-Markdown requires."""
    folder = posixpath.dirname(page.file.src_uri)

    def leading(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, match[2]))
        if path.startswith("docs/"):
            return match[0]
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{match[1]}{REPOSITORY.replace('/blob/', f'/{kind}/')}/{path}"

    return _outside_code(markdown, lambda text: _LIST.sub(r"\1\n\2", _LINK.sub(leading, text)))


def on_page_content(html: str, **_: Any) -> str:
    """Add the column title to each table cell, which a narrow window shows with the cell."""
    return _TABLE.sub(_titled, html)


def _titled(table: re.Match[str]) -> str:
    titles = [re.sub(r"<[^>]*>", "", title) for title in re.findall(r"<th[^>]*>(.*?)</th>", table[0], re.DOTALL)]

    def row(cells: re.Match[str]) -> str:
        # The first cell is what the row is about, and the last one needs no title.
        before, first, *rest = cells[0].split("<td")
        # A long option may break at its dots.
        first = re.sub(r"(?<=<code>)[^<]+", lambda code: code[0].replace(".", ".<wbr>"), first)
        named = [f' data-title="{title}"{cell}' for title, cell in zip(titles[1:-1], rest, strict=False)]
        return "<td".join([before, first, *named, *rest[len(named) :]])

    return re.sub(r"<tr>\s*<td.*?</tr>", row, table[0], flags=re.DOTALL)


def _outside_code(markdown: str, change: Any) -> str:
    """Apply a change to the text outside of code blocks."""
    parts: list[str] = []
    end = 0
    for block in _FENCE.finditer(markdown):
        parts += [change(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(markdown[end:])])

"""Markdown elements that look the same on GitHub and on the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from flink_flint.linter.output.code_fence import fence

_LANGUAGES = {
    "yaml": "yaml", "yml": "yaml", "j2": "yaml", "java": "java", "scala": "scala", "kt": "kotlin", "py": "python",
    "sql": "sql", "json": "json", "properties": "properties", "xml": "xml", "tf": "terraform", "sh": "bash",
    "toml": "toml",
}  # fmt: skip


def fenced(text: str, language: str = "") -> list[str]:
    """Return the lines of a code block whose fence is longer than any in the text."""
    return fence(text.strip("\n").split("\n"), language).split("\n")


def language_of(file: str) -> str:
    """Return the language for highlighting a file, by its name; empty if there is none."""
    name = file.rpartition("/")[2]
    return "dockerfile" if name.startswith("Dockerfile") else _LANGUAGES.get(name.rpartition(".")[2], "")


def cell(text: str) -> str:
    """Return a text escaped for a table cell."""
    return " ".join(text.replace("|", "\\|").split())


def prose(text: str) -> str:
    """Return a text with angle brackets outside of code escaped."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the titles may be empty."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]


def anchor_of(title: str) -> str:
    """Return the anchor of a heading on GitHub, which the site uses, too."""
    plain = re.sub(r"`|\*|\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", title)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")

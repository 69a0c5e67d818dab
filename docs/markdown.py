"""Pieces of Markdown that read the same on GitHub and in the site."""

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
    """The lines of a block of code; its fence is longer than any in the text."""
    return fence(text.strip("\n").split("\n"), language).split("\n")


def language_of(file: str) -> str:
    """What colors a file's text, by its name; empty where nothing does."""
    name = file.rpartition("/")[2]
    return "dockerfile" if name.startswith("Dockerfile") else _LANGUAGES.get(name.rpartition(".")[2], "")


def cell(text: str) -> str:
    """A text as a table's cell."""
    return " ".join(text.replace("|", "\\|").split())


def prose(text: str) -> str:
    """A text in which angle brackets outside of code are no tags."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; the titles may be empty."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]


def anchor_of(title: str) -> str:
    """The anchor that GitHub gives a heading, and the site with it."""
    plain = re.sub(r"`|\*|\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", title)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")

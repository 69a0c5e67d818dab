"""Source, help and pages are in plain English: words of a private dialect do not come back."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

DIALECT = re.compile(
    r"\b(?:upon|beneath|whereof|wherein|seldom(?:er)?|needs be|reckon\w*|mend(?:s|ed|ing)?|dearest|carriers?"
    r"|utilisation|preferences?|enlist\w*|told|telling|says nothing|lies (?:on|under)"
    r"|(?<!\.)tells?(?! apart)|let(?:s|ting)? [\w .]{0,40}?stand|let go"
    r"|in silence|without a word|in force|what .{1,30} holds)\b",
    re.IGNORECASE,
)
"""Say instead: on, below, of which, rarely, compute, fix, slowest, format, flint.toml, register, reported, show,
silently, overrides, ignore, delete, current."""
WRAPPED = re.compile(r"\n[ \t]*(?:#|//|\*)?[ \t]*(?=\S)")
"""A line end inside of a comment, docstring or paragraph, with the mark of the next line."""

KEPT = {
    "linter/commands/check_arguments.py": ["preferences", "preferences"],  # old flags, which stay accepted
    "README.md": ["reckons"],  # in a finding that it quotes
    "calculators/answering/declaration.py": ["utilisation"],  # the old spelling of an input, which stays accepted
}
GENERATED = {"options.md", "reports.md"}
"""Pages that quote findings: rules have their own words."""


def _texts() -> list[Path]:
    sources = [path for top in ("linter", "calculators", "flink_flint") for path in (ROOT / top).rglob("*.py")]
    pages = [path for path in (ROOT / "docs").glob("*.md") if path.name not in GENERATED]
    templates = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    return [
        *sources,
        *templates,
        *(ROOT / "docs").glob("*.py"),
        *pages,
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "Makefile",
    ]


def _words(text: str) -> list[str]:
    """Return the banned words of a text, also those that are broken over two lines."""
    return DIALECT.findall(WRAPPED.sub(" ", text))


def test_the_words_of_the_project_are_plain() -> None:
    found = {
        str(path.relative_to(ROOT)): words for path in _texts() if (words := _words(path.read_text(encoding="utf-8")))
    }
    assert {path: words for path, words in found.items() if words != KEPT.get(path)} == {}


def test_the_dialect_is_noticed() -> None:
    assert _words("Patches lie upon their base; what the file holds is mended without a word") == [
        "upon", "what the file holds", "mended", "without a word",
    ]  # fmt: skip
    assert _words("# It lets 3 findings\n# stand, which it tells\nwithout\n    a word") == [
        "lets 3 findings stand", "tells", "without a word",
    ]  # fmt: skip
    assert _words("it tells apart what they share") == []

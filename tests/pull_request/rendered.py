"""Markdown as GitHub's renderer (cmark-gfm) and its filters process it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

_EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]

NO_WIDTH = "\u200b"

LINKED = (
    r"@[A-Za-z0-9_]",  # mentions of people and teams
    r"#[0-9\"\w]", r"\b[Gg][HhLl]-[0-9]", r"\b[A-Z][A-Z0-9_]+-[0-9]",  # issues, those of Jira too
    r"![0-9]", r"~[\w\"]", r"%[\w\"{]", r"&[\w\"]", r"\^[\w]", r"\*iteration:", r"\[\w+:[\w/\"]",  # GitLab's references
    r"\{[+-]", r"\[[+-]",  # inline diffs
    r"[A-Za-z][A-Za-z0-9+.-]*://\w", r"(?i)\bwww\.\w", r"(?i)mailto:\w",  # addresses
    r":[a-z0-9_+-]+:",  # emoji
    r"(?<![0-9A-Za-z])[0-9a-f]{7,40}(?![0-9A-Za-z])",  # commits
    r"\$.*\S.*\$",  # formulas
)  # fmt: skip
"""What the filters of GitHub and GitLab link in text outside of code."""


class Rendered(HTMLParser):
    """The elements, attributes and texts of a rendered body; nothing is removed."""

    def __init__(self, body: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        """Text outside of code, one entry per text node."""
        self.codes: list[str] = []
        self.comments: list[str] = []
        self._in_code = 0
        options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
        self.html = cmarkgfm.markdown_to_html_with_extensions(body, options=options, extensions=_EXTENSIONS)
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("code", "pre"):
            self._in_code += 1
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("code", "pre"):
            self._in_code -= 1

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.codes[-1] += data
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data.strip())

    @property
    def tags(self) -> set[str]:
        """Return the names of the elements."""
        return {tag for tag, _ in self.elements}

    @property
    def links(self) -> list[str | None]:
        """Return the targets of links."""
        return [attributes.get("href") for tag, attributes in self.elements if tag == "a"]

    @property
    def words(self) -> str:
        """Return all text, as people read it."""
        return "".join(self.texts).replace(NO_WIDTH, "")

    @property
    def linked(self) -> list[str]:
        """Return what a filter would link."""
        return [match[0] for text in self.texts for pattern in LINKED for match in re.finditer(pattern, text)]

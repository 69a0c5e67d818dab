"""Hostile text in GitHub's and GitLab's Markdown: shown as it is, never as a tag, a link or a mention.

Two things read a comment. A renderer finds structure (tags, links, emphasis, tables, fences): it does not look into
character references, so that `&#42;` is a star and never emphasis, in a paragraph, in a table and in a block of HTML
alike. Then filters walk over the rendered text and link what looks like a mention, a reference, an address, an emoji's
name or a formula: they see the star again, and are stopped by an element around it, since each looks at one run of text
at a time. They leave code alone. No character is added, so that whatever a comment shows can be copied from it.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from flink_flint.linter.model.encoding import neutral_line

_ALWAYS = frozenset("\\`*[]<>|~^&\"'$@")
"""What begins or ends structure somewhere, and is written as a character reference wherever it stands."""
_NAMING = frozenset("@#!~%&*[{^:")
"""What begins a mention, a reference, an emoji's name or an address when something follows at once."""
_TOKEN = re.compile(
    r"(?P<commit>(?<![0-9A-Za-z])[0-9a-fA-F]{7,64}(?![0-9A-Za-z]))"
    r"|(?P<named>\b(?:(?:GH|GL)|(?-i:[A-Z][A-Z0-9_]+))-(?=\d))"  # GitLab links PROJECT-1 to Jira, and Jira back
    r"|(?P<address>\bwww\.)"
    r"|(?P<other>.)",
    re.DOTALL | re.IGNORECASE,
)
_URL = re.compile(r"https?://[A-Za-z0-9\[]")
_IN_URL = ":/?#[]@!$&+,;=%~-._"
"""Characters that stand for themselves in the address of a link: no brackets, quotes, blanks or angles."""
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def plain(text: str) -> str:
    """A text on one line, its control, bidirectional and zero-width characters spelled out."""
    line = neutral_line(" ".join(text.split()))
    if line.isprintable():
        return line
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line)


def prose(text: str) -> str:
    """A text as one stretch of prose that renders as itself, in Markdown and in HTML."""
    return _written(plain(text), apart=True)


def code(text: str) -> str:
    """A text as code within a line, in Markdown and in HTML: line ends and tabs are spelled too."""
    line = plain(neutral_line(text))
    return f"<code>{_written(line, apart=False)}</code>" if line else ""


def message(text: str) -> str:
    """Prose in which words between backticks are code, as flint's messages and helps have them."""
    line = plain(text)
    shown: list[str] = []
    done = 0
    for match in _CODE.finditer(line):
        shown += (_written(line[done : match.start()], apart=True), code(match[1]))
        done = match.end()
    shown.append(_written(line[done:], apart=True))
    return "".join(shown)


def _written(line: str, *, apart: bool) -> str:
    """A line in characters and references to characters; `apart` where filters read it."""
    shown: list[str] = []
    for match in _TOKEN.finditer(line):
        found = match[0]
        if match.lastgroup == "other":
            shown.append(_character(line, match.start(), apart=apart))
        elif match.lastgroup == "address":  # the renderer itself links it
            shown.append(found[:-1] + _apart("&#46;", apart))
        elif match.lastgroup == "commit":
            shown += (_apart(found[at : at + 6], apart and at % 12 == 6) for at in range(0, len(found), 6))
        else:
            shown.append(found[:-1].replace("_", "&#95;") + _apart("-", apart))
    return "".join(shown)


def _apart(written: str, is_apart: bool) -> str:
    """What is written, in an element of its own if it is to be kept apart from its neighbors."""
    return f"<span>{written}</span>" if is_apart else written


def _character(line: str, at: int, *, apart: bool) -> str:
    """One character of a line."""
    character = line[at]
    begins = character in _NAMING and line[at + 1 : at + 2].strip() != ""
    if character in _ALWAYS or begins:
        # Mail addresses are looked for in code too, formulas wherever a dollar stands.
        return _apart(f"&#{ord(character)};", (begins or character == "$") if apart else character == "@")
    if character == "_":
        inside = 0 < at < len(line) - 1 and line[at - 1].isalnum() and line[at + 1].isalnum()
        return "_" if inside else "&#95;"
    # What makes a list, a heading or a rule of a line that begins with it.
    if (character in "-+=#" and not line[:at].strip("-+=# ")) or (character in ".)" and line[:at].isdigit()):
        return f"&#{ord(character)};"
    return character


def link(shown: str, url: str | None) -> str:
    """A link on what is Markdown already; the text alone where the address is none to link to."""
    if url is None or not _URL.match(url):
        return shown
    return f"[{shown}]({quote(url, safe=_IN_URL)})"

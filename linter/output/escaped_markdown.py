"""Escapes untrusted text for GitHub's and GitLab's Markdown, so that it never acts as a tag, link or mention.

Two stages process a comment. The renderer finds structure (tags, links, emphasis, tables, fences) and does not look
into character references: `&#42;` is a star and never emphasis, in a paragraph, a table and a block of HTML alike. Then
filters scan the rendered text and link what looks like a mention, a reference, an address, an emoji name or a formula:
they see the star again, and are stopped by an element around it, since each looks at one run of text at a time. Filters
skip code. No character is added, so that text can be copied from a comment unchanged.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from flink_flint.linter.model.safe_text import neutral_line

_ALWAYS = frozenset("\\`*[]<>|~^&\"'$@")
"""Characters that begin or end structure anywhere, and are always written as character references."""
_NAMING = frozenset("@#!~%&*[{^:")
"""Characters that begin a mention, a reference, an emoji name or an address if text follows directly."""
_TOKEN = re.compile(
    r"(?P<commit>(?<![0-9A-Za-z])[0-9a-fA-F]{7,64}(?![0-9A-Za-z]))"
    r"|(?P<named>\b(?:(?:GH|GL)|(?-i:[A-Z][A-Z0-9_]+))-(?=\d))"  # GitLab links PROJECT-1 to Jira, and Jira back
    r"|(?P<address>\bwww\.)"
    r"|(?P<other>.)",
    re.DOTALL | re.IGNORECASE,
)
_URL = re.compile(r"https?://[A-Za-z0-9\[]")
_IN_URL = ":/?#[]@!$&+,;=%~-._"
"""Characters that need no escaping in a link address: no brackets, quotes, blanks or angle brackets."""
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def plain(text: str) -> str:
    """Return `text` on one line, with control, bidirectional and zero-width characters escaped."""
    line = neutral_line(" ".join(text.split()))
    if line.isprintable():
        return line
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line)


def prose(text: str) -> str:
    """Return `text` on one line, escaped so that it renders literally as prose, in Markdown and in HTML."""
    return _written(plain(text), apart=True)


def code(text: str) -> str:
    """Return `text` as inline code in Markdown and in HTML; line ends and tabs are escaped."""
    line = plain(neutral_line(text))
    return f"<code>{_written(line, apart=False)}</code>" if line else ""


def message(text: str) -> str:
    """Return `text` as prose, except that words between backticks become inline code, as in flint's messages."""
    line = plain(text)
    shown: list[str] = []
    done = 0
    for match in _CODE.finditer(line):
        shown += (_written(line[done : match.start()], apart=True), code(match[1]))
        done = match.end()
    shown.append(_written(line[done:], apart=True))
    return "".join(shown)


def _written(line: str, *, apart: bool) -> str:
    """Return a line with character references; `apart` if filters process it."""
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
    """Return the text, wrapped in an element of its own if it must be separated from its neighbors."""
    return f"<span>{written}</span>" if is_apart else written


def _character(line: str, at: int, *, apart: bool) -> str:
    """Return one character of a line, escaped."""
    character = line[at]
    begins = character in _NAMING and line[at + 1 : at + 2].strip() != ""
    if character in _ALWAYS or begins:
        # Filters look for mail addresses in code too, and for formulas wherever there is a dollar sign.
        return _apart(f"&#{ord(character)};", (begins or character == "$") if apart else character == "@")
    if character == "_":
        inside = 0 < at < len(line) - 1 and line[at - 1].isalnum() and line[at + 1].isalnum()
        return "_" if inside else "&#95;"
    # What makes a line a list item, a heading or a rule.
    if (character in "-+=#" and not line[:at].strip("-+=# ")) or (character in ".)" and line[:at].isdigit()):
        return f"&#{ord(character)};"
    return character


def link(shown: str, url: str | None) -> str:
    """Return the Markdown `shown` as a link to `url`; unchanged if the URL cannot be linked."""
    if url is None or not _URL.match(url):
        return shown
    return f"[{shown}]({quote(url, safe=_IN_URL)})"

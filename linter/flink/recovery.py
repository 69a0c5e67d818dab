"""A `config.yaml` that YAML refuses: what can still be made out of it, so that rules can go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from linter.flink.entries import Entry
from linter.text import Span

if TYPE_CHECKING:
    from linter.flink.yaml_cursor import YamlError

_LINE = re.compile(r"[^\r\n]+")
_MAX_TEMPLATE = 200_000
_MAX_LINE = 2_000
_TAG = "|".join(
    rf"{opening}(?:(?!{closing}).){{0,1000}}+{closing}"
    for opening, closing in ((r"\{\{", r"\}\}"), (r"\{%", r"%\}"), (r"\{\#", r"\#\}"), ("<%", "%>"))
)
_TEMPLATE_TAG = re.compile(rf"{_TAG}|@[A-Za-z_][\w.\-]*@", re.DOTALL)
_ONLY_TAGS = re.compile(rf"^[ \t]*(?:(?:{_TAG})[ \t]*)+(?=\r?$)", re.DOTALL | re.MULTILINE)
_QUOTING_CONTEXTS = ("while scanning a quoted", "while scanning a double", "while parsing a flow")
_LENIENT = re.compile(
    r"""([ \t]*)(?:- +)?(["']?)([A-Za-z_][\w.\-/]*)\2[ \t]*:(?:[ \t]+([^\s#][^\r\n]*?))?[ \t]*(?: \#[^\r\n]*)?$"""
)


def blank_templates(text: str) -> str | None:
    """The text with words in place of its template tags, of the same length; None if it has none.

    Lines that hold nothing but tags become comments.
    """
    if len(text) > _MAX_TEMPLATE or not _TEMPLATE_TAG.search(text):
        return None
    text = _ONLY_TAGS.sub(lambda line: re.sub(r"[^\r\n]", "#", line[0]), text)
    return _TEMPLATE_TAG.sub(lambda tag: re.sub(r"[^\r\n]", "x", tag[0]), text)


def culprit(text: str, error: YamlError) -> tuple[int, int]:
    """The bounds of the line to blame: where a quote or bracket opens rather than where its lack shows."""
    at = error.at
    if (error.context_at is not None and (error.context or "").startswith(_QUOTING_CONTEXTS)) or (
        error.context == "while scanning a simple key" and error.context_at is not None
    ):
        at = error.context_at
    at = min(at, len(text))
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while start > 0 and not text[start:end].strip():
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
    return start, end - 1 if text[start:end].endswith("\r") else end


def salvage(text: str, wanted: list[int] | None) -> list[Entry]:
    """Entries by the look of the lines alone: those that begin at the wanted offsets, or all."""
    entries: list[Entry] = []
    path: list[tuple[int, str, Span]] = []
    for found in _LINE.finditer(text):
        line = found[0]
        start = found.start()
        match = _LENIENT.match(line) if len(line) < _MAX_LINE else None
        if not match or line.lstrip(" \t").startswith("#"):
            continue
        indent = len(match[1])
        while path and path[-1][0] >= indent:
            path.pop()
        key_span = Span(start + match.start(3), start + match.end(3))
        if match[4] is None:
            path.append((indent, match[3], key_span))
            continue
        if wanted is not None and start not in wanted:
            continue
        raw = match[4]
        quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\""
        value = raw[1:-1] if quoted else raw
        style = {"'": "single", '"': "double"}[raw[0]] if quoted else "plain"
        entries.append(
            Entry(
                ".".join((*(name for _, name, _ in path), match[3])), value, value, key_span,
                (start + match.start(4), start + match.end(4)), raw, style,
                parents=tuple(span for _, _, span in path), nested=bool(path),
            )
        )  # fmt: skip
    return entries

"""Plain values of a `config.yaml` that need quotes."""

from __future__ import annotations

import re

from flink_flint.linter.flink.parsed_file import Entry, Refusal
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import Span

# Patterns are compiled where they are used: few files are refused.
_BEFORE = r"[ ]*(?:- +)?[^\s#\[\]{},&*!|>'\"%@`][^\[\]{}]*?:[ ]+|[ ]*- +"
_COMMENT = r"(?<![ \t])[ \t]++#.*"
_ANCHOR = r"[ ]*:[ ]+(&[^\s\[\]{},]+)[ ]*(?:#.*)?$"


def value_span(document: Document, start: int) -> Span | None:
    """Return the span of the value that starts at an offset and extends to the end of the line or a comment.

    None where something other than a key or a list's dash stands before it, such as a ``[`` or ``{``.
    """
    line = document.lines.span(document.lines.position(start).line)
    if not re.fullmatch(_BEFORE, document.text[line.start : start]):
        return None
    value = re.sub(_COMMENT, "", document.text[start : line.end]).rstrip()
    return Span(start, start + len(value))


def quoted(value: str) -> str:
    """Return a value in single or double quotes, whichever needs no escapes."""
    return f'"{value}"' if not re.search(r'["\\]', value) else "'" + value.replace("'", "''") + "'"


def lone_anchor(document: Document, entry: Entry) -> Span | None:
    """Return the span of an anchor that has no value and no alias, which is probably a value that starts with ``&``."""
    end = document.lines.span(document.lines.position(entry.key_span.start).line).end
    match = re.match(_ANCHOR, document.text[entry.key_span.end : end])
    if match is None or entry.value is not None or f"*{match[1][1:]}" in document.text:
        return None
    start = entry.key_span.end
    return Span(start + match.start(1), start + match.end(1))


def names_no_anchor(document: Document, refusal: Refusal) -> bool:
    """Return whether an alias is probably a value that starts with ``*``, because the file has no anchors."""
    line = document.lines.span(document.lines.position(refusal.span.start).line)
    merges = document.text[line.start : refusal.span.start].strip().startswith("<<")
    return not merges and not re.search(r"(?:[:\-\[{,][ ]+|^[ ]*)&\w", document.text)


def lone_tag(document: Document, refusal: Refusal) -> bool:
    """Return whether an unknown tag is probably a value that starts with ``!``, because no value follows it."""
    span = value_span(document, refusal.span.start)
    value = "" if span is None else document.text[span.start : span.end]
    return value.startswith("!") and not re.search(r"\s", value)

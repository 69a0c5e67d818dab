"""Command lines inside other files, split into commands and words as a shell splits them.

Unlike `linter.formats.shell.command_words`, which reads a script in place, this module reads text that was decoded,
folded, or interpolated first (an item of a YAML list, a joined line of a Dockerfile).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_MAX_LENGTH = 200_000
_TOKEN = regex(
    r"""(?P<join>\\(?:\r\n|\n))|(?P<escape>\\.)|(?P<single>'[^']*'?)|(?P<double>"(?:[^"\\]|\\.)*"?)|"""
    r"""(?P<blank>[ \t]+)|(?P<end>[;&|\r\n()]+)|(?P<comment>(?<![^\s;&|])\#[^\r\n]*)|(?P<plain>[^\\'" \t;&|\r\n()]+)|"""
    r"""(?P<rest>.)""",
    re.DOTALL,
)
_ESCAPED = regex(r'(\\)[\\"$`]|(\\\r?\n)')
"""Matches text that is removed inside double quotes: the backslash of an escape, or a line continuation."""


class ShellWord(NamedTuple):
    """One word of a command, without its quotes."""

    text: str
    extract: Extract
    span: Span
    """The span of the word as written, including quotes."""


def whole_word(extract: Extract, span: Span) -> ShellWord:
    """Return text, such as an item of an argument list, as a single word, without splitting it."""
    return ShellWord(extract.text, extract, span)


def split_commands(extract: Extract) -> list[list[ShellWord]]:
    """Split a script into commands, each a list of words; only the beginning of a very long script is read."""
    commands: list[list[ShellWord]] = [[]]
    text = extract.text[:_MAX_LENGTH]
    start: int | None = None
    dropped: list[Span] = []

    def close(end: int) -> None:
        nonlocal start
        if start is not None:
            commands[-1].append(_word(extract, Span(start, end), dropped))
            start = None
            dropped.clear()

    for found in _TOKEN.finditer(text):
        what, at, end = found.lastgroup, found.start(), found.end()
        if what in ("blank", "end", "comment"):
            close(at)
            if what == "end" and commands[-1]:
                commands.append([])
            continue
        if what == "join":
            if start is not None:
                dropped.append(Span(at, end))
            continue
        start = at if start is None else start
        if what == "escape":
            dropped.append(Span(at, at + 1))
        elif what in ("single", "double"):
            dropped += _quotes(found[0], at, end)
            if what == "double":
                dropped += [
                    Span(at + one.start(), at + one.end(one.lastindex or 0)) for one in _ESCAPED.finditer(found[0])
                ]
    close(len(text))
    return [command for command in commands if command]


def _quotes(quoted: str, start: int, end: int) -> list[Span]:
    closed = len(quoted) > 1 and quoted[-1] == quoted[0]
    return [Span(start, start + 1), Span(end - 1, end)] if closed else [Span(start, start + 1)]


def _word(extract: Extract, span: Span, dropped: Iterable[Span]) -> ShellWord:
    inner = extract.part(span)
    cut = sorted(set(dropped))
    if cut:
        inner = inner.replaced((Span(one.start - span.start, one.end - span.start), "") for one in cut)
    return ShellWord(inner.text, inner, extract.span(span))

"""Marked texts, and settings inserted into the frame of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flink_flint.linter.text.spans import Span

_MARKS = re.compile("[⟦⟧⟪⟫]")
Forms = Mapping[str, str]
"""What is odd in a text -> the marked text."""


def unmarked(marked: str) -> tuple[str, set[tuple[Span, Span]]]:
    """Return the text without marks, and the spans of its keys with those of their values.

    ``⟦`` and ``⟧`` stand around a key, ``⟪`` and ``⟫`` around a value, which is the key's before it. A key without a
    value of its own (an alias stands there) has the last value before it.
    """
    pieces: list[str] = []
    length = done = start = 0
    key = value = Span(0, 0)
    lonely: Span | None = None
    pairs: set[tuple[Span, Span]] = set()
    for mark in _MARKS.finditer(marked):
        pieces.append(marked[done : mark.start()])
        length += mark.start() - done
        done = mark.end()
        if mark[0] in "⟦⟪":
            start = length
        elif mark[0] == "⟧":
            if lonely is not None:
                pairs.add((lonely, value))
            key = lonely = Span(start, length)
        else:
            value, lonely = Span(start, length), None
            pairs.add((key, value))
    if lonely is not None:
        pairs.add((lonely, value))
    return "".join(pieces) + marked[done:], pairs


def framed(frame: str, *forms: Forms) -> dict[str, str]:
    """Return each form in a frame, in which ``@`` and a number mark the insertion line and its indentation."""
    place = re.search(r"(?m)^@(\d+)", frame)
    assert place is not None
    margin = " " * int(place[1])
    cases = {}
    for name, form in ((name, form) for one in forms for name, form in one.items()):
        lines = [margin + line if line.strip() else line for line in form.splitlines(keepends=True)]
        cases[name] = frame[: place.start()] + "".join(lines) + frame[place.end() :]
    return cases


def with_windows_line_ends(forms: Forms) -> dict[str, str]:
    """Return the cases, each with LF and with CRLF."""
    return {**forms, **{f"{name}, CRLF": text.replace("\n", "\r\n") for name, text in forms.items()}}

"""Marked texts, and settings put into the frame of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flink_flint.linter.text.spans import Span

_MARKS = re.compile("[⟦⟧⟪⟫]")
Forms = Mapping[str, str]
"""What is odd in a text -> the marked text."""


def unmarked(marked: str) -> tuple[str, set[tuple[Span, Span]]]:
    """The text itself, and the places of its keys with those of their values.

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
    """Each form in a frame: ``@`` and a number at the start of a line is where it goes, and how far to the right."""
    place = re.search(r"(?m)^@(\d+)", frame)
    assert place is not None
    margin = " " * int(place[1])
    cases = {}
    for name, form in ((name, form) for one in forms for name, form in one.items()):
        lines = [margin + line if line.strip() else line for line in form.splitlines(keepends=True)]
        cases[name] = frame[: place.start()] + "".join(lines) + frame[place.end() :]
    return cases


def with_windows_line_ends(forms: Forms) -> dict[str, str]:
    """The cases, and each once more with CRLF."""
    return {**forms, **{f"{name}, CRLF": text.replace("\n", "\r\n") for name, text in forms.items()}}

"""Maps the lines that Helm or kustomize prints to source locations, by comparing them with flint's own rendering.

A line that flint's own rendering has too has the places that it has there. Any other line is at the line of a file
with the same key, or else at the start of that file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Lines, Span

_KEY = regex(r"[ \t-]*+(\"?[\w./-]++\"?[ \t]*+:)")


def origins_of_lines(output: str, own: OwnLines, path: str, keys: Mapping[str, Span]) -> list[Fragment]:
    """Return a program's output as fragments; origins come from `own`, otherwise from `keys` of the file at `path`."""
    return [fragment for line in output.splitlines(keepends=True) for fragment in _origins(line, own, path, keys)]


def _origins(line: str, own: OwnLines, path: str, keys: Mapping[str, Span]) -> Sequence[Fragment]:
    return own.take(line) or (Fragment(line, Origin(path, keys.get(key_of(line) or "", Span(0, 1)))),)


def key_of(line: str) -> str | None:
    """Return the key at the start of a line, including its colon; None if the line does not start with a key."""
    found = _KEY.match(line)
    return found[1] if found is not None else None


def lines_of_keys(text: str) -> dict[str, Span]:
    """Return the span of the first line with each key, by key."""
    found: dict[str, Span] = {}
    lines = Lines(text)
    for number in range(1, len(lines.starts) + 1):
        span = lines.span(number)
        key = _KEY.match(text, span.start, span.end)
        if key is not None:
            found.setdefault(key[1], Span(key.start(1), span.end))
    return found


class OwnLines:
    """The lines of flint's own rendering, to match in order with the lines that a program prints."""

    def __init__(self, text: RenderedText) -> None:
        self._text = text
        self._starts: list[int] = []
        self._of: dict[str, list[int]] = {}
        at = 0
        for number, line in enumerate(text.text.splitlines(keepends=True)):
            self._starts.append(at)
            self._of.setdefault(line.rstrip("\n"), []).append(number)
            at += len(line)
        self._starts.append(at)
        self._next = 0

    def take(self, line: str) -> list[Fragment]:
        """Return the fragments of the next line that equals `line`; empty if there is none."""
        numbers = self._of.get(line.rstrip("\n"))
        if not numbers:
            return []
        place = bisect_left(numbers, self._next)
        number = numbers[place] if place < len(numbers) else numbers[0]
        self._next = number + 1
        fragments = list(self._text.part(self._starts[number], self._starts[number + 1]))
        return fragments if line.endswith("\n") or not fragments else [
            *fragments[:-1], fragments[-1]._replace(text=fragments[-1].text.rstrip("\n"))
        ]  # fmt: skip

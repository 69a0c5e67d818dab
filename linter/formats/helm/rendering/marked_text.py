"""Strings that keep the origin of each character when template functions change them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from flink_flint.linter.text.rendered_text import Fragment, Origin, origin_within
from flink_flint.linter.text.spans import Span


class MarkedText(str):
    """A string that consists of fragments, each with its origin.

    As a string it has all methods of `str`, which return plain strings; those below keep the places.
    """

    __slots__ = ("_starts", "fragments", "unknown")
    fragments: tuple[Fragment, ...]
    unknown: str
    """The reason why parts of the text are unknown and replaced by template tags; empty if all of it is known."""
    _starts: list[int] | None

    def __new__(cls, fragments: Iterable[Fragment], unknown: str = "") -> MarkedText:
        kept = tuple(fragment for fragment in fragments if fragment.text)
        text = kept[0].text if len(kept) == 1 else "".join([fragment.text for fragment in kept])
        made = super().__new__(cls, text)
        made.fragments, made.unknown, made._starts = kept, unknown, None
        return made

    def part(self, start: int, end: int) -> MarkedText:
        """Return the characters from `start` to `end`, with their origins."""
        if start <= 0 and end >= len(self):
            return self
        return MarkedText(self.fragments_in(max(start, 0), min(end, len(self))), self.unknown)

    def origin(self) -> Origin | None:
        """Return the first origin of the fragments; None if no fragment has an origin."""
        return next((fragment.origin for fragment in self.fragments if fragment.origin is not None), None)

    def fragments_in(self, start: int, end: int) -> Iterator[Fragment]:
        """Yield the fragments of the characters from `start` to `end`, cut to that range."""
        if start >= end:
            return
        if self._starts is None:
            self._starts = []
            at = 0
            for fragment in self.fragments:
                self._starts.append(at)
                at += len(fragment.text)
        number = bisect_right(self._starts, start) - 1
        while number < len(self.fragments) and self._starts[number] < end:
            fragment, at = self.fragments[number], self._starts[number]
            number += 1
            if start <= at and at + len(fragment.text) <= end:
                yield fragment
                continue
            inside = Span(max(start - at, 0), min(end - at, len(fragment.text)))
            yield Fragment(fragment.text[inside.start : inside.end], origin_within(fragment, inside))


def fragments_of(text: str) -> tuple[Fragment, ...]:
    """Return the fragments of a text; a plain string is one fragment without an origin."""
    return text.fragments if isinstance(text, MarkedText) else (Fragment(text, None),)


def unknown_part(text: str) -> str:
    """Return why part of a text is unknown; an empty string if all of it is known."""
    return text.unknown if isinstance(text, MarkedText) else ""


def joined(texts: Iterable[str]) -> str:
    """Concatenate strings, keeping their origins."""
    texts = list(texts)
    marked = [text for text in texts if isinstance(text, MarkedText)]
    if not marked:
        return "".join(texts)
    unknown = next((text.unknown for text in marked if text.unknown), "")
    return MarkedText((fragment for text in texts for fragment in fragments_of(text)), unknown)


def sliced(text: str, start: int, end: int) -> str:
    """Return the characters of `text` from `start` to `end`, still marked with their origins in the chart."""
    return text.part(start, end) if isinstance(text, MarkedText) else text[start:end]


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return `text` with edits (start, end, new text) applied; they must be sorted and must not overlap."""
    done = 0
    if not isinstance(text, MarkedText):
        parts: list[str] = []
        for start, end, new in edits:
            parts += (text[done:start], new)
            done = end
        return joined([*parts, text[done:]])
    fragments: list[Fragment] = []
    unknown = text.unknown
    for start, end, new in edits:
        fragments += text.fragments_in(done, start)
        fragments += fragments_of(new)
        unknown = unknown or unknown_part(new)
        done = end
    fragments += text.fragments_in(done, len(text))
    return MarkedText(fragments, unknown)


def mapped(text: str, change: Callable[[str], str]) -> str:
    """Apply a function to each fragment of a text, except tags of unknown parts; keep the origins."""
    if not isinstance(text, MarkedText):
        return change(text)
    if text.unknown:
        return MarkedText(
            (
                fragment if fragment.text.startswith("{{") else Fragment(change(fragment.text), fragment.origin)
                for fragment in text.fragments
            ),
            text.unknown,
        )
    return MarkedText(Fragment(change(fragment.text), fragment.origin) for fragment in text.fragments)


def decided_by(text: str, origin: Origin | None) -> str:
    """Return `text` marked with an origin, unless it already has origins."""
    if origin is None or isinstance(text, MarkedText):
        return text
    return MarkedText((Fragment(text, origin),))

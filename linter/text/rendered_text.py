"""Text that a template engine or an overlay assembles from several files, with the origin of each character."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_PUNCTUATION = "\"' \t\r\n"


class Origin(NamedTuple):
    """The origin of a text: a file and a span in it."""

    path: str
    span: Span


class Fragment(NamedTuple):
    """A piece of rendered text, with the origin that it was copied verbatim or computed from."""

    text: str
    origin: Origin | None
    """The place that the text comes from; None for text that the template engine adds itself, such as indentation."""


class RenderedText:
    """A rendered text, made of fragments in order."""

    def __init__(self, fragments: Iterable[Fragment]) -> None:
        self.fragments = tuple(fragment for fragment in fragments if fragment.text)
        self.text = "".join(fragment.text for fragment in self.fragments)
        self._starts: list[int] = []
        at = 0
        for fragment in self.fragments:
            self._starts.append(at)
            at += len(fragment.text)

    def origin(self, span: Span) -> Origin | None:
        """Return the origin of the text at a span: that of its first fragment with an origin; None if there is none.

        Where a fragment is verbatim, the place is narrowed to the characters in the span. Quotes and blanks only decide
        if nothing else does: in ``"{{ .Values.slots }}"`` the value does.
        """
        punctuation = None
        for text, origin in self._within(span):
            if text.strip(_PUNCTUATION):
                return origin
            punctuation = punctuation or origin
        return punctuation

    def origins(self, span: Span) -> Iterator[Origin]:
        """Yield the origins of the fragments at a span, in order, each narrowed to the span if it is verbatim."""
        for _, origin in self._within(span):
            yield origin

    def _within(self, span: Span) -> Iterator[tuple[str, Origin]]:
        """Yield the parts of a span that have an origin, each with its place."""
        for number in range(max(bisect_right(self._starts, span.start) - 1, 0), len(self.fragments)):
            fragment, at = self.fragments[number], self._starts[number]
            if at >= max(span.end, span.start + 1):
                return
            inside = Span(max(span.start - at, 0), min(span.end - at, len(fragment.text)))
            if inside.start < len(fragment.text) and (place := origin_within(fragment, inside)) is not None:
                yield fragment.text[inside.start : inside.end], place

    def part(self, start: int, end: int) -> Iterator[Fragment]:
        """Yield the fragments that make up the text from `start` to `end`, cut to that range."""
        for number in range(max(bisect_right(self._starts, start) - 1, 0), len(self.fragments)):
            fragment, at = self.fragments[number], self._starts[number]
            if at >= end:
                return
            inside = Span(max(start - at, 0), min(end - at, len(fragment.text)))
            if inside.start < inside.end:
                yield Fragment(fragment.text[inside.start : inside.end], origin_within(fragment, inside))

    def moved(self, fragments: Iterable[Fragment], path: str) -> Iterator[Fragment]:
        """Yield fragments of text that was read from this one under `path`, with the origins of what they come from.

        Origins in other files are kept.
        """
        for fragment in fragments:
            origin = fragment.origin
            if origin is None or origin.path != path:
                yield fragment
            elif origin.span.end - origin.span.start == len(fragment.text):
                yield from self.part(*origin.span)
            else:
                yield Fragment(fragment.text, self.origin(origin.span))

    def copied_from(self, span: Span) -> Origin | None:
        """Return the origin of the text at a span if all of it is one verbatim copy; None otherwise."""
        number = max(bisect_right(self._starts, span.start) - 1, 0)
        if not self.fragments or span.start >= span.end:
            return None
        fragment, at = self.fragments[number], self._starts[number]
        place = origin_within(fragment, Span(span.start - at, span.end - at))
        is_copy = place is not None and place.span.end - place.span.start == span.end - span.start
        return place if is_copy and span.end <= at + len(fragment.text) else None


def origin_within(fragment: Fragment, inside: Span) -> Origin | None:
    """Return the origin of the span `inside` of a fragment; the whole fragment's origin if it is not verbatim."""
    origin = fragment.origin
    if origin is None or len(fragment.text) != origin.span.end - origin.span.start:
        return origin
    at = origin.span.start
    return Origin(origin.path, Span(at + inside.start, at + inside.end))

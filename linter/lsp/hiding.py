"""The secrets of a long text, found again after an edit by looking at the lines around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.flink.secret_places import LINES_OF_AN_ASSIGNMENT, secret_words
from flink_flint.linter.model.masking import Mask

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer
    from flink_flint.linter.text.spans import Span

_CUTS = 32
"""One line of so many ends a part, by its length, so that a new line leaves the parts behind it as they were."""
_MOST_LINES = 500


class Hiding:
    """What is known of the parts of a text."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str]] = {}

    def mask(self, buffer: Buffer, values: Sequence[tuple[str, Span, str]]) -> Mask:
        """What hides the secrets of the text in messages; it may hide a little more than a mask of the whole."""
        known: dict[str, frozenset[str]] = {}
        for part in _parts(buffer):
            words = self._known.get(part)
            known[part] = secret_words(part) if words is None else words
        self._known = known
        return Mask.of_words(buffer.text, values, {word for words in known.values() for word in words})


def _parts(buffer: Buffer) -> Iterator[str]:
    """The text in parts, each with the lines behind it that an assignment may go on in."""
    text, starts = buffer.text, buffer.starts
    first = 0
    for number in range(1, len(starts)):
        if (starts[number] - starts[number - 1]) % _CUTS == 0 or number - first >= _MOST_LINES:
            end = number + LINES_OF_AN_ASSIGNMENT
            yield text[starts[first] : starts[end] if end < len(starts) else len(text)]
            first = number
    yield text[starts[first] :]

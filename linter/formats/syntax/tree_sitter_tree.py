"""Syntax trees from tree-sitter, with the positions of their nodes counted in characters."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_CHUNK = 65_536
_MIN_STEPS = 500
_BYTES_PER_STEP = 16
"""The parser may take one step for this many bytes; real files need at most one for every 128 bytes."""


class ParseLimitError(ValueError):
    """Raised if parsing takes too many steps, because recovery from broken syntax can take exponential time."""


class Syntax:
    """The syntax tree of a text; `span` and `cut` convert tree-sitter's byte offsets to characters."""

    def __init__(self, text: str, language: object, parsed: str | None = None) -> None:
        """Parse `text`, or `parsed`, a text of the same length whose syntax the grammar supports better.

        Raises ParseLimitError if parsing takes too many steps.
        """
        from tree_sitter import Language, Parser

        # Lone surrogates represent bytes that are not UTF-8; the parser gets question marks instead.
        data = (text if parsed is None else parsed).encode("utf-8", "replace")
        self.text = text
        self._starts: list[int] | None = None
        """The byte offset of each character, or None if each character is one byte."""
        if len(data) != len(text):
            self._starts = [0, *accumulate(len(character.encode()) for character in data.decode())]
        steps = iter(range(_MIN_STEPS + len(data) // _BYTES_PER_STEP))
        try:
            tree = Parser(Language(language)).parse(
                lambda offset, _: data[offset : offset + _CHUNK],
                progress_callback=lambda _, __: next(steps, None) is None,
            )
        except ValueError:
            raise ParseLimitError from None
        self.root = tree.root_node

    def span(self, node: Node) -> Span:
        """Return the span of a node."""
        if self._starts is None:
            return Span(node.start_byte, node.end_byte)
        return Span(bisect_left(self._starts, node.start_byte), bisect_left(self._starts, node.end_byte))

    def cut(self, node: Node) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

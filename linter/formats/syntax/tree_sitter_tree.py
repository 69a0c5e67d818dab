"""Syntax trees of tree-sitter, with the positions of their nodes in characters."""

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
"""Real files take a step for every 128 bytes or more."""


class ParseLimitError(ValueError):
    """A text takes the parser too many steps: its recovery from broken syntax can be exponential."""


class Syntax:
    """The tree of a text. tree-sitter counts UTF-8 bytes; `span` and `cut` count characters."""

    def __init__(self, text: str, language: object, parsed: str | None = None) -> None:
        """Parse a text, or a text of the same length in its place that the grammar supports better.

        Raises ParseLimitError for a text that takes too many steps.
        """
        from tree_sitter import Language, Parser

        # Lone surrogates stand for bytes that are not UTF-8; the parser reads question marks instead.
        data = (text if parsed is None else parsed).encode("utf-8", "replace")
        self.text = text
        self._starts: list[int] | None = None
        """The byte offset of each character, if some have more than one byte."""
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

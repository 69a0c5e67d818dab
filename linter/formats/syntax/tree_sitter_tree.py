"""Syntax trees from tree-sitter, with the positions of nodes counted in characters."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_SEVERAL_BYTES = regex(r"[^\x00-\x7f]")
_CHUNK = 65_536
_MIN_STEPS = 500
_BYTES_PER_STEP = 16
"""The parser may take one step for this many bytes; real files need at most one for every 128 bytes."""


class ParseLimitError(ValueError):
    """Raised if parsing takes too many steps, since recovery from syntax errors can take exponential time."""


class Syntax:
    """The tree-sitter syntax tree of a text; `span` and `cut` convert byte offsets to character offsets."""

    def __init__(self, text: str, language: object, parsed: str | None = None) -> None:
        """Parse `text`, or `parsed`, a text of the same length whose syntax the grammar supports better.

        Raises ParseLimitError if parsing takes too many steps.
        """
        from tree_sitter import Language, Parser

        # Lone surrogates represent bytes that are not UTF-8; the parser gets question marks instead.
        data = (text if parsed is None else parsed).encode("utf-8", "replace")
        self.text = text
        self._starts: list[int] = []
        """The byte offset of each character of several bytes."""
        self._more: list[int] = [0]
        """How many bytes more than characters are before each of these characters, and before the end."""
        if len(data) != len(text):
            more = 0
            for found in _SEVERAL_BYTES.finditer(data.decode()):
                self._starts.append(found.start() + more)
                more += len(found[0].encode()) - 1
                self._more.append(more)
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
        """Return the span of a node, in characters."""
        start, end = node.start_byte, node.end_byte
        if not self._starts:
            return Span(start, end)
        before, within = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return Span(start - self._more[before], end - self._more[within])

    def cut(self, node: Node) -> str:
        """Return the source text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

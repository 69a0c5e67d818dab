"""Parses Python with Python's own parser, and converts the positions of syntax nodes to spans."""

from __future__ import annotations

import ast
import warnings

from flink_flint.linter.text.spans import Lines, Span

Placed = ast.expr | ast.stmt | ast.keyword | ast.arg | ast.ExceptHandler


def parse_python(text: str) -> ast.Module | None:
    """Parse a program; return None if it has syntax errors or is nested too deeply."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes in string literals
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class PythonPlaces:
    """Converts the positions of syntax nodes to spans; in Python, a lone CR also ends a line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines(text)

    def span(self, node: Placed) -> Span:
        """Return the span of a node."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Span(self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column))

    def _offset(self, line: int, column: int) -> int:
        """Return the offset, in characters, of a line and column, which Python counts in bytes of UTF-8."""
        if line > len(self._lines.starts):
            return len(self._text)
        start, end = self._lines.full_span(line)
        written = self._text[start:end]
        if not written.isascii():
            # As where the text is parsed without the lone surrogates that stand for bytes that are not UTF-8.
            column = len(written.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
        return min(start + column, len(self._text))

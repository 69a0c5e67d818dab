"""A filter that neutralizes control characters in everything that the form draws."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from flink_flint.linter.model.safe_text import neutral_columns


class NeutralFilter(LineFilter):
    """A filter that replaces control characters, since file names and values are untrusted."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line with control characters replaced."""
        return [
            segment if segment.text.isprintable() else segment._replace(text=neutral_columns(segment.text))
            for segment in segments
        ]

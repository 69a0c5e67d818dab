"""The encoder of `linter.model.encoding` for all that the form draws: no character that acts reaches the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from flink_flint.linter.model.encoding import neutral_columns


class NeutralFilter(LineFilter):
    """Draws a replacement character in place of each that acts: names of files and values are somebody else's."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line, their texts neutral."""
        return [
            segment if segment.text.isprintable() else segment._replace(text=neutral_columns(segment.text))
            for segment in segments
        ]

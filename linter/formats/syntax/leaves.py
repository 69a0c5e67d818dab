"""A value of a nested configuration (HOCON, TOML, JSON, YAML, properties), with the path of its keys."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span


class Leaf(NamedTuple):
    """A value of a job's configuration: the segments of its path as grouped in the file, and its position."""

    path: tuple[str, ...]
    spans: tuple[Span, ...]
    """The span of each segment, with quotes."""
    value: str | None
    """The value as a string, or None if it is unknown."""
    value_span: Span
    raw: str
    style: str = "plain"

"""Values in nested configuration (HOCON, TOML, JSON, YAML, properties), with the paths of their keys."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span


class Leaf(NamedTuple):
    """A value in a job's configuration, with its path (split into segments as in the file) and its positions."""

    path: tuple[str, ...]
    spans: tuple[Span, ...]
    """The spans of the segments in the value's path, including quotes."""
    value: str | None
    """The value as a string, or None if it is unknown."""
    value_span: Span
    raw: str
    style: str = "plain"

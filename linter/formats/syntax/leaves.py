"""One value of a nested configuration (HOCON, TOML, JSON, YAML, properties), with the path of keys to it."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span


class Leaf(NamedTuple):
    """One value of a job's configuration: the segments of its path as they are grouped in the file, and its place."""

    path: tuple[str, ...]
    spans: tuple[Span, ...]
    """Of each segment, with its quotes."""
    value: str | None
    """The value as a text; None where nobody can tell it."""
    value_span: Span
    raw: str
    style: str = "plain"

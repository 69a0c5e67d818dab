"""The features of queries: the parts that determine how Flink runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span


class Feature(NamedTuple):
    """A feature of a query that determines how Flink runs it, such as a join or an aggregation."""

    name: str
    value: object
    span: Span


def feature_values(features: Sequence[Feature]) -> Mapping[str, Feature]:
    """Return a mapping from each feature name to the first feature with that name."""
    found: dict[str, Feature] = {}
    for feature in features:
        found.setdefault(feature.name, feature)
    return found

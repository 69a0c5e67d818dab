"""What the planner says of queries, where `--plan` asked it."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View

KEPT_FOR_EVER = (
    "aggregation", "join", "deduplication", "Top-N", "OVER aggregation", "normalization of a changelog", "LIMIT",
)  # fmt: skip
"""What operators keep in state until `table.exec.state.ttl` ends it."""


def plans(config: View, outcome: str) -> Iterator[ElementView]:
    """Yield what the planner of this view's release says of statements with an outcome: planned or refused."""
    for plan in config.elements("plan"):
        if plan.element.name == outcome and plan.text("release") == config.release.name:
            yield plan


def kept_state(config: View, query: ElementView) -> frozenset[str] | None:
    """Return what a query keeps in state according to the planner; None if it did not plan the query."""
    place = query.element.span.start
    for plan in plans(config, "planned"):
        span = plan.element.span
        if span.start <= place < span.end or query.element.span.end > span.start >= place:
            return frozenset(str(attribute.value) for attribute in plan.element.listed("state"))
    return None

"""SQL tables of the Kafka connectors, and their options."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View


def tables(config: View, *connectors: str) -> Iterator[ElementView]:
    """Yield the tables of some connectors, except those that inherit options from elsewhere (LIKE)."""
    for table in config.elements("table"):
        if table.text("connector") in connectors and not table.has("like"):
            yield table


def is_set(table: ElementView, option: str) -> bool:
    """Return whether the WITH clause of a table contains an option."""
    return f"with.{option}" in table.element.attributes


def text(table: ElementView, option: str) -> str | None:
    """Return the value of an option; None if it is absent or unknown."""
    return table.text(f"with.{option}")

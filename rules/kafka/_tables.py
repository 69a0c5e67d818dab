"""SQL tables on Kafka and their options."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View


def tables(config: View, *connectors: str) -> Iterator[ElementView]:
    """The tables of these connectors, but not those that inherit options nobody can see here (LIKE)."""
    for table in config.elements("table"):
        if table.text("connector") in connectors and not table.has("like"):
            yield table


def is_set(table: ElementView, option: str) -> bool:
    """Whether the table's WITH names an option."""
    return f"with.{option}" in table.element.attributes


def text(table: ElementView, option: str) -> str | None:
    """The value of an option; None where it is absent or unknown."""
    return table.text(f"with.{option}")

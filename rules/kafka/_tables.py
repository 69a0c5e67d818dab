"""SQL tables on Kafka and their options."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import Part, View


def tables(config: View, *connectors: str) -> Iterator[Part]:
    """The tables of these connectors, but not those that inherit options nobody can see here (LIKE)."""
    for table in config.elements("table"):
        if table.text("connector") in connectors and not table.has("like"):
            yield table


def is_set(table: Part, option: str) -> bool:
    """Whether the table's WITH names an option."""
    return f"with.{option}" in table.element.attributes


def text(table: Part, option: str) -> str | None:
    """The value of an option; None where it is absent or unknown."""
    return table.text(f"with.{option}")

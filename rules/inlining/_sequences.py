"""Sequences of SQL datagen tables, whose remaining numbers are operator state."""

from __future__ import annotations

from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import number, parallelism, queries, readings


def sequences(table: ElementView) -> list[tuple[str, int]]:
    """Return the sequence fields with known bounds, and how many numbers each of them has."""
    found = []
    for key, attribute in table.under("with"):
        if attribute.value != "sequence":
            continue
        name = key.removeprefix("fields.").removesuffix(".kind")
        start, end = (number(table.text(f"with.fields.{name}.{bound}")) for bound in ("start", "end"))
        if start is not None and end is not None:
            found.append((name, end - start + 1))
    return found


def reader_of(config: View, table: ElementView) -> ElementView | None:
    """Return the first query that reads a table; None if there is none."""
    for query in queries(config):
        for reading in readings(config, query):
            if reading.table is not None and reading.table.span() == table.span():
                return query
    return None


def subtasks_of(config: View, table: ElementView, reader: ElementView | None) -> int | None:
    """Return the number of subtasks that read a table; None if it is unknown."""
    if table.has("with.scan.parallelism"):
        return number(table.text("with.scan.parallelism"))
    return parallelism(config, reader)[0]

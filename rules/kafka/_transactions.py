"""The transaction timeouts of exactly-once writers."""

from __future__ import annotations

from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kafka._clients import more_properties, named, of_property


class Timeout(NamedTuple):
    """The transaction timeout of a writer, and the attribute that sets it (None: the connector's default)."""

    seconds: float
    attribute: str | None


def timeout_of(writer: ElementView) -> Timeout | None:
    """Return the `transaction.timeout.ms` of an exactly-once writer; None if it is unknown."""
    name = named(writer, *of_property("transaction.timeout.ms"))
    if name is not None:
        milliseconds = writer.number(name)
        return None if milliseconds is None else Timeout(milliseconds / 1000, name)
    if more_properties(writer):
        return None
    from flink_flint.calculators.formulas.transactions import SINK_DEFAULT

    return Timeout(SINK_DEFAULT, None)

"""Readers of Flink CDC, whether SQL declares them or the builders of a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.finding import Place, Placed
from flink_flint.linter.model.rule import Finding, Severity
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.sql._queries import tables

WHEN = ["element:table", "element:cdc-source", "element:command"]
_ACTIONS = {"mysql": "mysql-cdc", "postgres": "postgres-cdc", "mongodb": "mongodb-cdc"}
"""The connectors of the actions of Paimon that copy a table or a database, by the beginning of their names."""


class Reader(NamedTuple):
    """A table or source of Flink CDC."""

    connector: str
    part: ElementView
    prefix: str
    """What precedes the options in the names of the element's attributes."""

    @property
    def what(self) -> str:
        """What messages call it: the table's name, or the source."""
        return self.part.name if self.is_table else f"this {self.connector} source"

    @property
    def is_table(self) -> bool:
        """Whether SQL declares it."""
        return self.prefix == "with."

    @property
    def is_whole(self) -> bool:
        """Whether all that is set is known."""
        return self.part.element.attributes.keys().isdisjoint(("calls", "debezium"))

    def has(self, key: str) -> bool:
        """Return whether an option is set, even to an unknown value."""
        return self.part.has(self.prefix + key)

    def text(self, key: str) -> str | None:
        """Return the text of an option; None if it is not set or not known."""
        return self.part.text(self.prefix + key)

    def flag(self, key: str, *, default: bool) -> bool | None:
        """Return the value of a switch; None if it is not known."""
        if not self.has(key):
            return default
        return {"true": True, "false": False}.get((self.text(key) or "").strip().lower())

    def spelled(self, key: str, value: str) -> str:
        """Return an option as it is written here."""
        if self.is_table:
            return f"'{key}' = '{value}'"
        if self.prefix:
            return f"--{self.prefix.split('.')[1]} {key}={value}"
        if key.startswith("debezium."):
            return f'debeziumProperties with "{key.removeprefix("debezium.")}" = "{value}"'
        return f"{key} {value}"

    def finding(
        self,
        message: str,
        key: str | None,
        help: str,  # noqa: A002
        severity: Severity | None = None,
        *,
        lacks: str | None = None,
        related: Sequence[Placed | Place] = (),
    ) -> Finding:
        """Return a finding at an option, or at the connector where none is at fault, or where one `lacks`."""
        of = self.prefix + key if key is not None else _HEADS.get(self.part.kind)
        return self.part.finding(message, of=of, key=lacks, help=help, severity=severity, related=related)


_HEADS = {"table": "connector", "command": "program"}
"""The attribute of an element that findings without a place of their own point to."""


def readers(config: View, *connectors: str) -> Iterator[Reader]:
    """Yield the readers of some connectors, such as ``mysql-cdc``; by default of all of Flink CDC."""
    for table in tables(config):
        connector = table.text("connector") or ""
        if connector in connectors or (not connectors and connector.endswith("-cdc")):
            yield Reader(connector, table, "with.")
    for source in config.elements("cdc-source"):
        if not connectors or source.name in connectors:
            yield Reader(source.name, source, "")
    for command in config.elements("command"):
        name = (command.text("program") or "").partition("_")[0]
        if name in _ACTIONS and (not connectors or _ACTIONS[name] in connectors):
            yield Reader(_ACTIONS[name], command, f"program.{name}_conf.")

"""The tables that a query reads and writes, and the settings that apply to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.tables.connector_changes import reads_changes
from flink_flint.linter.flink.values import Duration, parse, parse_duration
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple

TTL = "table.exec.state.ttl"
MODE = "execution.runtime-mode"
UNBOUNDED_STATE = ("regular-join", "distinct", "deduplicate", "top-n", "count-distinct", "group-by")
"""The features of queries that keep state for every key, the most certain first."""
_LOGS = ("kafka", "kinesis", "kinesis-legacy", "pulsar", "rabbitmq", "pravega", "rocketmq", "nats")
"""Connectors whose tables are logs without an end."""
_LAKES = ("paimon", "paimon-generic", "iceberg", "hudi")
"""The types of catalogs whose tables are of one kind."""


class Reading(NamedTuple):
    """A table that a query reads or writes, with the options of its hint.

    The role is None for a table that is written, and the table is None if another file declares it.
    """

    name: str
    role: str | None
    table: ElementView | None
    hints: Mapping[str, str | None]
    part: ElementView
    """Where the query names the table."""

    def option(self, key: str) -> str | None:
        """Return the effective value of an option; None if it is absent or unknown."""
        if key in self.hints:
            return self.hints[key]
        return None if self.table is None else self.table.text(f"with.{key}")

    def has(self, key: str) -> bool:
        """Return whether an option is set."""
        return key in self.hints or (self.table is not None and f"with.{key}" in self.table.element.attributes)

    @property
    def connector(self) -> str:
        """The connector of the table; empty if it is unknown."""
        return "" if self.table is None else self.table.text("connector") or ""

    @property
    def store(self) -> str:
        """The connector of the table or, where its catalog decides, that of the catalog; empty if it is unknown."""
        if self.connector:
            return self.connector
        of = self.part.text("catalog-type") or (self.table.text("catalog-type") if self.table is not None else None)
        return of.removesuffix("-generic") if of in _LAKES else ""

    @property
    def is_changelog(self) -> bool:
        """Whether the table certainly contains updates and deletions of rows, whose keys are those of another table."""
        formats = (self.option("format") or "", self.option("value.format") or "")
        return reads_changes(self.connector, formats)

    @property
    def is_endless_log(self) -> bool:
        """Whether the table is certainly an unbounded stream of new rows."""
        if self.is_changelog:
            return False
        if self.connector == "datagen":
            sequence = any(
                value.value == "sequence" for key, value in (self.table.under("with") if self.table else ())
                if key.endswith(".kind")
            )  # fmt: skip
            return not self.has("number-of-rows") and not sequence
        if self.option("scan.bounded.mode") not in (None, "unbounded") or (
            self.has("scan.bounded.mode") and self.option("scan.bounded.mode") is None
        ):
            return False
        return self.connector in _LOGS

    @property
    def is_endless(self) -> bool:
        """Whether the table is certainly without an end, of new rows or of changes."""
        return self.is_endless_log or self.is_changelog


def tables(config: View, *connectors: str) -> Iterator[ElementView]:
    """Yield the tables of some connectors (by default all), except those that inherit options (LIKE)."""
    for table in config.elements("table"):
        if (not connectors or table.text("connector") in connectors) and not table.has("like"):
            yield table


def queries(config: View) -> Iterator[ElementView]:
    """Yield the statements that run jobs and could be parsed."""
    for query in config.elements("query"):
        if query.flag("parsed"):
            yield query


def readings(config: View, query: ElementView) -> list[Reading]:
    """Return the tables that a query reads."""
    declared = config.named("table")
    return [_reading(declared, source) for source in query.items("sources")]


def target(config: View, query: ElementView) -> Reading | None:
    """Return the table that a query writes; None if there is none."""
    written = query.items("targets")
    return _reading(config.named("table"), written[0]) if written else None


def _reading(declared: Mapping[str, ElementView], named: ElementView) -> Reading:
    name = named.text("name") or ""
    hints = {key: named.text(f"options.{key}") for key, _ in named.under("options")}
    return Reading(name, named.text("role"), declared.get(name.rpartition(".")[2]), hints, named)


def sinks(config: View) -> Iterator[tuple[ElementView, Reading, ElementView]]:
    """Yield the statements that write a table declared in the same file, with the target and the table."""
    for query in queries(config):
        sink = target(config, query)
        if sink is not None and sink.table is not None and not sink.table.has("like"):
            yield query, sink, sink.table


def in_force(config: View, query: ElementView, key: str) -> Any:
    """Return the typed value of an option for a query; None if it is unknown or has no value.

    What a program of the repository sets, which may run the script, is unknown unless the script sets it.
    """
    if not is_set(config, query, key) and config.may_be_set_by_program(key):
        return None
    return _value(config, query, key)


def _value(config: View, query: ElementView, key: str) -> Any:
    for written, attribute in query.under("settings"):
        if key in config.catalogue.current_names(written):
            option = config.get(key).option
            if option is None or not isinstance(attribute.value, str):
                return None
            try:
                return config.configuration.parse(option, attribute.value)
            except BadValue:
                return None
    return config.value(key)


def is_overridden(config: View, query: ElementView, key: str) -> bool:
    """Return whether an option has another value for a query than for the last query of the script."""
    return any(key in config.catalogue.current_names(written) for written, _ in query.under("settings"))


def is_set(config: View, query: ElementView, key: str) -> bool:
    """Return whether the script, or what is known to be below it, sets an option for a query."""
    return config.get(key).is_set or is_overridden(config, query, key)


def may_be_set_elsewhere(config: View, query: ElementView, key: str) -> bool:
    """Return whether a deployment or session that is not known may set an option that nothing known sets.

    A rule that needs the option's default then only advises.
    """
    return not is_set(config, query, key) and not config.is_deployment_known


def unset(config: View, key: str) -> str:
    """Return the clause that says that the script or program does not set an option."""
    return f"the {'program' if config.document.kind == 'source' else 'script'} does not set {key}"


def is_streaming(config: View, query: ElementView | None = None) -> bool:
    """Return whether a query certainly runs in streaming mode; without a query, the last one of the script."""
    mode = config.string(MODE) if query is None else _value(config, query, MODE)
    return isinstance(mode, str) and mode.upper() == "STREAMING"


def duration_in_force(config: View, query: ElementView, key: str) -> Duration | None:
    """Return the value of a duration option for a query; None if it is unknown or has no value."""
    value = in_force(config, query, key)
    return value if isinstance(value, Duration) else None


def parallelism(config: View, query: ElementView | None = None) -> tuple[int | None, Setting | None]:
    """Return the parallelism of SQL operators and the setting for it.

    The parallelism is None if a template provides it; both are None if nothing in the file sets it.
    """
    for key in ("table.exec.resource.default-parallelism", "parallelism.default"):
        overridden = query is not None and is_overridden(config, query, key)
        setting = config.get(key)
        if not overridden and not setting.is_set:
            continue
        value = config.integer(key) if query is None else _value(config, query, key)
        if value is None:
            return None, setting
        if value > 0:
            return value, None if overridden else setting
    return None, None


def number(text: str | None) -> int | None:
    """Parse the value of an option as a whole number, as Flink does; return None for anything else."""
    try:
        return cast("int", parse("Long", (), text, NEWEST, yaml=False))
    except BadValue:
        return None


def milliseconds(config: View, text: str | None) -> int | None:
    """Parse a duration in a table's option, and return its milliseconds; return None for anything else."""
    if text is None:
        return None
    try:
        return int(parse_duration(text, config.index)) // 1_000_000
    except BadValue:
        return None

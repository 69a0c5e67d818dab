"""What the rules on SQL ask in common: the tables behind a query, and what is in force for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.values import Duration, parse, parse_duration
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple

TTL = "table.exec.state.ttl"
MODE = "execution.runtime-mode"
UNBOUNDED_STATE = ("regular-join", "distinct", "deduplicate", "top-n", "count-distinct", "group-by")
"""Parts of a query that keep state for each key they ever saw, the surest first."""
_LOGS = ("kafka", "kinesis", "kinesis-legacy", "pulsar", "rabbitmq", "pravega", "rocketmq", "nats")
"""Connectors whose tables are logs without an end."""
_CHANGES = ("debezium", "canal", "maxwell", "ogg")
"""Formats that read changes of rows; the keys of such a table are those of a table somewhere else."""


class Reading(NamedTuple):
    """A table that a query reads or writes (without a role): the table, None where another file declares it, and the
    options of its hint."""

    name: str
    role: str | None
    table: ElementView | None
    hints: Mapping[str, str | None]

    def option(self, key: str) -> str | None:
        """An option in force; None where it is absent or unknown."""
        if key in self.hints:
            return self.hints[key]
        return None if self.table is None else self.table.text(f"with.{key}")

    def has(self, key: str) -> bool:
        """Whether an option is set."""
        return key in self.hints or (self.table is not None and f"with.{key}" in self.table.element.attributes)

    @property
    def connector(self) -> str:
        """The connector; the empty string where it is unknown."""
        return "" if self.table is None else self.table.text("connector") or ""

    @property
    def is_changelog(self) -> bool:
        """Whether it certainly holds updates and deletions of rows."""
        formats = (self.option("format") or "", self.option("value.format") or "")
        return (
            self.connector.endswith("-cdc")
            or self.connector == "upsert-kafka"
            or any(one.startswith(_CHANGES) for one in formats)
        )

    @property
    def is_endless_log(self) -> bool:
        """Whether it is certainly a stream of new rows that never ends."""
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


def tables(config: View, *connectors: str) -> Iterator[ElementView]:
    """The tables of these connectors (all without any), but not those whose options stand elsewhere (LIKE)."""
    for table in config.elements("table"):
        if (not connectors or table.text("connector") in connectors) and not table.has("like"):
            yield table


def queries(config: View) -> Iterator[ElementView]:
    """The statements that run jobs, each with what it does known."""
    for query in config.elements("query"):
        if query.flag("parsed"):
            yield query


def readings(config: View, query: ElementView) -> list[Reading]:
    """The tables that a query reads."""
    declared = config.named("table")
    return [_reading(declared, source) for source in query.items("sources")]


def target(config: View, query: ElementView) -> Reading | None:
    """The table that a query writes."""
    written = query.items("targets")
    return _reading(config.named("table"), written[0]) if written else None


def _reading(declared: Mapping[str, ElementView], named: ElementView) -> Reading:
    name = named.text("name") or ""
    hints = {key: named.text(f"options.{key}") for key, _ in named.under("options")}
    return Reading(name, named.text("role"), declared.get(name.rpartition(".")[2]), hints)


def sinks(config: View) -> Iterator[tuple[ElementView, Reading, ElementView]]:
    """The statements that write a table declared beside them, with it; none whose options stand elsewhere (LIKE)."""
    for query in queries(config):
        sink = target(config, query)
        if sink is not None and sink.table is not None and not sink.table.has("like"):
            yield query, sink, sink.table


def in_force(config: View, query: ElementView, key: str) -> Any:
    """The typed value of an option when a query begins; None where it is unknown, or has no value."""
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
    """Whether something else is in force for a query than for the last one."""
    return any(key in config.catalogue.current_names(written) for written, _ in query.under("settings"))


def is_streaming(config: View, query: ElementView | None = None) -> bool:
    """Whether a query (the last one without any) certainly runs as a stream, as far as the file tells."""
    mode = config.string(MODE) if query is None else in_force(config, query, MODE)
    return isinstance(mode, str) and mode.upper() == "STREAMING"


def duration_in_force(config: View, query: ElementView, key: str) -> Duration | None:
    """A duration in force for a query."""
    value = in_force(config, query, key)
    return value if isinstance(value, Duration) else None


def parallelism(config: View, query: ElementView | None = None) -> tuple[int | None, Setting | None]:
    """The parallelism of SQL operators and what sets it: no number beside a setting that a template
    fills in, neither where nothing in the file sets one."""
    for key in ("table.exec.resource.default-parallelism", "parallelism.default"):
        overridden = query is not None and is_overridden(config, query, key)
        setting = config.get(key)
        if not overridden and not setting.is_set:
            continue
        value = config.integer(key) if query is None else in_force(config, query, key)
        if value is None:
            return None, setting
        if value > 0:
            return value, None if overridden else setting
    return None, None


def number(text: str | None) -> int | None:
    """An option that is a whole number, as Flink reads one; None for anything else."""
    try:
        return cast("int", parse("Long", (), text, NEWEST, yaml=False))
    except BadValue:
        return None


def milliseconds(config: View, text: str | None) -> int | None:
    """A duration of a table's option in milliseconds; None for anything else."""
    if text is None:
        return None
    try:
        return int(parse_duration(text, config.index)) // 1_000_000
    except BadValue:
        return None

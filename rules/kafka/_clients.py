"""Attributes of Kafka readers and writers, whether they use a builder, an older class or a SQL table."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View

INTERVAL = "execution.checkpointing.interval"
MODE = "execution.runtime-mode"

EXACTLY_ONCE = "exactly-once"
RESET = "auto.offset.reset"
_STARTS = {
    "earliest-offset": "earliest",
    "latest-offset": "latest",
    "group-offsets": "committed",
    "specific-offsets": "offsets",
}
"""SQL's start-up modes by what the builder's initialisers are called."""


def api(client: ElementView) -> str:
    """Return the API of a client: KafkaSource, KafkaSink, FlinkKafkaConsumer, FlinkKafkaProducer, sql."""
    return client.text("api") or ""


def is_old(client: ElementView) -> bool:
    """Return whether a client uses FlinkKafkaConsumer or FlinkKafkaProducer, with or without a version in the name."""
    return api(client).startswith(("FlinkKafkaConsumer", "FlinkKafkaProducer"))


def is_sql(client: ElementView) -> bool:
    """Return whether a client is a SQL table."""
    return api(client) == "sql"


def is_upsert(client: ElementView) -> bool:
    """Return whether a client is an upsert-kafka table, which is always read from the start and without a group."""
    return client.text("with.connector") == "upsert-kafka"


def is_group(client: ElementView) -> bool:
    """Return whether a client is a property group for a client that the program creates elsewhere."""
    return api(client) == "property-group"


def more_properties(client: ElementView) -> bool:
    """Return whether a client may have properties that the file does not show."""
    return more_calls(client) or "properties" in client.element.attributes


def more_calls(client: ElementView) -> bool:
    """Return whether setters may be called on a client that the file does not show."""
    return is_group(client) or "calls" in client.element.attributes


def named(client: ElementView, *names: str) -> str | None:
    """Return the first of several attributes that a client has, even with an unknown value; None if it has none."""
    return next((name for name in names if name in client.element.attributes), None)


def topics(client: ElementView) -> list[str]:
    """Return the topics that a client reads or writes, as far as they are known."""
    return [name.strip() for name in client.name.replace(";", ",").split(",") if name.strip()]


def brokers(client: ElementView) -> frozenset[str]:
    """Return the bootstrap servers of a client as written; empty if they are unknown."""
    name = named(client, *of_property("bootstrap.servers"))
    servers = None if name is None else client.text(name)
    return frozenset(server.strip() for server in (servers or "").split(",") if server.strip())


def of_property(key: str) -> tuple[str, str]:
    """Return the names of the attributes that may contain a property of the Kafka client."""
    return f"properties.{key}", f"with.properties.{key}"


def guarantee(client: ElementView) -> str | None:
    """Return a writer's delivery guarantee (``exactly-once``, ``at-least-once``, ``none``); None if it is unknown."""
    name = guarantee_attribute(client)
    if name is not None:
        value = client.text(name)
        return None if value is None else value.strip().lower().replace("_", "-")
    if more_calls(client):
        return None
    return "none" if api(client) == "KafkaSink" else "at-least-once"


def guarantee_attribute(client: ElementView) -> str | None:
    """Return the name of the attribute that sets a client's delivery guarantee; None if there is none."""
    return named(client, "delivery-guarantee")


def exactly_once(config: View) -> Iterator[ElementView]:
    """Yield the writers whose delivery guarantee is certainly exactly-once."""
    for sink in config.elements("kafka-sink"):
        if guarantee(sink) == EXACTLY_ONCE:
            yield sink


def drops_guarantee(config: View, writer: ElementView) -> bool:
    """Return whether an exactly-once writer writes without transactions if checkpointing is off.

    `FlinkKafkaProducer.initializeState` then switches to `Semantic.NONE`, in every release that has the class; SQL
    tables use it up to Flink 1.13. `KafkaSink` keeps its transactions open instead.
    """
    return not config.since("1.14") if is_sql(writer) else is_old(writer)


def prefix_attribute(client: ElementView) -> str | None:
    """Return the name of the attribute that sets the prefix of transactional ids; None if there is none."""
    return named(client, "transactional-id-prefix")


def starting_offsets(client: ElementView) -> str | None:
    """Return where a reader without state starts; None if it is unknown.

    ``earliest``, ``latest``, ``timestamp``, ``offsets`` or ``committed``, the last with what happens where nothing is
    committed, if something says so: ``committed-earliest``.
    """
    if is_upsert(client):
        return "earliest"
    name = named(client, "starting-offsets")
    if name is not None:
        value = client.text(name)
        if value is None:
            return None
        start = _STARTS.get(value.strip().lower(), value)
    elif more_calls(client):
        return None
    else:
        start = "earliest" if api(client) == "KafkaSource" else "committed"
    if start == "committed" and api(client) != "KafkaSource":
        reset = named(client, *of_property(RESET))
        if reset is not None:
            strategy = client.text(reset)
            return None if strategy is None else f"committed-{strategy.strip().lower()}"
        if more_properties(client):
            return None
    return start


def offsets_initializer(client: ElementView, reset: str) -> str:
    """Return the initializer of committed offsets with a reset strategy, as the client's language spells it."""
    prefix = "Kafka" if client.is_python else ""
    return f"{prefix}OffsetsInitializer.{client.method('committedOffsets')}({prefix}OffsetResetStrategy.{reset})"


def group_attribute(client: ElementView) -> str | None:
    """Return the name of the attribute that sets the consumer group; None if there is none."""
    return named(client, *of_property("group.id"))


def is_bounded(client: ElementView) -> bool:
    """Return whether a reader has or may have an end."""
    name = named(client, "bounded")
    return more_calls(client) or (name is not None and client.value(name) not in (False, "unbounded"))


def is_batch(config: View) -> bool:
    """Return whether a job runs or may run in batch mode, which commits transactions at the end."""
    mode = config.get(MODE)
    return mode.is_set and config.string(MODE) != "STREAMING"

"""Attributes of Kinesis readers and writers, whether they are classes, SQL tables or property groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple

CONSUMER, SOURCE = "FlinkKinesisConsumer", "KinesisStreamsSource"
"""The names of the two connectors; their properties start with ``flink.`` and (from 5.0 on) with ``source.``."""

MAX_RECORDS = "flink.shard.getrecords.maxrecordcount"
INTERVAL = "flink.shard.getrecords.intervalmillis"
ADAPTIVE = "flink.shard.adaptivereads"
PUBLISHER = "flink.stream.recordpublisher"
CONSUMER_NAME = "flink.stream.efo.consumername"
REGISTRATION = "flink.stream.efo.registration"
CONSUMER_ARN = "flink.stream.efo.consumerarn"
POSITION = "flink.stream.initpos"
TIMESTAMP = "flink.stream.initpos.timestamp"

SOURCE_MAX_RECORDS = "source.shard.get-records.max-record-count"
SOURCE_INTERVAL = "source.reader.nonempty-records-fetch-interval"
SOURCE_READER = "source.reader.type"
SOURCE_CONSUMER_NAME = "source.efo.consumer.name"
SOURCE_LIFECYCLE = "source.efo.lifecycle"
SOURCE_POSITION = "source.init.position"
SOURCE_TIMESTAMP = "source.init.timestamp"

DEFAULT_INTERVAL = 200
"""The default milliseconds between two calls of FlinkKinesisConsumer; KinesisStreamsSource does not wait."""


def api(client: ElementView) -> str:
    """Return the API of a client: FlinkKinesisConsumer, KinesisStreamsSource, sql, property-group, ..."""
    return client.text("api") or ""


def is_kinesis(client: ElementView) -> bool:
    """Return whether a client reads Kinesis and not DynamoDB streams."""
    return not api(client).lower().startswith(("flinkdynamodb", "dynamodb"))


def connector(reader: ElementView) -> str | None:
    """Return the connector of a reader, `CONSUMER` or `SOURCE`; None if it is unknown."""
    name = api(reader)
    if name in (CONSUMER, SOURCE):
        return name
    if name == "sql":
        if "with.stream" in reader.element.attributes:
            return CONSUMER
        return SOURCE if "with.stream.arn" in reader.element.attributes else None
    keys = [key for key, _ in reader.under("properties")]
    if any(key.startswith("flink.") for key in keys):
        return CONSUMER
    return SOURCE if any(key.startswith("source.") for key in keys) else None


def attribute(client: ElementView, key: str) -> str | None:
    """Return the name of the attribute that sets a property, given its key in programs; None if it is not set."""
    name = f"properties.{key}"
    return name if name in client.element.attributes else None


def text(client: ElementView, key: str) -> str | None:
    """Return the value of a property as text; None if it is not set or unknown."""
    name = attribute(client, key)
    value = None if name is None else client.value(name)
    return None if value is None else str(value).strip()


def number(client: ElementView, key: str) -> float | None:
    """Return the value of a property as a number; None if it is not set, unknown or not a number."""
    name = attribute(client, key)
    return None if name is None else client.number(name)


def written(client: ElementView, name: str) -> str:
    """Return the key of an attribute as the file spells it."""
    return name.partition(".")[2]


def more_properties(client: ElementView) -> bool:
    """Return whether a client may have properties that the file does not show, such as an object from elsewhere."""
    attributes = client.element.attributes
    return "properties" in attributes or "calls" in attributes or api(client) == "property-group"


def fans_out(reader: ElementView) -> bool | None:
    """Return whether a reader uses enhanced fan-out; None if it is unknown."""
    for key in (PUBLISHER, SOURCE_READER):
        if attribute(reader, key) is not None:
            value = text(reader, key)
            return None if value is None else value.upper() == "EFO"
    return None if more_properties(reader) else False


def stream(client: ElementView) -> str:
    """Return the name of a client's stream, also from an ARN; empty if it is unknown."""
    return client.name.rpartition("/")[2]


def region_of(client: ElementView) -> str | None:
    """Return the region in the ARN of a client's stream; None without a complete ARN."""
    for value in (client.text("stream-arn"), client.text("with.stream.arn"), client.name):
        match = re.fullmatch(r"arn:[\w-]+:(?:kinesis|firehose|dynamodb):([a-z0-9-]+):\d*:.+", value or "")
        if match:
            return match[1]
    return None


class Reads(NamedTuple):
    """The polling rate of a reader, and the attributes that set it."""

    interval: float | None
    """The milliseconds between two GetRecords calls to a shard; None if the reader calls as fast as possible."""
    records: float
    """The maximum number of records that one GetRecords call requests."""
    attributes: tuple[str, ...]
    """The attributes that set the interval or the maximum; empty if both have their defaults."""


def reads(reader: ElementView) -> Reads | None:
    """Return the polling rate of a reader; None if it uses fan-out or adaptive reads, or something is unknown."""
    made = connector(reader)
    if made is None or (made == CONSUMER and (text(reader, ADAPTIVE) or "false").lower() != "false"):
        return None
    records_key, interval_key = (MAX_RECORDS, INTERVAL) if made == CONSUMER else (SOURCE_MAX_RECORDS, SOURCE_INTERVAL)
    names = tuple(name for key in (records_key, interval_key) if (name := attribute(reader, key)))
    # Who sets the interval means to poll; of others nothing is said where properties may be hidden.
    hidden = more_properties(reader) and attribute(reader, interval_key) is None
    if hidden or fans_out(reader) or any(_is_unknown(reader, key) for key in (PUBLISHER, SOURCE_READER, ADAPTIVE)):
        return None
    if not all(reader.is_known(name) for name in names):
        return None
    records = number(reader, records_key)
    if records is None and attribute(reader, records_key) is not None:
        return None
    interval: float | None
    if made == CONSUMER:
        interval = number(reader, interval_key)
        if interval is None and attribute(reader, interval_key) is None:
            interval = float(DEFAULT_INTERVAL)
    else:
        interval = milliseconds(text(reader, interval_key))
    if interval is None and attribute(reader, interval_key) is not None:
        return None  # the connector refuses the value
    return Reads(interval or None, 10_000.0 if records is None else records, names)


def _is_unknown(reader: ElementView, key: str) -> bool:
    name = attribute(reader, key)
    return name is not None and not reader.is_known(name)


def milliseconds(duration: str | None) -> float | None:
    """Parse a duration as Flink does; return its milliseconds, or None if it is missing or invalid."""
    if duration is None:
        return None
    from flink_flint.linter.flink.java_text import BadValue
    from flink_flint.linter.flink.releases import NEWEST
    from flink_flint.linter.flink.values import parse_duration

    try:
        return parse_duration(duration, NEWEST) / 1e6
    except BadValue:
        return None


def readers(config: View) -> Iterator[ElementView]:
    """Yield the readers of Kinesis streams."""
    for reader in config.elements("kinesis-source"):
        if is_kinesis(reader):
            yield reader

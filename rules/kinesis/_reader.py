"""What the rules on Kinesis ask of readers and writers, be they classes, SQL tables or property groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple

CONSUMER, SOURCE = "FlinkKinesisConsumer", "KinesisStreamsSource"
"""The two connectors: properties under `flink.`, and options under `source.` (from connector 5.0 on)."""

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
"""Milliseconds between two calls of FlinkKinesisConsumer on a shard; KinesisStreamsSource waits for none."""


def api(client: ElementView) -> str:
    """What the client is made with: FlinkKinesisConsumer, KinesisStreamsSource, sql, property-group, ..."""
    return client.text("api") or ""


def is_kinesis(client: ElementView) -> bool:
    """Whether it reads Kinesis, and not the streams of DynamoDB."""
    return not api(client).lower().startswith(("flinkdynamodb", "dynamodb"))


def connector(reader: ElementView) -> str | None:
    """Which of the two connectors reads: CONSUMER or SOURCE; None where that cannot be told."""
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
    """The attribute that sets a property, by its key in programs; None where nothing sets it."""
    name = f"properties.{key}"
    return name if name in client.element.attributes else None


def text(client: ElementView, key: str) -> str | None:
    """The value of a property; None where it is not set, or unknown."""
    name = attribute(client, key)
    value = None if name is None else client.value(name)
    return None if value is None else str(value).strip()


def number(client: ElementView, key: str) -> float | None:
    """The value of a property that is a number; None where it is not set, or unknown."""
    name = attribute(client, key)
    return None if name is None else client.number(name)


def written(client: ElementView, name: str) -> str:
    """How the file spells the key of an attribute."""
    return name.partition(".")[2]


def more_properties(client: ElementView) -> bool:
    """Whether properties may be set that cannot be seen: an object from elsewhere, or a group the program adds to."""
    attributes = client.element.attributes
    return "properties" in attributes or "calls" in attributes or api(client) == "property-group"


def fans_out(reader: ElementView) -> bool | None:
    """Whether it is a consumer of enhanced fan-out; None where that is unknown."""
    for key in (PUBLISHER, SOURCE_READER):
        if attribute(reader, key) is not None:
            value = text(reader, key)
            return None if value is None else value.upper() == "EFO"
    return None if more_properties(reader) else False


def stream(client: ElementView) -> str:
    """The stream's name, also where an ARN names it; empty where it is unknown."""
    return client.name.rpartition("/")[2]


def region_of(client: ElementView) -> str | None:
    """The region that the ARN of a stream names."""
    for value in (client.text("stream-arn"), client.text("with.stream.arn"), client.name):
        match = re.fullmatch(r"arn:[\w-]+:(?:kinesis|firehose|dynamodb):([a-z0-9-]+):\d*:.+", value or "")
        if match:
            return match[1]
    return None


class Reads(NamedTuple):
    """How a polling reader is throttled, and by which attributes."""

    interval: float | None
    """Milliseconds between two calls on a shard; None where it calls as fast as it can."""
    records: float
    """The most records a call asks for."""
    attributes: tuple[str, ...]
    """Those that set either; empty where both are the connector's defaults."""


def reads(reader: ElementView) -> Reads | None:
    """How a reader polls; None where it fans out, adapts its reads, or something about it is unknown."""
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
    interval: float | None
    if made == CONSUMER:
        interval = number(reader, interval_key)
        interval = float(DEFAULT_INTERVAL) if interval is None else interval
    else:
        interval = milliseconds(text(reader, interval_key))
    return Reads(interval or None, 10_000.0 if records is None else records, names)


def _is_unknown(reader: ElementView, key: str) -> bool:
    name = attribute(reader, key)
    return name is not None and not reader.is_known(name)


def milliseconds(duration: str | None) -> float | None:
    """The milliseconds of a duration as Flink's Configuration takes it; None for none."""
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
    """The readers of Kinesis."""
    for reader in config.elements("kinesis-source"):
        if is_kinesis(reader):
            yield reader

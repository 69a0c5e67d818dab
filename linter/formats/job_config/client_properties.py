"""Elements for the Kinesis or Kafka clients that a program configures with groups of properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_WRITES = regex(r"producer|sink|output|destination|writer", re.IGNORECASE)
_READS = regex(r"consumer|source|input|reader", re.IGNORECASE)
_CONSUMER = regex(r"flink\.(?:stream|shard|list)\.")
_STREAM = regex(r"(?:(?:aws|kinesis|input|output|source|sink)[._-]?){0,8}stream[._-]?(?:name|arn)", re.IGNORECASE)
_KAFKA_READS = {"group.id", "auto.offset.reset", "enable.auto.commit", "max.poll.records", "fetch.max.bytes"}
_KAFKA_WRITES = {
    "acks", "transaction.timeout.ms", "linger.ms", "batch.size", "transactional.id", "enable.idempotence",
    "compression.type",
}  # fmt: skip
_TOPIC = regex(r"(?:(?:kafka|input|output|source|sink)[._-]?){0,8}topics?(?:[._-]?name)?", re.IGNORECASE)


def elements_of_group(name: str, pairs: Iterable[tuple[str, Attribute]], span: Span) -> list[Element]:
    """Return a list with the element for the Kinesis or Kafka client that a property group configures, if any.

    `name` is the group's name; `pairs` are its keys with their values and positions; `span` is the span for findings on
    the group (its name), or an empty span to use its first relevant key. The list is empty if neither the keys nor
    the name show whether the client is a source or a sink.
    """
    attributes = {key: _known(attribute) for key, attribute in pairs}
    keys = list(attributes)
    if any(_CONSUMER.match(key) for key in keys):
        return [_client("kinesis-source", attributes, _STREAM, span, whole=True)]
    if "bootstrap.servers" in attributes:
        kind = _direction(name, keys, _KAFKA_READS, _KAFKA_WRITES)
        return [] if kind is None else [_client(f"kafka-{kind}", attributes, _TOPIC, span)]
    if any(key.startswith("aws.") for key in keys) and any(_STREAM.fullmatch(key) for key in keys):
        kind = _direction(name, keys, (), ("AggregationEnabled", "RateLimit", "ThreadingModel", "CollectionMaxCount"))
        return [] if kind is None else [_client(f"kinesis-{kind}", attributes, _STREAM, span)]
    return []


def _direction(name: str, keys: Sequence[str], reads: Iterable[str], writes: Iterable[str]) -> str | None:
    """Return ``source`` or ``sink``, from the keys or, if they do not show it, from the name; None if unknown."""
    is_source, is_sink = bool({*reads} & {*keys}), bool({*writes} & {*keys})
    if is_source == is_sink:
        is_source, is_sink = _READS.search(name) is not None, _WRITES.search(name) is not None
    return None if is_source == is_sink else "source" if is_source else "sink"


def _client(
    kind: str, attributes: dict[str, Attribute], named: re.Pattern[str], span: Span, *, whole: bool = False
) -> Element:
    """Return the element for a client; unless the group is `whole`, more properties may be set elsewhere."""
    name = next((str(a.value) for key, a in attributes.items() if named.fullmatch(key) and a.value is not None), "")
    if span.end == span.start:
        first = next(a for key, a in attributes.items() if not whole or _CONSUMER.match(key))
        span = first.key_span or first.span
    found = {f"properties.{key}": attribute for key, attribute in attributes.items()}
    found["api"] = Attribute("property-group", span)
    if not whole:
        found["properties"] = Attribute(None, span)
    return Element(kind, name, span, found)


def _known(attribute: Attribute) -> Attribute:
    value = attribute.value
    return attribute._replace(value=None) if isinstance(value, str) and is_templated(value) else attribute

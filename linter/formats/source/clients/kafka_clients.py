"""Elements for the Kafka sources and sinks of a program."""

from __future__ import annotations

from flink_flint.linter.formats.source.builders import known, set_attributes, texts
from flink_flint.linter.formats.source.constant_folding import Symbol
from flink_flint.linter.formats.source.program_objects import Objects, head_of, plain
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_OFFSETS = {
    "earliest": "earliest", "latest": "latest", "timestamp": "timestamp", "offsets": "offsets",
    "committedOffsets": "committed", "setStartFromEarliest": "earliest", "setStartFromLatest": "latest",
    "setStartFromGroupOffsets": "committed", "setStartFromTimestamp": "timestamp",
    "setStartFromSpecificOffsets": "offsets",
}  # fmt: skip
"""The starting offsets, by the method that selects them."""
_PROPERTIES = {
    "setBootstrapServers": "bootstrap.servers", "setGroupId": "group.id", "setClientIdPrefix": "client.id.prefix",
}  # fmt: skip
_OLD_SOURCES = tuple(f"FlinkKafkaConsumer{version}" for version in ("", "08", "09", "010", "011", "Base"))
_OLD_SINKS = tuple(f"FlinkKafkaProducer{version}" for version in ("", "08", "09", "010", "011", "Base"))
_GUARANTEES = {"EXACTLY_ONCE": "exactly-once", "AT_LEAST_ONCE": "at-least-once", "NONE": "none"}


def kafka_elements(objects: Objects) -> list[Element]:
    """Return the ``kafka-source`` and ``kafka-sink`` elements of a program."""
    program = objects.program
    found = []
    for call in program.calls.get("builder", ()):
        if call.target is not None and call.target.name in ("KafkaSource", "KafkaSink"):
            found.append(_built(objects, call, call.target.name))
    for name in (*_OLD_SOURCES, *_OLD_SINKS):
        for made in _made(objects, name):
            found.append(_old(objects, made, name))
    return found


def _made(objects: Objects, name: str) -> list[Node]:
    """Return the nodes that create objects of a class, with or without ``new``."""
    calls = [call for call in objects.program.calls.get(name, ()) if call.target is None]
    return [*objects.program.news.get(name, ()), *calls]


def _built(objects: Objects, made: Node, api: str) -> Element:
    """Return the element for a source or sink that is created with a builder."""
    attributes = {"api": Attribute(api, made.target.span if made.target else made.span, None, api)}
    calls = [call for call in objects.calls_on(made) if call.kind == "call"]
    set_attributes(objects, attributes, [call for call in calls if not call.name.startswith("setPropert")])
    topics: list[str] = []
    for call in calls:
        first = call.args[0] if call.args else None
        if first is None:
            continue
        if call.name == "setTopics":
            topics += texts(objects, first, call.args[1:])
            attributes["topics"] = objects.attribute(first, ",".join(topics) or None, call)
        elif call.name == "setTopicPattern":
            attributes["topic-pattern"] = objects.attribute(first, _pattern(objects, first), call)
        elif call.name == "setStartingOffsets":
            attributes["starting-offsets"] = objects.attribute(first, _offsets(objects, first), call)
        elif call.name == "setBounded":
            attributes["bounded"] = objects.attribute(first, True, call)
        elif call.name == "setTransactionNamingStrategy":
            attributes.pop("transaction-naming-strategy", None)
            value = known(objects, first)
            naming = value.lower() if isinstance(value, str) else None
            attributes["transaction-naming"] = objects.attribute(first, naming, call)
        elif call.name == "setProperty" and len(call.args) == 2:
            key = objects.key(first)
            if key is None:
                attributes["properties"] = objects.attribute(first, None)
            else:
                objects.put_property(attributes, f"properties.{key}", call.args[1], first)
        elif call.name in ("setProperties", "setKafkaProducerConfig"):
            attributes.pop("kafka-producer-config", None)
            objects.put_properties(attributes, first)
        elif call.name in ("setDeliveryGuarantee", "setDeliverGuarantee"):
            attributes.pop("deliver-guarantee", None)
            attributes["delivery-guarantee"] = _guarantee(objects, first, call)
        elif call.name == "setRecordSerializer":
            topics += _serialized_topics(objects, first)
            attributes.pop("record-serializer", None)
        if call.name in _PROPERTIES:
            objects.put_property(attributes, f"properties.{_PROPERTIES[call.name]}", first, call)
    if objects.escapes(made) or not any(call.name == "build" for call in calls):
        attributes["calls"] = Attribute(None, head_of(made), None, "")
    kind = "kafka-source" if api == "KafkaSource" else "kafka-sink"
    return Element(kind, ",".join(topics), head_of(made), attributes)


def _serialized_topics(objects: Objects, node: Node) -> list[str]:
    """Return the topics that a record serializer's builder sets."""
    made = objects.made(node)
    if made is None or made.kind != "call":
        return []
    for call in objects.calls_on(made):
        if call.kind == "call" and call.name == "setTopic" and call.args:
            return texts(objects, call.args[0], [])
    return []


def _pattern(objects: Objects, node: Node) -> object:
    value = plain(objects.fold(node))
    if value is None and node.kind == "call" and node.name == "compile" and node.args:
        value = plain(objects.fold(node.args[0]))
    return value


def _offsets(objects: Objects, node: Node) -> str | None:
    """Return the starting offsets of a source, including the fallback if there are no committed offsets."""
    made = objects.made(node)
    name = _OFFSETS.get(made.name) if made is not None and made.kind == "call" else None
    if made is None or name != "committed" or made.name != "committedOffsets":
        return name
    if not made.args:
        return "committed"
    reset = objects.fold(made.args[0])
    return f"committed-{reset.name.lower()}" if isinstance(reset, Symbol) else None


def _guarantee(objects: Objects, node: Node, call: Node | None) -> Attribute:
    value = known(objects, node)
    return objects.attribute(node, _GUARANTEES.get(value) if isinstance(value, str) else None, call)


def _old(objects: Objects, made: Node, api: str) -> Element:
    """Return the element for a source or sink of the legacy connector, which is created with ``new``."""
    attributes = {"api": Attribute(api, made.name_span, None, api)}
    is_source = api in _OLD_SOURCES
    topic = made.argument(0, "topics", "topic", "defaultTopicId", "topicId", "brokerList")
    names = texts(objects, topic, [])
    if is_source and topic is not None and objects.class_of(topic) == "Pattern":
        attributes["topic-pattern"] = objects.attribute(topic, _pattern(objects, topic), topic)
    rest = made.args[1:]
    if not is_source and len(made.args) == 3 and not any(made.names) and objects.class_of(rest[1]) != "Properties":
        # FlinkKafkaProducer(brokerList, topicId, schema)
        brokers, names = made.args[0], texts(objects, made.args[1], [])
        objects.put_property(attributes, "properties.bootstrap.servers", brokers, brokers)
        rest = []
    for name, argument in zip([*made.names[1:]], rest, strict=False):
        value = objects.fold(argument)
        if isinstance(value, Symbol) and value.name in _GUARANTEES and value.owner.endswith(("Semantic", "Guarantee")):
            attributes["delivery-guarantee"] = _guarantee(objects, argument, None)
        elif isinstance(value, int) and not isinstance(value, bool) and not is_source:
            attributes["producers-pool-size"] = objects.attribute(argument, value)
        elif name in ("properties", "producerConfig", "producer_config", "props") or _may_be_properties(
            objects, argument
        ):
            objects.put_properties(attributes, argument)
    calls = [call for call in objects.calls_on(made) if call.kind == "call"]
    set_attributes(objects, attributes, [call for call in calls if not call.name.startswith("setStartFrom")])
    for call in calls:
        if call.name in _OFFSETS:
            attributes["starting-offsets"] = Attribute(_OFFSETS[call.name], call.name_span, call.name_span, call.name)
    return Element("kafka-source" if is_source else "kafka-sink", ",".join(names), head_of(made), attributes)


def _may_be_properties(objects: Objects, node: Node) -> bool:
    """Return whether an argument may be the client's properties, as opposed to a schema that is created inline."""
    if node.kind == "pairs":
        return True
    made = objects.made(node)
    is_named_so = "prop" in objects.program.raw(node.span).lower()
    if made is None:
        kind = objects.class_of(node)
        return kind in ("Properties", "Map", "HashMap") or (not kind and is_named_so)
    if made.name in ("Properties", "HashMap", "apply") or (made.kind == "call" and is_named_so):
        return True
    return objects.properties(node).complete

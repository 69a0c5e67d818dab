"""Elements for a program's Kinesis and DynamoDB sources, and its Kinesis, Firehose, and DynamoDB sinks."""

from __future__ import annotations

from flink_flint.linter.formats.source.builders import set_attributes, texts
from flink_flint.linter.formats.source.program_objects import Objects, head_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_OLD_SOURCES = ("FlinkKinesisConsumer", "FlinkDynamoDBStreamsConsumer")
_BUILT_SOURCES = ("KinesisStreamsSource", "DynamoDbStreamsSource")
_BUILT_SINKS = ("KinesisStreamsSink", "KinesisFirehoseSink", "DynamoDbSink")
_NAMES = ("setStreamArn", "setStreamName", "setDeliveryStreamName", "setTableName", "setDefaultStream")
_CLIENT = ("setKinesisClientProperties", "setFirehoseClientProperties", "setDynamoDbProperties", "setSourceConfig")


def kinesis_elements(objects: Objects) -> list[Element]:
    """Return the ``kinesis-source`` and ``kinesis-sink`` elements of a program."""
    program = objects.program
    found = []
    for name in (*_OLD_SOURCES, "FlinkKinesisProducer"):
        calls = [call for call in program.calls.get(name, ()) if call.target is None]
        found += [_old(objects, made, name) for made in (*program.news.get(name, ()), *calls)]
    for call in program.calls.get("builder", ()):
        if call.target is not None and call.target.name in (*_BUILT_SOURCES, *_BUILT_SINKS):
            found.append(_built(objects, call, call.target.name))
    return found


def _old(objects: Objects, made: Node, api: str) -> Element:
    """Return the element for a source or sink of the legacy connector.

    The arguments are FlinkKinesisConsumer(streams, schema, properties) and FlinkKinesisProducer(schema, properties).
    """
    attributes = {"api": Attribute(api, made.name_span, None, api)}
    is_source = api in _OLD_SOURCES
    names = texts(objects, made.argument(0, "streams", "stream"), []) if is_source else []
    last = made.argument(2 if is_source else 1, "config_props", "configProps", "producer_config", "properties")
    if last is None and len(made.args) > 1:
        last = made.args[-1]
    objects.put_properties(attributes, last)
    names += _set(objects, attributes, made)
    return Element("kinesis-source" if is_source else "kinesis-sink", ",".join(names), head_of(made), attributes)


def _built(objects: Objects, made: Node, api: str) -> Element:
    """Return the element for a source or sink that is created with a builder."""
    attributes = {"api": Attribute(api, made.target.span if made.target else made.span, None, api)}
    names = _set(objects, attributes, made)
    _watermarks(objects, attributes, made)
    kind = "kinesis-source" if api in _BUILT_SOURCES else "kinesis-sink"
    return Element(kind, ",".join(names), head_of(made), attributes)


def _set(objects: Objects, attributes: dict[str, Attribute], made: Node) -> list[str]:
    """Add the attributes that a builder's setters set; return the names of streams among them."""
    calls = [call for call in objects.calls_on(made) if call.kind == "call"]
    set_attributes(objects, attributes, [call for call in calls if call.name not in _CLIENT])
    names: list[str] = []
    for call in calls:
        first = call.args[0] if call.args else None
        if call.name in _CLIENT:
            objects.put_properties(attributes, first)
        elif call.name in _NAMES:
            names += texts(objects, first, [])
    if objects.escapes(made):
        attributes["calls"] = Attribute(None, head_of(made), None, "")
    return names


def _watermarks(objects: Objects, attributes: dict[str, Attribute], made: Node) -> None:
    """Add the watermark strategy of a source, which includes whether an idle shard blocks watermarks."""
    for call in objects.program.calls.get("fromSource", ()):
        if len(call.args) < 2 or objects.made(call.args[0]) is not made:
            continue
        strategy = objects.made(call.args[1])
        if strategy is None or strategy.kind != "call":
            continue
        if strategy.name == "noWatermarks":
            value = "none"
        elif any(one.kind == "call" and one.name == "withIdleness" for one in objects.calls_on(strategy)):
            value = "idle-aware"
        elif strategy.name in ("forMonotonousTimestamps", "forBoundedOutOfOrderness"):
            value = "without-idleness"
        else:
            continue
        attributes["watermarks"] = objects.attribute(call.args[1], value)

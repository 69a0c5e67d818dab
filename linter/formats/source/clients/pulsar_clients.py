"""Elements for the Pulsar sources of a program."""

from __future__ import annotations

from flink_flint.linter.formats.source.builders import set_attributes, texts
from flink_flint.linter.formats.source.program_objects import Objects, head_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_OLD = ("FlinkPulsarSource", "FlinkPulsarRowSource")
"""The sources of the connector that came before Flink's own."""
_TOPICS = ("setTopics", "setTopicPattern")
_CONFIGS = ("setConfig", "setProperties")


def pulsar_elements(objects: Objects) -> list[Element]:
    """Return the ``pulsar-source`` elements of a program."""
    program = objects.program
    found = []
    for name in _OLD:
        found += [_old(objects, made, name) for made in program.news.get(name, ())]
    for call in program.calls.get("builder", ()):
        if call.target is not None and call.target.name == "PulsarSource":
            found.append(_built(objects, call))
    return found


def _old(objects: Objects, made: Node, api: str) -> Element:
    attributes = {"api": Attribute(api, made.name_span, None, api)}
    objects.put_properties(attributes, made.args[-1] if made.args else None)
    topic = attributes.get("properties.topic") or attributes.get("properties.topics")
    name = topic.value if topic is not None and isinstance(topic.value, str) else ""
    return Element("pulsar-source", name, head_of(made), attributes)


def _built(objects: Objects, made: Node) -> Element:
    attributes = {"api": Attribute("PulsarSource", made.span, None, "PulsarSource")}
    calls = [call for call in objects.calls_on(made) if call.kind == "call"]
    set_attributes(objects, attributes, [call for call in calls if call.name not in _CONFIGS])
    names: list[str] = []
    for call in calls:
        if call.name in _TOPICS:
            names += texts(objects, call.args[0] if call.args else None, call.args[1:])
        elif call.name == "setConfig" and len(call.args) == 2 and (key := objects.key(call.args[0])) is not None:
            objects.put_property(attributes, f"properties.{key}", call.args[1], call.args[0])
        elif call.name in _CONFIGS:
            attributes["properties"] = Attribute(None, call.name_span, None, "")
    if objects.escapes(made):
        attributes["calls"] = Attribute(None, head_of(made), None, "")
    return Element("pulsar-source", ",".join(names), head_of(made), attributes)

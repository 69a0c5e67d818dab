"""Pipelines of Apache Beam that run on Flink: their options, and transforms that another SDK's workers run."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.constant_folding import setting_text
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_MAKERS = ("PipelineOptions", "FlinkRunnerOptions")
_OF_JAVA = (
    *("ReadFromKafka", "WriteToKafka", "ReadFromJdbc", "WriteToJdbc", "SqlTransform", "ReadFromKinesis"),
    *("WriteToKinesis", "ReadFromDebezium", "WriteToSnowflake", "ReadFromSnowflake", "ReadFromPubSubLite"),
)
"""Transforms of the Python SDK that are written in Java."""
_UNBOUNDED = ("ReadFromKafka", "ReadFromKinesis", "ReadFromPubSub", "ReadFromDebezium", "PeriodicImpulse")
_SETTER = regex(r"set([A-Z]\w+)")
_UPPER = regex(r"(?<!^)([A-Z])")
_FLAG = regex(r"--([\w-]+)(?:=([^\n]*))?")
_JVM_OPTIONS = ("FlinkPipelineOptions", "PortablePipelineOptions", "StreamingOptions")
_MORE = "more"


def beam_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``beam-pipeline`` and ``beam-transform`` elements of a program."""
    if not any("beam" in one for one in objects.program.imports):
        return
    made = [call for name in _MAKERS for call in objects.program.calls.get(name, ())]
    if len(made) == 1:
        yield _of_python(objects, made[0])
    elif not made:
        yield from _of_java(objects)
    for name in dict.fromkeys((*_OF_JAVA, *_UNBOUNDED)):
        for call in objects.program.calls.get(name, ()):
            yield _transform(objects, call)


def _of_python(objects: Objects, call: Node) -> Element:
    attributes: dict[str, Attribute] = {}
    for name, argument in zip(call.names, call.args, strict=False):
        if name and name not in ("flags", "**"):
            attributes[name] = objects.attribute(argument, _text(objects, argument))
            continue
        given = argument if argument.kind == "list" else objects.program.bound(argument)
        if given is None or given.kind != "list":
            if argument.kind != "null":
                attributes[_MORE] = objects.attribute(argument, None)
            continue
        _flags(objects, attributes, given)
    for node in objects.program.nodes:  # options.view_as(StandardOptions).streaming = True
        target = node.target
        if node.kind == "assign" and target is not None and target.kind == "member" and node.init is not None:
            view = objects.made(target.target)
            if view is not None and view.name in ("viewAs", *_MAKERS):
                attributes[target.name] = objects.attribute(node.init, _text(objects, node.init))
    return Element("beam-pipeline", _runner(attributes), call.name_span, attributes)


def _flags(objects: Objects, attributes: dict[str, Attribute], given: Node) -> None:
    """Add the options of a list of arguments (``["--runner=FlinkRunner", "--streaming"]``)."""
    waiting: tuple[str, Node] | None = None
    for node in given.args:
        value = objects.fold(node)
        flag = _FLAG.fullmatch(value) if isinstance(value, str) else None
        if flag is None and waiting is not None:
            attributes[waiting[0]] = objects.attribute(node, value if isinstance(value, str) else None)
            waiting = None
            continue
        if flag is None:
            shown = objects.program.raw(node.span)
            name = shown.lstrip("fF\"'").removeprefix("--").partition("=")[0]
            attributes[name if name.isidentifier() else _MORE] = objects.attribute(node, None)
            continue
        name = flag[1].replace("-", "_")
        attributes[name] = objects.attribute(node, "true" if flag[2] is None else flag[2])
        waiting = (name, node) if flag[2] is None else None


def _of_java(objects: Objects) -> Iterator[Element]:
    attributes: dict[str, Attribute] = {}
    first: Node | None = None
    for name, calls in objects.program.calls.items():
        setter = _SETTER.fullmatch(name)
        if setter is None:
            continue
        for call in calls:
            if objects.class_of(call.target).endswith(_JVM_OPTIONS) and len(call.args) == 1:
                option = _UPPER.sub(lambda one: f"_{one[1]}", setter[1]).lower()
                attributes[option] = objects.attribute(call.args[0], _text(objects, call.args[0]), call)
                first = call if first is None or call.span < first.span else first
    if first is None:
        return
    for call in objects.program.calls.get("fromArgs", ()):
        attributes[_MORE] = Attribute(None, call.name_span)
    yield Element("beam-pipeline", _runner(attributes), first.name_span, attributes)


def _runner(attributes: dict[str, Attribute]) -> str:
    runner = attributes.get("runner")
    value = "" if runner is None else runner.value
    if value is None or not isinstance(value, str):
        return ""
    return value.rpartition(".")[2]


def _text(objects: Objects, node: Node) -> str | None:
    value = objects.fold(node)
    if value is None and node.kind in ("member", "name") and node.name.endswith("Runner"):
        return node.name
    return setting_text(value)


def _transform(objects: Objects, call: Node) -> Element:
    attributes: dict[str, Attribute] = {}
    if call.name in _OF_JAVA:
        attributes["java"] = Attribute(True, call.name_span)
    if call.name in _UNBOUNDED:
        attributes["unbounded"] = Attribute(True, call.name_span)
    objects.put_properties(attributes, call.argument(0 if call.name == "ReadFromKafka" else -1, "consumer_config"))
    service = call.argument(-1, "expansion_service")
    if service is not None:
        attributes["expansion-service"] = objects.attribute(service, None)
    return Element("beam-transform", call.name, Span(call.name_span.start, call.name_span.end), attributes)

"""Elements for the RabbitMQ sources of a program."""

from __future__ import annotations

from flink_flint.linter.formats.source.builders import known
from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.stateful_operators import is_of
from flink_flint.linter.model.elements import Attribute, Element


def rabbitmq_elements(objects: Objects) -> list[Element]:
    """Return the ``rabbitmq-source`` elements of a program."""
    found = []
    for call in objects.program.calls.get("addSource", ()):
        made = objects.made(call.args[0]) if call.args else None
        if made is not None and made.kind in ("new", "call") and made.name == "RMQSource":
            found.append(_source(objects, made, call))
    return found


def _source(objects: Objects, made: Node, call: Node) -> Element:
    attributes: dict[str, Attribute] = {}
    queue = objects.fold(made.args[1]) if len(made.args) > 1 else None
    if len(made.args) > 3:
        by_id = objects.fold(made.args[2])
        attributes["correlation-ids"] = objects.attribute(made.args[2], by_id if isinstance(by_id, bool) else None)
    _connect(objects, attributes, made)
    for other in objects.calls_on(call):
        if other.kind == "call" and other.name == "setParallelism" and other.args and is_of(other, call):
            number = objects.fold(other.args[0])
            subtasks = number if isinstance(number, int) and not isinstance(number, bool) else None
            attributes["parallelism"] = objects.attribute(other.args[0], subtasks, other)
    return Element("rabbitmq-source", queue if isinstance(queue, str) else "", made.name_span, attributes)


def _connect(objects: Objects, attributes: dict[str, Attribute], made: Node) -> None:
    """Add what the builder of the connection is given; `connection`, unknown, where it is not the program's."""
    given = made.argument(0, "connection_config")
    builder = objects.made(given)
    if builder is None or builder.name != "Builder":
        attributes["connection"] = Attribute(None, made.name_span, None, "")
        return
    attributes["connection"] = Attribute(maker_of(builder), builder.name_span, None, "")
    for call in objects.calls_on(builder):
        if call.name == "setPrefetchCount" and call.args:
            attributes["prefetch-count"] = objects.attribute(call.args[0], known(objects, call.args[0]), call)
    if objects.escapes(builder):
        attributes["connection"] = Attribute(None, builder.name_span, None, "")

"""The operators of a program that keep state, and whether each has an id of its own."""

from __future__ import annotations

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_ENDS = ("fromSource", "addSource", "sinkTo", "addSink")
"""Methods that add a source or a sink: its state is where it reads, or what it has not yet committed."""
_KEYED = ("process", "reduce", "aggregate", "flatMap", "apply", "sum", "maxBy", "minBy")
"""Methods that keep state where the stream is keyed."""
_WINDOWS = frozenset({
    *("window", "timeWindow", "countWindow", "trigger", "evictor", "allowedLateness", "sideOutputLateData", "connect"),
})  # fmt: skip
"""Methods after which a keyed stream still is one, or its windows."""
_ASYNC = ("orderedWait", "unorderedWait", "orderedWaitWithRetry", "unorderedWaitWithRetry")
_IDS = ("uid", "setUidHash")
_OF_SAME = frozenset({
    *("name", "setParallelism", "setMaxParallelism", "setDescription", "returns", "slotSharingGroup", "startNewChain"),
    *("disableChaining", "setBufferTimeout", "forceNonParallel", "setResources", *_IDS),
})  # fmt: skip
"""Methods that give back the operator they are called on."""
_LONGEST = 40
"""Calls in a row that are followed back to where a stream is keyed."""


def operator_elements(objects: Objects) -> list[Element]:
    """The elements ``operator`` of a program."""
    calls = objects.program.calls
    found = [call for name in _ENDS for call in calls.get(name, ()) if call.target is not None and call.args]
    found += [call for name in _KEYED for call in calls.get(name, ()) if _is_keyed(objects, call)]
    for name in _ASYNC:
        found += [
            call for call in calls.get(name, ()) if call.target is not None and call.target.name == "AsyncDataStream"
        ]
    return [_operator(objects, call) for call in found]


def _is_keyed(objects: Objects, call: Node) -> bool:
    """Whether a method is called on a keyed stream, or on windows of one."""
    node = call.target
    for _ in range(_LONGEST):
        if node is None:
            return False
        if node.kind in ("name", "member"):
            node = objects.program.bound(node)
        elif node.kind != "call":
            return False
        elif node.name == "keyBy":
            return True
        elif node.name in _WINDOWS:
            node = node.target
        else:
            return False  # what comes after an operator is no longer keyed
    return False


def _operator(objects: Objects, call: Node) -> Element:
    attributes: dict[str, Attribute] = {}
    if _is_handed_on(objects, call):
        attributes["uid"] = Attribute(None, call.name_span)
    for other in objects.calls_on(call):
        if other.kind == "call" and other.name in _IDS and other.args and is_of(other, call):
            value = objects.fold(other.args[0])
            attributes["uid"] = objects.attribute(other.args[0], value if isinstance(value, str) else None, other)
    return Element("operator", call.name, call.name_span, attributes)


def is_of(later: Node, call: Node) -> bool:
    """Whether a call in a chain is on the operator that another one makes, and on none that is made of it."""
    node = later.target
    while node is not None and node is not call and node.kind == "call":
        if node.name not in _OF_SAME:
            return False
        node = node.target
    return True


def _is_handed_on(objects: Objects, call: Node) -> bool:
    """Whether an operator is given to a function or back to a caller, which may name it."""
    outer = call
    while outer.parent is not None and outer.parent.target is outer and outer.parent.name in _OF_SAME:
        outer = outer.parent
    parent = outer.parent
    if parent is None or parent.kind == "return":
        return True
    given = parent.kind == "call" and parent.target is None and any(argument is outer for argument in parent.args)
    return given or objects.escapes(call)

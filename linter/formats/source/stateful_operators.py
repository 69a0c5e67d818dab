"""The stateful operators of a program, and whether each of them has an ID."""

from __future__ import annotations

from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_ENDS = ("fromSource", "addSource", "sinkTo", "addSink")
"""Methods that add a source or a sink; their state is the read position or uncommitted data."""
_KEYED = ("process", "reduce", "aggregate", "flatMap", "apply", "sum", "maxBy", "minBy")
"""Methods that keep state on a keyed stream."""
_WINDOWS = frozenset({
    *("window", "timeWindow", "countWindow", "trigger", "evictor", "allowedLateness", "sideOutputLateData", "connect"),
})  # fmt: skip
"""Methods that return a keyed stream, its windows, or connected streams."""
_ASYNC = ("orderedWait", "unorderedWait", "orderedWaitWithRetry", "unorderedWaitWithRetry")
_IDS = ("uid", "setUidHash")
DESCRIBING = frozenset({
    *("uid", "name", "setDescription", "setParallelism", "setMaxParallelism", "slotSharingGroup", "startNewChain"),
    "disableChaining",
})  # fmt: skip
"""Methods that say something of the operator they are called on, and return it; there are a few more."""

_OF_SAME = DESCRIBING.union(_IDS, ("returns", "setBufferTimeout", "forceNonParallel", "setResources"))
"""Methods that return the operator they are called on."""
_MAX_CHAIN = 40
"""Maximum length of the call chain between an operator and the `keyBy` of its stream."""


def operator_elements(objects: Objects) -> list[Element]:
    """Return the ``operator`` elements of a program, one for each stateful operator."""
    calls = objects.program.calls
    found = [call for name in _ENDS for call in calls.get(name, ()) if call.target is not None and call.args]
    found += [call for name in _KEYED for call in calls.get(name, ()) if _is_keyed(objects, call)]
    for name in _ASYNC:
        found += [
            call for call in calls.get(name, ()) if call.target is not None and call.target.name == "AsyncDataStream"
        ]
    return [_operator(objects, call) for call in found]


def _is_keyed(objects: Objects, call: Node) -> bool:
    """Return whether a method is called on a keyed stream or its windows."""
    node = call.target
    for _ in range(_MAX_CHAIN):
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
            return False  # the output of an operator is not keyed
    return False


def _operator(objects: Objects, call: Node) -> Element:
    attributes: dict[str, Attribute] = {}
    if call.name in _ENDS:
        made = objects.made(call.args[0])
        name = None if made is None else maker_of(made).partition(".")[0]
        attributes["made"] = objects.attribute(call.args[0], name)
    if _is_handed_on(objects, call):
        attributes["uid"] = Attribute(None, call.name_span)
    for other in objects.calls_on(call):
        if other.kind == "call" and other.name in _IDS and other.args and is_of(other, call):
            value = objects.fold(other.args[0])
            attributes["uid"] = objects.attribute(other.args[0], value if isinstance(value, str) else None, other)
    return Element("operator", call.name, call.name_span, attributes)


def is_of(later: Node, call: Node) -> bool:
    """Return whether the chained call `later` applies to the operator that `call` creates, not to a later operator."""
    node = later.target
    while node is not None and node is not call and node.kind == "call":
        if node.name not in _OF_SAME:
            return False
        node = node.target
    return True


def _is_handed_on(objects: Objects, call: Node) -> bool:
    """Return whether an operator is passed to a function or returned to a caller, either of which may set its ID."""
    outer = call
    while outer.parent is not None and outer.parent.target is outer and outer.parent.name in _OF_SAME:
        outer = outer.parent
    parent = outer.parent
    if parent is None or parent.kind == "return":
        return True
    given = parent.kind == "call" and parent.target is None and any(argument is outer for argument in parent.args)
    return given or objects.escapes(call)

"""Elements for the windows of a program, its streams of updates, and operators whose IDs differ at each start."""

from __future__ import annotations

from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_WINDOWS = ("window", "windowAll", "countWindow", "countWindowAll", "timeWindowAll")
_SAME_STREAM = frozenset({"trigger", "evictor", "allowedLateness", "sideOutputLateData"})
_IDS = ("uid", "uidSuffix", "uidPrefix", "setUidHash")
_UPDATES = ("toRetractStream", "to_retract_stream")
_QUERIES = ("sqlQuery", "sql_query")
_RETENTION = (
    "withIdleStateRetentionTime", "setIdleStateRetentionTime", "setIdleStateRetention", "set_idle_state_retention",
    "set_idle_state_retention_time", "with_idle_state_retention_time",
)  # fmt: skip
"""Methods that set how long state of queries is kept."""
_TTL = "table.exec.state.ttl"
_ANEW = frozenset({
    "randomUUID", "currentTimeMillis", "nanoTime", "uuid1", "uuid4", "timeBasedGenerator", "nextInt", "nextLong",
    "randomAlphanumeric", "randomNumeric",
})  # fmt: skip
"""Functions that return something else at each call."""
_MAX_NODES = 200


def dataflow_elements(objects: Objects) -> list[Element]:
    """Return the ``window``, ``update-stream`` and ``operator-id`` elements of a program."""
    calls = objects.program.calls
    found = [
        _window(objects, call)
        for name in _WINDOWS
        for call in calls.get(name, ())
        if call.target is not None and call.args
    ]
    asked = [call.args[0] for name in _QUERIES for call in calls.get(name, ()) if call.args]
    if asked and not any(isinstance(objects.fold(query), str) for query in asked):
        keeps = any(calls.get(name) for name in _RETENTION) or _TTL in objects.program.text
        attributes = {"query": objects.attribute(asked[0], None)}
        if keeps:
            attributes["retention"] = Attribute(True, asked[0].span)
        found += [
            Element("update-stream", name, call.name_span, attributes)
            for name in _UPDATES
            for call in calls.get(name, ())
        ]
    for name in _IDS:
        for call in calls.get(name, ()):
            made = _made_anew(objects, call.args[0]) if call.target is not None and len(call.args) == 1 else None
            if made is not None:
                attribute = objects.attribute(call.args[0], made.name, call)
                found.append(Element("operator-id", made.name, made.name_span, {"made-by": attribute}))
    return found


def _window(objects: Objects, call: Node) -> Element:
    attributes: dict[str, Attribute] = {}
    assigner = objects.made(call.args[0])
    if call.name in ("window", "windowAll"):
        name = maker_of(assigner).partition(".")[0] if assigner is not None else None
        attributes["assigner"] = objects.attribute(call.args[0], name)
    before = call.target
    if before is not None and before.kind in ("name", "member"):
        before = objects.program.bound(before)
    if before is not None and before.kind == "call" and before.name == "keyBy":
        attributes["keyed"] = Attribute(True, before.name_span, before.name_span, before.name)
    for other in _of_window(call):
        if other.name == "trigger" and other.args:
            made = objects.made(other.args[0])
            attributes["trigger"] = objects.attribute(
                other.args[0], None if made is None else maker_of(made).partition(".")[0], other
            )
        elif other.name == "evictor":
            attributes["evictor"] = Attribute(True, other.name_span, other.name_span, other.name)
    return Element("window", call.name, call.name_span, attributes)


def _of_window(call: Node) -> list[Node]:
    """Return the calls that are chained to a window before a function is applied to it."""
    found = []
    outer = call
    while outer.parent is not None and outer.parent.target is outer and outer.parent.name in _SAME_STREAM:
        outer = outer.parent
        found.append(outer)
    return found


def _made_anew(objects: Objects, node: Node) -> Node | None:
    """Return the call in an expression, or in what its names are bound to, that returns something else each time."""
    stack = [node]
    for _ in range(_MAX_NODES):
        if not stack:
            return None
        one = stack.pop()
        for inner in one.walk():
            if inner.kind in ("call", "new") and inner.name in _ANEW:
                return inner
            if inner.kind == "name" and (bound := objects.program.bound(inner)) is not None and bound is not one:
                stack.append(bound)
    return None

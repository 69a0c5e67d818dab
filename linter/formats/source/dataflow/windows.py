"""Elements for the windows of a program, operators whose IDs differ at each start, and savepoints it writes."""

from __future__ import annotations

from flink_flint.linter.formats.source.constant_folding import milliseconds
from flink_flint.linter.formats.source.program_objects import Objects, maker_of, result_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.spans import Span

_WINDOWS = ("window", "windowAll", "countWindow", "countWindowAll", "timeWindowAll")
_SAME_STREAM = frozenset({"trigger", "evictor", "allowedLateness", "sideOutputLateData"})
_IDS = ("uid", "uidSuffix", "uidPrefix", "setUidHash")
_ANEW = frozenset({
    "randomUUID", "currentTimeMillis", "nanoTime", "uuid1", "uuid4", "timeBasedGenerator", "nextInt", "nextLong",
    "randomAlphanumeric", "randomNumeric",
})  # fmt: skip
"""Functions that return something else at each call."""
_MAX_NODES = 200
_EVENT_TIME = frozenset({
    *("TumblingEventTimeWindows", "SlidingEventTimeWindows", "EventTimeSessionWindows"),
    "DynamicEventTimeSessionWindows",
})  # fmt: skip
_SLIDING = ("SlidingEventTimeWindows", "SlidingProcessingTimeWindows")
_WITHOUT_TIME = frozenset({
    *("fromElements", "fromCollection", "fromData", "fromSequence", "generateSequence", "socketTextStream"),
    *("readTextFile", "fromParallelCollection"),
})  # fmt: skip
"""Methods that make streams of records without timestamps."""
_ASSIGNS = ("assignTimestampsAndWatermarks", "assignAscendingTimestamps", "assignTimestamps")
_PASSES_ON = frozenset({
    *("map", "flatMap", "filter", "process", "keyBy", "rebalance", "shuffle", "rescale", "forward", "global", "uid"),
    *("name", "setParallelism", "returns", "broadcast", "setMaxParallelism", "slotSharingGroup", "startNewChain"),
    *("disableChaining", "setDescription", "partitionCustom", "project", "reduce", "sum", "max", "min"),
})  # fmt: skip
"""Methods whose streams have the watermarks of the stream that they are called on."""


def dataflow_elements(objects: Objects) -> list[Element]:
    """Return the ``window`` and ``operator-id`` elements of a program."""
    calls = objects.program.calls
    found = [
        _window(objects, call)
        for name in _WINDOWS
        for call in calls.get(name, ())
        if call.target is not None and call.args
    ]
    found += _savepoint_writers(objects)
    for name in _IDS:
        for call in calls.get(name, ()):
            made = _made_anew(objects, call.args[0]) if call.target is not None and len(call.args) == 1 else None
            if made is not None:
                attribute = objects.attribute(call.args[0], made.name, call)
                found.append(Element("operator-id", made.name, made.name_span, {"made-by": attribute}))
    return found


def _savepoint_writers(objects: Objects) -> list[Element]:
    """Return a ``savepoint-writer`` element for each savepoint that a program makes anew."""
    found = []
    for owner, name in (("Savepoint", "create"), ("SavepointWriter", "newSavepoint")):
        for call in objects.program.calls.get(name, ()):
            if call.target is None or call.target.name != owner or len(call.args) < 2:
                continue
            last = call.args[-1]
            value = objects.fold(last)
            whole = value if isinstance(value, int) and not isinstance(value, bool) else None
            attributes = {
                "max-parallelism": objects.attribute(last, whole),
                "given": Attribute(objects.program.raw(last.span), last.span),
            }
            at = Span(call.target.span.start, call.name_span.end)
            found.append(Element("savepoint-writer", f"{owner}.{name}", at, attributes))
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
    if attributes.get("assigner") is not None and attributes["assigner"].value in _SLIDING and assigner is not None:
        for name, argument in zip(("size", "slide"), assigner.args, strict=False):
            attributes[name] = objects.attribute(argument, milliseconds(objects.fold(argument)))
    if attributes.get("assigner") is not None and attributes["assigner"].value in _EVENT_TIME:
        missing = _missing_time(objects, call.target)
        if missing is not None:
            kind, node = missing
            attributes["without"] = Attribute(kind, node.name_span, node.name_span, node.name)
    for other in _of_window(call):
        if other.name == "trigger" and other.args:
            made = objects.made(other.args[0])
            attributes["trigger"] = objects.attribute(
                other.args[0], None if made is None else maker_of(made).partition(".")[0], other
            )
        elif other.name == "evictor":
            attributes["evictor"] = Attribute(True, other.name_span, other.name_span, other.name)
    return Element("window", call.name, call.name_span, attributes)


def _missing_time(objects: Objects, node: Node | None) -> tuple[str, Node] | None:
    """Return what a stream certainly lacks (``watermarks`` or ``timestamps``), and the call that makes the stream."""
    for _ in range(_MAX_NODES):
        if node is None:
            return None
        if node.kind in ("name", "member"):
            node = objects.program.bound(node)
            continue
        if node.kind != "call" or node.name in _ASSIGNS:
            return None
        if node.name == "fromSource":
            strategy = objects.made(node.argument(1, "timestampsAndWatermarks", "watermark_strategy"))
            none = strategy is not None and strategy.kind == "call" and strategy.name == "noWatermarks"
            return ("watermarks", node) if none else None
        if node.name in _WITHOUT_TIME:
            return "timestamps", node
        function = objects.program.function_of(node)
        if function is not None:
            node = result_of(function)
        elif node.name in _PASSES_ON:
            node = node.target
        else:
            return None
    return None


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

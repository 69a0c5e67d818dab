"""Elements for the windows of a program, operators whose IDs differ at each start, and savepoints it writes."""

from __future__ import annotations

from flink_flint.linter.formats.source.constant_folding import milliseconds
from flink_flint.linter.formats.source.program_objects import Objects, maker_of, result_of
from flink_flint.linter.formats.source.program_settings import is_environment
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.stateful_operators import DESCRIBING
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_WINDOWS = ("window", "windowAll", "countWindow", "countWindowAll", "timeWindow", "timeWindowAll")
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
_SEVERAL = ("union", "connect", "join", "coGroup", "intervalJoin")
"""Methods whose streams have the lowest watermark of several streams."""
_SAME_RECORDS = DESCRIBING.union(("returns", "setUidHash"))
"""Methods that return the stream that they are called on."""
_OF_PARTITIONS = frozenset({
    *("KafkaSource", "FlinkKafkaConsumer", "FlinkKafkaConsumer011", "FlinkKafkaConsumer010", "FlinkKafkaConsumer09"),
    *("PulsarSource", "KinesisStreamsSource", "FlinkKinesisConsumer"),
})  # fmt: skip
"""Sources that have watermarks of their own for each partition they read."""
_MAX_JOINED = 4
_TIMER = regex(r"\bregisterEventTimeTimer\b|\bregister_event_time_timer\b")
_ASSIGNS = ("assignTimestampsAndWatermarks", "assignAscendingTimestamps", "assignTimestamps")
_PASSES_ON = frozenset({
    *("map", "flatMap", "filter", "process", "keyBy", "rebalance", "shuffle", "rescale", "forward", "global"),
    *("returns", "broadcast", "partitionCustom", "project", "reduce", "sum", "max", "min", "where"),
    *("equalTo", "between", "getSideOutput"), *DESCRIBING,
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
    found += _timers(objects)
    found += _late_watermarks(objects)
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
    is_event = attributes.get("assigner") is not None and attributes["assigner"].value in _EVENT_TIME
    if (is_event or call.name in ("timeWindow", "timeWindowAll")) and _keeps_characteristic(objects):
        attributes["characteristic"] = Attribute("default", call.name_span)
    for other in _of_window(call):
        if other.name == "trigger" and other.args:
            made = objects.made(other.args[0])
            attributes["trigger"] = objects.attribute(
                other.args[0], None if made is None else maker_of(made).partition(".")[0], other
            )
            _count(objects, attributes, made)
        elif other.name == "evictor":
            attributes["evictor"] = Attribute(True, other.name_span, other.name_span, other.name)
    return Element("window", call.name, call.name_span, attributes)


def _count(objects: Objects, attributes: dict[str, Attribute], trigger: Node | None) -> None:
    """Add the number of records for which a window's trigger waits, if it waits for nothing else."""
    if trigger is not None and maker_of(trigger) == "PurgingTrigger.of" and trigger.args:
        trigger = objects.made(trigger.args[0])
    if trigger is not None and maker_of(trigger) == "CountTrigger.of" and trigger.args:
        size = objects.fold(trigger.args[0])
        is_whole = isinstance(size, int) and not isinstance(size, bool)
        attributes["count"] = objects.attribute(trigger.args[0], size if is_whole else None)


def _missing_time(objects: Objects, node: Node | None, depth: int = 0) -> tuple[str, Node] | None:
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
            return ("watermarks", node) if _has_no_watermarks(objects, node) else None
        if node.name in _WITHOUT_TIME:
            return "timestamps", node
        if node.name in _SEVERAL:
            return _of_several(objects, node, depth)
        function = objects.program.function_of(node)
        if function is not None:
            node = result_of(function)
        elif node.name in _PASSES_ON:
            node = node.target
        else:
            return None
    return None


def _has_no_watermarks(objects: Objects, source: Node) -> bool:
    """Return whether a source without an end has no watermarks."""
    strategy = objects.made(source.argument(1, "timestampsAndWatermarks", "watermark_strategy"))
    if strategy is None or strategy.kind != "call" or strategy.name != "noWatermarks" or not source.args:
        return False
    made = objects.made(source.args[0])
    return made is None or not any(one.name == "setBounded" for one in objects.calls_on(made))


def _of_several(objects: Objects, node: Node, depth: int) -> tuple[str, Node] | None:
    """Return what a stream of several lacks: its watermark is the lowest of them, that of one without stays lowest."""
    if depth >= _MAX_JOINED:
        return None
    for one in (node.target, *node.args):
        missing = _missing_time(objects, one, depth + 1)
        if missing is not None and missing[0] == "watermarks":
            return missing
    return None


def _timers(objects: Objects) -> list[Element]:
    """Return the process functions with timers of event time whose stream has no watermarks."""
    found = []
    for call in objects.program.calls.get("process", ()):
        made = objects.made(call.args[0]) if call.args and call.target is not None else None
        if made is None or made.kind not in ("new", "call"):
            continue
        body = made.parts[0] if made.kind == "new" and made.parts else objects.program.classes.get(made.name)
        if body is None or _TIMER.search(objects.program.raw(body.span)) is None:
            continue
        missing = _missing_time(objects, call.target)
        if missing is not None and missing[0] == "watermarks":
            without = Attribute("watermarks", missing[1].name_span, missing[1].name_span, missing[1].name)
            timer = Attribute(made.name, call.args[0].span)
            found.append(Element("window", call.name, call.name_span, {"timer": timer, "without": without}))
    return found


def _late_watermarks(objects: Objects) -> list[Element]:
    """Return the calls that assign watermarks to the records of a source of partitions, behind that source."""
    found = []
    for call in objects.program.calls.get("assignTimestampsAndWatermarks", ()):
        node = call.target
        for _ in range(_MAX_NODES):
            if node is not None and node.kind in ("name", "member"):
                node = objects.program.bound(node)
            elif node is not None and node.kind == "call" and node.name in _SAME_RECORDS:
                node = node.target
            else:
                break
        if node is None or node.kind != "call" or not node.args:
            continue
        if node.name == "addSource" or (node.name == "fromSource" and _has_no_watermarks(objects, node)):
            made = objects.made(node.args[0])
            source = maker_of(made).partition(".")[0] if made is not None else ""
            if source in _OF_PARTITIONS:
                attributes = {"source": Attribute(source, node.name_span, node.name_span, node.name)}
                found.append(Element("late-watermarks", source, call.name_span, attributes))
    return found


def _keeps_characteristic(objects: Objects) -> bool:
    """Return whether a program assigns timestamps, and leaves its environment the default time characteristic."""
    calls = objects.program.calls
    return (
        any(calls.get(name) for name in _ASSIGNS)
        and any(is_environment(objects, node.target) for node in calls.get("execute", ()))
        and "TimeCharacteristic" not in objects.program.text
        and "time_characteristic" not in objects.program.text
    )


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

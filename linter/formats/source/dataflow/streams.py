"""Which expressions of a program are streams, and which functions of it run in the tasks of a job."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects, result_of
from flink_flint.linter.formats.source.program_settings import is_environment
from flink_flint.linter.formats.source.program_tree import Node, Scope

_TYPES = ("DataStream", "StreamOperator", "KeyedStream", "StreamSource", "WindowedStream", "ConnectedStreams")
_SOURCES = frozenset({
    *("fromSource", "addSource", "fromElements", "fromCollection", "fromData", "fromSequence", "generateSequence"),
    *("socketTextStream", "readTextFile", "readFile", "fromParallelCollection", "toDataStream", "createInput"),
})  # fmt: skip
_TAKES = frozenset({
    *("map", "flatMap", "filter", "keyBy", "process", "reduce", "aggregate", "apply", "addSink", "addSource"),
})  # fmt: skip
"""Methods of streams whose functions run in tasks; the key selectors too."""
_ONCE = frozenset({"open", "initializeState", "setRuntimeContext"})
"""Methods of functions that a task calls before the first record."""
_MAX_CHAIN = 200


def is_stream(objects: Objects, node: Node | None) -> bool:
    """Return whether an expression is certainly a stream of Flink, or what a method of one returns."""
    for _ in range(_MAX_CHAIN):
        if node is None:
            return False
        if node.kind in ("name", "member"):
            holder = node.scope.holder(node.name) if node.kind == "name" else None
            declared = "" if holder is None else holder.types.get(node.name, "")
            if declared.endswith(_TYPES):
                return True
            node = objects.program.bound(node)
            continue
        if node.kind != "call":
            return False
        if node.name in _SOURCES and (
            is_environment(objects, node.target) or (node.target is not None and node.target.name in ("env", "see"))
        ):
            return True
        function = objects.program.function_of(node)
        node = node.target if function is None else result_of(function)
    return False


def task_functions(objects: Objects) -> Iterator[tuple[Node, Node | None]]:
    """Yield the functions that tasks call with records, and the class of each (None: it is a lambda)."""
    for name in _TAKES:
        for call in objects.program.calls.get(name, ()):
            for argument in call.args:
                if argument.kind == "function" and is_stream(objects, call.target):
                    yield argument, None
    for body in objects.program.nodes:
        if body.kind != "class" or not any(one.rpartition(".")[2].endswith("Function") for one in body.supers):
            continue
        for method in body.parts:
            if method.kind == "function" and method.name not in ("", body.name, *_ONCE):
                yield method, body


def value_of(function: Node) -> Node | None:
    """Return the expression that a function or lambda returns; None if it is unknown or ambiguous."""
    found = result_of(function)
    if found is not None or not function.parts:
        return found
    last = function.parts[-1]
    if last.kind == "other" and last.parts:
        last = last.parts[-1]
    return last.init if last.kind == "return" else last


def class_scope_of(node: Node) -> Scope | None:
    """Return the class whose field a name or ``this.name`` is; None if it is none."""
    if node.kind == "name":
        holder = node.scope.holder(node.name)
        return holder if holder is not None and holder.kind == "class" else None
    if node.kind == "member" and node.target is not None and node.target.kind == "name":
        return node.scope.enclosing("class") if node.target.name == "this" else None
    return None

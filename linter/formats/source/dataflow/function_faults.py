"""What a program's functions do that only works in one process, once, or while somebody looks."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.async_operators import program_text
from flink_flint.linter.formats.source.dataflow.record_functions import CLIENT_CLASSES, CLIENTS, POOLS, fields_of
from flink_flint.linter.formats.source.dataflow.streams import class_scope_of, is_stream, task_functions, value_of
from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node, Scope
from flink_flint.linter.formats.source.stateful_operators import DESCRIBING
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_EXITS = frozenset({"System.exit", "sys.exit", "exitProcess", "Runtime.halt", "Runtime.exit"})
_TUPLE = regex(r"Tuple\d\d?")
_ERASED = ("map", "flatMap")
_TYPED = ("returns",)
_SAME_OPERATOR = DESCRIBING.union(("setUidHash", "forceNonParallel", "setBufferTimeout"))
_SECONDS = regex(r"(?:[eE]poch|[uU]nix|[tT]ime(?:[sS]tamp)?|Ts|(?<![a-z])ts)_?(?:[iI]n_?)?[sS]ec(?:s|onds?)?\Z")
"""Ends of the names of times in seconds."""
_MILLISECONDS = frozenset({"currentTimeMillis", "getTime", "toEpochMilli", "getMillis", "toInstant"})
_ASSIGNERS = ("withTimestampAssigner", "assignAscendingTimestamps")
_EXTRACTS = ("extractTimestamp", "extractAscendingTimestamp")
_CHANGES = frozenset({"put", "putAll", "add", "addAll", "computeIfAbsent", "merge", "append"})
_OBJECT = regex(r"\bobject\s+$")
_NOT_CLOSED = frozenset({"HttpClient.newHttpClient", "HttpClientBuilder.create", "RestTemplate", "OkHttpClient"})
"""What has no connections once nobody refers to it."""
_MORE_CLIENTS = frozenset({"RestClient.builder", "Executors.newSingleThreadScheduledExecutor"})
_CLOSES = frozenset({"close", "dispose", "onClose", "tearDown", "finish"})


def fault_elements(objects: Objects) -> Iterator[Element]:
    """Yield the elements of a program's functions that the module is about."""
    text = objects.program.text
    if "flink" not in text:
        return
    if any(one in text for one in ("System.exit", "sys.exit", "exitProcess", ".halt(")):
        yield from _exits(objects)
    yield from _erased(objects)
    yield from _in_seconds(objects)
    yield from _set_by_main(objects)
    yield from _snapshots(objects)
    yield from _not_closed(objects)


# -- the end of the process


def _exits(objects: Objects) -> Iterator[Element]:
    seen: set[int] = set()
    for function, body in task_functions(objects):
        for node in function.walk():
            if node.kind != "call" or id(node) in seen:
                continue
            maker = maker_of(node)
            if maker in ("getRuntime.halt", "getRuntime.exit"):
                maker = maker.replace("get", "", 1)
            if maker in _EXITS:
                seen.add(id(node))
                at = Span(node.span.start, node.name_span.end)
                where = body.name if body is not None and body.name else function.name or "a lambda"
                yield Element("process-exit", program_text(objects, node) if node.target else node.name, at, {
                    "function": Attribute(where, at),
                })  # fmt: skip


# -- types that Java erases


def _erased(objects: Objects) -> Iterator[Element]:
    """Yield the lambdas of Java whose result has type arguments that are not known at run time."""
    if objects.program.language != "java":
        return
    for name in _ERASED:
        for call in objects.program.calls.get(name, ()):
            if len(call.args) != 1 or call.args[0].kind != "function" or call.args[0].name:
                continue
            result = _erased_result(objects, call)
            if result is None or not is_stream(objects, call.target) or _has_type(objects, call):
                continue
            yield Element("erased-type", call.name, call.name_span, {"type": Attribute(*result)})


def _erased_result(objects: Objects, call: Node) -> tuple[str, Span] | None:
    function = call.args[0]
    if call.name == "flatMap":
        return "Collector", function.span
    result = value_of(function)
    if result is None or result.kind not in ("call", "new"):
        return None
    maker = result.name if result.kind == "new" else result.target.name if result.target is not None else ""
    if result.kind == "call" and result.name != "of":
        return None
    if not _TUPLE.fullmatch(maker) or not result.args:
        return None
    return maker, Span(result.span.start, result.name_span.end)


def _has_type(objects: Objects, call: Node) -> bool:
    """Return whether a program says what type an operator has, or may do so where it is not seen."""
    outer = call
    while outer.parent is not None and outer.parent.kind == "call" and outer.parent.target is outer:
        outer = outer.parent
        if outer.name in _TYPED:
            return True
        if outer.name not in _SAME_OPERATOR:
            return False
    if outer.parent is None or outer.parent.kind not in ("declare", "assign"):
        return True  # nothing uses it here
    return any(one.kind == "call" and one.name in _TYPED for one in objects.calls_on(call))


# -- times in seconds


def _in_seconds(objects: Objects) -> Iterator[Element]:
    functions = [
        argument
        for name in _ASSIGNERS
        for call in objects.program.calls.get(name, ())
        for argument in call.args[:1]
        if argument.kind == "function"
    ]
    functions += [one for name in _EXTRACTS for one in objects.program.functions.get(name, ())]
    for function in functions:
        result = value_of(function)
        while result is not None and result.kind in ("other", "branch") and len(list(result.children())) == 1:
            result = next(result.children())
        unit = None if result is None else _seconds(objects, result)
        if unit is not None and result is not None:
            yield Element("event-time", unit.name or "/", result.span, {"unit": Attribute("s", unit.span)})


def _seconds(objects: Objects, node: Node) -> Node | None:
    """Return what makes an expression a time in seconds; None if nothing does."""
    if node.kind == "call" and node.name in ("int", "long", "toLong", "longValue") and len(node.args) <= 1:
        inner = node.args[0] if node.args else node.target
        return None if inner is None else _seconds(objects, inner)
    if node.kind in ("call", "member") and _SECONDS.search(node.name):
        return node
    if node.kind == "call" and node.name == "timestamp" and not node.args and objects.program.language == "python":
        return node
    if node.kind == "binary" and node.name in ("/", "//") and len(node.args) == 2:
        is_divided = objects.fold(node.args[1]) in (1000, 1000.0)
        return node if is_divided and node.args[0].kind == "call" and node.args[0].name in _MILLISECONDS else None
    return None


# -- static fields that the client alone has


def _set_by_main(objects: Objects) -> Iterator[Element]:
    """Yield the static fields that ``main`` fills and functions read, in another process."""
    seen: set[str] = set()
    for main in objects.program.functions.get("main", ()):
        owner = main.scope.parent
        if owner is None or owner.kind != "class" or owner.node is None:
            continue
        filled = _filled(objects, main, owner)
        if not filled:
            continue
        for function, _ in task_functions(objects):
            for node in function.walk():
                name = node.name
                if node.kind not in ("name", "member") or name not in filled or name in seen:
                    continue
                if _owner_of(objects, node) is owner and not _is_target(node):
                    seen.add(name)
                    at = filled[name]
                    yield Element("client-field", name, node.span, {"set": Attribute(name, at.span)})


def _filled(objects: Objects, main: Node, owner: Scope) -> dict[str, Node]:
    """Return the static fields of a class that only ``main`` fills, with the place where it does."""
    assert owner.node is not None
    is_object = _OBJECT.search(objects.program.text[owner.node.span.start : owner.node.name_span.start]) is not None
    static = {one.name: one for one in fields_of(owner.node) if is_object or "static" in one.flags}
    found: dict[str, Node] = {}
    for node in owner.node.walk():
        target = node.target
        if target is None or target.name not in static or _owner_of(objects, target) is not owner:
            continue
        if node.kind == "assign" or (node.kind == "call" and node.name in _CHANGES):
            if node.scope.enclosing("function") is not main.scope:
                static.pop(target.name, None)  # others fill it too, perhaps in the task
                found.pop(target.name, None)
                continue
            found.setdefault(target.name, node)
    return found


def _owner_of(objects: Objects, node: Node) -> Scope | None:
    if node.kind == "member" and node.target is not None and node.target.kind == "name":
        return objects.program.class_scope(node.target.name) or class_scope_of(node)
    return class_scope_of(node)


def _is_target(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.kind == "assign" and parent.target is node


# -- what a savepoint refers to


def _snapshots(objects: Objects) -> Iterator[Element]:
    """Yield the snapshots of serializers whose class has no name."""
    for method in objects.program.functions.get("snapshotConfiguration", ()):
        made = value_of(method)
        if made is not None and made.kind == "new" and made.parts:
            yield Element("anonymous-snapshot", made.name, Span(made.span.start, made.name_span.end), {})


# -- clients that stay open


def _not_closed(objects: Objects) -> Iterator[Element]:
    """Yield the clients that a function makes when it is opened, and never closes."""
    for body in objects.program.nodes:
        if body.kind != "class" or not any(map(_is_of_flink, body.supers)):
            continue
        if any(one.rpartition(".")[2] in objects.program.classes for one in body.supers):
            continue
        methods = {one.name: one for one in body.parts if one.kind == "function" and one.name}
        if "open" not in methods or _CLOSES.intersection(methods):
            continue
        for node in methods["open"].walk():
            target = node.target
            if node.kind != "assign" or node.init is None or target is None or class_scope_of(target) is not body.scope:
                continue
            made = objects.made(node.init)
            if made is None or not _is_open(made):
                continue
            text = f"new {made.name}" if made.kind == "new" else maker_of(made)
            yield Element("unclosed-client", target.name, target.span, {
                "made": Attribute(text, made.span), "function": Attribute(body.name or "", body.name_span),
            })  # fmt: skip
            break


def _is_of_flink(name: str) -> bool:
    """Return whether a class that a function extends is one of Flink's with ``open``."""
    simple = name.rpartition(".")[2]
    return simple.endswith("ProcessFunction") or (simple.startswith("Rich") and simple.endswith("Function"))


def _is_open(made: Node) -> bool:
    maker = maker_of(made)
    if maker in _NOT_CLOSED or made.parts:
        return False
    if made.kind == "new":
        return made.name in CLIENT_CLASSES
    is_pool = made.target is not None and made.target.name == "Executors" and made.name in POOLS
    return is_pool or maker in CLIENTS or maker in _MORE_CLIENTS

"""The keyed state of a job's functions: whether it grows, and whether anything ever removes it."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_STATES = {"getListState": "list", "getMapState": "map"}
_CONTEXTS = ("getRuntimeContext", "runtimeContext", "runtime_context", "ctx", "context", "getRuntimeContext()")
_GROWS = ("add", "addAll", "put", "putAll")
_REPLACES = ("update", "updateValue")
_CLEARS = ("clear", "remove")
_TIMER = regex(r"\bregister(?:EventTime|ProcessingTime)Timer\b|\bregister_(?:event|processing)_time_timer\b")
_COLLECTION = regex(r"\bValueSpec<\s*\w*(?:List|Map|Set|Queue|Deque)\b")
_EXPIRES = regex(r"^thatExpire")
_LOOKBEHIND = 200
"""Characters before a specification in which its declared type is."""


def state_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``keyed-state`` elements of a program: lists and maps for each key."""
    for method, kind in _STATES.items():
        for call in objects.program.calls.get(method, ()):
            found = _state(objects, call, kind)
            if found is not None:
                yield found
    yield from _specifications(objects)


def _state(objects: Objects, call: Node, kind: str) -> Element | None:
    target = call.target
    if target is None or target.name not in _CONTEXTS or len(call.args) != 1:
        return None
    body = _class_of(call)
    name = _variable(call)
    if body is None or not name or not _is_of_keys(body):
        return None
    descriptor = objects.made(call.args[0])
    if descriptor is None or not descriptor.name.endswith("StateDescriptor"):
        return None
    calls, is_read_elsewhere = _uses(body, name)
    expires = any(one.name == "enableTimeToLive" for one in objects.calls_on(descriptor))
    growing = next((one for one in calls if one.name in (*_GROWS, *_REPLACES)), None)
    if is_read_elsewhere or growing is None:
        return None
    title = objects.fold(descriptor.args[0]) if descriptor.args else None
    attributes = {"kind": Attribute(kind, call.name_span), "grows": Attribute(growing.name, growing.name_span)}
    if expires or _is_handed_on(objects, call.args[0]):
        attributes["expires"] = Attribute(expires or None, call.name_span)
    if any(one.name in _CLEARS for one in calls) or (kind == "map" and _iterates(calls)):
        attributes["cleared"] = Attribute(True, call.name_span)
    if any(one.name in _REPLACES for one in calls):
        attributes["replaced"] = Attribute(True, call.name_span)
    if _TIMER.search(objects.program.raw(body.span)):
        attributes["timer"] = Attribute(True, call.name_span)
    at = Span(descriptor.span.start, descriptor.name_span.end)
    if not call.span.start <= at.start <= call.span.end:
        at = call.name_span
    return Element("keyed-state", title if isinstance(title, str) else name, at, attributes)


def _is_handed_on(objects: Objects, node: Node) -> bool:
    """Return whether a descriptor is given to a function that may let the state expire."""
    holder = node.scope.holder(node.name) if node.kind == "name" else None
    if holder is None:
        return False
    parents = [use.parent for use in objects.program.uses(holder, node.name)]
    return any(
        one is not None and one.kind == "call" and one.name not in _STATES
        and any(argument.name == node.name for argument in one.args)
        for one in parents
    )  # fmt: skip


def _class_of(node: Node) -> Node | None:
    scope = node.scope.enclosing("class")
    return None if scope is None else scope.node


def _is_of_keys(body: Node) -> bool:
    """Return whether a function keeps its state by key, and not by window."""
    return any(one.endswith("Function") and "Window" not in one and "Broadcast" not in one for one in body.supers)


def _variable(call: Node) -> str:
    """Return the field that a state is assigned to; an empty string if there is none."""
    parent = call.parent
    if parent is None:
        return ""
    if parent.kind == "declare":
        return parent.name
    if parent.kind == "assign" and parent.target is not None and parent.target.kind in ("name", "member"):
        return parent.target.name
    return ""


def _uses(body: Node, name: str) -> tuple[list[Node], bool]:
    """Return the calls on a field of a class, and whether it is handed to something else."""
    calls, elsewhere = [], False
    for node in body.walk():
        if node.kind not in ("name", "member") or node.name != name or node.parent is None:
            continue
        parent = node.parent
        if parent.kind == "call" and parent.target is node:
            calls.append(parent)
        elif parent.kind in ("call", "new", "return") and parent.target is not node:
            elsewhere = True
    return calls, elsewhere


def _iterates(calls: list[Node]) -> bool:
    """Return whether entries may be removed through an iterator."""
    return any(one.name == "iterator" for one in calls)


def _specifications(objects: Objects) -> Iterator[Element]:
    """Yield the collections that Stateful Functions keep for each address."""
    for call in objects.program.calls.get("named", ()):
        if call.target is None or call.target.name != "ValueSpec":
            continue
        outer, names = call, set()
        while outer.parent is not None and outer.parent.kind == "call" and outer.parent.target is outer:
            outer = outer.parent
            names.add(outer.name)
        declared, body = outer.parent, _class_of(call)
        if declared is None or declared.kind != "declare" or body is None or any(map(_EXPIRES.match, names)):
            continue
        before = objects.program.text[max(0, call.span.start - _LOOKBEHIND) : call.span.start].rpartition(";")[2]
        if not _COLLECTION.search(before):
            continue
        inner = [one for one in body.walk() if one.kind == "call"]
        is_removed = any(
            one.name == "remove" and any(argument.name == declared.name for argument in one.args) for one in inner
        )
        grows = next((one for one in inner if one.name in _GROWS), None)
        if grows is None:
            continue
        attributes = {"kind": Attribute("specification", call.span), "grows": Attribute(grows.name, grows.name_span)}
        if is_removed:
            attributes["cleared"] = Attribute(True, call.span)
        title = objects.fold(call.args[0]) if call.args else None
        name = title if isinstance(title, str) else declared.name
        yield Element("keyed-state", name, Span(call.span.start, call.name_span.end), attributes)

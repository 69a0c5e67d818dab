"""Lists in operator state: union lists, which every subtask receives in full, and lists that grow with the data."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects, is_in_branch
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_STATES = ("getListState", "getUnionListState")
_ADDERS = ("add", "addAll", "update")
_SINGLE = frozenset({"singletonList", "singleton", "emptyList", "of", "asList", "listOf", "List", "Seq"})
"""Methods that create a list of elements in the program."""
_FOR = regex(r"for\b")
_EACH = frozenset({"forEach", "foreach"})


def list_state_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``union-state`` and ``list-state`` elements for the list states of a program."""
    for call in objects.program.calls.get("getUnionListState", ()):
        if call.target is not None and call.args:
            grows = _added_when_restored(objects, call)
            attributes: dict[str, Attribute] = {}
            if grows is not None:
                attributes["grows"] = Attribute(grows.name, Span(grows.span.start, grows.name_span.end))
            yield Element("union-state", _name(objects, call), call.name_span, attributes)
    for adder in _ADDERS:
        for call in objects.program.calls.get(adder, ()):
            state = _operator_state(objects, call.target)
            if state is None or len(call.args) != 1 or not _is_within(call, "snapshotState"):
                continue
            by = _loop(objects, call) if adder == "add" else _collection(objects, call.args[0])
            if by:
                by_loop = {"by": Attribute(by, call.name_span, None, call.name)}
                yield Element("list-state", _name(objects, state), call.name_span, by_loop)


def _added_when_restored(objects: Objects, state: Node) -> Node | None:
    """Return the call that adds to a union list at each restore, if nothing in the class ever replaces it."""
    scope = state.scope.enclosing("class")
    if scope is None or scope.node is None:
        return None
    calls = [node for node in scope.node.walk() if node.kind == "call" and node.target is not None]
    for node in calls:
        if node.name not in ("add", "addAll") or not _is_within(node, "initializeState") or is_in_branch(node):
            continue
        assert node.target is not None
        if objects.program.bound(node.target) is not state:
            continue
        name = node.target.name
        if any(one.name in ("update", "clear") and one.target is not None and one.target.name == name for one in calls):
            return None
        return node
    return None


def _name(objects: Objects, call: Node) -> str:
    """Return the name of a state, from its descriptor, or an empty string if it is unknown."""
    if not call.args:
        return ""
    made = call.args[0] if call.args[0].kind == "new" else objects.program.bound(call.args[0])
    name = objects.fold(made.args[0]) if made is not None and made.args else None
    return name if isinstance(name, str) else ""


def _operator_state(objects: Objects, node: Node | None) -> Node | None:
    """Return the call that gets a list from the operator state store, or None, for example for keyed state."""
    state = None if node is None else objects.program.bound(node)
    if state is None or state.kind != "call" or state.name not in _STATES or state.target is None:
        return None
    store = state.target if state.target.kind == "call" else objects.program.bound(state.target)
    return state if store is not None and store.name in ("getOperatorStateStore", "operatorStateStore") else None


def _is_within(node: Node, method: str) -> bool:
    ancestor: Node | None = node
    while ancestor is not None:
        if ancestor.kind == "function" and ancestor.name == method:
            return True
        ancestor = ancestor.parent
    return False


def _loop(objects: Objects, call: Node) -> str:
    """Return the loop in which a call adds elements: ``for``, ``forEach``, or ``foreach``; empty if there is none."""
    ancestor = call.parent
    while ancestor is not None and ancestor.name != "snapshotState":
        if ancestor.kind in ("branch", "other") and _FOR.match(objects.program.text, ancestor.span.start):
            return "for"
        if ancestor.kind == "call" and ancestor.name in _EACH:
            return ancestor.name
        ancestor = ancestor.parent
    return ""


def _collection(objects: Objects, node: Node) -> str:
    """Return ``collection`` if an added collection is not a fixed list of elements, otherwise an empty string."""
    made = node if node.kind in ("call", "new") else objects.program.bound(node)
    return "" if made is not None and made.kind == "call" and made.name in _SINGLE else "collection"

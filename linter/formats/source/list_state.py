"""Lists in operator state: unions, which every subtask gets all of, and lists that grow with the data."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex

_STATES = ("getListState", "getUnionListState")
_ADDERS = ("add", "addAll", "update")
_SINGLE = frozenset({"singletonList", "singleton", "emptyList", "of", "asList", "listOf", "List", "Seq"})
"""What makes a list of elements that stand in the program."""
_FOR = regex(r"for\b")
_EACH = frozenset({"forEach", "foreach"})


def list_state_elements(objects: Objects) -> Iterator[Element]:
    """The elements ``union-state`` and ``list-state`` of a program."""
    for call in objects.program.calls.get("getUnionListState", ()):
        if call.target is not None and call.args:
            yield Element("union-state", _name(objects, call), call.name_span, {})
    for adder in _ADDERS:
        for call in objects.program.calls.get(adder, ()):
            state = _operator_state(objects, call.target)
            if state is None or len(call.args) != 1 or not _is_in_snapshot(call):
                continue
            by = _loop(objects, call) if adder == "add" else _collection(objects, call.args[0])
            if by:
                attributes = {"by": Attribute(by, call.name_span, None, call.name)}
                yield Element("list-state", _name(objects, state), call.name_span, attributes)


def _name(objects: Objects, call: Node) -> str:
    """The name in the descriptor that a state is asked for with; empty where nobody can tell."""
    if not call.args:
        return ""
    made = call.args[0] if call.args[0].kind == "new" else objects.program.bound(call.args[0])
    name = objects.fold(made.args[0]) if made is not None and made.args else None
    return name if isinstance(name, str) else ""


def _operator_state(objects: Objects, node: Node | None) -> Node | None:
    """The call that a list in operator state comes from; keyed state of the same class is none."""
    state = None if node is None else objects.program.bound(node)
    if state is None or state.kind != "call" or state.name not in _STATES or state.target is None:
        return None
    store = state.target if state.target.kind == "call" else objects.program.bound(state.target)
    return state if store is not None and store.name in ("getOperatorStateStore", "operatorStateStore") else None


def _is_in_snapshot(node: Node) -> bool:
    above: Node | None = node
    while above is not None:
        if above.kind == "function" and above.name == "snapshotState":
            return True
        above = above.parent
    return False


def _loop(objects: Objects, call: Node) -> str:
    """What adds one element after the other: ``for``, or a function that is called for each; empty for neither."""
    above = call.parent
    while above is not None and above.name != "snapshotState":
        if above.kind in ("branch", "other") and _FOR.match(objects.program.text, above.span.start):
            return "for"
        if above.kind == "call" and above.name in _EACH:
            return above.name
        above = above.parent
    return ""


def _collection(objects: Objects, node: Node) -> str:
    """Says that a collection is added whose elements do not stand in the program."""
    made = node if node.kind in ("call", "new") else objects.program.bound(node)
    return "" if made is not None and made.kind == "call" and made.name in _SINGLE else "collection"

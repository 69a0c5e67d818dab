"""Streams of changes that a program treats as streams of new rows."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.async_operators import program_text
from flink_flint.linter.formats.source.dataflow.append_streams import updates_of
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.stateful_operators import DESCRIBING
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex

_METHODS = ("toChangelogStream", "toRetractStream")
_KINDS = frozenset({"getKind", "getRowKind", "setKind", "setRowKind", "RowKind", "kind", "f0", "_1", "getField"})
"""What reads or writes the kind of a row, or the flag before it."""
_SAME = DESCRIBING.union(("filter", "keyBy", "union", "rebalance", "rescale", "forward", "shuffle"))
"""Methods whose stream has the same rows."""
_READS = ("map", "flatMap", "process")
_MAX_CHAIN = 40
_RETRACTS = regex(r"\b(?:RowKind|getKind|get_row_kind|getRowKind)\b")


def changelog_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``changelog-stream`` for each stream of changes whose kinds a program drops."""
    calls = objects.program.calls
    if not any(calls.get(name) for name in _METHODS):
        return
    for name in ("fromDataStream", "createTemporaryView"):
        for call in calls.get(name, ()):
            place = 0 if name == "fromDataStream" else 1
            source = _source(objects, call.args[place]) if len(call.args) > place else None
            if source is not None and source.name == "toChangelogStream":
                yield Element("changelog-stream", source.name, call.name_span, {
                    "into": Attribute(call.name, source.name_span),
                })  # fmt: skip
    for name in _METHODS:
        for call in calls.get(name, ()):
            found = updates_of(objects, call.args[0]) if call.args else None
            dropped = None if found is None else _dropped(objects, call)
            if found is not None and dropped is not None:
                yield Element("changelog-stream", name, dropped.name_span, {
                    "updates": Attribute(found[0], found[1]),
                    "function": Attribute(program_text(objects, dropped)[-40:], dropped.name_span),
                })  # fmt: skip


def _source(objects: Objects, node: Node | None) -> Node | None:
    """Return the call that makes a stream of changes which an expression still is; None if it is none."""
    for _ in range(_MAX_CHAIN):
        if node is None:
            return None
        if node.kind in ("name", "member"):
            node = objects.program.bound(node)
        elif node.kind != "call":
            return None
        elif node.name in _METHODS:
            return node
        else:
            node = node.target if node.name in _SAME else None
    return None


def _dropped(objects: Objects, made: Node) -> Node | None:
    """Return the first operator of a stream of changes that keeps the row and not its kind; None if none does."""
    for call in objects.calls_on(made):
        if call.kind != "call":
            continue
        if call.name in _READS:
            function = call.args[0] if call.args else None
            is_lambda = function is not None and function.kind == "function" and not function.name
            return call if function is not None and is_lambda and _keeps_no_kind(objects, function) else None
        if call.name == "filter" and (not call.args or not _ignores(objects, call.args[0])):
            return None
        if call.name not in _SAME:
            return None
    return None


def _keeps_no_kind(objects: Objects, function: Node) -> bool:
    """Return whether a lambda reads fields of the row, and passes neither it nor its kind on."""
    return _ignores(objects, function) and any(one.kind in ("call", "member", "index") for one in function.walk())


def _ignores(objects: Objects, function: Node) -> bool:
    if function.kind != "function" or _RETRACTS.search(objects.program.raw(function.span)):
        return False
    parameters = set(function.scope.values)
    for node in function.walk():
        if node.kind in ("call", "member") and node.name in _KINDS and not _is_column(objects, node):
            return False
        if node.kind == "index" and node.args and objects.fold(node.args[0]) == 0:
            return False
        if node.kind == "name" and node.name in parameters:
            parent = node.parent
            if parent is None or parent.target is not node:
                return False  # what gets the whole row may read its kind
    return True


def _is_column(objects: Objects, node: Node) -> bool:
    """Return whether a call reads a column of a row by its name or number."""
    return node.name == "getField" and objects.fold(node.args[0] if node.args else None) is not None

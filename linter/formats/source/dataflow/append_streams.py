"""Streams that are made of tables as if their rows were only added, though they are updated."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.text_pieces import pieces_of
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_METHODS = ("toAppendStream", "toDataStream")
_UPDATES = regex(r"(?i)\b(GROUP\s+BY|SELECT\s+DISTINCT|(?:LEFT|RIGHT|FULL)(?:\s+OUTER)?\s+JOIN)\b")
_WINDOWED = regex(
    r"(?i)\b(?:TUMBLE|HOP|SESSION|CUMULATE|window_start|window_end|OVER|LATERAL|FOR\s+SYSTEM_TIME|BETWEEN|UNNEST)\b"
)
"""What may make the result of a query one whose rows are only added."""
_BATCH = regex(r"inBatchMode|in_batch_mode|\bBATCH\b|BatchTableEnvironment")
_MAX_CHAIN = 40


def append_elements(objects: Objects) -> Iterator[Element]:
    """Yield an ``append-stream`` element for each stream that is made so of a table with updates."""
    calls = [call for name in _METHODS for call in objects.program.calls.get(name, ()) if call.args]
    if not calls or _BATCH.search(objects.program.text):
        return
    for call in calls:
        found = updates_of(objects, call.args[0])
        if found is not None:
            text, place = found
            yield Element("append-stream", call.name, call.name_span, {"updates": Attribute(text, place)})


def updates_of(objects: Objects, node: Node | None) -> tuple[str, Span] | None:
    """Return what makes a table updated, and where it is; None if nothing does for certain."""
    grouped: Node | None = None
    for _ in range(_MAX_CHAIN):
        if node is None:
            return None
        if node.kind in ("name", "member"):
            node = objects.program.bound(node)
            continue
        if node.kind != "call":
            return None
        if node.name == "sqlQuery" and node.args:
            pieces = pieces_of(objects, node.args[0])
            text = "" if pieces is None else "".join(piece.text for piece in pieces)
            found = None if _WINDOWED.search(text) else _UPDATES.search(text)
            return None if found is None else (" ".join(found[1].upper().split()), node.name_span)
        if node.name in ("window", "over", "leftOuterJoinLateral", "joinLateral"):
            return None
        if node.name == "groupBy":
            grouped = node
        if node.target is None or objects.program.function_of(node) is not None:
            return None
        if node.name in ("from", "fromPath", "scan", "fromDataStream", "fromValues", "fromElements"):
            break
        node = node.target
    return None if grouped is None else ("groupBy", grouped.name_span)

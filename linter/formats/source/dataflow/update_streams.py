"""Streams of updates of queries that a program is given, with what keeps their state from growing."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.model.elements import Attribute, Element

_METHOD, _QUERY = "toRetractStream", "sqlQuery"
_RETENTION = ("withIdleStateRetentionTime", "setIdleStateRetentionTime", "setIdleStateRetention")
"""Methods that set how long state of queries is kept."""
_TTL = "table.exec.state.ttl"


def update_elements(objects: Objects) -> Iterator[Element]:
    """Yield an ``update-stream`` element for each stream of updates, in a program whose queries are not its own."""
    calls = objects.program.calls
    streams = calls.get(_METHOD, ())
    asked = [call.args[0] for call in calls.get(_QUERY, ()) if call.args] if streams else []
    if not asked or any(isinstance(objects.fold(query), str) for query in asked):
        return
    attributes = {"query": objects.attribute(asked[0], None)}
    if any(calls.get(name) for name in _RETENTION) or _TTL in objects.program.text:
        attributes["retention"] = Attribute(True, asked[0].span)
    for call in streams:
        yield Element("update-stream", _METHOD, call.name_span, attributes)

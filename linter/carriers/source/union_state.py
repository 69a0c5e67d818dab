"""Union lists in operator state: what every subtask gets all of when a job is restored."""

from __future__ import annotations

from linter.carriers.source.objects import Objects
from linter.elements import Element


def union_state_elements(objects: Objects) -> list[Element]:
    """The elements ``union-state`` of a program."""
    found = []
    for call in objects.program.calls.get("getUnionListState", ()):
        if call.target is None or not call.args:
            continue
        made = call.args[0] if call.args[0].kind == "new" else objects.program.bound(call.args[0])
        name = objects.fold(made.args[0]) if made is not None and made.args else None
        found.append(Element("union-state", name if isinstance(name, str) else "", call.name_span, {}))
    return found

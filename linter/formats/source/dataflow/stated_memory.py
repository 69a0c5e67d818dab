"""How much memory a program states: for its slots, and for the state that checkpoints keep in the JobManager's heap."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.formats.source.program_objects import Objects, head_of, plain
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Element

_PARTS = {
    "setTaskHeapMemory": "task-heap", "setTaskOffHeapMemory": "task-off-heap", "setManagedMemory": "managed",
}  # fmt: skip
"""What a slot sharing group asks for, by the method that states it."""
_IN_MB = ("MB", "Mb")
"""How the names of methods end that count MiB, in Java and in Python."""
_BUILDERS = ("newBuilder", "builder")
_IN_HEAP = ("JobManagerCheckpointStorage", "MemoryStateBackend")
"""The storages whose checkpoints lie in the JobManager's heap."""


def memory_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``slot-request`` for each slot sharing group, and ``heap-storage`` for each storage with a limit."""
    calls = objects.program.calls
    for name in _BUILDERS:
        for call in calls.get(name, ()):
            if call.target is not None and call.target.name == "SlotSharingGroup":
                yield from _request(objects, call)
    for name in _IN_HEAP:
        for made in (*objects.program.news.get(name, ()), *calls.get(name, ())):
            for argument in made.args:
                value = objects.fold(argument)
                if isinstance(value, int) and not isinstance(value, bool):
                    yield Element("heap-storage", name, head_of(made), {"limit": objects.attribute(argument, value)})


def _request(objects: Objects, made: Node) -> Iterator[Element]:
    asked = {}
    for call in objects.calls_on(made):
        in_mb = call.name.endswith(_IN_MB)
        part = _PARTS.get(call.name[:-2] if in_mb else call.name)
        if part is None or len(call.args) != 1:
            continue
        size = _bytes(plain(objects.fold(call.args[0])), 1 << 20 if in_mb else 1)
        asked[part] = objects.attribute(call.args[0], size, call)
    if asked:
        yield Element("slot-request", "SlotSharingGroup", head_of(made), asked)


def _bytes(value: object, unit: int) -> int | None:
    """Return the bytes of a number in a unit, or of a size as text; None if they are not known."""
    if isinstance(value, str):
        try:
            return int(parse_memory(value))
        except BadValue:
            return None
    return value * unit if isinstance(value, int) and not isinstance(value, bool) else None

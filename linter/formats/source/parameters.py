"""The parameters and environment variables whose defaults a program takes for settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flink_flint.linter.formats.source.constant_folding import looked_up
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_settings import Made
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_MAX_NODES = 200
_CONVERSIONS = frozenset({
    *("parseInt", "parseLong", "parseBoolean", "parseDouble", "valueOf", "int", "float", "toInt", "toLong", "toDouble"),
    *("toBoolean", "intValue", "longValue", "trim", "strip"),
})  # fmt: skip
"""Functions and methods that convert what was looked up and do not change it."""


def parameter_elements(objects: Objects, made: Iterable[Made]) -> list[Element]:
    """Return an element for each parameter with a default that settings are made of."""
    found: list[Element] = []
    for one in made:
        if one.value is None or one.value_node is None:
            continue
        for lookup, is_all in _lookups(objects, one.value_node):
            name = looked_up(lookup)
            word = objects.fold(name) if name is not None else None
            if not isinstance(word, str) or not word:
                continue
            span = one.value_node.span
            attributes = {"key": Attribute(one.key, one.key_node.span)}
            if is_all:
                attributes["default"] = Attribute(one.value, span)
            found.append(Element("parameter", word, span, attributes))
    return found


def _lookups(objects: Objects, node: Node) -> Iterator[tuple[Node, bool]]:
    """Yield the lookups with a default in an expression, and whether the expression has exactly the looked-up value."""
    pending: list[tuple[Node, bool]] = [(node, True)]
    seen: set[int] = set()
    while pending and len(seen) < _MAX_NODES:
        one, is_all = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.kind in ("name", "member"):
            bound = objects.program.bound(one)
            if bound is not None:
                pending.append((bound, is_all))
                continue
        if one.kind == "call" and looked_up(one) is not None:
            yield one, is_all
            continue
        converts = one.kind in ("call", "member") and one.name in _CONVERSIONS
        pending += [(child, is_all and converts) for child in one.children()]

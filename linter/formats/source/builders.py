"""Helpers for reading the builders of connectors, where each setter becomes an attribute."""

from __future__ import annotations

from functools import lru_cache

from flink_flint.linter.formats.source.constant_folding import Symbol
from flink_flint.linter.formats.source.program_objects import Objects, plain
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.text.lazy_regex import regex

_WORD = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COLLECTIONS = frozenset({
    *("asList", "of", "singletonList", "singleton", "newArrayList", "newHashSet", "listOf", "setOf", "asJava"),
    *("List", "Set", "Seq", "Array", "Vector", "Arrays", "list", "set", "tuple", "asJavaCollection", "toArray"),
})  # fmt: skip
"""Functions and methods whose result has their arguments; what others return is not what they are given."""
_MAX_EXPRESSIONS = 200
"""Maximum number of expressions that are searched for topic names; a variable may refer to itself."""
_SETTER = regex(r"(?:set|with)(?=[A-Z])")


@lru_cache(maxsize=1_000)
def attribute_name(method: str) -> str:
    """Return the attribute name of a setter, such as ``transactional-id-prefix`` for ``setTransactionalIdPrefix``."""
    return "-".join(_WORD.split(_SETTER.sub("", method, count=1))).lower()


def set_attributes(objects: Objects, attributes: dict[str, Attribute], calls: list[Node]) -> None:
    """Add an attribute for each setter call: its first argument (None if unknown), or True if it has no arguments."""
    for call in calls:
        if call.kind != "call" or call.name in ("build", "builder"):
            continue
        if call.args and call.args[0].kind != "function" and _SETTER.match(call.name):
            attributes[attribute_name(call.name)] = objects.attribute(call.args[0], known(objects, call.args[0]), call)
        elif not call.args and call.name.startswith(("enable", "disable")):
            attributes[attribute_name(call.name)] = Attribute(True, call.name_span, call.name_span, call.name)


def known(objects: Objects, node: Node | None) -> object:
    """Return the value of an argument as an attribute's value (for an enum constant, its name); None if unknown."""
    value = objects.fold(node)
    return value.name if isinstance(value, Symbol) and value.owner else plain(value)


def texts(objects: Objects, node: Node | None, more: list[Node]) -> list[str]:
    """Return the known strings in the argument `node`, which may be a list, and in the arguments `more`."""
    found: list[str] = []
    stack = [node, *more] if node is not None else list(more)
    for _ in range(_MAX_EXPRESSIONS):
        if not stack:
            break
        one = stack.pop(0)
        if one is None:
            continue
        value = objects.fold(one)
        if isinstance(value, str):
            found.append(value)
        elif one.kind in ("name", "member"):
            bound = objects.program.bound(one)
            stack[:0] = [] if bound is None else [bound]
        elif one.kind in ("new", "list", "other") or (one.kind == "call" and one.name in _COLLECTIONS):
            stack[:0] = one.args or (one.parts if one.kind == "other" else [])
    return found

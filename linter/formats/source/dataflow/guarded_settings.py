"""Settings that a function makes only if a parameter is true, and calls that give one for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_settings import Made
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element

_BOOLEANS = ("boolean", "Boolean", "bool")
_MAX_ARGUMENTS = 6


def guarded_elements(objects: Objects, made: Iterable[Made]) -> Iterator[Element]:
    """Yield the ``guarded-settings`` and ``flag-call`` elements of a program."""
    found: dict[tuple[int, str], tuple[Node, list[Made]]] = {}
    for one in made:
        guard = _guard(one.key_node)
        if guard is not None:
            function, name = guard
            found.setdefault((id(function), name), (function, []))[1].append(one)
    for (_, name), (function, several) in found.items():
        owner = function.scope.parent.enclosing("class") if function.scope.parent is not None else None
        at = several[0].key_node.name_span
        yield Element("guarded-settings", function.name, function.name_span, {
            "class": Attribute("" if owner is None else owner.name, function.name_span),
            "position": Attribute(list(function.scope.values).index(name), function.name_span),
            "parameter": Attribute(name, function.name_span),
            "keys": Attribute(", ".join(dict.fromkeys(one.key for one in several)), at),
        })  # fmt: skip
    for calls in objects.program.calls.values():
        for call in calls:
            for position, argument in enumerate(call.args[:_MAX_ARGUMENTS]):
                if _is_boolean(argument) and _is_static(call):
                    assert call.target is not None
                    yield Element("flag-call", call.name, call.name_span, {
                        "class": Attribute(call.target.name, call.target.span),
                        "position": Attribute(position, argument.span),
                        "value": Attribute(argument.value if argument.kind == "bool" else None, argument.span),
                    })  # fmt: skip


def _is_boolean(node: Node) -> bool:
    """Return whether an argument is a literal or a variable of truth."""
    if node.kind == "bool":
        return True
    holder = node.scope.holder(node.name) if node.kind == "name" else None
    if node.kind == "member" and node.target is not None and node.target.name == "this":
        holder = node.scope.enclosing("class")
    return holder is not None and holder.types.get(node.name) in _BOOLEANS


def _guard(node: Node) -> tuple[Node, str] | None:
    """Return the function whose parameter decides whether a node runs, and the parameter; None if there is none."""
    inner, ancestor = node, node.parent
    while ancestor is not None and ancestor.kind != "function":
        condition = ancestor.init
        if (
            ancestor.kind == "branch" and ancestor.name == "if" and condition is not None and condition.kind == "name"
            and ancestor.parts and inner is ancestor.parts[0]
        ):  # fmt: skip
            function = _function_with(condition)
            if function is not None:
                return function, condition.name
        inner, ancestor = ancestor, ancestor.parent
    return None


def _function_with(name: Node) -> Node | None:
    """Return the function that a name is a boolean parameter of; None if it is none."""
    holder = name.scope.holder(name.name)
    if holder is None or holder.values[name.name] != [None] or holder.types.get(name.name) not in _BOOLEANS:
        return None
    function = holder.node
    return function if function is not None and function.kind == "function" and function.name else None


def _is_static(call: Node) -> bool:
    target = call.target
    return target is not None and target.kind == "name" and target.name[:1].isupper()

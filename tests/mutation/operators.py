"""How a condition is broken: mutmut's operators on nodes, and those that it lacks.

mutmut does not take the conditions of `if` and comprehensions away, nor the parts of `and` and `or`; it does not enter
decorated functions either, which is what rules are, so that only its operators are used here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst
from mutmut.mutation import mutators

from flink_flint.linter.model.rule import CATALOGUED
from tests.mutation.judged import called

_OF_CONDITIONS: mutators.OPERATORS_TYPE = (
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.ComparisonTarget, mutators.operator_swap_op),
    (cst.Match, mutators.operator_match),
    (cst.IfExp, mutators.operator_if_exp),
)
_OF_DATA: mutators.OPERATORS_TYPE = (
    (cst.Name, mutators.operator_name),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.Call, mutators.operator_unsymmetrical_string_methods_swap),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.BinaryOperation, mutators.operator_swap_op),
    (cst.AugAssign, mutators.operator_swap_op),
)
_LARGE = 1000
"""Numbers beyond are sizes and units, which one more does not change; they are doubled."""
_TABLE = 3
"""Strings of a longer collection are a list of names that belong together, and not each a condition."""
_BOUNDS = frozenset({"flink", "only", "always", "every_release", "of_scale"})
"""What a declaration bounds the rule with."""


def broken(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """What of a node is broken, and how it is then; in each way there is."""
    yield from broken_condition(node)
    for kind, operator in _OF_DATA:
        if isinstance(node, kind):
            for changed in operator(node):
                yield node, changed
    if isinstance(node, cst.Integer | cst.Float):
        for changed in _number(node):
            yield node, changed
    elif isinstance(node, cst.SimpleString):
        for changed in _text(node):
            yield node, changed
    elif is_table(node):
        yield node, _emptied(node)


def broken_condition(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """The same of what decides a branch: tests, comparisons, `and`, `or` and `not`."""
    for kind, operator in _OF_CONDITIONS:
        if isinstance(node, kind):
            for changed in operator(node):
                yield node, changed
    if isinstance(node, cst.If | cst.CompIf):
        yield node.test, cst.Name("False")
        yield node.test, cst.Name("True")
    elif isinstance(node, cst.While):
        yield node.test, cst.Name("False")
    elif isinstance(node, cst.BooleanOperation):
        yield node, node.left
        yield node, node.right


def unbound(declaration: cst.Call) -> Iterator[cst.Call]:
    """A rule's declaration without one of its bounds, or one of the occasions that call for it."""
    for argument in declaration.args:
        name = argument.keyword.value if argument.keyword else ""
        if name in _BOUNDS and not _is_usual(argument.value) and not (name == "of_scale" and _is_mild(declaration)):
            yield declaration.with_changes(args=[other for other in declaration.args if other is not argument])
        elif name in ("reads", "when") and isinstance(argument.value, cst.List) and len(argument.value.elements) > 1:
            for element in argument.value.elements:
                rest = [other for other in argument.value.elements if other is not element]
                yield declaration.with_deep_changes(argument.value, elements=rest)


def _emptied(table: cst.CSTNode) -> cst.CSTNode:
    if isinstance(table, cst.Set):
        return cst.parse_expression("set()")
    return cst.Tuple([]) if isinstance(table, cst.Tuple) else table.with_changes(elements=[])


def _is_mild(declaration: cst.Call) -> bool:
    """Whether a rule gives advice alone, so that its scale makes it no milder."""
    return any(argument.keyword and argument.keyword.value == "severity" and called(argument.value) == "INFO"
               for argument in declaration.args)  # fmt: skip


def _is_usual(bound: cst.BaseExpression) -> bool:
    """Whether a bound is what there is without one."""
    return isinstance(bound, cst.SimpleString) and bound.raw_value == CATALOGUED


def is_table(node: cst.CSTNode) -> bool:
    """Whether a node is a collection of so many strings that they are data and no conditions."""
    if not isinstance(node, cst.Tuple | cst.List | cst.Set | cst.Dict):
        return False
    return len(node.elements) > _TABLE or any(isinstance(one, cst.StarredElement) for one in node.elements)


def _number(node: cst.Integer | cst.Float) -> Iterable[cst.CSTNode]:
    if abs(node.evaluated_value) > _LARGE:
        return [node.with_changes(value=repr(node.evaluated_value * 2))]
    return mutators.operator_number(node)


def _text(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    """A key, a name or a value becomes another; a sentence and an empty text stay as they are."""
    text = node.evaluated_value
    if text and isinstance(text, str) and not any(character.isspace() for character in text):
        yield from list(mutators.operator_string(node))[:1]


def is_declaration(node: cst.CSTNode) -> bool:
    """Whether a decorator declares a rule."""
    return isinstance(node, cst.Decorator) and isinstance(node.decorator, cst.Call) and called(node.decorator) == "rule"

"""Template functions for conditions: comparison, emptiness, defaults, kinds."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.go_values import (
    Unknown,
    is_bool,
    is_empty,
    is_equal,
    kind,
    text_argument,
    truth,
    type_name,
    why_unknown,
)
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered


@function("default", passes_unknown=True, least=1)
def default(budget: Budget, fallback: object, *given: object) -> object:
    """Return the given value, or `fallback` if the value is empty or missing."""
    if not given:
        return fallback
    if why_unknown(given[0]):
        return given[0]
    return fallback if is_empty(given[0]) else given[0]


@function("coalesce", passes_unknown=True)
def coalesce(budget: Budget, *values: object) -> object:
    """Return the first value that is not empty, or nil if all are empty."""
    return next((value for value in values if why_unknown(value) or not is_empty(value)), None)


@function("empty", least=1, most=1)
def empty(budget: Budget, value: object) -> object:
    """Return whether a value is empty, as Sprig defines it."""
    return is_empty(value)


@function("all")
def all_of(budget: Budget, *values: object) -> object:
    """Return whether all values are non-empty."""
    return not any(map(is_empty, values))


@function("any")
def any_of(budget: Budget, *values: object) -> object:
    """Return whether at least one value is non-empty."""
    return not all(map(is_empty, values))


@function("ternary", passes_unknown=True, least=3, most=3)
def ternary(budget: Budget, one: object, other: object, condition: object) -> object:
    """Return `one` if `condition` is true, otherwise `other`."""
    if why_unknown(condition):
        return Unknown(why_unknown(condition), "ternary", None)
    if not is_bool(condition):
        raise NotRendered(f"wrong type for value; expected bool; got {type_name(condition)}")
    return one if condition else other


@function("not", least=1, most=1)
def negation(budget: Budget, value: object) -> object:
    """Return whether Go's `if` would consider a value false."""
    return not truth(value)


def _basic(value: object) -> str:
    found = kind(value)
    if found in ("slice", "map", "struct"):
        raise NotRendered("invalid type for comparison")
    return found


def _is_same(one: object, other: object) -> bool:
    if one is None or other is None:
        return one is None and other is None
    first, second = _basic(one), _basic(other)
    if first != second:
        raise NotRendered("incompatible types for comparison")
    return one == other


@function("eq", least=2)
def equal(budget: Budget, one: object, *others: object) -> object:
    """Return whether `one` equals any of `others`."""
    return any(_is_same(one, other) for other in others)


@function("ne", least=2, most=2)
def not_equal(budget: Budget, one: object, other: object) -> object:
    """Return whether two values differ."""
    return not _is_same(one, other)


def _is_less(one: object, other: object) -> bool:
    if one is None or other is None:
        raise NotRendered("invalid type for comparison")
    first, second = _basic(one), _basic(other)
    if first != second:
        raise NotRendered("incompatible types for comparison")
    if first == "bool":
        raise NotRendered("invalid type for comparison")
    return bool(one < other)  # type: ignore[operator]


@function("lt", least=2, most=2)
def less(budget: Budget, one: object, other: object) -> object:
    """Return whether `one` is less than `other`."""
    return _is_less(one, other)


@function("le", least=2, most=2)
def less_or_equal(budget: Budget, one: object, other: object) -> object:
    """Return whether `one` is less than or equal to `other`."""
    return _is_less(one, other) or _is_same(one, other)


@function("gt", least=2, most=2)
def greater(budget: Budget, one: object, other: object) -> object:
    """Return whether `one` is greater than `other`."""
    return not (_is_less(one, other) or _is_same(one, other))


@function("ge", least=2, most=2)
def greater_or_equal(budget: Budget, one: object, other: object) -> object:
    """Return whether `one` is greater than or equal to `other`."""
    return not _is_less(one, other)


@function("deepEqual", least=2, most=2)
def deep_equal(budget: Budget, one: object, other: object) -> object:
    """Return whether two values are deeply equal."""
    return is_equal(one, other, budget.spend)


@function("kindOf", least=1, most=1)
def kind_of(budget: Budget, value: object) -> object:
    """Return the name of a value's kind, such as `map`."""
    return kind(value)


@function("kindIs", least=2, most=2)
def kind_is(budget: Budget, name: object, value: object) -> object:
    """Return whether `name` is the name of a value's kind, such as `map`."""
    return text_argument(name) == kind(value)


@function("typeIs", "typeIsLike", least=2, most=2)
def type_is(budget: Budget, name: object, value: object) -> object:
    """Return whether `name` is the name of a value's type, such as `int64`."""
    return text_argument(name).removeprefix("*") == type_name(value)


@function("fail", least=1, most=1)
def fail(budget: Budget, message: object) -> object:
    """Raise `NotRendered` with the chart's error message."""
    raise NotRendered(f"the chart fails: {text_argument(message)}")


@function("required", passes_unknown=True, least=2, most=2)
def required(budget: Budget, message: object, value: object) -> object:
    """Return a value; raise `NotRendered` with the chart's message if it is nil or an empty string."""
    if value is None or (isinstance(value, str) and not value):
        raise NotRendered(f"the chart requires a value: {text_argument(message)}")
    return value

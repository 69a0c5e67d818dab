"""Declarations of calculator inputs, and the parsing and checking of given values.

A calculator's inputs are a frozen dataclass derived from `Inputs`, each field made with `ask`. From that one
declaration come the flags of `flint size`, the interactive form, the JSON Schema of an input file, the pages,
and what a history can supply.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, TypeVar

from flink_flint.calculators.formulas.quantity import DAY, BadQuantity, Unit
from flink_flint.linter.text.named_tuple import NamedTuple


class BadInput(ValueError):  # noqa: N818 - it names the input, not the failure
    """The error for an unusable input; `str()` gives the input's name, its value and what is allowed."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{flag_of(name)}: {message}")
        self.name = name
        """The field's name."""
        self.message = message


class MissingInput(BadInput):
    """The error for a required input that is not given."""


_SMALLEST = 1e-9
"""The minimum of inputs other than 0, in the unit's base: a nanosecond, or one record in 30 years."""
_LARGEST = 10**15
_FURTHEST = {"seconds": 36_500 * DAY, "bytes": 1 << 60, "bytes/s": 1 << 60}
"""The maximum by unit for inputs without a declared bound; larger values are typing errors."""


def flag_of(name: str) -> str:
    """Return the command-line flag of an input field: ``--read-timeout`` for ``read_timeout``."""
    return "--" + name.replace("_", "-")


_RENAMED = {"utilisation": "utilization", "finalise": "finalize"}


def current_name(name: str) -> str:
    """Return the current field name for a name written with `-` or `_`, or used by an earlier version."""
    name = name.replace("-", "_")
    return _RENAMED.get(name, name)


Given = Mapping[str, Any]
"""The input values by field name; a value that was not given is missing or None."""

Condition = Callable[[Any], bool]
"""A predicate on the inputs of a calculator; unknown inputs are None."""


class Input(NamedTuple):
    """The declaration of one input of a calculator."""

    name: str
    unit: Unit
    meaning: str
    """The meaning of the input, as one phrase without a period."""
    default: Any
    """The value to use if the input is not given; if it is None, the input then has no effect on the answer."""
    required: bool
    """Whether there is no answer without the input; ignored while `when` is false."""
    needed: Condition | None
    """The condition under which an optional input becomes required; None if it never does."""
    assumed: str
    """The reason for the default, shown with the default value."""
    least: float | None
    above: float | None
    most: float | None
    below: float | None
    metric: str
    """The Flink metric that can supply the value, by its name in the metric dictionary; empty if there is none."""
    statistic: str
    """The statistic of the metric's history that supplies the value: ``p99``, ``max`` or ``mean``."""
    option: str
    """The Flink option, by its newest primary key, that contains the input's value; empty if there is none."""
    when: Condition | None
    """The condition under which the input affects the answer; None if it always does."""
    example: str = ""
    """A plausible value, as a user would type it."""

    @property
    def flag(self) -> str:
        return flag_of(self.name)

    @property
    def range(self) -> str:
        """The allowed values as text: ``above 0``, ``at least 1 s``, ``0 to 100 %``."""
        spell = self.unit.spell
        if self.least is not None and self.most is not None:
            return f"{spell(self.least)} to {spell(self.most)}"
        parts = []
        if self.above is not None:
            parts.append(f"above {spell(self.above)}")
        if self.least is not None:
            parts.append(f"at least {spell(self.least)}")
        if self.below is not None:
            parts.append(f"below {spell(self.below)}")
        if self.most is not None:
            parts.append(f"at most {spell(self.most)}")
        return ", ".join(parts) or ("one of " + ", ".join(self.unit.choices) if self.unit.choices else "any")

    def read(self, value: object) -> Any:
        """Parse the value of a flag, form field or input file; raise BadInput if it is unusable."""
        try:
            read = self.unit.read(value)
        except BadQuantity as bad:
            allowed = f"; allowed: {self.range}" if self.range != "any" and not self.unit.choices else ""
            raise BadInput(self.name, f"{bad}{allowed}") from None
        self.check(read)
        return read

    def check(self, value: Any) -> None:
        """Raise BadInput for a value that is out of range or not finite."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if math.isnan(value) or math.isinf(value):
                raise BadInput(self.name, f"{value} is not a usable number; allowed: {self.range}")
            within = (
                (self.least is None or value >= self.least)
                and (self.above is None or value > self.above)
                and (self.most is None or value <= self.most)
                and (self.below is None or value < self.below)
            )
            if not within:
                raise BadInput(self.name, f"{self.unit.spell(value)} is out of range; allowed: {self.range}")
            bound = ""
            if value > self.furthest:
                bound = f"at most {self.unit.spell(self.furthest)}"
            elif 0 < value < _SMALLEST:
                bound = f"at least {self.unit.spell(_SMALLEST)}"
            if bound:
                raise BadInput(self.name, f"{self.unit.spell(value)} is implausible; allowed: {bound}")
        elif self.unit.choices and value not in self.unit.choices:
            raise BadInput(self.name, f"{value!r} is not one of {', '.join(self.unit.choices)}")

    @property
    def furthest(self) -> float:
        """The largest accepted value of the input: its declared maximum, or the largest plausible value of its unit."""
        return _FURTHEST.get(self.unit.name, _LARGEST) if self.most is None else self.most

    def matters(self, inputs: Inputs) -> bool:
        """Return whether this input affects the answer, given the other inputs (some of which may still be unknown)."""
        return self.when is None or self.when(inputs)

    def is_required(self, inputs: Inputs) -> bool:
        """Return whether this input is required, given the other inputs."""
        return self.matters(inputs) and (self.required or (self.needed is not None and self.needed(inputs)))


def ask(
    unit: Unit,
    meaning: str,
    *,
    default: Any = MISSING,
    assumed: str = "",
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    metric: str = "",
    statistic: str = "",
    option: str = "",
    when: Condition | None = None,
    needed: Condition | None = None,
    example: str = "",
) -> Any:
    """Declare a field of `Inputs`; it is required if it has no default and its condition `when` (if any) is true.

    A default of None means that an unknown value has no effect on the answer, unless it is `needed` given the
    others. Bounds are in the unit's base. `when` and `needed` see all values, defaults included. `example` is a
    likely value as users type it; the fallbacks are the default, the unit's example and a value within the bounds.
    """
    metadata = {
        "unit": unit, "meaning": meaning, "assumed": assumed, "required": default is MISSING, "least": least,
        "above": above, "most": most, "below": below, "metric": metric, "statistic": statistic, "option": option,
        "when": when, "needed": needed, "example": example,
    }  # fmt: skip
    if default is MISSING and when is not None:
        default = None
    return field(default=default, metadata=metadata, kw_only=True)


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The inputs of a calculator, in base units (seconds, bytes, per second, fractions of 1).

    Raises BadInput if a value is out of its range or contradicts another.
    """

    unknown: ClassVar[frozenset[str]] = frozenset()
    """The names of the inputs that have neither a value nor a default; only `draft` sets it."""

    def __post_init__(self) -> None:
        for declared in inputs_of(type(self)):
            value = getattr(self, declared.name)
            if value is not None:
                declared.check(value)
            elif declared.is_required(self):
                raise MissingInput(declared.name, f"is missing: {declared.meaning}")
        for contradiction in self.contradictions():
            raise contradiction

    def contradictions(self) -> Iterator[BadInput]:
        """Yield a BadInput for each contradiction among the inputs; calculators override this."""
        return iter(())


I = TypeVar("I", bound=Inputs)  # noqa: E741 - an input type


_DECLARED: dict[type[Inputs], tuple[Input, ...]] = {}


def inputs_of(declaration: type[Inputs]) -> tuple[Input, ...]:
    """Return the declared inputs of a calculator, in the order of their declaration."""
    declared = _DECLARED.get(declaration)
    if declared is None:
        declared = _DECLARED[declaration] = _declared(declaration)
    return declared


def _declared(declaration: type[Inputs]) -> tuple[Input, ...]:
    found = (
        Input(
            name=declared.name, default=None if declared.default is MISSING else declared.default, **declared.metadata
        )
        for declared in fields(declaration)
    )
    return tuple(one if one.example else one._replace(example=_example(one)) for one in found)


def _example(declared: Input) -> str:
    """Return a text that the input accepts: from its default, its unit or its bounds."""
    unit, bounds = declared.unit, (declared.least, declared.most)
    texts = [unit.spell(declared.default)] if declared.default else []  # zero and no do not show how to write it
    texts += [unit.example, *(unit.spell(bound) for bound in bounds if bound is not None)]
    texts += [unit.spell(declared.above * 2 or 1)] if declared.above is not None else []
    texts += [unit.spell(declared.below / 2)] if declared.below is not None else []
    return next((text for text in texts if _takes(declared, text)), unit.example)


def _takes(declared: Input, text: str) -> bool:
    try:
        declared.read(text)
    except BadInput:
        return False
    return True


def draft(declaration: type[I], values: Given) -> I:
    """Return unchecked inputs to evaluate conditions on; inputs without a value are None."""
    made = object.__new__(declaration)
    names = [declared.name for declared in inputs_of(declaration)]
    made.__dict__.update({name: values.get(name) for name in names}, unknown=frozenset(names) - values.keys())
    return made


def with_defaults(declaration: type[Inputs], given: Given) -> dict[str, Any]:
    """Return all values by field name: given values, and defaults for the other fields."""
    return {
        declared.name: declared.default if given.get(declared.name) is None else given[declared.name]
        for declared in inputs_of(declaration)
    }


def values_in_use(declaration: type[Inputs], given: Given) -> dict[str, Any]:
    """Return the values that affect the answer, by field name."""
    declarations = inputs_of(declaration)
    kept = {name: value for name, value in given.items() if value is not None}
    while True:
        seen = {one.name: kept.get(one.name, one.default) for one in declarations}
        inputs = draft(declaration, seen)
        playing = {one.name: kept[one.name] for one in declarations if one.name in kept and one.matters(inputs)}
        if len(playing) == len(kept):
            return playing
        kept = playing


def missing(declaration: type[Inputs], given: Given) -> list[Input]:
    """Return the required inputs that are not given."""
    known = with_defaults(declaration, given)
    inputs = draft(declaration, known)
    return [
        declared for declared in inputs_of(declaration) if known[declared.name] is None and declared.is_required(inputs)
    ]


def schema(declaration: type[Inputs]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a calculator's input files.

    They map field names to values, mostly strings with units.
    """
    properties: dict[str, Any] = {}
    for declared in inputs_of(declaration):
        types = list(declared.unit.json_types)
        about = f"{declared.meaning} ({declared.unit.name}; {declared.range})"
        properties[declared.name] = {
            "description": about,
            "type": types[0] if len(types) == 1 else types,
            "examples": [declared.example],
            **({"enum": [*declared.unit.choices, "?"]} if declared.unit.choices else {}),
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": [
            declared.name for declared in inputs_of(declaration) if declared.required and declared.when is None
        ],
        "additionalProperties": False,
    }

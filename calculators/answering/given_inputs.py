"""Construction of a calculator's inputs from given values, with errors for missing inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from flink_flint.calculators.answering.declaration import Given, Inputs, MissingInput, inputs_of, missing
from flink_flint.calculators.answering.input_conditions import instead

I = TypeVar("I", bound=Inputs)  # noqa: E741 - an input type
P = ParamSpec("P")


def values_for(declaration: Callable[P, Inputs], *none: P.args, **values: P.kwargs) -> dict[str, Any]:
    """Return the keyword arguments as a dictionary; type checkers verify them against `declaration`."""
    return dict(values)


def collect(declaration: type[I], given: Given) -> I:
    """Build a calculator's inputs from parsed values by field name; raise MissingInput or BadInput.

    Unknown names raise KeyError: readers of flags and files check names first.
    """
    known = {declared.name for declared in inputs_of(declaration)}
    if unknown := given.keys() - known:
        raise KeyError(sorted(unknown)[0])
    if required := missing(declaration, given):
        others = instead(declaration, given, required[0])
        text = f"is missing: {required[0].meaning}; write it like {required[0].example}"
        raise MissingInput(required[0].name, f"{text}, or provide {others} instead" if others else text)
    return declaration(**{name: value for name, value in given.items() if value is not None})

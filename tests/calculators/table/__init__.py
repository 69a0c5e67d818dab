"""The short names under which sizing vectors ask the calculators, one module a calculator (see sizing_vectors.py)."""

from flink_flint.calculators.answering.answer import Answer


def level(answer: Answer) -> str:
    """The severity with the current values: ``error``, ``warning`` or ``ok``."""
    return "error" if answer.errors else "warning" if answer.warnings else "ok"

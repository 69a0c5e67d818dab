"""Values with variables that a shell, Terraform or Flux replaces before Helm reads them."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.go_values import List, Map, Unknown, origin_of
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText
from flink_flint.linter.text.lazy_regex import regex

_VARIABLE = regex(r"\$(?:\{[^{}$\n]*\}|\([^()$\n]*\)|[A-Za-z_]\w*)")
REASON = "a variable is not filled in"


class FilledInText(MarkedText):
    """The text of Helm values, in which scalars may contain variables."""

    __slots__ = ()


def without_variables(value: object) -> object:
    """Replace scalars that contain variables with unknown values, in place; return the result."""
    if isinstance(value, Map):
        for key, member in value.items():
            value[key] = without_variables(member)
    elif isinstance(value, List):
        value[:] = [without_variables(member) for member in value]
    elif isinstance(value, str) and (variable := _VARIABLE.search(value)) is not None:
        return Unknown(REASON, variable[0], origin_of(value))
    return value

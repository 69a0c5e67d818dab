"""Values in which something else fills in variables before Helm reads them: a shell, Terraform, Flux."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.go_values import List, Map, Unknown, origin_of
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText
from flink_flint.linter.text.lazy_regex import regex

_VARIABLE = regex(r"\$(?:\{[^{}$\n]*\}|\([^()$\n]*\)|[A-Za-z_]\w*)")
REASON = "a variable is not filled in"


class FilledInText(MarkedText):
    """A text of values whose scalars may contain variables."""

    __slots__ = ()


def without_variables(value: object) -> object:
    """Return values in which scalars with variables are unknown; maps and lists are changed in place."""
    if isinstance(value, Map):
        for key, member in value.items():
            value[key] = without_variables(member)
    elif isinstance(value, List):
        value[:] = [without_variables(member) for member in value]
    elif isinstance(value, str) and (variable := _VARIABLE.search(value)) is not None:
        return Unknown(REASON, variable[0], origin_of(value))
    return value

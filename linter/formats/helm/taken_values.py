"""Determines whether the templates of a chart take a map of its values as a whole or only single values of it.

The keys of a map that is written out (``toYaml``, ``range``) are those of what is deployed. Where templates pick single
values (``.Values.flink.slots``, ``index .Values.flink "slots"``), its keys are the chart's own names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from flink_flint.linter.formats.helm.rendering.limits import NotRendered
from flink_flint.linter.formats.helm.rendering.template_nodes import (
    Action,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Include,
    Literal,
    Operand,
    Part,
    Pipeline,
    Template,
    Variable,
)
from flink_flint.linter.formats.helm.rendering.template_parsing import parse

_BY_KEYS = ("index", "get")
_SAME = frozenset({
    *("default", "required", "coalesce", "ternary", "and", "or", "deepCopy", "mustDeepCopy", "omit", "unset", "set"),
    *("merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite"),
})  # fmt: skip
"""Functions whose result is one of their arguments or has most of its keys."""
_ASKING = frozenset({
    *("hasKey", "has", "empty", "not", "eq", "ne", "len", "kindIs", "kindOf", "typeIs", "typeOf", "fail"),
    *("pluck", "pick"),
})  # fmt: skip
"""Functions that only ask something of a map or pick single values of it."""
_HANDING_ON = frozenset({"include", "tpl", "dict", "list", "tuple"})
"""Functions by which a map gets to another template."""


def are_taken_whole(templates: str, place: str, key: str) -> bool:
    """Return whether templates take the map of values at `key` in the values at `place` as a whole, or those around it.

    `place` is a path with dots; it is empty for the top of the values. Of texts that are no valid templates, each
    mention counts but that of a field of the map.
    """
    parsed = _parsed(templates)
    if parsed is None:
        above = place.rpartition(".")[2] or "Values"
        return any(re.search(rf"[.\"'`]{re.escape(name)}(?![\w-]|\.\w)", templates) for name in (key, above))
    own = _Search(f"{place}.{key}".strip("."), key, is_handed_on=True)
    around = _Search(place, place.rpartition(".")[2], is_handed_on=key not in templates)
    return any(one.finds(template.parts) for template in parsed for one in (own, around))


@lru_cache(maxsize=8)
def _parsed(templates: str) -> Sequence[Template] | None:
    try:
        return parse("templates", templates)
    except NotRendered:
        return None


class _Search:
    """Searches templates for uses of a map of values as a whole."""

    def __init__(self, path: str, key: str, *, is_handed_on: bool) -> None:
        self.path, self.key, self.is_handed_on = path, key, is_handed_on
        """Whether a map that is given to another template counts, since that cannot be searched for its key."""
        self.variables: set[str] = set()
        """The variables that hold the map."""
        self.is_dot = False
        self.is_found = False

    def finds(self, parts: Sequence[Part]) -> bool:
        """Return whether parts of a template use the map as a whole."""
        self.variables.clear()
        self.is_dot = False
        self._search(parts)
        return self.is_found

    def _search(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if self.is_found:
                return
            if isinstance(part, Action):
                is_written = self._is_map(part.pipeline) and not part.pipeline.variables
                self.is_found = self.is_found or is_written
            elif isinstance(part, Include) and part.pipeline is not None:
                is_given = self._is_map(part.pipeline) and self.is_handed_on
                self.is_found = self.is_found or is_given
            elif isinstance(part, Branch):
                self._search_branch(part)

    def _search_branch(self, branch: Branch) -> None:
        is_map = self._is_map(branch.pipeline)
        dot = self.is_dot
        if branch.keyword == "range" and is_map:
            self.is_found = True
        if branch.keyword != "if":
            self.is_dot = is_map
        self._search(branch.body)
        self.is_dot = dot
        self._search(branch.otherwise)

    def _is_map(self, pipeline: Pipeline) -> bool:
        """Return whether the value of a pipeline is the map; note uses of the map as a whole within."""
        value = False
        for command in pipeline.commands:
            value = self._result(command, is_piped=value)
        for name in pipeline.variables[-1:]:
            (self.variables.add if value else self.variables.discard)(name)
        return value

    def _result(self, command: Command, *, is_piped: bool) -> bool:
        """Return whether the result of a command is the map."""
        function, *arguments = command.operands
        if not isinstance(function, Call):
            return self._is_operand_map(function)
        are_maps = [*map(self._is_operand_map, arguments), is_piped]
        if function.name in _BY_KEYS:
            return self._ends_with_key(arguments[1:]) if len(arguments) > 1 else are_maps[0]
        if function.name == "dig":
            return self._ends_with_key(arguments[:-2] if not is_piped else arguments[:-1])
        if function.name in _SAME:
            return any(are_maps)
        if function.name not in _ASKING and any(are_maps):
            self.is_found = self.is_found or self.is_handed_on or function.name not in _HANDING_ON
        return False

    def _ends_with_key(self, keys: Sequence[Operand | Pipeline]) -> bool:
        last = keys[-1] if keys else None
        return isinstance(last, Literal) and last.value == self.key

    def _is_operand_map(self, operand: Operand | Pipeline) -> bool:
        if isinstance(operand, Pipeline):
            return self._is_map(operand)
        if isinstance(operand, Chain):
            self._is_map(operand.operand)
            return operand.names[-1] == self.key
        if isinstance(operand, Dot):
            return self.is_dot
        if isinstance(operand, Field):
            return self._is_named(operand.names)
        if isinstance(operand, Variable):
            return self._is_named(operand.names) if operand.names else operand.name in self.variables
        return False

    def _is_named(self, names: Sequence[str]) -> bool:
        """Return whether fields lead to the map; those of a value that is not known may if the last one does."""
        if names[0] == "Values":
            return ".".join(names[1:]) == self.path
        return names[-1] == self.key

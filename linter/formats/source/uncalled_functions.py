"""Finds the functions of a program that nothing in its file calls or names."""

from __future__ import annotations

from collections import Counter

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.lazy_regex import regex

_WORD = regex(r"\w+")
_COMMENTED = regex(r"(?m)^[ \t]*+(?://|#|\*|/\*).*$")
"""A line of a comment, such as a call that somebody took out."""
_PRIVATE = regex(r"\bprivate\b")
_MAX_HEAD = 400
"""The maximum number of characters before a function's name that may have its modifiers."""


class UncalledFunctions:
    """The functions that nothing in the file calls or names, and those that only such functions call.

    A library may call methods of a class that extends another, and annotated or decorated functions; other files may
    call what is not private, unless the program begins in this file.
    """

    def __init__(self, objects: Objects) -> None:
        self._program = objects.program
        self._words: Counter[str] | None = None
        self._known: dict[int, bool] = {}

    def name_at(self, node: Node) -> str | None:
        """Return the name of the uncalled function that a node is in; None if it is in none."""
        while (parent := node.parent) is not None:
            if parent.kind == "function" and parent.name and self._is_uncalled(parent):
                return self._written(parent)
            node = parent
        return None

    def _written(self, function: Node) -> str:
        return self._program.raw(function.name_span)

    def _is_uncalled(self, function: Node) -> bool:
        known = self._known.get(id(function))
        if known is None:
            self._known[id(function)] = False  # what calls itself
            known = self._known[id(function)] = self._may_be_uncalled(function) and self._has_no_callers(function)
        return known

    def _may_be_uncalled(self, function: Node) -> bool:
        program, name = self._program, function.name
        if name in ("main", "apply") or name.startswith("__") or len(program.functions[name]) > 1:
            return False
        owner = function.scope.parent.enclosing("class") if function.scope.parent is not None else None
        if owner is not None and owner.supers:
            return False
        start = function.span.start
        head = program.text[max(start, function.name_span.start - _MAX_HEAD) : function.name_span.start]
        line_before = program.text[max(0, start - _MAX_HEAD) : start].rstrip().rpartition("\n")[2]
        if "@" in head or "override" in head or line_before.lstrip().startswith("@"):
            return False
        is_private = _PRIVATE.search(head) is not None or name.startswith("_")
        return is_private or "main" in program.functions or "__main__" in program.text

    def _has_no_callers(self, function: Node) -> bool:
        if self._words is None:
            self._words = Counter(_WORD.findall(_COMMENTED.sub("", self._program.text)))
        uses = self._words[self._written(function)] - 1
        if not uses:
            return True
        calls = [call for call in self._program.calls.get(function.name, ()) if self._program.function_of(call)]
        return len(calls) == uses and all(self.name_at(call) is not None for call in calls)

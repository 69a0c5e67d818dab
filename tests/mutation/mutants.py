"""The mutants of a module: its source, broken in one place each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from tests.mutation.judged import Judged, is_for_types, judge, parts
from tests.mutation.operators import broken, broken_condition, is_declaration, is_table, unbound


class Mutant(NamedTuple):
    """A module with one condition broken."""

    module: str
    line: int
    """Where it is broken, from 1."""
    source: str
    before: str
    """The lines that differ, as they were."""
    after: str
    ending: str = ".py"
    """That of the module's file."""

    @property
    def path(self) -> str:
        """The module's file, from the root of the repository."""
        return self.module.removeprefix("flink_flint.").replace(".", "/") + self.ending

    def __str__(self) -> str:
        removed, added = ("".join(f"    {sign} {line}\n" for line in text.splitlines() if line.strip())
                          for sign, text in (("-", self.before), ("+", self.after)))  # fmt: skip
        return f"  {self.path}:{self.line}\n{removed}{added}"


def mutants(module: str, source: str, wanted: Collection[str] = (), *, conditions_only: bool = False) -> list[Mutant]:
    """All mutants of a module, in the order of its text.

    `wanted` are the names that others use of it. With `conditions_only`, each condition of the whole module is broken,
    and neither numbers nor texts.
    """
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    places: Mapping[cst.CSTNode, CodeRange] = wrapper.resolve(PositionProvider)
    text = _Text(source)
    found: dict[str, Mutant] = {}
    changes = (
        _of_conditions(wrapper.module) if conditions_only else _changes(wrapper.module, judge(wrapper.module, wanted))
    )
    for node, changed in changes:
        if isinstance(node, cst.BaseCompoundStatement):
            after = cst.ensure_type(wrapper.module.deep_replace(node, changed), cst.Module).code
        else:
            after = text.replaced(places[node], wrapper.module.code_for_node(_bare(node, changed)).strip())
        if after != source:
            found.setdefault(after, mutant_of(module, source, after))
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.before, mutant.after))


def _changes(module: cst.Module, judged: Judged) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Each node that decides something, beside what it is broken into."""
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        if node in judged.idle:
            continue
        if not (isinstance(node, cst.Module) or is_for_types(node)):
            yield from broken(node)
        if isinstance(node, cst.FunctionDef):
            for declaration in filter(is_declaration, node.decorators):
                call = cst.ensure_type(declaration.decorator, cst.Call)
                for changed in unbound(call):
                    yield call, changed
        if not is_table(node):
            waiting += parts(node)


def _of_conditions(module: cst.Module) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, cst.Module) or is_for_types(node)):
            yield from broken_condition(node)
        waiting += parts(node)


def _bare(node: cst.CSTNode, changed: cst.CSTNode) -> cst.CSTNode:
    """A changed node without the parentheses around the original, which its place does not include."""
    if isinstance(node, cst.BaseExpression) and isinstance(changed, cst.BaseExpression) and changed.lpar is node.lpar:
        return changed.with_changes(lpar=[], rpar=[])
    return changed


class _Text:
    """A source whose parts can be replaced by their places."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def replaced(self, place: CodeRange, code: str) -> str:
        """The source with other code at a place."""
        start = self._starts[place.start.line - 1] + place.start.column
        end = self._starts[place.end.line - 1] + place.end.column
        while self._source[start].isspace():
            start += 1
        return f"{self._source[:start]}{code}{self._source[end:]}"


def mutant_of(module: str, source: str, after: str, ending: str = ".py") -> Mutant:
    """The mutant of a module that a text is."""
    old, new = source.splitlines(keepends=True), after.splitlines(keepends=True)
    first = next((number for number, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
    kept = 0
    while kept < min(len(old), len(new)) - first and old[-1 - kept] == new[-1 - kept]:
        kept += 1
    before, now = ("".join(lines[first : len(lines) - kept]) for lines in (old, new))
    return Mutant(module, first + 1, after, before, now, ending)

"""Which parts of a module decide something, and which are only told.

A name counts from where it is used: what is only ever part of a message, a help, a title, the evidence or a case is not
judged by any case, so that breaking it says nothing about the cases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeGuard

import libcst as cst

TOLD = frozenset({"message", "help", "evidence", "measure", "related", "title", "note", "confidence", "at", "safe"})
"""Arguments that a finding carries besides what cases ask about: whether it is there, of what, how severe, its fix."""
_TELLERS = {"finding": (0,), "Finding": (0,), "Fix": (0, 2), "Place": (2,)}
"""Where the same stands without a name: messages, and whether a fix is safe."""
_NEVER = (cst.Import, cst.Annotation, cst.Assert, cst.Raise, cst.Decorator)

Scope = str | None
"""The function of the module that a name is local to."""


class _Unit(NamedTuple):
    """What gives a name its value: an assignment, a function, a class."""

    scope: Scope
    name: str
    node: cst.CSTNode


class Judged(NamedTuple):
    """What of a module counts."""

    idle: frozenset[cst.CSTNode]
    """Nodes that nothing but texts and cases are made of."""
    uses: frozenset[tuple[str, str]]
    """What it takes from other modules where it counts: (module, name)."""


class _Scan:
    """Units, what each loads, and the nodes left out wherever they stand."""

    def __init__(self) -> None:
        self.units: list[_Unit] = []
        self.loads: dict[int, set[tuple[Scope, str]]] = {-1: set()}
        self.roots: set[int] = {-1}
        self.imported: dict[str, set[tuple[str, str]]] = {}
        self.branches: list[cst.If] = []

    def scan(self, node: cst.CSTNode, unit: int, scope: Scope) -> None:
        if isinstance(node, cst.ImportFrom):
            self._import(node)
        elif isinstance(node, cst.FunctionDef):
            inner = self._unit(node.name.value, node, scope)
            if any(called(decorator.decorator) == "rule" for decorator in node.decorators):
                self.roots.add(inner)
            self._below(node, inner, node.name.value if scope is None else scope)
        elif isinstance(node, cst.ClassDef):
            self._below(node, self._unit(node.name.value, node, scope), scope)
        elif (name := assigned(node)) is not None:
            self._below(node, self._unit(name, node, scope), scope)
        elif isinstance(node, cst.Name):
            self.loads[unit].add((scope, node.value))
        else:
            if isinstance(node, cst.If):
                self.branches.append(node)
            self._below(node, unit, scope)

    def _below(self, node: cst.CSTNode, unit: int, scope: Scope) -> None:
        for child in parts(node):
            self.scan(child, unit, scope)

    def _unit(self, name: str, node: cst.CSTNode, scope: Scope) -> int:
        self.units.append(_Unit(scope, name, node))
        self.loads[len(self.units) - 1] = set()
        return len(self.units) - 1

    def _import(self, node: cst.ImportFrom) -> None:
        module = cst.Module([]).code_for_node(node.module) if node.module is not None else ""
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                name = cst.ensure_type(alias.name, cst.Name).value
                known = cst.ensure_type(alias.asname.name, cst.Name).value if alias.asname else name
                self.imported.setdefault(known, set()).add((module, name))


def judge(module: cst.Module, wanted: Collection[str] = ()) -> Judged:
    """What of a module counts, if others use the names `wanted` of it where they count."""
    scan = _Scan()
    for statement in module.body:
        scan.scan(statement, -1, None)
    by_name: dict[tuple[Scope, str], list[int]] = {}
    for number, unit in enumerate(scan.units):
        by_name.setdefault((unit.scope, unit.name), []).append(number)
    waiting = sorted(scan.roots) + [number for name in wanted for number in by_name.get((None, name), ())]
    alive = set(waiting)
    names: set[str] = set()
    while waiting:
        for scope, name in scan.loads[waiting.pop()]:
            names.add(name)
            for number in by_name.get((scope, name), ()) or by_name.get((None, name), ()):
                if number not in alive:
                    alive.add(number)
                    waiting.append(number)
    idle = {unit.node for number, unit in enumerate(scan.units) if number not in alive}
    for branch in reversed(scan.branches):  # the innermost first
        if all(isinstance(statement, cst.Pass) or statement in idle for statement in _inside(branch)):
            idle.add(branch)
    uses = frozenset(use for name in names for use in scan.imported.get(name, ()))
    return Judged(frozenset(idle), uses)


def parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parts of a node that may count: no annotations, names of arguments, docstrings, told arguments."""
    if isinstance(node, cst.FunctionDef):
        yield from (node.params, node.body)
    elif isinstance(node, cst.Param):
        if node.default is not None:
            yield node.default
    elif isinstance(node, cst.Attribute):
        yield node.value
    elif isinstance(node, cst.AnnAssign | cst.Assign):
        if not (isinstance(node, cst.Assign) and assigned(node) is not None):
            yield from node.targets if isinstance(node, cst.Assign) else ()
        if node.value is not None:
            yield node.value
    elif isinstance(node, cst.Call):
        yield from () if isinstance(node.func, cst.Name) else (node.func,)
        if isinstance(node.func, cst.Name):
            yield node.func
        for place, argument in enumerate(node.args):
            keyword = argument.keyword.value if argument.keyword else None
            told = keyword in TOLD if keyword else place in _TELLERS.get(called(node), ())
            if not told and not (place == 0 and called(node) == "cast"):
                yield argument.value
    elif isinstance(node, cst.FormattedString | cst.ConcatenatedString):
        yield from () if _is_sentence(node) else node.children
    elif isinstance(node, cst.Expr):
        if not isinstance(node.value, cst.BaseString):
            yield node.value
    elif is_for_types(node):
        yield node.body
    else:
        yield from (child for child in node.children if not isinstance(child, _NEVER))


def _is_sentence(text: cst.BaseString) -> bool:
    """Whether a text made of parts is for people: it has several words beside its variables."""
    if isinstance(text, cst.ConcatenatedString):
        return _is_sentence(text.left) or _is_sentence(text.right)
    if isinstance(text, cst.FormattedString):
        return sum(part.value.count(" ") for part in text.parts if isinstance(part, cst.FormattedStringText)) > 2
    return isinstance(text, cst.SimpleString) and text.value.count(" ") > 2


def assigned(node: cst.CSTNode) -> str | None:
    """The one name that a statement assigns."""
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        target = node.targets[0].target
    elif isinstance(node, cst.AnnAssign | cst.AugAssign):
        target = node.target
    else:
        return None
    return target.value if isinstance(target, cst.Name) else None


def is_for_types(node: cst.CSTNode) -> TypeGuard[cst.If]:
    """Whether it holds what only the type checker reads."""
    return isinstance(node, cst.If) and called(node.test) == "TYPE_CHECKING"


def called(node: cst.CSTNode) -> str:
    """The last part of the name of what is called, or of a name."""
    if isinstance(node, cst.Call):
        return called(node.func)
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def _inside(branch: cst.If | cst.Else) -> Iterator[cst.CSTNode]:
    """The statements of all branches: small ones themselves, and branches inside."""
    for statement in branch.body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from statement.body
        else:
            yield statement
    if isinstance(branch, cst.If) and branch.orelse is not None:
        if isinstance(branch.orelse, cst.If):
            yield branch.orelse
        else:
            yield from _inside(branch.orelse)

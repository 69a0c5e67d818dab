"""A program as a tree of few kinds of nodes, the same for every language, with scopes and bindings.

Kinds and what they hold:

- ``call``: `target` (what stands before the dot), `name`, `args`, `names` (of named arguments)
- ``new``: `name` (the class), `args`, `parts` (the body of an anonymous class)
- ``name``, ``member`` (`target`, `name`), ``index`` (`target`, `args`)
- ``text``, ``number``, ``bool``, ``null``: literals with their `value`
- ``binary`` and ``unary``: `name` (the operator), `args`
- ``pairs``: a literal map; `args` are keys and values in turn
- ``declare`` (`name`, `init`), ``assign`` (`target`, `init`), ``return`` (`init`)
- ``class`` (`name`, `supers`, `parts`) and ``function`` (`name`, `parts`; a lambda has no name)
- ``branch``: what may or may not run; ``other``: anything else, for what is inside
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flink_flint.linter.text.spans import Span

DEEPEST = 150
"""Levels of nodes that are read; what is nested deeper is left out."""


class Scope:
    """Where names are bound: a file, a class or a function."""

    __slots__ = ("kind", "name", "node", "parent", "supers", "types", "values")

    def __init__(self, kind: str, parent: Scope | None, name: str = "", supers: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.parent = parent
        self.name = name
        self.supers = supers
        self.values: dict[str, list[Node | None]] = {}
        """Name -> what it is bound to, each time; None for what nobody can tell (a parameter)."""
        self.types: dict[str, str] = {}
        """Name -> its declared type, without package and type arguments."""
        self.node: Node | None = None

    def bind(self, name: str, value: Node | None, type_name: str = "", *, declared: bool = True) -> None:
        """Bind a name; a declaration without a value only makes it known."""
        values = self.values.setdefault(name, [])
        if value is not None or not declared:
            values.append(value)
        if type_name:
            self.types[name] = type_name

    def holder(self, name: str) -> Scope | None:
        """The innermost scope that binds a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope
            scope = scope.parent
        return None

    def enclosing(self, kind: str) -> Scope | None:
        """The innermost scope of a kind, itself included."""
        scope: Scope | None = self
        while scope is not None and scope.kind != kind:
            scope = scope.parent
        return scope


class Node:
    """A node of the tree; see the module for what each kind holds."""

    __slots__ = (
        *("args", "flags", "init", "kind", "name", "name_span", "names", "parent", "parts", "scope", "span", "supers"),
        *("target", "value"),
    )

    def __init__(self, kind: str, span: Span, scope: Scope, name: str = "", name_span: Span | None = None) -> None:
        self.kind = kind
        self.span = span
        self.scope = scope
        self.name = name
        self.name_span = name_span or span
        self.target: Node | None = None
        self.args: list[Node] = []
        self.names: list[str] = []
        self.parts: list[Node] = []
        self.init: Node | None = None
        self.value: Any = None
        self.flags: frozenset[str] = frozenset()
        self.supers: tuple[str, ...] = ()
        self.parent: Node | None = None

    def children(self) -> Iterator[Node]:
        """All nodes directly beneath, in the order of the text (nearly)."""
        if self.target is not None:
            yield self.target
        yield from self.args
        if self.init is not None:
            yield self.init
        yield from self.parts

    def walk(self) -> Iterator[Node]:
        """This node and all beneath."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(list(node.children())))

    def argument(self, place: int, *names: str) -> Node | None:
        """An argument by its place, or by one of its names where it is given by name."""
        for name, node in zip(self.names, self.args, strict=False):
            if name and name in names:
                return node
        positional = [node for name, node in zip(self.names, self.args, strict=False) if not name]
        return positional[place] if 0 <= place < len(positional) else None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class Program:
    """A file's tree with what is asked of it often: calls by name, classes, uses of variables."""

    def __init__(self, text: str, root: Node, imports: frozenset[str]) -> None:
        self.text = text
        self.root = root
        self.imports = imports
        """The packages and classes it imports, as written."""
        self.nodes: list[Node] = []
        self.classes: dict[str, Node] = {}
        self.functions: dict[str, list[Node]] = {}
        self.calls: dict[str, list[Node]] = {}
        """Calls by the method's name, in the order of the text."""
        self.news: dict[str, list[Node]] = {}
        self._uses: dict[tuple[int, str], list[Node]] | None = None
        self._link()

    def _link(self) -> None:
        for node in self.root.walk():
            self.nodes.append(node)
            for child in node.children():
                child.parent = node
            if node.kind == "call":
                self.calls.setdefault(node.name, []).append(node)
            elif node.kind == "new":
                self.news.setdefault(node.name, []).append(node)
            elif node.kind == "class":
                self.classes.setdefault(node.name, node)
            elif node.kind == "function" and node.name:
                self.functions.setdefault(node.name, []).append(node)
            elif node.kind == "assign":
                self._assign(node)
        for calls in self.calls.values():
            calls.sort(key=lambda call: call.name_span)

    def forget(self) -> None:
        """Take the tree apart once all is read of it: nodes that refer to each other wait for a garbage collection."""
        for node in self.nodes:
            node.parent = node.scope.node = None
            node.scope.values.clear()

    def _assign(self, node: Node) -> None:
        """A second value of a variable, or the first of a field that is declared without one."""
        target = node.target
        if target is None:
            return
        if target.kind == "member" and target.target is not None and target.target.name in ("this", "self"):
            scope = node.scope.enclosing("class")
            if scope is not None:
                scope.bind(target.name, node.init, declared=False)
        elif target.kind == "name":
            holder = node.scope.holder(target.name)
            if holder is not None:
                holder.bind(target.name, node.init, declared=False)

    def raw(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def uses(self, scope: Scope, name: str) -> list[Node]:
        """Where a variable of a scope stands, in the order of the text."""
        if self._uses is None:
            self._uses = {}
            for node in self.nodes:
                holder: Scope | None = None
                if node.kind == "name":
                    holder = node.scope.holder(node.name)
                elif node.kind == "member" and node.target is not None and node.target.name in ("this", "self"):
                    holder = node.scope.enclosing("class")
                if holder is not None:
                    self._uses.setdefault((id(holder), node.name), []).append(node)
            for found in self._uses.values():
                found.sort(key=lambda node: node.span)
        return self._uses.get((id(scope), name), [])

    def class_scope(self, name: str) -> Scope | None:
        """The scope of a class of the file."""
        node = self.classes.get(name)
        return None if node is None else node.scope

    def values(self, node: Node) -> list[Node | None] | None:
        """What a name or member is bound to in this file, each time; None where the file does not bind it."""
        if node.kind == "name":
            holder = node.scope.holder(node.name)
            if holder is not None:
                return holder.values[node.name]
            return self._inherited(node.scope.enclosing("class"), node.name)
        if node.kind == "member" and node.target is not None:
            owner = node.target.name
            scope = node.scope.enclosing("class") if owner in ("this", "self", "cls") else self.class_scope(owner)
            if scope is not None and node.target.kind in ("name", "member"):
                return scope.values[node.name] if node.name in scope.values else self._inherited(scope, node.name)
        return None

    def _inherited(self, scope: Scope | None, name: str) -> list[Node | None] | None:
        for _ in range(8):
            if scope is None:
                return None
            for above in scope.supers:
                found = self.class_scope(above)
                if found is not None and found is not scope:
                    if name in found.values:
                        return found.values[name]
                    scope = found
                    break
            else:
                return None
        return None

    def bound(self, node: Node) -> Node | None:
        """The one expression a name or member stands for; None where there are several or nobody can tell."""
        values = self.values(node)
        if values is None:
            return None
        real = [value for value in values if value is None or value.kind != "null"]
        return real[0] if len(real) == 1 else None

    def function_of(self, node: Node) -> Node | None:
        """The only function of the file that a call without a foreign target can mean."""
        found = self.functions.get(node.name, ())
        if len(found) != 1 or node.kind != "call":
            return None
        target = node.target
        if target is None or target.name in ("this", "self", "cls") or target.name in self.classes:
            return found[0]
        return None

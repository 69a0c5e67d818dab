"""A language-independent tree of a program: nodes of a few kinds, scopes, and bindings of names.

The kinds and their fields:

- ``call``: `target` (left of the dot), `name`, `args`, `names` (of named arguments)
- ``new``: `name` (the class), `args`, `parts` (the body of an anonymous class)
- ``name``, ``member`` (`target`, `name`), ``index`` (`target`, `args`)
- ``text``, ``number``, ``bool``, ``null``: literals with their `value`
- ``format``: a string literal with expressions in it, which `parts` are; `value` is ``python`` for an f-string
- ``binary`` and ``unary``: `name` (the operator), `args`
- ``pairs``: a map literal; `args` are alternating keys and values
- ``declare`` (`name`, `init`), ``assign`` (`target`, `init`), ``return`` (`init`)
- ``class`` (`name`, `supers`, `parts`) and ``function`` (`name`, `parts`; a lambda has no name)
- ``branch``: code that runs conditionally; of one named ``if``, `init` is the condition, and `parts` are the code that
  runs if it holds and, where there is an ``else``, the code that runs if not
- ``other``: any other node with children
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from flink_flint.linter.text.spans import Span

MAX_DEPTH = 150
"""The maximum depth of syntax tree nodes to read; deeper nodes are left out."""


class Scope:
    """A file, class, or function whose names are bound to values."""

    __slots__ = ("kind", "name", "node", "parent", "qualified", "supers", "types", "values")

    def __init__(self, kind: str, parent: Scope | None, name: str = "", supers: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.qualified = False
        """Whether functions in a class can access its names only through the class or object, as in Python."""
        self.parent = parent
        self.name = name
        self.supers = supers
        self.values: dict[str, list[Node | None]] = {}
        """The values bound to each name; None for an unknown value (a parameter)."""
        self.types: dict[str, str] = {}
        """The declared type of each name, without package and type arguments."""
        self.node: Node | None = None

    def bind(self, name: str, value: Node | None, type_name: str = "", *, declared: bool = True) -> None:
        """Add a value that a name may have; a declaration without a value only makes the name known to the scope."""
        values = self.values.setdefault(name, [])
        if value is not None or not declared:
            values.append(value)
        if type_name:
            self.types[name] = type_name

    def holder(self, name: str) -> Scope | None:
        """Return the innermost enclosing scope that binds a name; None if there is none."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values and (scope is self or not scope.qualified):
                return scope
            scope = scope.parent
        return None

    def enclosing(self, kind: str) -> Scope | None:
        """Return the innermost enclosing scope of a kind, possibly this scope itself; None if there is none."""
        scope: Scope | None = self
        while scope is not None and scope.kind != kind:
            scope = scope.parent
        return scope


class Node:
    """A node of the tree; the module's docstring lists the fields of each kind."""

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
        """Yield the child nodes, roughly in source order."""
        if self.target is not None:
            yield self.target
        yield from self.args
        if self.init is not None:
            yield self.init
        yield from self.parts

    def walk(self) -> Iterator[Node]:
        """Yield this node and all its descendants."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(list(node.children())))

    def argument(self, place: int, *names: str) -> Node | None:
        """Return the argument with one of `names`, otherwise the positional one at index `place`; None if missing."""
        for name, node in zip(self.names, self.args, strict=False):
            if name and name in names:
                return node
        positional = [node for name, node in zip(self.names, self.args, strict=False) if not name]
        return positional[place] if 0 <= place < len(positional) else None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class Program:
    """The tree of a source file, with indexes of calls, classes, and uses of variables."""

    def __init__(self, text: str, root: Node, imports: frozenset[str]) -> None:
        self.text = text
        self.root = root
        self.imports = imports
        """The packages and classes that the program imports, as written."""
        self.class_of_functions = ""
        """The class that functions outside of all classes are compiled to; empty if there is none."""
        self.language = ""
        """The programming language: java, scala, kotlin or python."""
        self.nodes: list[Node] = []
        self.classes: dict[str, Node] = {}
        self.functions: dict[str, list[Node]] = {}
        self.calls: dict[str, list[Node]] = {}
        """Calls by method name, in the order of the text."""
        self.news: dict[str, list[Node]] = {}
        self._uses: dict[tuple[int, str], list[Node]] | None = None
        self._starts: list[int] = []
        self._at: dict[int, Node] = {}
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
        """Break the reference cycles in the tree, so that its memory is freed without a garbage collection."""
        for node in self.nodes:
            node.parent = node.scope.node = None
            node.scope.values.clear()
        self._at.clear()
        self._starts.clear()

    def _assign(self, node: Node) -> None:
        """Bind the value of an assignment to its variable or field."""
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

    def node_at(self, offset: int) -> Node:
        """Return the innermost node that starts at an offset or, if none does, at the nearest offset before it."""
        if not self._starts:
            self._at = {0: self.root}
            for node in self.nodes:  # from outside to inside
                self._at[node.span.start] = self._at[node.name_span.start] = node
            self._starts = sorted(self._at)
        return self._at[self._starts[bisect_right(self._starts, offset) - 1]]

    def raw(self, span: Span) -> str:
        """Return the source text of a span."""
        return self.text[span.start : span.end]

    def uses(self, scope: Scope, name: str) -> list[Node]:
        """Return the nodes that use a variable, in source order; `scope` is the scope that binds the variable."""
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
        """Return the scope of a class that this file defines; None if it does not."""
        node = self.classes.get(name)
        return None if node is None else node.scope

    def values(self, node: Node) -> list[Node | None] | None:
        """Return all values that this file assigns to a name or member; None if the file does not declare it."""
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
            for base in scope.supers:
                found = self.class_scope(base)
                if found is not None and found is not scope:
                    if name in found.values:
                        return found.values[name]
                    scope = found
                    break
            else:
                return None
        return None

    def bound(self, node: Node) -> Node | None:
        """Return the expression that a name or member is bound to; None if it is unknown or ambiguous."""
        values = self.values(node)
        if values is None:
            return None
        real = [value for value in values if value is None or value.kind != "null"]
        return real[0] if len(real) == 1 else None

    def function_of(self, node: Node) -> Node | None:
        """Return the function in this file that a node calls; None if it is unknown or ambiguous."""
        found = self.functions.get(node.name, ())
        if len(found) != 1 or node.kind != "call":
            return None
        target = node.target
        if target is None or target.name in ("this", "self", "cls") or target.name in self.classes:
            return found[0]
        return None

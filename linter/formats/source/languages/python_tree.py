"""Converts Python source code to the tree of `program_tree`; snake-case names become camel-case names, as in Java."""

from __future__ import annotations

import ast

from flink_flint.linter.formats.source.program_tree import MAX_DEPTH, Node, Program, Scope
from flink_flint.linter.formats.syntax.python_syntax import PythonPlaces, parse_python
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_UNDERSCORE = regex(r"(?<=[a-zA-Z0-9])_([a-z0-9])")
_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.LShift: "<<",
}  # fmt: skip
_MAX_OPERANDS = 40
_KEPT = frozenset({"fixed_delay", "max_workers"})


def camel(name: str) -> str:
    """Convert a name from snake case to camel case, unless it names a constant or is private."""
    if name.isupper() or name.startswith("_") or name in _KEPT:
        return name
    return _UNDERSCORE.sub(lambda match: match.group(1).upper(), name)


class PythonReader:
    """Reads Python source code."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.scope = Scope("file", None)
        self.imports: set[str] = set()
        self._outer: set[tuple[int, str]] = set()
        """The names that functions declare as ``global`` or ``nonlocal``, each with the function's scope."""
        self._depth = 0
        self._span = PythonPlaces(text).span

    def program(self) -> Program:
        """Return the file as a `Program`, which is empty if the source code has syntax errors."""
        root = Node("other", Span(0, len(self.text)), self.scope)
        tree = parse_python(self.text.encode("utf-8", "replace").decode())
        if tree is None:
            return Program(self.text, root, frozenset())
        root.parts = self._all(tree.body)
        return Program(self.text, root, frozenset(self.imports))

    # -- places

    def _made(self, kind: str, found: ast.expr | ast.stmt, name: str = "") -> Node:
        return Node(kind, self._span(found), self.scope, name)

    # -- statements and expressions

    def _all(self, found: list[ast.stmt]) -> list[Node]:
        return [node for one in found if (node := self._read(one)) is not None]

    def _read(self, found: ast.AST | None) -> Node | None:
        if found is None or self._depth >= MAX_DEPTH:
            return None
        self._depth += 1
        try:
            handler = getattr(self, f"_on_{type(found).__name__.lower()}", None)
            made: Node | None = handler(found) if handler is not None else self._other(found)
            return made
        finally:
            self._depth -= 1

    def _other(self, found: ast.AST) -> Node | None:
        parts = [node for child in ast.iter_child_nodes(found) if (node := self._read(child)) is not None]
        if isinstance(found, (ast.Try, ast.While, ast.Match)):
            node = self._made("branch", found)
            node.parts = parts
            return node
        if len(parts) < 2 or not isinstance(found, (ast.expr, ast.stmt)):
            if len(parts) > 1:
                node = Node("other", parts[0].span, self.scope)
                node.parts = parts
                return node
            return parts[0] if parts else None
        node = self._made("other", found)
        node.parts = parts
        return node

    def _on_if(self, found: ast.If) -> Node:
        node = self._made("branch", found, "if")
        node.init = self._read(found.test)
        for body in (found.body, found.orelse):
            if body:
                arm = Node("other", Span(self._span(body[0]).start, self._span(body[-1]).end), self.scope)
                arm.parts = self._all(body)
                node.parts.append(arm)
        return node

    def _on_ifexp(self, found: ast.IfExp) -> Node:
        node = self._made("branch", found, "if")
        node.init = self._read(found.test)
        node.parts = [self._read(one) or self._made("other", one) for one in (found.body, found.orelse)]
        return node

    def _on_compare(self, found: ast.Compare) -> Node | None:
        operator = {ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.Is: "is"}.get(type(found.ops[0]))
        if operator is None or len(found.ops) > 1:
            return self._other(found)
        left, right = self._read(found.left), self._read(found.comparators[0])
        if left is None or right is None:
            return left or right
        node = self._made("binary", found, operator)
        node.args = [left, right]
        return node

    def _on_boolop(self, found: ast.BoolOp) -> Node | None:
        sign = "&&" if isinstance(found.op, ast.And) else "||"
        parts = [node for one in found.values[:_MAX_OPERANDS] if (node := self._read(one)) is not None]
        if not parts:
            return None
        made = parts[0]
        for part in parts[1:]:
            node = self._made("binary", found, sign)
            node.args = [made, part]
            made = node
        return made

    def _on_import(self, found: ast.Import) -> None:
        self.imports.update(alias.name for alias in found.names)

    def _on_importfrom(self, found: ast.ImportFrom) -> None:
        self.imports.update(f"{found.module or ''}.{alias.name}" for alias in found.names)

    def _on_classdef(self, found: ast.ClassDef) -> Node:
        node = self._made("class", found, found.name)
        start = self.text.find(found.name, node.span.start)
        node.name_span = Span(start, start + len(found.name))
        node.supers = tuple(
            base.id if isinstance(base, ast.Name) else base.attr
            for base in found.bases
            if isinstance(base, (ast.Name, ast.Attribute))
        )
        self.scope = Scope("class", self.scope, found.name, node.supers)
        self.scope.qualified = True
        node.parts = self._all(found.body)
        return self._leave(node)

    def _leave(self, node: Node) -> Node:
        node.scope = self.scope
        self.scope.node = node
        assert self.scope.parent is not None
        self.scope = self.scope.parent
        return node

    def _on_functiondef(self, found: ast.FunctionDef | ast.AsyncFunctionDef) -> Node:
        node = self._made("function", found, camel(found.name))
        start = self.text.find(found.name, node.span.start)
        node.name_span = Span(start, start + len(found.name))
        if isinstance(found, ast.AsyncFunctionDef):
            node.flags = frozenset({"async"})
        self.scope = Scope("function", self.scope, found.name)
        self._parameters(found.args)
        node.parts = self._all(found.body)
        return self._leave(node)

    _on_asyncfunctiondef = _on_functiondef

    def _parameters(self, found: ast.arguments) -> None:
        for one in (*found.posonlyargs, *found.args, *found.kwonlyargs, found.vararg, found.kwarg):
            if one is not None:
                kind = one.annotation
                self.scope.bind(one.arg, None, kind.id if isinstance(kind, ast.Name) else "", declared=False)

    def _on_lambda(self, found: ast.Lambda) -> Node:
        node = self._made("function", found)
        self.scope = Scope("function", self.scope)
        self._parameters(found.args)
        body = self._read(found.body)
        node.parts = [] if body is None else [body]
        return self._leave(node)

    def _on_global(self, found: ast.Global | ast.Nonlocal) -> None:
        self._outer.update((id(self.scope), name) for name in found.names)

    _on_nonlocal = _on_global

    def _on_assign(self, found: ast.Assign) -> Node | None:
        value = self._read(found.value)
        target = found.targets[0]
        if len(found.targets) > 1 or isinstance(target, (ast.Tuple, ast.List)):
            for one in found.targets:
                for name in ast.walk(one):
                    if isinstance(name, ast.Name):
                        self.scope.bind(name.id, None, declared=False)
            return value
        return self._set(found, target, value)

    def _on_annassign(self, found: ast.AnnAssign) -> Node | None:
        return self._set(found, found.target, self._read(found.value), declares=True)

    def _set(self, found: ast.stmt, target: ast.expr, value: Node | None, declares: bool = False) -> Node | None:
        if value is None and not declares:
            value = self._made("other", found)
        if isinstance(target, ast.Name):
            node = self._made("declare", found, target.id)
            node.name_span = self._span(target)
            node.init = value
            outer = (id(self.scope), target.id) in self._outer and self.scope.parent
            holder = outer.holder(target.id) if outer else None
            (holder or self.scope).bind(target.id, value)
            return node
        node = self._made("assign", found)
        node.target, node.init = self._read(target), value
        return node

    def _on_augassign(self, found: ast.AugAssign) -> Node:
        node = self._made("assign", found)
        node.target = self._read(found.target)
        value = self._read(found.value)
        node.parts = [] if value is None else [value]
        return node

    def _on_for(self, found: ast.For) -> Node:
        for name in ast.walk(found.target):
            if isinstance(name, ast.Name):
                self.scope.bind(name.id, None, declared=False)
        node = self._made("branch", found)
        values = self._read(found.iter)
        node.parts = [*([] if values is None else [values]), *self._all(found.body)]
        return node

    def _on_with(self, found: ast.With | ast.AsyncWith) -> Node:
        node = self._made("other", found)
        for item in found.items:
            value = self._read(item.context_expr)
            if value is not None:
                node.parts.append(value)
            if isinstance(item.optional_vars, ast.Name):
                self.scope.bind(item.optional_vars.id, value, declared=False)
        node.parts += self._all(found.body)
        return node

    def _on_return(self, found: ast.Return) -> Node:
        node = self._made("return", found)
        node.init = self._read(found.value)
        return node

    def _on_expr(self, found: ast.Expr) -> Node | None:
        return self._read(found.value)

    def _on_call(self, found: ast.Call) -> Node | None:
        function = found.func
        if isinstance(function, ast.Attribute):
            node = self._made("call", found, camel(function.attr))
            node.target = self._read(function.value)
            end = self._span(function).end
            node.name_span = Span(end - len(function.attr), end)
        elif isinstance(function, ast.Name):
            node = self._made("call", found, camel(function.id))
            node.name_span = self._span(function)
        else:
            return self._other(found)
        for argument in found.args:
            node.args.append(self._read(argument) or self._made("other", argument))
            node.names.append("")
        for keyword in found.keywords:
            node.args.append(self._read(keyword.value) or self._made("other", keyword.value))
            node.names.append(keyword.arg or "**")
        return node

    def _on_attribute(self, found: ast.Attribute) -> Node:
        end = self._span(found).end
        node = self._made("member", found, found.attr)
        node.name_span = Span(end - len(found.attr), end)
        node.target = self._read(found.value)
        return node

    def _on_name(self, found: ast.Name) -> Node:
        return self._made("name", found, found.id)

    def _on_subscript(self, found: ast.Subscript) -> Node:
        node = self._made("index", found)
        node.target = self._read(found.value)
        node.args = [self._read(found.slice) or self._made("other", found.slice)]
        node.names = [""]
        return node

    def _on_constant(self, found: ast.Constant) -> Node:
        value = found.value
        if value is None:
            return self._made("null", found)
        if isinstance(value, bool):
            kind = "bool"
        else:
            kind = "number" if isinstance(value, (int, float)) else "text" if isinstance(value, str) else "other"
        node = self._made(kind, found)
        node.value = value if kind != "other" else None
        return node

    def _on_joinedstr(self, found: ast.JoinedStr) -> Node:
        node = self._made("format", found)
        node.value = "python"
        node.parts = [part for one in found.values if (part := self._read(one)) is not None]
        return node

    def _on_dict(self, found: ast.Dict) -> Node:
        node = self._made("pairs", found)
        for key, value in zip(found.keys, found.values, strict=True):
            node.args += [
                self._made("other", value) if key is None else self._read(key) or self._made("other", key),
                self._read(value) or self._made("other", value),
            ]
        node.names = [""] * len(node.args)
        return node

    def _on_list(self, found: ast.List | ast.Tuple) -> Node:
        node = self._made("list", found)
        node.args = [self._read(one) or self._made("other", one) for one in found.elts]
        node.names = [""] * len(node.args)
        return node

    _on_tuple = _on_list

    def _on_binop(self, found: ast.BinOp) -> Node | None:
        left, right = self._read(found.left), self._read(found.right)
        if left is None or right is None:
            return left or right
        node = self._made("binary", found, _OPERATORS.get(type(found.op), ""))
        node.args = [left, right]
        return node

    def _on_unaryop(self, found: ast.UnaryOp) -> Node | None:
        operand = self._read(found.operand)
        if operand is None:
            return None
        signs = {ast.USub: "-", ast.UAdd: "+", ast.Not: "!"}
        node = self._made("unary", found, signs.get(type(found.op), ""))
        node.args = [operand]
        return node

"""Python literals, with positions: dictionaries, and calls with keyword arguments; other expressions are unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flink_flint.linter.formats.infrastructure_code.script_literals import MAX_SHARE
from flink_flint.linter.formats.syntax.python_syntax import PythonPlaces, parse_python
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, MAX_DEPTH, SCALAR, UNKNOWN, Node
from flink_flint.linter.text.spans import Span


class PythonLiterals:
    """The dictionaries and calls of a Python program, converted to nodes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._span = PythonPlaces(text).span
        tree = parse_python(text)
        found = ast.walk(tree) if tree is not None else ()
        self._nodes = [node for node in found if isinstance(node, (ast.Dict, ast.Call))]

    def objects_with(self, *names: str) -> Iterator[Node]:
        """Yield the dictionaries and calls with a key or keyword argument whose name is one of `names`."""
        left = MAX_SHARE * len(self._text)
        for node in self._nodes:
            if isinstance(node, ast.Call):
                found = {keyword.arg for keyword in node.keywords}
            else:
                assert isinstance(node, ast.Dict)
                found = {key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
            if not found.isdisjoint(names):
                span = self._span(node)
                left -= span.end - span.start
                if left < 0:
                    return
                yield self._value(node, 0)

    def _value(self, node: ast.expr, depth: int) -> Node:
        span = self._span(node)
        raw = self._text[slice(*span)]
        if depth > MAX_DEPTH:
            return Node(UNKNOWN, span, raw, is_open=True)
        if isinstance(node, ast.Dict):
            known = [
                (key, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
            pairs = [(str(key.value), self._span(key), self._value(value, depth + 1)) for key, value in known]
            return Node(MAPPING, span, raw, pairs=pairs, is_open=len(known) < len(node.keys))
        if isinstance(node, ast.Call) and node.keywords and not node.args[2:]:
            members = [(one, one.arg) for one in node.keywords if one.arg is not None]
            pairs = [
                (
                    name,
                    Span(start := self._span(one).start, start + len(name)),
                    self._value(one.value, depth + 1),
                )
                for one, name in members
            ]
            return Node(MAPPING, span, raw, pairs=pairs, is_open=len(members) < len(node.keywords))
        if isinstance(node, (ast.List, ast.Tuple)):
            return Node(LIST, span, raw, items=[self._value(item, depth + 1) for item in node.elts])
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, bool, type(None))):
            return Node(SCALAR, span, raw, node.value)
        return Node(UNKNOWN, span, raw, is_open=True)

"""A common tree for AWS resources in JSON, YAML, and HCL; its values may be unknown before deployment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.formats.syntax.yaml_tree import Value
    from flink_flint.linter.text.embedded_text import Extract

SCALAR, MAPPING, LIST, UNKNOWN = "scalar", "mapping", "list", "unknown"
MAX_DEPTH = 60
_MAX_NODES = 50_000


class Node:
    """A node of the tree: a scalar, a mapping, a list, or a value that is unknown before deployment.

    `span` is its position as written, with quotes; `raw` is that text. `is_literal` is true for the value itself, false
    for a reference to it. A mapping or list with `is_open` may have more members than are visible.
    """

    __slots__ = ("extract", "is_literal", "is_open", "items", "kind", "pairs", "raw", "span", "value")

    def __init__(
        self,
        kind: str,
        span: Span,
        raw: str,
        value: object = None,
        *,
        pairs: Sequence[tuple[str, Span, Node]] = (),
        items: Sequence[Node] = (),
        is_literal: bool = True,
        is_open: bool = False,
    ) -> None:
        self.kind, self.span, self.raw, self.value = kind, span, raw, value
        self.pairs, self.items = pairs, items
        self.is_literal, self.is_open = is_literal, is_open
        self.extract: Extract | None = None
        """The text of a string of several lines, with the position of each character; unknown parts are ``${}``."""

    @property
    def text(self) -> str | None:
        """The node's scalar as a string; None if it is null or unknown, or if the node is not a scalar."""
        if self.kind != SCALAR or self.value is None:
            return None
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return str(self.value)

    def placeholder(self) -> str:
        """Return placeholder text for an unknown value: as written if it contains ``${``, otherwise inside ``${}``."""
        raw = self.value if isinstance(self.value, str) else self.raw
        return raw if "${" in raw else "${" + raw.replace("\n", " ") + "}"

    def entry(self, *names: str) -> tuple[Span, Node] | None:
        """Return the last entry whose key is one of `names`, with the span of the key; None if there is none."""
        found = None
        for key, span, node in self.pairs:
            if key in names:
                found = (span, node)
        return found

    def get(self, *path: str) -> Node | None:
        """Return the node at a path of keys; None if there is none."""
        node: Node | None = self
        for name in path:
            found = node.entry(name) if node is not None else None
            node = found[1] if found else None
        return node

    def attributes(self, prefix: str = "", *, limit: int = 5_000) -> dict[str, Attribute]:
        """Return an attribute per scalar, by dotted path with list indexes in brackets; unknown ones have no value."""
        found: dict[str, Attribute] = {}
        stack: list[tuple[str, Node, Span | None]] = [(prefix, self, None)]
        while stack and len(found) < limit:
            path, node, key_span = stack.pop()
            if path and (node.kind in (SCALAR, UNKNOWN) or node.is_open):
                value = node.value if node.kind == SCALAR else None
                found[path] = Attribute(value, node.span, key_span, node.raw)
            inner = [(f"{path}.{key}" if path else key, child, span) for key, span, child in node.pairs]
            members: list[tuple[str, Node, Span | None]] = [*inner]
            members += [(f"{path}[{number}]", child, None) for number, child in enumerate(node.items)]
            stack += reversed(members)
        return found

    def walk(self) -> Iterator[Node]:
        """Yield the node and its descendants, in file order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed([*(child for _, _, child in node.pairs), *node.items])

    def __repr__(self) -> str:
        return f"<Node {self.kind} {self.raw[:40]!r}>"


def from_yaml(value: Value, text: str) -> Node:
    """Convert a YAML node to a tree; CloudFormation tags (``!Sub``) become mappings with a function (``Fn::Sub``)."""
    left = [_MAX_NODES]

    def convert(value: Value, depth: int) -> Node:
        left[0] -= 1
        if left[0] == -1:
            leave_out(f"the first {_MAX_NODES:,} values are read")
        raw = text[value.span.start : value.span.end]
        if depth > MAX_DEPTH or left[0] < 0:
            return Node(UNKNOWN, value.span, raw)
        if value.is_mapping:
            pairs = [(key, span, convert(child, depth + 1)) for key, span, child in value.pairs()]
            node = Node(MAPPING, value.span, raw, pairs=pairs)
        elif value.is_sequence:
            node = Node(LIST, value.span, raw, items=[convert(child, depth + 1) for child in value.items()])
        elif value.is_templated or "{{" in (value.text or ""):
            node = Node(UNKNOWN, value.span, raw)
        else:
            node = Node(SCALAR, value.span, raw, value.typed)
            node.is_literal = value.style in ("plain", "single", "double")
        if not value.tag:
            return node
        span = value.tagged_span
        name = value.tag[1:]
        call = name if name in ("Ref", "Condition") else f"Fn::{name}"
        return Node(MAPPING, span, text[span.start : span.end], pairs=[(call, span, node)])

    return convert(value, 0)


_REFERENCE = regex(r"\$\{(!?)([^{}]*)\}")


def resolve(root: Node, parameters: Mapping[str, Node]) -> Node:
    """Evaluate the CloudFormation functions in a tree; results that depend on the deployment become unknown.

    A reference to a parameter becomes its default, and ``AWS::NoValue`` removes its entry; anything else is unknown.
    """

    def convert(node: Node, depth: int) -> Node | None:
        if node.kind == MAPPING:
            if len(node.pairs) == 1 and (node.pairs[0][0] == "Ref" or node.pairs[0][0].startswith("Fn::")):
                return _call(node, parameters)
            pairs = [(key, span, made) for key, span, child in node.pairs if (made := convert(child, depth + 1))]
            return Node(MAPPING, node.span, node.raw, pairs=pairs)
        if node.kind == LIST:
            items = [made for child in node.items if (made := convert(child, depth + 1))]
            return Node(LIST, node.span, node.raw, items=items)
        return node

    return convert(root, 0) or Node(UNKNOWN, root.span, root.raw)


def _call(node: Node, parameters: Mapping[str, Node]) -> Node | None:
    name, _, argument = node.pairs[0]
    if name == "Ref":
        target = argument.text or ""
        if target == "AWS::NoValue":
            return None
        default = parameters.get(target)
        if default is not None and default.text is not None:
            return Node(SCALAR, node.span, node.raw, default.value, is_literal=False)
        return Node(UNKNOWN, node.span, node.raw, "${" + target + "}")
    if name == "Fn::Sub" and isinstance(argument.text, str):
        return substituted(node, argument.text, lambda name: parameters.get(name))
    return Node(UNKNOWN, node.span, node.raw)


def substituted(node: Node, template: str, find: Callable[[str], Node | None]) -> Node:
    """Return a string node with each ``${NAME}`` replaced, or an unknown node if `find` finds no string for a name."""
    known = True

    def fill(match: re.Match[str]) -> str:
        nonlocal known
        name = match[2].strip()
        if match[1]:  # ${!Literal} is an escaped ${Literal}
            return "${" + name + "}"
        found = find(name)
        text = None if found is None else found.text
        known = known and text is not None
        return match[0] if text is None else text

    text = _REFERENCE.sub(fill, template)
    if not known:
        return Node(UNKNOWN, node.span, node.raw, template)
    return Node(SCALAR, node.span, node.raw, text, is_literal=False)

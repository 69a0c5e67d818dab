"""What the readers of Java, Scala and Kotlin share: from a concrete syntax tree to the tree of `tree`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.program_tree import DEEPEST, Node, Program, Scope
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_ESCAPE = regex(r"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "0": "\0", "\n": "", "\r\n": ""}
_NUMBER = regex(r"(?i)(0x[0-9a-f_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+)[lfdu]*")


class GrammarReader:
    """Reads one file; subclasses say which handler takes which kind of node."""

    language = ""
    handlers: ClassVar[dict[str, str]] = {}
    """Kind of concrete node -> the name of the method that reads it."""
    wordy: ClassVar[frozenset[str]] = frozenset()
    """Kinds of concrete nodes in which there is nothing to read."""
    branches: ClassVar[frozenset[str]] = frozenset(
        {"if_statement", "if_expression", "switch_expression", "ternary_expression"}
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.scope = Scope("file", None)
        self.imports: set[str] = set()
        self._depth = 0
        self._bound: dict[str, Callable[[SgNode], Node | None]] = {
            kind: getattr(self, method) for kind, method in self.handlers.items()
        }

    def program(self) -> Program:
        """The whole file."""
        from ast_grep_py import SgRoot

        # A lone surrogate stands for a byte that is no UTF-8; the parser takes only sound text.
        sound = self.text.encode("utf-8", "replace").decode() if not _is_sound(self.text) else self.text
        found = SgRoot(sound, self.language).root()
        root = Node("other", Span(0, len(self.text)), self.scope)
        root.parts = self.read_all(found.children())
        self._bound.clear()  # which refer back to the reader
        return Program(self.text, root, frozenset(self.imports))

    # -- helpers of the handlers

    def read(self, found: SgNode | None) -> Node | None:
        """The node of a concrete node; None where there is nothing to read in it."""
        if found is None:
            return None
        kind = found.kind()
        if kind in self.wordy or self._depth >= DEEPEST:
            return None
        self._depth += 1
        try:
            handler = self._bound.get(kind)
            return handler(found) if handler is not None else self.other(found)
        finally:
            self._depth -= 1

    def other(self, found: SgNode) -> Node | None:
        """Anything else: what is inside, or that alone where it is one."""
        parts = self.read_all(found.children())
        kind = found.kind()
        if kind in self.branches:
            return self.made("branch", found, parts=parts)
        if len(parts) < 2:
            return parts[0] if parts else None
        return self.made("other", found, parts=parts)

    def read_all(self, found: list[SgNode]) -> list[Node]:
        """The nodes of several concrete ones, without those in which there is nothing."""
        return [node for one in found if (node := self.read(one)) is not None]

    def made(self, kind: str, found: SgNode, name: str = "", *, parts: list[Node] | None = None) -> Node:
        """A node at the place of a concrete one."""
        node = Node(kind, span_of(found), self.scope, name)
        if parts:
            node.parts = parts
        return node

    def named(self, found: SgNode) -> Node:
        """A name."""
        return self.made("name", found, found.text())

    def call(self, found: SgNode, target: Node | None, name: SgNode) -> Node:
        """A call without its arguments yet."""
        node = Node("call", span_of(found), self.scope, name.text(), span_of(name))
        node.target = target
        return node

    def argue(self, node: Node, found: SgNode | None, name: str = "") -> None:
        """Give a call one more argument; what cannot be read keeps its place."""
        if found is None:
            return
        argument = self.read(found)
        if argument is None:
            argument = Node("other", span_of(found), self.scope)
        node.args.append(argument)
        node.names.append(name)

    def inside(self, kind: str, name: str = "", supers: tuple[str, ...] = ()) -> Scope:
        """Enter a scope; the caller leaves it by `leave`."""
        self.scope = Scope(kind, self.scope, name, supers)
        return self.scope

    def leave(self, node: Node) -> Node:
        """Leave the scope, which is the node's own."""
        node.scope = self.scope
        self.scope.node = node
        assert self.scope.parent is not None
        self.scope = self.scope.parent
        return node

    def number(self, found: SgNode) -> Node:
        """A number, with underscores and suffixes."""
        node = self.made("number", found)
        node.value = number_of(found.text())
        return node if node.value is not None else self.made("other", found)

    def truth(self, found: SgNode) -> Node:
        """True or false."""
        node = self.made("bool", found)
        node.value = found.text() == "true"
        return node

    def null(self, found: SgNode) -> Node:
        """No object."""
        return self.made("null", found)

    def literal(self, found: SgNode, value: str) -> Node:
        """A text."""
        node = self.made("text", found)
        node.value = value
        return node

    def inner(self, found: SgNode) -> Node | None:
        """What is in parentheses."""
        return self.other(found)

    def jump(self, found: SgNode) -> Node | None:
        """A return (or a throw, of which only what is inside counts)."""
        if not found.text().startswith("return"):
            return self.other(found)
        node = self.made("return", found)
        values = self.read_all(found.children())
        node.init = values[0] if values else None
        return node

    def binary(self, found: SgNode, operator: str, left: SgNode | None, right: SgNode | None) -> Node | None:
        """An operation on two values."""
        one, other = self.read(left), self.read(right)
        if one is None or other is None:
            return one or other
        node = self.made("binary", found, operator)
        node.args = [one, other]
        return node


def span_of(found: SgNode) -> Span:
    """The place of a concrete node."""
    place = found.range()
    return Span(place.start.index, place.end.index)


def child_of(found: SgNode, *kinds: str) -> SgNode | None:
    """The first child of one of these kinds."""
    return next((child for child in found.children() if child.kind() in kinds), None)


def children_of(found: SgNode, *kinds: str) -> Iterator[SgNode]:
    """The children of these kinds."""
    return (child for child in found.children() if child.kind() in kinds)


def simple_name(text: str) -> str:
    """The name of a type without package and type arguments."""
    return text.partition("<")[0].partition("[")[0].rpartition(".")[2].strip("? ")


def unescaped(text: str) -> str:
    """A text without the escapes of the JVM's languages."""
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        if code[0] == "u" and len(code) >= 5:
            return chr(int(code.lstrip("u"), 16))
        if code[0] in "01234567":
            return chr(int(code, 8))
        return _ESCAPED.get(code, code)

    return _ESCAPE.sub(one, text)


def text_block(text: str) -> str:
    """Java's text block without its margin, as the compiler strips it."""
    first, newline, rest = text.partition("\n")
    if not newline or first.strip():
        return text
    lines = rest.replace("\r\n", "\n").split("\n")
    counted = [line for line in lines[:-1] if line.strip()] + [lines[-1]]
    margin = min((len(line) - len(line.lstrip(" \t")) for line in counted), default=0)
    return unescaped("\n".join(line[margin:].rstrip(" \t") for line in lines))


def number_of(text: str) -> int | float | None:
    """The value of a literal number."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = match.group(1).replace("_", "")
    is_hex = digits[:2].lower() == "0x"
    if is_hex or digits[:2].lower() == "0b":
        # A hexadecimal literal takes its own suffix letters for digits, but none is a size or a time.
        return int(digits, 0) if len(digits) > 2 else None
    if len(digits) > 40:
        return None
    if re.search(r"(?i)[.e]", digits) or text[-1] in "fFdD":
        return float(digits)
    return (
        int(digits, 8)
        if len(digits) > 1 and digits[0] == "0" and digits.isdigit() and "8" not in digits and ("9" not in digits)
        else int(digits)
    )


def _is_sound(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

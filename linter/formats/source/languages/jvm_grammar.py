"""Converts tree-sitter trees of Java, Scala, and Kotlin to the language-independent tree of `program_tree`.

A language is defined by tables: which method reads which kind of tree-sitter node, and how its grammar names the
constructs that all three languages have. Only constructs specific to a language are read by methods of its reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.constant_folding import UNITS
from flink_flint.linter.formats.source.program_tree import MAX_DEPTH, Node, Program, Scope
from flink_flint.linter.formats.syntax.tree_sitter_tree import Syntax
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node as Found

_ESCAPE = regex(r"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "0": "\0", "\n": "", "\r\n": ""}
_NUMBER = regex(r"(?i)(0x[0-9a-f_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+)[lfdu]*")
_OPERATORS = {"shl": "<<"}
IDENTIFIER = frozenset({"identifier"})
_NO_FLAGS: frozenset[str] = frozenset()


class GrammarReader:
    """Base class of the readers that convert a file's tree-sitter nodes to nodes of `program_tree`."""

    handlers: ClassVar[dict[str, str]] = {}
    """The names of the methods that read tree-sitter nodes, by kind of node."""
    ignored: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes that are skipped because they contain nothing to read, such as comments."""
    branches: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes whose contents run only under a condition."""
    bodies: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes for class and function bodies that are sequences of members or statements."""
    parameter_lists: ClassVar[frozenset[str]] = frozenset()
    argument_lists: ClassVar[frozenset[str]] = frozenset()
    super_clauses: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes that contain the supertypes of a class; these nodes may be nested."""
    selections: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes for member accesses (``a.b``), which may also name the function in a call."""
    pairing = ""
    """The operator that creates a pair (``->`` in Scala); empty if the language has none."""
    patterns: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes for the patterns that declare a loop's variables."""
    singletons: ClassVar[frozenset[str]] = frozenset()
    """The kinds of tree-sitter nodes that declare a class with a single instance (``object`` in Scala)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.syntax = Syntax(text, self.language(), self.parsed(text))
        self.span, self.cut = self.syntax.span, self.syntax.cut
        self.scope = Scope("file", None)
        self.imports: set[str] = set()
        self._depth = 0
        self._bound: dict[str, Callable[[Found], Node | None]] = {
            kind: getattr(self, method) for kind, method in self.handlers.items()
        }

    @staticmethod
    def language() -> object:
        """Return the tree-sitter grammar for the language."""
        raise NotImplementedError

    def parsed(self, text: str) -> str:
        """Return the text to parse instead of `text`, with the same length."""
        return text

    def program(self) -> Program:
        """Return the file as a `Program`."""
        root = Node("other", Span(0, len(self.text)), self.scope)
        root.parts = self.read_all(self.syntax.root.children)
        self._bound.clear()  # break reference cycles with the reader
        return Program(self.text, root, frozenset(self.imports))

    # -- helpers of the handlers

    def read(self, found: Found | None) -> Node | None:
        """Convert a tree-sitter node with the handler for its kind; return None if it contains nothing relevant."""
        if found is None:
            return None
        kind = found.type
        if kind in self.ignored or self._depth >= MAX_DEPTH:
            return None
        self._depth += 1
        try:
            handler = self._bound.get(kind)
            return handler(found) if handler is not None else self.other(found)
        finally:
            self._depth -= 1

    def read_all(self, found: Iterable[Found]) -> list[Node]:
        """Convert several tree-sitter nodes, skipping those that contain nothing relevant."""
        return [node for one in found if (node := self.read(one)) is not None]

    def other(self, found: Found) -> Node | None:
        """Convert a node whose kind has no handler: return a node with its children, or its only child."""
        return self.gathered(found, self.read_all(found.children))

    def gathered(self, found: Found, parts: list[Node]) -> Node | None:
        """Return the converted parts of a tree-sitter node as one node; None if there are no parts."""
        if found.type in self.branches:
            return self.made("branch", found, parts=parts)
        if len(parts) < 2:
            return parts[0] if parts else None
        return self.made("other", found, parts=parts)

    def made(self, kind: str, found: Found, name: Found | None = None, *, parts: list[Node] | None = None) -> Node:
        """Create a node at the position of a tree-sitter node, optionally with a name."""
        node = Node(kind, self.span(found), self.scope)
        if name is not None:
            node.name, node.name_span = self.cut(name), self.span(name)
        if parts:
            node.parts = parts
        return node

    def add_argument(self, node: Node, found: Found, name: str = "") -> None:
        """Add an argument to a call; an argument that cannot be converted still occupies its position."""
        node.args.append(self.read(found) or self.made("other", found))
        node.names.append(name)

    def arguments(self, node: Node, found: Found) -> None:
        """Add the arguments in an argument list to a call, or add a trailing block as the last argument."""
        if found.type not in self.argument_lists:
            node.args.append(self.block_argument(found))
            node.names.append("")
            return
        for one in found.named_children:
            if one.type not in self.ignored:
                name, value = self.named_argument(one)
                self.add_argument(node, value, "" if name is None else self.cut(name))

    def named_argument(self, found: Found) -> tuple[Found | None, Found]:
        """Return the name (None if it is positional) and the value of an argument."""
        return None, found

    def block_argument(self, found: Found) -> Node:
        """Read the trailing block of a call as a function without parameters."""
        self.enter_scope("function")
        return self.leave_scope(self.made("function", found, parts=self.read_all(found.children)))

    def enter_scope(self, kind: str, name: str = "", supers: tuple[str, ...] = ()) -> None:
        """Enter a new scope; the caller must leave it with `leave_scope`."""
        self.scope = Scope(kind, self.scope, name, supers)

    def leave_scope(self, node: Node) -> Node:
        """Leave the current scope, assign it to the node, and return the node."""
        node.scope = self.scope
        self.scope.node = node
        assert self.scope.parent is not None
        self.scope = self.scope.parent
        return node

    def contents(self, found: Found) -> list[Node]:
        """Read the body of a class or function."""
        body = found.child_by_field_name("body") or child_of(found, self.bodies)
        if body is None:
            return []
        return self.read_all(body.children if body.type in self.bodies else [body])

    def names_in(self, found: Found) -> Iterator[str]:
        """Yield the variable names that a pattern declares."""
        stack = [found]
        while stack:
            one = stack.pop()
            if one.type == "identifier":
                yield self.cut(one)
            elif one.type not in self.ignored:
                stack.extend(one.children)

    def bind_unknown(self, found: Found | None, type_name: str = "") -> None:
        """Bind the variable names that a pattern declares to unknown values."""
        for name in () if found is None else self.names_in(found):
            self.scope.bind(name, None, type_name, declared=False)

    def parameters(self, found: Found) -> None:
        """Bind the parameters of a class or function to unknown values."""
        for several in children_of(found, self.parameter_lists):
            self.parameters(several)
            for one in several.named_children:
                if one.type not in self.parameter_lists:
                    name = one.child_by_field_name("name") or child_of(one, IDENTIFIER) or one
                    self.bind_unknown(name, self.type_in(one))

    def type_in(self, found: Found) -> str:
        """Return the type in a declaration; an empty string if there is none."""
        kind = found.child_by_field_name("type")
        return "" if kind is None else simple_name(self.cut(kind))

    def supers(self, found: Found) -> Iterator[str]:
        """Yield the names of the classes and interfaces that a class extends or implements."""
        for clause in children_of(found, self.super_clauses):
            for one in clause.named_children:
                if one.type not in self.super_clauses and "type" in one.type:
                    yield simple_name(self.cut(one))
            yield from self.supers(clause)

    def flags(self, found: Found) -> frozenset[str]:
        """Return the relevant modifiers of a function or variable (``static``, ``object``, ``expression``)."""
        return _NO_FLAGS

    # -- handlers

    def importing(self, found: Found) -> None:
        """Record the qualified name that an import refers to."""
        words = self.cut(found).removesuffix(";").partition(" as ")[0].split()
        self.imports.add(words[-1])

    def definition(self, found: Found) -> Node | None:
        """Read the definition of a class, interface, or similar type, including its members."""
        node = self.made("class", found, found.child_by_field_name("name"))
        node.supers = tuple(self.supers(found))
        if found.type in self.singletons:
            node.flags = frozenset({"object"})
        self.enter_scope("class", node.name, node.supers)
        self.parameters(found)
        node.parts = self.contents(found)
        return self.leave_scope(node)

    def method(self, found: Found) -> Node:
        """Read the definition of a named function."""
        node = self.made("function", found, found.child_by_field_name("name"))
        node.flags = self.flags(found)
        self.enter_scope("function", node.name)
        self.parameters(found)
        node.parts = self.contents(found)
        return self.leave_scope(node)

    def conditional(self, found: Found) -> Node:
        """Read an ``if`` statement or a conditional expression."""
        node = self.made("branch", found)
        node.name = "if"
        condition = found.child_by_field_name("condition")
        consequence = found.child_by_field_name("consequence")
        if consequence is not None:
            arms = [consequence, found.child_by_field_name("alternative")]
        else:  # Kotlin's grammar does not name the arms
            arms = [one for one in found.named_children if one != condition and one.type not in self.ignored]
        node.init = self.read(condition)
        node.parts = [self.read(one) or self.made("other", one) for one in arms if one is not None]
        return node

    def anonymous(self, found: Found) -> Node:
        """Read a lambda expression."""
        self.enter_scope("function")
        parameters = found.child_by_field_name("parameters")
        if parameters is not None and parameters.type not in self.parameter_lists:
            self.bind_unknown(parameters)
        self.parameters(found)
        skipped = {parameters, *children_of(found, self.parameter_lists)}
        return self.leave_scope(
            self.made("function", found, parts=self.read_all(one for one in found.children if one not in skipped))
        )

    def loop(self, found: Found) -> Node:
        """Read a for-each loop; the values of its variables are unknown."""
        name = found.child_by_field_name("name") or child_of(found, self.patterns)
        self.bind_unknown(name)
        skipped = (name, found.child_by_field_name("type"))
        return self.made("branch", found, parts=self.read_all(one for one in found.children if one not in skipped))

    def declared(self, found: Found, name: Found, value: Found | None, type_name: str) -> Node:
        """Read the declaration of a variable."""
        node = self.made("declare", found, name)
        if value is not None:
            node.init = self.read(value) or self.made("other", value)
        self.scope.bind(node.name, node.init, type_name)
        return node

    def invocation(self, found: Found) -> Node | None:
        """Read a call, including additional argument lists or a trailing block."""
        parts = [one for one in found.named_children if one.type not in self.ignored]
        if not parts:
            return None
        function, *behind = parts
        if function.type == "generic_function":
            function = function.child_by_field_name("function") or function
        if function.type in self.selections:
            node = self.selected("call", found, function)
        elif function.type in ("identifier", "type_identifier"):
            node = self.made("call", found, function)
        else:
            inner = self.read(function)
            if inner is None or inner.kind not in ("call", "new"):
                return self.gathered(found, [*([] if inner is None else [inner]), *self.read_all(behind)])
            node = inner
            node.span = self.span(found)
        for one in behind:
            self.arguments(node, one)
        return node

    def selected(self, kind: str, found: Found, selection: Found) -> Node:
        """Create a node for a member access or method call, with its target."""
        parts = selection.named_children
        node = self.made(kind, found, parts[-1])
        node.target = self.read(parts[0])
        return node

    def field(self, found: Found) -> Node | None:
        """Read a member access, including a time unit after a number (``5.seconds``)."""
        return self.selected("member", found, found) if len(found.named_children) > 1 else self.other(found)

    def access(self, found: Found) -> Node | None:
        """Read an access to an element of an array, list, or map."""
        parts = found.named_children
        if len(parts) < 2:
            return self.other(found)
        node = self.made("index", found)
        node.target = self.read(parts[0])
        self.add_argument(node, parts[1])
        return node

    def creation(self, found: Found) -> Node | None:
        """Read an object creation, possibly of an anonymous class."""
        name = next(self.supers(found), "")
        kind = found.child_by_field_name("type") or next(
            (one for one in found.named_children if one.type.endswith(("type_identifier", "generic_type"))), None
        )
        node = self.made("new", found)
        if kind is not None:
            name = simple_name(self.cut(kind))
            node.name_span = Span(node.span.start, self.span(kind).end)
        node.name = name
        for one in children_of(found, self.argument_lists):
            self.arguments(node, one)
        body = child_of(found, self.bodies)
        if body is not None:
            self.enter_scope("class", "", (name,))
            inner = self.made("class", body, parts=self.read_all(body.children))
            inner.supers = (name,)
            node.parts = [self.leave_scope(inner)]
        return node

    def named(self, found: Found) -> Node:
        """Read an identifier."""
        return self.made("name", found, found)

    def number(self, found: Found) -> Node:
        """Read a number literal, with underscores and suffixes."""
        value = number_of(self.cut(found))
        return self.made("other", found) if value is None else self.literal("number", found, value)

    def truth(self, found: Found) -> Node:
        """Read a boolean literal."""
        return self.literal("bool", found, self.cut(found) == "true")

    def null(self, found: Found) -> Node:
        """Read a null literal."""
        return self.made("null", found)

    def string(self, found: Found) -> Node | None:
        """Read a string literal."""
        raw = self.cut(found)
        if raw.startswith('"""'):
            return self.literal("text", found, self.long_text(raw[3:].removesuffix('"""')))
        return self.literal("text", found, unescaped(raw[1:-1]))

    def long_text(self, raw: str) -> str:
        """Return the value of a triple-quoted string literal, given the source text between the quotes."""
        return raw

    def literal(self, kind: str, found: Found, value: str | float) -> Node:
        """Create a node for a literal value."""
        node = self.made(kind, found)
        node.value = value
        return node

    def jump(self, found: Found) -> Node:
        """Read a return statement; a name that follows ``return@`` is a label."""
        node = self.made("return", found)
        values = self.read_all(one for before, one in pairwise(found.children) if before.type != "return@")
        node.init = values[0] if values else None
        return node

    def operands(self, found: Found) -> tuple[Found | None, ...]:
        """Return the left operand, operator, and right operand of a binary operation."""
        return tuple(found.child_by_field_name(name) for name in ("left", "operator", "right"))

    def operation(self, found: Found) -> Node | None:
        """Read a binary operation, or an infix method call if the operator is a word that is not a time unit."""
        left, operator, right = self.operands(found)
        if left is None or operator is None or right is None:
            return self.other(found)
        word = self.cut(operator)
        if word == self.pairing:
            node = self.made("pairs", found)
            self.add_argument(node, left)
            self.add_argument(node, right)
            return node
        if operator.type == "identifier" and word not in UNITS and word not in _OPERATORS:
            node = self.made("call", found, operator)
            node.target = self.read(left)
            self.add_argument(node, right)
            return node
        parts = self.read_all((left, right))
        if len(parts) < 2:
            return parts[0] if parts else None
        node = self.made("binary", found)
        node.name, node.args = _OPERATORS.get(word, word), parts
        return node

    def sign(self, found: Found) -> Node | None:
        """Read a unary operation: a sign, a negation, or an increment (whose value is unknown)."""
        operand = self.other(found)
        operator = next((one.type for one in found.children if not one.is_named), "")
        if operand is None or operator == "!!":
            return operand
        if operator in ("++", "--"):
            node = self.made("assign", found)
            node.target = operand
        else:
            node = self.made("unary", found)
            node.name, node.args = operator, [operand]
        return node

    def assignment(self, found: Found) -> Node:
        """Read an assignment; the value of a compound assignment is unknown."""
        node = self.made("assign", found)
        left, operator, right = self.operands(found)
        node.target, value = self.read(left), self.read(right)
        if operator is None or operator.type == "=":
            node.init = value
        elif value is not None:
            node.parts = [value]
        return node

    def cast(self, found: Found) -> Node | None:
        """Read the value of a type cast."""
        return self.read(found.child_by_field_name("value") or found.child_by_field_name("left"))


def child_of(found: Found, kinds: Iterable[str]) -> Found | None:
    """Return the first child whose kind is in `kinds`, or None."""
    return next(children_of(found, kinds), None)


def children_of(found: Found, kinds: Iterable[str]) -> Iterator[Found]:
    """Yield the children whose kind is in `kinds`."""
    return (child for child in found.children if child.type in kinds)


def simple_name(text: str) -> str:
    """Return the name of a type without its package and type arguments."""
    return text.partition("<")[0].partition("[")[0].rpartition(".")[2].strip("? ")


def unescaped(text: str) -> str:
    """Return `text` with its Java, Scala, or Kotlin escape sequences replaced by the characters they represent."""
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
    """Return the value of a Java text block, with indentation removed as the Java compiler does."""
    first, newline, rest = text.partition("\n")
    if not newline or first.strip():
        return text
    lines = rest.replace("\r\n", "\n").split("\n")
    counted = [line for line in lines[:-1] if line.strip()] + [lines[-1]]
    margin = min((len(line) - len(line.lstrip(" \t")) for line in counted), default=0)
    return unescaped("\n".join(line[margin:].rstrip(" \t") for line in lines))


def number_of(text: str) -> int | float | None:
    """Return the value of a number literal, possibly with a minus sign (as in Scala); None if it cannot be parsed."""
    if text[:1] == "-":
        value = number_of(text[1:])
        return None if value is None else -value
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = match.group(1).replace("_", "")
    is_hex = digits[:2].lower() == "0x"
    if is_hex or digits[:2].lower() == "0b":
        # The pattern reads suffix letters of a hexadecimal literal as digits; sizes and times are not hexadecimal.
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

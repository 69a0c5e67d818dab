"""Java's concrete syntax tree, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.grammar import (
    GrammarReader,
    child_of,
    children_of,
    simple_name,
    span_of,
    text_block,
    unescaped,
)
from flink_flint.linter.formats.source.program_tree import Node

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_CLASSES = ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")


class JavaReader(GrammarReader):
    """Reads Java."""

    language = "java"
    handlers: ClassVar[dict[str, str]] = {
        **dict.fromkeys(_CLASSES, "type_declaration"),
        **dict.fromkeys(("method_declaration", "constructor_declaration", "compact_constructor_declaration"), "method"),
        **dict.fromkeys(("local_variable_declaration", "field_declaration", "constant_declaration"), "variables"),
        **dict.fromkeys(
            (
                *("decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal"),
                *("decimal_floating_point_literal", "hex_floating_point_literal"),
            ),
            "number",
        ),
        "import_declaration": "importing",
        "method_invocation": "invocation",
        "object_creation_expression": "creation",
        "field_access": "field",
        "scoped_identifier": "field",
        "array_access": "access",
        "identifier": "named",
        "this": "named",
        "type_identifier": "named",
        "string_literal": "string",
        "character_literal": "character",
        "true": "truth",
        "false": "truth",
        "null_literal": "null",
        "binary_expression": "operation",
        "unary_expression": "sign",
        "update_expression": "update",
        "assignment_expression": "assignment",
        "cast_expression": "cast",
        "lambda_expression": "anonymous",
        "enhanced_for_statement": "loop",
        "return_statement": "jump",
    }
    wordy = frozenset(
        {
            *(
                "line_comment",
                "block_comment",
                "package_declaration",
                "type_arguments",
                "annotation",
                "marker_annotation",
            ),
            *(
                "modifiers",
                "type_parameters",
                "generic_type",
                "scoped_type_identifier",
                "superclass",
                "super_interfaces",
            ),
        }
    )

    def importing(self, found: SgNode) -> None:
        """Remember an import."""
        words = found.text().removesuffix(";").split()
        if len(words) > 1:
            self.imports.add(words[-1])

    def type_declaration(self, found: SgNode) -> Node:
        """A class, interface, enum or record."""
        name = found.field("name")
        supers = [
            simple_name(word)
            for kind in ("superclass", "super_interfaces", "extends_interfaces")
            if (clause := child_of(found, kind)) is not None
            for word in _without_arguments(clause.text()).replace("extends", " ").replace("implements", " ").split(",")
        ]
        return self._class(found, "" if name is None else name.text(), tuple(s.strip() for s in supers), name)

    def _class(self, found: SgNode, name: str, supers: tuple[str, ...], at: SgNode | None) -> Node:
        node = self.made("class", found, name)
        if at is not None:
            node.name_span = span_of(at)
        node.supers = supers
        self.inside("class", name, supers)
        parameters = child_of(found, "formal_parameters")
        if parameters is not None:
            self._parameters(parameters)
        body = found.field("body") or child_of(found, "class_body")
        if body is not None:
            node.parts = self.read_all(body.children())
        return self.leave(node)

    def method(self, found: SgNode) -> Node:
        """A method or constructor."""
        name = found.field("name")
        node = self.made("function", found, "" if name is None else name.text())
        if name is not None:
            node.name_span = span_of(name)
        node.flags = _modifiers(found)
        self.inside("function", node.name)
        parameters = found.field("parameters")
        if parameters is not None:
            self._parameters(parameters)
        body = found.field("body")
        if body is not None:
            node.parts = self.read_all(body.children())
        return self.leave(node)

    def anonymous(self, found: SgNode) -> Node:
        """A lambda."""
        node = self.made("function", found)
        self.inside("function")
        parameters = found.field("parameters")
        if parameters is not None:
            if parameters.kind() == "identifier":
                self.scope.bind(parameters.text(), None, declared=False)
            else:
                self._parameters(parameters)
        body = self.read(found.field("body"))
        node.parts = [] if body is None else [body]
        return self.leave(node)

    def _parameters(self, found: SgNode) -> None:
        for one in found.children():
            name = one if one.kind() == "identifier" else one.field("name")
            if name is not None:
                kind = one.field("type") if one.kind() != "identifier" else None
                self.scope.bind(name.text(), None, "" if kind is None else simple_name(kind.text()), declared=False)

    def loop(self, found: SgNode) -> Node | None:
        """A loop over values, whose variable nobody can tell."""
        name = found.field("name")
        if name is not None:
            self.scope.bind(name.text(), None, declared=False)
        values, body = self.read(found.field("value")), self.read(found.field("body"))
        return self.made("branch", found, parts=[node for node in (values, body) if node is not None])

    def variables(self, found: SgNode) -> Node | None:
        """A declaration of variables or fields."""
        kind = found.field("type")
        type_name = "" if kind is None else simple_name(kind.text())
        flags = _modifiers(found)
        declared = []
        for one in children_of(found, "variable_declarator"):
            name = one.field("name")
            if name is None:
                continue
            node = Node("declare", span_of(one), self.scope, name.text(), span_of(name))
            node.init = self.read(one.field("value"))
            if node.init is None and one.field("value") is not None:
                node.init = self.made("other", one)
            node.type, node.flags = type_name, flags
            self.scope.bind(node.name, node.init, "" if type_name == "var" else type_name)
            declared.append(node)
        return declared[0] if len(declared) == 1 else self.made("other", found, parts=declared) if declared else None

    def invocation(self, found: SgNode) -> Node | None:
        """A call."""
        name = found.field("name")
        if name is None:
            return self.other(found)
        node = self.call(found, self.read(found.field("object")), name)
        self._arguments(node, found.field("arguments"))
        return node

    def _arguments(self, node: Node, found: SgNode | None) -> None:
        if found is not None:
            for one in found.children():
                if one.is_named() and one.kind() not in self.wordy:
                    self.argue(node, one)

    def creation(self, found: SgNode) -> Node:
        """A new object, perhaps of an anonymous class."""
        kind = found.field("type")
        node = self.made("new", found, "" if kind is None else simple_name(kind.text()))
        if kind is not None:
            place = span_of(kind)
            node.name_span = type(place)(node.span.start, place.end)
        self._arguments(node, found.field("arguments"))
        body = child_of(found, "class_body")
        if body is not None:
            self.inside("class", "", (node.name,))
            inner = self.made("class", body)
            inner.supers = (node.name,)
            inner.parts = self.read_all(body.children())
            node.parts = [self.leave(inner)]
        return node

    def field(self, found: SgNode) -> Node | None:
        """A member of something."""
        children = [child for child in found.children() if child.is_named()]
        if len(children) < 2:
            return self.other(found)
        node = Node("member", span_of(found), self.scope, children[-1].text(), span_of(children[-1]))
        node.target = self.read(children[0])
        return node

    def access(self, found: SgNode) -> Node | None:
        """A place in an array."""
        node = self.made("index", found)
        node.target = self.read(found.field("array"))
        self.argue(node, found.field("index"))
        return node

    def string(self, found: SgNode) -> Node:
        """A text or a text block."""
        raw = found.text()
        if raw.startswith('"""'):
            return self.literal(found, text_block(raw[3:].removesuffix('"""')))
        return self.literal(found, unescaped(raw[1:-1]))

    def character(self, found: SgNode) -> Node:
        """A single character."""
        return self.literal(found, unescaped(found.text()[1:-1]))

    def operation(self, found: SgNode) -> Node | None:
        """An operation on two values."""
        operator = found.field("operator")
        return self.binary(
            found, "" if operator is None else operator.text(), found.field("left"), found.field("right")
        )

    def sign(self, found: SgNode) -> Node | None:
        """A sign or a negation."""
        operator, operand = found.field("operator"), self.read(found.field("operand"))
        if operand is None or operator is None:
            return operand
        node = self.made("unary", found, operator.text())
        node.args = [operand]
        return node

    def update(self, found: SgNode) -> Node | None:
        """A counter, whose value nobody can tell."""
        target = self.other(found)
        if target is None:
            return None
        node = self.made("assign", found)
        node.target = target
        return node

    def assignment(self, found: SgNode) -> Node | None:
        """An assignment; one that reckons with the old value is of an unknown one."""
        node = self.made("assign", found)
        node.target = self.read(found.field("left"))
        node.init = self.read(found.field("right"))
        operator = found.field("operator")
        if operator is not None and operator.text() != "=" and node.init is not None:
            node.parts, node.init = [node.init], None
        return node

    def cast(self, found: SgNode) -> Node | None:
        """A value under another type."""
        return self.read(found.field("value"))


def _modifiers(found: SgNode) -> frozenset[str]:
    modifiers = child_of(found, "modifiers")
    return frozenset() if modifiers is None else frozenset(child.kind() for child in modifiers.children())


def _without_arguments(text: str) -> str:
    """A list of types without their type arguments, whose commas would divide it."""
    out: list[str] = []
    depth = 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            out.append(character)
    return "".join(out)

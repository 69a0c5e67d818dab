"""Scala's concrete syntax tree, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.constant_folding import UNITS
from flink_flint.linter.formats.source.grammar import GrammarReader, child_of, simple_name, span_of, unescaped
from flink_flint.linter.formats.source.program_tree import Node

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_PATTERNS = ("identifier", "type_identifier", "stable_identifier")


class ScalaReader(GrammarReader):
    """Reads Scala."""

    language = "scala"
    handlers: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("class_definition", "object_definition", "trait_definition", "enum_definition"), "definition"),
        **dict.fromkeys(("val_definition", "var_definition", "val_declaration", "var_declaration"), "variable"),
        **dict.fromkeys(("integer_literal", "floating_point_literal"), "number"),
        "import_declaration": "importing",
        "function_definition": "method",
        "call_expression": "invocation",
        "instance_expression": "creation",
        "field_expression": "field",
        "stable_identifier": "field",
        "identifier": "named",
        "type_identifier": "named",
        "this": "named",
        "string": "string",
        "interpolated_string_expression": "interpolated",
        "boolean_literal": "truth",
        "null_literal": "null",
        "infix_expression": "operation",
        "postfix_expression": "postfix",
        "prefix_expression": "sign",
        "assignment_expression": "assignment",
        "lambda_expression": "anonymous",
        "case_clause": "anonymous",
        "return_expression": "jump",
        "generic_function": "generic",
        "for_expression": "loop",
    }
    wordy = frozenset(
        {
            *("comment", "block_comment", "package_clause", "type_arguments", "annotation", "modifiers"),
            *(
                "type_parameters",
                "generic_type",
                "extends_clause",
                "parameters",
                "class_parameters",
                "operator_identifier",
            ),
        }
    )
    branches = frozenset({"if_expression", "match_expression", "while_expression", "try_expression"})

    def importing(self, found: SgNode) -> None:
        """Remember an import, each selected name of it."""
        text = "".join(found.text().removeprefix("import").split())
        for part in text.split(",") if "{" not in text else [text]:
            stem, brace, names = part.partition("{")
            if not brace:
                self.imports.add(part)
            for name in names.rstrip("}").split(","):
                if name:
                    self.imports.add(stem + name.partition("=>")[0].partition("as")[0])

    def definition(self, found: SgNode) -> Node:
        """A class, object or trait."""
        name = found.field("name")
        clause = child_of(found, "extends_clause")
        supers = [] if clause is None else [
            simple_name(child.text()) for child in clause.children() if "type" in child.kind()
        ]  # fmt: skip
        node = self.made("class", found, "" if name is None else name.text())
        if name is not None:
            node.name_span = span_of(name)
        node.supers = tuple(supers)
        if found.kind() == "object_definition":
            node.flags = frozenset({"object"})
        self.inside("class", node.name, node.supers)
        for parameters in (child for child in found.children() if child.kind() == "class_parameters"):
            self._parameters(parameters)
        body = found.field("body")
        if body is not None:
            node.parts = self.read_all(body.children())
        return self.leave(node)

    def method(self, found: SgNode) -> Node:
        """A function with a name; its value is its last expression."""
        name = found.field("name")
        node = self.made("function", found, "" if name is None else name.text())
        if name is not None:
            node.name_span = span_of(name)
        node.flags = frozenset({"expression"})
        self.inside("function", node.name)
        for parameters in (child for child in found.children() if child.kind() == "parameters"):
            self._parameters(parameters)
        body = self.read(found.field("body"))
        node.parts = [] if body is None else [body]
        return self.leave(node)

    def _parameters(self, found: SgNode) -> None:
        for one in found.children():
            name = one.field("name")
            if name is not None:
                kind = one.field("type")
                self.scope.bind(name.text(), None, "" if kind is None else simple_name(kind.text()), declared=False)

    def anonymous(self, found: SgNode) -> Node:
        """A lambda or a case of a match."""
        node = self.made("function" if found.kind() == "lambda_expression" else "branch", found)
        children = found.children()
        self.inside("function")
        if children and found.kind() == "lambda_expression":
            for one in (children[0], *children[0].children()):
                name = one if one.kind() == "identifier" else one.field("name")
                if name is not None:
                    self.scope.bind(name.text(), None, declared=False)
            children = children[1:]
        elif (pattern := found.field("pattern")) is not None:
            for word in pattern.find_all(kind="identifier"):
                self.scope.bind(word.text(), None, declared=False)
        node.parts = self.read_all(children)
        return self.leave(node)

    def loop(self, found: SgNode) -> Node:
        """A loop, whose variables nobody can tell."""
        clause = child_of(found, "enumerators")
        if clause is not None:
            for one in clause.children():
                pattern = child_of(one, "identifier")
                if pattern is not None:
                    self.scope.bind(pattern.text(), None, declared=False)
        return self.made("branch", found, parts=self.read_all(found.children()))

    def variable(self, found: SgNode) -> Node | None:
        """A val or var."""
        pattern, value = found.field("pattern") or found.field("name"), found.field("value")
        if pattern is None or pattern.kind() not in _PATTERNS:
            return self.other(found)
        kind = found.field("type")
        node = Node("declare", span_of(found), self.scope, pattern.text(), span_of(pattern))
        node.init = self.read(value)
        if node.init is None and value is not None:
            node.init = self.made("other", value)
        node.type = "" if kind is None else simple_name(kind.text())
        self.scope.bind(node.name, node.init, node.type)
        return node

    def invocation(self, found: SgNode) -> Node | None:
        """A call; a block behind it is its last argument."""
        function, arguments = found.field("function"), found.field("arguments")
        if function is not None and function.kind() == "generic_function":
            function = function.field("function")
        if function is None:
            return self.other(found)
        if function.kind() in ("field_expression", "stable_identifier"):
            parts = [child for child in function.children() if child.is_named()]
            name, target = parts[-1], self.read(parts[0])
        elif function.kind() in ("identifier", "type_identifier"):
            name, target = function, None
        else:
            # f(a)(b): the second list belongs to the same call
            inner = self.read(function)
            if inner is not None and inner.kind in ("call", "new"):
                self._arguments(inner, arguments)
                inner.span = span_of(found)
                return inner
            return self.other(found)
        node = self.call(found, target, name)
        self._arguments(node, arguments)
        return node

    def _arguments(self, node: Node, found: SgNode | None) -> None:
        if found is None:
            return
        if found.kind() != "arguments":
            body = self.made("function", found)
            self.inside("function")
            body.parts = self.read_all(found.children())
            node.args.append(self.leave(body))
            node.names.append("")
            return
        for one in found.children():
            if not one.is_named() or one.kind() in self.wordy:
                continue
            if one.kind() == "assignment_expression":
                left, right = one.field("left"), one.field("right")
                self.argue(node, right, "" if left is None else left.text())
            else:
                self.argue(node, one)

    def generic(self, found: SgNode) -> Node | None:
        """A function with type arguments that is not called here: ``KafkaSource.builder[String]``."""
        function = found.field("function")
        if function is None or function.kind() != "field_expression":
            return self.read(function)
        parts = [child for child in function.children() if child.is_named()]
        return self.call(found, self.read(parts[0]), parts[-1])

    def creation(self, found: SgNode) -> Node | None:
        """A new object, perhaps with a body of its own."""
        kind = child_of(found, "type_identifier", "generic_type", "stable_type_identifier")
        if kind is None:
            return self.other(found)
        node = self.made("new", found, simple_name(kind.text()))
        place = span_of(kind)
        node.name_span = type(place)(node.span.start, place.end)
        for child in found.children():
            if child.kind() == "arguments":
                self._arguments(node, child)
        body = child_of(found, "template_body")
        if body is not None:
            self.inside("class", "", (node.name,))
            inner = self.made("class", body)
            inner.supers = (node.name,)
            inner.parts = self.read_all(body.children())
            node.parts = [self.leave(inner)]
        return node

    def field(self, found: SgNode) -> Node | None:
        """A member of something; an unit of time behind a number is one too."""
        parts = [child for child in found.children() if child.is_named()]
        if len(parts) < 2:
            return self.other(found)
        node = Node("member", span_of(found), self.scope, parts[-1].text(), span_of(parts[-1]))
        node.target = self.read(parts[0])
        return node

    def string(self, found: SgNode) -> Node:
        """A text."""
        raw = found.text()
        if raw.startswith('"""'):
            return self.literal(found, raw[3:].removesuffix('"""'))
        return self.literal(found, unescaped(raw[1:-1]))

    def interpolated(self, found: SgNode) -> Node | None:
        """A text with places in it: known only where there are none."""
        body = child_of(found, "interpolated_string")
        if body is not None and child_of(body, "interpolation") is None and body.text()[:3] != '"""':
            return self.literal(found, unescaped(body.text()[1:-1]))
        return self.made("other", found, parts=self.read_all([] if body is None else body.children()))

    def operation(self, found: SgNode) -> Node | None:
        """An operation; ``a -> b`` is a pair, ``5 seconds`` a time, another word a call."""
        left, operator, right = found.field("left"), found.field("operator"), found.field("right")
        word = "" if operator is None else operator.text()
        if word == "->" and left is not None and right is not None:
            node = self.made("pairs", found)
            self.argue(node, left)
            self.argue(node, right)
            return node
        if operator is not None and operator.kind() == "identifier" and word not in UNITS:
            call = self.call(found, self.read(left), operator)
            self.argue(call, right)
            return call
        return self.binary(found, word, left, right)

    def postfix(self, found: SgNode) -> Node | None:
        """A method without arguments behind its object: ``10 seconds``."""
        return self.field(found)

    def sign(self, found: SgNode) -> Node | None:
        """A sign or a negation."""
        operand = self.other(found)
        if operand is None:
            return None
        node = self.made("unary", found, found.text()[:1])
        node.args = [operand]
        return node

    def assignment(self, found: SgNode) -> Node | None:
        """An assignment; one to ``config("key")`` or a member is of the same kind."""
        node = self.made("assign", found)
        left = found.field("left")
        node.init = self.read(found.field("right"))
        node.target = self.read(left)
        if node.target is not None and node.target.kind == "call" and len(node.target.args) == 1:
            # props("key") = value
            index = self.made("index", found)
            index.target, index.args = self.made("name", found, node.target.name), node.target.args
            node.target = index
        return node

"""Kotlin's concrete syntax tree, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.grammar import (
    GrammarReader,
    child_of,
    children_of,
    simple_name,
    span_of,
    unescaped,
)
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_ARITHMETIC = ("additive_expression", "multiplicative_expression", "comparison_expression", "equality_expression")


class KotlinReader(GrammarReader):
    """Reads Kotlin; an assignment to a property of an object becomes a call of its setter."""

    language = "kotlin"
    handlers: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("class_declaration", "object_declaration", "companion_object"), "definition"),
        **dict.fromkeys(("integer_literal", "long_literal", "real_literal", "hex_literal", "bin_literal"), "number"),
        **dict.fromkeys(_ARITHMETIC, "operation"),
        **dict.fromkeys(("string_literal", "multi_line_string_literal", "line_string_literal"), "string"),
        **dict.fromkeys(("lambda_literal", "anonymous_function"), "anonymous"),
        "import_header": "importing",
        "function_declaration": "method",
        "property_declaration": "variable",
        "call_expression": "invocation",
        "object_literal": "creation",
        "navigation_expression": "field",
        "indexing_expression": "access",
        "simple_identifier": "named",
        "type_identifier": "named",
        "this_expression": "named",
        "boolean_literal": "truth",
        "null": "null",
        "infix_expression": "word",
        "prefix_expression": "sign",
        "assignment": "assignment",
        "jump_expression": "jump",
        "for_statement": "loop",
        "property_delegate": "delegate",
        "as_expression": "cast",
    }
    wordy = frozenset(
        {
            *("line_comment", "multiline_comment", "package_header", "type_arguments", "modifiers", "user_type"),
            *("type_parameters", "function_value_parameters", "primary_constructor", "delegation_specifier", "label"),
            *("binding_pattern_kind", "nullable_type", "annotation"),
        }
    )
    branches = frozenset({"if_expression", "when_expression", "when_entry", "try_expression", "while_statement"})

    _is_static = False

    def importing(self, found: SgNode) -> None:
        """Remember an import."""
        words = found.text().split()
        if len(words) > 1:
            self.imports.add(words[1])

    def definition(self, found: SgNode) -> Node:
        """A class or object."""
        name = child_of(found, "type_identifier", "simple_identifier")
        supers = tuple(
            simple_name(clause.text().partition("(")[0]) for clause in children_of(found, "delegation_specifier")
        )
        node = self.made("class", found, "" if name is None else name.text())
        if name is not None:
            node.name_span = span_of(name)
        node.supers = supers
        if found.kind() != "class_declaration":
            node.flags = frozenset({"object"})
        if found.kind() == "companion_object" and self.scope.kind == "class":
            # Its members are used as those of the class around it.
            body = child_of(found, "class_body")
            node.kind = "other"
            return self._companion(node, [] if body is None else body.children())
        self.inside("class", node.name, supers)
        constructor = child_of(found, "primary_constructor")
        if constructor is not None:
            self._parameters(constructor, "class_parameter")
        body = child_of(found, "class_body", "enum_class_body")
        if body is not None:
            node.parts = self.read_all(body.children())
        return self.leave(node)

    def _companion(self, node: Node, members: list[SgNode]) -> Node:
        """What belongs to a class, not to its objects."""
        before, self._is_static = self._is_static, True
        node.parts = self.read_all(members)
        self._is_static = before
        return node

    def method(self, found: SgNode) -> Node:
        """A function with a name."""
        name = child_of(found, "simple_identifier")
        node = self.made("function", found, "" if name is None else name.text())
        if name is not None:
            node.name_span = span_of(name)
        self.inside("function", node.name)
        parameters = child_of(found, "function_value_parameters")
        if parameters is not None:
            self._parameters(parameters, "parameter")
        body = child_of(found, "function_body")
        if body is not None:
            node.parts = self.read_all(body.children())
            if body.text().startswith("="):
                node.flags = frozenset({"expression"})
        return self.leave(node)

    def _parameters(self, found: SgNode, kind: str) -> None:
        for one in children_of(found, kind):
            name, type_name = child_of(one, "simple_identifier"), child_of(one, "user_type", "nullable_type")
            if name is not None:
                text = "" if type_name is None else simple_name(type_name.text())
                self.scope.bind(name.text(), None, text, declared=False)

    def anonymous(self, found: SgNode) -> Node:
        """A lambda."""
        node = self.made("function", found)
        self.inside("function")
        parameters = child_of(found, "lambda_parameters")
        if parameters is not None:
            for one in parameters.find_all(kind="simple_identifier"):
                self.scope.bind(one.text(), None, declared=False)
        node.parts = self.read_all([child for child in found.children() if child.kind() != "lambda_parameters"])
        return self.leave(node)

    def loop(self, found: SgNode) -> Node:
        """A loop, whose variable nobody can tell."""
        name = child_of(found, "variable_declaration")
        if name is not None:
            self.scope.bind(name.text().partition(":")[0].strip(), None, declared=False)
        return self.made("branch", found, parts=self.read_all(found.children()))

    def variable(self, found: SgNode) -> Node | None:
        """A val or var."""
        declared = child_of(found, "variable_declaration")
        name = None if declared is None else child_of(declared, "simple_identifier")
        if declared is None or name is None:
            return self.other(found)
        kind = child_of(declared, "user_type", "nullable_type")
        skipped = ("variable_declaration", "getter", "setter", "modifiers", "=")
        values = [child for child in found.children() if child.kind() not in skipped]
        read = self.read_all(values)
        node = Node("declare", span_of(found), self.scope, name.text(), span_of(name))
        node.init = read[-1] if read else None
        has_value = any(child.kind() == "=" for child in found.children())
        if node.init is None and has_value:
            node.init = self.made("other", found)
        node.type = "" if kind is None else simple_name(kind.text())
        node.flags = frozenset({"static"}) if self._is_static else frozenset()
        self.scope.bind(node.name, node.init, node.type)
        return node

    def delegate(self, found: SgNode) -> Node | None:
        """What a property is delegated to; of ``lazy`` the value it makes."""
        inner = self.other(found)
        if inner is not None and inner.kind == "call" and inner.name == "lazy" and inner.args:
            body = inner.args[-1]
            return body.parts[-1] if body.kind == "function" and len(body.parts) == 1 else inner
        return inner

    def invocation(self, found: SgNode) -> Node | None:
        """A call; a lambda behind it is its last argument."""
        children = [child for child in found.children() if child.is_named()]
        if len(children) < 2:
            return self.other(found)
        function, suffix = children[0], children[-1]
        if function.kind() == "navigation_expression":
            node = self._of_member(found, function)
        elif function.kind() == "simple_identifier":
            node = self.call(found, None, function)
        else:
            inner = self.read(function)
            if inner is None or inner.kind not in ("call", "new"):
                return self.other(found)
            node = inner  # f(a) { ... }
            node.span = span_of(found)
        if node is None:
            return self.other(found)
        for part in suffix.children():
            if part.kind() == "value_arguments":
                self._arguments(node, part)
            elif part.kind() == "annotated_lambda":
                if node.kind == "new":
                    node.parts.append(self._body_of(node, part))
                else:
                    self.argue(node, part)
        return node

    def _of_member(self, found: SgNode, function: SgNode) -> Node | None:
        parts = [child for child in function.children() if child.is_named()]
        name = child_of(parts[-1], "simple_identifier") if parts else None
        return None if name is None else self.call(found, self.read(parts[0]), name)

    def _body_of(self, node: Node, part: SgNode) -> Node:
        """The body of an object, which the grammar may take for a lambda behind it."""
        self.inside("class", "", (node.name,))
        inner = self.made("class", part)
        inner.supers = (node.name,)
        body = self.other(part)
        inner.parts = [] if body is None else body.parts if body.kind in ("other", "function") else [body]
        return self.leave(inner)

    def _arguments(self, node: Node, found: SgNode) -> None:
        for one in children_of(found, "value_argument"):
            parts = [child for child in one.children() if child.kind() not in self.wordy]
            named = len(parts) > 2 and parts[1].kind() == "="
            self.argue(node, parts[-1] if parts else None, parts[0].text() if named else "")

    def creation(self, found: SgNode) -> Node:
        """An object of a class without name."""
        clause = child_of(found, "delegation_specifier")
        name = "" if clause is None else simple_name(clause.text().partition("(")[0])
        node = self.made("new", found, name)
        body = child_of(found, "class_body")
        if body is not None:
            node.parts = [self._body_of(node, body)]
        return node

    def field(self, found: SgNode) -> Node | None:
        """A member of something."""
        parts = [child for child in found.children() if child.is_named()]
        name = child_of(parts[-1], "simple_identifier") if parts else None
        if name is None or len(parts) < 2:
            return self.other(found)
        node = Node("member", span_of(found), self.scope, name.text(), span_of(name))
        node.target = self.read(parts[0])
        return node

    def access(self, found: SgNode) -> Node | None:
        """A place in a list or map."""
        parts = [child for child in found.children() if child.is_named()]
        if len(parts) < 2:
            return self.other(found)
        node = self.made("index", found)
        node.target = self.read(parts[0])
        self.argue(node, next((child for child in parts[1].children() if child.is_named()), None))
        return node

    def string(self, found: SgNode) -> Node | None:
        """A text; known only without places to fill in it."""
        raw = found.text()
        if any("interpol" in child.kind() for child in found.children()):
            return self.made("other", found, parts=self.read_all(found.children()))
        if raw.startswith('"""'):
            return self.literal(found, raw[3:].removesuffix('"""'))
        return self.literal(found, unescaped(raw[1:-1]))

    def operation(self, found: SgNode) -> Node | None:
        """An operation on two values."""
        children = found.children()
        if len(children) != 3:
            return self.other(found)
        return self.binary(found, children[1].kind(), children[0], children[2])

    def word(self, found: SgNode) -> Node | None:
        """``a to b`` is a pair; ``a shl b`` and the like are calls."""
        children = [child for child in found.children() if child.is_named()]
        if len(children) != 3:
            return self.other(found)
        if children[0].kind() == "object_literal" or children[1].text() == "object":
            # An object without a superclass, which the grammar takes for an operation.
            node = self.made("class", found, children[1].text() if children[1].text() != "object" else "")
            node.flags = frozenset({"object"})
            if node.name:
                node.name_span = span_of(children[1])
            companion = not node.name
            if not companion:
                self.inside("class", node.name)
            body = [child for child in children[2].children() if child.is_named()]
            if companion:
                node.kind = "other"
                return self._companion(node, body)
            node.parts = self.read_all(body)
            return self.leave(node)
        if children[1].text() == "to":
            node = self.made("pairs", found)
            self.argue(node, children[0])
            self.argue(node, children[2])
            return node
        if children[1].text() == "shl":
            return self.binary(found, "<<", children[0], children[2])
        call = self.call(found, self.read(children[0]), children[1])
        self.argue(call, children[2])
        return call

    def sign(self, found: SgNode) -> Node | None:
        """A sign or a negation."""
        operand = self.other(found)
        if operand is None:
            return None
        node = self.made("unary", found, found.text()[:1])
        node.args = [operand]
        return node

    def cast(self, found: SgNode) -> Node | None:
        """A value under another type."""
        children = found.children()
        return self.read(children[0]) if children else None

    def assignment(self, found: SgNode) -> Node | None:
        """An assignment to a name or a place; ``env.parallelism = 4`` is ``env.setParallelism(4)``."""
        children = found.children()
        left = child_of(found, "directly_assignable_expression")
        if left is None or len(children) < 3:
            return self.other(found)
        parts = [child for child in left.children() if child.is_named()]
        operator = children[1].text()
        last = parts[-1] if parts else left
        if last.kind() == "navigation_suffix" and (name := child_of(last, "simple_identifier")) is not None:
            target = self.read_all(parts[:-1])
            word = name.text()
            if target and target[-1].name not in ("this",):
                call = Node("call", span_of(found), self.scope, f"set{word[:1].upper()}{word[1:]}", span_of(name))
                call.target = target[-1]
                self.argue(call, children[-1] if operator == "=" else None)
                return call
            node = self.made("assign", found)
            place = span_of(left)
            node.target = Node("member", place, self.scope, word, span_of(name))
            node.target.target = target[-1] if target else None
        else:
            node = self.made("assign", found)
            if last.kind() == "indexing_suffix" and len(parts) > 1:
                start, end = span_of(parts[0]).start, span_of(last).end
                index = Node("index", Span(start, end), self.scope)
                index.target = self.read(parts[0])
                self.argue(index, next((child for child in last.children() if child.is_named()), None))
                node.target = index
            else:
                node.target = self.read(last)
        node.init = self.read(children[-1]) if operator == "=" else None
        return node

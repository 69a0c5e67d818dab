"""Converts Scala source code to the tree of `program_tree`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.languages.jvm_grammar import (
    IDENTIFIER,
    GrammarReader,
    child_of,
    children_of,
    unescaped,
)
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.lazy_regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node as Found

_CLASSES = ("class_definition", "object_definition", "trait_definition", "enum_definition")
_VARIABLES = ("val_definition", "var_definition", "val_declaration", "var_declaration")
_PATTERNS = ("identifier", "type_identifier", "stable_identifier")
_AS = regex(r"\sas\s")
"""What Scala 3 writes for the ``=>`` that gives an import another name."""


class ScalaReader(GrammarReader):
    """Reads Scala source code."""

    handlers: ClassVar[dict[str, str]] = {
        **dict.fromkeys(_CLASSES, "definition"),
        **dict.fromkeys(_VARIABLES, "variable"),
        **dict.fromkeys(("integer_literal", "floating_point_literal"), "number"),
        **dict.fromkeys(("identifier", "type_identifier", "this"), "named"),
        **dict.fromkeys(("field_expression", "stable_identifier", "postfix_expression"), "field"),
        "import_declaration": "importing",
        "function_definition": "method",
        "call_expression": "invocation",
        "instance_expression": "creation",
        "string": "string",
        "interpolated_string_expression": "interpolated",
        "boolean_literal": "truth",
        "null_literal": "null",
        "infix_expression": "operation",
        "prefix_expression": "sign",
        "assignment_expression": "assignment",
        "lambda_expression": "anonymous",
        "case_clause": "case",
        "return_expression": "jump",
        "generic_function": "generic",
        "for_expression": "loop",
        "if_expression": "conditional",
    }
    ignored = frozenset(
        {
            *("comment", "block_comment", "package_clause", "type_arguments", "annotation", "modifiers"),
            *("type_parameters", "generic_type", "extends_clause", "parameters", "class_parameters"),
            "operator_identifier",
        }
    )
    branches = frozenset({"if_expression", "match_expression", "while_expression", "try_expression"})
    bodies = frozenset({"template_body", "enum_body"})
    parameter_lists = frozenset({"parameters", "class_parameters", "bindings"})
    argument_lists = frozenset({"arguments"})
    super_clauses = frozenset({"extends_clause"})
    selections = frozenset({"field_expression", "stable_identifier"})
    pairing = "->"
    singletons = frozenset({"object_definition"})

    @staticmethod
    def language() -> object:
        """Return the tree-sitter grammar for Scala."""
        from tree_sitter_scala import language

        return language()

    def importing(self, found: Found) -> None:
        """Record the qualified names that an import refers to, one for each name in braces."""
        text = "".join(_AS.sub("=>", self.cut(found).removeprefix("import")).split())
        for part in text.split(",") if "{" not in text else [text]:
            stem, brace, names = part.partition("{")
            if not brace:
                self.imports.add(part.partition("=>")[0])
            for name in names.rstrip("}").split(","):
                if name:
                    self.imports.add(stem + name.partition("=>")[0])

    def flags(self, found: Found) -> frozenset[str]:
        """Return a set with the flag ``expression``, since a Scala function returns its last expression's value."""
        return frozenset({"expression"})

    def case(self, found: Found) -> Node:
        """Read a case of a ``match``; the names that its pattern binds have unknown values."""
        self.enter_scope("function")
        self.bind_unknown(found.child_by_field_name("pattern"))
        return self.leave_scope(self.made("branch", found, parts=self.read_all(found.children)))

    def loop(self, found: Found) -> Node:
        """Read a ``for`` loop; the values of its variables are unknown."""
        for clause in children_of(found, ("enumerators",)):
            for one in clause.named_children:
                self.bind_unknown(child_of(one, IDENTIFIER))
        return self.made("branch", found, parts=self.read_all(found.children))

    def variable(self, found: Found) -> Node | None:
        """Read a ``val`` or ``var`` declaration."""
        name = found.child_by_field_name("pattern") or found.child_by_field_name("name")
        if name is None or name.type not in _PATTERNS:
            return self.other(found)
        return self.declared(found, name, found.child_by_field_name("value"), self.type_in(found))

    def named_argument(self, found: Found) -> tuple[Found | None, Found]:
        """Return an argument's name (None if it is positional) and value."""
        name, value = found.child_by_field_name("left"), found.child_by_field_name("right")
        return (None, found) if found.type != "assignment_expression" or value is None else (name, value)

    def generic(self, found: Found) -> Node | None:
        """Read a call with type arguments but without an argument list, such as ``KafkaSource.builder[String]``."""
        function = found.child_by_field_name("function")
        if function is None or function.type != "field_expression":
            return self.read(function)
        return self.selected("call", found, function)

    def interpolated(self, found: Found) -> Node | None:
        """Read a prefixed string (``s"..."``), as a ``text`` node unless it is triple-quoted or has interpolations."""
        body = child_of(found, ("interpolated_string",))
        parts = [] if body is None else body.children
        if body is None or self.cut(body)[:3] == '"""' or any(one.type == "interpolation" for one in parts):
            return self.made("format", found, parts=self.read_all(parts))
        return self.literal("text", found, unescaped(self.cut(body)[1:-1]))

    def assignment(self, found: Found) -> Node:
        """Read an assignment, including an assignment to an element (``props("key") = value``)."""
        node = super().assignment(found)
        call = node.target
        if call is not None and call.kind == "call" and len(call.args) == 1:
            node.target = index = self.made("index", found)
            index.target, index.args = self.made("name", found), call.args
            index.target.name = call.name
        return node

"""Converts Java source code to the language-independent tree of `program_tree`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.languages.jvm_grammar import GrammarReader, child_of, children_of, text_block
from flink_flint.linter.formats.source.program_tree import Node

if TYPE_CHECKING:
    from tree_sitter import Node as Found

_CLASSES = ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
_METHODS = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")
_VARIABLES = ("local_variable_declaration", "field_declaration", "constant_declaration")
_INTEGERS = ("decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal")
_NUMBERS = (*_INTEGERS, "decimal_floating_point_literal", "hex_floating_point_literal")


class JavaReader(GrammarReader):
    """Reads Java source code."""

    handlers: ClassVar[dict[str, str]] = {
        **dict.fromkeys(_CLASSES, "definition"),
        **dict.fromkeys(_METHODS, "method"),
        **dict.fromkeys(_VARIABLES, "variables"),
        **dict.fromkeys(_NUMBERS, "number"),
        **dict.fromkeys(("identifier", "this", "type_identifier"), "named"),
        **dict.fromkeys(("field_access", "scoped_identifier"), "field"),
        **dict.fromkeys(("string_literal", "character_literal"), "string"),
        **dict.fromkeys(("unary_expression", "update_expression"), "sign"),
        **dict.fromkeys(("true", "false"), "truth"),
        "import_declaration": "importing",
        "method_invocation": "invocation",
        "object_creation_expression": "creation",
        "array_access": "access",
        "null_literal": "null",
        "binary_expression": "operation",
        "assignment_expression": "assignment",
        "cast_expression": "cast",
        "lambda_expression": "anonymous",
        "enhanced_for_statement": "loop",
        **dict.fromkeys(("if_statement", "ternary_expression"), "conditional"),
        "return_statement": "jump",
    }
    ignored = frozenset(
        {
            *("line_comment", "block_comment", "package_declaration", "type_arguments", "annotation"),
            *("marker_annotation", "modifiers", "type_parameters", "generic_type", "scoped_type_identifier"),
            *("superclass", "super_interfaces"),
        }
    )
    branches = frozenset({"if_statement", "switch_expression", "ternary_expression"})
    bodies = frozenset({"class_body", "interface_body", "enum_body", "block", "constructor_body"})
    parameter_lists = frozenset({"formal_parameters", "inferred_parameters"})
    argument_lists = frozenset({"argument_list"})
    super_clauses = frozenset({"superclass", "super_interfaces", "extends_interfaces", "type_list"})

    @staticmethod
    def language() -> object:
        """Return the tree-sitter grammar for Java."""
        from tree_sitter_java import language

        return language()

    def flags(self, found: Found) -> frozenset[str]:
        """Return the modifiers of a method or variable, such as ``static``."""
        modifiers = child_of(found, ("modifiers",))
        return frozenset() if modifiers is None else frozenset(child.type for child in modifiers.children)

    def variables(self, found: Found) -> Node | None:
        """Read a declaration of one or more variables or fields."""
        flags, type_name = self.flags(found), self.type_in(found)
        declared = []
        for one in children_of(found, ("variable_declarator",)):
            name = one.child_by_field_name("name")
            if name is not None:
                value = one.child_by_field_name("value")
                node = self.declared(one, name, value, "" if type_name == "var" else type_name)
                node.flags = flags
                declared.append(node)
        return self.gathered(found, declared)

    def invocation(self, found: Found) -> Node | None:
        """Read a method call."""
        node = self.made("call", found, found.child_by_field_name("name"))
        node.target = self.read(found.child_by_field_name("object"))
        for one in children_of(found, self.argument_lists):
            self.arguments(node, one)
        return node

    def long_text(self, raw: str) -> str:
        """Return the value of a text block, given the source text between its quotes."""
        return text_block(raw)

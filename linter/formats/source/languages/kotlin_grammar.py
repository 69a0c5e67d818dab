"""Converts Kotlin source code to the tree of `program_tree`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from flink_flint.linter.formats.source.languages.jvm_grammar import IDENTIFIER, GrammarReader, child_of, simple_name
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.lazy_regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node as Found

_FILLED_IN = regex(r"(?<!\\)(?:\\\\)*\$[\w`]")
_MISREAD = regex(
    r"""
    \"{3}(?s:.*?)\"{3} | "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+' | //[^\n]*+   # unchanged
    | (?P<blank> /\*(?:[^*/]|\*(?!/)|/(?!\*))*+\*/                           # a comment before a statement
        | (?<=[\w`])<[\w.,?*<>\ \t]{1,200}>(?=\(|\ ?\{) )                 # type arguments, parsed as a comparison
    | (?P<end> [ \t](?=\}) )                                               # a member must end with its line
    | (?P<name> \b[gs]et(?=\((?!\)|\w+(?::\ ?\w+)?\))) )                    # a call, parsed as an accessor
    """,
    re.VERBOSE,
)
"""Matches syntax that the grammar does not support, outside of strings and comments."""
_SIGN = regex(r"\S")
_VARIABLE = ("variable_declaration",)


class KotlinReader(GrammarReader):
    """Reads Kotlin source code; assigning to an object's property is read as calling the property's setter."""

    handlers: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("class_declaration", "object_declaration", "companion_object"), "definition"),
        **dict.fromkeys(("number_literal", "float_literal"), "number"),
        **dict.fromkeys(("binary_expression", "infix_expression"), "operation"),
        **dict.fromkeys(("string_literal", "multiline_string_literal"), "string"),
        **dict.fromkeys(("lambda_literal", "anonymous_function"), "anonymous"),
        **dict.fromkeys(("identifier", "this_expression"), "named"),
        "import": "importing",
        "function_declaration": "method",
        "property_declaration": "variable",
        "call_expression": "invocation",
        "object_literal": "creation",
        "navigation_expression": "field",
        "index_expression": "access",
        "unary_expression": "sign",
        "assignment": "assignment",
        "return_expression": "jump",
        "for_statement": "loop",
        "if_expression": "conditional",
        "property_delegate": "delegate",
        "as_expression": "cast",
    }
    ignored = frozenset(
        {
            *("line_comment", "block_comment", "package_header", "type_arguments", "modifiers", "user_type", "label"),
            *("type_parameters", "function_value_parameters", "primary_constructor", "delegation_specifiers"),
            *("nullable_type", "annotation"),
        }
    )
    branches = frozenset({"if_expression", "when_expression", "when_entry", "try_expression", "while_statement"})
    bodies = frozenset({"class_body", "enum_class_body", "function_body"})
    parameter_lists = frozenset(
        {"primary_constructor", "class_parameters", "function_value_parameters", "lambda_parameters"}
    )
    argument_lists = frozenset({"value_arguments"})
    super_clauses = frozenset(
        {"delegation_specifiers", "delegation_specifier", "constructor_invocation", "explicit_delegation"}
    )
    selections = frozenset({"navigation_expression"})
    pairing = "to"
    patterns = frozenset({"variable_declaration", "multi_variable_declaration"})
    singletons = frozenset({"object_declaration", "companion_object"})

    _is_static = False

    @staticmethod
    def language() -> object:
        """Return the tree-sitter grammar for Kotlin."""
        from tree_sitter_kotlin import language

        return language()

    def parsed(self, text: str) -> str:
        """Return `text` with syntax that the grammar does not support replaced; the length stays the same."""
        return _MISREAD.sub(_understood, text)

    def type_in(self, found: Found) -> str:
        """Return the type in a declaration; an empty string if there is none."""
        kind = child_of(found, ("user_type", "nullable_type"))
        return "" if kind is None else simple_name(self.cut(kind))

    def flags(self, found: Found) -> frozenset[str]:
        """Return a set with the flag ``expression`` if a function's body is an expression, otherwise an empty set."""
        body = child_of(found, self.bodies)
        return frozenset({"expression"} if body is not None and self.cut(body).startswith("=") else ())

    def definition(self, found: Found) -> Node | None:
        """Read a class or object; members of a companion object become members of the enclosing class."""
        if found.type != "companion_object" or self.scope.kind != "class":
            return super().definition(found)
        before, self._is_static = self._is_static, True
        node = self.made("other", found, parts=self.contents(found))
        self._is_static = before
        return node

    def variable(self, found: Found) -> Node | None:
        """Read a ``val`` or ``var`` declaration."""
        pattern = child_of(found, _VARIABLE)
        name = None if pattern is None else child_of(pattern, IDENTIFIER)
        if pattern is None or name is None:
            return self.other(found)
        children = [child for child in found.children if child.type not in self.ignored]
        value = next((one for sign, one in pairwise(children) if sign.type == "="), None)
        node = self.declared(found, name, value or child_of(found, ("property_delegate",)), self.type_in(pattern))
        node.flags = frozenset({"static"} if self._is_static else ())
        return node

    def delegate(self, found: Found) -> Node | None:
        """Read the delegate of a property; for ``lazy``, read the value that the delegate computes."""
        inner = self.other(found)
        if inner is not None and inner.kind == "call" and inner.name == "lazy" and inner.args:
            body = inner.args[-1]
            return body.parts[-1] if body.kind == "function" and len(body.parts) == 1 else inner
        return inner

    def named(self, found: Found) -> Node:
        """Read an identifier, null, or a boolean, all of which the grammar parses as identifiers."""
        word = self.cut(found)
        if word in ("true", "false"):
            return self.truth(found)
        return self.null(found) if word == "null" else super().named(found)

    def named_argument(self, found: Found) -> tuple[Found | None, Found]:
        """Return an argument's name (None if it is positional) and value."""
        parts = [child for child in found.children if child.type not in self.ignored]
        return (parts[0], parts[-1]) if len(parts) > 2 and parts[1].type == "=" else (None, found)

    def block_argument(self, found: Found) -> Node:
        """Read the trailing lambda of a call."""
        return self.read(found) or self.made("other", found)

    def string(self, found: Found) -> Node | None:
        """Read a string literal, which becomes a ``text`` node unless it contains interpolations."""
        children = found.children
        if any(child.type == "interpolation" for child in children) or _FILLED_IN.search(self.cut(found)):
            return self.made("format", found, parts=self.read_all(children))
        return super().string(found)

    def operands(self, found: Found) -> tuple[Found | None, ...]:
        """Return the left operand, the operator, and the right operand of a binary operation."""
        if found.type != "infix_expression":
            return super().operands(found)
        children = [child for child in found.named_children if child.type not in self.ignored]
        return tuple(children) if len(children) == 3 else (None, None, None)

    def assignment(self, found: Found) -> Node:
        """Read an assignment; ``env.parallelism = 4`` is read as ``env.setParallelism(4)``."""
        node = super().assignment(found)
        target = node.target
        if target is None or target.kind != "member" or target.target is None or target.target.name == "this":
            return node
        call = Node("call", node.span, self.scope, f"set{target.name[:1].upper()}{target.name[1:]}", target.name_span)
        call.target = target.target
        if not node.parts:
            call.args, call.names = [node.init or self.made("other", found)], [""]
        return call


def _understood(found: re.Match[str]) -> str:
    text = found[0]
    if found.lastgroup == "blank":
        return _SIGN.sub(" ", text)
    return {"end": "\n", "name": "see"}.get(found.lastgroup or "", text)

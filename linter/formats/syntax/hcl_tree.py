"""HCL, the language of Terraform, parsed into blocks and the values of their attributes, with positions.

Variables with defaults and locals of the same file are resolved, strings are concatenated, and ``jsonencode``,
``merge``, ``concat``, ``lookup``, ``tostring``, conditions on constants, and arithmetic are evaluated; any other
expression is an unknown value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from flink_flint.linter.formats.syntax.json_tree import read_json_in
from flink_flint.linter.formats.syntax.tree_sitter_tree import ParseLimitError, Syntax
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, MAX_DEPTH, SCALAR, UNKNOWN, Node
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from tree_sitter import Node as Found

MAX_CHARACTERS = 1 << 18
"""The maximum number of characters in a Terraform file to read; no real module is longer."""
_MAX_BRACKETS = 400
_MAX_REFERENCES = 20

_BRACKET = regex(r"[\[({]|[\])}]")
_ESCAPE = regex(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|\$\$(?=\{)|%%(?=\{)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_OPERATORS = {"+", "-", "*", "/"}
_INDEX = regex(r"""\[[ \t]*"([A-Za-z_][\w-]*)"[ \t]*\]""")
_NAME = regex(r"(?:var|local)(?:\.[A-Za-z_][\w-]*)+")
_TAGS = (
    "template_interpolation", "template_if_intro", "template_else_intro", "template_if_end", "template_for_start",
    "template_for_end",
)  # fmt: skip
_MAX_VALUES = 200_000
"""Maximum number of values in a file that are evaluated, because nested locals may expand to any number."""


class Block(NamedTuple):
    """A block (``resource "type" "name" { }``): its kind, labels, attributes, and nested blocks."""

    kind: str
    labels: tuple[str, ...]
    span: Span
    """The span from the first word of the block (``resource``) to its last label."""
    attributes: Mapping[str, tuple[Span, Node]]
    blocks: tuple[Block, ...]


Find = Callable[[str], "Node | None"]
"""A function that returns the value of a variable or local (``var.name``) from another file; None if unknown."""


def _unknown_elsewhere(name: str) -> Node | None:
    return None


def read_blocks(
    text: str, elsewhere: Find = _unknown_elsewhere, given: Mapping[str, Node] | None = None
) -> list[Block]:
    """Return the top-level blocks of a file in file order; none if the file is too long, too deep, or too broken.

    `given` are values by name (``var.name``) that replace the defaults of variables; `elsewhere` finds the values that
    the file does not declare. Both have positions in other files, so they are placed at the references to them.
    """
    syntax = _syntax(text)
    return [] if syntax is None else _Reader(syntax, elsewhere, given or {}).read(syntax.root)


def read_values(text: str, elsewhere: Find = _unknown_elsewhere) -> dict[str, Node]:
    """Return the values that a file declares: variable defaults (``var.name``), locals, and assignments.

    Assignments outside of blocks, as in ``.tfvars`` files, are named like variables.
    """
    syntax = _syntax(text)
    return {} if syntax is None else _Reader(syntax, elsewhere, {}).values(syntax.root)


def _syntax(text: str) -> Syntax | None:
    if len(text) > MAX_CHARACTERS or _is_too_deep(text):
        leave_out(f"Terraform of more than {MAX_CHARACTERS:,} characters or {_MAX_BRACKETS} levels is not read")
        return None
    from tree_sitter_hcl import language

    try:
        return Syntax(text, language())
    except ParseLimitError:
        leave_out("Terraform with broken syntax that the parser cannot recover from is not read")
        return None


def _is_too_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket[0] in "[({" else max(0, depth - 1)
        if depth > _MAX_BRACKETS:
            return True
    return False


class _Reader:
    def __init__(self, syntax: Syntax, elsewhere: Find, given: Mapping[str, Node]) -> None:
        self._text, self._span, self._cut = syntax.text, syntax.span, syntax.cut
        self._elsewhere, self._given = elsewhere, given
        self._known: dict[str, Found] = {}
        self._looking_up = 0
        self._left = _MAX_VALUES

    def read(self, root: Found) -> list[Block]:
        """Return all blocks, after collecting the values that they may refer to."""
        bodies = [child for child in root.children if child.type == "body"]
        found = [child for body in bodies for child in body.children if child.type == "block"]
        for block in found:
            self._declare(block)
        return [self._block(block, 0) for block in found]

    def values(self, root: Found) -> dict[str, Node]:
        """Return the values that the file declares or assigns."""
        for body in (child for child in root.children if child.type == "body"):
            for block in (child for child in body.children if child.type == "block"):
                self._declare(block)
            for name, value in self._assignments(body):
                self._known[f"var.{self._cut(name)}"] = value
        return {name: self._value(value, 0) for name, value in self._known.items()}

    def _declare(self, block: Found) -> None:
        kind, labels, body = self._head(block)
        if body is None:
            return
        for name, value in self._assignments(body):
            if kind == "locals":
                self._known[f"local.{self._cut(name)}"] = value
            elif kind == "variable" and labels and self._cut(name) == "default":
                self._known[f"var.{labels[0]}"] = value

    def _head(self, block: Found) -> tuple[str, tuple[str, ...], Found | None]:
        words = [child for child in block.children if child.type in ("identifier", "string_lit")]
        body = next((child for child in block.children if child.type == "body"), None)
        texts = [self._cut(word).strip('"') for word in words]
        return (texts[0] if texts else ""), tuple(texts[1:]), body

    def _assignments(self, body: Found) -> Iterator[tuple[Found, Found]]:
        for child in body.children:
            if child.type == "attribute" and len(child.children) >= 3 and child.children[2].type == "expression":
                yield child.children[0], child.children[2]

    def _block(self, block: Found, depth: int) -> Block:
        kind, labels, body = self._head(block)
        words = [child for child in block.children if child.type in ("identifier", "string_lit")]
        span = Span(self._span(words[0]).start, self._span(words[-1]).end) if words else self._span(block)
        if body is None or depth > MAX_DEPTH:
            return Block(kind, labels, span, {}, ())
        attributes = {
            self._cut(name): (self._span(name), self._value(value, 0)) for name, value in self._assignments(body)
        }
        inner = tuple(self._block(child, depth + 1) for child in body.children if child.type == "block")
        return Block(kind, labels, span, attributes, inner)

    def _unknown(self, node: Found) -> Node:
        return Node(UNKNOWN, self._span(node), self._cut(node), is_open=True)

    def _scalar(self, node: Found, value: object, *, is_literal: bool = True) -> Node:
        return Node(SCALAR, self._span(node), self._cut(node), value, is_literal=is_literal)

    # -- values

    def _value(self, node: Found, depth: int) -> Node:
        """Return the value of an expression."""
        children = [child for child in node.children if child.type != "comment"]
        self._left -= 1
        if self._left == -1:
            leave_out(f"the first {_MAX_VALUES:,} values are read")
        broken = node.has_error and node.type not in ("object", "tuple", "expression", "collection_value")
        if broken or depth > MAX_DEPTH or self._left < 0:
            return self._unknown(node)
        if node.type == "expression" and children and children[0].type == "(" and len(children) == 3:
            return self._placed(self._value(children[1], depth + 1), node)
        if node.type in ("expression", "literal_value", "collection_value", "template_expr") and len(children) == 1:
            return self._value(children[0], depth + 1)
        if node.type == "expression" and children and children[0].type == "variable_expr":
            return self._reference(node, depth)
        if node.type == "operation" and len(children) == 1:
            return self._operation(children[0], depth + 1)
        readers = {
            "numeric_lit": self._number, "bool_lit": self._word, "null_lit": self._word, "string_lit": self._string,
            "quoted_template": self._template, "heredoc_template": self._heredoc, "tuple": self._tuple,
            "object": self._object, "function_call": self._call, "variable_expr": self._reference,
            "conditional": self._condition,
        }  # fmt: skip
        reader = readers.get(node.type)
        return reader(node, depth) if reader is not None else self._unknown(node)

    def _placed(self, found: Node, node: Found) -> Node:
        """Return a referenced value at the position of the reference; collections keep their position."""
        if found.kind in (MAPPING, LIST):
            return found
        placed = Node(
            found.kind, self._span(node), self._cut(node), found.value, is_literal=False, is_open=found.is_open
        )
        placed.extract = found.extract
        return placed

    def _foreign(self, found: Node, node: Found) -> Node:
        """Return a value of another file, every part of it at the position of the reference to it."""
        span, raw = self._span(node), self._cut(node)

        def convert(one: Node, depth: int) -> Node:
            self._left -= 1
            if depth > MAX_DEPTH or self._left < 0:
                return Node(UNKNOWN, span, raw, is_open=True)
            pairs = [(key, span, convert(child, depth + 1)) for key, _, child in one.pairs]
            items = [convert(child, depth + 1) for child in one.items]
            made = Node(one.kind, span, raw, one.value, pairs=pairs, items=items, is_literal=False, is_open=one.is_open)
            if one.extract is not None:
                made.extract = Extract(self._text, [Piece(one.extract.text, span)])
            return made

        return convert(found, 0)

    def _number(self, node: Found, depth: int) -> Node:
        text = self._cut(node)
        # The grammar reads 1e3 as a 1 followed by a syntax error.
        if self._text[self._span(node).end :][:1].isalnum():
            return self._unknown(node)
        try:
            return self._scalar(node, float(text) if (count := whole(text)) is None else count)
        except ValueError:
            return self._unknown(node)

    def _word(self, node: Found, depth: int) -> Node:
        return self._scalar(node, {"true": True, "false": False}.get(self._cut(node)))

    def _string(self, node: Found, depth: int) -> Node:
        found = self._scalar(node, _unescaped(self._cut(node)[1:-1]))
        if "\\n" in found.raw:
            inner = Span(found.span.start + 1, found.span.end - 1)
            found.extract = Extract(self._text, unescaped_pieces(self._text, inner))
        return found

    def _template(self, node: Found, depth: int) -> Node:
        """Return the value of a quoted string with interpolations."""
        pieces: list[Piece] = []
        is_known = True
        for child in node.children:
            if child.type == "template_literal":
                pieces += unescaped_pieces(self._text, self._span(child))
            elif child.type == "template_interpolation":
                text = self._interpolated(child, depth)
                is_known = is_known and text is not None
                pieces.append(Piece(self._placeholder(child) if text is None else text, self._span(child)))
            elif child.type not in ("quoted_template_start", "quoted_template_end"):
                return self._unknown(node)
        extract = Extract(self._text, pieces)
        if is_known:
            found = self._scalar(node, extract.text, is_literal=False)
        else:
            found = Node(UNKNOWN, self._span(node), self._cut(node), self._cut(node)[1:-1])
        if "\n" in extract.text:
            found.extract = extract
        return found

    def _interpolated(self, node: Found, depth: int) -> str | None:
        """Return the text of an interpolation, or None if it is unknown."""
        inner = next((part for part in node.children if part.type == "expression"), None)
        found = self._value(inner, depth + 1) if inner is not None else None
        return None if found is None else found.text

    def _placeholder(self, node: Found) -> str:
        return re.sub(r"[^\w.${}]", "_", self._cut(node))

    def _heredoc(self, node: Found, depth: int) -> Node:
        """Return the value of a heredoc: the parsed tree if it is JSON, otherwise a string."""
        extract = self._heredoc_text(node, depth)
        stripped = extract.text.lstrip()
        is_json = stripped.startswith(("[", "{")) and not stripped.startswith("{%")
        found = read_json_in(extract) if is_json else None
        if found is not None and found.kind in (MAPPING, LIST):
            return found
        if "${" in extract.text or "{%" in extract.text:
            made = self._unknown(node)
        else:
            made = self._scalar(node, extract.text, is_literal=False)
        made.extract = extract
        return made

    def _heredoc_text(self, node: Found, depth: int) -> Extract:
        whole = self._span(node)
        start = self._text.find("\n", whole.start, whole.end) + 1 or whole.end
        end = self._text.rfind("\n", whole.start, whole.end) + 1 or whole.end
        pieces: list[Piece] = []
        at = start
        quotes = 0
        for child in self._template_tags(node):
            span = self._span(child)
            before = self._text[at : span.start]
            pieces.append(Piece(before, Span(at, span.start)))
            quotes += before.count('"') - before.count('\\"')
            if child.type != "template_interpolation":
                text = _directive(child.type)
            elif (known := self._interpolated(child, depth)) is None:
                text = self._placeholder(child)
            else:
                text = json.dumps(known)[1:-1] if quotes % 2 else known
            pieces.append(Piece(text, span))
            at = span.end
        pieces.append(Piece(self._text[at:end], Span(at, max(at, end))))
        if self._text.startswith("<<-", whole.start):
            pieces = list(_without_margin(pieces, _margin(self._text[start:end])))
        return Extract(self._text, pieces)

    def _template_tags(self, node: Found) -> Iterator[Found]:
        """Yield the interpolations in a template, and the beginnings, branches and ends of its directives."""
        stack = list(reversed(node.children))
        while stack:
            child = stack.pop()
            if child.type in _TAGS:
                if child.end_byte > child.start_byte:
                    yield child
            elif child.type in ("template_directive", "template_if", "template_for"):
                stack += reversed(child.children)

    def _tuple(self, node: Found, depth: int) -> Node:
        items = [self._value(child, depth + 1) for child in node.children if child.type == "expression"]
        return Node(LIST, self._span(node), self._cut(node), items=items)

    def _object(self, node: Found, depth: int) -> Node:
        pairs: list[tuple[str, Span, Node]] = []
        is_open = node.has_error
        for child in node.children:
            if child.type != "object_elem":
                continue
            sides = [part for part in child.children if part.type == "expression"]
            if len(sides) != 2:
                is_open = True
                continue
            key = self._key(sides[0], depth)
            if key is None:
                is_open = True
                continue
            pairs.append((key, self._span(sides[0]), self._value(sides[1], depth + 1)))
        return Node(MAPPING, self._span(node), self._cut(node), pairs=pairs, is_open=is_open)

    def _key(self, node: Found, depth: int) -> str | None:
        """Return the text of a key, which is an unquoted word or an expression; None if it is unknown."""
        written = self._cut(node)
        if re.fullmatch(r"[A-Za-z_][\w-]*", written):
            return written
        return self._value(node, depth + 1).text

    def _call(self, node: Found, depth: int) -> Node:
        name = self._cut(node.children[0])
        given = next((child for child in node.children if child.type == "function_arguments"), None)
        arguments = [child for child in given.children if child.type == "expression"] if given is not None else []
        if name in ("jsonencode", "yamlencode", "tomap", "tolist") and len(arguments) == 1:
            return self._value(arguments[0], depth + 1)
        if name in ("tostring", "tonumber") and len(arguments) == 1:
            return self._placed(self._value(arguments[0], depth + 1), node)
        if name == "yamldecode" and len(arguments) == 1:
            found = self._unknown(node)
            found.extract = self._value(arguments[0], depth + 1).extract
            return found
        if name in ("trimspace", "chomp") and len(arguments) == 1:
            return self._value(arguments[0], depth + 1)
        if name == "lookup" and len(arguments) in (2, 3):
            return self._looked_up(node, [self._value(argument, depth + 1) for argument in arguments])
        if name in ("merge", "concat") and arguments:
            parts = [self._value(argument, depth + 1) for argument in arguments]
            return self._joined(MAPPING if name == "merge" else LIST, node, parts)
        return self._unknown(node)

    def _looked_up(self, node: Found, arguments: list[Node]) -> Node:
        """Return the member of a mapping, or the default if the mapping is known not to have it."""
        members, key = arguments[0], arguments[1].text
        if members.kind != MAPPING or key is None:
            return self._unknown(node)
        found = members.get(key)
        if found is None and len(arguments) == 3 and not members.is_open:
            found = arguments[2]
        return self._unknown(node) if found is None else self._placed(found, node)

    def _condition(self, node: Found, depth: int) -> Node:
        """Return the chosen value of a condition, or an unknown value if what it depends on is unknown."""
        sides = [child for child in node.children if child.type == "expression"]
        if len(sides) != 3:
            return self._unknown(node)
        chosen = self._value(sides[0], depth + 1).text
        if chosen not in ("true", "false"):
            return self._unknown(node)
        return self._placed(self._value(sides[1 if chosen == "true" else 2], depth + 1), node)

    def _joined(self, kind: str, node: Found, parts: list[Node]) -> Node:
        pairs = [pair for part in parts for pair in part.pairs]
        items = [item for part in parts for item in part.items]
        is_open = any(part.kind != kind or part.is_open for part in parts)
        return Node(kind, self._span(node), self._cut(node), pairs=pairs, items=items, is_open=is_open)

    def _reference(self, node: Found, depth: int) -> Node:
        """Return the value of a reference to a variable's default or a local, or to a member of it."""
        found = self._named(_dotted(self._cut(node)), node, depth)
        if found is None or (found.kind == SCALAR and found.value is None):
            return self._unknown(node)
        return self._placed(found, node)

    def _named(self, written: str, node: Found, depth: int) -> Node | None:
        if not _NAME.fullmatch(written) or self._looking_up >= _MAX_REFERENCES:
            return None
        root, name, *path = written.split(".")
        target = self._known.get(f"{root}.{name}")
        given = self._given.get(f"{root}.{name}")
        if given is None and target is None:
            given = self._elsewhere(f"{root}.{name}")
        if given is not None:
            member = given.get(*path)
            return None if member is None else self._foreign(member, node)
        if target is None:
            return None
        self._looking_up += 1
        try:
            return self._value(target, depth + 1).get(*path)
        finally:
            self._looking_up -= 1

    def _operation(self, node: Found, depth: int) -> Node:
        """Return the result of arithmetic on known numbers."""
        sides: list[list[Found]] = [[]]
        sign = None
        for child in node.children:
            if child.type in _OPERATORS and sign is None:
                sign = child.type
                sides.append([])
            elif child.type != "comment":
                sides[-1].append(child)
        numbers: list[float] = []
        for side in (side for side in sides if side):
            value = self._operand(side, depth)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return self._unknown(node)
            numbers.append(float(value))
        if sign is None or not numbers or (len(numbers) == 1 and sign != "-"):
            return self._unknown(node)
        try:
            made = _carried_out(sign, numbers)
        except ArithmeticError:
            return self._unknown(node)
        return self._scalar(node, int(made) if made.is_integer() else made, is_literal=False)

    def _operand(self, parts: list[Found], depth: int) -> object:
        """Return the value of one side of an operation: one node, or a reference."""
        if len(parts) == 1:
            return self._value(parts[0], depth + 1).value
        if parts[0].type == "(" and len(parts) == 3:
            return self._value(parts[1], depth + 1).value
        written = self._text[self._span(parts[0]).start : self._span(parts[-1]).end]
        found = self._named(written, parts[0], depth)
        return None if found is None else found.value


def _dotted(reference: str) -> str:
    """Return a reference with its constant indexes (``["name"]``) as members."""
    return _INDEX.sub(r".\1", reference)


def _directive(kind: str) -> str:
    """Return the tag, as formats of templates know it, for a part of a directive (``%{ if ... }``)."""
    if "else" in kind:
        return "{% else %}"
    is_loop = "for" in kind
    if kind.endswith("_end"):
        return "{% endfor %}" if is_loop else "{% endif %}"
    return "{% for x in y %}" if is_loop else "{% if x %}"


def _margin(text: str) -> int:
    """Return the smallest indentation of the lines of an indented heredoc (``<<-``) that are not blank."""
    return min((len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip()), default=0)


def _without_margin(pieces: list[Piece], margin: int) -> Iterator[Piece]:
    """Yield pieces without the first `margin` characters of each line that is not blank."""
    is_first = True
    for piece in pieces:
        if not piece.is_verbatim:
            yield piece
            is_first = False
            continue
        at = piece.span.start
        for line in piece.text.splitlines(keepends=True):
            skipped = min(margin, len(line) - len(line.lstrip())) if is_first else 0
            skipped = 0 if is_first and line.endswith("\n") and not line.strip() else skipped
            yield Piece(line[skipped:], Span(at + skipped, at + len(line)))
            at += len(line)
            is_first = line.endswith("\n")


def unescaped_pieces(text: str, span: Span) -> Iterator[Piece]:
    """Yield the pieces of a quoted string's content (HCL or JSON), with escape sequences replaced."""
    at = span.start
    for match in _ESCAPE.finditer(text, span.start, span.end):
        yield Piece(text[at : match.start()], Span(at, match.start()))
        yield Piece(_unescaped(match[0]), Span(*match.span()))
        at = match.end()
    yield Piece(text[at : span.end], Span(at, span.end))


def _carried_out(sign: str, numbers: list[float]) -> float:
    if len(numbers) == 1:
        return -numbers[0]
    left, right = numbers[0], numbers[1]
    return {"+": left + right, "-": left - right, "*": left * right}[sign] if sign != "/" else left / right


def _unescaped(text: str) -> str:
    def undo(match: re.Match[str]) -> str:
        if match[0] in ("$$", "%%"):
            return match[0][0]
        escape = match[1]
        if len(escape) > 1:
            code = int(escape[1:], 16)
            return chr(code) if code < 0x110000 else "\ufffd"
        return _ESCAPES.get(escape, escape)

    return _ESCAPE.sub(undo, text) if "\\" in text or "$$" in text or "%%" in text else text

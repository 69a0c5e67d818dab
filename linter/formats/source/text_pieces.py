"""The text that an expression evaluates to, as pieces with positions in the program.

Parts that the source does not determine (a parameter, an environment variable, a lookup) are template tags in it
(``${topic}``), so that whoever reads the text treats them as the unknown parts of a template. Functions of the program
that return one expression are followed, with the arguments of the call as their parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from flink_flint.linter.formats.source.constant_folding import text_of
from flink_flint.linter.formats.source.format_strings import FormatPart, f_string_parts, interpolated_parts
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_MAX_DEPTH = 60
_MAX_STEPS = 2_000
"""The maximum number of expressions that are evaluated for one text, which may use others many times."""
_MARGIN = regex(r"[ \t]*\|")
_PLACE = regex(r"%(?:%|n|(?:\d{1,3}\$)?[-+0, #]{0,6}\d{0,4}(?:\.\d{1,4})?[a-zA-Z])")
_NO_NAME = regex(r"[^\w.]+")
_TRIMS = ("trimIndent", "strip", "trim", "stripIndent", "dedent")


class _Unknown(Exception):  # noqa: N818 - it says what the text is
    """Raised if too little of a text is known, or too much would have to be evaluated."""


class _Bound(NamedTuple):
    """An argument of a call, with the parameters of the function that the call is in."""

    node: Node
    parameters: _Parameters


_Parameters = Mapping[tuple[int, str], _Bound]
"""The arguments for parameters, by the function's scope (its identity) and the parameter's name."""


def pieces_of(objects: Objects, node: Node) -> list[Piece] | None:
    """Return the pieces of the text that an expression evaluates to; None if the beginning of the text is unknown."""
    evaluation = _Evaluation(objects)
    try:
        pieces = evaluation.pieces(node, {}, 0)
    except _Unknown:
        return None
    first = next((piece for piece in pieces if piece.text.strip()), None)
    return None if first is None or id(first) in evaluation.tags else pieces


class _Evaluation:
    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._program = objects.program
        self._steps = 0
        self._kept: list[Piece] = []
        self.tags: set[int] = set()
        """The pieces (by identity) that stand for something unknown."""

    def pieces(self, node: Node | None, parameters: _Parameters, depth: int) -> list[Piece]:
        """Return the pieces of an expression's text, a tag for what is unknown; raise `_Unknown`."""
        self._steps += 1
        if node is None or depth > _MAX_DEPTH or self._steps > _MAX_STEPS:
            raise _Unknown
        found = self._known(node, parameters, depth)
        if found is not None:
            return found
        value = text_of(self._objects.fold(node))
        return [Piece(value, node.span)] if value is not None else [self._tag(node.name, node.span)]

    def _known(self, node: Node, parameters: _Parameters, depth: int) -> list[Piece] | None:
        if node.kind == "text" and isinstance(node.value, str):
            return list(_literal(self._program.raw(node.span), node))
        if node.kind == "binary" and node.name == "+":
            left, right = (self.pieces(part, parameters, depth + 1) for part in node.args)
            return left + right
        if node.kind == "format":
            read = f_string_parts if node.value == "python" else interpolated_parts
            parts = read(self._program.raw(node.span), node.span.start)
            return None if parts is None else self._filled_in(node, parts, parameters, depth)
        if node.kind in ("name", "member"):
            if node.kind == "member" and node.name == "stripMargin":
                return self._unmargined(self.pieces(node.target, parameters, depth + 1))
            return self._variable(node, parameters, depth)
        return self._call(node, parameters, depth) if node.kind == "call" else None

    def _variable(self, node: Node, parameters: _Parameters, depth: int) -> list[Piece] | None:
        holder = node.scope.holder(node.name) if node.kind == "name" else None
        argument = parameters.get((id(holder), node.name)) if holder is not None else None
        if argument is not None:
            return self.pieces(argument.node, argument.parameters, depth + 1)
        bound = self._program.bound(node)
        return None if bound is None else self.pieces(bound, parameters, depth + 1)

    def _call(self, node: Node, parameters: _Parameters, depth: int) -> list[Piece] | None:
        if node.name in ("stripMargin", "trimMargin") and not node.args:
            return self._unmargined(self.pieces(node.target, parameters, depth + 1))
        if node.name in _TRIMS and not node.args:
            return self.pieces(node.target, parameters, depth + 1)
        template, arguments = node.target, node.args
        if node.name == "format" and template is not None and template.name == "String" and arguments:
            return self._formatted(arguments[0], arguments[1:], parameters, depth)
        if node.name == "formatted" and template is not None:
            return self._formatted(template, arguments, parameters, depth)
        function = self._program.function_of(node)
        if function is None:
            if node.target is not None and node.target.kind in ("text", "format", "binary"):
                raise _Unknown  # a method makes something else of a text, and nobody knows what is left of it
            return None
        returned = [one for one in function.walk() if one.kind == "return"]
        if len(returned) != 1 or returned[0].scope.enclosing("function") is not function.scope:
            return None
        return self.pieces(returned[0].init, _arguments(function, node, parameters), depth + 1)

    def _formatted(
        self, template: Node, arguments: list[Node], parameters: _Parameters, depth: int
    ) -> list[Piece] | None:
        """Return a template of `String.format` with its arguments, which follow each other in it."""
        extract = Extract(self._program.text, self.pieces(template, parameters, depth + 1))
        made: list[Piece] = []
        done = place = 0
        for found in _PLACE.finditer(extract.text):
            made += extract.part(Span(done, found.start())).pieces
            done = found.end()
            span = extract.span(Span(*found.span()))
            if found[0] in ("%%", "%n"):
                made.append(Piece("%" if found[0] == "%%" else "\n", span))
                continue
            if "$" in found[0] or place >= len(arguments):
                made.append(self._tag("argument", span))
                continue
            made += self.pieces(arguments[place], parameters, depth + 1)
            place += 1
        return [*made, *extract.part(Span(done, len(extract.text))).pieces]

    def _filled_in(self, node: Node, parts: Iterable[FormatPart], parameters: _Parameters, depth: int) -> list[Piece]:
        made: list[Piece] = []
        for text, span, is_expression in parts:
            if not is_expression:
                made.append(Piece(text, span))
            elif text.isidentifier():
                made += self.pieces(Node("name", span, node.scope, text), parameters, depth + 1)
            else:
                made.append(self._tag(text, span))
        return made

    def _unmargined(self, pieces: list[Piece]) -> list[Piece]:
        """Return a text (Scala, Kotlin) without the margins of its lines, each of which ends with a ``|``."""
        extract = Extract(self._program.text, pieces)
        made: list[Piece] = []
        at = 0
        for line in extract.text.splitlines(keepends=True):
            margin = _MARGIN.match(line)
            skipped = 0 if margin is None else margin.end()
            made += extract.part(Span(at + skipped, at + len(line))).pieces
            at += len(line)
        return made

    def _tag(self, name: str, span: Span) -> Piece:
        piece = Piece("${" + (_NO_NAME.sub("_", name).strip("_")[:60] or "value") + "}", span)
        self._kept.append(piece)  # its identity stays its own
        self.tags.add(id(piece))
        return piece


def _arguments(function: Node, call: Node, parameters: _Parameters) -> _Parameters:
    """Return the arguments of a call by the parameters of the function, which its scope binds before anything else."""
    names = [name for name, values in function.scope.values.items() if values == [None]]
    bound = {}
    positional = iter(names)
    for name, argument in zip(call.names, call.args, strict=False):
        parameter = name or next(positional, None)
        if parameter is not None:
            bound[id(function.scope), parameter] = _Bound(argument, parameters)
    return bound


def _literal(raw: str, node: Node) -> Iterator[Piece]:
    """Yield the pieces of a literal: one as written without escapes, one per line of a text block, otherwise one."""
    value: str = node.value
    at = raw.find(value)
    if at >= 0 and value:
        start = node.span.start + at
        yield Piece(value, Span(start, start + len(value)))
        return
    if raw[:3] != '"""' or "\\" in raw:
        yield Piece(value, node.span)
        return
    # The lines of a text block have no margin and no trailing spaces.
    offset = raw.find("\n") + 1
    for number, line in enumerate(value.split("\n")):
        if number:
            offset = raw.find("\n", offset) + 1
            yield Piece("\n", Span(node.span.start + offset - 1, node.span.start + offset))
        column = raw.find(line, offset) if line else -1
        if column >= 0:
            yield Piece(line, Span(node.span.start + column, node.span.start + column + len(line)))

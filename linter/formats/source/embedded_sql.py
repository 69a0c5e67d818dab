"""SQL statements that a program passes to a table environment, read as a script with positions in the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flink_flint.linter.formats.source.constant_folding import text_of
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_METHODS = ("executeSql", "addInsertSql", "sqlUpdate")
_MAX_DEPTH = 60
_MARGIN = regex(r"[ \t]*\|")


def sql_elements(objects: Objects, counts: Callable[[Node], bool] = lambda _: True) -> list[Element]:
    """Return the tables, catalogs, and queries in a program's SQL; statements with unknown parts are skipped.

    Only the statements of the calls that count are read, as one script.
    """
    calls = [call for method in _METHODS for call in objects.program.calls.get(method, ()) if call.args]
    calls = [call for call in calls if counts(call)]
    pieces: list[Piece] = []
    for call in sorted(calls, key=lambda call: call.span):
        found = _pieces(objects, call.args[0], 0)
        if found:
            pieces += found
            end = found[-1].span.end
            pieces.append(Piece("\n;\n", Span(end, end)))
    if not pieces:
        return []
    from flink_flint.linter.formats.sql.script_run import read_script

    extract = Extract(objects.program.text, pieces)
    return [_outward(element, extract) for element in read_script(extract.text).elements]


def _outward(element: Element, extract: Extract) -> Element:
    """Return an element of the script with its positions converted to positions in the program."""
    place = extract.span
    attributes = {
        name: Attribute(a.value, place(a.span), None if a.key_span is None else place(a.key_span), a.raw)
        for name, a in element.attributes.items()
    }
    return Element(element.kind, element.name, place(element.span), attributes)


def _pieces(objects: Objects, node: Node | None, depth: int) -> list[Piece] | None:
    """Return the pieces of the string that an expression evaluates to, or None if a part of it is unknown."""
    if node is None or depth > _MAX_DEPTH:
        return None
    if node.kind == "text" and isinstance(node.value, str):
        return list(_literal(objects.program.raw(node.span), node))
    if node.kind == "binary" and node.name == "+":
        left, right = (_pieces(objects, part, depth + 1) for part in node.args)
        return None if left is None or right is None else left + right
    if node.kind in ("name", "member"):
        if node.kind == "member" and node.name == "stripMargin":
            return _unmargined(objects, node.target)
        bound = objects.program.bound(node)
        if bound is not None:
            return _pieces(objects, bound, depth + 1)
    if node.kind == "call" and node.name in ("stripMargin", "trimMargin") and not node.args:
        return _unmargined(objects, node.target)
    if node.kind == "call" and node.name in ("trimIndent", "strip", "trim", "stripIndent") and not node.args:
        return _pieces(objects, node.target, depth + 1)
    value = text_of(objects.fold(node))
    return None if value is None else [Piece(value, node.span)]


def _unmargined(objects: Objects, node: Node | None) -> list[Piece] | None:
    """Return a string (Scala, Kotlin) without its margins, each of which ends with a ``|``."""
    whole = _pieces(objects, node, 0)
    if node is None or node.kind != "text" or whole is None or len(whole) != 1 or not whole[0].is_verbatim:
        return None
    pieces: list[Piece] = []
    at = whole[0].span.start
    for line in whole[0].text.splitlines(keepends=True):
        margin = _MARGIN.match(line)
        skipped = 0 if margin is None else margin.end()
        pieces.append(Piece(line[skipped:], Span(at + skipped, at + len(line))))
        at += len(line)
    return pieces


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

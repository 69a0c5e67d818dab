"""SQL statements that a program passes to a table environment, read as a script with positions in the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.text_pieces import pieces_of
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_OF_SET = ("addInsertSql",)
_READ = ("from", "fromPath", "scan")
_WRITTEN = ("insertInto", "executeInsert", "addInsert")
_METHODS = ("executeSql", "sqlUpdate", *_OF_SET)
_QUERIES = ("sqlQuery", "explainSql")
_CATALOGS = ("useCatalog", "useDatabase", "registerCatalog", "createCatalog", "getCatalog")
"""Methods after which tables may be kept in a catalog that others read."""
_WORD = regex(r"\w+")


def sql_elements(objects: Objects, counts: Callable[[Node], bool] = lambda _: True) -> list[Element]:
    """Return the tables, catalogs, and queries in a program's SQL; unknown parts are treated like template tags.

    Only the statements of the calls that count are read, as one script.
    """
    calls = [call for method in _METHODS for call in objects.program.calls.get(method, ()) if call.args]
    calls = [call for call in calls if counts(call)]
    pieces = list(_script(objects, sorted(calls, key=lambda call: call.span)))
    if not pieces:
        return []
    from flink_flint.linter.formats.sql.script_run import read_script
    from flink_flint.linter.formats.sql.table_clients import UsedByCalls

    extract = Extract(objects.program.text, pieces)
    words = _words_elsewhere(objects, calls)
    used = UsedByCalls(
        _tables_of(objects, _READ), _tables_of(objects, _WRITTEN), words or frozenset(), words is not None
    )
    return [_outward(element, extract) for element in read_script(extract.text, used).elements]


def _words_elsewhere(objects: Objects, script: Sequence[Node]) -> frozenset[str] | None:
    """Return the words of the statements that are not in the script; None if the program may use any table."""
    program = objects.program
    if any(name in program.calls for name in _CATALOGS):
        return None
    for name in (*_READ, *_WRITTEN):
        for call in program.calls.get(name, ()):
            if call.args and not _is_of_class(call) and not isinstance(objects.fold(call.args[0]), str):
                return None
    found: set[str] = set()
    of_script = {id(call) for call in script}
    for name in (*_METHODS, *_QUERIES):
        for call in program.calls.get(name, ()):
            pieces = pieces_of(objects, call.args[0]) if call.args else None
            if pieces is None:
                return None
            if id(call) not in of_script:
                text = "".join(piece.text for piece in pieces)
                if name in _QUERIES and "${" in text:
                    return None
                found.update(_WORD.findall(text))
    return frozenset(found)


def _is_of_class(call: Node) -> bool:
    """Return whether a call is of a class's own method, such as ``Duration.from``, so that no table is meant."""
    return call.target is not None and call.target.kind == "name" and call.target.name[:1].isupper()


def _tables_of(objects: Objects, methods: tuple[str, ...]) -> frozenset[str]:
    """Return the tables that calls of these methods name in their first argument."""
    calls = [call for method in methods for call in objects.program.calls.get(method, ()) if call.args]
    names = [objects.fold(call.args[0]) for call in calls]
    return frozenset(name.rpartition(".")[2].strip("`") for name in names if isinstance(name, str))


def _script(objects: Objects, calls: Sequence[Node]) -> Iterator[Piece]:
    """Yield the pieces of a script; calls that follow each other and add to a statement set are one set in it."""
    is_in_set = False
    for call in calls:
        found = pieces_of(objects, call.args[0])
        if not found:
            continue
        first, last = found[0].span.start, found[-1].span.end
        if (call.name in _OF_SET) != is_in_set:
            is_in_set = not is_in_set
            yield Piece("BEGIN STATEMENT SET;\n" if is_in_set else "END;\n", Span(first, first))
        yield from found
        yield Piece("\n;\n", Span(last, last))


def _outward(element: Element, extract: Extract) -> Element:
    """Return an element of the script with its positions converted to positions in the program."""
    place = extract.span
    attributes = {
        name: Attribute(a.value, place(a.span), None if a.key_span is None else place(a.key_span), a.raw)
        for name, a in element.attributes.items()
    }
    return Element(element.kind, element.name, place(element.span), attributes)

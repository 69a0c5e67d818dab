"""Calls of ``execute`` that have nothing to run, and JARs that a program adds by a path."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_settings import is_environment
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.unexecuted_streams import is_insert, is_of_statement_set, keeps_environment
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex

_STREAMS = frozenset({
    *("fromSource", "addSource", "fromElements", "fromCollection", "fromData", "fromSequence", "generateSequence"),
    *("readTextFile", "readFile", "socketTextStream", "createInput", "fromParallelCollection", "toDataStream"),
    *("toAppendStream", "toRetractStream", "toChangelogStream", "addSink", "sinkTo", "addOperator", "transform"),
    *("attachAsDataStream", "readCsvFile", "getStreamGraph", "sqlUpdate", "insertInto", "union", "connect"),
})  # fmt: skip
"""Methods by which an environment gets something to execute."""
_OF_TABLES = ("executeSql", "executeInsert")
_FILLS = ("add", "attach", "insert")
"""What the methods begin with that add to a statement set."""
_ADDS = ("addJars", "addClasspaths")
_SCHEME = regex(r"[A-Za-z][\w+.-]*:")


def execution_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``empty-execution`` and ``jar-path`` elements of a program."""
    calls = objects.program.calls
    for name in _ADDS:
        for call in calls.get(name, ()):
            for argument in call.args:
                value = objects.fold(argument)
                if isinstance(value, str) and value and not _SCHEME.match(value):
                    yield Element("jar-path", value, argument.span, {"method": objects.attribute(argument, name)})
    yield from _empty_sets(objects)
    if not _STREAMS.intersection(calls):
        yield from _empty(objects)


def _empty_sets(objects: Objects) -> Iterator[Element]:
    """Yield the executions of statement sets to which the program adds nothing."""
    for made in objects.program.calls.get("createStatementSet", ()):
        used = [one for one in objects.calls_on(made) if one.kind == "call"]
        run = next((one for one in used if one.name == "execute"), None)
        if run is None or made.target is None or objects.escapes(made):
            continue
        if not any(one.name.startswith(_FILLS) for one in used):
            yield Element("empty-execution", run.name, run.name_span, {"set": Attribute(True, made.name_span)})


def _empty(objects: Objects) -> Iterator[Element]:
    by_tables = next(
        (
            call
            for name in (*_OF_TABLES, "execute")
            for call in objects.program.calls.get(name, ())
            if (name == "executeSql" and is_insert(objects, call))
            or name == "executeInsert"
            or (name == "execute" and is_of_statement_set(objects, call))
        ),
        None,
    )
    if by_tables is None:
        return
    for call in objects.program.calls.get("execute", ()):
        if is_environment(objects, call.target) and keeps_environment(objects, _everything):
            tables = Attribute(by_tables.name, by_tables.name_span)
            yield Element("empty-execution", call.name, call.name_span, {"tables": tables})


def _everything(node: Node) -> bool:
    return True

"""Whether a job executes the streams that it builds.

From Flink 1.11 on, `executeSql`, `executeInsert` and a statement set submit a job of their own statements alone (the
planner generates its graph from the transformations of the statements). What else the program builds of streams, such
as a ``print()`` of one, runs only if it calls `execute` of the execution environment.
"""

from __future__ import annotations

from collections.abc import Callable

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.text_pieces import pieces_of
from flink_flint.linter.text.lazy_regex import regex

_EXECUTE = "execute"
_OF_TABLES = ("executesql", "executeinsert")
"""Methods of table environments and tables that run statements, in lower case and without underscores."""
_SETS = ("createstatementset", "create_statement_set")
_GRAPHS = ("getStreamGraph", "get_stream_graph", "attachAsDataStream", "attach_as_datastream", "collectAsync")
"""Methods after which something else may execute the streams."""
_INSERTS = regex(r"(?i)\s*+(?:insert|execute\s+(?:statement\s+set|insert)|begin\s+statement\s+set)\b")
_ENVIRONMENT, _TABLES = "StreamExecutionEnvironment", "TableEnvironment"


def executes_tables_alone(objects: Objects, counts: Callable[[Node], bool]) -> bool:
    """Return whether a job runs statements of a table environment, but certainly no streams; only what counts is its"""
    runs_tables = False
    for name, calls in objects.program.calls.items():
        if name in _GRAPHS and any(map(counts, calls)):
            return False
        if not name.startswith(_EXECUTE):
            continue
        for call in filter(counts, calls):
            if name.replace("_", "").lower() in _OF_TABLES:
                runs_tables = runs_tables or not name.lower().endswith("sql") or is_insert(objects, call)
            elif is_of_statement_set(objects, call):
                runs_tables = True
            else:
                return False
    return runs_tables and keeps_environment(objects, counts)


def is_insert(objects: Objects, call: Node) -> bool:
    """Return whether a call runs a statement that submits a job."""
    pieces = pieces_of(objects, call.args[0]) if call.args else None
    return pieces is not None and _INSERTS.match("".join(piece.text for piece in pieces)) is not None


def is_of_statement_set(objects: Objects, call: Node) -> bool:
    """Return whether a call executes a set of statements."""
    target = call.target
    if target is None or call.name != _EXECUTE:
        return False
    if objects.class_of(target).endswith("StatementSet"):
        return True
    if target.kind in ("name", "member"):
        target = objects.program.bound(target)
    while target is not None and target.kind == "call":
        if target.name.lower() in _SETS:
            return True
        target = target.target
    return False


def keeps_environment(objects: Objects, counts: Callable[[Node], bool]) -> bool:
    """Return whether a job has an execution environment that nothing outside of the file can execute.

    A table environment may be made of it.
    """
    found = False
    for node in objects.program.nodes:
        if node.kind == "member" and node.name.startswith(_EXECUTE) and counts(node):
            return False  # a call in Scala without parentheses, or a reference to the method
        if node.kind not in ("name", "member", "call") or not counts(node):
            continue
        if not objects.class_of(node).endswith(_ENVIRONMENT) or _is_class(node):
            continue
        found = True
        parent = node.parent
        if parent is None or parent.kind in ("return", "pairs"):
            return False
        is_argument = parent.kind in ("call", "new") and any(node is argument for argument in parent.args)
        if is_argument and not _makes_tables(objects, parent) and objects.program.function_of(parent) is None:
            return False
    return found


def _is_class(node: Node) -> bool:
    """Return whether a name is that of the class itself."""
    return node.kind == "name" and node.name.endswith(_ENVIRONMENT)


def _makes_tables(objects: Objects, call: Node) -> bool:
    """Return whether a call makes a table environment of its argument."""
    if objects.class_of(call).endswith(_TABLES):
        return True
    declared = call.parent
    if declared is None or declared.kind != "declare":
        return False
    holder = declared.scope.holder(declared.name)
    return holder is not None and holder.types.get(declared.name, "").endswith(_TABLES)

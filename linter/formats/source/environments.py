"""Finds the execution environments that a program creates, and the statements that use each of them."""

from __future__ import annotations

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node

MAKERS = (
    "getExecutionEnvironment", "createLocalEnvironment", "createLocalEnvironmentWithWebUI", "createRemoteEnvironment",
)  # fmt: skip
"""The names of the methods that create an execution environment."""
_CLASSES = ("StreamExecutionEnvironment", "LocalStreamEnvironment", "RemoteStreamEnvironment")
_TABLES = ("TableEnvironment", "BatchTableEnvironment")
_MAX_STATEMENTS = 20_000


def creations(objects: Objects) -> list[Node]:
    """Return the nodes that create an execution environment, in source order."""
    program = objects.program
    found = [call for name in MAKERS for call in program.calls.get(name, ())]
    found += [new for name in _CLASSES for new in program.news.get(name, ())]
    for call in program.calls.get("create", ()):
        if call.target is not None and call.target.name in _TABLES:
            found.append(call)
    found += fields_that_make(objects)
    return sorted(found, key=lambda node: node.span)


def fields_that_make(objects: Objects) -> list[Node]:
    """Return what looks like a field and creates an environment, as Scala calls a method without parameters."""
    return [node for node in objects.program.nodes if node.kind == "member" and node.name in MAKERS]


def is_wrapped(objects: Objects, call: Node) -> bool:
    """Return whether a call is inside a library's wrapper method of the same name, rather than in a job."""
    scope = call.scope
    while scope.parent is not None:
        if scope.kind == "function" and scope.node is not None and scope.node.name == call.name:
            return not creations(objects)
        scope = scope.parent
    return False


class Environments:
    """The execution environments that one function creates, if there are several, and the statements that use each."""

    def __init__(self, objects: Objects, function: Node) -> None:
        self._function = function
        self._variables: dict[str, str] = {}
        self._statement_groups: list[tuple[int, int, str | None]] = []
        self.groups: list[str] = []
        """The variables of the environments, in the order of the text."""
        mine = [node for node in creations(objects) if _is_in(node, function)]
        if len(mine) < 2:
            return
        for node in mine:
            name = _variable(node)
            if name and name not in self.groups:
                self.groups.append(name)
        if len(self.groups) > 1:
            self._assign()

    def group_of(self, node: Node) -> str | None:
        """Return the environment that a node's statement uses; None if it uses all, or is outside of the function."""
        if len(self.groups) < 2 or not _is_in(node, self._function):
            return None
        low, high = 0, len(self._statement_groups)
        while low < high:
            middle = (low + high) // 2
            if self._statement_groups[middle][0] <= node.span.start:
                low = middle + 1
            else:
                high = middle
        if not low:
            return None
        start, end, group = self._statement_groups[low - 1]
        return group if start <= node.span.start < end else None

    def _assign(self) -> None:
        """Find the environment of each statement: by the variables it uses, else those that use what it declares."""
        statements = _statements(self._function)[:_MAX_STATEMENTS]
        of_variable = {name: name for name in self.groups}
        names = [[node.name for node in one.walk() if node.kind == "name"] for one in statements]
        found: list[str | None] = []
        for statement, used in zip(statements, names, strict=True):
            own = statement.name if statement.kind == "declare" else ""
            group = (
                own if own in self.groups else next((of_variable[name] for name in used if name in of_variable), None)
            )
            if own and group is not None:
                of_variable.setdefault(own, group)
            found.append(group)
        # Backwards: a source is declared before the statement that adds it to an environment.
        later: dict[str, str | None] = {}
        for index in range(len(statements) - 1, -1, -1):
            statement = statements[index]
            if found[index] is None and statement.kind == "declare":
                found[index] = later.get(statement.name)
            for name in names[index]:
                if name not in of_variable or name not in self.groups:
                    before = later.get(name, found[index])
                    later[name] = found[index] if before == found[index] else None
        self._statement_groups = [
            (one.span.start, one.span.end, group) for one, group in zip(statements, found, strict=True)
        ]


def _is_in(node: Node, function: Node) -> bool:
    return function.span.start <= node.span.start < function.span.end


def _variable(node: Node) -> str:
    """Return the variable that an environment, or what is made of it, is assigned to; empty if to none."""
    outer: Node | None = node
    while outer is not None and outer.kind != "function":
        if outer.kind == "declare":
            return outer.name
        if outer.kind == "assign":
            return "" if outer.target is None else outer.target.name
        outer = outer.parent
    return ""


def _statements(function: Node) -> list[Node]:
    """Return the statements of a function, those in blocks and branches as one each."""
    found: list[Node] = []
    pending = list(reversed(function.parts))
    while pending:
        node = pending.pop()
        if node.kind == "other":
            pending.extend(reversed(node.parts))
        else:
            found.append(node)
    return sorted(found, key=lambda node: node.span)

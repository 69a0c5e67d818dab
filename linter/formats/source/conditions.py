"""Determines from the surrounding conditions whether a program's code runs in production.

A condition on the environment (``if (isLocal(env))``, ``"dev".equals(profile)``, ``env instanceof
LocalStreamEnvironment``) says so itself; what holds on a developer's machine only is not production's. Any other
condition that the source does not decide is a flag: somebody sets it when the job is started. A flag with a default
(``parameters.getBoolean("print", false)``) is off or on unless somebody sets it.

Conditions count in both directions: the ``else`` of ``isLocal`` is production, and so is what follows ``if (isLocal)
{ ...; return; }``. A function that is only called under a condition has that condition.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

ALWAYS, LOCAL, OFF, FLAG = "always", "local", "off", "flag"
"""When code runs: always (at least in production), never in production, not by default, or only with a flag set."""

_MAX_DEPTH = 12
_MAX_CALLERS = 20
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LOCAL_WORDS = frozenset({
    *("local", "localhost", "locally", "dev", "develop", "development", "developer", "debug", "debugging", "test"),
    *("tests", "testing", "ide", "intellij", "idea", "sandbox", "dry", "dryrun", "mock"),
})  # fmt: skip
_PRODUCTION_WORDS = frozenset({"prod", "production", "prd", "live"})
_TIME_WORDS = frozenset({"date", "time", "zone", "locale"})
"""Words of names such as ``LocalDateTime``, which are about something else."""
_EXITS = frozenset({"exit", "exitProcess"})


class _Guard(NamedTuple):
    """A condition, and whether code runs if it holds or if it does not."""

    condition: Node
    holds: bool


class Conditions:
    """Determines when code at an offset or node of a program runs, and caches the results."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._exits: dict[int, list[tuple[int, _Guard]]] = {}
        self._of_function: dict[int, str] = {}
        self._said: dict[tuple[int, bool], str] = {}

    def at(self, start: int) -> str:
        """Return when the code at an offset of the program runs: `ALWAYS`, `LOCAL`, `OFF`, or `FLAG`."""
        return self.of(self._objects.program.node_at(start))

    def of(self, node: Node, depth: int = 0) -> str:
        """Return when the code of a node runs: `ALWAYS`, `LOCAL`, `OFF`, or `FLAG`."""
        found = ALWAYS
        child, parent = node, node.parent
        while parent is not None:
            guards = list(_arm(parent, child))
            guards += (guard for end, guard in self._exits_in(parent) if end <= child.span.start)
            for guard in guards:
                found = _stronger(found, self._says(guard))
            if found == LOCAL:
                return LOCAL
            if parent.kind == "function" and parent.name:
                return _stronger(found, self._function(parent, depth))
            child, parent = parent, parent.parent
        return found

    def _function(self, function: Node, depth: int) -> str:
        """Return how a function runs: as its calls, if all of them are conditional."""
        if id(function) not in self._of_function:
            self._of_function[id(function)] = ALWAYS  # a recursive call adds nothing
            calls = self._objects.program.calls.get(function.name, ())
            calls = [call for call in calls if self._objects.program.function_of(call) is function]
            if calls and depth < _MAX_DEPTH and len(calls) <= _MAX_CALLERS and function.name != "main":
                ways = {self.of(call, depth + 1) for call in calls}
                if ALWAYS not in ways:
                    self._of_function[id(function)] = ways.pop() if len(ways) == 1 else FLAG
        return self._of_function[id(function)]

    def _exits_in(self, container: Node) -> list[tuple[int, _Guard]]:
        """Return the conditions under which a sequence of statements is left early, with the offsets of their ends."""
        if container.kind not in ("other", "function"):
            return []
        found = self._exits.get(id(container))
        if found is None:
            found = self._exits[id(container)] = []
            for part in container.parts:
                if part.kind != "branch" or part.name != "if" or part.init is None:
                    continue
                for index, arm in enumerate(part.parts[:2]):
                    guard = _Guard(part.init, index == 1)
                    # Otherwise, what is left early may be a check of arguments.
                    if _leaves(arm) and self._says(guard) == LOCAL:
                        found.append((part.span.end, guard))
        return found

    def _says(self, guard: _Guard) -> str:
        """Return how code runs under a condition."""
        key = id(guard.condition), guard.holds
        if key not in self._said:
            self._said[key] = self._judge(guard)
        return self._said[key]

    def _judge(self, guard: _Guard) -> str:
        local = self._is_local(guard.condition, guard.holds, 0)
        if local is not None:
            return LOCAL if local else ALWAYS
        value = self._objects.fold(guard.condition)
        if isinstance(value, bool):
            return ALWAYS if value is guard.holds else OFF
        return ALWAYS if _is_entry(guard.condition) else FLAG

    def _is_local(self, node: Node | None, holds: bool, depth: int) -> bool | None:
        """Return whether a condition (or, if not `holds`, its negation) holds on a developer's machine only.

        False: in production; None: it is not about the environment.
        """
        if node is None or depth > _MAX_DEPTH:
            return None
        if node.kind == "unary" and node.name in ("!", "not"):
            return self._is_local(node.args[0], not holds, depth + 1)
        if node.kind == "binary" and node.name in ("&&", "||"):
            both = [self._is_local(one, holds, depth + 1) for one in node.args]
            if (node.name == "&&") is holds:  # both hold
                return True if True in both else False if both == [False, False] else None
            return False if False in both else True if both == [True, True] else None
        if node.kind == "binary" and node.name in ("!=", "!==", "=!="):
            return self._in_words(node, not holds)
        if node.kind in ("name", "member"):
            found = self._in_words(node, holds)
            if found is None:
                bound = self._objects.program.bound(node)
                return None if bound is None else self._is_local(bound, holds, depth + 1)
            return found
        return self._in_words(node, holds)

    def _in_words(self, node: Node, holds: bool) -> bool | None:
        words = set(_words(node))
        is_local, is_production = not words.isdisjoint(_LOCAL_WORDS), not words.isdisjoint(_PRODUCTION_WORDS)
        if is_local is is_production or not words.isdisjoint(_TIME_WORDS):
            return None
        negated = bool(words & {"not", "non"})
        return (is_local is holds) is not negated


def _stronger(one: str, other: str) -> str:
    order = (ALWAYS, FLAG, OFF, LOCAL)
    return max(one, other, key=order.index)


def _arm(branch: Node, child: Node) -> Iterator[_Guard]:
    """Yield the condition under which a child of a branch runs."""
    if branch.kind == "branch" and branch.name == "if" and branch.init is not None and child is not branch.init:
        yield _Guard(branch.init, child is branch.parts[0])


def _leaves(arm: Node) -> bool:
    """Return whether a sequence of statements ends with leaving the function or the program."""
    last = arm
    while last.kind == "other" and last.parts:
        last = last.parts[-1]
    return last.kind == "return" or (last.kind == "call" and last.name in _EXITS)


def _is_entry(condition: Node) -> bool:
    """Return whether a condition is Python's ``__name__ == "__main__"``."""
    return any(node.kind == "name" and node.name == "__name__" for node in condition.walk())


def _words(condition: Node) -> Iterator[str]:
    """Yield the words of the names and texts in a condition, in lower case."""
    for number, node in enumerate(condition.walk()):
        if number > 60:
            return
        text = node.value if node.kind == "text" and isinstance(node.value, str) else node.name
        for word in _WORD.findall(text[:200]):
            yield word.lower()

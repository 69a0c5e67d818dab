"""The jobs of a program, and the functions that belong to each job.

One execution environment of one function or flow is one job. A function that creates an environment and uses it is the
root of a job; one that returns it leaves that to its callers, and one that keeps it in a field to all functions of the
class. To a job belong the root, what it calls, and who calls it with what else those call. Two roots never belong to
the same job, even if one function calls both.

Functions that configure an environment or a configuration they are given, and that no job of the file calls, are flows
of their own: whoever calls them from another file calls one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from flink_flint.linter.formats.source.environments import Environments, creations
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_settings import is_environment
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_JOBS = 60
"""The maximum number of jobs read separately from one source file; the rest of the file counts as one more job."""


class Job:
    """A job: its root (a function, a class, or the file), and a function that checks whether a node belongs to it."""

    def __init__(self, root: Node, contains: Callable[[Node], bool], *, has_environment: bool) -> None:
        self.root = root
        self.contains = contains
        """Return whether a node of the program belongs to the job."""
        self.has_environment = has_environment


class _Call(NamedTuple):
    """A call of a function of the file."""

    node: Node
    unit: Node


def jobs_of(objects: Objects, settings: Iterable[Node]) -> list[Job]:
    """Return the jobs of a program (at least one), in source order.

    `settings` are the nodes that set an option. What belongs to no job belongs to the only one, or to a last one.
    """
    units = _Units(objects)
    roots = _roots(objects, units)
    taken = {id(member) for members in roots.values() for member in members}
    jobs: list[tuple[Job, frozenset[int]]] = []
    for root, members in [(units.node(key), members) for key, members in roots.items()][:MAX_JOBS]:
        within = units.flow(members, taken - {id(member) for member in members})
        environments = Environments(objects, root) if len(members) == 1 else None
        if environments is None or len(environments.groups) < 2:
            jobs.append((Job(root, units.test(within), has_environment=True), within))
            continue
        for group in environments.groups:
            jobs.append((_of_group(units, root, within, environments, group), within))
    covered = frozenset().union(*(within for _, within in jobs)) if jobs else frozenset()
    for top in units.tops(settings, covered)[: MAX_JOBS - len(jobs)]:
        within = units.flow([top], taken) - covered | {id(top)}
        jobs.append((Job(top, units.test(within), has_environment=False), within))
    jobs.sort(key=lambda one: one[0].root.span)
    if len(jobs) < 2:
        root = jobs[0][0].root if jobs else objects.program.root
        return [Job(root, lambda _: True, has_environment=bool(roots))]
    covered = frozenset().union(*(within for _, within in jobs))
    rest = Job(objects.program.root, lambda node: id(units.of(node)) not in covered, has_environment=False)
    return [*(job for job, _ in jobs), rest]


def _of_group(units: _Units, root: Node, within: frozenset[int], environments: Environments, group: object) -> Job:
    """Return the job of one of several environments of a function."""
    # What only the statements about the other environments call is not the job's.
    others = {
        id(call.unit)
        for call in units.calls[id(root)]
        if environments.group_of(call.node) not in (None, group)
    } - {
        id(call.unit)
        for call in units.calls[id(root)]
        if environments.group_of(call.node) in (None, group)
    }  # fmt: skip
    test = units.test(within - others)

    def contains(node: Node) -> bool:
        return test(node) and (units.of(node) is not root or environments.group_of(node) in (None, group))

    return Job(root, contains, has_environment=True)


def _roots(objects: Objects, units: _Units) -> dict[int, list[Node]]:
    """Return the roots of jobs with an environment: by the id of the root, the functions (or classes) it stands for."""
    roots: dict[int, list[Node]] = {}
    seen: set[int] = set()
    pending = [(node, units.of(node)) for node in creations(objects)]
    while pending:
        node, unit = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        field = _field_of(node)
        if field is not None:
            roots[id(field)] = units.register(field)
            continue
        callers = units.callers[id(unit)]
        if _returns_environment(objects, unit) and callers:
            pending += [(call.node, call.unit) for call in callers if id(call.node) not in seen]
        else:
            roots[id(unit)] = [unit]
            units.nodes[id(unit)] = unit
    # Functions of a class that have environments of their own do not share the one in its field.
    for key, members in roots.items():
        if len(members) > 1:
            members[:] = [one for one in members if id(one) == key or id(one) not in roots]
    return roots


def _field_of(node: Node) -> Node | None:
    """Return the class whose field an environment is assigned to, directly or in a constructor; None if to none."""
    outer = node
    while outer.parent is not None and outer.parent.kind in ("call", "member", "branch", "new"):
        outer = outer.parent
    parent = outer.parent
    if parent is None or parent.kind not in ("declare", "assign"):
        return None
    if parent.kind == "declare":
        holder = parent.scope.holder(parent.name)
    elif parent.target is not None and parent.target.kind == "name":
        holder = parent.target.scope.holder(parent.target.name)
    elif parent.target is not None and parent.target.target is not None:
        is_own = parent.target.target.name in ("this", "self", "cls")
        holder = parent.scope.enclosing("class") if is_own else None
    else:
        holder = None
    return holder.node if holder is not None and holder.kind == "class" else None


def _returns_environment(objects: Objects, unit: Node) -> bool:
    if unit.kind != "function":
        return False
    ends = [node.init for part in unit.parts for node in part.walk() if node.kind == "return"]
    if "expression" in unit.flags and unit.parts:
        last = unit.parts[-1]
        ends.append(last.parts[-1] if last.kind == "other" and last.parts else last)
    return any(
        end is not None
        and (is_environment(objects, end) or (end.kind == "name" and objects.class_of(end).endswith("Environment")))
        for end in ends
    )


class _Units:
    """The outermost functions of a program, its classes (the code outside of functions), and who calls whom."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        program = objects.program
        self._of: dict[int, Node] = {}
        self.nodes: dict[int, Node] = {}
        self._members: dict[str, list[Node]] = defaultdict(list)
        """The functions of each class."""
        self._named: dict[str, list[Node]] = defaultdict(list)
        for node in program.nodes:
            if node.kind == "function" and node.name and self.of(node) is node:
                self._named[node.name].append(node)
                self._members[_class_of(node)].append(node)
        self.calls: dict[int, list[_Call]] = defaultdict(list)
        self.callers: dict[int, list[_Call]] = defaultdict(list)
        for name, calls in program.calls.items():
            if name in self._named or name in program.classes:
                for call in calls:
                    self._link(call, self._called(call))
        for name, news in program.news.items():
            if name in program.classes:
                for new in news:
                    self._link(new, self._all_of(name))

    def _link(self, call: Node, called: Sequence[Node]) -> None:
        caller = self.of(call)
        for unit in called:
            if unit is not caller:
                self.calls[id(caller)].append(_Call(call, unit))
                self.callers[id(unit)].append(_Call(call, caller))

    def node(self, key: int) -> Node:
        """Return the root that was registered under an id."""
        return self.nodes[key]

    def register(self, class_node: Node) -> list[Node]:
        """Register a class as the root of a job, and return the class and its functions."""
        self.nodes[id(class_node)] = class_node
        return [class_node, *self._members[class_node.name]]

    def of(self, node: Node) -> Node:
        """Return the outermost function around a node, else the class, else the root of the program."""
        key = id(node.scope)
        if key not in self._of:
            found: Node | None = None
            scope = node.scope
            while scope.parent is not None:
                is_named = scope.node is not None and bool(scope.node.name)
                if is_named and (scope.kind == "function" or (scope.kind == "class" and found is None)):
                    found = scope.node
                scope = scope.parent
            self._of[key] = found or self._objects.program.root
        return self._of[key]

    def _all_of(self, name: str) -> list[Node]:
        """Return a class of the file, its functions, and those of its superclasses in the file."""
        found: list[Node] = []
        pending, seen = [name], {name}
        while pending:
            one = pending.pop()
            node = self._objects.program.classes.get(one)
            if node is not None:
                found += [node, *self._members[one]]
                more = [base for base in node.supers if base not in seen]
                seen.update(more)
                pending += more
        return found

    def _called(self, call: Node) -> list[Node]:
        """Return the functions of the file that a call may call."""
        candidates = self._named.get(call.name, [])
        target = call.target
        if not candidates:
            return self._all_of(call.name) if target is None else []
        if target is None or target.name in ("this", "self", "cls", "super"):
            own = call.scope.enclosing("class")
            own_name = "" if own is None else own.name
            return [one for one in candidates if _class_of(one) == own_name] or candidates
        owner = target.name if target.name in self._objects.program.classes else self._objects.class_of(target)
        return [one for one in candidates if _class_of(one) == owner] if owner else []

    def flow(self, members: Iterable[Node], others: Iterable[int]) -> frozenset[int]:
        """Return the ids of what belongs to the job of `members`, which does not include its `others`' roots."""
        barred = set(others)
        found = {id(member) for member in members}
        pending = list(found)
        above = set(found)
        while pending:  # who calls it
            for call in self.callers[pending.pop()]:
                if id(call.unit) not in above and id(call.unit) not in barred:
                    above.add(id(call.unit))
                    pending.append(id(call.unit))
        pending = list(above)
        within = set(above)
        while pending:  # what those call
            key = pending.pop()
            for call in self.calls[key]:
                if id(call.unit) not in within and id(call.unit) not in barred:
                    within.add(id(call.unit))
                    pending.append(id(call.unit))
        return frozenset(within)

    def tops(self, settings: Iterable[Node], covered: frozenset[int]) -> list[Node]:
        """Return the outermost callers of the functions that set options and belong to no job yet."""
        found: dict[int, Node] = {}
        for start in dict.fromkeys(map(self.of, settings)):
            if id(start) in covered:
                continue
            seen = {id(start)}
            pending = [start]
            while pending:
                unit = pending.pop()
                above = [call.unit for call in self.callers[id(unit)] if id(call.unit) not in covered]
                if not above:
                    found[id(unit)] = unit
                new = [one for one in above if id(one) not in seen]
                seen.update(map(id, new))
                pending += new
        return sorted(found.values(), key=lambda unit: unit.span)

    def test(self, within: frozenset[int]) -> Callable[[Node], bool]:
        """Return a test of whether a node is in one of the functions, or in the code of their classes outside them."""
        classes = {_class_of(one) for some in self._members.values() for one in some if id(one) in within}

        def contains(node: Node) -> bool:
            unit = self.of(node)
            return id(unit) in within or (unit.kind == "class" and unit.name in classes) or unit.kind == "other"

        return contains


def _class_of(function: Node) -> str:
    parent = function.scope.parent
    owner = None if parent is None else parent.enclosing("class")
    return "" if owner is None else owner.name


def names_of(jobs: Sequence[Job], main: Node | None, default: str | None) -> Iterator[str | None]:
    """Yield a document name for each job: `default` for the only or main job, otherwise class and function."""
    of_main = [job for job in jobs if main is not None and job.contains(main)]
    for job in jobs:
        if len(jobs) == 1 or job.root.kind != "function" or of_main == [job]:
            yield default
        else:
            owner = _class_of(job.root)
            yield f"{owner}.{job.root.name}" if owner else job.root.name

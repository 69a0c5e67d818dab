"""Tracks the objects that a program creates, the method calls on them, and the properties put into them."""

from __future__ import annotations

from flink_flint.linter.formats.source.constant_folding import (
    Constant,
    Folding,
    Memory,
    OptionKey,
    Symbol,
    Time,
    setting_text,
)
from flink_flint.linter.formats.source.option_constants import key_of
from flink_flint.linter.formats.source.program_tree import Node, Program, Scope
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_MAX_DEPTH = 12
_WITH_RECEIVER = frozenset({"apply", "also", "run", "with", "let", "tap"})
_PUTS = frozenset({
    *("put", "setProperty", "set", "setString", "setInteger", "setLong", "setBoolean", "setFloat", "setDouble"),
    *("putIfAbsent", "setdefault", "setBytes", "withProperty"),
})  # fmt: skip
_MERGES = frozenset({"putAll", "addAll", "update", "putAllProperties", "plusAssign"})
_LOADS = frozenset({"load", "loadFromXML", "forEach", "compute", "merge", "addAllToProperties"})
_MAPS = frozenset({
    *("Properties", "HashMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap", "Hashtable", "Configuration"),
    *("MutableMap", "HashMap", "dict"),
})  # fmt: skip
_LITERAL_MAPS = frozenset({
    *("Map.of", "ImmutableMap.of", "Collections.singletonMap", "mapOf", "mutableMapOf", "hashMapOf", "Map"),
    *("Map.apply", "Map.ofEntries", "ImmutableMap.builder", "Configuration.fromMap", "Collections.emptyMap"),
})  # fmt: skip
_ENTRY_CALLS = frozenset({"entry", "SimpleEntry", "SimpleImmutableEntry", "Pair"})


_OWN_READERS = ("print", "str", "len", "repr", "dict")
_READERS = (
    *("set", "with", "putAll", "addAll", "addSource", "addSink", "add_source", "add_sink", "update", "from", "sink"),
    *("print", "info", "debug", "warn", "log", "execute", "format", "append", "plusAssign", "requireNonNull"),
    *("checkNotNull", "run", "apply", "equals", "debeziumProperties", "dbzProperties", "jdbcProperties"),
)  # fmt: skip
"""Prefixes of the names of methods that do not modify their arguments."""


class Put(NamedTuple):
    """A property that a program puts into an object: its key, and the nodes of its key and value."""

    key: str
    key_node: Node
    value: Node | None


class Properties(NamedTuple):
    """The properties that a program puts into an object, and whether all of them are known."""

    puts: list[Put]
    complete: bool


class Objects:
    """Follows the objects that a program creates through variables, calls, and functions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.fold = Folding(program)

    # -- creation of objects

    def made(self, node: Node | None) -> Node | None:
        """Return the node (``new X()``, ``X.builder()``) that creates the object of an expression; None if unknown."""
        for _ in range(_MAX_DEPTH):
            if node is None:
                return None
            if node.kind in ("name", "member"):
                if node.kind == "member" and self.program.values(node) is None:
                    # A Scala call without parentheses: StreamExecutionEnvironment.getExecutionEnvironment
                    owner = node.target
                    is_class = owner is not None and owner.kind == "name" and owner.name[:1].isupper()
                    return node if is_class and not node.name[:1].isupper() else None
                node = self.program.bound(node)
            elif node.kind == "call":
                function = self.program.function_of(node)
                if function is not None:
                    node = result_of(function)
                    continue
                if node.target is None or node.target.kind in ("other", "text", "number"):
                    return node
                if node.target.kind in ("name", "member"):
                    if self.program.values(node.target) is None:
                        return node  # a static method
                    node = node.target
                else:
                    node = node.target
            elif node.kind in ("new", "pairs"):
                return node
            else:
                return None
        return None

    def class_of(self, node: Node | None) -> str:
        """Return the class of the object of an expression; an empty string if the file does not show it."""
        if node is None:
            return ""
        if node.kind == "name":
            holder = node.scope.holder(node.name)
            if holder is not None and node.name in holder.types:
                return holder.types[node.name]
        found = self.made(node)
        return "" if found is None else maker_of(found).partition(".")[0]

    def calls_on(self, made: Node) -> list[Node]:
        """Return the method calls on an object: first those chained to its creation, then those on its variable.

        Assignments of elements (``props["a"] = "b"``) are included.
        """
        calls, outer = _climb(made)
        holder = self._variable(outer)
        if holder is not None:
            scope, name = holder
            for use in self.program.uses(scope, name):
                if use.parent is not None and use.parent.kind == "index" and use.parent.target is use:
                    ancestor = use.parent.parent
                    if ancestor is not None and ancestor.kind == "assign" and ancestor.target is use.parent:
                        calls.append(ancestor)
                else:
                    calls += _climb(use)[0]
        return [one for call in calls for one in _unfolded(call)]

    def escapes(self, made: Node) -> bool:
        """Return whether an object is passed to a method that may modify it (``configure(builder)``)."""
        holder = self._variable(_climb(made)[1])
        if holder is None:
            return False
        for use in self.program.uses(*holder):
            call = use.parent
            if call is not None and call.kind == "call" and any(argument is use for argument in call.args):
                readers = _OWN_READERS if call.target is None else _READERS
                if not call.name[:1].isupper() and not call.name.startswith(readers):
                    return True
        return False

    @staticmethod
    def _variable(outer: Node) -> tuple[Scope, str] | None:
        """Return the variable that an expression is assigned to, as its scope and name, or None."""
        parent = outer.parent
        if parent is None:
            return None
        if parent.kind == "declare":
            holder = parent.scope.holder(parent.name)
            return None if holder is None else (holder, parent.name)
        target = parent.target
        if parent.kind == "assign" and target is not None and target.kind in ("name", "member"):
            inner = target.target
            if target.kind == "name":
                holder = target.scope.holder(target.name)
            elif inner is not None and inner.name in ("this", "self"):
                holder = target.scope.enclosing("class")
            else:
                return None
            return None if holder is None else (holder, target.name)
        return None

    # -- properties

    def properties(self, node: Node | None, depth: int = 0) -> Properties:
        """Return the properties in the object (Properties, map, or configuration) that an expression evaluates to."""
        made = self.made(node)
        if made is None or depth > _MAX_DEPTH:
            return Properties([], False)
        puts: list[Put] = []
        complete = self._initial(made, puts, depth) and not self.escapes(made)
        for call in self.calls_on(made):
            complete &= self._put(call, puts, depth)
        return Properties(puts, complete)

    def _initial(self, made: Node, puts: list[Put], depth: int) -> bool:
        """Add the initial properties of an object to `puts`; return whether all of them are known."""
        if made.kind == "pairs":
            return self._pair_up(made.args, puts)
        maker = maker_of(made)
        if maker in _LITERAL_MAPS:
            if maker == "Configuration.fromMap":
                return self._merge(made.args[0] if made.args else None, puts, depth)
            complete = True
            loose = [argument for argument in made.args if not _is_entry(argument)]
            for argument in made.args:
                if _is_entry(argument):
                    complete &= self._pair_up(argument.args, puts)
            return complete & self._pair_up(loose, puts)
        if maker.partition(".")[0] not in _MAPS:
            return False
        complete = True
        for inner in made.parts:  # new Properties() {{ put("a", "b"); }}
            for node in inner.walk():
                if node.kind == "call" and (node.target is None or node.target.name == "this"):
                    complete &= self._put(node, puts, depth)
        for name, argument in zip(made.names, made.args, strict=False):
            if name:  # dict(a="b")
                puts.append(Put(name, argument, argument))
            elif argument.kind != "number":  # another map; a number is a capacity
                complete &= self._merge(argument, puts, depth)
        return complete

    def _put(self, call: Node, puts: list[Put], depth: int) -> bool:
        """Add the properties that a call puts into an object to `puts`; return whether all of them are known."""
        if call.kind == "assign":
            index = call.target
            assert index is not None
            return self._pair(index.args[0], call.init, puts) if index.args else False
        if call.name in _PUTS:
            return len(call.args) != 2 or self._pair(call.args[0], call.args[1], puts)
        if call.name in _MERGES:
            return self._merge(call.args[0] if call.args else None, puts, depth)
        return call.name not in _LOADS

    def _merge(self, node: Node | None, puts: list[Put], depth: int) -> bool:
        found = self.properties(node, depth + 1)
        puts += found.puts
        return found.complete

    def _pair_up(self, nodes: list[Node], puts: list[Put]) -> bool:
        complete = len(nodes) % 2 == 0
        for place in range(0, len(nodes) - 1, 2):
            complete &= self._pair(nodes[place], nodes[place + 1], puts)
        return complete

    def _pair(self, key: Node, value: Node | None, puts: list[Put]) -> bool:
        name = self.key(key)
        if name is None:
            return False
        puts.append(Put(name, key, value))
        return True

    def key(self, node: Node) -> str | None:
        """Return the option key that an expression (a string or option constant) evaluates to; None if unknown."""
        value = self.fold(node)
        if isinstance(value, str):
            return value
        if isinstance(value, OptionKey):
            return value.key
        return key_of(value, self.program.imports) if isinstance(value, Symbol) else None

    # -- attributes

    def attribute(self, node: Node, value: object, at: Node | None = None) -> Attribute:
        """Return an attribute with a value, at the position of `node`; `at` is the node of the attribute's name."""
        key_span = None if at is None else at.name_span if at.kind == "call" else at.span
        return Attribute(value, node.span, key_span, self.program.raw(node.span))

    def put_properties(self, attributes: dict[str, Attribute], node: Node | None, prefix: str = "properties.") -> None:
        """Add the properties of an object as attributes, plus an unknown ``properties`` if they are incomplete."""
        if node is None:
            return
        found = self.properties(node)
        for put in found.puts:
            self.put_property(attributes, prefix + put.key, put.value, put.key_node)
        if not found.complete:
            attributes.setdefault(prefix.rstrip("."), self.attribute(node, None))

    def put_property(
        self, attributes: dict[str, Attribute], name: str, value: Node | None, key: Node, text: str | None = None
    ) -> None:
        """Add a property as an attribute; its value is unknown if different branches set different values."""
        if value is None:
            attributes[name] = Attribute(None, key.span, key.span, "")
            return
        made = setting_text(self.fold(value)) if text is None else text
        before = attributes.get(name)
        if before is not None and before.value != made and is_in_branch(value):
            made = None
        attributes[name] = self.attribute(value, made, key)


def maker_of(node: Node) -> str:
    """Return the name of the class or method that creates an object (``X``, ``X.builder``, or ``mapOf``)."""
    if node.kind in ("call", "member") and node.target is not None:
        return f"{node.target.name}.{node.name}"
    return node.name


def result_of(function: Node) -> Node | None:
    """Return the expression that a function returns; None if it is unknown or ambiguous."""
    found = [
        node
        for part in function.parts
        for node in part.walk()
        if node.kind == "return" and node.scope.enclosing("function") is function.scope and node.init is not None
    ]
    if found:
        return found[0].init if len(found) == 1 else None
    last = function.parts[-1] if function.parts else None
    if last is not None and last.kind == "other" and last.parts:
        last = last.parts[-1]
    return last if "expression" in function.flags and last is not None and last.kind != "declare" else None


def is_in_branch(node: Node) -> bool:
    """Return whether a node runs conditionally within its function."""
    ancestor: Node | None = node
    while ancestor is not None and ancestor.kind != "function":
        if ancestor.kind == "branch":
            return True
        ancestor = ancestor.parent
    return False


def plain(value: Constant | None) -> object:
    """Convert a scalar constant to an attribute's value (durations in ms, sizes in bytes); None for any other."""
    if isinstance(value, Time):
        return round(value.ms)
    if isinstance(value, Memory):
        return value.size
    return value if isinstance(value, (bool, int, float, str)) else None


def head_of(made: Node) -> Span:
    """Return the span for findings on an object: from the start of its creation to the class or method name."""
    return Span(made.span.start, made.name_span.end)


def _is_entry(node: Node) -> bool:
    return node.kind == "pairs" or (node.kind in ("call", "new") and node.name in _ENTRY_CALLS)


def _climb(node: Node) -> tuple[list[Node], Node]:
    """Return the calls that are chained to a node, and the outermost of them."""
    calls: list[Node] = []
    outer = node
    while outer.parent is not None and outer.parent.target is outer and outer.parent.kind == "call":
        outer = outer.parent
        calls.append(outer)
    return calls, outer


def _unfolded(call: Node) -> list[Node]:
    """Return the call itself or, for Kotlin's ``apply`` and similar functions, the calls on the receiver."""
    if call.kind != "call" or call.name not in _WITH_RECEIVER or not call.args or call.args[-1].kind != "function":
        return [call]
    inner: list[Node] = []
    for node in call.args[-1].walk():
        target = node.target
        if node.kind == "call" and (target is None or (target.kind == "name" and target.name in ("this", "it"))):
            inner.append(node)
        elif node.kind == "assign" and target is not None and target.kind == "index":
            owner = target.target
            inner += [node] if owner is not None and owner.name in ("this", "it") else []
    return inner

"""Constant folding: computes the values of expressions whose values are evident from the source code.

Numbers, strings, and booleans are Python values; other types that Flink's methods accept have classes here. None
means an unknown value: a parameter, a call of another class, or a configuration lookup.
"""

from __future__ import annotations

from flink_flint.linter.formats.source.program_tree import Node, Program
from flink_flint.linter.text.named_tuple import NamedTuple

_MAX_DEPTH = 40


class Time(NamedTuple):
    """A duration in milliseconds."""

    ms: float


class Unit(NamedTuple):
    """A unit of time, given by its length in milliseconds."""

    ms: float


class Memory(NamedTuple):
    """A size in bytes."""

    size: int


class Symbol(NamedTuple):
    """A constant of a class that is not in the file, such as ``Semantic.EXACTLY_ONCE``."""

    owner: str
    name: str


class OptionKey(NamedTuple):
    """The key of an option that is declared inline (``ConfigOptions.key("...")``)."""

    key: str


Constant = bool | int | float | str | Time | Unit | Memory | Symbol | OptionKey

UNITS = {
    "nanos": 1e-6, "nanoseconds": 1e-6, "nanosecond": 1e-6, "micros": 1e-3, "microseconds": 1e-3, "microsecond": 1e-3,
    "millis": 1, "milliseconds": 1, "millisecond": 1, "milli": 1, "seconds": 1_000, "second": 1_000,
    "minutes": 60_000, "minute": 60_000, "hours": 3_600_000, "hour": 3_600_000, "days": 86_400_000, "day": 86_400_000,
}  # fmt: skip
"""The number of milliseconds in each time unit, by the unit's name in Java, Scala, Kotlin or Python."""

_MAX_NUMBER = 1e30
"""An upper limit: no Java number of milliseconds, bytes, or items is larger."""
_TIME_CLASSES = ("Duration", "Time", "FiniteDuration")
_MEMORY = {"ofMebiBytes": 1 << 20, "ofKibiBytes": 1 << 10, "ofGibiBytes": 1 << 30, "ofBytes": 1}
_WITH_DEFAULT = frozenset({
    *("get", "getInt", "getInteger", "getLong", "getShort", "getBoolean", "getBool", "getDouble", "getFloat"),
    *("getOrDefault", "getOrElse", "getProperty", "getenv", "opt", "getOptional", "orElse", "optInt", "optLong"),
})  # fmt: skip
"""Methods that look up a setting of the application and return their last argument if nobody has set it."""
_LOGIC = {"&&": all, "||": any}
_BOXES: dict[str, type] = {"Integer": int, "Int": int, "Long": int, "Boolean": bool, "Double": float, "Float": float}
_OF_TEXT = {
    "valueOf": str, "toString": str, "parseInt": int, "parseLong": int, "parseDouble": float, "intValue": int,
    "longValue": int, "parseBoolean": bool, "parseFloat": float,
}  # fmt: skip


class Folding:
    """Computes the constant values of one program's expressions and caches the results."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[int, Constant | None] = {}

    def __call__(self, node: Node | None, depth: int = 0) -> Constant | None:
        """Return the constant value of an expression, or None if the source does not determine it."""
        if node is None or depth > _MAX_DEPTH:
            return None
        known = self._known
        if id(node) not in known:
            known[id(node)] = None  # a recursive expression is not constant
            known[id(node)] = _in_range(self._fold(node, depth + 1))
        return known[id(node)]

    def _fold(self, node: Node, depth: int) -> Constant | None:
        if node.kind in ("text", "number", "bool"):
            value: Constant | None = node.value
            return value
        if node.kind in ("name", "member"):
            return self._name(node, depth)
        if node.kind == "binary":
            return _operate(node.name, self(node.args[0], depth), self(node.args[1], depth))
        if node.kind == "unary":
            value = self(node.args[0], depth)
            if node.name == "-" and isinstance(value, (int, float)) and not isinstance(value, bool):
                return -value
            if node.name == "!" and isinstance(value, bool):
                return not value
            return value if node.name == "+" else None
        if node.kind == "call":
            return self._call(node, depth)
        return None

    def _name(self, node: Node, depth: int) -> Constant | None:
        values = self.program.values(node)
        if values is not None:
            return self(self.program.bound(node), depth)
        unit = node.name.lower()
        if node.kind == "member" and node.target is not None:
            amount = self(node.target, depth) if node.target.kind in ("number", "name", "member") else None
            if unit in UNITS and isinstance(amount, (int, float)) and not isinstance(amount, bool):
                return Time(amount * UNITS[unit])  # 5.seconds
            if unit in UNITS and node.name.isupper():
                return Unit(UNITS[unit])
            owner = node.target.name
            if node.target.kind in ("call", "member", "name") and node.name[:1].islower():
                found = self(node.target, depth)
                if isinstance(found, (Time, str, int, float, Symbol)):
                    return _method(found, node.name, [])  # Scala: Timeout.toMillis
            if node.name == "ZERO" and owner == "Duration":
                return Time(0)
            if owner == "MemorySize":
                return {"ZERO": Memory(0), "MAX_VALUE": Memory((1 << 63) - 1)}.get(node.name)
            if node.name in ("MAX_VALUE", "MaxValue") and owner in ("Integer", "Int", "Long"):
                return (1 << 63) - 1 if owner == "Long" else (1 << 31) - 1
            if node.target.kind in ("name", "member") and owner[:1].isupper() and node.name[:1].isupper():
                return Symbol(owner, node.name)
            return None
        if node.kind == "name" and node.name.isupper():
            if unit in UNITS and len(unit) > 3:
                return Unit(UNITS[unit])
            if len(node.name) > 1:
                return Symbol("", node.name)
        return None

    def _call(self, node: Node, depth: int) -> Constant | None:
        name, owner = node.name, node.target
        values = [self(argument, depth) for argument in node.args]
        first = values[0] if values else None
        on = owner.name if owner is not None and owner.kind in ("name", "member") else ""
        if on in _TIME_CLASSES or (owner is None and name in _TIME_CLASSES):
            return self._time(node, name, values)
        if on == "MemorySize":
            if name in _MEMORY and isinstance(first, int):
                return Memory(first * _MEMORY[name])
            return first if name == "parse" and len(values) == 1 and isinstance(first, str) else None
        if on == "ConfigOptions" and name == "key":
            return OptionKey(first) if isinstance(first, str) else None
        if on in ("String", "Integer", "Long", "Boolean", "Double", "Float", "Int") and name in _OF_TEXT:
            kind = str if name == "toString" or on == "String" else _BOXES.get(on, _OF_TEXT[name])
            if kind is not str and first is None and node.args:
                first = self._default(node.args[0], depth)
            return _converted(first, kind)
        if name in _WITH_DEFAULT and (found := self._default(node, depth)) is not None:
            return None if isinstance(found, str) else found
        if owner is None:
            if name == "str" and len(values) == 1:
                return _converted(first, str)
            if name in ("int", "float") and len(values) == 1:
                if first is None:
                    first = self._default(node.args[0], depth)
                return _converted(first, int if name == "int" else float)
            if name == "timedelta":
                return self._timedelta(node)
            return None
        return _method(self(owner, depth), name, values)

    def _default(self, node: Node, depth: int) -> Constant | None:
        """Return what a lookup of an application's own setting yields if nobody has set it; None if that is unknown.

        A text is only the caller's to use where it stands for a number: paths and addresses are set by whoever deploys.
        """
        if depth > _MAX_DEPTH or looked_up(node) is None:
            return None
        value = self(node.args[-1], depth + 1)
        return value if isinstance(value, (bool, int, float, str, Time)) else None

    @staticmethod
    def _time(node: Node, name: str, values: list[Constant | None]) -> Time | None:
        first = values[0] if values else None
        if not isinstance(first, (int, float)) or isinstance(first, bool):
            return None
        word = (name[2:] if name.startswith("of") else name).lower()
        if word in UNITS and len(values) == 1:
            return Time(first * UNITS[word])
        second = values[1] if len(values) > 1 else None
        if name in ("of", "apply", "Duration", "FiniteDuration", "fromNanos"):
            if isinstance(second, Unit):
                return Time(first * second.ms)
            if isinstance(second, str) and second.lower() in UNITS:
                return Time(first * UNITS[second.lower()])
        return None

    def _timedelta(self, node: Node) -> Time | None:
        total = 0.0
        for name, argument in zip(node.names, node.args, strict=False):
            value = self(argument)
            if name not in UNITS or not isinstance(value, (int, float)) or isinstance(value, bool):
                return None
            total += value * UNITS[name]
        return Time(total)


def looked_up(node: Node) -> Node | None:
    """Return the name that a call looks up, with a default, in an application's own settings; None for other nodes."""
    if node.kind != "call" or node.name not in _WITH_DEFAULT:
        return None
    if node.name in ("getOrElse", "orElse") and len(node.args) == 1:  # of an Option of what was looked up
        inner = node.target
        if inner is None:
            return node
        return inner.args[0] if inner.kind == "call" and inner.args else inner
    if len(node.args) != 2 or node.args[0].kind == "number" or node.args[1].kind == "function":
        return None
    return node.args[0]


def _in_range(value: Constant | None) -> Constant | None:
    """Return the constant, or None for a number or time that is out of range for all settings."""
    size = value.ms if isinstance(value, Time) else value
    if isinstance(size, (int, float)) and not isinstance(size, Memory) and not abs(size) <= _MAX_NUMBER:
        return None
    return value


def _method(target: Constant | None, name: str, values: list[Constant | None]) -> Constant | None:
    """Return the result of calling a method on a constant."""
    first = values[0] if values else None
    number = first if isinstance(first, (int, float)) and not isinstance(first, bool) else None
    if isinstance(target, Unit) and number is not None:
        return _in_unit(number * target.ms, name)
    if isinstance(target, OptionKey):
        return target.key if name == "key" and not values else target  # .stringType().noDefaultValue()
    if isinstance(target, Time):
        return _of_time(target, name, first)
    if isinstance(target, Symbol) and not values:
        return target.name if name in ("name", "toString") else target if name == "key" else None
    if isinstance(target, (int, float)) and not isinstance(target, bool) and not values:
        if name in ("toString", "toInt", "toLong", "toDouble", "longValue", "intValue"):
            return str(target) if name == "toString" else target
        return Time(target * UNITS[name.lower()]) if name.lower() in UNITS else None
    return target if isinstance(target, str) and name == "toString" else None


def _of_time(target: Time, name: str, first: Constant | None) -> Constant | None:
    if first is None:
        if name in ("toMillis", "toMilliseconds", "getMillis", "inWholeMilliseconds"):
            return _whole(target.ms)
        if name in ("toSeconds", "getSeconds", "inWholeSeconds"):
            return int(target.ms // 1_000)
        if name == "toMinutes":
            return int(target.ms // 60_000)
        return target if name in ("toScala", "toJava", "asJava", "toJavaDuration") else None
    if name in ("plus", "minus") and isinstance(first, Time):
        return Time(target.ms + (first.ms if name == "plus" else -first.ms))
    if name == "multipliedBy" and isinstance(first, int):
        return Time(target.ms * first)
    return None


def _converted(value: Constant | None, kind: type) -> Constant | None:
    if isinstance(value, Symbol):
        return value.name if kind is str else None
    if not isinstance(value, (bool, int, float, str)):
        return None
    if kind is str:
        return text_of(value)
    if kind is bool:
        return value if isinstance(value, bool) else value == "true" if isinstance(value, str) else None
    try:
        made: Constant = kind(value)
    except (ValueError, OverflowError):
        return None
    return made


def _operate(operator: str, left: Constant | None, right: Constant | None) -> Constant | None:
    if operator in _LOGIC and isinstance(left, bool) and isinstance(right, bool):
        return _LOGIC[operator]((left, right))
    if operator == "+" and (isinstance(left, str) or isinstance(right, str)):
        one, other = text_of(left), text_of(right)
        return None if one is None or other is None else one + other
    numbers = [
        value.ms if isinstance(value, Time) else value
        for value in (left, right)
        if isinstance(value, (int, float, Time)) and not isinstance(value, bool)
    ]
    if len(numbers) != 2:
        if operator in UNITS_AS_OPERATOR and isinstance(left, (int, float)):
            return Time(left * UNITS[operator])
        return None
    one_number, other_number = numbers
    made: float
    if operator == "+":
        made = one_number + other_number
    elif operator == "-":
        made = one_number - other_number
    elif operator == "*":
        if abs(one_number) > 1e18 or abs(other_number) > 1e18:
            return None
        made = one_number * other_number
    elif operator == "/" and other_number:
        both_whole = isinstance(one_number, int) and isinstance(other_number, int)
        made = int(one_number / other_number) if both_whole else one_number / other_number
    elif operator == "<<" and isinstance(one_number, int) and isinstance(other_number, int):
        if not 0 <= other_number < 63:
            return None
        made = one_number << other_number
    else:
        return None
    return Time(made) if isinstance(left, Time) or isinstance(right, Time) else made


UNITS_AS_OPERATOR = frozenset(UNITS)
"""The names of time units that are parsed as postfix operators in Scala expressions such as ``10 seconds``."""


def _in_unit(ms: float, name: str) -> Constant | None:
    """Return the result of a time unit's method, such as ``TimeUnit.MINUTES.toMillis(5)``."""
    if name == "toMillis":
        return _whole(ms)
    if name == "toSeconds":
        return int(ms // 1_000)
    return Time(ms) if name == "toDuration" else None


def _whole(ms: float) -> int | float:
    return int(ms) if ms == int(ms) else ms


def text_of(value: Constant | None) -> str | None:
    """Convert a boolean, number, or string to the string that Java makes of it; return None for any other value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None


def milliseconds(value: Constant | None, unit: Constant | None = None) -> int | None:
    """Convert a duration, or a number of units (default: milliseconds), to whole milliseconds; None if impossible."""
    if isinstance(value, Time):
        return round(value.ms)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(value * unit.ms) if isinstance(unit, Unit) else round(value) if unit is None else None
    return None


def setting_text(value: Constant | None) -> str | None:
    """Convert a constant to a setting's text (durations in ms, sizes in bytes); return None if there is none."""
    if isinstance(value, Time):
        return f"{round(value.ms)} ms"
    if isinstance(value, Memory):
        return f"{value.size} b"
    return text_of(value)

"""The values of Go templates: their kinds, truthiness, and origins in files.

Python's types stand for Go's: `str` for string, `int` for int and int64, `float` for float64, `None` for nil. Helm
reads all numbers in YAML as float64. What a file declares has subtypes with the place of the value there.
"""

from __future__ import annotations

from collections.abc import Callable

from flink_flint.linter.formats.helm.rendering.limits import NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, unknown_part
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin


class MarkedFloat(float):
    """A float64 with its origin: the place in a file that determines its value."""

    __slots__ = ("origin",)
    origin: Origin | None

    def __new__(cls, value: float, origin: Origin | None = None) -> MarkedFloat:
        made = super().__new__(cls, value)
        made.origin = origin
        return made


class MarkedInt(int):
    """An int or int64 with its origin: the place in a file that determines its value."""

    origin: Origin | None

    def __new__(cls, value: int, origin: Origin | None = None) -> MarkedInt:
        made = super().__new__(cls, value)
        made.origin = origin
        return made


class MarkedBool:
    """A bool with its origin: the place in a file that determines its value."""

    __slots__ = ("origin", "value")

    def __init__(self, value: bool, origin: Origin | None) -> None:
        self.value, self.origin = value, origin

    def __bool__(self) -> bool:
        return self.value

    def __eq__(self, other: object) -> bool:
        return is_bool(other) and self.value == bool(other)

    def __hash__(self) -> int:
        return hash(self.value)


class Map(dict[str, object]):
    """A map with string keys and its origin in a file; the keys may have origins of their own."""

    __slots__ = ("origin",)
    origin: Origin | None

    def __init__(self, *content: object, origin: Origin | None = None) -> None:
        super().__init__(*content)
        self.origin = origin

    def put(self, key: str, value: object) -> None:
        """Set an entry, replacing an existing key so that the key has the origin of the new value."""
        self.pop(key, None)
        self[key] = value


class List(list[object]):
    """A list with its origin in a file."""

    __slots__ = ("origin",)
    origin: Origin | None

    def __init__(self, *content: object, origin: Origin | None = None) -> None:
        super().__init__(*content)
        self.origin = origin


class Unknown(NamedTuple):
    """A value that cannot be known: the reason, the template expression, and the expression's origin."""

    reason: str
    expression: str
    origin: Origin | None

    @property
    def text(self) -> MarkedText:
        """The template tag that represents the unknown value in rendered text."""
        return MarkedText((Fragment(tag(self.expression), self.origin),), self.reason)


class Unset(Unknown):
    """An unknown value of something that the known values do not set: conditions take it as absent."""


class OpenMap(Map):
    """An incomplete map: what is missing from it is unknown, since something outside of the repository may set it."""

    __slots__ = ("is_optional", "keys_are_known", "reason")
    reason: str
    """Why the missing entries are unknown."""
    keys_are_known: bool
    """Whether there are no other keys as far as functions ask for them, such as `hasKey`."""
    is_optional: bool
    """Whether conditions take what is missing as absent: it is unknown only where it is written or read further."""

    def __init__(
        self,
        *content: object,
        reason: str = "something outside of the repository sets it",
        keys_are_known: bool = False,
        is_optional: bool = False,
        origin: Origin | None = None,
    ) -> None:
        super().__init__(*content, origin=origin)
        self.reason, self.keys_are_known, self.is_optional = reason, keys_are_known, is_optional

    def get(self, key: str, default: object = None) -> object:
        """Return the value of a key, or an unknown value if the map does not contain it."""
        return self[key] if key in self else self.missing(key)

    def missing(self, key: str) -> Unknown:
        """Return the value of a key that the map does not contain."""
        return (Unset if self.is_optional else Unknown)(self.reason, str(key), None)


def opened(value: object, like: OpenMap, spend: Callable[[int], None]) -> object:
    """Return a deep copy of values in which all maps are open; `spend` is called with the number of copied members.

    `like` is an empty map that is open in the same way. Where something absent is to be set, a null says no more.
    """
    if isinstance(value, Map):
        spend(1 + len(value))
        members = [
            (key, opened(one, like, spend)) for key, one in value.items() if one is not None or not like.is_optional
        ]
        return OpenMap(
            members, reason=like.reason, keys_are_known=like.keys_are_known, is_optional=like.is_optional,
            origin=value.origin,
        )  # fmt: skip
    if isinstance(value, list):
        spend(1 + len(value))
        return List((opened(one, like, spend) for one in value), origin=origin_of(value))
    return value


Method = Callable[..., object]


class Struct:
    """A Go struct: its fields and methods by name."""

    def __init__(self, name: str, fields: dict[str, object], methods: dict[str, Method] | None = None) -> None:
        self.name, self.fields, self.methods = name, fields, methods or {}

    def shown(self) -> str:
        """Return the struct as Go prints it: the result of its `String` method, otherwise its type name."""
        method = self.methods.get("String")
        return str(method()) if method is not None else f"<{self.name}>"


_MAX_EXPRESSION = 200


def tag(expression: str) -> str:
    """Return a template tag with an expression, which is joined to one line and truncated."""
    shown = " ".join(expression.replace("}}", "").replace("{{", "").split())
    return "{{ " + (shown if len(shown) <= _MAX_EXPRESSION else shown[:_MAX_EXPRESSION] + "…") + " }}"


def is_bool(value: object) -> bool:
    """Return whether a value is a Go bool."""
    return isinstance(value, bool | MarkedBool)


def is_int(value: object) -> bool:
    """Return whether a value is a Go integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_list(value: object) -> bool:
    """Return whether a value is a Go slice."""
    return isinstance(value, list)


def is_map(value: object) -> bool:
    """Return whether a value is a Go map."""
    return isinstance(value, dict)


def kind(value: object) -> str:
    """Return the name of a value's reflect.Kind."""
    if value is None:
        return "invalid"
    if isinstance(value, str):
        return "string"
    if is_bool(value):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float64"
    if isinstance(value, list):
        return "slice"
    return "map" if isinstance(value, dict) else "struct"


_TYPES = {"map": "map[string]interface {}", "slice": "[]interface {}", "invalid": "<nil>"}


def type_name(value: object) -> str:
    """Return the name of a value's type as Go prints it."""
    return value.name if isinstance(value, Struct) else _TYPES.get(kind(value), kind(value))


def is_empty(value: object) -> bool:
    """Return whether Sprig considers a value empty: nil, zero, false, or a string, list, or map of length zero."""
    if value is None:
        return True
    if isinstance(value, Struct):
        return False
    if isinstance(value, str | list | dict):
        return len(value) == 0
    return not value


def truth(value: object) -> bool:
    """Return whether Go's `if` considers a value true."""
    return not is_empty(value)


def why_unknown(value: object) -> str:
    """Return why a value, or part of a text, is unknown; an empty string if all of it is known."""
    if isinstance(value, Unknown):
        return value.reason
    return unknown_part(value) if isinstance(value, str) else ""


def origin_of(value: object) -> Origin | None:
    """Return the origin of a value; None if it has none."""
    if isinstance(value, MarkedText):
        return value.origin()
    if isinstance(value, MarkedFloat | MarkedInt | MarkedBool | Map | List | Unknown):
        return value.origin
    return None


def with_origin(value: object, origin: Origin | None) -> object:
    """Return a scalar with the given origin, unless it already has one."""
    if origin is None or value is None or origin_of(value) is not None:
        return value
    if isinstance(value, str) and value:
        return MarkedText((Fragment(str(value), origin),), unknown_part(value))
    if isinstance(value, bool):
        return MarkedBool(value, origin)
    if isinstance(value, float):
        return MarkedFloat(value, origin)
    return MarkedInt(value, origin) if isinstance(value, int) else value


def text_argument(value: object) -> str:
    """Return an argument that Go declares as a string; raise `NotRendered` for other types, as Go does."""
    if isinstance(value, str):
        return value
    if isinstance(value, Unknown):
        return value.text
    raise NotRendered(f"wrong type for value; expected string; got {type_name(value)}")


def map_argument(value: object) -> Map:
    """Return an argument that Go declares as a map; raise `NotRendered` for other types, as Go does."""
    if isinstance(value, Map):
        return value
    if value is None:
        return Map()
    raise NotRendered(f"wrong type for value; expected map[string]interface {{}}; got {type_name(value)}")


def list_argument(value: object) -> list[object]:
    """Return an argument that Sprig requires to be a list; raise `NotRendered` for other types, as Sprig does."""
    if isinstance(value, list):
        return value
    raise NotRendered(f"wrong type for value; expected a list; got {type_name(value)}")


def int_argument(value: object) -> int:
    """Return an argument that Go declares as an int; raise `NotRendered` for other types, as Go does."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise NotRendered(f"wrong type for value; expected int; got {type_name(value)}")


def copied(value: object, spend: Callable[[int], None], depth: int = 0) -> object:
    """Return a deep copy of a map or list; `spend` is called with the number of copied members."""
    if depth > 100:
        raise NotRendered("values are nested too deeply")
    if isinstance(value, Map):
        spend(1 + len(value))
        return Map(((key, copied(one, spend, depth + 1)) for key, one in value.items()), origin=value.origin)
    if isinstance(value, list):
        spend(1 + len(value))
        return List((copied(one, spend, depth + 1) for one in value), origin=origin_of(value))
    return value


def is_equal(one: object, other: object, spend: Callable[[int], None], depth: int = 0) -> bool:
    """Return whether Go's reflect.DeepEqual considers two values equal; `spend` counts the members."""
    spend(1)
    if kind(one) != kind(other) or depth > 100:
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key], spend, depth + 1) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(is_equal(a, b, spend, depth + 1) for a, b in zip(one, other, strict=True))
    return one == other

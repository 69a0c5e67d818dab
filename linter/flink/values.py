"""Parses typed values, accepting and rejecting exactly what each Flink release accepts and rejects.

The grammars are those of Flink's own MemorySize, TimeUtils and ConfigurationUtils and of Java's number parsers; an
error has the message of Flink's root cause.
"""

from __future__ import annotations

import re

from flink_flint.linter.flink.java_text import JAVA_BLANKS, BadValue
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.text.lazy_regex import regex

MAX_LONG = 2**63 - 1
MAX_INT = 2**31 - 1
"""The largest value of a Java int; `MAX_LONG` is that of a Java long."""

# The first minor releases with a behavior.
_MANY_TIME_UNITS = MINORS.index("1.10")
_MINUTES_AS_M = MINORS.index("1.15")
_MAP_ITEM_MESSAGE = MINORS.index("1.17")
_BIG_DURATIONS = MINORS.index("2.0")
_YAML_IN_LIST_ITEMS = MINORS.index("2.0")
_ISO_DURATIONS = MINORS.index("2.1")

_CHANGES = {
    "Duration": (_MANY_TIME_UNITS, _MINUTES_AS_M, _BIG_DURATIONS, _ISO_DURATIONS),
    "List": (_YAML_IN_LIST_ITEMS,),
    "Map": (_MAP_ITEM_MESSAGE,),
}
"""Where the grammar of each type changes, even if only in the wording of errors."""


class MemorySize(int):
    """An amount of memory in bytes."""

    __slots__ = ()

    def __str__(self) -> str:
        value = int(self)
        for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if value >= size:
                if value % size == 0:
                    return f"{value // size} {unit}"
                if value >= 100_000 * (value & -value):  # no binary unit divides it to a readable number
                    return f"{value / size:.1f} {unit} ({value} bytes)"
        return f"{value} bytes"

    def __repr__(self) -> str:
        return f"MemorySize({int(self)})"


class Duration(int):
    """A length of time in nanoseconds."""

    __slots__ = ()

    @property
    def seconds(self) -> float:
        return int(self) / 1e9

    @property
    def milliseconds(self) -> float:
        return int(self) / 1e6

    def __str__(self) -> str:
        value = int(self)
        if value:
            for label, nanoseconds in _UNIT_LABELS:
                if value % nanoseconds == 0:
                    return f"{value // nanoseconds} {label}"
        return "0 ms"

    def __repr__(self) -> str:
        return f"Duration({int(self)})"


NANOSECOND = Duration(1)
MICROSECOND = Duration(1_000)
MILLISECOND = Duration(1_000_000)
SECOND = Duration(1_000_000_000)
MINUTE = Duration(60 * SECOND)
HOUR = Duration(60 * MINUTE)
DAY = Duration(24 * HOUR)

_UNIT_LABELS = (
    *(("d", int(DAY)), ("h", int(HOUR)), ("min", int(MINUTE)), ("s", int(SECOND))),
    *(("ms", int(MILLISECOND)), ("µs", int(MICROSECOND)), ("ns", 1)),
)

_TIME_UNITS: dict[str, tuple[str, Duration]] = {
    label: (name, size)
    for name, size, labels in (
        ("DAYS", DAY, "d day days"),
        ("HOURS", HOUR, "h hour hours"),
        ("MINUTES", MINUTE, "min m minute minutes"),
        ("SECONDS", SECOND, "s sec secs second seconds"),
        ("MILLISECONDS", MILLISECOND, "ms milli millis millisecond milliseconds"),
        ("MICROSECONDS", MICROSECOND, "µs micro micros microsecond microseconds"),
        ("NANOSECONDS", NANOSECOND, "ns nano nanos nanosecond nanoseconds"),
    )
    for label in labels.split()
}
MEMORY_UNITS = {
    label: size
    for size, labels in (
        (1, "b bytes"),
        (2**10, "k kb kibibytes"),
        (2**20, "m mb mebibytes"),
        (2**30, "g gb gibibytes"),
        (2**40, "t tb tebibytes"),
    )
    for label in labels.split()
}
"""The number of bytes in each memory unit, by the unit's lowercase labels."""
_KNOWN_MEMORY_UNITS = (
    "(b | bytes) / (k | kb | kibibytes) / (m | mb | mebibytes) / (g | gb | gibibytes) / (t | tb | tebibytes)"
)

_DIGITS = "0123456789"
_INTEGER = regex(r"[-+]?\d+")
_ISO_DURATION = regex(
    r"([-+]?)P(?:([-+]?[0-9]+)D)?"
    r"(T(?:([-+]?[0-9]+)H)?(?:([-+]?[0-9]+)M)?(?:([-+]?[0-9]+)(?:[.,]([0-9]{0,9}))?S)?)?",
    re.IGNORECASE,
)


def parse_memory(text: str) -> MemorySize:
    """Parse a memory size as MemorySize.parse does: an integer and a binary unit (bytes if there is none).

    The grammar is the same in every release. Raises BadValue.
    """
    trimmed = text.strip(JAVA_BLANKS)
    if not trimmed:
        raise BadValue("argument is an empty- or whitespace-only string")
    rest = trimmed.lstrip(_DIGITS)
    number = trimmed.removesuffix(rest)
    if not number:
        raise BadValue("text does not start with a number")
    value = number_of(number)
    if value > MAX_LONG:
        raise BadValue(f"The value '{number}' cannot be re represented as 64bit number (numeric overflow).")
    unit = rest.strip(JAVA_BLANKS).lower()
    if unit and unit not in MEMORY_UNITS:
        raise BadValue(f"Memory size unit '{unit}' does not match any of the recognized units: {_KNOWN_MEMORY_UNITS}")
    size = value * (MEMORY_UNITS[unit] if unit else 1)
    if size > MAX_LONG:
        raise BadValue(f"The value '{text}' cannot be re represented as 64bit number of bytes (numeric overflow).")
    return MemorySize(size)


def parse_duration(text: str, index: int) -> Duration:
    """Parse a duration as TimeUtils.parseDuration does: an integer and a unit (milliseconds if there is none).

    `index` is the index of the minor release in releases.MINORS: 1.9 has four units, ``m`` for minutes was added in
    1.15, ISO-8601 in 2.1. Raises BadValue.
    """
    trimmed = text.strip(JAVA_BLANKS)
    if not trimmed:
        raise BadValue("argument is an empty- or whitespace-only string")
    rest = trimmed.lstrip(_DIGITS)
    number = trimmed.removesuffix(rest)
    if not number:
        if index < _ISO_DURATIONS:
            raise BadValue("text does not start with a number")
        return _parse_iso_duration(trimmed)
    value = number_of(number)
    if index < _BIG_DURATIONS and value > MAX_LONG:
        raise BadValue(f"The value '{number}' cannot be re represented as 64bit number (numeric overflow).")
    label = rest.strip(JAVA_BLANKS).lower()
    size = _time_unit(label, index) if label else MILLISECOND
    if value * size // SECOND > MAX_LONG:
        if index < _BIG_DURATIONS:
            raise BadValue("long overflow")
        raise BadValue("BigInteger out of long range")
    return Duration(value * size)


def number_of(digits: str) -> int:
    """Return the integer that decimal digits spell; 10**4000 for 4,000 or more significant digits."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) < 4000 else 10**4000


def _time_unit(label: str, index: int) -> Duration:
    if index < _MANY_TIME_UNITS:
        if label not in ("ms", "s", "min", "h"):
            raise BadValue(f"Time interval unit '{label}' does not match any of the recognized units: ms | s | min | h")
    elif label not in _TIME_UNITS or (label == "m" and index < _MINUTES_AS_M):
        raise BadValue(
            f"Time interval unit label '{label}' does not match any of the recognized units: {_known_time_units(index)}"
        )
    return _TIME_UNITS[label][1]


def time_units(index: int) -> dict[str, Duration]:
    """Return the durations of the time units that a minor release accepts, by lower-case label."""
    known: dict[str, Duration] = {}
    for label in _TIME_UNITS:
        try:
            known[label] = _time_unit(label, index)
        except BadValue:
            continue  # of a later release
    return known


def _known_time_units(index: int) -> str:
    groups: dict[str, list[str]] = {}
    for label, (name, _) in _TIME_UNITS.items():
        if label != "m" or index >= _MINUTES_AS_M:
            groups.setdefault(name, []).append(label)
    return ", ".join(f"{name}: ({' | '.join(labels)})" for name, labels in groups.items())


def _parse_iso_duration(text: str) -> Duration:
    match = _ISO_DURATION.fullmatch(text)
    problem = f"text does not start with a number, and is not a valid ISO-8601 duration format: {text}"
    if not match:
        raise BadValue(problem)
    sign, days, time, hours, minutes, seconds, fraction = match.groups()
    if not (days or hours or minutes or seconds) or (time and len(time) == 1):
        raise BadValue(problem)
    whole = [_signed(part) for part in (days, hours, minutes, seconds)]
    total = whole[0] * 86400 + whole[1] * 3600 + whole[2] * 60 + whole[3]
    if any(abs(part) > MAX_LONG for part in (*whole, total)):
        raise BadValue(problem)
    nanoseconds = int((fraction or "").ljust(9, "0"))
    if seconds is not None and seconds.startswith("-"):
        nanoseconds = -nanoseconds
    value = total * int(SECOND) + nanoseconds
    if sign == "-":
        value = -value
    if value < 0:
        raise BadValue("negative duration is not supported")
    return Duration(value)


def _signed(digits: str | None) -> int:
    if not digits:
        return 0
    return -number_of(digits[1:]) if digits.startswith("-") else number_of(digits.lstrip("+"))


# Numbers and booleans


def _java_text(raw: object) -> str:
    """Return what Java's toString returns for a value of the file."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, float):
        from flink_flint.linter.flink.yaml.yaml_core_schema import double_text

        return double_text(raw)
    if isinstance(raw, dict) and type(raw) is not dict:  # a !!set, which Java shows like a list
        from flink_flint.linter.flink.yaml.yaml_core_schema import made_of

        return f"[{', '.join(_java_text(made_of(item)) for item in raw)}]"
    return text_of(raw)


def _parse_integer(raw: object, largest: int, name: str) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool) and abs(raw) <= MAX_LONG:
        if -largest - 1 <= raw <= largest:
            return raw
        raise BadValue(f"Configuration value {raw} overflows/underflows the {name} type.")
    text = _java_text(raw)
    if not _INTEGER.fullmatch(text) or any(char > "\uffff" for char in text) or len(text) > 4000:
        raise BadValue(f'For input string: "{text}"')
    value = int(text)
    if not -largest - 1 <= value <= largest:
        raise BadValue(f'For input string: "{text}"')
    return value


def float32(value: float) -> float:
    """Return `value` rounded to a 32-bit float, as Java's (float) cast does; infinity on overflow."""
    import struct

    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _parse_float(raw: object) -> float:
    if isinstance(raw, float):
        # NaN and infinities fail these comparisons in Java too
        if raw == 0.0 or 1.401298464324817e-45 <= abs(raw) <= 3.4028234663852886e38:
            return float32(raw)
        raise BadValue(f"Configuration value {_java_text(raw)} overflows/underflows the float type.")
    return float32(_parse_double(raw))


def _parse_double(raw: object) -> float:
    if isinstance(raw, float):
        return raw
    text = _java_text(raw)
    from flink_flint.linter.flink.yaml.yaml_core_schema import java_double

    try:
        return java_double(text)
    except ValueError:
        trimmed = text.strip(JAVA_BLANKS)
        raise BadValue(f'For input string: "{trimmed}"' if trimmed else "empty String") from None


def _parse_boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    text = _java_text(raw)
    upper = text.upper()
    if upper in ("TRUE", "FALSE"):
        return upper == "TRUE"
    raise BadValue(f"Unrecognized option for boolean: {text}. Expected either true or false(case insensitive)")


def _parse_enum(raw: object, enum: tuple[str, ...]) -> str:
    text = _java_text(raw)
    if not enum:
        return text
    name = text.upper()
    for constant in enum:
        if constant.upper() == name:
            return constant
    raise BadValue(f"Could not parse value for enum. Expected one of: [[{', '.join(enum)}]]")


# Lists and maps


def _parse_map(raw: object, index: int, *, yaml: bool) -> dict[str, str]:
    if isinstance(raw, dict) and type(raw) is dict:
        return _string_map(raw)
    text = _java_text(raw)
    if yaml:
        try:
            loaded = _load_yaml(text)
            if isinstance(loaded, dict):
                return _string_map(loaded)
        except BadValue:
            pass  # Flink then tries the old syntax
    from flink_flint.linter.flink.structured_options import split_escaped

    result: dict[str, str] = {}
    for item in split_escaped(text, ","):
        pair = split_escaped(item, ":")
        if len(pair) != 2:
            if index < _MAP_ITEM_MESSAGE:
                raise BadValue(f"Could not parse pair in the map [{', '.join(pair)}]")
            raise BadValue("Map item is not a key-value pair (missing ':'?)")
        _put(result, *pair)
    return result


def _put(result: dict[str, str], key: str, value: str) -> None:
    """Add an entry of a map; raise BadValue for a duplicate key, as Java's Collectors.toMap does.

    The message is that of Java 9 and later; Java 8 names the first value instead of the key.
    """
    if key in result:
        raise BadValue(f"Duplicate key {key} (attempted merging values {result[key]} and {value})")
    result[key] = value


def _string_map(values: dict[object, object]) -> dict[str, str]:
    result: dict[str, str] = {}
    from flink_flint.linter.flink.yaml.yaml_core_schema import made_of

    for raw_key, value in values.items():
        key = made_of(raw_key)
        if key is None or value is None:
            raise BadValue("a null in a map")
        _put(result, text_of(key), text_of(value))
    return result


def _load_yaml(text: str) -> object:
    """Return the list or map that a YAML text contains; None if it is neither; raise BadValue if it is invalid."""
    if not text or text.isalnum():
        return None  # a single word or number is neither a list nor a map
    from flink_flint.linter.flink.yaml.yaml_constructor import load
    from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
    from flink_flint.linter.flink.yaml.yaml_nodes import YamlSet

    try:
        value = load(text)
    except YamlError as error:
        raise BadValue(error.problem) from None
    return value if isinstance(value, (list, dict)) and not isinstance(value, YamlSet) else None


def _parse_list(element: str, enum: tuple[str, ...], raw: object, index: int, *, yaml: bool) -> list[object]:
    text = _java_text(raw)
    if yaml:
        try:
            loaded = _load_yaml(text)
            if isinstance(loaded, list):
                return [_parse_item(element, enum, item, index) for item in loaded]
        except BadValue:
            pass  # Flink then tries the old syntax
    from flink_flint.linter.flink.structured_options import split_escaped

    items_yaml = yaml and index >= _YAML_IN_LIST_ITEMS
    return [parse(element, enum, part, index, yaml=items_yaml) for part in split_escaped(text, ";")]


def _parse_item(element: str, enum: tuple[str, ...], item: object, index: int) -> object:
    if item is None:
        raise BadValue("a null in a list")
    if element == "Map" and not isinstance(item, dict):
        raise BadValue("an item of the list is not a map")
    return parse(element, enum, item, index, yaml=True)


def parse(option_type: str, enum: tuple[str, ...], raw: object, index: int, *, yaml: bool) -> object:
    """Convert `raw` as Flink's Configuration.get does for an option of a type; raise BadValue if Flink rejects it.

    `option_type` is a type name of the option catalogue; `raw` is the value from the file's parser (a str from
    `flink-conf.yaml` and from the command line); `index` is the index of the minor release in releases.MINORS; `yaml`
    means that the release reads the value in standard YAML mode (its file is `config.yaml`), where lists and maps
    inside strings are read as YAML first. Memory is in bytes, durations are in nanoseconds.
    """
    if option_type == "String":
        return text_of(raw)
    if option_type == "Boolean":
        return _parse_boolean(raw)
    if option_type == "Integer":
        return _parse_integer(raw, MAX_INT, "integer")
    if option_type == "Long":
        return _parse_integer(raw, MAX_LONG, "long")
    if option_type == "Duration":
        return parse_duration(_java_text(raw), index)
    if option_type == "MemorySize":
        return parse_memory(_java_text(raw))
    if option_type == "Enum":
        return _parse_enum(raw, enum)
    if option_type == "Float":
        return _parse_float(raw)
    if option_type == "Double":
        return _parse_double(raw)
    if option_type == "Map":
        return _parse_map(raw, index, yaml=yaml)
    if option_type.startswith("List<"):
        return _parse_list(option_type[5:-1], enum, raw, index, yaml=yaml)
    return text_of(raw)


def grammar_range(option_type: str, index: int) -> tuple[int, int]:
    """Return the first and last of the minor releases around `index` that parse a type with the same grammar."""
    outer, _, element = option_type.rstrip(">").partition("<")
    changes = (0, *_CHANGES.get(outer, ()), *_CHANGES.get(element, ()), NEWEST + 1)
    return max(c for c in changes if c <= index), min(c for c in changes if c > index) - 1


def text_of(value: object) -> str:
    """Return a value as text, as Configuration.toMap() does: lists and maps become YAML in flow style."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (list, dict)):
        from flink_flint.linter.flink.yaml.yaml_writing import flow_text

        return flow_text(value)
    from flink_flint.linter.flink.yaml.yaml_core_schema import scalar_text

    text, _ = scalar_text(value)
    return f"!!binary |-\n  {text}" if isinstance(value, bytes) else text

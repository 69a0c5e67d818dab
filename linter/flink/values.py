"""Typed values, as each Flink release accepts or refuses them, to the letter.

The grammars are those of Flink's own MemorySize, TimeUtils, ConfigurationUtils and
StructuredOptionsSplitter and of Java's number parsers; a refusal carries the text of Flink's root cause.
"""

from __future__ import annotations

import re

JAVA_BLANKS = "".join(map(chr, range(33)))
"""What Java's String.trim takes off."""

_MAX_LONG = 2**63 - 1
_MAX_INT = 2**31 - 1

# Indices in releases.MINORS from which a behaviour holds.
_MANY_TIME_UNITS = 1  # 1.10
_MINUTES_AS_M = 5  # 1.14
_MAP_ITEM_MESSAGE = 8  # 1.17
_BIG_DURATIONS = 12  # 2.0
_YAML_IN_LIST_ITEMS = 12  # 2.0
_ISO_DURATIONS = 13  # 2.1


class BadValue(ValueError):  # noqa: N818 - it names the value, not the failure
    """Flink refuses the value; `message` is its root cause's text."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


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
_MEMORY_UNITS = {
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
_KNOWN_MEMORY_UNITS = (
    "(b | bytes) / (k | kb | kibibytes) / (m | mb | mebibytes) / (g | gb | gibibytes) / (t | tb | tebibytes)"
)

_QUANTITY = re.compile(r"([0-9]*)(.*)", re.DOTALL)
_INTEGER = re.compile(r"[-+]?\d+")
_ISO_DURATION = re.compile(
    r"([-+]?)P(?:([-+]?[0-9]+)D)?"
    r"(T(?:([-+]?[0-9]+)H)?(?:([-+]?[0-9]+)M)?(?:([-+]?[0-9]+)(?:[.,]([0-9]{0,9}))?S)?)?",
    re.IGNORECASE,
)


def parse_memory(text: str) -> MemorySize:
    """A size as MemorySize.parse reads it: a whole number and a binary unit, bytes without one.

    The same in every release. Raises BadValue.
    """
    trimmed = text.strip(JAVA_BLANKS)
    if not trimmed:
        raise BadValue("argument is an empty- or whitespace-only string")
    number, rest = _QUANTITY.fullmatch(trimmed).groups()  # type: ignore[union-attr]
    if not number:
        raise BadValue("text does not start with a number")
    value = _int_of(number)
    if value > _MAX_LONG:
        raise BadValue(f"The value '{number}' cannot be re represented as 64bit number (numeric overflow).")
    unit = rest.strip(JAVA_BLANKS).lower()
    if unit and unit not in _MEMORY_UNITS:
        raise BadValue(f"Memory size unit '{unit}' does not match any of the recognized units: {_KNOWN_MEMORY_UNITS}")
    size = value * (_MEMORY_UNITS[unit] if unit else 1)
    if size > _MAX_LONG:
        raise BadValue(f"The value '{text}' cannot be re represented as 64bit number of bytes (numeric overflow).")
    return MemorySize(size)


def parse_duration(text: str, index: int) -> Duration:
    """A duration as TimeUtils.parseDuration reads it: a whole number and a unit, ms without one.

    `index` is the minor's index in releases.MINORS: 1.9 knows four units, ``m`` for minutes
    came with 1.14, ISO-8601 with 2.1.
    Raises BadValue.
    """
    trimmed = text.strip(JAVA_BLANKS)
    if not trimmed:
        raise BadValue("argument is an empty- or whitespace-only string")
    number, rest = _QUANTITY.fullmatch(trimmed).groups()  # type: ignore[union-attr]
    if not number:
        if index < _ISO_DURATIONS:
            raise BadValue("text does not start with a number")
        return _parse_iso_duration(trimmed)
    value = _int_of(number)
    if index < _BIG_DURATIONS and value > _MAX_LONG:
        raise BadValue(f"The value '{number}' cannot be re represented as 64bit number (numeric overflow).")
    label = rest.strip(JAVA_BLANKS).lower()
    size = _time_unit(label, index) if label else MILLISECOND
    if value * size // SECOND > _MAX_LONG:
        if index < _BIG_DURATIONS:
            raise BadValue("long overflow")
        raise BadValue("BigInteger out of long range")
    return Duration(value * size)


def _int_of(digits: str) -> int:
    """A number that may have more digits than Python converts at once; beyond any range it is just big."""
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
    if any(abs(part) > _MAX_LONG for part in (*whole, total)):
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
    return -_int_of(digits[1:]) if digits.startswith("-") else _int_of(digits.lstrip("+"))


# Sizes of the RPC frame: Typesafe Config ("HOCON"), not MemorySize

_HOCON_MIN_FRAME = 32_000
_HOCON_DECIMAL = ("kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta")
_HOCON_BINARY = ("kibi", "mebi", "gibi", "tebi", "pebi", "exbi", "zebi", "yobi")
_BYTES = ("byte", "bytes")


def _hocon_units() -> dict[str, int]:
    units = dict.fromkeys(("", "b", "B", *_BYTES), 1)
    for power, (decimal, binary) in enumerate(zip(_HOCON_DECIMAL, _HOCON_BINARY, strict=True), 1):
        small, big = decimal[0], decimal[0].upper()
        for unit in ("kB" if power == 1 else f"{big}B", *(decimal + end for end in _BYTES)):
            units[unit] = 1000**power
        for unit in (small, big, f"{big}i", f"{big}iB", *(binary + end for end in _BYTES)):
            units[unit] = 1024**power
    return units


def parse_hocon_bytes(text: str) -> MemorySize:
    """The frame size (``pekko.framesize``, ``akka.framesize``), whose grammar is Typesafe Config's.

    ``10m``, ``10M``, ``10MiB`` and ``10485760b`` are binary, ``10MB`` and ``10kB`` decimal, ``10mb`` no unit
    at all. From 32 000 to 2 147 483 647 bytes; raises BadValue for everything else.
    """
    trimmed = text.strip()
    if len(trimmed) > 1 and trimmed[0] == trimmed[-1] == '"':  # a quoted string is the same to that parser
        trimmed = trimmed[1:-1].strip()
    end = len(trimmed)
    while end and trimmed[end - 1].isalpha():
        end -= 1
    number, unit = trimmed[:end].strip(), trimmed[end:]
    if not number:
        raise BadValue(f"No number in size-in-bytes value '{text}'")
    units = _hocon_units()
    if unit not in units:
        raise BadValue(f"Could not parse size-in-bytes unit '{unit}' (try k, K, kB, KiB, kilobytes, kibibytes)")
    if re.fullmatch("[0-9]+", number):
        size = _int_of(number) * units[unit]
    elif re.fullmatch(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?", number):
        from fractions import Fraction

        size = int(Fraction(number) * units[unit])
    else:
        raise BadValue(f"Could not parse size-in-bytes number '{number}'")
    if size > _MAX_LONG:
        raise BadValue(f"size-in-bytes value is out of range for a 64-bit long: '{text}'")
    if size > _MAX_INT:
        raise BadValue(f"{size} bytes do not fit the 32-bit frame size, at most {_MAX_INT} bytes")
    if size < _HOCON_MIN_FRAME:
        raise BadValue(f"must be at least {_HOCON_MIN_FRAME} bytes")
    return MemorySize(size)


# Numbers and booleans


def _java_text(raw: object) -> str:
    """What Java's toString gives of a value of the file."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, float):
        from linter.flink.core_schema import double_text

        return double_text(raw)
    if isinstance(raw, dict) and type(raw) is not dict:  # a !!set, which Java shows like a list
        from linter.flink.core_schema import made_of

        return f"[{', '.join(_java_text(made_of(item)) for item in raw)}]"
    return text_of(raw)


def _parse_integer(raw: object, largest: int, name: str) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool) and abs(raw) <= _MAX_LONG:
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
    """The nearest 32-bit float, as Java's (float) cast gives it; infinite where it overflows."""
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
    from linter.flink.core_schema import java_double

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
    wanted = text.upper()
    for constant in enum:
        if constant.upper() == wanted:
            return constant
    raise BadValue(f"Could not parse value for enum. Expected one of: [[{', '.join(enum)}]]")


# Lists and maps


def split_escaped(text: str, delimiter: str) -> list[str]:
    """The parts of a legacy list (``;``) or map (``,`` and ``:``), with Flink's quoting rules.

    Raises BadValue for quotes that are not closed or stand inside a part.
    """
    if "'" not in text and '"' not in text and len(delimiter) == 1:
        return _split_unquoted(text, delimiter)
    tokens: list[tuple[bool, str, int]] = []  # is it a delimiter, text, position
    at = 0
    while at < len(text):
        char = text[at]
        if char in "'\"":
            part, end = _quoted(text, at)
            tokens.append((False, part, at))
        elif char == delimiter:
            tokens.append((True, char, at))
            end = at + 1
        elif _is_java_space(char):
            end = at + 1
        else:
            end = text.find(delimiter, at)
            end = len(text) if end < 0 else end
            tokens.append((False, text[at:end].strip(JAVA_BLANKS), at))
        at = end
    parts: list[str] = []
    for number, (is_delimiter, part, _) in enumerate(tokens):
        follower = tokens[number + 1] if number + 1 < len(tokens) else None
        if is_delimiter:
            if follower is not None and follower[0]:
                parts.append("")
            continue
        if follower is not None and not follower[0]:
            # Java counts UTF-16 units
            position = len(text[: follower[2]].encode("utf-16-le", "surrogatepass")) // 2 - 1
            raise BadValue(f"Could not split string. Illegal quoting at position: {position}")
        parts.append(part)
    return parts


def _is_java_space(char: str) -> bool:
    """Java's Character.isWhitespace: like Python's, without the no-break spaces and NEL."""
    return char.isspace() and char not in "\xa0\u2007\u202f\x85"


def _split_unquoted(text: str, delimiter: str) -> list[str]:
    pieces = text.split(delimiter)
    parts: list[str] = []
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        start = 0
        while start < len(piece) and _is_java_space(piece[start]):
            start += 1
        if start < len(piece):
            parts.append(piece[start:].strip(JAVA_BLANKS))
        elif 0 < number < last:  # nothing between two delimiters is an empty part, at the ends it is none
            parts.append("")
    return parts


def _quoted(text: str, start: int) -> tuple[str, int]:
    quote = text[start]
    at = start + 1
    parts: list[str] = []
    while True:
        end = text.find(quote, at)
        if end < 0:
            raise BadValue("Could not split string. Quoting was not closed properly.")
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != quote:
            return "".join(parts), end + 1
        parts.append(quote)
        at = end + 2


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
    result: dict[str, str] = {}
    for item in split_escaped(text, ","):
        pair = split_escaped(item, ":")
        if len(pair) != 2:
            if index < _MAP_ITEM_MESSAGE:
                raise BadValue(f"Could not parse pair in the map [{', '.join(pair)}]")
            raise BadValue("Map item is not a key-value pair (missing ':'?)")
        result[pair[0]] = pair[1]
    return result


def _string_map(values: dict[object, object]) -> dict[str, str]:
    result: dict[str, str] = {}
    from linter.flink.core_schema import made_of

    for held, value in values.items():
        key = made_of(held)
        if key is None or value is None:
            raise BadValue("a null in a map")
        result[text_of(key)] = text_of(value)
    return result


def _load_yaml(text: str) -> object:
    """The list or map of a text in YAML; None if it is neither, BadValue where the library refuses it."""
    if not text or text.isalnum():
        return None  # a single word or number is neither a list nor a map
    from linter.flink.yaml_constructor import load
    from linter.flink.yaml_cursor import YamlError
    from linter.flink.yaml_nodes import YamlSet

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
    items_yaml = yaml and index >= _YAML_IN_LIST_ITEMS
    return [parse(element, enum, part, index, yaml=items_yaml) for part in split_escaped(text, ";")]


def _parse_item(element: str, enum: tuple[str, ...], item: object, index: int) -> object:
    if item is None:
        raise BadValue("a null in a list")
    if element == "Map" and not isinstance(item, dict):
        raise BadValue("an item of the list is not a map")
    return parse(element, enum, item, index, yaml=True)


def parse(option_type: str, enum: tuple[str, ...], raw: object, index: int, *, yaml: bool) -> object:
    """The value Flink's Configuration.get returns for an option of that type.

    `option_type` is a type name of the option catalogue; `raw` what the file's parser made (a str from
    `flink-conf.yaml` and from the command line); `index` the minor's place in releases.MINORS; `yaml`
    says that the release reads the value in standard YAML mode (its file is `config.yaml`), where lists
    and maps inside strings are YAML first. Memory in bytes, durations in nanoseconds. Raises BadValue.
    """
    if option_type == "String":
        return text_of(raw)
    if option_type == "Boolean":
        return _parse_boolean(raw)
    if option_type == "Integer":
        return _parse_integer(raw, _MAX_INT, "integer")
    if option_type == "Long":
        return _parse_integer(raw, _MAX_LONG, "long")
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


def text_of(value: object) -> str:
    """The text of a value as Configuration.toMap holds it: lists as one line of YAML."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (list, dict)):
        from linter.flink.yaml_flow import flow_text

        return flow_text(value)
    from linter.flink.core_schema import scalar_text

    text, _ = scalar_text(value)
    return f"!!binary |-\n  {text}" if isinstance(value, bytes) else text

"""The YAML 1.2 core schema as Flink's loader applies it: the types and values of scalars.

Converts texts to values and values to texts, with Java's spelling of numbers; contains no grammar.
"""

from __future__ import annotations

from flink_flint.linter.text.lazy_regex import regex

STR, INT, FLOAT, BOOL, NULL, BINARY, SEQ, MAP, SET = (
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "binary", "seq", "map", "set")
)

_INT_TEXT = regex(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT_TEXT = regex(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NULLS = ("", "~", "null", "Null", "NULL", " ")
_JAVA_FLOAT = regex(
    r"[\x00-\x20]*[-+]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[fFdD]?"
    r"|0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][-+]?[0-9]+[fFdD]?)[\x00-\x20]*"
)


class Key:
    """A map key that is not a string; 1, 1.0 and True are three different keys, as in Java.

    `made` is the key as in Java.
    """

    __slots__ = ("_identity", "made")

    def __init__(self, made: object) -> None:
        self.made = made
        shown = repr(made) if isinstance(made, (list, dict, float)) else made
        self._identity = (type(made), shown)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return repr(self.made)


def key_of(made: object) -> object:
    """Return the key that represents a value in a Python dict that models a Java map; strings represent themselves."""
    return made if isinstance(made, str) else Key(made)


def made_of(key: object) -> object:
    """Return the value that a key made by `key_of` represents."""
    return key.made if isinstance(key, Key) else key


def resolve(text: str) -> str:
    """Return the tag of a plain scalar in the core schema."""
    if not text:
        return NULL
    first = text[0]
    if first in "tfTF":
        return BOOL if text in _BOOLEANS else STR
    if first in "-+0123456789.":
        if first != "." and _INT_TEXT.fullmatch(text):
            return INT
        return FLOAT if _FLOAT_TEXT.fullmatch(text) else STR
    return NULL if text in _NULLS else STR


def make_integer(text: str) -> int | str:
    """Return the value of a core schema integer; a decimal with more than 4,000 digits is returned as a string."""
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if text[0] in "+-" else text
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits.startswith("0o"):
        return sign * int(digits[2:], 8)
    if len(digits) > 4000:
        digits = digits.lstrip("0") or "0"
        if len(digits) > 4000:
            return ("-" if sign < 0 else "") + digits
    return sign * int(digits)


def make_float(text: str) -> float:
    """Return the value of a core schema float; raise ValueError if Java's Double.valueOf rejects it."""
    rest = text.lower()
    if rest[:1] == "-" and rest[1:] in (".inf", ".nan"):
        return float(rest.replace(".", ""))
    if rest in (".inf", ".nan"):
        return float(rest[1:])
    return java_double(rest.removeprefix("+"))  # which refuses "+.inf", as the library does


def java_double(text: str) -> float:
    """Return the number that Java's Double.parseDouble reads from `text`; raise ValueError if Java rejects the text."""
    if not _JAVA_FLOAT.fullmatch(text):
        raise ValueError(text)
    text = text.strip("".join(map(chr, range(33))))
    hexadecimal = text[:3].lower().find("0x") >= 0
    if text[-1] in "dD" or text[-1] in "fF":
        text = text[:-1]
    if not hexadecimal:
        return float(text)
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("-inf") if text.startswith("-") else float("inf")


def double_text(value: float) -> str:
    """Return a number as Java's Double.toString writes it: ``1.0E10``, ``0.001``."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    shortest = repr(value)
    if sum(char in "123456789" for char in shortest.partition("e")[0]) == 1:
        # Java writes at least two digits, the two nearest to the number: 4.9E-324
        two = f"{value:.1e}"
        shortest = two if float(two) == value else shortest
    mantissa, _, exponent = shortest.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if not digits:
        return sign + "0.0"
    if -3 < point <= 7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def scalar_text(value: object) -> tuple[str, str]:
    """Return the text and the YAML tag of a scalar value."""
    if value is None:
        return "null", NULL
    if isinstance(value, bool):
        return ("true" if value else "false"), BOOL
    if isinstance(value, int):
        return str(value), INT
    if isinstance(value, float):
        if value != value:
            return ".nan", FLOAT
        if value in (float("inf"), float("-inf")):
            return (".inf" if value > 0 else "-.inf"), FLOAT
        return double_text(value), FLOAT
    if isinstance(value, bytes):
        from base64 import b64encode

        return b64encode(value).decode(), BINARY
    return str(value), STR

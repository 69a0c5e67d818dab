"""Types of plain scalars in kustomize's two YAML libraries, and the spelling of numbers in its output.

Resources and strategic merge patches are read with go-yaml v3, in which ``yes`` is a string. Kustomizations and JSON
patches are read with sigs.k8s.io/yaml, in which it is a boolean.
"""

from __future__ import annotations

from flink_flint.linter.text.lazy_regex import regex

STRING, INTEGER, FLOAT, BOOLEAN, NULL = "string", "integer", "float", "boolean", "null"
DATE = "date"
"""The type of a plain scalar that is a date, which kustomize writes as a timestamp."""

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), NULL),
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), BOOLEAN),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"), FLOAT),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), FLOAT),
}
_YAML_1_1_BOOLEANS = {
    form: meaning
    for meaning, words in ((True, ("y", "yes", "on")), (False, ("n", "no", "off")))
    for word in words
    for form in (word, word.capitalize(), word.upper())
}
_INTEGER = regex(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)")
_FLOAT = regex(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?")
_MAX_DIGITS = 400
_DATE = regex(r"(\d{4})-(\d\d?)-(\d\d?)")


def type_of(text: str, *, is_yaml_1_1: bool = False) -> str:
    """Return the type that YAML gives a plain scalar without a tag."""
    known = _WORDS.get(text)
    if known is not None:
        return known
    if is_yaml_1_1 and text in _YAML_1_1_BOOLEANS:
        return BOOLEAN
    if text[0] in "0123456789+-." and len(text) < _MAX_DIGITS:
        digits = text.replace("_", "")
        if _INTEGER.fullmatch(digits):
            return INTEGER
        if _FLOAT.fullmatch(digits):
            return FLOAT
        if not is_yaml_1_1 and _DATE.fullmatch(text):
            return DATE
    return STRING


def truth(text: str) -> bool:
    """Return the value of a boolean scalar."""
    return _YAML_1_1_BOOLEANS.get(text, text.lower() == "true")


def integer(text: str) -> int:
    """Return the value of an integer scalar."""
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-").lower()
    for prefix, base in (("0x", 16), ("0b", 2), ("0o", 8)):
        if digits.startswith(prefix):
            return sign * int(digits[2:], base)
    return sign * int(digits, 8 if digits.startswith("0") else 10)


def as_written(text: str, kind: str) -> str:
    """Return a non-string scalar as kustomize writes it after converting the object to JSON and back."""
    if kind == INTEGER:
        return str(integer(text))
    if kind == BOOLEAN:
        return "true" if truth(text) else "false"
    if kind == NULL:
        return "null"
    if kind == DATE:
        year, month, day = text.split("-")
        return f'"{year}-{int(month):02}-{int(day):02}T00:00:00Z"'
    if text.lower().lstrip("+-") in (".inf", ".nan"):
        return text
    number = float(text.replace("_", ""))
    return str(int(number)) if number.is_integer() and abs(number) < 1e21 else repr(number)

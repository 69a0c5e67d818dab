"""JSON Schemas of the values that a release accepts for each type.

The patterns are the grammars of `linter.flink.values`, written so that ECMA-262 and Python read them alike. They differ
where a regular expression is not sufficient: a list or map inside a text may be YAML and is accepted unchecked, the
parts of an ISO-8601 duration may have signs whose sum is negative, and digits are ASCII only. JSON has a single number
type, so `2.0` is accepted as an integer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flink_flint.linter.flink.file_loading import TEMPLATE
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import MAX_INT, MAX_LONG, MEMORY_UNITS, SECOND, parse_duration, time_units

Schema = dict[str, Any]

SCALAR = ["string", "number", "boolean"]
ANYTHING = [*SCALAR, "array", "object"]
"""The JSON types that a schema allows for a key of unknown type: all except null, which Flink rejects."""

_LARGEST_FLOAT = 3.4028234663852886e38
_BLANKS = r"[\u0000-\u0020]*"
_END = r"(?!\n)$"
"""The very end: Python's `$` alone also matches before a trailing line break."""
_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[fFdD]?"
_HEXADECIMAL = r"0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][-+]?[0-9]+[fFdD]?"
_SAME_ABOVE = {"I": "ı", "S": "ſ"}
"""Other letters whose uppercase is an ASCII letter."""
_SAME_BELOW = {"k": "\u212a"}
"""Other letters whose lowercase is an ASCII letter: the Kelvin sign."""


def _text(grammar: str) -> str:
    """Return a pattern for the texts of a grammar, and for those that a template has yet to fill in."""
    return f"^(?:{grammar}){_END}|{TEMPLATE}"


def _any_case(word: str, same: Mapping[str, str]) -> str:
    """Return a pattern for a word in any case."""
    found = ""
    for char in word:
        cases = dict.fromkeys((char.upper() if char.isascii() else char, char.lower()))
        more = "".join(same.get(case, "") for case in cases)
        found += f"[{''.join(cases)}{more}]" if len(cases) > 1 or more else char
    return found


def _one_of(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(_any_case(word, _SAME_ABOVE) for word in words)})"


def up_to(largest: int) -> str:
    """Return a regular expression for the decimal numbers from 0 to `largest`, with optional leading zeros."""
    digits = str(largest)
    choices = [digits]
    for place, digit in enumerate(digits):
        rest = len(digits) - place - 1
        smallest = 1 if place == 0 and rest else 0
        if int(digit) > smallest:
            below = f"[{smallest}-{int(digit) - 1}]" if int(digit) - 1 > smallest else str(smallest)
            choices.append(f"{digits[:place]}{below}" + (f"[0-9]{{{rest}}}" if rest else ""))
    if len(digits) > 1:
        choices.append(f"[0-9]{{1,{len(digits) - 1}}}")
    return f"0*(?:{'|'.join(choices)})"


def _bounded(grammar: str, bounds: str, smallest: int, message: str) -> Schema:
    """Return the schema of a text with a number in it and its maximum: anything below the power of ten that is below
    the smallest of the bounds, and beyond it what `bounds` allows. There are two patterns because an editor may show
    the one that fails."""
    few = f"(?!{_BLANKS}[-+]?0*[1-9][0-9]{{{len(str(smallest)) - 1}}})"
    return {
        "pattern": _text(grammar),
        "errorMessage": message,
        "allOf": [{"pattern": f"^{few}|{_text(bounds)}", "errorMessage": "larger than Flink's maximum"}],
    }


def _whole(largest: int, name: str) -> Schema:
    bounds = f"(?:\\+?{up_to(largest)}|-{up_to(largest + 1)})"
    return {
        "type": ["string", "integer"],
        "minimum": -largest - 1,
        "maximum": largest,
        **_bounded("[-+]?[0-9]+", bounds, largest, f"Flink accepts a whole number of {name} bits here"),
    }


def _amount(units: Mapping[str, int], largest: Mapping[int, int], bare: int, message: str, *, also: str = "") -> Schema:
    """Return the schema of a number with a unit; `largest` is the maximum for each unit, `bare` the default unit, and
    `also` the grammar of further accepted texts."""
    grammars, bounds = [], []
    for size, limit in largest.items():
        unit = "|".join(_any_case(label, _SAME_BELOW) for label, own in units.items() if own == size)
        unit = f"(?:{unit}){'?' if size == bare else ''}"
        grammars.append(unit)
        bounds.append(f"{up_to(limit)}{_BLANKS}{unit}")
    grammar = f"[0-9]+{_BLANKS}(?:{'|'.join(grammars)})" + also
    return {
        "type": ["string", "integer"],
        "minimum": 0,
        "maximum": largest[bare],
        **_bounded(
            f"{_BLANKS}(?:{grammar}){_BLANKS}",
            f"{_BLANKS}(?:{'|'.join(bounds)}){_BLANKS}",
            min(largest.values()),
            message,
        ),
    }


def _memory() -> Schema:
    largest = {size: MAX_LONG // size for size in MEMORY_UNITS.values()}
    message = "Flink accepts a whole number with b, k, m, g or t here (1024 to the next), of bytes without one"
    return _amount(MEMORY_UNITS, largest, 1, message)


def _takes_duration(text: str, index: int) -> bool:
    try:
        parse_duration(text, index)
    except BadValue:
        return False
    return True


def _duration(index: int) -> Schema:
    units = time_units(index)
    largest = {int(size): ((MAX_LONG + 1) * int(SECOND) - 1) // size for size in units.values()}
    if not _takes_duration(str(MAX_LONG + 1), index):
        largest = {size: min(limit, MAX_LONG) for size, limit in largest.items()}
    labels = ", ".join(dict.fromkeys(next(label for label, own in units.items() if own == size) for size in largest))
    message = f"Flink accepts a whole number with one of {labels} here, of milliseconds without one"
    iso = ""
    if _takes_duration("PT1S", index):
        message += ", or an ISO-8601 duration such as PT5M"
        days, hours, minutes = (f"(?:[-+]?[0-9]+{unit})?" for unit in ("[dD]", "[hH]", "[mM]"))
        seconds = "(?:[-+]?[0-9]+(?:[.,][0-9]{0,9})?[sS])?"
        iso = f"|[-+]?[pP](?=[-+0-9tT]){days}(?:[tT](?=[-+0-9]){hours}{minutes}{seconds})?"
    return _amount(units, largest, units["ms"], message, also=iso)


def _floating() -> Schema:
    return {
        "type": ["string", "number"],
        "pattern": _text(f"{_BLANKS}[-+]?(?:NaN|Infinity|{_DECIMAL}|{_HEXADECIMAL}){_BLANKS}"),
        "errorMessage": "Flink accepts a number such as 0.4 here",
    }


def shared_types(index: int, *, collections: bool) -> dict[str, Schema]:
    """Return the schemas of a release's option types, except enumerations, by the names that `schema_of` refers to.

    `collections` says that lists and maps may be written as YAML.
    """
    array = ["array"] if collections else []
    anything = {"type": ANYTHING if collections else SCALAR}
    return {
        "Any": anything,
        "Boolean": {
            "type": ["boolean", "string"],
            "pattern": _text(_one_of(("TRUE", "FALSE"))),
            "errorMessage": "Flink accepts true or false here",
        },
        "Double": _floating(),
        "Duration": _duration(index),
        "Float": {**_floating(), "minimum": -_LARGEST_FLOAT, "maximum": _LARGEST_FLOAT},
        "Integer": _whole(MAX_INT, "32"),
        "List(Map)": {
            "type": ["string", *array],
            "items": {"type": "object", "additionalProperties": anything},
            "errorMessage": "Flink accepts maps here: a list of them, or key:value,key:value;key:value",
        },
        "List(String)": {"type": [*SCALAR, *array], "items": anything},
        "Long": _whole(MAX_LONG, "64"),
        "Map": {
            "type": "string",
            "pattern": rf"^{_BLANKS}$|:|{TEMPLATE}",
            "errorMessage": "Flink accepts a map here: key:value,key:value",
        },
        "MemorySize": _memory(),
        "String": {"type": [*SCALAR, *array]},
    }


def constants(words: tuple[str, ...]) -> Schema:
    """Return the schema of an enumeration: constants are completed as declared but accepted in any case."""
    message = f"Flink accepts one of {', '.join(words)} here"
    choice = {"enum": list(words), "errorMessage": message}
    return {"anyOf": [choice, {"type": "string", "pattern": _text(_one_of(words)), "errorMessage": message}]}


def constants_in_list(words: tuple[str, ...], *, collections: bool) -> Schema:
    """Return the schema of a list of constants, in YAML or joined by ``;``; strings that may be YAML are accepted."""
    word = _one_of(words)
    part = rf"""\s*(?:{word}|'{word}'|"{word}")\s*"""
    return {
        "type": ["string", *(["array"] if collections else [])],
        "items": constants(words),
        "pattern": _text(rf"\s*|\s*[\[\-][\s\S]*|{part}(?:;+{part})*;*\s*"),
        "errorMessage": f"Flink accepts a list here, joined by ; if it is a text, of {', '.join(words)}",
    }


def schema_of(option_type: str, enum: tuple[str, ...], *, collections: bool) -> Schema:
    """Return the schema of an option's value: a reference to one of the `shared_types`, or the constants of an enum."""
    if enum and option_type == "Enum":
        return constants(enum)
    if enum and option_type == "List<Enum>":
        return constants_in_list(enum, collections=collections)
    return {"$ref": f"#/$defs/{_REFERENCE.get(option_type, option_type)}"}


_REFERENCE = {"Enum": "String", "List<Enum>": "List(String)", "List<String>": "List(String)", "List<Map>": "List(Map)"}

"""Values formatted as Go's package fmt formats them: `Print`, `Sprintf`, and `%q`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from flink_flint.linter.formats.helm.rendering.go_values import (
    Struct,
    Unknown,
    is_bool,
    is_int,
    kind,
    origin_of,
    type_name,
)
from flink_flint.linter.formats.helm.rendering.limits import MAX_TEXT, Budget, LimitExceeded, NotEvaluated
from flink_flint.linter.formats.helm.rendering.marked_text import decided_by, joined, mapped, sliced
from flink_flint.linter.text.lazy_regex import regex

_VERB = regex(r"%([-+# 0]*)(\*|\d{1,9})?(?:\.(\*|\d{0,9}))?(?:\[(\d+)\])?(.)?", re.DOTALL)
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
_PLAIN = regex(r"[ !#-\[\]-~]*")
_MAX_NESTING = 60


def float_text(value: float, *, largest_exponent: int, smallest: int = -4) -> str:
    """Format a float64 in its shortest form as Go does, in exponent notation from 10**`largest_exponent` on."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    mantissa, _, exponent_text = f"{value!r}".partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent_text or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    exponent = point - 1
    if exponent < smallest or exponent >= largest_exponent:
        tail = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def shortest_float(value: float) -> str:
    """Return a float64 as `%v` prints it: a million is ``1e+06``."""
    return float_text(value, largest_exponent=6)


def quoted(text: str) -> str:
    """Return `text` as `%q` prints it: in double quotes, with escapes."""
    return joined(['"', mapped(text, _escaped), '"'])


def _escaped(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    parts: list[str] = []
    for character in text:
        if character in _ESCAPES:
            parts.append(_ESCAPES[character])
        elif character.isprintable():
            parts.append(character)
        elif ord(character) < 0x80:
            parts.append(f"\\x{ord(character):02x}")
        else:
            parts.append(f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}")
    return "".join(parts)


def shown(value: object, budget: Budget, depth: int = 0) -> str:
    """Format a value as `%v` does, keeping the origins of its parts."""
    budget.spend(1)
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, Unknown):
        return value.text
    if depth > _MAX_NESTING:
        raise LimitExceeded("values are nested too deeply")
    if isinstance(value, dict):
        parts: list[str] = ["map["]
        for number, key in enumerate(sorted(value)):
            parts += (" " if number else "", key, ":", shown(value[key], budget, depth + 1))
        return joined([*parts, "]"])
    if isinstance(value, list):
        parts = ["["]
        for number, one in enumerate(value):
            parts += (" " if number else "", shown(one, budget, depth + 1))
        return joined([*parts, "]"])
    if is_bool(value):
        text = "true" if value else "false"
    elif isinstance(value, float):
        text = shortest_float(value)
    elif isinstance(value, int):
        text = str(int(value))
    elif isinstance(value, Struct):
        text = value.shown()
    else:
        text = str(value)
    return decided_by(text, origin_of(value))


def printed(values: Sequence[object], budget: Budget) -> str:
    """Format values as `print` does: with a space between two adjacent values if neither is a string."""
    parts: list[str] = []
    for number, value in enumerate(values):
        if number and not isinstance(value, str) and not isinstance(values[number - 1], str):
            parts.append(" ")
        parts.append(shown(value, budget))
    return joined(parts)


def formatted(template: str, values: Sequence[object], budget: Budget) -> str:
    """Format values as `printf` does; raise `NotRendered` for formats that flint does not evaluate."""
    parts: list[str] = []
    done = used = size = 0
    for match in _VERB.finditer(template):
        if match.start() < done:
            continue
        parts.append(sliced(template, done, match.start()))
        done = match.end()
        flags, width, precision, index, verb = match.groups()
        if verb == "%":
            parts.append("%")
            continue
        if verb is None:
            parts.append("%!(NOVERB)")
            continue
        if index is not None or width == "*" or precision == "*":
            raise NotEvaluated("printf with an index or a variable width is not evaluated")
        if used >= len(values):
            parts.append(f"%!{verb}(MISSING)")
            continue
        value = values[used]
        used += 1
        if int(width or 0) > MAX_TEXT or int(precision or 0) > MAX_TEXT:
            raise LimitExceeded("a text has more than 2 MiB")
        parts.append(_padded(_verb(verb, flags, precision, value, budget), flags, int(width or 0)))
        size += len(parts[-1])
        budget.text(size)
    parts.append(sliced(template, done, len(template)))
    if used < len(values):
        extra = [joined([type_name(one), "=", shown(one, budget)]) for one in values[used:]]
        parts.append(
            joined(["%!(EXTRA ", *(joined([", " if number else "", one]) for number, one in enumerate(extra)), ")"])
        )
    return joined(parts)


def _padded(text: str, flags: str, width: int) -> str:
    missing = width - len(text)
    if missing <= 0:
        return text
    if "-" in flags:
        return joined([text, " " * missing])
    if "0" in flags and text[:1] in "+-0123456789":
        sign = text[0] if text[0] in "+-" else ""
        return sign + "0" * missing + text[len(sign) :]
    return joined([" " * missing, text])


def _verb(verb: str, flags: str, precision: str | None, value: object, budget: Budget) -> str:
    if isinstance(value, Unknown):
        return value.text
    if verb == "v":
        return shown(value, budget) if "#" not in flags else _go_syntax(value, budget)
    if verb == "T":
        return type_name(value)
    if verb == "s":
        text = _text_verb(value, verb, budget)
        return text if precision is None else sliced(text, 0, int(precision or 0))
    if verb == "q":
        return quoted(value) if isinstance(value, str) else _wrong(verb, value, budget)
    if verb == "d" and is_int(value):
        sign = "+" if "+" in flags and int(value) >= 0 else ""  # type: ignore[call-overload]
        return decided_by(f"{sign}{value:d}", origin_of(value))
    if verb in "xXob" and is_int(value):
        return decided_by(format(value, verb), origin_of(value))
    if verb == "t" and is_bool(value):
        return shown(value, budget)
    if verb in "feEgG" and isinstance(value, float):
        if verb in "gG" and precision is None:
            return shown(value, budget)
        return decided_by(
            f"{value:.{int(precision if precision else 6 if precision is None else 0)}{verb}}", origin_of(value)
        )
    if verb in "xX" and isinstance(value, str):
        return mapped(value, lambda text: format(text.encode().hex(), "s"))
    if verb == "c" and is_int(value) and 0 <= int(value) < 0x110000:  # type: ignore[call-overload]
        return chr(int(value))  # type: ignore[call-overload]
    return _wrong(verb, value, budget)


def _text_verb(value: object, verb: str, budget: Budget) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = ["["]
        for number, one in enumerate(value):
            parts += (" " if number else "", one.text if isinstance(one, Unknown) else _text_verb(one, verb, budget))
        return joined([*parts, "]"])
    if isinstance(value, Struct) and "String" in value.methods:
        return value.shown()
    if isinstance(value, dict):
        raise NotEvaluated("printf of a map with %s is not evaluated")
    return _wrong(verb, value, budget)


def _wrong(verb: str, value: object, budget: Budget) -> str:
    if value is None:
        return f"%!{verb}(<nil>)"
    return joined([f"%!{verb}({type_name(value)}=", shown(value, budget), ")"])


def _go_syntax(value: object, budget: Budget) -> str:
    if isinstance(value, str):
        return quoted(value)
    if kind(value) in ("int", "bool"):
        return shown(value, budget)
    raise NotEvaluated("printf with %#v is not evaluated")

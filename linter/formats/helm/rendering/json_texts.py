"""JSON as Go's encoding/json reads and writes it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from flink_flint.linter.formats.helm.rendering.go_printing import float_text
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, Struct, Unknown, is_bool, origin_of
from flink_flint.linter.formats.helm.rendering.limits import MAX_DEPTH, Budget, LimitExceeded, NotEvaluated, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import decided_by, joined, mapped

_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def written_json(value: object, budget: Budget, *, indent: str = "", html: bool = True) -> str:
    """Return a value as JSON, indented by `indent` per level; with `html`, ``<``, ``>``, and ``&`` are escaped."""
    size = 0
    parts: list[str] = []
    for part in _pieces(value, budget, indent, html, 0):
        size += len(part)
        budget.text(size)
        parts.append(part)
    return joined(parts)


def _pieces(value: object, budget: Budget, indent: str, html: bool, depth: int) -> Iterator[str]:
    budget.spend(1)
    if depth > MAX_DEPTH:
        raise LimitExceeded("values are nested too deeply")
    is_map = isinstance(value, dict)
    if isinstance(value, dict | list) and value:
        inner, outer = ("\n" + indent * (depth + 1), "\n" + indent * depth) if indent else ("", "")
        yield "{" if is_map else "["
        for number, one in enumerate(sorted(value) if is_map else value):
            yield ("," if number else "") + inner
            if isinstance(value, dict):
                yield _text(str(one) if not isinstance(one, str) else one, html)
                yield ": " if indent else ":"
                one = value[one]
            yield from _pieces(one, budget, indent, html, depth + 1)
        yield outer + ("}" if is_map else "]")
    elif isinstance(value, str):
        yield _text(value, html)
    elif isinstance(value, Unknown):
        yield value.text
    else:
        yield decided_by(_plain(value), origin_of(value))


def _plain(value: object) -> str:
    if value is None:
        return "null"
    if is_bool(value):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotRendered("JSON has no infinity")
        return float_text(value, largest_exponent=21, smallest=-6).replace("e-0", "e-")
    if isinstance(value, Struct):
        raise NotEvaluated(f"toJson of {value.name} is not evaluated")
    return str(int(value))  # type: ignore[call-overload]


def _text(text: str, html: bool) -> str:
    def escaped(part: str) -> str:
        written = json.dumps(part, ensure_ascii=False)[1:-1]
        written = written.replace("\x7f", "\x7f").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        if html:
            for character, escape in _HTML.items():
                written = written.replace(character, escape)
        return written

    return joined(['"', mapped(text, escaped), '"'])


def read_json(text: str, budget: Budget) -> object:
    """Parse JSON text into values without origins; raise `NotRendered` if the text is invalid."""
    budget.text(len(text))
    budget.spend(len(text) // 8)
    try:
        return _value(json.loads(text))
    except (ValueError, RecursionError):
        raise NotRendered("not valid JSON") from None


def _value(value: object) -> object:
    if isinstance(value, dict):
        return Map((key, _value(one)) for key, one in value.items())
    if isinstance(value, list):
        return List(_value(one) for one in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) < 1 << 1000 else math.inf
    return value

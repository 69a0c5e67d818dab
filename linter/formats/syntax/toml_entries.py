"""The entries of a TOML file with their positions: tables, dotted and quoted keys, and values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.formats.syntax.leaves import Leaf
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_BLANK = regex(r"[ \t]*")
_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_SEGMENT = regex(r"""[ \t]*([A-Za-z0-9_-]+|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')[ \t]*""")
_STRING = regex(
    r'"{3}(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|'
    r"'{3}(?:[^']|'{1,2}(?!'))*'{3,5}|"
    r'"(?:[^"\\\r\n]|\\.)*"|'
    r"'[^'\r\n]*'",
    re.DOTALL,
)
_BARE = regex(r"[^\s#,\[\]{}\"']+(?:[ ][0-9:.+-]+Z?)?")
_INSIDE = regex(r"""[^\[\]{}"'#]+""")
_SIMPLE = regex(r"""-?[1-9]\d*|true|false|"[ !#-&(-\[\]-~]*"|'[ !#-&(-~]*'""")
_MAX_UNCLOSED = 5
_STYLES = {'"': "double", "'": "single"}


def read_toml(text: str) -> Iterator[Leaf]:
    """Yield the values in file order; lines with syntax errors are skipped, and inline tables have unknown values."""
    table: tuple[str, ...] = ()
    brackets = 0
    spans: tuple[Span, ...] = ()
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        start = _end(_BLANK, text, at)
        if text[start : start + 1] == "[":
            double = text[start : start + 2] == "[["
            found, named, end = _path(text, start + 1 + double)
            if found and text[end : end + 1] == "]":
                table, spans = found, named
        elif text[start : start + 1] not in ("#", "\r", "\n", ""):
            found, named, end = _path(text, start)
            if found and text[end : end + 1] == "=":
                first = _end(_BLANK, text, end + 1)
                last = _value(text, first, brackets)
                brackets += text[first : first + 1] in ("[", "{") and last == first
                if last > first:
                    raw = text[first:last]
                    value, style = _meaning(raw)
                    yield Leaf((*table, *found), (*spans, *named), value, Span(first, last), raw, style)
                    start = last
        at = max(_end(_LINE, text, start), at + 1)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _path(text: str, at: int) -> tuple[tuple[str, ...], tuple[Span, ...], int]:
    """Parse a dotted key; return its segments, their spans, and the offset where it ends."""
    names, spans = [], []
    while (found := _SEGMENT.match(text, at)) is not None:
        raw = found[1]
        names.append(raw[1:-1] if raw[0] in "\"'" else raw)
        spans.append(Span(*found.span(1)))
        at = found.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(names), tuple(spans), at


def _value(text: str, at: int, unclosed: int) -> int:
    """Return the offset where a value ends, or `at` if there is no value or too many lists are unclosed."""
    if (found := _STRING.match(text, at)) is not None:
        return found.end()
    if text[at : at + 1] not in ("[", "{"):
        return _end(_BARE, text, at)
    start, depth = at, 0
    if unclosed > _MAX_UNCLOSED:
        return start
    while at < len(text):
        char = text[at]
        if char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
            if depth == 0:
                return at + 1
        elif char == "#":
            at = _end(_LINE, text, at)
            continue
        elif char in "\"'" and (found := _STRING.match(text, at)) is not None:
            at = found.end()
            continue
        else:
            at = _end(_INSIDE, text, at) if char not in "\"'" else at + 1
            continue
        at += 1
    return start


def _meaning(raw: str) -> tuple[str | None, str]:
    """Return a value as the string that Flink would get (None if it is not plain), and its style."""
    import tomllib

    if _SIMPLE.fullmatch(raw):
        return raw.strip("\"'"), _STYLES.get(raw[0], "plain")
    if raw[0] == "{" or raw.count("[") > 50:
        return None, "flow"
    try:
        value = tomllib.loads(f"x = {raw}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None, "flow"
    if isinstance(value, list):
        scalars = [_text(item) for item in value]
        return (None if None in scalars else ";".join(map(str, scalars))), "flow"
    return _text(value), _STYLES.get(raw[0], "plain") if not raw.startswith(('"""', "'''")) else "literal"


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int, float)) else None

"""String literals that contain expressions: Python f-strings, and interpolated strings in Scala and Kotlin."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_OPENING = regex(r"([A-Za-z]{0,3})(\"\"\"|'''|\"|')")
_BETWEEN = regex(r"(?:\s|\\\r?\n|#[^\r\n]*+)*+")
_REFERENCE = regex(r"\$(?:([A-Za-z_]\w*+)|\{|\$)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "$": "$", "\n": ""}
_MAX_PARTS = 1_000


class FormatPart(NamedTuple):
    """A part of a string literal that contains expressions: literal text, or the source code of an expression."""

    text: str
    span: Span
    is_expression: bool


class _Malformed(Exception):  # noqa: N818 - it says what the string is
    """Raised if a string is not written as expected."""


def f_string_parts(raw: str, start: int) -> list[FormatPart] | None:
    """Return the parts of an f-string and adjacent string literals; None if they cannot be parsed.

    `start` is the place of `raw` in the program, to which the spans refer.
    """
    return _all(_f_strings(raw), start)


def interpolated_parts(raw: str, start: int) -> list[FormatPart] | None:
    """Return the parts of an interpolated Scala or Kotlin string; None if it cannot be parsed."""
    return _all(_interpolated(raw), start)


def _all(parts: Iterator[FormatPart], start: int) -> list[FormatPart] | None:
    found: list[FormatPart] = []
    try:
        for text, (first, last), is_expression in parts:
            if len(found) >= _MAX_PARTS:
                return None
            if text:
                found.append(FormatPart(text, Span(first + start, last + start), is_expression))
    except _Malformed:
        return None
    return found


def _f_strings(raw: str) -> Iterator[FormatPart]:
    at = 0
    while at < len(raw):
        opening = _opening(raw, at)
        prefix, quote = opening[1].lower(), opening[2]
        at = yield from _content(raw, opening.end(), quote, "{" if "f" in prefix else "", is_raw="r" in prefix)
        between = _BETWEEN.match(raw, at)
        at = between.end() if between is not None else len(raw)


def _interpolated(raw: str) -> Iterator[FormatPart]:
    opening = _opening(raw, 0)
    is_raw = len(opening[2]) == 3 or opening[1] == "raw"
    yield from _content(raw, opening.end(), opening[2], "$", is_raw=is_raw)


def _opening(raw: str, at: int) -> re.Match[str]:
    opening = _OPENING.match(raw, at)
    if opening is None:
        raise _Malformed
    return opening


def _content(raw: str, at: int, quote: str, sign: str, *, is_raw: bool) -> Generator[FormatPart, None, int]:
    """Yield the parts of a literal whose content begins at `at`, and return where it ends.

    `sign` is the character that begins an expression.
    """
    text = at
    while not raw.startswith(quote, at):
        char = raw[at : at + 1]
        if not char:
            raise _Malformed
        part, end = None, at + 1
        if char == "\\" and not is_raw:
            end = at + 2
            if raw[at + 1 : end] not in _ESCAPES:
                raise _Malformed
            part = FormatPart(_ESCAPES[raw[at + 1 : end]], Span(at, end), is_expression=False)
        elif char == "\\":
            end = at + 2 if sign != "$" else end
        elif sign == "{" and char in "{}":
            part = _in_braces(raw, at)
        elif sign == "$" and char == "$":
            part = _after_dollar(raw, at)
        if part is not None:
            yield FormatPart(raw[text:at], Span(text, at), is_expression=False)
            yield part
            end = text = part.span.end
        at = end
    yield FormatPart(raw[text:at], Span(text, at), is_expression=False)
    return at + len(quote)


def _in_braces(raw: str, at: int) -> FormatPart:
    if raw[at + 1 : at + 2] == raw[at]:
        return FormatPart(raw[at], Span(at, at + 2), is_expression=False)
    return _expression(raw, at, at + 1)


def _after_dollar(raw: str, at: int) -> FormatPart | None:
    found = _REFERENCE.match(raw, at)
    if found is None:
        return None
    if found[1]:
        return FormatPart(found[1], Span(at, found.end()), is_expression=True)
    if found[0] == "$$":
        return FormatPart("$", Span(at, at + 2), is_expression=False)
    return _expression(raw, at, at + 2)


def _expression(raw: str, at: int, start: int) -> FormatPart:
    """Return the expression between the braces that are open before `start`."""
    depth, end = 1, start
    while depth and end < len(raw):
        depth += (raw[end] == "{") - (raw[end] == "}")
        end += 1
    if depth:
        raise _Malformed
    return FormatPart(raw[start : end - 1].strip() or "value", Span(at, end), is_expression=True)

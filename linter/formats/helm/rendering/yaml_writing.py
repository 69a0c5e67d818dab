"""Writes YAML as Helm's `toYaml` does (sigs.k8s.io/yaml): with sorted keys, and quotes as in Go's library.

The rules of styles and line breaks are those of the emitter in gopkg.in/yaml.v2, which breaks long lines at 80
characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flink_flint.linter.formats.helm.rendering.go_printing import float_text
from flink_flint.linter.formats.helm.rendering.go_values import Struct, Unknown, is_bool, origin_of
from flink_flint.linter.formats.helm.rendering.limits import MAX_DEPTH, Budget, LimitExceeded
from flink_flint.linter.formats.helm.rendering.marked_text import (
    decided_by,
    joined,
    mapped,
    replaced,
    sliced,
    unknown_part,
)
from flink_flint.linter.formats.helm.rendering.yaml_reading import is_plain_text
from flink_flint.linter.text.lazy_regex import regex

_WIDTH = 80
_BASE_60 = regex(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_SIMPLE = regex(r"[A-Za-z_/.][A-Za-z0-9_./\-]*")
_BREAKS = "\n\r\x85\u2028\u2029"
_ESCAPES = {
    "\0": "\\0", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\e", '"': '\\"', "\\": "\\\\", "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip
_DIGITS = regex(r"\d+")


def written_yaml(value: object, budget: Budget) -> str:
    """Return a value as YAML, without a trailing line break."""
    parts = list(_Writer(budget).lines(value))
    text = joined(parts)
    return sliced(text, 0, len(text) - 1) if text.endswith("\n") else text


def sort_key(key: str) -> list[tuple[int, int, int, str]]:
    """Return the sort key that orders the keys of a map as Go's YAML library does: letters last, numbers by value."""
    parts: list[tuple[int, int, int, str]] = []
    at = 0
    while at < len(key):
        digits = _DIGITS.match(key, at)
        if digits is not None and len(digits[0]) < 19:
            parts.append((0, 1, 0, "0"))
            parts[-1] = (0, ord("0"), int(digits[0]), digits[0])
            at = digits.end()
            continue
        character = key[at]
        parts.append((1 if character.isalpha() else 0, ord(character), 0, ""))
        at += 1
    return parts


class _Writer:
    def __init__(self, budget: Budget) -> None:
        self.budget, self.size = budget, 0

    def lines(self, value: object) -> Iterator[str]:
        """Yield the pieces of a whole document."""
        if isinstance(value, dict) and value:
            yield from self._map(value, 0, 0, first=True)
        elif isinstance(value, list) and value:
            yield from self._list(value, 0, 0, first=True)
        else:
            yield from self._scalar(value, 2, 0)
            yield "\n"

    def _spend(self, text: str) -> str:
        self.size += len(text)
        self.budget.text(self.size)
        return text

    def _map(self, value: dict[str, object], indent: int, depth: int, *, first: bool) -> Iterator[str]:
        self._enter(depth)
        for number, key in enumerate(sorted(value, key=sort_key)):
            if number or not first:
                yield self._spend(" " * indent)
            name = _key(key)
            yield self._spend(name)
            if len(key) > 128 or "\n" in key:  # Go writes "? key" for it, which means the same
                yield ": "
            else:
                yield ":"
            yield from self._entry(value[key], indent, len(name) + 1 + indent, depth)

    def _entry(self, value: object, indent: int, column: int, depth: int) -> Iterator[str]:
        if isinstance(value, dict) and value:
            yield "\n"
            yield from self._map(value, indent + 2, depth + 1, first=False)
        elif isinstance(value, list) and value:
            yield "\n"
            yield from self._list(value, indent, depth + 1, first=False)
        else:
            yield " "
            yield from self._scalar(value, indent + 2, column + 1)
            yield "\n"

    def _list(self, value: list[object], indent: int, depth: int, *, first: bool) -> Iterator[str]:
        self._enter(depth)
        for number, item in enumerate(value):
            if number or not first:
                yield self._spend(" " * indent)
            yield self._spend("- ")
            if isinstance(item, dict) and item:
                yield from self._map(item, indent + 2, depth + 1, first=True)
            elif isinstance(item, list) and item:
                yield from self._list(item, indent + 2, depth + 1, first=True)
            else:
                yield from self._scalar(item, indent + 2, indent + 2)
                yield "\n"

    def _enter(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise LimitExceeded("values are nested too deeply")

    def _scalar(self, value: object, indent: int, column: int) -> Iterator[str]:
        self.budget.spend(1)
        if isinstance(value, str):
            text = _text(value, indent, column)
        elif isinstance(value, Unknown):
            text = value.text
        elif isinstance(value, Struct):
            text = value.shown()
        else:
            text = decided_by(_plain(value), origin_of(value))
        yield self._spend(text)


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
        if value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        return ".nan" if math.isnan(value) else float_text(value, largest_exponent=6)
    return str(int(value))  # type: ignore[call-overload]


def _key(key: str) -> str:
    if unknown_part(key):
        return key
    style = _style(key, in_key=True)
    if style == "plain":
        return key
    return _single(key, 0, None) if style == "single" else _double(key, 0, None)


def _text(text: str, indent: int, column: int) -> str:
    """Return a string as a scalar that starts at a column and continues on lines with an indentation."""
    if unknown_part(text):
        return _unknown(text, indent)
    style = _style(text, in_key=False)
    if style == "plain":
        return _folded(text, indent, column)
    if style == "literal":
        return _literal(text, indent)
    return _single(text, indent, column) if style == "single" else _double(text, indent, column)


def _unknown(text: str, indent: int) -> str:
    if "\n" in text:
        return _literal(text, indent)
    return text if text.startswith("{{") else joined(['"', mapped(text, _escaped), '"'])


def _style(text: str, *, in_key: bool) -> str:
    """Return the style in which Go's library writes a string."""
    if _SIMPLE.fullmatch(text) and "\n" not in text:
        return "plain" if is_plain_text(text) else "double"
    has_break = any(character in text for character in _BREAKS)
    printable = all(_is_printable(character) for character in text)
    space_break = any(f" {character}" in text for character in _BREAKS)
    special = space_break or not printable
    if "\n" in text:
        literal = not special and not text.endswith(" ") and not in_key
        return "literal" if literal else "double"
    if not is_plain_text(text) or _BASE_60.fullmatch(text):
        return "double"
    if special:
        return "double"
    if has_break:
        return "double" if any(f"{character} " in text for character in _BREAKS) or in_key else "single"
    if text[0] == " " or text[-1] == " " or _has_indicators(text):
        return "single"
    return "plain"


def _has_indicators(text: str) -> bool:
    if text.startswith(("---", "...")) or text[0] in "#,[]{}&*!|>'\"%@`":
        return True
    if text[0] in "?:-" and (len(text) == 1 or text[1] in " \t"):
        return True
    return ": " in text or ":\t" in text or text.endswith(":") or " #" in text or "\t#" in text


def _is_printable(character: str) -> bool:
    return (
        character == "\n"
        or " " <= character <= "~"
        or (("\xa0" <= character <= "\ud7ff" or "\ue000" <= character <= "\ufffd") and character != "\ufeff")
        or character == "\x85"
    )


def _folded(text: str, indent: int, column: int | None) -> str:
    """Return a text with line breaks in place of the single spaces at which Go's emitter breaks a line."""
    if column is None or column + len(text) <= _WIDTH or "\n" in text:
        return text
    edits: list[tuple[int, int, str]] = []
    line_start = -column
    at = text.find(" ")
    while at >= 0:
        previous_is_space = at > 0 and text[at - 1] == " "
        is_inner = 0 < at < len(text) - 1 and text[at + 1] != " "
        if at - line_start > _WIDTH and is_inner and not previous_is_space:
            edits.append((at, at + 1, "\n" + " " * indent))
            line_start = at + 1 - indent
        at = text.find(" ", at + 1)
    return replaced(text, edits) if edits else text


def _single(text: str, indent: int, column: int | None) -> str:
    inner = mapped(text, lambda part: part.replace("'", "''"))
    return joined(["'", _folded(inner, indent, None if column is None else column + 1), "'"])


def _double(text: str, indent: int, column: int | None) -> str:
    inner = mapped(text, _escaped)
    if column is not None and column + 1 + len(inner) > _WIDTH:
        inner = _folded(inner, indent, column + 1)
    return joined(['"', inner, '"'])


def _escaped(text: str) -> str:
    parts: list[str] = []
    for character in text:
        if character in _ESCAPES and character != "\xa0":
            parts.append(_ESCAPES[character])
        elif _is_printable(character):
            parts.append(character)
        elif ord(character) <= 0xFF:
            parts.append(f"\\x{ord(character):02X}")
        else:
            parts.append(f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}")
    return "".join(parts)


def _literal(text: str, indent: int) -> str:
    header = "|" + ("2" if text[0] in " \n" else "")
    body = text
    if not text.endswith("\n"):
        header += "-"
    else:
        if text.endswith("\n\n") or text == "\n":
            header += "+"
        body = sliced(text, 0, len(text) - 1)
    edits: list[tuple[int, int, str]] = []
    at = 0
    while True:
        end = body.find("\n", at)
        if end != at and at < len(body):
            edits.append((at, at, " " * indent))
        if end < 0:
            break
        at = end + 1
    return joined([header, "\n", replaced(body, edits)])

"""Interpolation of ``$VARIABLE`` and ``${VARIABLE:-default}`` as in Docker Compose, and reading of ``.env`` files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache

from flink_flint.linter.filesystem.folders import looked_at
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_VARIABLE = regex(
    r"\$(?:(?P<dollar>\$)|(?P<plain>[A-Za-z_]\w*)|"
    r"\{(?P<name>[A-Za-z_]\w*)(?:(?P<how>:?[-?+])(?P<word>[^{}]*))?\})"
)
_ESCAPE_OR_VARIABLE = regex(
    r"\\(?P<escape>.)|\$(?:(?P<dollar>\$)|(?P<plain>[A-Za-z_]\w*)|"
    r"\{(?P<name>[A-Za-z_]\w*)(?:(?P<how>:?[-?+])(?P<word>[^{}]*))?\})",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_ASSIGNMENT = regex(r"[ \t]*+(?:export[ \t]++)?+([A-Za-z_]\w*+)[ \t]*+[=:][ \t]*+")
_QUOTED = regex(r"'(?P<single>[^']*+)'|\"(?P<double>(?:[^\"\\]|\\.)*+)\"", re.DOTALL)
_NOTHING: Mapping[str, str | None] = {}
_MAX_LENGTH = 100_000
"""The maximum length of a value; values that refer to each other would otherwise grow exponentially."""


class Interpolated(NamedTuple):
    """Text with its known variables replaced by their values, and the spans of the unknown variables."""

    extract: Extract
    unknown: tuple[Span, ...]
    """The spans, in the new text, of the variables that are left as written because their values are unknown."""


def interpolated(extract: Extract, variables: Mapping[str, str | None]) -> Interpolated:
    """Replace the variables in a text by their values in `variables`; return the result and the unknown variables."""
    if "$" not in extract.text:
        return Interpolated(extract, ())
    changes: list[tuple[Span, str]] = []
    unknown: list[Span] = []
    shift = 0
    for found in _VARIABLE.finditer(extract.text):
        made = _made(found, variables)
        if made is None:
            unknown.append(Span(found.start() + shift, found.end() + shift))
            continue
        changes.append((Span(*found.span()), made))
        shift += len(made) - (found.end() - found.start())
    return Interpolated(extract.replaced(changes) if changes else extract, tuple(unknown))


def _made(found: re.Match[str], variables: Mapping[str, str | None]) -> str | None:
    if found["dollar"]:
        return "$"
    known = variables.get(found["plain"] or found["name"])
    how, word = found["how"] or "", found["word"] or ""
    if how.endswith("-") and (known is None or (how == ":-" and not known)):
        return None if "$" in word else word
    if how.endswith("+"):
        return None if known is None or "$" in word else word
    return known


@lru_cache(maxsize=64)
def _read(path: str, modified: int, given: tuple[tuple[str, str | None], ...]) -> dict[str, str | None] | None:
    text = found_text(path)
    return None if text is None else variables_of(text, dict(given))


def read_variables(path: str, given: Mapping[str, str | None] = _NOTHING) -> dict[str, str | None] | None:
    """Return the variables that an environment file (``.env``) sets; None if the file cannot be read.

    `given` are the variables that its values may refer to. The value of a variable is None if it refers to another one.
    """
    looked_at(path)
    try:
        modified = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return None
    return _read(path, modified, tuple(given.items()))


def variables_of(text: str, given: Mapping[str, str | None] = _NOTHING) -> dict[str, str | None]:
    """Return the variables that an environment file's text (``NAME=value`` lines) sets, parsed as Docker Compose does.

    A quoted value may span lines. Without quotes it ends before `` #``. Variables are replaced except in single quotes,
    and escapes (``\\n``) in double quotes only. A value with an unknown variable is None.
    """
    found: dict[str, str | None] = {}
    known = dict(given)
    at = 0
    while at < len(text):
        match = _ASSIGNMENT.match(text, at)
        if match is None:
            at = _line_end(text, at) + 1
            continue
        start = match.end()
        quoted = _QUOTED.match(text, start)
        end = _line_end(text, quoted.end() if quoted is not None else start)
        if quoted is None:
            value = _expanded(re.split(r"\s#", f" {text[start:end]}", maxsplit=1)[0].strip(), known)
        elif quoted["single"] is not None:
            value = quoted["single"]
        else:
            value = _expanded(quoted["double"], known, escapes=True)
        found[match[1]] = known[match[1]] = value
        at = end + 1
    return found


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _expanded(text: str, variables: Mapping[str, str | None], *, escapes: bool = False) -> str | None:
    """Return a value with its variables, and if wanted its escapes, replaced; None if a variable is unknown."""
    parts: list[str] = []
    at = 0
    for found in (_ESCAPE_OR_VARIABLE if escapes else _VARIABLE).finditer(text):
        escape = found["escape"] if escapes else None
        made = _ESCAPES.get(escape, escape) if escape is not None else _made(found, variables)
        if made is None or len(made) > _MAX_LENGTH:
            return None
        parts += (text[at : found.start()], made)
        at = found.end()
    value = "".join((*parts, text[at:]))
    return value if len(value) <= _MAX_LENGTH else None

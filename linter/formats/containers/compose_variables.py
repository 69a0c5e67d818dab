"""Interpolation of ``$VARIABLE`` and ``${VARIABLE:-default}`` as in Docker Compose, and reading of ``.env`` files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache

from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_VARIABLE = regex(
    r"\$(?:(?P<dollar>\$)|(?P<plain>[A-Za-z_]\w*)|"
    r"\{(?P<name>[A-Za-z_]\w*)(?:(?P<how>:?[-?+])(?P<word>[^{}]*))?\})"
)
_ASSIGNMENT = regex(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]\s?(.*)")


class Interpolated(NamedTuple):
    """A text with its known variables replaced by their values, and the spans of the unknown variables."""

    extract: Extract
    unknown: tuple[Span, ...]
    """The spans, in the new text, of the variables with unknown values, which are left as written."""


def interpolated(extract: Extract, variables: Mapping[str, str]) -> Interpolated:
    """Return a text with its variables replaced by the values in `variables`."""
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


def _made(found: re.Match[str], variables: Mapping[str, str]) -> str | None:
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
def _read(path: str, modified: int) -> dict[str, str] | None:
    text = found_text(path)
    return None if text is None else variables_of(text)


def read_variables(path: str) -> dict[str, str] | None:
    """Return the variables that an environment file (``.env``) sets, or None if the file cannot be read."""
    try:
        modified = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return None
    return _read(path, modified)


def variables_of(text: str) -> dict[str, str]:
    """Parse the text of an environment file (``NAME=value`` lines); quotes and ``#`` comments are removed."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _ASSIGNMENT.fullmatch(line)
        if match is None:
            continue
        value = match[2].strip()
        quote = value[:1]
        if quote in ("'", '"') and (end := value.find(quote, 1)) > 0:
            value = value[1:end]
        else:
            value = re.split(r"\s#", f" {value}", maxsplit=1)[0].strip()
        found[match[1]] = value
    return found

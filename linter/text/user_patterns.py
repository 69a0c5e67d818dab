"""Regular expressions from `flint.toml`, run by RE2 in time linear in the length of the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MEMORY = 8 << 20
"""The memory in bytes that one user's pattern may use."""
_HINT = "lookarounds, backreferences, possessive quantifiers and atomic groups are not supported"


class PatternError(ValueError):
    """Raised for an unusable pattern; the message continues a sentence that begins with a `flint.toml` key."""


def linear_search(expression: str) -> Callable[[str], object]:
    """Return a function that searches texts for a pattern, in time linear in the length of the text.

    Raises `PatternError` if the pattern is not valid in RE2 (https://github.com/google/re2/wiki/Syntax) or too large
    for it, or if the package google-re2 is not installed.
    """
    search: Callable[[str], object] = linear_pattern(expression).search
    return search


def linear_pattern(expression: str) -> Any:
    """Compile a pattern with RE2, which matches in linear time; the result has the methods of `re.Pattern`.

    Raises `PatternError` as `linear_search` does.
    """
    try:
        import re2
    except ImportError:
        problem = "is a regular expression, which needs google-re2: pip install 'flink-flint[patterns]'"
        raise PatternError(problem) from None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise PatternError(f"is not a valid RE2 regular expression: {reason} ({_HINT})") from None

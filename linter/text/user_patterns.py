"""Regular expressions that users write in `flint.toml`: they run on RE2, whose time grows with the text alone."""

from __future__ import annotations

from collections.abc import Callable

_MEMORY = 8 << 20
"""Bytes that one pattern of a user may take."""
_HINT = "lookarounds, backreferences, possessive quantifiers and atomic groups are not supported"


class PatternError(ValueError):
    """A pattern that cannot be used; the message goes on after the name of what holds it."""


def linear_search(expression: str) -> Callable[[str], object]:
    """Return what finds an expression in a text, in time that grows with the length of the text and nothing else.

    Raises `PatternError` for what is no regular expression of RE2 (https://github.com/google/re2/wiki/Syntax), is too
    large for it, or where its package is not installed.
    """
    try:
        import re2
    except ImportError:
        told = "is a regular expression, which needs google-re2: pip install 'flink-flint[patterns]'"
        raise PatternError(told) from None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        search: Callable[[str], object] = re2.compile(expression, options).search
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise PatternError(f"is no regular expression of RE2: {reason} ({_HINT})") from None
    return search

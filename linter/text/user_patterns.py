"""Regular expressions: flint's own, compiled when they are first used, and those that users write.

A run uses a third of the expressions in the modules it imports, and compiling one takes as long as importing a module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast


class _Pattern:
    """Compiles at the first look at a method, and from then on answers with the compiled pattern's own."""

    def __init__(self, expression: str, flags: int) -> None:
        self.pattern = expression
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self.pattern, self._flags)
        for method in ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives, save that a wrong expression raises ``re.error`` when it is used."""
    return cast("re.Pattern[str]", _Pattern(expression, flags))


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

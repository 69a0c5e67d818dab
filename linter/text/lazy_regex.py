"""Regular expressions that are compiled when they are first used.

A check of one file uses a third of the expressions in the modules it imports. Compiling all of them at import costs a
fifth of its instructions.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast


class _Pattern:
    """A pattern that is compiled when a method is first used, and then has the methods of the compiled pattern."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self.pattern = expression
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self.pattern, self._flags)
        for method in ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern as `re.compile` does, except that it is compiled, and `re.error` raised, on first use."""
    return cast("re.Pattern[AnyStr]", _Pattern(expression, flags))

"""Regular expressions that are compiled when they are first used.

A run uses a third of the expressions in the modules it imports, and compiling one takes as long as importing a module.
"""

from __future__ import annotations

import re
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

"""The names in folders, which several parts of a run look up again and again."""

from __future__ import annotations

import os
from functools import cache


@cache
def names_in(folder: str) -> frozenset[str]:
    """Return the names of a folder's files and folders; empty if it cannot be read."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()

"""JSON with an indentation of one space per level.

The standard library indents in pure Python, passing every token through a generator per level.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False).encode


def indented(value: Any, margin: str = "\n") -> str:
    """Return what ``json.dumps(value, indent=1, ensure_ascii=False)`` returns; object keys must be strings."""
    inner = f"{margin} "
    if isinstance(value, dict) and value:
        members = [f"{_encode(name)}: {indented(member, inner)}" for name, member in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}"
    if isinstance(value, (list, tuple)) and value:
        return f"[{inner}{f',{inner}'.join([indented(member, inner) for member in value])}{margin}]"
    if value is None:
        return "null"
    return str(value) if type(value) is int else _encode(value)

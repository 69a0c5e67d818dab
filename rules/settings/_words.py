"""The words of commands in messages."""

from __future__ import annotations

_LONGEST = 40


def shown(text: str) -> str:
    """Return words as a message quotes them: cut if they are longer than 40 characters."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

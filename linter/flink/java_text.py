"""What Java makes of texts, as far as every typed value of Flink depends on it."""

from __future__ import annotations

JAVA_BLANKS = "".join(map(chr, range(33)))
"""What Java's String.trim takes off."""


class BadValue(ValueError):  # noqa: N818 - it names the value, not the failure
    """Flink refuses the value; `message` is its root cause's text."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

"""Basics that the parsers of all value types share: the characters that Java trims, and the error for bad values."""

from __future__ import annotations

JAVA_BLANKS = "".join(map(chr, range(33)))
"""The characters that Java's String.trim removes."""


class BadValue(ValueError):  # noqa: N818 - it names the value, not the failure
    """Raised for a value that Flink rejects; `message` is the message of the root cause."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

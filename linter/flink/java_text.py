"""How Java treats strings, as far as it affects all of Flink's typed values."""

from __future__ import annotations

JAVA_BLANKS = "".join(map(chr, range(33)))
"""The characters that Java's String.trim removes."""


class BadValue(ValueError):  # noqa: N818 - it names the value, not the failure
    """Raised for a value that Flink rejects; `message` is the message of the root cause."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

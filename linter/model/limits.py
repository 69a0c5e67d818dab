"""Limits on how much of one file is checked: counts, not seconds, so that every machine gives the same findings.

A format reports what it leaves out with `leave_out`; the caller that reads the file collects the reasons with
`collecting`, so that the run can report that the file was checked in part.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType

CHARACTERS = 1 << 20
"""The maximum number of bytes read from a file, unless its format has another limit."""
DOCUMENTS = 1_000
"""The maximum number of documents checked per file."""
SETTINGS = 10_000
"""The maximum number of settings checked per file, over all its documents."""
ELEMENTS = 10_000
"""The maximum number of elements checked per file, over all its documents."""
FINDINGS = 1_000
"""The maximum number of findings that each rule can report per file."""
COMPARISONS = 100_000
"""The maximum number of key comparisons per file when looking for the options meant by misspelled keys."""

_LONGEST_CHARACTER = 4
"""The maximum number of bytes of a character in UTF-8."""

# One per thread: the language server reads files in two.
_reasons: ContextVar[dict[str, None] | None] = ContextVar("_reasons", default=None)


class collecting:  # noqa: N801 - used as a function is
    """Context manager that collects the distinct reasons passed to `leave_out`, in order."""

    def __enter__(self) -> dict[str, None]:
        reasons: dict[str, None] = {}
        self._token: Token[dict[str, None] | None] = _reasons.set(reasons)
        return reasons

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _reasons.reset(self._token)


def leave_out(reason: str) -> None:
    """Record why a part of the file being read is not checked; `reason` is a clause for the message."""
    if (reasons := _reasons.get()) is not None:
        reasons[reason] = None


def cut(data: bytes, largest: int) -> bytes:
    """Return at most `largest` bytes of `data`, up to a line end if possible; call `leave_out` if bytes are cut off."""
    if len(data) <= largest:
        return data
    leave_out(f"it has {len(data):,} bytes, of which the first {largest:,} are read")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data[: largest & ~3]
    if end := data.rfind(b"\n", 0, largest) + 1:
        return data[:end]
    for end in range(largest, largest - _LONGEST_CHARACTER, -1):
        if data[end] & 0xC0 != 0x80:  # where a character begins
            return data[:end]
    return data[:largest]  # not UTF-8


class Budget:
    """The key comparisons that a file's documents may still make, and why the file is only partly checked."""

    __slots__ = ("_comparisons", "reasons")

    def __init__(self, reasons: dict[str, None]) -> None:
        self.reasons = reasons
        """Why the file is checked in part; empty if all of it is."""
        self._comparisons = COMPARISONS

    def take_comparisons(self, number: int) -> bool:
        """Return whether `number` more pairs of keys may be compared, and deduct them if so."""
        if number > self._comparisons:
            self.reasons[f"suggestions for misspelled keys stop after {COMPARISONS:,} pairs of keys"] = None
            return False
        self._comparisons -= number
        return True

"""How much of one file is judged, in counts that give the same findings on every machine; never in seconds.

What a reader leaves out it says with `leave_out`; whoever reads a file collects that with `collecting`, so that the
run can report that the file was judged in part.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType

CHARACTERS = 1 << 20
"""Bytes of a file that are read, unless its format has another limit."""
DOCUMENTS = 1_000
"""Documents of a file that are judged."""
SETTINGS = 10_000
"""Settings of a file that are judged, of all its documents together."""
ELEMENTS = 10_000
"""Elements of a file that are judged, of all its documents together."""
FINDINGS = 1_000
"""Findings of one rule that are reported of a file."""
COMPARISONS = 100_000
"""Pairs of keys that are compared for a file to find what a misspelled key was meant to be."""

_LONGEST_CHARACTER = 4
"""Bytes of a character in UTF-8."""

# Of each thread its own: the language server reads files in two.
_reasons: ContextVar[dict[str, None] | None] = ContextVar("_reasons", default=None)


class collecting:  # noqa: N801 - used as a function is
    """Within it, the reasons why something is left out are collected: in order, each once."""

    def __enter__(self) -> dict[str, None]:
        reasons: dict[str, None] = {}
        self._token: Token[dict[str, None] | None] = _reasons.set(reasons)
        return reasons

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _reasons.reset(self._token)


def leave_out(reason: str) -> None:
    """Say why something of the file that is being read is not judged; `reason` is the rest of a sentence."""
    if (reasons := _reasons.get()) is not None:
        reasons[reason] = None


def cut(data: bytes, largest: int) -> bytes:
    """As many bytes as are read of a file, up to the end of a line if there is one; says so where that is not all."""
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
    return data[:largest]  # no UTF-8


class Budget:
    """What is left of the counts of one file while its documents are judged; its documents share it."""

    __slots__ = ("_comparisons", "reasons")

    def __init__(self, reasons: dict[str, None]) -> None:
        self.reasons = reasons
        """Why the file is judged in part; empty where all of it is."""
        self._comparisons = COMPARISONS

    def take_comparisons(self, number: int) -> bool:
        """Whether so many pairs of keys may still be compared."""
        if number > self._comparisons:
            self.reasons[f"misspelled keys are looked up until {COMPARISONS:,} pairs of keys were compared"] = None
            return False
        self._comparisons -= number
        return True

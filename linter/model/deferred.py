"""Edits of fixes that are worked out when somebody looks into them.

Most fixes are never looked at: a rule only says what it would change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

from flink_flint.linter.model.finding import Fix
from flink_flint.linter.text.spans import Edit

if TYPE_CHECKING:
    from flink_flint.linter.flink.entries import Entry


class Maker(Protocol):
    """What works edits out."""

    def work_out(self, wanted: Deferred) -> Sequence[Edit]:
        """The edits; empty where the file cannot take them."""


class Trace(Protocol):
    """What takes note that a rule looked at all of a document."""

    everything: bool


class Deferred(Sequence[Edit]):
    """Edits that count as some until somebody looks into them, and then turn out to be empty where the file cannot
    take them."""

    def __init__(self, maker: Maker, how: str, arguments: tuple[Entry | str, ...]) -> None:
        self._maker = maker
        self.how = how
        self.arguments = arguments
        self.known: Sequence[Edit] | None = None
        self.trace: Trace | None = None
        """What takes note that a rule looked into them."""

    def __bool__(self) -> bool:
        return True

    def _edits(self) -> Sequence[Edit]:
        if self.trace is not None:
            self.trace.everything = True
        if self.known is None:
            self.known = self._maker.work_out(self)
        return self.known

    def __iter__(self) -> Iterator[Edit]:
        return iter(self._edits())

    def __len__(self) -> int:
        return len(self._edits())

    @overload
    def __getitem__(self, place: int) -> Edit: ...
    @overload
    def __getitem__(self, place: slice) -> list[Edit]: ...
    def __getitem__(self, place: Any) -> Any:
        return list(self._edits())[place]


class Joined(Deferred):
    """The edits of several fixes as those of one, which is empty where one of them is."""

    def __init__(self, parts: Sequence[Sequence[Edit]]) -> None:
        self._parts = parts
        self.known = self.trace = None

    def _edits(self) -> Sequence[Edit]:
        if self.known is None:
            parts = [list(part) for part in self._parts]
            self.known = [edit for part in parts for edit in part] if all(parts) else []
        return self.known


def joined(title: str, fixes: Sequence[Fix | None], *, safe: bool) -> Fix | None:
    """One fix that makes the edits of several of one file; None where one of them cannot be made."""
    made = [fix for fix in fixes if fix is not None]
    if len(made) < len(fixes):
        return None
    return Fix(title, Joined([fix.edits for fix in made]), safe, made[0].path)

"""A script that is being typed, cut at its semicolons so that an edit leaves most statements as they were.

The places in what was read of a statement must stay the same while statements above it grow. So each statement has
numbers of its own for them, from its `base` on, and what stands where is looked up when somebody wants to know.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from flink_flint.linter.flink.entries import MAX_CHARACTERS
from flink_flint.linter.formats.sql.sql_tokens import HINT, MARK, Cut, Token, tokenize
from flink_flint.linter.text.spans import Span

_BITS = MAX_CHARACTERS.bit_length() + 1
_BASE = -1 << _BITS
"""What a place has of the base of its piece."""
_FARTHEST = 600
"""Characters before an edit in which a token may begin that it changes; a quoted name may begin on all of its line."""


class _Piece:
    """The text up to a semicolon and with it, or behind the last one."""

    __slots__ = ("cut", "first", "number", "text")

    def __init__(self, text: str, number: int, tokens: list[Token], by: int) -> None:
        base = number << _BITS
        own = [Token(kind, raw, base + start - by) for kind, raw, start in tokens]
        self.text = text
        self.number = number
        self.first = own[0] if own else None
        """Its first token, be it the semicolon."""
        if own and own[-1].raw == ";" and own[-1].kind == MARK:
            del own[-1]
        hints = 0
        while hints < len(own) and own[hints].kind == HINT:
            hints += 1
        self.cut = Cut(own[hints:], text, base)


class Cutting:
    """The pieces of a script, kept up to date."""

    def __init__(self, text: str) -> None:
        self._pieces: list[_Piece] = []
        self._starts: list[int] = []
        self._number = 0
        self.places: dict[int, int] = {}
        """Where pieces begin, by their numbers; not changed, but replaced with each edit."""
        for start, end, tokens in _cuts(text, 0):
            self._pieces.append(self._piece(text[start:end], tokens, start))
            self._starts.append(start)
        self._place()

    def _piece(self, text: str, tokens: list[Token], start: int) -> _Piece:
        self._number += 1
        return _Piece(text, self._number, tokens, start)

    def _place(self) -> None:
        self.places = {piece.number: start for piece, start in zip(self._pieces, self._starts, strict=True)}

    def replace(self, text: str, start: int, end: int, length: int) -> None:
        """Cut anew what an edit touched: `length` characters of the text stand where it had those of a span."""
        starts, pieces, shift = self._starts, self._pieces, length - (end - start)
        line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        first = bisect_right(starts, max(min(start - _FARTHEST, line), 0)) - 1
        last = len(pieces)
        found: list[tuple[int, int, list[Token]]] = []
        for one in _cuts(text, starts[first]):
            found.append(one)
            behind = one[1] - shift
            if behind >= end and one[1] >= start + length:
                place = bisect_left(starts, behind)
                if place < len(starts) and starts[place] == behind:
                    last = place
                    break
        known = dict(zip(starts[first:last], pieces[first:last], strict=True))
        new = []
        for top, bottom, tokens in found:
            # Only what is above or below the edit can be what it was: so all that stays keeps its order.
            was = top if bottom <= start else top - shift if top >= start + length else -1
            same = known.get(was)
            if same is None or same.text != text[top:bottom]:
                same = self._piece(text[top:bottom], tokens, top)
            new.append(same)
        pieces[first:last] = new
        starts[first:] = [*(top for top, _, _ in found), *(one + shift for one in starts[last:])]
        self._place()

    def cuts(self) -> Iterator[Cut]:
        """What stands between the semicolons."""
        return (piece.cut for piece in self._pieces)

    @property
    def head(self) -> Span | None:
        """Where the script begins."""
        first = next((piece.first for piece in self._pieces if piece.first is not None), None)
        return None if first is None else placed(first.span, self.places)


def placed(span: Span, places: dict[int, int]) -> Span:
    """Where a span of a piece stands."""
    shift = shift_of(span.start, places)
    return Span(span.start + shift, span.end + shift)


def shift_of(place: int, places: dict[int, int]) -> int:
    """From a place in a piece to where that stands."""
    return places[place >> _BITS] - (place & _BASE)


def _cuts(text: str, start: int) -> Iterator[tuple[int, int, list[Token]]]:
    """The pieces of a text from a place on: where each begins and ends, and its tokens."""
    gathered: list[Token] = []
    for token in tokenize(text, start):
        gathered.append(token)
        if token.raw == ";" and token.kind == MARK:
            yield start, token.end, gathered
            start, gathered = token.end, []
    yield start, len(text), gathered


class Memory:
    """What followed from statements when a script was last read: the `once` of `read_cuts`."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[Any, tuple[Any, ...]]] = {}
        self._former = self._known

    def begin(self) -> None:
        """Begin to read; what was not asked for since the last time is forgotten."""
        self._former, self._known = self._known, {}

    def once(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a pure function gives for these very arguments."""
        key = (function, *map(_identity, arguments))
        known = self._known.get(key)
        if known is None:
            known = self._former.get(key)
            if known is None:
                known = function(*arguments), arguments  # kept, so that nothing else gets the identity of one
            self._known[key] = known
        return known[0]


def _identity(argument: Any) -> object:
    kind = type(argument)
    if kind is str or kind is frozenset or argument is None:
        return argument
    if kind is int or kind is bool:
        return (argument,)
    if kind is list and argument and type(argument[0]) is Token:
        return (argument[0].start, argument[-1].start)  # no other tokens have these numbers
    if kind is tuple:
        return tuple(map(_identity, argument))
    return id(argument)

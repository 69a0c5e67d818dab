"""Parts of statements: names, option maps, bracketed lists, and intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats.sql.sql_tokens import MARK, QUOTED, STRING, TAG, WORD, Token
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_UNITS = {
    "MILLISECOND": 1,
    "SECOND": 1_000,
    "MINUTE": 60_000,
    "HOUR": 3_600_000,
    "DAY": 86_400_000,
    "WEEK": 604_800_000,
}


class Option(NamedTuple):
    """A pair ``'key' = 'value'``; the value is None if it is unknown."""

    key: str
    key_span: Span
    value: str | None
    value_span: Span
    raw: str


class Name(NamedTuple):
    """A name of one or more parts, in the order written, and its span."""

    parts: tuple[str, ...]
    span: Span

    @property
    def last(self) -> str:
        """The name without catalog and database."""
        return self.parts[-1]


def read_name(tokens: Sequence[Token], place: int) -> tuple[Name | None, int]:
    """Return the name at an index and the index behind it; None if there is no name or a template makes it."""
    parts: list[str] = []
    start = place
    while place < len(tokens) and tokens[place].kind in (WORD, QUOTED):
        parts.append(tokens[place].text)
        place += 1
        touches = place < len(tokens) and tokens[place].kind == TAG and tokens[place].start == tokens[place - 1].end
        if touches or not (place + 1 < len(tokens) and tokens[place].raw == "."):
            if touches:
                return None, place + 1
            return Name(tuple(parts), Span(tokens[start].start, tokens[place - 1].end)), place
        place += 1
    return None, place


def closing(tokens: Sequence[Token], place: int) -> int:
    """Return the index of the matching closing bracket, or the end if there is none."""
    depth = 0
    for at in range(place, len(tokens)):
        if tokens[at].kind == MARK:
            if tokens[at].raw == "(":
                depth += 1
            elif tokens[at].raw == ")":
                depth -= 1
                if depth == 0:
                    return at
    return len(tokens)


def bracket_ends(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the index of the closing bracket for each round bracket that is closed."""
    ends: dict[int, int] = {}
    open_ones: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == MARK and token.raw == "(":
            open_ones.append(at)
        elif token.kind == MARK and token.raw == ")" and open_ones:
            ends[open_ones.pop()] = at
    return ends


def members(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the members of a list, separated by commas outside of brackets."""
    depth = start = 0
    for place, token in enumerate(tokens):
        if token.kind != MARK:
            continue
        if token.raw in "(<[":
            depth += 1
        elif token.raw in ")>]":
            depth -= 1
        elif token.raw == "," and depth <= 0:
            if place > start:
                yield tokens[start:place]
            start = place + 1
    if start < len(tokens):
        yield tokens[start:]


def read_options(tokens: Sequence[Token]) -> list[Option]:
    """Return the options in ``WITH (...)`` or ``OPTIONS(...)``; anything but pairs is skipped."""
    found = []
    for pair in members(tokens):
        if len(pair) < 3 or pair[0].kind != STRING or pair[1].raw != "=":
            continue
        key, value = pair[0], pair[2]
        if is_templated(key.text):
            continue
        known = len(pair) == 3 and value.kind == STRING and not is_templated(value.text)
        span = Span(value.start, pair[-1].end)
        raw = value.raw if len(pair) == 3 else ""
        found.append(Option(key.text, key.span, value.text if known else None, span, raw))
    return found


def interval_ms(tokens: Sequence[Token]) -> int | None:
    """Return the milliseconds of ``INTERVAL '5' SECOND``; None for other tokens or units of variable length."""
    if len(tokens) < 3 or tokens[0].upper != "INTERVAL" or tokens[1].kind != STRING:
        return None
    unit = tokens[2].upper.removesuffix("S")
    number = re.fullmatch(r"\s*(\d{1,9})(?:\.(\d{1,9}))?\s*", tokens[1].text)
    if number is None or unit not in _UNITS or any(token.upper == "TO" for token in tokens[3:4]):
        return None
    return int(float(f"{number[1]}.{number[2] or 0}") * _UNITS[unit])

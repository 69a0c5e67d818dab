"""Rewriting of queries so that sqlglot can parse them and every name keeps its position.

Syntax that only Flink has (hints, ``TABLE(TUMBLE(TABLE bids, ...))``, ``FOR SYSTEM_TIME AS OF``, MATCH_RECOGNIZE,
column types, clauses of JSON functions) is read from the tokens here and overwritten with spaces or a plain name that
is not longer, so that offsets in the tree are offsets in the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.formats.sql.sql_tokens import HINT, MARK, QUOTED, STRING, TAG, WORD, Token, tokenize
from flink_flint.linter.formats.sql.statement_parts import (
    Option,
    bracket_ends,
    closing,
    members,
    read_name,
    read_options,
)
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_WINDOWS = frozenset(("TUMBLE", "HOP", "CUMULATE", "SESSION"))
_JSON = frozenset(
    ("JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "JSON_OBJECT", "JSON_ARRAY", "JSON_OBJECTAGG", "JSON_ARRAYAGG")
)


class Hint(NamedTuple):
    """A hint (``/*+ ... */``): its name, the last part of the table name in it, its options, and other arguments."""

    name: str
    table: str
    span: Span
    options: Sequence[Option]
    arguments: Sequence[str]


class Masked:
    """A query with Flink-specific syntax overwritten, and the contents of that syntax."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.start = tokens[0].start
        self._ends = bracket_ends(tokens)
        self._text = [" "] * (tokens[-1].end - self.start)
        self.hints: list[Hint] = []
        self.windowed: dict[int, str] = {}
        """The window function that is applied to a table, by the offset of the table."""
        self.versioned: dict[int, tuple[str, Span]] = {}
        """The time column in FOR SYSTEM_TIME AS OF and its span, by the offset of the table."""
        self.patterns: list[Span] = []
        """The spans of the MATCH_RECOGNIZE keywords."""
        self.tags: set[int] = set()
        """The offsets of the names that a template generates."""
        self.first = tokens[0].span
        """The span of the first token, used for findings without a more specific span."""
        self.depth = 0
        """The maximum nesting depth of the brackets."""
        for token in tokens:
            self._write(token.start, token.raw)
        self._read(tokens)

    @property
    def text(self) -> str:
        """The query's text with Flink-specific syntax overwritten, so that sqlglot can parse it."""
        return "".join(self._text)

    def _end(self, tokens: Sequence[Token], place: int) -> int:
        return self._ends.get(place, len(tokens))

    def _write(self, start: int, text: str) -> None:
        at = start - self.start
        self._text[at : at + len(text)] = text

    def _blank(self, start: int, end: int) -> None:
        self._write(start, " " * (end - start))

    def _read(self, tokens: Sequence[Token]) -> None:
        depth = place = 0
        while place < len(tokens):
            token = tokens[place]
            word = token.upper
            following = tokens[place + 1] if place + 1 < len(tokens) else None
            if token.kind == MARK:
                depth += (token.raw == "(") - (token.raw == ")")
                self.depth = max(self.depth, depth)
            elif token.kind == HINT:
                self._hint(tokens, place)
            elif token.kind == TAG:
                self._write(token.start, "_" * len(token.raw))
                self.tags.add(token.start)
            elif token.kind == WORD and following is not None and following.kind == STRING:
                if token.end == following.start:
                    self._blank(token.start, token.end)  # X'1F', _UTF16'...'
            elif word == "FOR" and following is not None and following.upper == "SYSTEM_TIME":
                self._version(tokens, place)
            elif word in _WINDOWS or (word == "TABLE" and following is not None and following.raw == "("):
                self._table_function(tokens, place)
            elif word in ("CAST", "TRY_CAST") and following is not None and following.raw == "(":
                self._cast(tokens, place + 1)
            elif word in _JSON and following is not None and following.raw == "(":
                self._write(token.start, "_" * len(token.raw))
                end = self._end(tokens, place + 1)
                self._blank(following.end, tokens[end].start if end < len(tokens) else tokens[-1].end)
                place = end - 1
            elif word == "MATCH_RECOGNIZE" and following is not None and following.raw == "(":
                end = self._end(tokens, place + 1)
                self.patterns.append(token.span)
                self._blank(token.start, tokens[min(end, len(tokens) - 1)].end)
                place = end
            place += 1

    def _hint(self, tokens: Sequence[Token], place: int) -> None:
        token = tokens[place]
        self._blank(token.start, token.end)
        behind = tokens[place - 1] if place else None
        table = behind.text if behind is not None and behind.kind in (WORD, QUOTED) else ""
        end = len(token.raw) - 2 * token.raw.endswith("*/")
        inner = [one._replace(start=token.start + one.start) for one in tokenize(token.raw, 3, end)]
        at = 0
        while at < len(inner):
            if inner[at].kind == WORD and at + 1 < len(inner) and inner[at + 1].raw == "(":
                end = closing(inner, at + 1)
                body = inner[at + 2 : end]
                arguments = [part[0].text for part in members(body) if len(part) == 1]
                self.hints.append(Hint(inner[at].upper, table, inner[at].span, read_options(body), arguments))
                at = end
            at += 1

    def _version(self, tokens: Sequence[Token], place: int) -> None:
        end = place + 4  # FOR SYSTEM_TIME AS OF
        name, behind = read_name(tokens, end)
        if behind == end or (behind < len(tokens) and tokens[behind].raw == "("):
            behind = self._end(tokens, behind) + 1  # a function, or an expression in brackets
        if name is not None and len(name.parts) == 1 and name.last.upper() == "TIMESTAMP":
            behind = end + 2
        self._blank(tokens[place].start, tokens[min(behind, len(tokens)) - 1].end)
        start = place - 1
        while start > 0 and tokens[start].kind == HINT:
            start -= 1
        while start > 1 and tokens[start - 1].raw == ".":
            start -= 2
        if start >= 0:
            column = (name.last, name.span) if name is not None else ("", tokens[place].span)
            self.versioned[tokens[start].start] = column

    def _table_function(self, tokens: Sequence[Token], place: int) -> None:
        """Replace ``TABLE(TUMBLE(TABLE bids, ...))`` with ``bids``, ``LATERAL TABLE(f(x))`` with ``UNNEST(f(x))``."""
        outer = tokens[place].upper == "TABLE"
        at = place + 2 if outer else place
        if at + 1 >= len(tokens) or tokens[at].kind not in (WORD, QUOTED):
            return
        name, bracket = read_name(tokens, at)
        if name is None or bracket >= len(tokens) or tokens[bracket].raw != "(":
            return
        end = self._end(tokens, place + 1 if outer else bracket)
        end = min(end, len(tokens) - 1)
        source = bracket + 1
        if source + 1 < len(tokens) and tokens[source].upper == "DATA":
            source += 3  # DATA => TABLE bids
        if source < len(tokens) and tokens[source].upper == "TABLE":
            table, behind = read_name(tokens, source + 1)
            if table is None:
                return
            self._blank(tokens[place].start, table.span.start)
            self._blank(tokens[behind - 1].end, tokens[end].end)
            self.windowed[table.span.start] = name.last.upper()
        elif outer:
            lateral = place > 0 and tokens[place - 1].upper == "LATERAL"
            start = tokens[place - 1].start if lateral else tokens[place].start
            self._blank(start, tokens[place].end)
            # "LATERAL TABLE" has space for the name; without LATERAL, the function itself is enough.
            if lateral:
                self._write(start, "UNNEST")
            else:
                self._blank(tokens[place + 1].start, tokens[place + 1].end)
                self._blank(tokens[end].start, tokens[end].end)

    def _cast(self, tokens: Sequence[Token], bracket: int) -> None:
        end = self._end(tokens, bracket)
        depth = 0
        for at in range(bracket, end):
            token = tokens[at]
            depth += (token.raw == "(") - (token.raw == ")") if token.kind == MARK else 0
            if depth == 1 and token.upper == "AS" and at + 1 < end:
                first, last = tokens[at + 1], tokens[end - 1]
                if last.end - first.start >= len("INT"):
                    self._blank(first.start, last.end)
                    self._write(first.start, "INT")
                return

"""Splits Flink SQL into tokens and statements, with their positions.

This does not need a grammar: it distinguishes strings, quoted names, comments, hints, and template tags, and semicolons
end statements. It never fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

STRING, QUOTED, WORD, NUMBER, MARK, HINT, TAG = "string", "quoted", "word", "number", "mark", "hint", "tag"

_MAX_TAG_LENGTH = 500
"""Maximum length of a template tag, so that the end of an unclosed tag is not searched for in the whole file."""
_TOKEN = re.compile(
    rf"""(?P<comment>--[^\r\n]*)
    |(?P<hint>/\*\+[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))
    |(?P<block>/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))
    |(?P<string>'[^']*(?:''[^']*)*(?:'|\Z))
    |(?P<quoted>`[^`]*(?:``[^`]*)*(?:`|\Z)|"[^"\r\n]*")
    |(?P<tag>\$\{{[^{{}}]{{0,{_MAX_TAG_LENGTH}}}\}}|\{{\{{[^{{}}]{{0,{_MAX_TAG_LENGTH}}}\}}\}}
        |\{{%[^%]{{0,{_MAX_TAG_LENGTH}}}%\}}|<%[^%]{{0,{_MAX_TAG_LENGTH}}}%>|(?<![\w:]):[A-Za-z_]\w*)
    |(?P<word>[^\W\d]\w*)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<mark>\S)""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A token of SQL: its kind, its text as written, and its offset."""

    kind: str
    raw: str
    start: int

    @property
    def end(self) -> int:
        """The offset just after the token's last character."""
        return self.start + len(self.raw)

    @property
    def span(self) -> Span:
        """The span of the token."""
        return Span(self.start, self.start + len(self.raw))

    @property
    def upper(self) -> str:
        """The token's text in uppercase if the token is a word or punctuation mark; otherwise empty."""
        return self.raw.upper() if self.kind in (WORD, MARK) else ""

    @property
    def text(self) -> str:
        """The token's text, without the quotes if the token is a string or quoted name."""
        if self.kind not in (STRING, QUOTED):
            return self.raw
        quote = self.raw[0]
        inner = self.raw[1:-1] if len(self.raw) > 1 and self.raw.endswith(quote) else self.raw[1:]
        return inner.replace(quote * 2, quote)


class Statement(NamedTuple):
    """An SQL statement, without its semicolon and without the words that start a statement set."""

    tokens: Sequence[Token]
    set_number: int | None
    """The index of the statement set that contains the statement; None if it is not in a statement set."""
    text: str
    """The text of the whole script, which the statement's spans refer to."""

    @property
    def span(self) -> Span:
        """The span from the statement's first token to its last."""
        return Span(self.tokens[0].start, self.tokens[-1].end)

    def begins(self, *words: str) -> bool:
        """Return whether the statement starts with the keywords `words` (given in uppercase), in any capitalization."""
        return len(self.tokens) >= len(words) and all(
            token.upper == word for token, word in zip(self.tokens, words, strict=False)
        )

    def written(self, start: int, end: int) -> str:
        """Return the text of the script between two offsets, as written."""
        return self.text[start:end]


def tokenize(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Yield the tokens of `text`, including hints but excluding comments and the control tags of templates."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        if kind in ("comment", "block", None) or (kind == TAG and match[0].startswith(("{%", "<%"))):
            continue
        yield Token(kind, match[0], match.start())


_OPENINGS = (
    ("EXECUTE", "STATEMENT", "SET", "BEGIN"),
    ("STATEMENT", "SET", "BEGIN"),
    ("EXPLAIN", "STATEMENT", "SET", "BEGIN"),
)


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a script, including the statements inside statement sets."""
    sets = 0
    inside: int | None = None
    for tokens in _between_semicolons(text):
        statement = Statement(tokens, None, text)
        for opening in _OPENINGS:
            if statement.begins(*opening):
                inside, sets = sets, sets + 1
                statement = statement._replace(tokens=statement.tokens[len(opening) :])
        if statement.begins("BEGIN", "STATEMENT", "SET"):
            inside, sets = sets, sets + 1
        elif statement.begins("END") and len(statement.tokens) == 1:
            inside = None
        elif statement.tokens:
            yield statement._replace(set_number=inside)


def _between_semicolons(text: str) -> Iterator[Sequence[Token]]:
    gathered: list[Token] = []
    for token in (*tokenize(text), Token(MARK, ";", len(text))):
        if token.raw == ";" and token.kind == MARK:
            yield gathered
            gathered = []
        # A hint before a statement is in fact a comment and must not hide the statement.
        elif gathered or token.kind != HINT:
            gathered.append(token)

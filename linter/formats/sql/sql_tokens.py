"""Flink SQL cut into tokens and statements, with the place of each.

The grammar is not needed for that: strings, quoted names, comments, hints and the tags of templates are told apart,
and semicolons end statements. It never fails, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

STRING, QUOTED, WORD, NUMBER, MARK, HINT, TAG = "string", "quoted", "word", "number", "mark", "hint", "tag"

_LONGEST_TAG = 500
"""Characters between the braces of a template's tag: an unclosed one must not make the reader look to the end."""
_TOKEN = re.compile(
    rf"""(?P<comment>--[^\r\n]*)
    |(?P<hint>/\*\+[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))
    |(?P<block>/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))
    |(?P<string>'[^']*(?:''[^']*)*(?:'|\Z))
    |(?P<quoted>`[^`]*(?:``[^`]*)*(?:`|\Z)|"[^"\r\n]*")
    |(?P<tag>\$\{{[^{{}}]{{0,{_LONGEST_TAG}}}\}}|\{{\{{[^{{}}]{{0,{_LONGEST_TAG}}}\}}\}}
        |\{{%[^%]{{0,{_LONGEST_TAG}}}%\}}|<%[^%]{{0,{_LONGEST_TAG}}}%>|(?<![\w:]):[A-Za-z_]\w*)
    |(?P<word>[^\W\d]\w*)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<mark>\S)""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """One token: its kind, its text as written, and where it begins."""

    kind: str
    raw: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.raw)

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.start + len(self.raw))

    @property
    def upper(self) -> str:
        """The word in capitals; a mark as it is; the empty string for anything else."""
        return self.raw.upper() if self.kind in (WORD, MARK) else ""

    @property
    def text(self) -> str:
        """What a string or a quoted name stands for; anything else as written."""
        if self.kind not in (STRING, QUOTED):
            return self.raw
        quote = self.raw[0]
        inner = self.raw[1:-1] if len(self.raw) > 1 and self.raw.endswith(quote) else self.raw[1:]
        return inner.replace(quote * 2, quote)


class Statement(NamedTuple):
    """One statement, without its semicolon and the words that open a statement set."""

    tokens: Sequence[Token]
    set_number: int | None
    """The statement set it is in, counted from 0; None outside of any."""
    text: str
    """The text of the script."""

    @property
    def span(self) -> Span:
        """From its first token to its last."""
        return Span(self.tokens[0].start, self.tokens[-1].end)

    def begins(self, *words: str) -> bool:
        """Whether it begins with these words (in capitals)."""
        return len(self.tokens) >= len(words) and all(
            token.upper == word for token, word in zip(self.tokens, words, strict=False)
        )

    def written(self, start: int, end: int) -> str:
        """Return the text between two of its places."""
        return self.text[start:end]


def tokenize(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of a text but its comments and the tags that steer a template; hints are tokens."""
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
    """Yield the statements of a script, those inside of statement sets one by one."""
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
        # What looks like a hint before a statement is a comment someone dressed up, and must not hide it.
        elif gathered or token.kind != HINT:
            gathered.append(token)

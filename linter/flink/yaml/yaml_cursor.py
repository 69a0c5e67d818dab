"""A cursor in a YAML text: position, line breaks, and errors like those of Flink's loader."""

from __future__ import annotations

import re

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_BREAK = regex(r"\r\n|\n|\r")
ENDS = "\0\t\r\n "
"""The characters that may follow a YAML indicator such as ``-``; NUL stands for the end of the text."""
BLANK_OR_LINE_END = "\0\r\n "
BREAKS = "\r\n\x85\u2028\u2029"
BLANKS = regex("[ ]*")
COMMENT = regex("[^\0\r\n]*")


class YamlError(Exception):
    """An error that makes Flink's YAML library reject a text.

    `reason` is a short code of flint; `problem` and `context` are the texts of the library; `at` and `context_at` are
    offsets. `plain` errors have no place in Java.
    """

    def __init__(
        self, reason: str, problem: str, at: int, context: str | None = None, context_at: int | None = None,
        end: int | None = None, *, plain: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(problem)
        self.reason, self.problem, self.at = reason, problem, at
        self.context, self.context_at, self.plain = context, context_at, plain
        self.end = at + 1 if end is None else end

    def java_message(self, text: str) -> str:
        """Return the message as it appears in Flink's log, with positions counted as Flink's YAML library does."""
        if self.plain:
            return self.problem
        lines = [] if self.context is None else [self.context]
        if self.context_at is not None:
            lines.append(_place(text, self.context_at))
        lines += [self.problem, _place(text, self.at)]
        return "".join(line + "\n" for line in lines)


def _place(text: str, offset: int) -> str:
    start, line = 0, 1
    if text.startswith("\ufeff"):
        start = 1
    for match in _BREAK.finditer(text, 0, offset):
        # a line break that contains the offset (between CR and LF) has not ended its line yet
        line, start = line + 1, match.end()
    return f" in reader, line {line}, column {offset - start + 1}"


def with_code(char: str) -> str:
    """Return a character with its code, as the errors of Flink's YAML library print it: ``a(97)``."""
    return f"{char}({ord(char)})"


class Token(NamedTuple):
    id: str  # the library's name of the token, which its errors print
    start: int
    end: int
    value: str = ""
    style: str = ""
    handle: str | None = None  # of a tag; None where the tag is verbatim
    numbers: tuple[int, ...] = ()  # of a %YAML directive


class Cursor:
    """A position in a YAML text that is padded with NUL characters to mark its end."""

    def __init__(self, text: str) -> None:
        self.pos = 0
        if text.startswith("\ufeff"):  # removed by the reader of the stream
            self.pos = 1
        self.line_start = self.pos
        self.origin = self.pos
        self.text = text + "\0\0\0\0"
        self.end = len(text)

    def column(self) -> int:
        """Return the column of the current position, counted from 0."""
        return self.pos - self.line_start

    def line_break(self) -> str:
        """Consume and return a line break as Flink's YAML library normalizes it; an empty string if there is none."""
        char = self.text[self.pos]
        if char == "\n":
            self.pos += 1
            self.line_start = self.pos
            return "\n"
        if char == "\r":
            self.pos += 2 if self.text[self.pos + 1] == "\n" else 1
            self.line_start = self.pos
            return "\n"
        if char == "\x85":
            self.pos += 1
            return "\n"
        if char == "\u2028" or char == "\u2029":
            self.pos += 1
            return char
        return ""

    def fail(self, problem: str, context: str | None = None, context_at: int | None = None) -> YamlError:
        """Return a syntax error for the current position."""
        return YamlError("syntax", problem, self.pos, context, context_at)

    def run(self, pattern: re.Pattern[str]) -> str:
        """Consume and return the text that `pattern` matches at the current position; there must be a match."""
        start = self.pos
        self.pos = pattern.match(self.text, start).end()  # type: ignore[union-attr]
        return self.text[start : self.pos]

    def ignore_rest_of_line(self, context: str, start: int) -> None:
        """Consume blanks, a comment and the line break; raise YamlError if anything else precedes the line break."""
        self.run(BLANKS)
        if self.text[self.pos] == "#":
            self.run(COMMENT)
        char = self.text[self.pos]
        if char != "\0" and not self.line_break():
            problem = f"expected a comment or a line break, but found {with_code(char)}"
            raise self.fail(problem, context, start)

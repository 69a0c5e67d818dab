"""A YAML text being read: the place in it, its line breaks, and the refusals, as Flink's loader has them."""

from __future__ import annotations

import re

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_BREAK = regex(r"\r\n|\n|\r")
ENDS = "\0\t\r\n "
"""What may follow an indicator."""
BLANK_OR_LINE_END = "\0\r\n "
BREAKS = "\r\n\x85\u2028\u2029"
BLANKS = regex("[ ]*")
COMMENT = regex("[^\0\r\n]*")


class YamlError(Exception):
    """The library refuses the text.

    `reason` is a short code of ours; `problem` and `context` are the library's words; `at` and
    `context_at` are offsets. `plain` errors carry no place in Java.
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
        """The message as Flink's log has it, with the places counted as the library does."""
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
        # a break that the offset stands within (between CR and LF) has not ended its line yet
        line, start = line + 1, match.end()
    return f" in reader, line {line}, column {offset - start + 1}"


def with_code(char: str) -> str:
    """A character as the library's errors print it."""
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
    """A place in a text. A NUL behind the end of the text stands for the end."""

    def __init__(self, text: str) -> None:
        self.pos = 0
        if text.startswith("\ufeff"):  # taken off by the reader of the stream
            self.pos = 1
        self.line_start = self.pos
        self.origin = self.pos
        self.text = text + "\0\0\0\0"
        self.end = len(text)

    def column(self) -> int:
        """Characters since the line began; 0 at its start."""
        return self.pos - self.line_start

    def line_break(self) -> str:
        """Take one line break; what it means, or nothing if there is none."""
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
        """The refusal of what stands here."""
        return YamlError("syntax", problem, self.pos, context, context_at)

    def run(self, pattern: re.Pattern[str]) -> str:
        """Take what a pattern (one that always matches) finds here."""
        start = self.pos
        self.pos = pattern.match(self.text, start).end()  # type: ignore[union-attr]
        return self.text[start : self.pos]

    def ignore_rest_of_line(self, context: str, start: int) -> None:
        """Take blanks, a comment and the line break; raises YamlError for anything else before it."""
        self.run(BLANKS)
        if self.text[self.pos] == "#":
            self.run(COMMENT)
        char = self.text[self.pos]
        if char != "\0" and not self.line_break():
            problem = f"expected a comment or a line break, but found {with_code(char)}"
            raise self.fail(problem, context, start)

"""A scanner of YAML scalars (plain, quoted, literal and folded) that works like Flink's loader (snakeyaml-engine 2)."""

from __future__ import annotations

import re

from flink_flint.linter.flink.yaml.yaml_cursor import (
    BLANK_OR_LINE_END,
    COMMENT,
    ENDS,
    Cursor,
    Token,
    YamlError,
    with_code,
)
from flink_flint.linter.text.lazy_regex import regex

_BLANKS_TABS = regex("[ \t]*")
_PLAIN_BLOCK = regex("(?:[^\0\t\r\n :]+|:(?![\0\t\r\n ]))*")
_PLAIN_FLOW = regex("(?:[^\0\t\r\n :,\\[\\]{}]+|:(?![\0\t\r\n ,\\[\\]{}]))*")
_QUOTED = regex("[^\0\t\r\n '\"\\\\]*")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_SURROGATE = regex("[\ud800-\udfff]")
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}


class ScalarScanner(Cursor):
    """Scans the YAML scalar at the current position, given the current indentation."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.flow = 0
        self.indent = -1
        self.simple_key_allowed = True

    def scan_block_scalar(self, style: str) -> Token:
        start, context, text = self.pos, "while scanning a block scalar", self.text
        self.pos += 1
        chomping, increment = self._scan_block_header(start)
        self.ignore_rest_of_line(context, start)
        min_indent = max(self.indent + 1, 1)
        parts: list[str] = []
        if increment:
            indent = min_indent + increment - 1
            breaks, end = self._scan_block_breaks(indent)
        else:
            breaks, widest, end = self._scan_block_indentation()
            indent = max(min_indent, widest)
        if self.column() < indent and self.indent != self.column():
            problem = f" the leading empty lines contain more spaces ({indent}) than the first non-empty line."
            raise self.fail(problem, context, start)
        line_break = ""
        while self.column() == indent and text[self.pos] != "\0":
            parts.append(breaks)
            leading_text = text[self.pos] not in " \t"
            parts.append(self.run(COMMENT))
            end = self.pos
            line_break = self.line_break()
            breaks, _ = self._scan_block_breaks(indent)
            if self.column() != indent or text[self.pos] == "\0":
                break
            if style == ">" and line_break == "\n" and leading_text and text[self.pos] not in " \t":
                if not breaks:
                    parts.append(" ")
            else:
                parts.append(line_break)
        if chomping != "-":
            parts.append(line_break)
        if chomping == "+":
            parts.append(breaks)
        style_name = "literal" if style == "|" else "folded"
        return Token("<scalar>", start, end, "".join(parts), style_name)

    def _scan_block_header(self, start: int) -> tuple[str, int]:
        chomping, increment = "", 0
        char = self.text[self.pos]
        if char in "-+":
            chomping = char
            self.pos += 1
            char = self.text[self.pos]
        if char.isdigit():
            increment = int(char)
            if not increment:
                problem = "expected indentation indicator in the range 1-9, but found 0"
                raise self.fail(problem, "while scanning a block scalar", start)
            self.pos += 1
            char = self.text[self.pos]
            if not chomping and char in "-+":
                chomping = char
                self.pos += 1
                char = self.text[self.pos]
        if char not in BLANK_OR_LINE_END:
            problem = f"expected chomping or indentation indicators, but found {with_code(char)}"
            raise self.fail(problem, "while scanning a block scalar", start)
        return chomping, increment

    def _scan_block_indentation(self) -> tuple[str, int, int]:
        breaks, widest, end = "", 0, self.pos
        while (char := self.text[self.pos]) in " \r\n":
            if char == " ":
                self.pos += 1
                widest = max(widest, self.column())
            else:
                breaks += self.line_break()
                end = self.pos
        return breaks, widest, end

    def _scan_block_breaks(self, indent: int) -> tuple[str, int]:
        breaks: list[str] = []
        end = self.pos
        while True:
            while self.column() < indent and self.text[self.pos] == " ":
                self.pos += 1
            line_break = self.line_break()
            if not line_break:
                return "".join(breaks), end
            breaks.append(line_break)
            end = self.pos

    def scan_quoted(self, quote: str) -> Token:
        start, text = self.pos, self.text
        self.pos += 1
        parts = self._scan_quoted_text(quote, start)
        while text[self.pos] != quote:
            parts.append(self._scan_quoted_spaces(start))
            parts += self._scan_quoted_text(quote, start)
        self.pos += 1
        scalar = "".join(parts)
        if quote == '"' and not scalar.isprintable() and _SURROGATE.search(scalar):
            # Java strings are UTF-16: two escapes make one character, and half of one is printed as "?"
            scalar = scalar.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
            scalar = _SURROGATE.sub("?", scalar)
        return Token("<scalar>", start, self.pos, scalar, "single" if quote == "'" else "double")

    def _scan_quoted_text(self, quote: str, start: int) -> list[str]:
        text, parts = self.text, []
        double = quote == '"'
        while True:
            if run := self.run(_QUOTED):
                parts.append(run)
            char = text[self.pos]
            if not double and char == "'" and text[self.pos + 1] == "'":
                parts.append("'")
                self.pos += 2
            elif (double and char == "'") or (not double and char in '"\\'):
                parts.append(char)
                self.pos += 1
            elif double and char == "\\":
                self.pos += 1
                parts.append(self._scan_escape(start))
            else:
                return parts

    def _scan_escape(self, start: int) -> str:
        context = "while scanning a double-quoted scalar"
        char = self.text[self.pos]
        if char in _ESCAPES:
            self.pos += 1
            return _ESCAPES[char]
        if char in _HEX_ESCAPES:
            length = _HEX_ESCAPES[char]
            self.pos += 1
            digits = self.text[self.pos : self.pos + length].rstrip("\0")
            if not re.fullmatch("[0-9A-Fa-f]*", digits):
                problem = f"expected escape sequence of {length} hexadecimal numbers, but found: {digits}"
                raise self.fail(problem, context, start)
            code = int(digits or "0", 16)
            if not digits or code > 0x7FFFFFFF:
                problem = f'For input string: "{digits}" under radix 16'
                raise YamlError("syntax", problem, self.pos, plain=True)
            if code > 0x10FFFF:
                problem = f"Not a valid Unicode code point: 0x{code:X}"
                raise YamlError("syntax", problem, self.pos, plain=True)
            self.pos = min(self.pos + length, self.end)
            return chr(code)
        if self.line_break():
            return self._scan_quoted_breaks(start)
        raise self.fail(f"found unknown escape character {with_code(char)}", context, start)

    def _scan_quoted_spaces(self, start: int) -> str:
        spaces = self.run(_BLANKS_TABS)
        if self.text[self.pos] == "\0":
            problem = "found unexpected end of stream"
            raise self.fail(problem, "while scanning a quoted scalar", start)
        line_break = self.line_break()
        if not line_break:
            return spaces
        breaks = self._scan_quoted_breaks(start)
        if line_break != "\n":
            return line_break + breaks
        return breaks or " "

    def _scan_quoted_breaks(self, start: int) -> str:
        breaks: list[str] = []
        while True:
            if self._at_document_mark():
                problem = "found unexpected document separator"
                raise self.fail(problem, "while scanning a quoted scalar", start)
            self.run(_BLANKS_TABS)
            line_break = self.line_break()
            if not line_break:
                return "".join(breaks)
            breaks.append(line_break)

    def _at_document_mark(self) -> bool:
        """Return whether three dashes or dots follow; like the library, do not check for the start of a line."""
        pos = self.pos
        return self.text[pos : pos + 3] in ("---", "...") and self.text[pos + 3] in ENDS

    def _ends_plain(self) -> bool:
        """Return whether a document mark ends a plain scalar: for dashes, whatever follows them."""
        return self.text.startswith("---", self.pos) or self._at_document_mark()

    def scan_plain(self) -> Token:
        start, text = self.pos, self.text
        pattern = _PLAIN_FLOW if self.flow else _PLAIN_BLOCK
        min_indent = self.indent + 1
        parts: list[str] = []
        spaces = ""
        end = start
        while text[self.pos] != "#":
            run = self.run(pattern)
            if not run:
                break
            self.simple_key_allowed = False
            parts += (spaces, run)
            end = self.pos
            spaces = self._scan_plain_spaces()
            if not spaces or text[self.pos] == "#" or (not self.flow and self.column() < min_indent):
                break
        return Token("<scalar>", start, end, "".join(parts), "plain")

    def _scan_plain_spaces(self) -> str:
        spaces = self.run(_BLANKS_TABS)
        line_break = self.line_break()
        if not line_break:
            return spaces
        self.simple_key_allowed = True
        if self._ends_plain():
            return ""
        breaks: list[str] = []
        while True:
            if self.text[self.pos] == " ":
                self.pos += 1
            elif found := self.line_break():
                breaks.append(found)
                if self._ends_plain():
                    return ""
            else:
                break
        if line_break != "\n":
            return line_break + "".join(breaks)
        return "".join(breaks) or " "

"""The tokens of YAML as Flink's loader (snakeyaml-engine 2) scans them, and why it refuses a text."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

CODE_POINT_LIMIT = 3 * 1024 * 1024
"""No token may begin behind this many characters (default of the library, not configurable in Flink)."""

MAX_TOKENS = 500_000
"""Ours: a text of more tokens is not read, so that a reader stays responsive."""

_MAX_SIMPLE_KEY = 1024

_BREAK = re.compile(r"\r\n|\n|\r")
_BLANKS = re.compile("[ ]*")
_BLANKS_TABS = re.compile("[ \t]*")
_COMMENT = re.compile("[^\0\r\n]*")
_PLAIN_BLOCK = re.compile("(?:[^\0\t\r\n :]+|:(?![\0\t\r\n ]))*")
_PLAIN_FLOW = re.compile("(?:[^\0\t\r\n :,\\[\\]{}]+|:(?![\0\t\r\n ,\\[\\]{}]))*")
_QUOTED = re.compile("[^\0\t\r\n '\"\\\\]*")
_ANCHOR = re.compile("[^\0\t\r\n ,\\[\\]{}/.*&]*")
_WORD = re.compile("[A-Za-z0-9_-]*")
_DIGITS = re.compile(r"\d*")
_URI = re.compile(r"[A-Za-z0-9_\-;/?:@&=+$.!~*'()%]*")
_URI_PREFIX = re.compile(r"[A-Za-z0-9_\-;/?:@&=+$.!~*'()%,\[\]]*")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}
_ENDS = "\0\t\r\n "
_BLANK_OR_LINE_END = "\0\r\n "
_BREAKS = "\r\n\x85\u2028\u2029"


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


class Token(NamedTuple):
    id: str  # the library's name of the token, which its errors print
    start: int
    end: int
    value: str = ""
    style: str = ""
    handle: str | None = None  # of a tag; None where the tag is verbatim
    numbers: tuple[int, ...] = ()  # of a %YAML directive


class _SimpleKey(NamedTuple):
    token: int
    required: bool
    at: int
    line_start: int


class Scanner:
    """Text to tokens. `text` must be printable; a NUL behind its end stands for the end."""

    def __init__(self, text: str) -> None:
        self.pos = 0
        if text.startswith("\ufeff"):  # taken off by the reader of the stream
            self.pos = 1
        self.line_start = self.pos
        self.origin = self.pos
        self.text = text + "\0\0\0\0"
        self.end = len(text)
        self.tokens: deque[Token] = deque([Token("<stream start>", self.pos, self.pos)])
        self.taken = 0
        self.done = False
        self.flow = 0
        self.indent = -1
        self.indents: list[int] = []
        self.keys: dict[int, _SimpleKey] = {}
        self.simple_key_allowed = True

    # What the parser asks

    def peek(self) -> Token:
        tokens = self.tokens
        while not self.done:
            if tokens:
                if not self.keys:
                    break
                self._drop_stale_keys()
                if not self.keys or next(iter(self.keys.values())).token != self.taken:
                    break
            self._fetch()
        return tokens[0]

    def next(self) -> Token:
        token = self.peek()
        self.taken += 1
        if self.taken > MAX_TOKENS:
            problem = f"more than {MAX_TOKENS} tokens of YAML are not read"
            raise YamlError("too-large", problem, token.start, plain=True)
        return self.tokens.popleft()

    # Places

    def _column(self) -> int:
        return self.pos - self.line_start

    def _line_break(self) -> str:
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

    def _fail(self, problem: str, context: str | None = None, context_at: int | None = None) -> YamlError:
        return YamlError("syntax", problem, self.pos, context, context_at)

    def _shown(self, char: str) -> str:
        return f"{char}({ord(char)})"

    # Simple keys and indentation

    def _drop_stale_keys(self) -> None:
        stale = []
        for level, key in self.keys.items():
            if key.line_start != self.line_start or self.pos - key.at > _MAX_SIMPLE_KEY:
                if key.required:
                    raise self._no_colon(key)
                stale.append(level)
        for level in stale:
            del self.keys[level]

    def _no_colon(self, key: _SimpleKey) -> YamlError:
        return self._fail("could not find expected ':'", "while scanning a simple key", key.at)

    def _save_key(self) -> None:
        required = not self.flow and self.indent == self._column()
        if self.simple_key_allowed:
            self._remove_key()
            token = self.taken + len(self.tokens)
            self.keys[self.flow] = _SimpleKey(token, required, self.pos, self.line_start)
        elif required:
            problem = "A simple key is required only if it is the first token in the current line"
            raise YamlError("syntax", problem, self.pos, plain=True)

    def _remove_key(self) -> None:
        key = self.keys.pop(self.flow, None)
        if key is not None and key.required:
            raise self._no_colon(key)

    def _unwind(self, column: int) -> None:
        if self.flow:
            return
        while self.indent > column:
            self.indent = self.indents.pop()
            self.tokens.append(Token("<block end>", self.pos, self.pos))

    def _add_indent(self, column: int) -> bool:
        if self.indent < column:
            self.indents.append(self.indent)
            self.indent = column
            return True
        return False

    # Fetching

    def _fetch(self) -> None:
        if self.pos - self.origin > CODE_POINT_LIMIT:
            problem = f"The incoming YAML document exceeds the limit: {CODE_POINT_LIMIT} code points."
            raise YamlError("too-large", problem, self.pos, plain=True)
        self._skip_to_token()
        if self.keys:
            self._drop_stale_keys()
        column = self.pos - self.line_start
        if self.indent > column and not self.flow:
            self._unwind(column)
        text, pos = self.text, self.pos
        char = text[pos]
        if char == "\0":
            return self._fetch_end()
        if column == 0:
            if char == "%":
                return self._fetch_directive()
            if char in "-." and text[pos : pos + 3] in ("---", "...") and text[pos + 3] in _ENDS:
                return self._fetch_document_mark()
        if char in "[{":
            return self._fetch_flow_start()
        if char in "]}":
            return self._fetch_flow_end()
        if char == ",":
            return self._fetch_flow_entry()
        follower = text[pos + 1]
        if char == "-" and follower in _ENDS:
            return self._fetch_block_entry()
        if char == "?" and follower in _ENDS:
            return self._fetch_key()
        if char == ":" and (self.flow or follower in _ENDS):
            return self._fetch_value()
        if char in "*&":
            self._save_key()
            self.simple_key_allowed = False
            self.tokens.append(self._scan_anchor())
            return None
        if char == "!":
            self._save_key()
            self.simple_key_allowed = False
            self.tokens.append(self._scan_tag())
            return None
        if char in "|>" and not self.flow:
            self.simple_key_allowed = True
            self._remove_key()
            self.tokens.append(self._scan_block_scalar(char))
            return None
        if char in "'\"":
            self._save_key()
            self.simple_key_allowed = False
            self.tokens.append(self._scan_quoted(char))
            return None
        if self._starts_plain(char, follower):
            self._save_key()
            self.simple_key_allowed = False
            self.tokens.append(self._scan_plain())
            return None
        shown = {"\t": "\\t", "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P"}.get(char, char)
        if char == "\t":
            shown += "(TAB)"
        problem = f"found character '{shown}' that cannot start any token. (Do not use {shown} for indentation)"
        error = self._fail(problem, "while scanning for the next token")
        error.reason = "tab" if char == "\t" else "reserved-indicator"
        raise error

    def _starts_plain(self, char: str, follower: str) -> bool:
        if char not in _ENDS and char not in "-?:,[]{}#&*!|>'\"%@`":
            return True
        if self.flow:
            return char in "-?" and follower not in _ENDS and follower not in ",]"
        return char in "-?:" and follower not in _ENDS

    def _skip_to_token(self) -> None:
        if self.pos == self.origin and self.text[self.pos] == "\ufeff":
            self.pos += 1
            self.line_start += 1
        text = self.text
        while True:
            pos = _BLANKS.match(text, self.pos).end()  # type: ignore[union-attr]
            if text[pos] == "#":
                pos = _COMMENT.match(text, pos).end()  # type: ignore[union-attr]
            self.pos = pos
            if text[pos] not in _BREAKS or not self._line_break():
                return
            if not self.flow:
                self.simple_key_allowed = True

    def _fetch_end(self) -> None:
        self._unwind(-1)
        self._remove_key()
        self.simple_key_allowed = False
        self.keys.clear()
        self.tokens.append(Token("<stream end>", self.pos, self.pos))
        self.done = True

    def _fetch_directive(self) -> None:
        self._unwind(-1)
        self._remove_key()
        self.simple_key_allowed = False
        self.tokens.append(self._scan_directive())

    def _fetch_document_mark(self) -> None:
        self._unwind(-1)
        self._remove_key()
        self.simple_key_allowed = False
        start = self.pos
        self.pos += 3
        name = "<document start>" if self.text[start] == "-" else "<document end>"
        self.tokens.append(Token(name, start, self.pos))

    def _single(self, name: str) -> Token:
        self.pos += 1
        return Token(name, self.pos - 1, self.pos)

    def _fetch_flow_start(self) -> None:
        self._save_key()
        self.flow += 1
        self.simple_key_allowed = True
        self.tokens.append(self._single(self.text[self.pos]))

    def _fetch_flow_end(self) -> None:
        self._remove_key()
        self.flow -= 1
        self.simple_key_allowed = False
        self.tokens.append(self._single(self.text[self.pos]))

    def _fetch_flow_entry(self) -> None:
        self.simple_key_allowed = True
        self._remove_key()
        self.tokens.append(self._single(","))

    def _fetch_block_entry(self) -> None:
        if not self.flow:
            if not self.simple_key_allowed:
                raise self._fail("sequence entries are not allowed here", "")
            if self._add_indent(self._column()):
                self.tokens.append(Token("<block sequence start>", self.pos, self.pos))
        self.simple_key_allowed = True
        self._remove_key()
        self.tokens.append(self._single("-"))

    def _fetch_key(self) -> None:
        if not self.flow:
            if not self.simple_key_allowed:
                raise self._fail("mapping keys are not allowed here")
            if self._add_indent(self._column()):
                self.tokens.append(Token("<block mapping start>", self.pos, self.pos))
        self.simple_key_allowed = not self.flow
        self._remove_key()
        self.tokens.append(self._single("?"))

    def _fetch_value(self) -> None:
        key = self.keys.pop(self.flow, None)
        if key is not None:
            place = key.token - self.taken
            self.tokens.insert(place, Token("?", key.at, key.at))
            if not self.flow and self._add_indent(key.at - key.line_start):
                self.tokens.insert(place, Token("<block mapping start>", key.at, key.at))
            self.simple_key_allowed = False
        else:
            if not self.flow:
                if not self.simple_key_allowed:
                    raise self._fail("mapping values are not allowed here")
                if self._add_indent(self._column()):
                    self.tokens.append(Token("<block mapping start>", self.pos, self.pos))
            self.simple_key_allowed = not self.flow
            self._remove_key()
        self.tokens.append(self._single(":"))

    # Scanning: directives, anchors, tags

    def _run(self, pattern: re.Pattern[str]) -> str:
        start = self.pos
        self.pos = pattern.match(self.text, start).end()  # type: ignore[union-attr]
        return self.text[start : self.pos]

    def _scan_directive(self) -> Token:
        start, context = self.pos, "while scanning a directive"
        self.pos += 1
        name = self._run(_WORD)
        char = self.text[self.pos]
        if not name or char not in _BLANK_OR_LINE_END:
            problem = f"expected alphabetic or numeric character, but found {self._shown(char)}"
            raise self._fail(problem, context, start)
        token = Token("<directive>", start, self.pos, name)
        if name == "YAML":
            self._run(_BLANKS)
            major = self._scan_version_number(start)
            if (char := self.text[self.pos]) != ".":
                problem = f"expected a digit or '.', but found {self._shown(char)}"
                raise self._fail(problem, context, start)
            self.pos += 1
            minor = self._scan_version_number(start)
            if (char := self.text[self.pos]) not in _BLANK_OR_LINE_END:
                problem = f"expected a digit or ' ', but found {self._shown(char)}"
                raise self._fail(problem, context, start)
            token = token._replace(numbers=(major, minor))
        elif name == "TAG":
            self._run(_BLANKS)
            handle = self._scan_tag_handle("directive", start)
            if (char := self.text[self.pos]) != " ":
                raise self._fail(f"expected ' ', but found {self._shown(char)}", context, start)
            self._run(_BLANKS)
            prefix = self._scan_uri("directive", _URI_PREFIX, start)
            if (char := self.text[self.pos]) not in _BLANK_OR_LINE_END:
                raise self._fail(f"expected ' ', but found {self._shown(char)}", context, start)
            token = token._replace(handle=handle, style=prefix)
        else:
            self._run(_COMMENT)
        self._ignore_rest_of_line(context, start)
        return token

    def _scan_version_number(self, start: int) -> int:
        digits = self._run(_DIGITS)
        if not digits:
            problem = f"expected a digit, but found {self._shown(self.text[self.pos])}"
            raise self._fail(problem, "while scanning a directive", start)
        number = int(digits) if len(digits) < 12 else 2**31
        if number >= 2**31:
            problem = f'For input string: "{digits}"'
            raise YamlError("syntax", problem, self.pos - len(digits), end=self.pos, plain=True)
        return number

    def _ignore_rest_of_line(self, context: str, start: int) -> None:
        self._run(_BLANKS)
        if self.text[self.pos] == "#":
            self._run(_COMMENT)
        char = self.text[self.pos]
        if char != "\0" and not self._line_break():
            problem = f"expected a comment or a line break, but found {self._shown(char)}"
            raise self._fail(problem, context, start)

    def _scan_anchor(self) -> Token:
        start = self.pos
        alias = self.text[start] == "*"
        self.pos += 1
        name = self._run(_ANCHOR)
        char = self.text[self.pos]
        if not name or (char not in _ENDS and char not in "?:,]}%@`"):
            context = f"while scanning an {'alias' if alias else 'anchor'}"
            error = self._fail(f"unexpected character found {self._shown(char)}", context, start)
            error.reason = "syntax" if name else "reserved-indicator"
            raise error
        return Token("<alias>" if alias else "<anchor>", start, self.pos, name)

    def _scan_tag(self) -> Token:
        start, text = self.pos, self.text
        handle: str | None = None
        char = text[start + 1]
        if char == "<":
            self.pos += 2
            suffix = self._scan_uri("tag", _URI_PREFIX, start)
            if (char := text[self.pos]) != ">":
                problem = f"expected '>', but found '{char}' ({ord(char)})"
                raise self._fail(problem, "while scanning a tag", start)
            self.pos += 1
        elif char in _ENDS:
            suffix = "!"
            self.pos += 1
        else:
            at = start + 1
            while text[at] not in _BLANK_OR_LINE_END and text[at] != "!":
                at += 1
            if text[at] == "!":
                handle = self._scan_tag_handle("tag", start)
            else:
                handle = "!"
                self.pos += 1
            suffix = self._scan_uri("tag", _URI, start)
        if (char := text[self.pos]) not in _BLANK_OR_LINE_END:
            problem = f"expected ' ', but found '{char}' ({ord(char)})"
            raise self._fail(problem, "while scanning a tag", start)
        return Token("<tag>", start, self.pos, suffix, handle=handle)

    def _scan_tag_handle(self, name: str, start: int) -> str:
        char = self.text[self.pos]
        begin = self.pos
        if char == "!":
            self.pos += 1
            if self.text[self.pos] == " ":
                return "!"
            self._run(_WORD)
            char = self.text[self.pos]
            if char == "!":
                self.pos += 1
                return self.text[begin : self.pos]
        raise self._fail(f"expected '!', but found {self._shown(char)}", f"while scanning a {name}", start)

    def _scan_uri(self, name: str, allowed: re.Pattern[str], start: int) -> str:
        uri = self._run(allowed)
        context = f"while scanning a {name}"
        if not uri:
            problem = f"expected URI, but found {self._shown(self.text[self.pos])}"
            raise self._fail(problem, context, start)
        if "%" not in uri:
            return uri
        data = bytearray()
        at = 0
        while at < len(uri):
            if uri[at] != "%":
                data += uri[at].encode()
                at += 1
                continue
            try:
                data.append(int(uri[at + 1 : at + 3], 16))
            except ValueError:
                self.pos += at + 1 - len(uri)
                first, second = self.text[self.pos], self.text[self.pos + 1]
                problem = (
                    "expected URI escape sequence of 2 hexadecimal numbers, but found "
                    f"{self._shown(first)} and {self._shown(second)}"
                )
                raise self._fail(problem, context, start) from None
            at += 3
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self._fail("expected URI in UTF-8", context, start) from None

    # Scanning: scalars

    def _scan_block_scalar(self, style: str) -> Token:
        start, context, text = self.pos, "while scanning a block scalar", self.text
        self.pos += 1
        chomping, increment = self._scan_block_header(start)
        self._ignore_rest_of_line(context, start)
        least = max(self.indent + 1, 1)
        parts: list[str] = []
        if increment:
            indent = least + increment - 1
            breaks, end = self._scan_block_breaks(indent)
        else:
            breaks, widest, end = self._scan_block_indentation()
            indent = max(least, widest)
        if self._column() < indent and self.indent != self._column():
            problem = f" the leading empty lines contain more spaces ({indent}) than the first non-empty line."
            raise self._fail(problem, context, start)
        line_break = ""
        while self._column() == indent and text[self.pos] != "\0":
            parts.append(breaks)
            leading_text = text[self.pos] not in " \t"
            parts.append(self._run(_COMMENT))
            end = self.pos
            line_break = self._line_break()
            breaks, _ = self._scan_block_breaks(indent)
            if self._column() != indent or text[self.pos] == "\0":
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
                raise self._fail(problem, "while scanning a block scalar", start)
            self.pos += 1
            char = self.text[self.pos]
            if not chomping and char in "-+":
                chomping = char
                self.pos += 1
                char = self.text[self.pos]
        if char not in _BLANK_OR_LINE_END:
            problem = f"expected chomping or indentation indicators, but found {self._shown(char)}"
            raise self._fail(problem, "while scanning a block scalar", start)
        return chomping, increment

    def _scan_block_indentation(self) -> tuple[str, int, int]:
        breaks, widest, end = "", 0, self.pos
        while (char := self.text[self.pos]) in " \r\n":
            if char == " ":
                self.pos += 1
                widest = max(widest, self._column())
            else:
                breaks += self._line_break()
                end = self.pos
        return breaks, widest, end

    def _scan_block_breaks(self, indent: int) -> tuple[str, int]:
        breaks: list[str] = []
        end = self.pos
        while True:
            while self._column() < indent and self.text[self.pos] == " ":
                self.pos += 1
            line_break = self._line_break()
            if not line_break:
                return "".join(breaks), end
            breaks.append(line_break)
            end = self.pos

    def _scan_quoted(self, quote: str) -> Token:
        start, text = self.pos, self.text
        self.pos += 1
        parts = self._scan_quoted_text(quote, start)
        while text[self.pos] != quote:
            parts.append(self._scan_quoted_spaces(start))
            parts += self._scan_quoted_text(quote, start)
        self.pos += 1
        scalar = "".join(parts)
        if quote == '"' and _SURROGATE.search(scalar):
            # Java strings are UTF-16: two escapes make one character, and half of one is printed as "?"
            scalar = scalar.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
            scalar = _SURROGATE.sub("?", scalar)
        return Token("<scalar>", start, self.pos, scalar, "single" if quote == "'" else "double")

    def _scan_quoted_text(self, quote: str, start: int) -> list[str]:
        text, parts = self.text, []
        double = quote == '"'
        while True:
            if run := self._run(_QUOTED):
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
                raise self._fail(problem, context, start)
            code = int(digits or "0", 16)
            if not digits or code > 0x7FFFFFFF:
                problem = f'For input string: "{digits}" under radix 16'
                raise YamlError("syntax", problem, self.pos, plain=True)
            if code > 0x10FFFF:
                problem = f"Not a valid Unicode code point: 0x{code:X}"
                raise YamlError("syntax", problem, self.pos, plain=True)
            self.pos = min(self.pos + length, self.end)
            return chr(code)
        if self._line_break():
            return self._scan_quoted_breaks(start)
        raise self._fail(f"found unknown escape character {self._shown(char)}", context, start)

    def _scan_quoted_spaces(self, start: int) -> str:
        spaces = self._run(_BLANKS_TABS)
        if self.text[self.pos] == "\0":
            problem = "found unexpected end of stream"
            raise self._fail(problem, "while scanning a quoted scalar", start)
        line_break = self._line_break()
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
                raise self._fail(problem, "while scanning a quoted scalar", start)
            self._run(_BLANKS_TABS)
            line_break = self._line_break()
            if not line_break:
                return "".join(breaks)
            breaks.append(line_break)

    def _at_document_mark(self) -> bool:
        """Three dashes or dots here; the library does not ask whether the line begins here."""
        pos = self.pos
        return self.text[pos : pos + 3] in ("---", "...") and self.text[pos + 3] in _ENDS

    def _ends_plain(self) -> bool:
        """Like a document mark, but three dashes end a plain scalar whatever follows them."""
        return self.text.startswith("---", self.pos) or self._at_document_mark()

    def _scan_plain(self) -> Token:
        start, text = self.pos, self.text
        pattern = _PLAIN_FLOW if self.flow else _PLAIN_BLOCK
        least = self.indent + 1
        parts: list[str] = []
        spaces = ""
        end = start
        while text[self.pos] != "#":
            run = self._run(pattern)
            if not run:
                break
            self.simple_key_allowed = False
            parts += (spaces, run)
            end = self.pos
            spaces = self._scan_plain_spaces()
            if not spaces or text[self.pos] == "#" or (not self.flow and self._column() < least):
                break
        return Token("<scalar>", start, end, "".join(parts), "plain")

    def _scan_plain_spaces(self) -> str:
        spaces = self._run(_BLANKS_TABS)
        line_break = self._line_break()
        if not line_break:
            return spaces
        self.simple_key_allowed = True
        if self._ends_plain():
            return ""
        breaks: list[str] = []
        while True:
            if self.text[self.pos] == " ":
                self.pos += 1
            elif found := self._line_break():
                breaks.append(found)
                if self._ends_plain():
                    return ""
            else:
                break
        if line_break != "\n":
            return line_break + "".join(breaks)
        return "".join(breaks) or " "

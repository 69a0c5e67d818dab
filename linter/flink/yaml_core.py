"""YAML as Flink's loader (snakeyaml-engine 2, YAML 1.2 core schema) reads it, with places.

`config.yaml` and the YAML inside string values go through that one Java library, in every release that
has them, and its grammar is not libyaml's: tabs, line separators, directives, merge keys, long keys and
the typing of scalars all differ. So the grammar is implemented here, as a scanner, a parser without
recursion and a constructor. Every refusal carries the error text of the Java library.

The module is only imported for texts that the line reader of `files` does not settle by itself.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from linter.flink.core_schema import (
    BINARY,
    BOOL,
    FLOAT,
    INT,
    MAP,
    NULL,
    SEQ,
    SET,
    STR,
    double_text,
    key_of,
    make_float,
    make_integer,
    resolve,
    scalar_text,
)

CODE_POINT_LIMIT = 3 * 1024 * 1024
"""No token may begin behind this many characters (default of the library, not configurable in Flink)."""

MAX_COLLECTION_ALIASES = 50
MAX_DEPTH = 1000
"""Flink 1.20 and 2.3 overflow the default stack of their JVM between 1 000 and 1 500 levels."""

_MAX_SIMPLE_KEY = 1024

_ENVIRONMENT = "!ENV_VARIABLE"

SCALAR, SEQUENCE, MAPPING = 0, 1, 2

NON_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

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
_BASE64 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?")
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}
_ENDS = "\0\t\r\n "
_LINE_ENDS = "\0\r\n"
_BLANK_OR_LINE_END = "\0\r\n "
_BREAKS = "\r\n\x85\u2028\u2029"


class YamlSet(dict[object, None]):
    """What ``!!set`` makes: neither a map nor a list to Flink."""


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


class Node:
    """One node of the document. `mark` is where its anchor or tag begins, if it has one; `end` is the end of its own text, not of the white space behind it.

    `value` is the text of a scalar, the nodes of a sequence, the (key, value) pairs of a mapping.
    `made` is the value as Java holds it: str, int, float, bool, None, bytes, list, dict, YamlSet.
    """

    __slots__ = ("end", "kind", "made", "mark", "open", "recursive", "start", "style", "tag", "value")

    def __init__(self, kind: int, tag: str, start: int, end: int, style: str) -> None:
        self.kind, self.tag, self.start, self.end, self.style = kind, tag, start, end, style
        self.value: str | list[Node] | list[tuple[Node, Node]] = ""
        self.made: object = None
        self.mark = start
        self.recursive = False
        self.open = False

    @property
    def scalar(self) -> str:
        assert isinstance(self.value, str)
        return self.value

    @property
    def items(self) -> list[Node]:
        return self.value  # type: ignore[return-value]

    @property
    def pairs(self) -> list[tuple[Node, Node]]:
        return self.value  # type: ignore[return-value]


class _Token(NamedTuple):
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


class _Scanner:
    """Text to tokens. `text` must be printable; a NUL behind its end stands for the end."""

    def __init__(self, text: str) -> None:
        self.pos = 0
        if text.startswith("\ufeff"):  # taken off by the reader of the stream
            self.pos = 1
        self.line_start = self.pos
        self.origin = self.pos
        self.text = text + "\0\0\0\0"
        self.tokens: deque[_Token] = deque([_Token("<stream start>", self.pos, self.pos)])
        self.taken = 0
        self.done = False
        self.flow = 0
        self.indent = -1
        self.indents: list[int] = []
        self.keys: dict[int, _SimpleKey] = {}
        self.simple_key_allowed = True

    # What the parser asks

    def peek(self) -> _Token:
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

    def next(self) -> _Token:
        token = self.peek()
        self.taken += 1
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
            self.tokens.append(_Token("<block end>", self.pos, self.pos))

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
        self.tokens.append(_Token("<stream end>", self.pos, self.pos))
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
        self.tokens.append(_Token(name, start, self.pos))

    def _single(self, name: str) -> _Token:
        self.pos += 1
        return _Token(name, self.pos - 1, self.pos)

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
                self.tokens.append(_Token("<block sequence start>", self.pos, self.pos))
        self.simple_key_allowed = True
        self._remove_key()
        self.tokens.append(self._single("-"))

    def _fetch_key(self) -> None:
        if not self.flow:
            if not self.simple_key_allowed:
                raise self._fail("mapping keys are not allowed here")
            if self._add_indent(self._column()):
                self.tokens.append(_Token("<block mapping start>", self.pos, self.pos))
        self.simple_key_allowed = not self.flow
        self._remove_key()
        self.tokens.append(self._single("?"))

    def _fetch_value(self) -> None:
        key = self.keys.pop(self.flow, None)
        if key is not None:
            place = key.token - self.taken
            self.tokens.insert(place, _Token("?", key.at, key.at))
            if not self.flow and self._add_indent(key.at - key.line_start):
                self.tokens.insert(place, _Token("<block mapping start>", key.at, key.at))
            self.simple_key_allowed = False
        else:
            if not self.flow:
                if not self.simple_key_allowed:
                    raise self._fail("mapping values are not allowed here")
                if self._add_indent(self._column()):
                    self.tokens.append(_Token("<block mapping start>", self.pos, self.pos))
            self.simple_key_allowed = not self.flow
            self._remove_key()
        self.tokens.append(self._single(":"))

    # Scanning: directives, anchors, tags

    def _run(self, pattern: re.Pattern[str]) -> str:
        start = self.pos
        self.pos = pattern.match(self.text, start).end()  # type: ignore[union-attr]
        return self.text[start : self.pos]

    def _scan_directive(self) -> _Token:
        start, context = self.pos, "while scanning a directive"
        self.pos += 1
        name = self._run(_WORD)
        char = self.text[self.pos]
        if not name or char not in _BLANK_OR_LINE_END:
            problem = f"expected alphabetic or numeric character, but found {self._shown(char)}"
            raise self._fail(problem, context, start)
        token = _Token("<directive>", start, self.pos, name)
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

    def _scan_anchor(self) -> _Token:
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
        return _Token("<alias>" if alias else "<anchor>", start, self.pos, name)

    def _scan_tag(self) -> _Token:
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
        return _Token("<tag>", start, self.pos, suffix, handle=handle)

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
                problem = "expected URI escape sequence of 2 hexadecimal numbers"
                raise self._fail(problem, context, start) from None
            at += 3
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self._fail("expected URI in UTF-8", context, start) from None

    # Scanning: scalars

    def _scan_block_scalar(self, style: str) -> _Token:
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
        return _Token("<scalar>", start, end, "".join(parts), style_name)

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

    def _scan_quoted(self, quote: str) -> _Token:
        start, text = self.pos, self.text
        self.pos += 1
        parts = self._scan_quoted_text(quote, start)
        while text[self.pos] != quote:
            parts.append(self._scan_quoted_spaces(start))
            parts += self._scan_quoted_text(quote, start)
        self.pos += 1
        return _Token("<scalar>", start, self.pos, "".join(parts), "single" if quote == "'" else "double")

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
            if not digits or code > 0x10FFFF:
                problem = f"found an escape that is no character: {digits}"
                raise YamlError("syntax", problem, self.pos, plain=True)
            self.pos += length
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

    def _scan_plain(self) -> _Token:
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
        return _Token("<scalar>", start, end, "".join(parts), "plain")

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


_DEFAULT_HANDLES = {"!": "!", "!!": "tag:yaml.org,2002:"}


class Document:
    """One text composed: the root node (None if empty), all collections in document order."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.collections: list[Node] = []


class _Parser:
    """Tokens to nodes with a stack of states, so that depth costs no recursion."""

    def __init__(self, text: str) -> None:
        self.scanner = _Scanner(text)
        self.document = Document()
        self.handles = dict(_DEFAULT_HANDLES)
        self.anchors: dict[str, Node] = {}
        self.collection_aliases = 0
        self.stack: list[tuple[Node, str, int]] = []  # open collection, its state, its mark
        self.key: list[Node | None] = []  # the pending key of each open mapping
        self.last: Node | None = None

    # Documents

    def parse(self) -> Document:
        scanner = self.scanner
        scanner.next()
        if scanner.peek().id == "<stream end>":
            return self.document
        if scanner.peek().id in ("<directive>", "<document start>"):
            if not self._start_document():
                return self.document
            self.document.root = self._content()
        else:
            self.document.root = self._root()
        self._end_document()
        if (another := self._next_document()) is not None:
            context_at = self.document.root.mark
            problem, context = "but found another document", "expected a single document in the stream"
            raise YamlError("multiple-documents", problem, another, context, context_at, another + 3)
        return self.document

    def _start_document(self) -> bool:
        scanner = self.scanner
        while scanner.peek().id == "<document end>":
            scanner.next()
        if scanner.peek().id == "<stream end>":
            return False
        self._directives()
        token = scanner.peek()
        if token.id != "<document start>":
            raise YamlError("syntax", f"expected '<document start>', but found '{token.id}'", token.start)
        scanner.next()
        return True

    def _directives(self) -> None:
        self.handles = dict(_DEFAULT_HANDLES)
        seen_version, own = False, set()
        while self.scanner.peek().id == "<directive>":
            token = self.scanner.next()
            if token.value == "YAML":
                if seen_version:
                    raise YamlError("syntax", "found duplicate YAML directive", token.start)
                seen_version = True
                if token.numbers[0] != 1:
                    major, minor = token.numbers
                    problem = f"Version{{major={major}, minor={minor}}}"
                    raise YamlError("syntax", problem, token.start, end=token.end, plain=True)
            elif token.value == "TAG" and token.handle is not None:
                if token.handle in own:
                    raise YamlError("syntax", f"duplicate tag handle {token.handle}", token.start)
                own.add(token.handle)
                self.handles[token.handle] = token.style

    def _end_document(self) -> None:
        token = self.scanner.peek()
        if token.id == "<document end>":
            self.scanner.next()
        elif token.id == "<directive>":
            problem = f"expected '<document end>' before directives, but found '{token.id}'"
            raise YamlError("syntax", problem, token.start)

    def _next_document(self) -> int | None:
        scanner = self.scanner
        while scanner.peek().id == "<document end>":
            scanner.next()
        token = scanner.peek()
        if token.id == "<stream end>":
            return None
        self._directives()
        start = scanner.peek()
        if start.id == "<stream end>":
            return None
        if start.id != "<document start>":
            raise YamlError("syntax", f"expected '<document start>', but found '{start.id}'", start.start)
        return token.start

    # Nodes

    def _content(self) -> Node:
        token = self.scanner.peek()
        if token.id in ("<directive>", "<document start>", "<document end>", "<stream end>"):
            return self._empty(token.start)
        return self._root()

    def _root(self) -> Node:
        root = self._node(block=True)
        stack = self.stack
        while stack:
            getattr(self, stack[-1][1])()
        return root

    def _empty(self, at: int) -> Node:
        return Node(SCALAR, NULL, at, at, "plain")

    def _node(self, *, block: bool, indentless: bool = False) -> Node:
        """Read one node; a collection is opened and pushed, its content follows by the states."""
        scanner = self.scanner
        token = scanner.peek()
        if token.id == "<alias>":
            return self._alias(scanner.next())
        anchor = tag = None
        start = token.start
        while (token := scanner.peek()).id in ("<anchor>", "<tag>"):
            if token.id == "<anchor>":
                if anchor is not None:
                    break
                anchor = scanner.next()
            else:
                if tag is not None:
                    break
                tag = scanner.next()
        tag_name: str | None = None
        if tag is not None:
            tag_name = tag.value
            if tag.handle is not None:
                if tag.handle not in self.handles:
                    problem, context = f"found undefined tag handle {tag.handle}", "while parsing a node"
                    raise YamlError("unknown-tag", problem, tag.start, context, start, tag.end)
                tag_name = self.handles[tag.handle] + tag.value
        name = token.id
        if name == "<scalar>":
            scanner.next()
            if tag_name is None or tag_name == "!":
                plain = token.style == "plain" and tag_name is None
                kind = resolve(token.value) if plain else STR
            else:
                kind = tag_name
            node = Node(SCALAR, kind, token.start, token.end, token.style)
            node.mark = start
            node.value = token.value
        elif name == "-" and indentless:
            return self._open(SEQUENCE, tag_name, token, start, "_indentless_entry", anchor, "block")
        elif name == "[":
            scanner.next()
            return self._open(SEQUENCE, tag_name, token, start, "_flow_first_item", anchor, "flow")
        elif name == "{":
            scanner.next()
            return self._open(MAPPING, tag_name, token, start, "_flow_first_key", anchor, "flow")
        elif name == "<block sequence start>" and block:
            scanner.next()
            return self._open(SEQUENCE, tag_name, token, start, "_block_entry", anchor, "block")
        elif name == "<block mapping start>" and block:
            scanner.next()
            return self._open(MAPPING, tag_name, token, start, "_block_key", anchor, "block")
        elif anchor is not None or tag is not None:
            last = max(t.end for t in (anchor, tag) if t is not None)
            node = Node(SCALAR, NULL, last, last, "plain")
            node.mark = start
            if tag_name is not None:
                node.tag = STR if tag_name == "!" else tag_name
        else:
            problem = f"expected the node content, but found '{name}'"
            context = f"while parsing a {'block' if block else 'flow'} node"
            raise YamlError("syntax", problem, token.start, context, start, token.end)
        if anchor is not None:
            self.anchors[anchor.value] = node
        return node

    def _alias(self, token: _Token) -> Node:
        node = self.anchors.get(token.value)
        if node is None:
            problem = f"found undefined alias {token.value}"
            raise YamlError("undefined-alias", problem, token.start, "", end=token.end)
        if node.kind != SCALAR:
            self.collection_aliases += 1
            if self.collection_aliases > MAX_COLLECTION_ALIASES:
                problem = f"Number of aliases for non-scalar nodes exceeds the specified max={MAX_COLLECTION_ALIASES}"
                raise YamlError("too-large", problem, token.start, end=token.end, plain=True)
        if node.open:
            node.recursive = True
        return node

    def _open(self, kind: int, tag: str | None, token: _Token, mark: int, state: str, anchor: _Token | None, style: str) -> Node:
        if tag is None or tag == "!":
            tag = SEQ if kind == SEQUENCE else MAP
        node = Node(kind, tag, token.start, token.end, style)
        node.mark = mark
        node.value = []
        node.open = True
        if anchor is not None:
            self.anchors[anchor.value] = node
        if len(self.stack) >= MAX_DEPTH:
            problem = f"collections are nested more than {MAX_DEPTH} deep"
            raise YamlError("nesting", problem, token.start, end=token.end, plain=True)
        self.document.collections.append(node)
        self.stack.append((node, state, token.start))
        self.key.append(None)
        return node

    def _state(self, state: str) -> None:
        node, _, mark = self.stack[-1]
        self.stack[-1] = (node, state, mark)

    def _close(self, end: int | None = None) -> None:
        node, _, _ = self.stack.pop()
        self.key.pop()
        node.open = False
        if end is not None:
            node.end = end
        elif node.value:
            last = node.value[-1]
            child = last if isinstance(last, Node) else last[1]
            node.end = max(node.end, _last_end(child, last))

    # Block sequences

    def _block_entry(self) -> None:
        token = self.scanner.peek()
        node, _, mark = self.stack[-1]
        if token.id == "-":
            self.scanner.next()
            follower = self.scanner.peek()
            node.end = token.end
            if follower.id in ("-", "<block end>"):
                node.items.append(self._empty(token.end))
            else:
                node.items.append(self._node(block=True))
            return
        if token.id != "<block end>":
            problem = f"expected <block end>, but found '{token.id}'"
            context = "while parsing a block collection"
            raise YamlError("syntax", problem, token.start, context, mark, token.end)
        self.scanner.next()
        self._close()

    def _indentless_entry(self) -> None:
        token = self.scanner.peek()
        if token.id != "-":
            self._close()
            return
        node = self.stack[-1][0]
        self.scanner.next()
        node.end = token.end
        if self.scanner.peek().id in ("-", "?", ":", "<block end>"):
            node.items.append(self._empty(token.end))
        else:
            node.items.append(self._node(block=True))

    # Block mappings

    def _block_key(self) -> None:
        scanner = self.scanner
        token = scanner.peek()
        node, _, mark = self.stack[-1]
        if token.id == "?":
            scanner.next()
            self._state("_block_value")
            node.end = max(node.end, token.end)
            if scanner.peek().id in ("?", ":", "<block end>"):
                self.key[-1] = self._empty(token.end)
            else:
                place = len(self.key) - 1
                self.key[place] = self._node(block=True, indentless=True)
            return
        if token.id != "<block end>":
            problem = f"expected <block end>, but found '{token.id}'"
            context = "while parsing a block mapping"
            raise YamlError("syntax", problem, token.start, context, mark, token.end)
        scanner.next()
        self._close()

    def _pair(self, place: int, value: Node) -> None:
        key = self.key[place]
        assert key is not None
        self.stack[place][0].pairs.append((key, value))
        self.key[place] = None

    def _block_value(self) -> None:
        scanner = self.scanner
        token = scanner.peek()
        place = len(self.stack) - 1
        self._state("_block_key")
        if token.id == ":":
            scanner.next()
            self.stack[place][0].end = token.end
            if scanner.peek().id in ("?", ":", "<block end>"):
                self._pair(place, self._empty(token.end))
            else:
                self._pair(place, self._node(block=True, indentless=True))
        elif token.id == "<scalar>":
            self._pair(place, self._node(block=True, indentless=True))
        else:
            self._pair(place, self._empty(token.start))

    # Flow sequences

    def _flow_first_item(self) -> None:
        self._state("_flow_item")
        self._flow_sequence(first=True)

    def _flow_item(self) -> None:
        self._flow_sequence(first=False)

    def _flow_sequence(self, *, first: bool) -> None:
        scanner = self.scanner
        token = scanner.peek()
        node, _, mark = self.stack[-1]
        if token.id != "]":
            if not first:
                if token.id != ",":
                    problem = f"expected ',' or ']', but got {token.id}"
                    context = "while parsing a flow sequence"
                    raise YamlError("syntax", problem, token.start, context, mark, token.end)
                scanner.next()
                token = scanner.peek()
            if token.id == "?":
                pair = Node(MAPPING, MAP, token.start, token.end, "flow")
                pair.value = []
                pair.open = True
                node.items.append(pair)
                self.document.collections.append(pair)
                self.stack.append((pair, "_flow_pair_value", token.start))
                self.key.append(None)
                place = len(self.key) - 1
                scanner.next()
                if scanner.peek().id in (":", ",", "]"):
                    self.key[place] = self._empty(token.end)
                else:
                    self.key[place] = self._node(block=False)
                return
            if token.id != "]":
                node.items.append(self._node(block=False))
                return
        scanner.next()
        self._close(token.end)

    def _flow_pair_value(self) -> None:
        scanner = self.scanner
        token = scanner.peek()
        place = len(self.stack) - 1
        self._state("_flow_pair_end")
        if token.id == ":":
            scanner.next()
            if scanner.peek().id not in (",", "]"):
                self._pair(place, self._node(block=False))
                return
            self._pair(place, self._empty(token.end))
            return
        self._pair(place, self._empty(token.start))

    def _flow_pair_end(self) -> None:
        self._close()

    # Flow mappings

    def _flow_first_key(self) -> None:
        self._state("_flow_key")
        self._flow_mapping(first=True)

    def _flow_key(self) -> None:
        self._flow_mapping(first=False)

    def _flow_mapping(self, *, first: bool) -> None:
        scanner = self.scanner
        token = scanner.peek()
        mark = self.stack[-1][2]
        if token.id != "}":
            if not first:
                if token.id != ",":
                    problem = f"expected ',' or '}}', but got {token.id}"
                    context = "while parsing a flow mapping"
                    raise YamlError("syntax", problem, token.start, context, mark, token.end)
                scanner.next()
                token = scanner.peek()
            place = len(self.stack) - 1
            if token.id == "?":
                scanner.next()
                self._state("_flow_value")
                if scanner.peek().id in (":", ",", "}"):
                    self.key[place] = self._empty(token.end)
                else:
                    self.key[place] = self._node(block=False)
                return
            if token.id != "}":
                self._state("_flow_no_value")
                self.key[place] = self._node(block=False)
                return
        scanner.next()
        self._close(token.end)

    def _flow_value(self) -> None:
        scanner = self.scanner
        token = scanner.peek()
        place = len(self.stack) - 1
        self._state("_flow_key")
        if token.id == ":":
            scanner.next()
            if scanner.peek().id not in (",", "}"):
                self._pair(place, self._node(block=False))
                return
            self._pair(place, self._empty(token.end))
            return
        self._pair(place, self._empty(token.start))

    def _flow_no_value(self) -> None:
        place = len(self.stack) - 1
        self._state("_flow_key")
        self._pair(place, self._empty(self.scanner.peek().start))


def _last_end(child: Node, last: Node | tuple[Node, Node]) -> int:
    """Where the text of the last entry ends; an alias ends where it stands, which its node cannot say."""
    return child.end if isinstance(last, Node) or child.end >= last[0].end else last[0].end


def compose(text: str) -> Document:
    """The nodes of a text; raises YamlError where the library refuses it."""
    found = NON_PRINTABLE.search(text)
    if found:
        char = found.group()
        reason = "encoding" if "\udc80" <= char <= "\udcff" else "binary"
        raise YamlError(reason, "special characters are not allowed", found.start(), plain=True)
    return _Parser(text).parse()


# Construction


def _make_scalar(node: Node) -> object:
    tag, text = node.tag, node.scalar
    if tag == STR or tag == _ENVIRONMENT:
        return text
    if tag == NULL:
        return None
    if tag == BOOL:
        return {"true": True, "false": False}.get(text.lower())
    try:
        if tag == INT:
            if not re.fullmatch(r"[-+]?(?:[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)", text):
                raise ValueError(text)
            return make_integer(text)
        if tag == FLOAT:
            return make_float(text)
        if tag == BINARY:
            from base64 import b64decode

            code = re.sub(r"[ \t\n\r\f\v]", "", text)
            if not _BASE64.fullmatch(code):
                raise ValueError(code)
            return b64decode(code.rstrip("=") + "=" * (-len(code.rstrip("=")) % 4))
    except ValueError:
        problem = f'For input string: "{text}"'
        raise YamlError("unknown-tag", problem, node.start, end=node.end, plain=True) from None
    raise _no_constructor(node)


def _no_constructor(node: Node) -> YamlError:
    if node.tag.startswith("tag:yaml.org,2002:") and node.tag in (
        *(STR, INT, FLOAT, BOOL, NULL, BINARY, SEQ, MAP, SET),
    ):
        problem = f"a {('scalar', 'sequence', 'mapping')[node.kind]} cannot be {node.tag}"
        return YamlError("unknown-tag", problem, node.start, end=max(node.end, node.start), plain=True)
    problem = f"could not determine a constructor for the tag {node.tag}"
    return YamlError("unknown-tag", problem, node.mark, end=node.end)


class _Constructor:
    """Nodes to values, in the order of the library, so that errors come in that order too."""

    def __init__(self) -> None:
        self.errors: list[YamlError] = []
        self.done: set[int] = set()

    def make(self, root: Node) -> None:
        """Fill `made` of a node and all below it."""
        collections: list[Node] = []
        pending = [root]
        while pending:
            node = pending.pop()
            if id(node) in self.done:
                continue
            self.done.add(id(node))
            if node.kind == SCALAR:
                try:
                    node.made = _make_scalar(node)
                except YamlError as error:
                    self.errors.append(error)
                    node.made = node.scalar
                continue
            collections.append(node)
            if node.kind == SEQUENCE:
                node.made = []
                if node.tag != SEQ:
                    self.errors.append(_no_constructor(node))
                pending += reversed(node.items)
                continue
            node.made = YamlSet() if node.tag == SET else {}
            if node.tag not in (MAP, SET):
                self.errors.append(_no_constructor(node))
            self.keys(node)
            pending += [value for _, value in reversed(node.pairs)]
        for node in collections:
            if node.kind == SEQUENCE:
                assert isinstance(node.made, list)
                node.made.extend(item.made for item in node.items)
            else:
                assert isinstance(node.made, dict)
                for key, value in node.pairs:
                    node.made[key_of(key.made)] = value.made

    def keys(self, node: Node) -> None:
        """Make the keys of a mapping, and tell of keys that are there twice."""
        seen: set[object] = set()
        for key_node, _ in node.pairs:
            self.make(key_node)
            key = key_of(key_node.made)
            if key in seen:
                problem = f"found duplicate key {_shown_key(key_node.made)}"
                context, place = "while constructing a mapping", key_node.mark
                error = YamlError("duplicate-key", problem, place, context, node.mark, key_node.end)
                self.errors.append(error)
            seen.add(key)
            if key_node.recursive:
                problem = "Recursive key for mapping is detected but it is not configured to be allowed."
                self.errors.append(
                    YamlError("nesting", problem, key_node.start, end=key_node.end, plain=True)
                )


def construct(document: Document) -> list[YamlError]:
    """Fill `made` of every node; all errors found, the one the library stops at first.

    The values beside an error are still filled.
    """
    constructor = _Constructor()
    if document.root is not None:
        try:
            constructor.make(document.root)
        except RecursionError:  # only keys within keys within keys recurse
            problem = "keys are nested too deep"
            constructor.errors.insert(0, YamlError("nesting", problem, document.root.start, plain=True))
    return constructor.errors


def _shown_key(key: object) -> str:
    """A key as Java's String.valueOf shows it in an error."""
    if isinstance(key, (list, dict)):
        return str(key)
    return double_text(key) if isinstance(key, float) else scalar_text(key)[0]


def load(text: str) -> object:
    """The value of a text, as the library's Load.loadFromString returns it; raises YamlError."""
    document = compose(text)
    errors = construct(document)
    if errors:
        raise errors[0]
    return None if document.root is None else document.root.made

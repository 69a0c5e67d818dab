"""A scanner that splits YAML into tokens, with the same results and errors as Flink's loader (snakeyaml-engine 2)."""

from __future__ import annotations

import re
from collections import deque

from flink_flint.linter.flink.parsed_file import CODE_POINT_LIMIT
from flink_flint.linter.flink.yaml.yaml_cursor import (
    BLANK_OR_LINE_END,
    BLANKS,
    BREAKS,
    COMMENT,
    ENDS,
    Token,
    YamlError,
    with_code,
)
from flink_flint.linter.flink.yaml.yaml_scalars import ScalarScanner
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_TOKENS = 500_000
"""The maximum number of tokens read from a YAML text; flint's own limit, for speed."""

_MAX_SIMPLE_KEY = 1024

_GAP = regex("(?:[ ]*(?:#[^\0\r\n]*)?\n)*+[ ]*(?:#[^\0\r\n]*)?")
"""Blanks, comments and the usual line breaks."""
_SKIPPED = f" #{BREAKS}"
"""The first characters of what may be between tokens."""
_ANCHOR = regex("[^\0\t\r\n ,\\[\\]{}/.*&]*")
_WORD = regex("[A-Za-z0-9_-]*")
_DIGITS = regex(r"\d*")
_URI = regex(r"[A-Za-z0-9_\-;/?:@&=+$.!~*'()%]*")
_URI_PREFIX = regex(r"[A-Za-z0-9_\-;/?:@&=+$.!~*'()%,\[\]]*")


class _SimpleKey(NamedTuple):
    token: int
    required: bool
    at: int
    line_start: int


class Scanner(ScalarScanner):
    """Splits a YAML text into tokens; `text` must contain only printable characters."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tokens: deque[Token] = deque([Token("<stream start>", self.pos, self.pos)])
        self.taken = 0
        self.done = False
        self.indents: list[int] = []
        self.keys: dict[int, _SimpleKey] = {}
        self._head: Token | None = None

    # For the parser

    def peek(self) -> Token:
        if self._head is None:
            self._head = self._resolved_head()
        return self._head

    def next(self) -> Token:
        token = self.peek()
        self._head = None
        self.taken += 1
        if self.taken > MAX_TOKENS:
            problem = f"more than {MAX_TOKENS} tokens of YAML are not read"
            raise YamlError("too-large", problem, token.start, plain=True)
        return self.tokens.popleft()

    def _resolved_head(self) -> Token:
        """Return the first token, once no colon further on can make it a key."""
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
        return self.fail("could not find expected ':'", "while scanning a simple key", key.at)

    def _save_key(self) -> None:
        required = not self.flow and self.indent == self.column()
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
        if char.isalnum():  # most tokens begin so, and no indicator does
            return self._fetch_plain()
        if char == "\0":
            return self._fetch_end()
        if column == 0:
            if char == "%":
                return self._fetch_directive()
            if char in "-." and text[pos : pos + 3] in ("---", "...") and text[pos + 3] in ENDS:
                return self._fetch_document_mark()
        if char in "[{":
            return self._fetch_flow_start()
        if char in "]}":
            return self._fetch_flow_end()
        if char == ",":
            return self._fetch_flow_entry()
        follower = text[pos + 1]
        if char == "-" and follower in ENDS:
            return self._fetch_block_entry()
        if char == "?" and follower in ENDS:
            return self._fetch_key()
        if char == ":" and (self.flow or follower in ENDS):
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
            self.tokens.append(self.scan_block_scalar(char))
            return None
        if char in "'\"":
            self._save_key()
            self.simple_key_allowed = False
            self.tokens.append(self.scan_quoted(char))
            return None
        if self._starts_plain(char, follower):
            return self._fetch_plain()
        shown = {"\t": "\\t", "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P"}.get(char, char)
        if char == "\t":
            shown += "(TAB)"
        problem = f"found character '{shown}' that cannot start any token. (Do not use {shown} for indentation)"
        error = self.fail(problem, "while scanning for the next token")
        error.reason = "tab" if char == "\t" else "reserved-indicator"
        raise error

    def _starts_plain(self, char: str, follower: str) -> bool:
        if char not in ENDS and char not in "-?:,[]{}#&*!|>'\"%@`":
            return True
        if self.flow:
            return char in "-?" and follower not in ENDS and follower not in ",]"
        return char in "-?:" and follower not in ENDS

    def _fetch_plain(self) -> None:
        self._save_key()
        self.simple_key_allowed = False
        self.tokens.append(self.scan_plain())

    def _skip_to_token(self) -> None:
        if self.pos == self.origin and self.text[self.pos] == "\ufeff":
            self.pos += 1
            self.line_start += 1
        text = self.text
        if text[self.pos] not in _SKIPPED:
            return
        while True:
            start = self.pos
            self.pos = _GAP.match(text, start).end()  # type: ignore[union-attr]
            line_start = text.rfind("\n", start, self.pos) + 1
            if line_start:
                self.line_start = line_start
            another = text[self.pos] in BREAKS and self.line_break()
            if (line_start or another) and not self.flow:
                self.simple_key_allowed = True
            if not another:
                return

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
                raise self.fail("sequence entries are not allowed here", "")
            if self._add_indent(self.column()):
                self.tokens.append(Token("<block sequence start>", self.pos, self.pos))
        self.simple_key_allowed = True
        self._remove_key()
        self.tokens.append(self._single("-"))

    def _fetch_key(self) -> None:
        if not self.flow:
            if not self.simple_key_allowed:
                raise self.fail("mapping keys are not allowed here")
            if self._add_indent(self.column()):
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
                    raise self.fail("mapping values are not allowed here")
                if self._add_indent(self.column()):
                    self.tokens.append(Token("<block mapping start>", self.pos, self.pos))
            self.simple_key_allowed = not self.flow
            self._remove_key()
        self.tokens.append(self._single(":"))

    # Scanning: directives, anchors, tags

    def _scan_directive(self) -> Token:
        start, context = self.pos, "while scanning a directive"
        self.pos += 1
        name = self.run(_WORD)
        char = self.text[self.pos]
        if not name or char not in BLANK_OR_LINE_END:
            problem = f"expected alphabetic or numeric character, but found {with_code(char)}"
            raise self.fail(problem, context, start)
        token = Token("<directive>", start, self.pos, name)
        if name == "YAML":
            self.run(BLANKS)
            major = self._scan_version_number(start)
            if (char := self.text[self.pos]) != ".":
                problem = f"expected a digit or '.', but found {with_code(char)}"
                raise self.fail(problem, context, start)
            self.pos += 1
            minor = self._scan_version_number(start)
            if (char := self.text[self.pos]) not in BLANK_OR_LINE_END:
                problem = f"expected a digit or ' ', but found {with_code(char)}"
                raise self.fail(problem, context, start)
            token = token._replace(numbers=(major, minor))
        elif name == "TAG":
            self.run(BLANKS)
            handle = self._scan_tag_handle("directive", start)
            if (char := self.text[self.pos]) != " ":
                raise self.fail(f"expected ' ', but found {with_code(char)}", context, start)
            self.run(BLANKS)
            prefix = self._scan_uri("directive", _URI_PREFIX, start)
            if (char := self.text[self.pos]) not in BLANK_OR_LINE_END:
                raise self.fail(f"expected ' ', but found {with_code(char)}", context, start)
            token = token._replace(handle=handle, style=prefix)
        else:
            self.run(COMMENT)
        self.ignore_rest_of_line(context, start)
        return token

    def _scan_version_number(self, start: int) -> int:
        digits = self.run(_DIGITS)
        if not digits:
            problem = f"expected a digit, but found {with_code(self.text[self.pos])}"
            raise self.fail(problem, "while scanning a directive", start)
        number = int(digits) if len(digits) < 12 else 2**31
        if number >= 2**31:
            problem = f'For input string: "{digits}"'
            raise YamlError("syntax", problem, self.pos - len(digits), end=self.pos, plain=True)
        return number

    def _scan_anchor(self) -> Token:
        start = self.pos
        alias = self.text[start] == "*"
        self.pos += 1
        name = self.run(_ANCHOR)
        char = self.text[self.pos]
        if not name or (char not in ENDS and char not in "?:,]}%@`"):
            context = f"while scanning an {'alias' if alias else 'anchor'}"
            error = self.fail(f"unexpected character found {with_code(char)}", context, start)
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
                raise self.fail(problem, "while scanning a tag", start)
            self.pos += 1
        elif char in ENDS:
            suffix = "!"
            self.pos += 1
        else:
            at = start + 1
            while text[at] not in BLANK_OR_LINE_END and text[at] != "!":
                at += 1
            if text[at] == "!":
                handle = self._scan_tag_handle("tag", start)
            else:
                handle = "!"
                self.pos += 1
            suffix = self._scan_uri("tag", _URI, start)
        if (char := text[self.pos]) not in BLANK_OR_LINE_END:
            problem = f"expected ' ', but found '{char}' ({ord(char)})"
            raise self.fail(problem, "while scanning a tag", start)
        return Token("<tag>", start, self.pos, suffix, handle=handle)

    def _scan_tag_handle(self, name: str, start: int) -> str:
        char = self.text[self.pos]
        begin = self.pos
        if char == "!":
            self.pos += 1
            if self.text[self.pos] == " ":
                return "!"
            self.run(_WORD)
            char = self.text[self.pos]
            if char == "!":
                self.pos += 1
                return self.text[begin : self.pos]
        raise self.fail(f"expected '!', but found {with_code(char)}", f"while scanning a {name}", start)

    def _scan_uri(self, name: str, allowed: re.Pattern[str], start: int) -> str:
        uri = self.run(allowed)
        context = f"while scanning a {name}"
        if not uri:
            problem = f"expected URI, but found {with_code(self.text[self.pos])}"
            raise self.fail(problem, context, start)
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
                    f"{with_code(first)} and {with_code(second)}"
                )
                raise self.fail(problem, context, start) from None
            at += 3
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self.fail("expected URI in UTF-8", context, start) from None

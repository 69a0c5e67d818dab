"""Object literals of JavaScript, TypeScript, and Jsonnet, with positions; other expressions are unknown values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, MAX_DEPTH, SCALAR, UNKNOWN, Node
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_TOKEN = regex(
    r"""(?P<blank>\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)|(?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')"""
    r"""|(?P<template>`(?:[^`\\]|\\.)*+`)|(?P<open>[{\[(])|(?P<close>[}\])])|(?P<number>\d[\w.]*+)"""
    r"""|(?P<word>[A-Za-z_$][\w$]*+)|(?P<mark>[,:])|(?P<other>.)""",
    re.DOTALL,
)
_JSONNET = regex(
    r"""(?P<blank>\s+|//[^\n]*|\#[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)|(?P<block>\|\|\|(?:[^|]|\|(?!\|\|))*+\|\|\|)"""
    r"""|(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|(?P<open>[{\[(])|(?P<close>[}\])])|(?P<number>\d[\w.]*+)"""
    r"""|(?P<word>[A-Za-z_$][\w$]*+)|(?P<mark>[,:;])|(?P<other>.)""",
    re.DOTALL,
)
"""The tokens of Jsonnet, which has other comments and texts of several lines between ``|||``."""
_PRODUCT = regex(r"[0-9_]{1,18}(?:\s*\*\s*[0-9_]{1,18}){0,5}")
_WORDS = {"true": True, "false": False, "null": None}
_MAX_TOKENS = 200_000
MAX_SHARE = 20
"""The maximum total length of the object literals read, nested ones included, as a multiple of the file's length."""


class _Token:
    __slots__ = ("closes", "end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind, self.text, self.start, self.end = kind, text, start, end
        self.closes = 0
        """The index of the token that closes this bracket; 0 if none does."""


class ScriptLiterals:
    """The tokens of a JavaScript, TypeScript, or Jsonnet program, from which object literals are read."""

    def __init__(self, text: str, *, is_jsonnet: bool = False) -> None:
        self._text = text
        self._tokens: list[_Token] = []
        stack: list[int] = []
        for match in (_JSONNET if is_jsonnet else _TOKEN).finditer(text):
            kind = match.lastgroup or "other"
            if kind == "blank":
                continue
            if len(self._tokens) >= _MAX_TOKENS:
                break
            if kind == "open":
                stack.append(len(self._tokens))
            elif kind == "close" and stack:
                self._tokens[stack.pop()].closes = len(self._tokens)
            self._tokens.append(_Token(kind, match[0], *match.span()))

    def objects_with(self, *names: str) -> Iterator[Node]:
        """Yield the object literals that directly contain a property whose name is one of `names`, in file order."""
        stack: list[int] = []
        found: dict[int, None] = {}
        for place, token in enumerate(self._tokens):
            if token.kind == "open":
                stack.append(place)
            elif token.kind == "close" and stack:
                stack.pop()
            elif stack and self._name(token) in names and self._is(place + 1, ":"):
                found[stack[-1]] = None
        left = MAX_SHARE * len(self._text)
        for place in found:
            token = self._tokens[place]
            if token.text == "{" and token.closes:
                left -= self._tokens[token.closes].end - token.start
                if left < 0:
                    return
                yield self._object(place, 0)

    @staticmethod
    def _name(token: _Token) -> str | None:
        if token.kind == "word":
            return token.text
        return token.text[1:-1] if token.kind == "string" else None

    def _is(self, place: int, mark: str) -> bool:
        return place < len(self._tokens) and self._tokens[place].text == mark

    def _object(self, place: int, depth: int) -> Node:
        end = self._tokens[place].closes
        pairs: list[tuple[str, Span, Node]] = []
        is_open = False
        for first, last in self._members(place, end):
            key = self._tokens[first]
            name = self._name(key)
            if self._is(first + 1, "+") and self._is(first + 2, ":"):
                first, is_open = first + 1, True  # Jsonnet: added to what another object has under this name
            if name is None or not self._is(first + 1, ":") or first + 2 == last:
                is_open = True  # a spread, a computed name, a shorthand, a method, or a name whose value is missing
                continue
            pairs.append((name, Span(key.start, key.end), self._value(first + 2, last, depth + 1)))
        span = Span(self._tokens[place].start, self._tokens[end].end)
        return Node(MAPPING, span, self._text[slice(*span)], pairs=pairs, is_open=is_open)

    def _members(self, place: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the first token of each member between two brackets, and the token behind it."""
        first = at = place + 1
        while at < end:
            token = self._tokens[at]
            if token.text == "," and token.kind == "mark":
                if at > first:
                    yield first, at
                first = at + 1
            elif token.kind == "open" and token.closes:
                at = token.closes
            at += 1
        if end > first:
            yield first, end

    def _value(self, first: int, last: int, depth: int) -> Node:
        token = self._tokens[first]
        span = Span(token.start, self._tokens[last - 1].end)
        raw = self._text[slice(*span)]
        if depth <= MAX_DEPTH and token.kind == "open" and token.closes == last - 1:
            if token.text == "{":
                return self._object(first, depth)
            if token.text == "[":
                items = [self._value(*member, depth + 1) for member in self._members(first, token.closes)]
                return Node(LIST, span, raw, items=items)
        if last - first == 1 and token.kind in ("string", "template") and "${" not in raw:
            return Node(SCALAR, span, raw, _decoded(raw))
        if last - first == 1 and raw in _WORDS:
            return Node(SCALAR, span, raw, _WORDS[raw])
        if token.kind == "number" and _PRODUCT.fullmatch(raw):
            product = 1
            for factor in raw.split("*"):
                product *= int(factor.replace("_", "") or 0)
            return Node(SCALAR, span, raw, product, is_literal=last - first == 1)
        return Node(UNKNOWN, span, raw, is_open=True)


def _decoded(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    try:
        return str(json.loads('"' + raw[1:-1].replace("\\'", "'").replace("\\`", "`").replace("\n", "\\n") + '"'))
    except ValueError:
        return raw[1:-1]

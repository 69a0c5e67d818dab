"""A tolerant JSON parser with positions: accepts truncated text, comments, trailing commas, and ``${}`` values."""

from __future__ import annotations

import json
from collections.abc import Callable

from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, MAX_DEPTH, SCALAR, UNKNOWN, Node
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_TOKEN = regex(
    r"""(?P<blank>[\s,:\ufeff]+|//[^\n]*)|(?P<string>"(?:[^"\\\n]|\\[^\n])*")|(?P<open>[{\[])|(?P<close>[}\]])"""
    r"""|(?P<tag>\$\{[^{}"\n]*\}|\{\{[^{}"\n]*\}\})|(?P<word>[^\s,:{}\[\]"]+)|(?P<other>.)"""
)
_NUMBER = regex(r"-?\d{1,300}(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}


class _Open:
    """A mapping or list that is not closed yet."""

    __slots__ = ("closing", "items", "key", "pairs", "start")

    def __init__(self, closing: str, start: int) -> None:
        self.closing, self.start = closing, start
        self.pairs: list[tuple[str, Span, Node]] = []
        self.items: list[Node] = []
        self.key: tuple[str, Span] | None = None


def read_json(text: str) -> Node | None:
    """Return the root node of JSON text; None if it contains no value."""
    return _read(text, text, lambda span: span)


def read_json_in(extract: Extract) -> Node | None:
    """Return the root node of embedded JSON text, with positions in the outer text; None if it contains no value."""
    return _read(extract.text, extract.outer, extract.span)


def _read(text: str, outer: str, place: Callable[[Span], Span]) -> Node | None:
    def node(kind: str, start: int, end: int, value: object = None, **members: object) -> Node:
        span = place(Span(start, end))
        return Node(kind, span, outer[span.start : span.end], value, **members)  # type: ignore[arg-type]

    root: Node | None = None
    stack: list[_Open] = []

    def add(found: Node) -> None:
        nonlocal root
        if not stack:
            root = root or found
        elif stack[-1].closing == "]":
            stack[-1].items.append(found)
        elif stack[-1].key is not None:
            stack[-1].pairs.append((*stack[-1].key, found))
            stack[-1].key = None

    def close(end: int) -> None:
        done = stack.pop()
        kind = MAPPING if done.closing == "}" else LIST
        add(node(kind, done.start, end, pairs=done.pairs, items=done.items))

    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "string":
            value = _decoded(match[0])
            if stack and stack[-1].closing == "}" and stack[-1].key is None:
                stack[-1].key = (value, place(Span(*match.span())))
            else:
                unknown = "${" in value or "{{" in value
                add(node(UNKNOWN if unknown else SCALAR, *match.span(), value))
        elif kind == "open":
            if len(stack) > MAX_DEPTH:
                break
            stack.append(_Open("}" if match[0] == "{" else "]", match.start()))
        elif kind == "close":
            if stack and stack[-1].closing == match[0]:
                close(match.end())
                if not stack:
                    break
        elif kind == "tag":
            add(node(UNKNOWN, *match.span(), match[0]))
        elif kind == "word":
            word = match[0]
            if word in _WORDS:
                add(node(SCALAR, *match.span(), _WORDS[word]))
            elif _NUMBER.fullmatch(word):
                add(node(SCALAR, *match.span(), int(word) if word.lstrip("-").isdigit() else float(word)))
    while stack:
        close(len(text))
    return root


def _decoded(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        return quoted[1:-1]

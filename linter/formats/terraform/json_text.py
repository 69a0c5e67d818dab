"""Terraform values as JSON, so that the readers of manifests and Helm values can read them in place."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flink_flint.linter.formats.syntax.hcl_tree import unescaped_pieces
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, MAX_DEPTH, SCALAR, Node
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_ESCAPED = regex(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')
_OPEN = '"{{ others }}": ""'
"""A member with a template tag for a key, which says that a mapping may have more members."""


def as_json(text: str, node: Node) -> Extract:
    """Return a value as JSON text; unknown values become ``${}``, and incomplete mappings get a placeholder member."""
    return Extract(text, pieces_of(text, node))


def pieces_of(text: str, node: Node, depth: int = 0) -> Iterator[Piece]:
    """Yield the JSON text of a value in pieces, which have positions in `text`."""
    start, end = Span(node.span.start, node.span.start), Span(node.span.end, node.span.end)
    if depth > MAX_DEPTH:
        yield Piece("null", node.span)
    elif node.kind == MAPPING:
        yield Piece("{", start)
        for number, (key, span, child) in enumerate(node.pairs):
            if number:
                yield Piece(", ", Span(span.start, span.start))
            yield from _key(text, key, span)
            yield Piece(": ", Span(span.end, span.end))
            yield from pieces_of(text, child, depth + 1)
        if node.is_open:
            yield Piece(f", {_OPEN}" if node.pairs else _OPEN, end)
        yield Piece("}", end)
    elif node.kind == LIST:
        yield Piece("[", start)
        for number, child in enumerate(node.items):
            if number:
                yield Piece(", ", Span(child.span.start, child.span.start))
            yield from pieces_of(text, child, depth + 1)
        yield Piece("]", end)
    elif (extract := text_of(text, node)) is not None:
        yield Piece('"', start)
        yield from _escaped(extract)
        yield Piece('"', end)
    elif node.kind == SCALAR:
        yield from _scalar(text, node)
    elif node.is_open and node.raw == "dynamic":
        yield Piece(f"{{{_OPEN}}}", node.span)
    else:
        yield Piece(json.dumps(node.placeholder()), node.span)


def text_of(text: str, node: Node) -> Extract | None:
    """Return the content of a multi-line string with the position of each character; None for any other value."""
    if node.extract is not None:
        return node.extract
    if node.kind == SCALAR and isinstance(node.value, str) and "\n" in node.value and node.raw[:1] == '"':
        return Extract(text, unescaped_pieces(text, Span(node.span.start + 1, node.span.end - 1)))
    return None


def _scalar(text: str, node: Node) -> Iterator[Piece]:
    written = json.dumps(node.value, ensure_ascii=False)
    if text[node.span.start : node.span.end] == written or node.span.end - node.span.start != len(written):
        yield Piece(written, node.span)
    else:  # a text of the same length is not the same text
        yield Piece(written[:-1], node.span)
        yield Piece(written[-1:], Span(node.span.end, node.span.end))


def _key(text: str, key: str, span: Span) -> Iterator[Piece]:
    written = json.dumps(key, ensure_ascii=False)
    if text[span.start : span.end] == key:  # a name without quotes
        yield Piece('"', Span(span.start, span.start))
        yield Piece(key, span)
        yield Piece('"', Span(span.end, span.end))
    else:
        yield Piece(written[:-1], span)
        yield Piece(written[-1:], Span(span.end, span.end))


def _escaped(extract: Extract) -> Iterator[Piece]:
    """Yield the pieces of a text as the content of a JSON string."""
    at = 0
    for match in _ESCAPED.finditer(extract.text):
        yield from extract.part(Span(at, match.start())).pieces
        yield Piece(json.dumps(match[0])[1:-1], extract.span(Span(*match.span())))
        at = match.end()
    yield from extract.part(Span(at, len(extract.text))).pieces

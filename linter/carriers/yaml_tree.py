"""The tree of a YAML or JSON file, document by document, each node with its place.

Tolerant: template tags count as unknown values, a line that breaks the grammar is left out, and a document of which
nothing can be made has no root. A file is split at its ``---`` lines first, as kubectl splits it, so that a broken
object does not hide its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from linter.elements import Attribute
from linter.extract import Extract, Piece
from linter.flink.entries import MAX_CHARACTERS
from linter.flink.recovery import blank_templates, culprit
from linter.flink.yaml_cursor import YamlError
from linter.flink.yaml_nodes import MAPPING, SCALAR, SEQUENCE, Node
from linter.flink.yaml_parser import compose
from linter.text import Span

_BLANK_LINE = re.compile(r"^[ ]+(?=\r?$)", re.MULTILINE)
_SEPARATOR = re.compile(r"^---[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)", re.MULTILINE)
_MOST_RETRIES = 8
_DEEPEST = 60
_NUMBER = re.compile(r"[-+]?(?:\d+|0x[0-9a-fA-F]+|0o[0-7]+)")
_FLOAT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class Tree(NamedTuple):
    """One document of a file."""

    span: Span
    root: Value | None
    """None where nothing can be made of it."""
    error: YamlError | None
    """What breaks the grammar, if something does; its offsets count from the start of `span`."""


class Value:
    """A node: a scalar, a mapping or a sequence, with its place in the file."""

    __slots__ = ("_base", "_node", "_text", "span")

    def __init__(self, text: str, node: Node, base: int) -> None:
        self._text, self._node, self._base = text, node, base
        self.span = Span(base + node.start, base + node.end)
        """As written, with quotes; from the ``|`` to the last line of a block scalar."""

    @property
    def is_scalar(self) -> bool:
        return self._node.kind == SCALAR

    @property
    def is_mapping(self) -> bool:
        return self._node.kind == MAPPING

    @property
    def is_sequence(self) -> bool:
        return self._node.kind == SEQUENCE

    @property
    def style(self) -> str:
        """plain, single, double, literal, folded, flow or block."""
        return self._node.style

    @property
    def raw(self) -> str:
        """As written, with quotes and template tags."""
        return self._text[self.span.start : self.span.end]

    @property
    def is_templated(self) -> bool:
        """Whether a template tag is to fill it in, wholly or in part."""
        return _TAGS.search(self.raw) is not None

    @property
    def text(self) -> str | None:
        """The text of a scalar; None of a collection, and where a template is to fill it in."""
        if self._node.kind != SCALAR or self.is_templated:
            return None
        return self._node.scalar

    @property
    def typed(self) -> object:
        """A scalar as YAML types it: str, int, float, bool; None for null, a collection or a template."""
        text = self.text
        if text is None or self._node.style != "plain":
            return text
        if text.lower() in _WORDS:
            return _WORDS[text.lower()]
        if _NUMBER.fullmatch(text):
            try:
                return int(text, 0) if text[:2].lower() in ("0x", "0o") else int(text)
            except ValueError:  # too many digits
                return text
        return float(text) if _FLOAT.fullmatch(text) else text

    def pairs(self, _depth: int = 0) -> Iterator[tuple[str, Span, Value]]:
        """The entries of a mapping with the places of their keys; those of merged mappings (``<<``) come last."""
        if self._node.kind != MAPPING:
            return
        merged: list[Value] = []
        told = set()
        for key, node in self._node.pairs:
            if key.kind != SCALAR:
                continue
            found = Value(self._text, node, self._base)
            if key.scalar == "<<" and key.style == "plain":
                merged += found.items() if found.is_sequence else [found]
                continue
            told.add(key.scalar)
            yield key.scalar, Span(self._base + key.start, self._base + key.end), found
        for other in merged:
            if _depth < _DEEPEST:
                for name, span, value in other.pairs(_depth + 1):
                    if name not in told:
                        told.add(name)
                        yield name, span, value

    def items(self) -> list[Value]:
        """The members of a sequence."""
        if self._node.kind != SEQUENCE:
            return []
        return [Value(self._text, item, self._base) for item in self._node.items]

    def entry(self, name: str) -> tuple[Span, Value] | None:
        """One entry of a mapping with the place of its key; the last one where a key stands twice."""
        found = None
        for key, span, value in self.pairs():
            if key == name:
                found = (span, value)
        return found

    def get(self, *path: str | int) -> Value | None:
        """What stands at a path of keys and places in lists; None where nothing does."""
        value: Value | None = self
        for step in path:
            if value is None:
                return None
            if isinstance(step, int):
                items = value.items()
                value = items[step] if -len(items) <= step < len(items) else None
            else:
                found = value.entry(step)
                value = found[1] if found else None
        return value

    def string(self, *path: str | int) -> str | None:
        """The text of the scalar at a path; None where there is none, or a template fills it in."""
        value = self.get(*path)
        return None if value is None else value.text

    def extract(self) -> Extract:
        """The text of a scalar (template tags and all) with the place of each of its characters."""
        decoded = self._node.scalar if self._node.kind == SCALAR else ""
        return extract_scalar(self._text, self.span, self._node.style, decoded)

    def attributes(self, prefix: str = "", *, most: int = 5_000) -> dict[str, Attribute]:
        """All scalars below, by dotted path with places in lists in brackets (`spec.job.args[0]`)."""
        found: dict[str, Attribute] = {}
        stack: list[tuple[str, Value, Span | None, int]] = [(prefix, self, None, 0)]
        while stack and len(found) < most:
            path, value, key_span, depth = stack.pop()
            if value.is_scalar:
                if path:
                    found[path] = Attribute(value.typed, value.span, key_span, value.raw)
                continue
            if depth > _DEEPEST:
                continue
            inner: list[tuple[str, Value, Span | None, int]] = []
            for key, span, child in value.pairs():
                inner.append((f"{path}.{key}" if path else key, child, span, depth + 1))
            for number, child in enumerate(value.items()):
                inner.append((f"{path}[{number}]", child, None, depth + 1))
            stack += reversed(inner)
        return found

    def __repr__(self) -> str:
        return f"<Value {self.raw[:40]!r}>"


_TAGS = re.compile(r"\{\{|\{%|<%")


def read_trees(text: str) -> list[Tree]:
    """The documents of a file, in order; those with nothing in them are left out."""
    if len(text) > MAX_CHARACTERS:
        return []
    trees = []
    start = 1 if text.startswith("\ufeff") else 0
    rendered = _without_tags(text)
    for end, following in [*((m.start(), m.end()) for m in _SEPARATOR.finditer(text)), (len(text), len(text))]:
        if text[start:end].strip():
            tree = _read(text, rendered[start:end], Span(start, end))
            if tree.root is not None or tree.error is not None:
                trees.append(tree)
        start = following
    return trees


def _without_tags(text: str) -> str:
    """The text with words in place of its template tags, of the same length.

    Lines that hold nothing but tags become empty ones, so that they do not end a block scalar they stand in.
    """
    rendered = blank_templates(text)
    if rendered is None:
        return text
    return _ONLY_TAGS.sub(
        lambda line: "\n" * len(line[0]) if text[line.start() : line.end()] != line[0] else line[0], rendered
    )


def _read(text: str, part: str, span: Span) -> Tree:
    first: YamlError | None = None
    for _ in range(_MOST_RETRIES):
        try:
            root = compose(part).root
        except YamlError as error:
            if "leading empty lines" in error.problem:  # only snakeyaml minds blanks in them
                relaxed = _BLANK_LINE.sub(lambda line: "\n" * len(line[0]), part)
                if relaxed != part:
                    part = relaxed
                    continue
            first = first or error
            start, end = culprit(part, error)
            if start == end or part[start] == "#":
                break
            part = part[:start] + "#" * (end - start) + part[end:]
            continue
        return Tree(span, None if root is None else Value(text, root, span.start), first)
    return Tree(span, None, first)


# -- scalars: where each character of the value stands

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_EMPTY = re.compile(r"([ ]*)(?:\r\n|\r|\n)")
_HEX = {"x": 2, "u": 4, "U": 8}
_ONLY_TAGS = re.compile(r"^[ \t]*#+[ \t#]*(?=\r?$)", re.MULTILINE)
_BREAK = re.compile(r"\r\n|\r|\n")


def extract_scalar(text: str, span: Span, style: str, decoded: str) -> Extract:
    """The value of a scalar, taken out of the text that its span covers; `decoded` is what the parser made of it."""
    if style in ("literal", "folded"):
        return Extract(text, _block(text, span, decoded, folded=style == "folded"))
    if style in ("single", "double"):
        span = Span(span.start + 1, max(span.start + 1, span.end - 1))
    return Extract(text, _flow(text, span, style))


def _flow(text: str, span: Span, style: str) -> list[Piece]:
    """Pieces of a plain or quoted scalar: escapes undone, line breaks folded."""
    pieces: list[Piece] = []
    at = run = span.start

    def flush(to: int) -> None:
        if to > run:
            pieces.append(Piece(text[run:to], Span(run, to)))

    while at < span.end:
        char = text[at]
        if char in "\r\n":
            end = at
            while end > run and text[end - 1] in " \t":
                end -= 1
            flush(end)
            breaks = []
            while at < span.end and (found := _BREAK.match(text, at)):
                breaks.append(Span(at, found.end()))
                at = found.end()
                while at < span.end and text[at] in " \t":
                    at += 1
            # One break is a blank; of several the first is dropped.
            pieces += [Piece(" ", breaks[0])] if len(breaks) == 1 else [Piece("\n", one) for one in breaks[1:]]
            run = at
        elif style == "single" and char == "'" and text[at + 1 : at + 2] == "'":
            flush(at)
            pieces.append(Piece("'", Span(at, at + 2)))
            at = run = at + 2
        elif style == "double" and char == "\\" and at + 1 < span.end:
            flush(at)
            at = run = _escape(text, at, span.end, pieces)
        else:
            at += 1
    flush(span.end)
    return pieces


def _escape(text: str, at: int, end: int, pieces: list[Piece]) -> int:
    """Take one escape of a double-quoted scalar; where it ends."""
    char = text[at + 1]
    if found := _BREAK.match(text, at + 1):  # an escaped break joins the lines
        after = found.end()
        while after < end and text[after] in " \t":
            after += 1
        return after
    length = _HEX.get(char, 0)
    after = at + 2 + length
    if length:
        digits = text[at + 2 : after]
        made = (
            chr(int(digits, 16)) if re.fullmatch(r"[0-9a-fA-F]+", digits) and int(digits, 16) < 0x110000 else "\ufffd"
        )
    else:
        made = _ESCAPES.get(char, char)
    pieces.append(Piece(made, Span(at, after)))
    return after


def _block(text: str, span: Span, decoded: str, *, folded: bool) -> list[Piece]:
    """Pieces of a literal or folded scalar."""
    head = _BREAK.search(text, span.start)
    if head is None or head.end() > len(text):
        return []
    header = text[span.start : head.start()].partition("#")[0]
    lines = _block_lines(text, head.end(), max(span.end, head.end()))
    explicit = re.search(r"[1-9]", header)
    indents = [_indent(text, line) for line, _ in lines if text[line.start : line.end].strip(" ")]
    if not indents:
        return [Piece("\n", end) for _, end in lines if end.end > end.start] if "+" in header else []
    # An indicator counts from the parent's indentation; what was decoded shows how much the first line kept of it.
    kept = decoded.lstrip("\n")
    indent = indents[0] - (len(kept) - len(kept.lstrip(" ")) if explicit else 0)
    content = [(Span(min(line.start + indent, line.end), line.end), end) for line, end in lines]
    if "+" in header:
        content += _kept_breaks(text, content[-1][1].end)
    last = max(place for place, (line, _) in enumerate(content) if line.end > line.start)
    pieces: list[Piece] = []
    for place, (line, end) in enumerate(content[: last + 1]):
        if line.end > line.start:
            pieces.append(Piece(text[line.start : line.end], line))
        if place < last:
            pieces += _line_break(text, content, place, end, folded=folded)
    if "-" not in header:
        tail = [end for _, end in content[last:] if end.end > end.start]
        pieces += [Piece("\n", end) for end in (tail if "+" in header else tail[:1])]
    return pieces


def _kept_breaks(text: str, start: int) -> list[tuple[Span, Span]]:
    """The empty lines behind a block scalar that keeps them."""
    lines = []
    while found := _EMPTY.match(text, start):
        lines.append((Span(found.end(1), found.end(1)), Span(found.end(1), found.end())))
        start = found.end()
    return lines


def _line_break(text: str, content: list[tuple[Span, Span]], place: int, end: Span, *, folded: bool) -> list[Piece]:
    """What the break behind a line of a block scalar means."""
    line, following = content[place][0], content[place + 1][0]
    if not folded:
        return [Piece("\n", end)]
    is_blank, next_blank = line.end == line.start, following.end == following.start
    if is_blank:
        return [Piece("\n", end)]
    spaced = text[line.start] in " \t"
    if next_blank:
        after = next((c for c, _ in content[place + 1 :] if c.end > c.start), following)
        return [Piece("\n", end)] if spaced or text[after.start] in " \t" else []
    if spaced or text[following.start] in " \t":
        return [Piece("\n", end)]
    return [Piece(" ", end)]


def _block_lines(text: str, start: int, end: int) -> list[tuple[Span, Span]]:
    """The lines from `start` to `end`: each without its end, and its end."""
    lines = []
    while start < end:
        found = _BREAK.search(text, start)
        if found is None or found.start() >= end:
            stop = min(end, len(text)) if found is None else found.start()
            close = Span(stop, stop) if found is None else Span(*found.span())
            lines.append((Span(start, stop), close))
            break
        lines.append((Span(start, found.start()), Span(*found.span())))
        start = found.end()
    return lines


def _indent(text: str, line: Span) -> int:
    return len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip(" "))

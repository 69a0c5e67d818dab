"""Trees of Kubernetes objects in which each scalar and key has an origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import TypeAlias

from flink_flint.linter.formats.kustomize.problems import Budget, NotKnown, Refused
from flink_flint.linter.formats.kustomize.scalar_types import NULL, STRING, type_of
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

_MAX_DEPTH = 80
_FILLER = regex(r"#{20,}")
"""Long comments, which take no time."""
_UNQUOTED = regex(r"[\w./(][^:#\n]*(?:[:#]\S[^:#\n]*)*")
_TAGS = {"!!str": STRING, "!!int": "integer", "!!float": "float", "!!bool": "boolean", "!!null": NULL}


class Scalar:
    """A scalar: its text, its type, its origin, and the fragments of its text if they have origins of their own."""

    __slots__ = ("_pieces", "is_quoted", "kind", "origin", "text")

    def __init__(
        self,
        text: str,
        kind: str,
        origin: Origin,
        pieces: Callable[[], tuple[Fragment, ...]] | None = None,
        *,
        is_quoted: bool = False,
    ) -> None:
        self.text, self.kind, self.origin = text, kind, origin
        self._pieces = pieces
        self.is_quoted = is_quoted
        """Whether it is quoted or a block; what replaces it is then a string, too."""

    def pieces(self) -> tuple[Fragment, ...]:
        """Return the fragments of the text, each with its origin."""
        return (Fragment(self.text, self.origin),) if self._pieces is None else self._pieces()

    def with_kind(self, kind: str) -> Scalar:
        """Return a scalar of another type with the same text and origin."""
        return Scalar(self.text, kind, self.origin, self._pieces, is_quoted=self.is_quoted)

    def in_place_of(self, old: Scalar) -> Scalar:
        """Return this scalar as kustomize writes it in place of `old`, with the quotes of `old`."""
        kind = STRING if old.is_quoted else self.kind
        return Scalar(self.text, kind, self.origin, self._pieces, is_quoted=old.is_quoted)

    def part(self, start: int, end: int) -> Scalar:
        """Return a part of the text as a string, with the places of its characters."""

        def pieces() -> tuple[Fragment, ...]:
            found: list[Fragment] = []
            at = 0
            for text, origin in self.pieces():
                first, last = max(start - at, 0), min(end - at, len(text))
                if first < last:
                    is_verbatim = origin is not None and origin.span.end - origin.span.start == len(text)
                    if origin is not None and is_verbatim:
                        origin = Origin(origin.path, Span(origin.span.start + first, origin.span.start + last))
                    found.append(Fragment(text[first:last], origin))
                at += len(text)
            return tuple(found)

        return Scalar(self.text[start:end], STRING, self.origin, pieces)

    def requoted(self) -> Scalar:
        """Return the scalar with quotes only if YAML needs them to read its text as a string."""
        is_quoted = self.kind == STRING and (type_of(self.text) != STRING or not _UNQUOTED.fullmatch(self.text))
        if is_quoted == self.is_quoted:
            return self
        return Scalar(self.text, self.kind, self.origin, self._pieces, is_quoted=is_quoted)


class Mapping:
    """A mapping: its keys as scalars, and its values, both indexed by the text of the key."""

    __slots__ = ("keys", "origin", "values")

    def __init__(self, origin: Origin) -> None:
        self.keys: dict[str, Scalar] = {}
        self.values: dict[str, Node] = {}
        self.origin = origin

    def set(self, key: str, value: Node, at: Scalar | None = None) -> None:
        """Set the value of a key; a new key is the scalar `at`, or else gets the origin of the value."""
        if key not in self.keys:
            self.keys[key] = at if at is not None else Scalar(key, STRING, value.origin)
        self.values[key] = value

    def remove(self, key: str) -> None:
        """Remove a key, if it exists."""
        self.keys.pop(key, None)
        self.values.pop(key, None)

    def get(self, *path: str) -> Node | None:
        """Return the node at a path of keys; None if the path does not exist."""
        node: Node | None = self
        for key in path:
            node = node.values.get(key) if isinstance(node, Mapping) else None
        return node

    def text(self, *path: str) -> str:
        """Return the text of the scalar at a path of keys; empty if it is missing or null."""
        found = self.get(*path)
        return found.text if isinstance(found, Scalar) and found.kind != NULL else ""

    def mapping(self, *path: str) -> Mapping | None:
        """Return the mapping at a path of keys; None if it is missing or not a mapping."""
        found = self.get(*path)
        return found if isinstance(found, Mapping) else None

    def made(self, key: str, origin: Origin) -> Mapping:
        """Return the mapping at a key; create it if the value is missing or not a mapping."""
        found = self.values.get(key)
        if not isinstance(found, Mapping):
            found = Mapping(origin)
            self.set(key, found)
        return found


class Sequence:
    """A sequence of nodes, with its origin."""

    __slots__ = ("items", "origin")

    def __init__(self, items: list[Node], origin: Origin) -> None:
        self.items, self.origin = items, origin


Node: TypeAlias = Scalar | Mapping | Sequence


class Source:
    """The text that objects are read from: a whole file, or (with `extract`) text embedded in a file."""

    __slots__ = ("extract", "path", "text")

    def __init__(self, path: str, text: str, extract: Extract | None = None) -> None:
        self.path, self.text, self.extract = path, text, extract

    def origin(self, span: Span) -> Origin:
        """Return the origin, in the file, of a span of the text."""
        return Origin(self.path, span if self.extract is None else self.extract.span(span))

    def with_text(self, text: str) -> Source:
        """Return the source with a text of the same length in place of its own."""
        made = copy(self)
        made.text = text
        return made

    def fragments(self, inner: Extract) -> tuple[Fragment, ...]:
        """Return the fragments of an extract of the text, with their origins in the file."""
        found: list[Fragment] = []
        for piece in inner.pieces:
            if self.extract is None or not piece.is_verbatim:
                found.append(Fragment(piece.text, self.origin(piece.span)))
            else:
                outer = self.extract.part(piece.span).pieces
                found += (Fragment(part.text, Origin(self.path, part.span)) for part in outer)
        return tuple(found)


class RenderedSource(Source):
    """A text that is assembled from several files, with the origins of its parts in these."""

    __slots__ = ("_rendered",)

    def __init__(self, path: str, rendered: RenderedText) -> None:
        """`path` is of the file for what comes from none of the files."""
        super().__init__(path, rendered.text)
        self._rendered = rendered

    def origin(self, span: Span) -> Origin:
        """Return the origin of a span; the start of the file at `path` if the span comes from no file."""
        return self._rendered.origin(span) or Origin(self.path, Span(0, 0))

    def fragments(self, inner: Extract) -> tuple[Fragment, ...]:
        """Return the fragments of an extract of the text, with their origins in the files."""
        found: list[Fragment] = []
        for piece in inner.pieces:
            if piece.is_verbatim:
                found += self._rendered.part(*piece.span)
            else:
                found.append(Fragment(piece.text, self._rendered.origin(piece.span)))
        return tuple(found)


def is_missing(node: Node | None) -> bool:
    """Return whether a node is missing or null."""
    return node is None or (isinstance(node, Scalar) and node.kind == NULL)


def is_empty(node: Node | None) -> bool:
    """Return whether a node is missing, null, or an empty mapping, sequence, or string."""
    if node is None or isinstance(node, Mapping):
        return node is None or not node.values
    return not node.items if isinstance(node, Sequence) else node.kind == NULL or not node.text


def made_scalar(text: str, origin: Origin, kind: str = STRING) -> Scalar:
    """Return a generated scalar with the given origin."""
    return Scalar(text, kind, origin)


def joined(*parts: Scalar) -> Scalar:
    """Return the concatenation of scalars as a string with the origin of the first scalar."""
    return Scalar(
        "".join(part.text for part in parts), STRING, parts[0].origin,
        lambda: tuple(piece for part in parts for piece in part.pieces()),
    )  # fmt: skip


def copied(node: Node, budget: Budget) -> Node:
    """Return a copy of a tree that shares the scalars, which are never modified."""
    if isinstance(node, Scalar):
        return node
    budget.spend(1, node.origin)
    if isinstance(node, Sequence):
        budget.spend(len(node.items), node.origin)
        return Sequence([copied(item, budget) for item in node.items], node.origin)
    made = Mapping(node.origin)
    budget.spend(len(node.values), node.origin)
    made.keys = dict(node.keys)
    made.values = {key: copied(value, budget) for key, value in node.values.items()}
    return made


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and its descendants."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Mapping):
            stack += node.values.values()
        elif isinstance(node, Sequence):
            stack += node.items


def read_documents(source: Source, budget: Budget, *, is_yaml_1_1: bool = False) -> list[Node]:
    """Return the trees of the documents in YAML or JSON text; raise `NotKnown` if one cannot be parsed."""
    found: list[Node] = []
    commented = sum(len(match[0]) for match in _FILLER.finditer(source.text))
    budget.parse(len(source.text) - commented, source.origin(Span(0, 0)))
    for tree in read_trees(source.text, is_rendered=False):
        if tree.error is not None:
            at = min(tree.span.start + tree.error.at, max(len(source.text) - 1, 0))
            raise NotKnown(f"it cannot be parsed as YAML: {tree.error.problem}", source.origin(Span(at, at + 1)))
        if tree.root is not None:
            found.append(_converted(tree.root, source, budget, 0, is_yaml_1_1=is_yaml_1_1))
    return found


def read_node(value: Value, source: Source, budget: Budget) -> Node:
    """Return the tree of a value in a source; raise `NotKnown` if it is too large."""
    return _converted(value, source, budget, 0, is_yaml_1_1=True)


def _converted(value: Value, source: Source, budget: Budget, depth: int, *, is_yaml_1_1: bool) -> Node:
    origin = source.origin(value.span)
    budget.spend(1, origin)
    if value.is_scalar:
        return _scalar(value, source, origin, is_yaml_1_1=is_yaml_1_1)
    if depth > _MAX_DEPTH:
        raise NotKnown("it is nested too deeply", origin)
    if value.is_sequence:
        items = [_converted(item, source, budget, depth + 1, is_yaml_1_1=is_yaml_1_1) for item in value.items()]
        return Sequence(items, origin)
    made = Mapping(origin)
    for key, span, child in value.pairs():
        if key in made.keys:
            raise Refused(f"the key {key} is repeated", source.origin(span))
        node = _converted(child, source, budget, depth + 1, is_yaml_1_1=is_yaml_1_1)
        made.set(key, node, Scalar(key, STRING, source.origin(span)))
    return made


def _scalar(value: Value, source: Source, origin: Origin, *, is_yaml_1_1: bool) -> Scalar:
    if value.is_templated and value.style == "plain":
        raise NotKnown("a template tag is not filled in", origin)
    text = value.extract().text if value.text is None else value.text
    kind = STRING
    before = source.text[value.tagged_span.start : value.span.start]
    tag = next((kind for tag, kind in _TAGS.items() if tag in before), None) if before else None
    if tag is not None:
        kind = tag
    elif value.style == "plain":
        kind = type_of(text, is_yaml_1_1=is_yaml_1_1)
    return Scalar(text, kind, origin, lambda: source.fragments(value.extract()), is_quoted=value.style != "plain")

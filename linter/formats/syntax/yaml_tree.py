"""Trees of the documents in YAML and JSON files, with the position of each node.

The parser is tolerant: template tags are unknown values, lines with syntax errors are skipped, and a document
without any valid content has no root. A file is split at its ``---`` lines first, like kubectl does, so that a broken
object does not hide its neighbors.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from flink_flint.linter.flink.invalid_config_yaml import blank_templates, culprit, template_tags
from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
from flink_flint.linter.flink.yaml.yaml_nodes import MAPPING, SCALAR, SEQUENCE, Node
from flink_flint.linter.flink.yaml.yaml_parser import compose
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.formats.syntax.yaml_scalars import LINE_BREAK, extract_scalar
from flink_flint.linter.formats.template_settings import insertions
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.limits import DOCUMENTS, leave_out
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_BLANK_LINE = regex(r"^[ ]+(?=\r?$)", re.MULTILINE)
_SEPARATOR = regex(r"^---[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)", re.MULTILINE)
_ONLY_TAGS = regex(r"^[ \t]*#+[ \t#]*(?=\r?$)", re.MULTILINE)
_MAX_RETRIES = 8
_MAX_TREES = 10 * DOCUMENTS
"""Maximum number of documents in a file that are parsed; many of them may be unrelated to Flink."""
_MAX_DEPTH = 60
_SMALL = 4_000
"""Characters of a document of which a file can have hundreds, and many are kept."""
_NUMBER = regex(r"[-+]?(?:\d+|0x[0-9a-fA-F]+|0o[0-7]+)")
_FLOAT = regex(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class Tree(NamedTuple):
    """The tree of one document in a file, with the document's span and first syntax error."""

    span: Span
    root: Value | None
    """The root node of the document; None if nothing can be parsed."""
    error: YamlError | None
    """The document's first syntax error, with offsets relative to the start of `span`; None if there is none."""


_Pair = tuple[str, Span, Node, int | None]
"""A mapping's entry: name, span of the key, node, and, if template branches repeat it, the first one's offset."""


class _Source:
    """Data that the nodes of a document share: the file's text, the document's offset, and its template tags."""

    __slots__ = ("base", "entries", "is_rendered", "is_template", "opened", "pairs", "relaxed", "tags", "text")

    def __init__(self, text: str, base: int, tags: list[Span] | None, *, is_rendered: bool) -> None:
        self.relaxed = False
        """Whether spaces in empty lines were replaced by line breaks; block scalars then have extra line breaks."""
        self.text, self.base, self.is_rendered = text, base, is_rendered
        self.is_template = tags is not None
        self.tags = tags or []
        self.pairs: dict[int, Sequence[_Pair]] = {}
        """Cached entries of mappings (by identity)."""
        self.entries: dict[int, dict[str, _Pair]] = {}
        """Cached entries of mappings (by identity), by name."""
        self.opened: set[int] = set()
        """The nodes (by identity) into which tags insert lines."""

    def has_tag(self, start: int, end: int) -> bool:
        """Return whether a template tag starts between two offsets of the file."""
        place = bisect_left(self.tags, start, key=lambda tag: tag.start)
        return place < len(self.tags) and self.tags[place].start < end


class Value:
    """A YAML or JSON node: a scalar, a mapping, or a sequence, with its position in the file."""

    __slots__ = ("_first", "_node", "_source", "span")

    def __init__(self, source: _Source, node: Node, first: int | None = None) -> None:
        self._source, self._node = source, node
        self.span = Span(source.base + node.start, source.base + node.end)
        """The span as written, with quotes; for a block scalar, from the ``|`` to the last line."""
        self._first = first

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
    def is_open(self) -> bool:
        """Whether a template tag inserts lines into the node, so that it may have members that are not in the file."""
        if id(self._node) in self._source.opened:
            return True
        source = self._source
        if not source.is_template or self._node.kind != MAPPING:
            return False
        return any(source.has_tag(source.base + key.start, source.base + key.end) for key, _ in self._node.pairs)

    @property
    def style(self) -> str:
        """The YAML style of the node: plain, single, double, literal, folded, flow, or block."""
        return self._node.style

    @property
    def tag(self) -> str:
        """The explicit YAML tag of the node (``!Sub``); empty if it has none."""
        return self._node.tag if self._node.tag.startswith("!") else ""

    @property
    def tagged_span(self) -> Span:
        """The span of the node as written, including its anchor and its YAML tag."""
        return Span(self.span.start - max(0, self._node.start - self._node.mark), self.span.end)

    @property
    def raw(self) -> str:
        """The text of the node as written, with quotes and tags; all branches if template branches set the value."""
        return self._source.text[self.span.start if self._first is None else self._first : self.span.end]

    @property
    def is_templated(self) -> bool:
        """Whether a template tag generates the value completely or partly, or selects one of several values."""
        if not self._source.is_template:
            return False
        return self._first is not None or self._source.has_tag(*self.span) or (self.is_scalar and self.is_open)

    @property
    def text(self) -> str | None:
        """The text of the scalar; None if the node is not a scalar or a template generates its text."""
        if self._node.kind != SCALAR or self.is_templated:
            return None
        return self.extract().text if self._is_relaxed else self._node.scalar

    @property
    def _is_relaxed(self) -> bool:
        return self._source.relaxed and self._node.style in ("literal", "folded")

    @property
    def typed(self) -> object:
        """The typed value of a scalar (str, int, float, or bool); None for null, a collection, or a templated value."""
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

    def pairs(self) -> Iterator[tuple[str, Span, Value]]:
        """Yield the entries of a mapping (key, span of the key, value); merged mappings (``<<``) come last.

        A key that a template tag generates is as written. A key in several branches of a template is yielded once.
        """
        for name, span, node, first in self._pairs():
            yield name, span, Value(self._source, node, first)

    def _pairs(self) -> Sequence[_Pair]:
        found = self._source.pairs.get(id(self._node))
        if found is None:
            found = self._source.pairs[id(self._node)] = list(self._merged_pairs())
        return found

    def _merged_pairs(self) -> Iterator[_Pair]:
        seen_keys: set[str] = set()
        seen: set[int] = set()
        stack = [self._node]
        while stack:
            node = stack.pop()
            if node.kind != MAPPING or id(node) in seen:
                continue
            seen.add(id(node))
            merged: list[Node] = []
            own: list[str] = []
            for pair in self._own_pairs(node):
                name, span, value, _ = pair
                if name == "<<" and self._source.text[span.start : span.end] == "<<":
                    merged += value.items if value.kind == SEQUENCE else [value]
                elif name not in seen_keys:
                    own.append(name)
                    yield pair
            seen_keys.update(own)  # duplicate keys of one mapping are all returned
            stack += reversed(merged)

    def _own_pairs(self, mapping: Node) -> Iterator[_Pair]:
        source = self._source
        found: dict[int, _Pair] = {}
        last: dict[str, int] = {}
        for place, (key, node) in enumerate(mapping.pairs):
            if key.kind != SCALAR:
                continue
            name, first = key.scalar, None
            span = Span(source.base + key.start, source.base + key.end)
            if source.is_template:
                if source.has_tag(*span):
                    name = source.text[span.start : span.end]
                before = Value(source, *found[last[name]][2:]) if name in last else None
                if before is not None and source.has_tag(before.span.end, span.start):
                    del found[last[name]]
                    if before.is_scalar and (before._first is not None or before.raw != Value(source, node).raw):
                        first = before.span.start if before._first is None else before._first
                last[name] = place
            found[place] = (name, span, node, first)
        yield from found.values()

    def items(self) -> list[Value]:
        """Return the items of a sequence; an empty list if the node is not a sequence."""
        if self._node.kind != SEQUENCE:
            return []
        return [Value(self._source, item) for item in self._node.items]

    def entry(self, name: str) -> tuple[Span, Value] | None:
        """Return the key's span and the value of a mapping entry (the last one if duplicated); None if missing."""
        known = self._source.entries.get(id(self._node))
        if known is None:
            known = self._source.entries[id(self._node)] = {pair[0]: pair for pair in self._pairs()}
        if name not in known:
            return None
        _, span, node, first = known[name]
        return span, Value(self._source, node, first)

    def get(self, *path: str | int) -> Value | None:
        """Return the node at a path of keys and list indexes; None if there is none."""
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
        """Return the text of the scalar at a path; None if there is no scalar or a template generates its text."""
        value = self.get(*path)
        return None if value is None else value.text

    def extract(self) -> Extract:
        """Return the text of a scalar, including template tags, with the position of each character."""
        if self._node.kind != SCALAR:
            return Extract(self._source.text, [])
        decoded = None if self._is_relaxed else self._node.scalar
        return extract_scalar(
            self._source.text, self.span, self._node.style, decoded, is_rendered=self._source.is_rendered
        )

    def attributes(self, prefix: str = "", *, limit: int = 5_000, empty: bool = False) -> dict[str, Attribute]:
        """Return an attribute per scalar, by dotted path with list indexes in brackets (``spec.job.args[0]``).

        Values that a template tag or variable (``${NAME}``) provides are unknown. A collection has an (unknown)
        attribute of its own only if a tag inserts lines into it or, with `empty`, if it is an empty mapping (``{}``).
        """
        found: dict[str, Attribute] = {}
        stack: list[tuple[str, Value, Span | None, int]] = [(prefix, self, None, 0)]
        for _ in range(4 * limit):  # aliases may repeat a collection endlessly
            if not stack or len(found) >= limit:
                break
            path, value, key_span, depth = stack.pop()
            if value.is_scalar:
                if path:
                    typed = value.typed
                    known = None if isinstance(typed, str) and "${" in typed else typed
                    found[path] = Attribute(known, value.span, key_span, value.raw)
                continue
            if depth > _MAX_DEPTH:
                continue
            inner: list[tuple[str, Value, Span | None, int]] = []
            for key, span, child in value.pairs():
                if not self._source.has_tag(*span):
                    inner.append((f"{path}.{key}" if path else key, child, span, depth + 1))
            for number, child in enumerate(value.items()):
                inner.append((f"{path}[{number}]", child, None, depth + 1))
            if path and (value.is_open or (empty and not inner and value.is_mapping)):
                found[path] = Attribute(None, value.span, key_span, value.raw)
            stack += reversed(inner)
        return found

    def __repr__(self) -> str:
        return f"<Value {self.raw[:40]!r}>"


def read_trees(text: str, *, is_rendered: bool = True) -> list[Tree]:
    """Return the trees of the nonempty documents in a file, in file order.

    If no template engine renders the file (`is_rendered` is false), a tag in a comment ends with its line.
    """
    if len(text) > MAX_CHARACTERS:
        return []
    trees: list[Tree] = []
    start = 1 if text.startswith("\ufeff") else 0
    rendered = _without_tags(text, is_rendered=is_rendered)
    tags = None if rendered is text else template_tags(text, is_rendered=is_rendered)
    inserted = insertions(text, is_rendered=is_rendered) if tags else []
    for end, following in [*((m.start(), m.end()) for m in _SEPARATOR.finditer(text)), (len(text), len(text))]:
        if len(trees) == _MAX_TREES:
            leave_out(f"the first {_MAX_TREES:,} documents are read")
            break
        if text[start:end].strip():
            source = _Source(text, start, tags, is_rendered=is_rendered)
            tree = _read(source, rendered[start:end], Span(start, end))
            if tree.root is not None:
                for tag, column in inserted:
                    if start <= tag.start < end:
                        _open(source, tree.root._node, tag.start - start, column)
            if tree.root is not None or tree.error is not None:
                trees.append(tree)
        start = following
    return trees


def _without_tags(text: str, *, is_rendered: bool) -> str:
    """Return a text of the same length in which template tags are replaced by words.

    Lines that contain only tags become empty, so that they do not end a block scalar around them.
    """
    if not is_template(text):
        return text
    rendered = blank_templates(text, is_rendered=is_rendered)
    if rendered is None:
        return text
    return _ONLY_TAGS.sub(
        lambda line: "\n" * len(line[0]) if text[line.start() : line.end()] != line[0] else line[0], rendered
    )


def _open(source: _Source, root: Node, at: int, column: int) -> None:
    """Mark the node into which a template tag at an offset inserts lines that are indented to a column."""
    node = root
    for _ in range(_MAX_DEPTH):
        line = source.text.rfind("\n", 0, source.base + node.start) + 1
        own = source.base + node.start - line
        following: Node | None = None
        if node.kind == MAPPING and own < column:
            following = next((value for key, value in reversed(node.pairs) if key.start < at), None)
        elif node.kind == SEQUENCE and own < column:
            following = next((item for item in reversed(node.items) if item.start < at), None)
        if following is None or (following.kind == SCALAR and following.scalar and following.style == "plain"):
            break  # the lines become members of this collection
        node = following
        if node.kind == SCALAR:
            break
    if node.kind != SCALAR or not node.scalar:
        source.opened.add(id(node))


def _root(part: str) -> Node | None:
    """Return the nodes of a document, which are never modified; kept because several formats and fixes read a file."""
    return _small_root(part) if len(part) <= _SMALL else _large_root(part)


@lru_cache(maxsize=1024)
def _small_root(part: str) -> Node | None:
    return compose(part).root


@lru_cache(maxsize=64)
def _large_root(part: str) -> Node | None:
    return compose(part).root


def _read(source: _Source, part: str, span: Span) -> Tree:
    first: YamlError | None = None
    if "\t" in part and _is_json(part):
        part = part.replace("\t", " ")  # YAML does not accept tabs between tokens, and JSON accepts them only there
    for _ in range(_MAX_RETRIES):
        try:
            root = _root(part)
        except YamlError as error:
            if "leading empty lines" in error.problem:  # only SnakeYAML rejects them
                part = _relaxed(source, part, error)
                continue
            first = first or error.with_traceback(None)  # the traceback keeps the state of the parser alive
            start, end = culprit(part, error)
            if start == end or part[start] == "#":
                break
            part = part[:start] + "#" * (end - start) + part[end:]
            continue
        return Tree(span, None if root is None else Value(source, root), first)
    return Tree(span, None, first)


def _is_json(part: str) -> bool:
    if not part.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(part)
    except (ValueError, RecursionError):
        return False
    return True


def _relaxed(source: _Source, part: str, error: YamlError) -> str:
    """Return the text without spaces in empty lines or, if that changes nothing, without the block scalar header."""
    relaxed = _BLANK_LINE.sub(lambda line: "\n" * len(line[0]), part)
    if relaxed != part:
        source.relaxed = True
        return relaxed
    if error.context_at is None:
        return part
    end = LINE_BREAK.search(part, error.context_at)
    stop = len(part) if end is None else end.start()
    return part[: error.context_at] + " " * (stop - error.context_at) + part[stop:]

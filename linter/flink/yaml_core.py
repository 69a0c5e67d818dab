"""YAML as Flink's loader (snakeyaml-engine 2, YAML 1.2 core schema) reads it, with places.

`config.yaml` and the YAML inside string values go through that one Java library, in every release that
has them, and its grammar is not libyaml's: tabs, line separators, directives, merge keys, long keys and
the typing of scalars all differ. So the grammar is implemented here and in `yaml_scanner`: a scanner, a
parser without recursion and a constructor. Every refusal carries the error text of the Java library.

The module is only imported for texts that the line reader of `config_yaml` does not settle by itself.
"""

from __future__ import annotations

import re

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
from linter.flink.yaml_scanner import Scanner, Token, YamlError

MAX_COLLECTION_ALIASES = 50
MAX_DEPTH = 1000
"""Flink 1.20 and 2.3 overflow the default stack of their JVM between 1 000 and 1 500 levels."""

SCALAR, SEQUENCE, MAPPING = 0, 1, 2

NON_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_ENVIRONMENT = "!ENV_VARIABLE"
_BASE64 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?")


class YamlSet(dict[object, None]):
    """What ``!!set`` makes: neither a map nor a list to Flink."""


class Node:
    """One node of the document.

    `mark` is where its anchor or tag begins, if it has one; `end` is the end of its own text, not of the
    white space behind it.

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


_DEFAULT_HANDLES = {"!": "!", "!!": "tag:yaml.org,2002:"}


class Document:
    """One text composed: the root node (None if empty), all collections in document order."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.collections: list[Node] = []


class _Parser:
    """Tokens to nodes with a stack of states, so that depth costs no recursion."""

    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text)
        self.document = Document()
        self.handles = dict(_DEFAULT_HANDLES)
        self.anchors: dict[str, Node] = {}
        self.collection_aliases = 0
        self.stack: list[tuple[Node, str, int]] = []  # open collection, its state, its mark
        self.key: list[Node | None] = []  # the pending key of each open mapping
        self.alias_end = 0

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

    def _alias(self, token: Token) -> Node:
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
        self.alias_end = token.end
        return node

    def _open(
        self, kind: int, tag: str | None, token: Token, mark: int, state: str, anchor: Token | None, style: str
    ) -> Node:
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
            last = node.items[-1] if node.kind == SEQUENCE else node.pairs[-1][1]
            # an alias stands elsewhere than the node it names
            node.end = max(node.end, last.end if last.start >= node.start else self.alias_end)

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
    if tag in (STR, _ENVIRONMENT):
        return text
    if tag == NULL:
        return None
    if tag == BOOL:
        return {"true": True, "false": False}.get(text.lower())
    if tag == INT and not text:
        context = "while constructing an int"
        raise YamlError("unknown-tag", "found empty value", node.mark, context, node.mark, node.end)
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
                self.errors.append(YamlError("nesting", problem, key_node.start, end=key_node.end, plain=True))


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

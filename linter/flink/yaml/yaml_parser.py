"""A YAML parser that turns tokens into nodes as Flink's loader (snakeyaml-engine 2, YAML 1.2 core schema) does.

`config.yaml` and the YAML inside string values are read by that one Java library in every release that has them, and
its grammar differs from libyaml's: tabs, line separators, directives, merge keys, long keys and the typing of scalars.
So the grammar is implemented here: a scanner (`yaml_scanner`), a parser without recursion (this module) and a
constructor (`yaml_constructor`). Every error has the text of the Java library.

The modules are only imported for texts that the line reader of `config_yaml` cannot read by itself.
"""

from __future__ import annotations

import re

from flink_flint.linter.flink.yaml.yaml_core_schema import MAP, NULL, SEQ, STR, resolve
from flink_flint.linter.flink.yaml.yaml_cursor import Token, YamlError
from flink_flint.linter.flink.yaml.yaml_nodes import MAPPING, SCALAR, SEQUENCE, Document, Node
from flink_flint.linter.flink.yaml.yaml_scanner import Scanner
from flink_flint.linter.text.lazy_regex import regex

MAX_COLLECTION_ALIASES = 50
MAX_DEPTH = 1000
"""The maximum nesting depth of YAML; Flink 1.20 and 2.3 overflow the JVM's default stack at 1,000 to 1,500 levels."""

NON_PRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""A regular expression for characters that Flink's YAML loader rejects; compiled only when a text is not ASCII."""
_NON_PRINTABLE_ASCII = regex("[^\t\n\r -~]")


_DEFAULT_HANDLES = {"!": "!", "!!": "tag:yaml.org,2002:"}


class _Parser:
    """Turns tokens into nodes with a stack of states, so that depth needs no recursion."""

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
        """Read one node; a collection is opened and pushed, and its content is read by the states."""
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
            # an alias is not where the node it refers to is
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
        self._flow_value_before("]", "_flow_pair_end")

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
        self._flow_value_before("}", "_flow_key")

    def _flow_value_before(self, closing: str, state: str) -> None:
        """Read the value of a pair in a flow collection that ends with `closing`; `state` comes next."""
        scanner = self.scanner
        token = scanner.peek()
        place = len(self.stack) - 1
        self._state(state)
        if token.id != ":":
            self._pair(place, self._empty(token.start))
            return
        scanner.next()
        if scanner.peek().id in (",", closing):
            self._pair(place, self._empty(token.end))
        else:
            self._pair(place, self._node(block=False))

    def _flow_no_value(self) -> None:
        place = len(self.stack) - 1
        self._state("_flow_key")
        self._pair(place, self._empty(self.scanner.peek().start))


def compose(text: str) -> Document:
    """Return the document that a YAML text contains; raise YamlError if Flink's YAML library rejects the text."""
    found = _NON_PRINTABLE_ASCII.search(text) if text.isascii() else re.search(NON_PRINTABLE, text)
    if found:
        char = found.group()
        reason = "encoding" if "\udc80" <= char <= "\udcff" else "binary"
        raise YamlError(reason, "special characters are not allowed", found.start(), plain=True)
    return _Parser(text).parse()

"""Construction of values from YAML nodes, with the same results and errors as Flink's loader (snakeyaml-engine 2)."""

from __future__ import annotations

import re

from flink_flint.linter.flink.yaml.yaml_core_schema import (
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
    scalar_text,
)
from flink_flint.linter.flink.yaml.yaml_cursor import YamlError
from flink_flint.linter.flink.yaml.yaml_nodes import SCALAR, SEQUENCE, Document, Node, YamlSet
from flink_flint.linter.flink.yaml.yaml_parser import compose
from flink_flint.linter.text.lazy_regex import regex

_ENVIRONMENT = "!ENV_VARIABLE"
_BASE64 = regex("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?")


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
    """Constructs values from nodes in the library's order, so that errors come in that order, too."""

    def __init__(self) -> None:
        self.errors: list[YamlError] = []
        self.done: set[int] = set()

    def make(self, root: Node) -> None:
        """Set `made` of a node and all nodes below it."""
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
        """Construct the keys of a mapping, and report duplicate ones."""
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
    """Compute the value `made` of every node and return all errors; Flink's YAML library stops at the first one.

    The values next to an error are still set.
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
    """Return a key as Java's String.valueOf shows it in an error."""
    if isinstance(key, (list, dict)):
        return str(key)
    return double_text(key) if isinstance(key, float) else scalar_text(key)[0]


def load(text: str) -> object:
    """Return the value of a YAML text as snakeyaml-engine's Load.loadFromString does; raise YamlError if invalid."""
    document = compose(text)
    errors = construct(document)
    if errors:
        raise errors[0]
    return None if document.root is None else document.root.made

"""The nodes of a YAML text, with their positions."""

from __future__ import annotations

SCALAR, SEQUENCE, MAPPING = 0, 1, 2


class YamlSet(dict[object, None]):
    """The value of a ``!!set``, which Flink treats neither as a map nor as a list."""


class Node:
    """A node of a YAML document: a scalar, a sequence, or a mapping.

    `mark` is where its anchor or tag begins, if it has one; `end` is the end of its own text, without the white space
    after it.

    `value` is the text of a scalar, the nodes of a sequence, the (key, value) pairs of a mapping. `made` is the value
    as in Java: str, int, float, bool, None, bytes, list, dict, YamlSet.
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


class Document:
    """A parsed YAML text: its root node (None if empty) and all its collections, in document order."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.collections: list[Node] = []

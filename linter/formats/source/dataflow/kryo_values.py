"""Values in records that Kryo writes and cannot read back: collections that nobody can add to, records of Avro."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.dataflow.record_functions import fields_of
from flink_flint.linter.formats.source.dataflow.streams import task_functions
from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_FIXED = frozenset({
    "List.of", "Set.of", "Map.of", "List.copyOf", "Set.copyOf", "Map.copyOf", "ImmutableList.of", "ImmutableSet.of",
    "ImmutableMap.of", "ImmutableList.copyOf", "ImmutableMap.copyOf", "Collections.unmodifiableList",
    "Collections.unmodifiableMap", "Collections.unmodifiableSet",
})  # fmt: skip
_COLLECTIONS = ("List", "Set", "Map", "Collection")
_COPIES = regex(r"@TypeInfo\b|\bnew (?:Array|Linked|Hash|Tree|LinkedHash)(?:List|Set|Map)\b|copyOf")
_AVRO = regex(
    r"\b(?:Map|FlatMap|Process|CoProcess|KeyedProcess|Window|ProcessWindow|Reduce)Function\s*<[^{};()]{0,200}?"
    r"\b(GenericRecord)\s*>|"
    r"\b(?:DataStream|SingleOutputStreamOperator)\s*<\s*(GenericRecord)\s*>\s+\w+\s*=\s*[^;]{0,400}?\.(?:map|flatMap|process)\("
)
_TYPED = ("GenericRecordAvroTypeInfo", "ResultTypeQueryable", "AvroTypeInfo", "AvroSerializer")


def kryo_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``kryo-value`` elements of a program in Java."""
    text = objects.program.text
    if objects.program.language != "java":
        return
    if "GenericRecord" in text and not any(one in text for one in _TYPED):
        for match in _AVRO.finditer(text):
            group = 1 if match[1] else 2
            at = Span(match.start(group), match.end(group))
            yield Element("kryo-value", "GenericRecord", at, {"kind": Attribute("avro", at)})
            break
    if any(one in text for one in ("List.of", "Set.of", "Map.of", "opyOf(", "unmodifiable")):
        yield from _fixed(objects)


def _fixed(objects: Objects) -> Iterator[Element]:
    for function, _ in task_functions(objects):
        for node in function.walk():
            body = objects.program.classes.get(node.name) if node.kind == "new" and _leaves(node) else None
            if body is None or not _keeps_collections(objects, body):
                continue
            for argument in node.args:
                made = argument if argument.kind == "call" else objects.program.bound(argument)
                if made is not None and made.kind == "call" and maker_of(made) in _FIXED:
                    at = Span(argument.span.start, argument.span.end)
                    yield Element("kryo-value", node.name, at, {
                        "kind": Attribute("fixed", at), "of": Attribute(maker_of(made), at),
                    })  # fmt: skip


def _leaves(node: Node) -> bool:
    """Return whether an object is what a function returns or emits."""
    parent = node.parent
    return parent is not None and (
        parent.kind == "return" or parent.kind == "function" or (parent.kind == "call" and parent.name == "collect")
    )


def _keeps_collections(objects: Objects, body: Node) -> bool:
    """Return whether a class has fields of collections, which it neither copies nor describes to Flink."""
    types = body.scope.types
    kept = [one for one in fields_of(body) if "static" not in one.flags and types.get(one.name) in _COLLECTIONS]
    start = objects.program.text.rfind("\n\n", 0, body.span.start)
    return bool(kept) and _COPIES.search(objects.program.text, max(start, 0), body.span.end) is None

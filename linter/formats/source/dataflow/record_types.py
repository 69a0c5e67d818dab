"""The classes of records and state in a job, as far as Flink cannot serialize them as POJOs."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_STREAMS = regex(
    r"(?:DataStream|StreamOperator|KeyedStream|StreamSource|Collector|(?<=[a-z])(?<!Bi)(?<!CommitSink)Function)\b"
    r"\s?[<\[]([\w\s.,<>\[\]?]{1,300})"
)
"""What has the classes of a stream's records as arguments of its type."""
_WORD = regex(r"\b[A-Z]\w+")
_CASE_CLASS = regex(r"\bcase\s+class\s+\w+\s*(?:\[[^\]\n]{0,80}\])?\s*\(([^()]{1,2000})")
_FIELD_TYPE = regex(r":\s*([A-Z]\w+)")
_CLASS_LITERAL = regex(r"(?:TypeInformation\.of\(\s*)?(?:classOf\[\s*([\w.]+)\s*\]|([\w.]+)\.class)\s*\)?")
_LOMBOK_FULL = regex(r"@Value\b|@AllArgsConstructor|@Builder\b|@SuperBuilder")
_NO_ARGUMENTS = regex(r"@NoArgsConstructor|@TypeInfo\b")
_KEYWORD = regex(r"\b(class|interface|trait|enum|record|object)\s+$")
_REGISTERED = regex(r"\bregister\w{1,60}\(\s*(?:classOf\[)?(\w+)(?:\.class|::class|\])")
_OWN = regex(r"(\w+?)(?:TypeInformation|TypeInfo|TypeInfoFactory|TypeSerializer|Serializer)")
_OWN_SERIALIZERS = (
    *("SpecificRecord", "SpecificRecordBase", "GeneratedMessage", "GeneratedMessageV3", "Row", "TBase", "Message"),
    *("Exception", "RuntimeException", "Serializer", "Schema", "Factory", "Thread", "Runnable", "Value", "Writable"),
)
_NO_RECORD = (
    *("Function", "Serializer", "Schema", "Source", "Sink", "Exception", "Factory", "Job", "Builder", "Operator"),
    *("Trigger", "Assigner", "Selector", "Extractor", "Format", "Table", "Client", "Writer", "Reader", "Test"),
    *("Producer", "Consumer", "Catalog", "Manager"),
)
"""Ends of the names of supertypes whose classes are not records."""


def type_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``record-class``, ``stream-types`` and ``state-type`` elements of a program in a JVM language."""
    text = objects.program.text
    found = _stream_types(text)
    attributes = {name: Attribute(True, span) for name, span in found.items()}
    attributes.update(_with_serializers(objects))
    if attributes:
        yield Element("stream-types", "", min(one.span for one in attributes.values()), attributes)
    for node in objects.program.classes.values():
        one = _record_class(objects, node)
        # A class of another shape is one of records only where a stream of its own file has it.
        if one is not None and (node.name in found or _is_of_records(one)):
            yield one
    for name, calls in objects.program.news.items():
        if name.endswith("StateDescriptor"):
            for call in calls:
                yield from _state_type(objects, call)


def _stream_types(text: str) -> dict[str, Span]:
    found: dict[str, Span] = {}
    if "DataStream" not in text and "Function" not in text:
        return found
    for match in _STREAMS.finditer(text):
        for word in _WORD.finditer(match[1]):
            start = match.start(1) + word.start()
            found.setdefault(word[0], Span(start, start + len(word[0])))
    for match in _CASE_CLASS.finditer(text):
        for word in _FIELD_TYPE.finditer(match[1]):
            found.setdefault(word[1], Span(match.start(1) + word.start(1), match.start(1) + word.end(1)))
    return found


def _with_serializers(objects: Objects) -> Iterator[tuple[str, Attribute]]:
    """Yield the classes that a program registers, or has type information or a serializer of its own for."""
    for match in _REGISTERED.finditer(objects.program.text) if "register" in objects.program.text else ():
        yield match[1], Attribute(False, Span(match.start(1), match.end(1)))
    for name, node in objects.program.classes.items():
        own = _OWN.fullmatch(name)
        if own is not None:
            yield own[1], Attribute(False, node.name_span)


def _record_class(objects: Objects, node: Node) -> Element | None:
    """Return the element of a class that is certainly no POJO, if it may be one of records; None otherwise."""
    text = objects.program.text
    head = text[node.span.start : node.name_span.start]
    keyword = _KEYWORD.search(head)
    kind = keyword[1] if keyword is not None else "class"
    if not node.name or any(one.endswith((*_NO_RECORD, *_OWN_SERIALIZERS)) for one in (node.name, *node.supers)):
        return None
    at = node.name_span
    if kind == "trait":
        return Element("record-class", node.name, at, {"why": Attribute("trait", at)})
    if kind == "class" and "case" in head.split():
        return Element("record-class", node.name, at, {"why": Attribute("case class", at)})
    if kind == "class" and "data" in head.split():
        needs = "=" not in text[at.end : text.find(")", at.end)]
        return Element("record-class", node.name, at, {"why": Attribute("data class", at)}) if needs else None
    if kind == "interface":
        return Element("record-class", node.name, at, {"why": Attribute("interface", at)})
    if kind != "class" or "abstract" in head.split():
        return None
    constructors = [one for one in node.parts if one.kind == "function" and one.name == node.name]
    if not any(_is_field(one) for one in node.parts):
        return None
    if constructors:
        if _NO_ARGUMENTS.search(head) or any(not one.scope.values or _is_empty(objects, one) for one in constructors):
            return None
        place = constructors[0].name_span
        return Element("record-class", node.name, at, {
            "why": Attribute("constructor", place), "setters": Attribute(_has_setters(node), at),
        })  # fmt: skip
    full = _LOMBOK_FULL.search(head)
    if full is None or _NO_ARGUMENTS.search(head):
        return None
    return Element("record-class", node.name, at, {"why": Attribute(full[0], at), "setters": Attribute(False, at)})


def _is_of_records(element: Element) -> bool:
    why = element.value("why")
    return element.value("setters") is True if why == "constructor" else why != "interface"


def _is_field(node: Node) -> bool:
    many = [node] if node.kind == "declare" else node.parts if node.kind == "other" else []
    return any(one.kind == "declare" and "static" not in one.flags for one in many)


def _is_empty(objects: Objects, constructor: Node) -> bool:
    """Return whether a constructor has no parameters."""
    return objects.program.text[constructor.name_span.end : constructor.span.end].lstrip(" \t\n(")[:1] == ")"


def _has_setters(node: Node) -> bool:
    return any(one.kind == "function" and one.name.startswith("set") and len(one.name) > 3 for one in node.parts)


def _state_type(objects: Objects, call: Node) -> Iterator[Element]:
    for argument in call.args[1:]:
        raw = objects.program.raw(argument.span)
        if objects.program.text.startswith(".class", argument.span.end):
            raw += ".class"  # the node is that of the class's name
        literal = _CLASS_LITERAL.fullmatch(raw)
        if literal is None:
            continue
        name = (literal[1] or literal[2]).rpartition(".")[2]
        title = objects.fold(call.args[0])
        at = Span(call.span.start, call.name_span.end)
        yield Element("state-type", title if isinstance(title, str) else "", at, {
            "class": Attribute(name, argument.span, None, raw),
        })  # fmt: skip

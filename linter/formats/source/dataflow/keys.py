"""What the keys of a job's streams are made of, where a key is not the same for all who compute it."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects, result_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_RANDOM = frozenset({
    *("nextInt", "nextLong", "nextDouble", "randomUUID", "currentTimeMillis", "nanoTime", "uuid1", "uuid4", "randint"),
    *("randrange", "randomAlphanumeric", "randomNumeric", "identityHashCode"),
})  # fmt: skip
_ARRAY = regex(r"KeySelector\s*<[^{};()]{1,200}\[\s*\]\s*>")
_RESULT = regex(r"KeySelector\s*[<\[]\s*[\w.<>\[\]\s]{1,120},\s*([\w.]{1,80})\s*[>\]]")
_ARRAYS = ("newarray", "toByteArray", "getBytes", "toArray", "digest", "split")


def key_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``key`` element for each ``keyBy`` whose key is known to be unfit."""
    for name in ("keyBy", "partitionCustom"):
        for call in objects.program.calls.get(name, ()):
            if call.target is None or not call.args or name != "keyBy":
                continue
            selector = _selector(objects, call.args[0])
            if selector is None:
                continue
            found = _unfit(objects, *selector)
            if found is not None:
                kind, node = found
                at = Span(call.name_span.start, call.name_span.end)
                yield Element(
                    "key", call.name, at,
                    {"kind": Attribute(kind, node.name_span), "of": Attribute(_text(objects, node), node.name_span)},
                )  # fmt: skip


def _selector(objects: Objects, node: Node) -> tuple[Node, str] | None:
    """Return the function that computes a key, and the declaration of its class; None if it is not in the file."""
    if node.kind == "function":
        return node, ""
    made = objects.made(node)
    if made is None or made.kind not in ("new", "call"):
        return None
    body = made.parts[0] if made.kind == "new" and made.parts else objects.program.classes.get(made.name)
    if body is None:
        return None
    method = next((one for one in body.parts if one.kind == "function" and one.name == "getKey"), None)
    start = made.span.start if body.name == "" else body.span.start
    return None if method is None else (method, objects.program.text[start : method.span.start])


def _unfit(objects: Objects, function: Node, head: str) -> tuple[str, Node] | None:
    if not head and len(function.parts) == 1 and function.parts[0].kind in ("text", "number", "bool"):
        return "constant", function.parts[0]
    for node in function.walk():
        if node.kind == "call" and (node.name in _RANDOM or (node.name == "random" and _is_random(node))):
            if node.name in ("nextInt", "nextLong", "nextDouble") and not _is_generator(objects, node):
                continue
            return "random", node
    if _ARRAY.search(head):
        return "array", function
    result = result_of(function)
    if result is None and function.parts:
        result = function.parts[-1]
    if result is not None and result.kind == "return":
        result = result.init
    kind = _RESULT.search(head)
    if kind is not None:
        name = kind[1].rpartition(".")[2]
        defined = objects.program.classes.get(name)
        if defined is not None and objects.program.text.startswith("enum", _keyword(objects, defined)):
            return "enum", function
    if result is not None and _is_protobuf(objects, result, kind[1] if kind is not None else ""):
        return "protobuf", function
    return None


def _keyword(objects: Objects, body: Node) -> int:
    """Return where the keyword of a class is, before its name."""
    before = objects.program.text[body.span.start : body.name_span.start].rstrip()
    return body.span.start + before.rfind("enum") if before.endswith("enum") else body.span.start


def _is_random(node: Node) -> bool:
    return node.target is not None and node.target.name in ("Math", "random", "Random") and len(node.args) == 0


def _is_generator(objects: Objects, node: Node) -> bool:
    """Return whether a method is one of a generator of random numbers."""
    target = node.target
    if target is None:
        return False
    if target.kind == "call" and target.name == "current":
        return True
    if target.kind == "new":
        return target.name.endswith("Random")
    return objects.class_of(target).endswith("Random") or target.name in ("Random", "ThreadLocalRandom")


def _is_protobuf(objects: Objects, result: Node, declared: str) -> bool:
    """Return whether an expression builds a message of Protocol Buffers."""
    node: Node | None = result
    if node is None or node.kind != "call" or node.name != "build":
        return False
    while node is not None and node.kind == "call" and node.name != "newBuilder":
        node = node.target
    if node is None or node.kind != "call" or node.target is None:
        return False
    owner = objects.program.raw(node.target.span)
    if any("protobuf" in one for one in objects.program.imports) or "Proto" in owner or "Proto" in declared:
        return True
    return "ProtobufSerializer" in objects.program.text


def _text(objects: Objects, node: Node) -> str:
    if node.kind == "call":
        start = node.target.span.start if node.target is not None else node.name_span.start
        return objects.program.raw(Span(start, node.name_span.end))[:60]
    return node.name or objects.program.raw(node.span)[:60]

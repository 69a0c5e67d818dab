"""Callbacks and timeouts of asynchronous functions after which the future of a record is never completed."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_FUTURES = ("ResultFuture", "CompletableFuture")
_ASYNC = ("AsyncFunction", "AsyncTableFunction", "AsyncLookupFunction", "AsyncScalarFunction")
_OF_ROWS = regex(r"CompletableFuture\s*<\s*(?:java\.util\.)?Collection\s*<")
_CONSUMERS = frozenset({"thenAccept", "thenAcceptAsync", "onSuccess", "thenAcceptBoth"})
"""Methods whose function is called with a result alone."""
_HANDLERS = frozenset({
    *("exceptionally", "whenComplete", "whenCompleteAsync", "handle", "handleAsync", "recover", "onFailure"),
    *("onComplete", "exceptionallyAsync", "recoverWith", "onError", "exceptionallyCompose"),
})  # fmt: skip
_CHAINED = _HANDLERS | {
    *("thenApply", "thenApplyAsync", "thenCompose", "thenComposeAsync", "map", "flatMap", "supplyAsync", "runAsync"),
    *("forEach", "foreach", "ifPresent", "filter", "computeIfAbsent", "transform", "thenCombine", "orElseThrow"),
    *("orElseGet", "ifPresentOrElse", "stream", "submit", "callAsync", "doPrivileged"),
}
"""Methods that pass an exception of their function on."""
_THROW = regex(r"throw\s+$")
_TRY, _CATCH = regex(r"try\b"), regex(r"catch\b")
_FAILS = regex(r"completeExceptionally|\.onFailure\(|\.failure\(")


def future_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``lost-failure`` element for each callback that does not complete the future of a record if it fails."""
    text = objects.program.text
    if "Future" not in text:
        return
    for body in objects.program.nodes:
        if body.kind != "class":
            continue
        is_async = any(one.rpartition(".")[2].endswith(_ASYNC) for one in body.supers)
        for method in body.parts:
            if method.kind != "function" or not method.name:
                continue
            if is_async and method.name == "timeout" and not method.parts and not _may_fail_itself(objects, body):
                future = next(reversed(method.scope.values), "")
                yield Element("lost-failure", method.name, method.name_span, {
                    "future": Attribute(future, method.name_span), "by": Attribute("timeout", method.name_span),
                })  # fmt: skip
                continue
            name = _future_of(objects, method, is_async=is_async)
            if name:
                yield from _thrown(objects, method, name)
                if is_async and not _handles(objects, body):
                    yield from _ignored(objects, method, name)


def _future_of(objects: Objects, method: Node, *, is_async: bool) -> str:
    """Return the parameter of a method with the future of a record; an empty string if there is none."""
    types = method.scope.types
    for name, values in method.scope.values.items():
        if types.get(name) not in _FUTURES or values != [None]:
            continue
        head = objects.program.raw(Span(method.span.start, _head_end(method)))
        if types[name] == "ResultFuture" or (is_async and "Collection" in head) or _OF_ROWS.search(head):
            return name
    return ""


def _head_end(method: Node) -> int:
    return method.parts[0].span.start if method.parts else method.span.end


def _thrown(objects: Objects, method: Node, future: str) -> Iterator[Element]:
    """Yield the exceptions that a callback throws where nothing catches them."""
    text = objects.program.text
    for node in method.walk():
        if node.kind != "new" or not node.name.endswith(("Exception", "Error")):
            continue
        if _THROW.search(text, max(0, node.span.start - 12), node.span.start) is None:
            continue
        callback = _callback_of(objects, node, method)
        if callback is not None and _uses(callback, future) and not _chain_handles(callback):
            at = Span(node.span.start, node.name_span.end)
            yield Element("lost-failure", f"new {node.name}", at, {
                "future": Attribute(future, at), "by": Attribute("throw", at),
            })  # fmt: skip
            return


def _callback_of(objects: Objects, node: Node, method: Node) -> Node | None:
    """Return the lambda that an exception leaves, if it is one that a client calls; None otherwise."""
    text = objects.program.text
    inner, ancestor = node, node.parent
    while ancestor is not None and inner is not method:
        if inner.kind == "function":
            is_callback = ancestor.kind == "call" and ancestor.name not in _CHAINED and not inner.name
            return inner if is_callback else None
        in_try = _TRY.match(text, ancestor.span.start) and not _CATCH.match(text, inner.span.start)
        if in_try and any(_CATCH.match(text, part.span.start) for part in ancestor.parts):
            return None
        inner, ancestor = ancestor, ancestor.parent
    return None


def _ignored(objects: Objects, method: Node, future: str) -> Iterator[Element]:
    """Yield the callbacks that complete a future with a result, where nothing does so with a failure."""
    for node in method.walk():
        if node.kind != "call" or node.name not in _CONSUMERS or len(node.args) != 1 or node.target is None:
            continue
        callback = node.args[0]
        if callback.kind != "function" or not _uses(callback, future) or _chain_handles(callback):
            continue
        if _catches_itself(objects, node.target):
            continue
        at = Span(node.name_span.start, node.name_span.end)
        yield Element("lost-failure", node.name, at, {
            "future": Attribute(future, at), "by": Attribute("result", at),
        })  # fmt: skip
        return


def _uses(callback: Node, name: str) -> bool:
    return any(node.kind == "name" and node.name == name for node in callback.walk())


def _chain_handles(callback: Node) -> bool:
    """Return whether a method of the chain that a lambda is in gets failures."""
    call = callback.parent
    inner = None if call is None else call.target
    while inner is not None and inner.kind == "call":
        if inner.name in _HANDLERS:
            return True
        inner = inner.target
    while call is not None and call.kind == "call":
        if call.name in _HANDLERS:
            return True
        call = call.parent
    return False


def _handles(objects: Objects, body: Node) -> bool:
    """Return whether a class completes futures with failures, or decides itself what a timeout does."""
    if any(part.kind == "function" and part.name == "timeout" for part in body.parts):
        return True
    return _FAILS.search(objects.program.raw(body.span)) is not None


def _may_fail_itself(objects: Objects, body: Node) -> bool:
    """Return whether a class does something about requests that fail."""
    raw = objects.program.raw(body.span)
    handles = any(node.kind == "call" and node.name in _HANDLERS for node in body.walk())
    return handles or "catch" in raw or _FAILS.search(raw) is not None


def _catches_itself(objects: Objects, node: Node) -> bool:
    """Return whether the function that makes a result catches its exceptions."""
    raw = objects.program.raw(node.span)
    return "catch" in raw or "Try(" in raw

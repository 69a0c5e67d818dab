"""The IDs of operators that a loop makes, each time the same."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_IDS = ("uid", "uidPrefix", "setUidHash")
_FOR = regex(r"for\b")
_EACH = ("forEach", "foreach")
_OTHER_JOB = regex(r"\bgetExecutionEnvironment\b|get_execution_environment|\.execute\w*\(|\bbreak\b|\breturn\b[^;\n]")
"""What makes another job of each turn, or leaves the loop."""
_CALL = regex(r"\b(?!(?:format|valueOf|toString|join|concat)\s*\()\w+\s*\(")
_WORD = regex(r"[A-Za-z_]\w*")
_PLAIN = regex(r"(?<![fs])([\"'])(?:(?!\1)[^$\n]){0,200}\1")
"""String literals with nothing of the program in them."""
_ASSIGNED = regex(r"\b(\w{1,60})\s{0,4}(?:=(?!=)|\+\+|\+=)")
_HEADER = regex(r"for\b([^:\n{]{1,300}?)(?:\bin\b|:|<-)")
_PARAMETERS = regex(r"([\w,: ()]{1,120})(?:->|=>)")
_MAX_LOOP = 20_000


def repeated_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``repeated-id`` for each ID in a loop that does not depend on what changes in it."""
    for name in _IDS:
        for call in objects.program.calls.get(name, ()):
            if call.target is None or call.target.kind != "call" or len(call.args) != 1:
                continue
            loop = _loop_of(objects, call)
            if loop is None or not _starts_in(call, loop):
                continue
            written = objects.program.raw(call.args[0].span)
            body = objects.program.raw(loop)
            if _CALL.search(written) is None and _OTHER_JOB.search(body) is None and not _changes(written, body):
                yield Element("repeated-id", written[:60], call.name_span, {
                    "loop": Attribute(True, Span(loop.start, loop.start + 3)),
                    "id": Attribute(written, call.args[0].span),
                })  # fmt: skip


def _loop_of(objects: Objects, node: Node) -> Span | None:
    """Return the span of the loop over a collection that a node is in directly; None if there is none."""
    outer = node.parent
    while outer is not None:
        if outer.kind == "branch":
            is_loop = _FOR.match(objects.program.text, outer.span.start) is not None
            return outer.span if is_loop and outer.span.end - outer.span.start < _MAX_LOOP else None
        if outer.kind == "function":
            call = outer.parent
            while call is not None and call.kind == "function":
                call = call.parent
            is_each = not outer.name and call is not None and call.kind == "call" and call.name in _EACH
            return outer.span if is_each else None
        if outer.kind == "class":
            return None
        outer = outer.parent
    return None


def _starts_in(call: Node, loop: Span) -> bool:
    """Return whether the operator with an ID is made in the loop."""
    made = call.target
    return made is not None and loop.start <= made.name_span.start < loop.end


def _changes(written: str, body: str) -> bool:
    """Return whether an expression has a name that a loop declares, assigns or counts."""
    named = set(_WORD.findall(_PLAIN.sub("", written)))
    changed = set(_ASSIGNED.findall(body))
    header = _HEADER.match(body)
    for declared in ([header[1]] if header is not None else []) + _PARAMETERS.findall(body):
        changed.update(_WORD.findall(declared))
    return not named.isdisjoint(changed)

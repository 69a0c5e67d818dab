"""Parameters of a chart (``helm --set``), as Argo CD and Terraform pass them, read as a values file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.inner_document import InnerDocument
from flink_flint.linter.model.document import Promise
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_SEGMENT = regex(r"(?:[^.\\]|\\.)+", re.DOTALL)
_TYPED = regex(r"true|false|null|-?(?:0|[1-9]\d{0,17})")
_MAX_PARAMETERS = 1_000
_MAX_SEGMENTS = 20


class Parameter(NamedTuple):
    """A parameter of a chart: its dotted name (dots in keys are escaped by a backslash), its value, and their spans."""

    name: str
    name_span: Span
    value: str
    value_span: Span
    is_text: bool = False
    """Whether the value is always a string (``--set-string``); otherwise Helm converts numbers and booleans."""


class ParameterDocument(InnerDocument):
    """A document for the settings in chart parameters, of which only the values can be edited."""

    def edited(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[Promise]:
        """Yield the edit that replaces a value, or nothing for any other kind of change."""
        if how == "replace":
            yield from super().edited(how, entry, *arguments)


_Tree = dict[str, "tuple[Span, _Tree | Parameter]"]


def parameters_text(outer: str, parameters: Sequence[Parameter]) -> Extract:
    """Return the values (as JSON) that parameters define; a later parameter overrides an earlier one, as in Helm."""
    tree: _Tree = {}
    for parameter in parameters[:_MAX_PARAMETERS]:
        path = [re.sub(r"\\(.)", r"\1", segment) for segment in _SEGMENT.findall(parameter.name)][:_MAX_SEGMENTS]
        holder = tree
        for segment in path[:-1]:
            inner = holder.get(segment)
            if inner is None or not isinstance(inner[1], dict):
                inner = holder[segment] = (parameter.name_span, {})
            assert isinstance(inner[1], dict)
            holder = inner[1]
        if path:
            holder[path[-1]] = (parameter.name_span, parameter)
    return Extract(outer, _pieces(tree, parameters[0].name_span.start if parameters else 0))


def _pieces(tree: _Tree, at: int) -> Iterator[Piece]:
    yield Piece("{", Span(at, at))
    for number, (key, (span, member)) in enumerate(tree.items()):
        if number:
            yield Piece(", ", Span(span.start, span.start))
        yield Piece(json.dumps(key), span)
        yield Piece(": ", Span(span.end, span.end))
        if isinstance(member, dict):
            yield from _pieces(member, span.end)
        else:
            plain = not member.is_text and _TYPED.fullmatch(member.value) is not None
            yield Piece(member.value if plain else json.dumps(member.value), member.value_span)
            at = member.value_span.end
    yield Piece("}", Span(at, at))

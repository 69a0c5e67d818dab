"""The Applications that an Argo CD ApplicationSet generates: its template filled in with each set of parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flink_flint.linter.formats.gitops.parameter_sets import ParameterSets, Repository
from flink_flint.linter.formats.gitops.template_tags import DottedTags, GoTags, Tags
from flink_flint.linter.formats.helm.rendering.go_values import Map
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, fragments_of
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

_MAX_SETS = 100
_MAX_TEXT = 4 << 20
_MAX_NESTING = 60
_STEPS = 300_000
_BEFORE = "kind: ApplicationSet\nspec:\n template:\n"


def filled_in_sets(path: str, text: str, repository: Repository) -> Iterator[RenderedText]:
    """Render each ApplicationSet of a file with its parameters; yield one ApplicationSet per set of parameters.

    Only the template is in the text, whose parts have their places in the file, or in the file of the parameter.
    """
    left = _MAX_TEXT
    for tree in read_trees(text, is_rendered=False):
        root = tree.root
        if root is None or root.string("kind") != "ApplicationSet":
            continue
        try:
            for made in _made(path, text, root, repository):
                left -= len(made.text)
                if left < 0:
                    return
                yield made
        except (NotRendered, RecursionError):  # it makes too much, or what flint does not know
            continue


def _made(path: str, text: str, root: Value, repository: Repository) -> Iterator[RenderedText]:
    template, patch = root.get("spec", "template"), root.string("spec", "templatePatch") or ""
    if template is None or not template.is_mapping or "source" in patch:
        return
    budget = Budget(_STEPS)
    tags = GoTags(budget) if root.string("spec", "goTemplate") == "true" else DottedTags(budget)
    sets = ParameterSets(path, repository, tags, budget).of(root.get("spec", "generators"))
    for parameters in sets[:_MAX_SETS]:
        yield _Filled(path, text, tags, parameters).text(template)


class _Filled:
    """A template filled in with one set of parameters."""

    def __init__(self, path: str, text: str, tags: Tags, parameters: Map) -> None:
        self._path, self._text, self._tags, self._parameters = path, text, tags, parameters
        self._made: list[Fragment] = []
        self._at = 0

    def text(self, template: Value) -> RenderedText:
        """Return the template in an ApplicationSet of its own."""
        start, end = template.span
        column = start - (self._text.rfind("\n", 0, start) + 1)
        self._made.append(Fragment(_BEFORE + " " * max(column, 2), None))
        self._at = start
        self._add(template, 0)
        self._to(end)
        self._made.append(Fragment("\n", None))
        return RenderedText(self._made)

    def _add(self, value: Value, depth: int) -> None:
        if depth > _MAX_NESTING or "{{" not in value.raw:
            return
        for _, _, inner in value.pairs():
            self._add(inner, depth + 1)
        for item in value.items():
            self._add(item, depth + 1)
        if value.is_scalar and value.span.start >= self._at:
            self._to(value.span.start)
            pieces = value.extract().pieces
            given = MarkedText(Fragment(piece.text, Origin(self._path, piece.span)) for piece in pieces)
            self._made += _quoted(self._tags.filled_in(given, self._parameters))
            if self._text[value.span.end - 1 : value.span.end] == "\n":
                self._made.append(Fragment("\n", None))
            self._at = value.span.end

    def _to(self, end: int) -> None:
        if end > self._at:
            span = Span(self._at, end)
            self._made.append(Fragment(self._text[self._at : end], Origin(self._path, span)))
            self._at = end


def _quoted(text: str) -> Iterator[Fragment]:
    """Yield a text as a scalar in double quotes, with the places of its parts."""
    yield Fragment('"', None)
    for fragment in fragments_of(text):
        part, origin = fragment.text, fragment.origin
        is_verbatim = origin is not None and len(part) == origin.span.end - origin.span.start
        at = 0
        for line in part.splitlines(keepends=True):
            place = origin
            if origin is not None and is_verbatim:
                start = origin.span.start + at
                place = Origin(origin.path, Span(start, start + len(line.rstrip("\n"))))
            at += len(line)
            yield Fragment(json.dumps(line.rstrip("\n"), ensure_ascii=False)[1:-1], place)
            if line.endswith("\n"):
                yield Fragment("\\n", place)
    yield Fragment('"', None)

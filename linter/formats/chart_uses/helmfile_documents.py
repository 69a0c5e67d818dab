"""Reads what the template of a helmfile renders to: YAML whose values have their places in the helmfile."""

from __future__ import annotations

from bisect import bisect_right

from flink_flint.linter.formats.chart_uses.helmfile_templates import BEGIN, END, VARIABLE
from flink_flint.linter.formats.helm.rendering.chart_files import read_mapping
from flink_flint.linter.formats.helm.rendering.filled_in_values import FilledInText
from flink_flint.linter.formats.helm.rendering.go_values import (
    List,
    Map,
    MarkedBool,
    MarkedFloat,
    Unknown,
    origin_of,
)
from flink_flint.linter.formats.helm.rendering.limits import MAX_DEPTH, Budget, LimitExceeded
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, fragments_of
from flink_flint.linter.formats.helm.rendering.yaml_writing import written_yaml
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

REASON = "helmfile's template depends on what is not in the repository"


def read_document(path: str, made: str, budget: Budget) -> Map:
    """Parse rendered YAML that contains a mapping; unknown scalars, and entries on an unknown condition, are `Unknown`.

    The values have their places in the source files. Raises `NotRendered` if the text is not a mapping.
    """
    plain = str(made)
    content = read_mapping(MarkedText((Fragment(plain, Origin(path, Span(0, len(plain)))),)), budget, path)
    read = _Document(path, RenderedText(fragments_of(made)), plain, budget).value(content, 0)
    assert isinstance(read, Map)
    return read


def written_values(values: Map, budget: Budget) -> FilledInText:
    """Return values as the text of a values file, in which unknown scalars are variables."""
    return FilledInText(fragments_of(written_yaml(_with_variables(values), budget)))


def _with_variables(value: object) -> object:
    if isinstance(value, Unknown):
        return VARIABLE if value.origin is None else MarkedText((Fragment(VARIABLE, value.origin),))
    if isinstance(value, Map):
        return Map(((key, _with_variables(one)) for key, one in value.items()), origin=value.origin)
    if isinstance(value, list):
        return List(map(_with_variables, value), origin=origin_of(value))
    return value


class _Document:
    """The rendered text, and which parts of it are there on an unknown condition."""

    def __init__(self, path: str, made: RenderedText, plain: str, budget: Budget) -> None:
        self._path, self._made, self._budget = path, made, budget
        self._changes: list[int] = []
        """Where such a part begins and, alternately, ends."""
        depth = 0
        at = min((place for mark in (BEGIN, END) if (place := plain.find(mark)) >= 0), default=-1)
        while at >= 0:
            depth += 1 if plain.startswith(BEGIN, at) else -1
            if depth == len(self._changes) % 2 ^ 1 and depth in (0, 1):
                self._changes.append(at)
            following = (plain.find(mark, at + 1) for mark in (BEGIN, END))
            at = min((place for place in following if place >= 0), default=-1)

    def value(self, value: object, depth: int) -> object:
        """Return a value with its places in the source files."""
        if depth > MAX_DEPTH:
            raise LimitExceeded("values are nested too deeply")
        self._budget.spend(1)
        place = origin_of(value)
        origin = self._made.origin(place.span) if place is not None else None
        if isinstance(value, Map):
            made = Map(origin=origin)
            for key, one in value.items():
                made[self._text(key)] = self._unless_uncertain(origin_of(key), one, depth)
            return made
        if isinstance(value, list):
            return List((self._unless_uncertain(origin_of(one), one, depth) for one in value), origin=origin)
        if isinstance(value, str):
            return Unknown(REASON, str(value), origin) if VARIABLE in value else self._text(value)
        if isinstance(value, bool | MarkedBool):
            return MarkedBool(bool(value), origin)
        return MarkedFloat(value, origin) if isinstance(value, float) else value

    def _unless_uncertain(self, place: Origin | None, value: object, depth: int) -> object:
        if place is not None and bisect_right(self._changes, place.span.start) % 2:
            return Unknown(REASON, "if", self._made.origin(place.span))
        return self.value(value, depth + 1)

    def _text(self, text: str) -> str:
        if not isinstance(text, MarkedText):
            return text
        return MarkedText(self._made.moved(text.fragments, self._path))

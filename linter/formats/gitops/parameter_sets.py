"""The parameter sets that the generators of an Argo CD ApplicationSet produce from the repository itself.

The address of the repository is not compared: folders and files that match here are those that are meant. What comes
from elsewhere (clusters, pull requests, other services) is one set of which nothing is known.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence

from flink_flint.linter.formats.gitops.template_tags import Tags
from flink_flint.linter.formats.helm.rendering.chart_files import file_text
from flink_flint.linter.formats.helm.rendering.go_globs import glob_matches
from flink_flint.linter.formats.helm.rendering.go_printing import shown
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, OpenMap, with_origin
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, unknown_part
from flink_flint.linter.formats.helm.rendering.yaml_reading import read_yaml
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin

_MAX_SETS = 200
_MAX_DEPTH = 3
_MAX_NESTING = 40
_LARGEST = 1 << 20
_LONGEST = 500
_WILDCARDS = regex(r"\*+")
_LITERAL = regex(r"[*?\[\]{},\\]")
"""What ends the literal beginning of a pattern."""


Read = Callable[[str], "bytes | None"]


class Repository(NamedTuple):
    """The files of the repository: their paths, and a function that reads them."""

    names: Sequence[str]
    """The paths of all files in the repository."""
    read: Read


class ParameterSets:
    """The parameter sets of one ApplicationSet; raises `NotRendered` for generators that cannot be evaluated."""

    def __init__(self, path: str, repository: Repository, tags: Tags, budget: Budget) -> None:
        self._path, self._repository, self._tags, self._budget = path, repository, tags, budget

    def of(self, generators: Value | None) -> list[Map]:
        """Return the parameter sets of all generators, but at most one set of which nothing is known."""
        found = [one for item in _items(generators) for one in self._generated(item, None, 0)]
        unknown = [one for one in found if isinstance(one, OpenMap) and not one]
        return [*(one for one in found if one or not isinstance(one, OpenMap)), *unknown[:1]][:_MAX_SETS]

    def _generated(self, generator: Value, given: Map | None, depth: int) -> list[Map]:
        """Return the sets of a generator, whose own fields may refer to parameters that are `given`."""
        self._budget.spend(10)
        if depth > _MAX_DEPTH:
            raise NotRendered("generators are nested too deeply")
        found: list[Map] = []
        for kind, _, inner in generator.pairs():
            if kind == "selector":
                continue
            if inner.get("template") is not None:
                raise NotRendered("a generator changes the template")
            if kind == "list":
                found += self._elements(inner, given)
            elif kind == "git":
                found += self._of_git(inner, given)
            elif kind == "matrix":
                found += self._matrix(inner, given, depth)
            elif kind == "merge":
                found += self._merged(inner, given, depth)
            else:
                found.append(self._with_values(OpenMap(), inner, given))
        labels = generator.get("selector")
        return [one for one in found if labels is None or self._is_selected(one, labels)][:_MAX_SETS]

    # -- list

    def _elements(self, generator: Value, given: Map | None) -> Iterator[Map]:
        for item in _items(generator.get("elements")):
            element = self._plain(item, given)
            if isinstance(element, Map):
                yield self._tags.flattened(element)
        written = generator.get("elementsYaml")
        if written is not None:
            elements = self._read(self._text(written, given))
            for element in elements if isinstance(elements, list) else ():
                if isinstance(element, Map):
                    yield self._tags.flattened(element)

    # -- git

    def _of_git(self, generator: Value, given: Map | None) -> list[Map]:
        prefix = generator.string("pathParamPrefix") or ""
        if generator.get("directories") is not None:
            places = self._matching(generator.get("directories"), given, self._folders(), _as_path_match)
            found = [self._tags.of_place(place, prefix) for place in places]
        else:
            files = self._matching(generator.get("files"), given, self._repository.names, _as_git_pattern)
            found = [one for path in files for one in self._of_file(path, prefix)]
        if not found:  # of another repository
            return [OpenMap()]
        return [self._with_values(one, generator, given) for one in found]

    def _folders(self) -> list[str]:
        found: set[str] = set()
        for name in self._repository.names:
            folder = posixpath.dirname(name)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return sorted(one for one in found if not any(part.startswith(".") for part in one.split("/")))

    def _matching(
        self, listed: Value | None, given: Map | None, names: Sequence[str], expression: Callable[[str], str]
    ) -> list[str]:
        """Return the names that a pattern includes and none excludes."""
        patterns: dict[bool, list[str]] = {True: [], False: []}
        for item in _items(listed):
            pattern = item.get("path")
            text = str(self._text(pattern, given)) if pattern is not None else ""
            if "{{" not in text and len(text) < _LONGEST:
                patterns[item.string("exclude") == "true"].append(expression(text.removeprefix("/")))
        found: dict[str, None] = {}
        for included in patterns[False]:
            found |= dict.fromkeys(self._among(names, included))
        for excluded in patterns[True]:
            for name in self._among(found, excluded):
                del found[name]
        return list(found)[:_MAX_SETS]

    def _among(self, names: Iterable[str], pattern: str) -> list[str]:
        start, end = _LITERAL.split(pattern, maxsplit=1)[0], _LITERAL.split(pattern)[-1]
        near = [name for name in names if name.startswith(start) and name.endswith(end)]
        return [name for name in near if glob_matches(pattern, name, self._budget)]

    def _of_file(self, path: str, prefix: str) -> Iterator[Map]:
        data = self._repository.read(path)
        if data is None or len(data) > _LARGEST:
            return
        content = self._read(file_text(path, data))
        for one in content if isinstance(content, list) else (content,):
            if isinstance(one, Map):
                made = self._tags.flattened(one)
                made.update(self._tags.of_place(posixpath.dirname(path), prefix, posixpath.basename(path)))
                yield made

    # -- generators of generators

    def _matrix(self, generator: Value, given: Map | None, depth: int) -> list[Map]:
        inner = _items(generator.get("generators"))
        if len(inner) != 2:
            raise NotRendered("a matrix has two generators")
        found: list[Map] = []
        for first in self._generated(inner[0], given, depth + 1):
            known = first if given is None else _combined(given, first)
            found += (_combined(first, one) for one in self._generated(inner[1], known, depth + 1))
            if len(found) > _MAX_SETS:
                break
        return found

    def _merged(self, generator: Value, given: Map | None, depth: int) -> list[Map]:
        inner = [self._generated(one, given, depth + 1) for one in _items(generator.get("generators"))]
        keys = [item.text or "" for item in _items(generator.get("mergeKeys"))]
        if not inner or not keys:
            raise NotRendered("a merge has generators and keys")
        found = inner[0]
        for others in inner[1:]:
            by_key = {self._key(one, keys): one for one in others}
            found = [_combined(one, by_key.get(self._key(one, keys), Map())) for one in found]
        is_open = any(isinstance(one, OpenMap) for one in inner[0])
        # Which of the others' sets apply is not known if the first ones are not; each may.
        more = [_combined(OpenMap(), one) for others in inner[1:] for one in others] if is_open else []
        return [*found, *more][:_MAX_SETS]

    def _key(self, parameters: Map, keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(str(shown(parameters.get(key), self._budget)) for key in keys)

    def _is_selected(self, parameters: Map, selector: Value) -> bool:
        """Return whether labels select a set; what is not known may be selected."""
        for key, _, wanted in _pairs(selector.get("matchLabels")):
            if not self._has(parameters, key, (wanted.text or "",)):
                return False
        for item in _items(selector.get("matchExpressions")):
            key, values = item.string("key") or "", [one.text or "" for one in _items(item.get("values"))]
            operator = item.string("operator")
            has = self._has(parameters, key, values if operator in ("In", "NotIn") else None)
            is_known = key in parameters or not isinstance(parameters, OpenMap)
            if is_known and has != (operator in ("In", "Exists")):
                return False
        return True

    def _has(self, parameters: Map, key: str, values: Iterable[str] | None) -> bool:
        if key not in parameters:
            return isinstance(parameters, OpenMap)
        return values is None or shown(parameters[key], self._budget) in values

    # -- values

    def _with_values(self, parameters: Map, generator: Value, given: Map | None) -> Map:
        """Return a set with the values that its generator adds, which may refer to the set."""
        known = parameters if given is None else _combined(given, parameters)
        added = Map()
        for key, _, value in _pairs(generator.get("values")):
            if value.is_scalar:
                added[key] = self._text(value, known)
        return _combined(parameters, self._tags.flattened(Map({"values": added}))) if added else parameters

    def _plain(self, value: Value, given: Map | None, depth: int = 0) -> object:
        self._budget.spend(1)
        if depth > _MAX_NESTING:
            raise NotRendered("values are nested too deeply")
        if value.is_mapping:
            return Map((key, self._plain(inner, given, depth + 1)) for key, _, inner in value.pairs())
        if value.is_sequence:
            return List(self._plain(item, given, depth + 1) for item in value.items())
        typed = value.typed
        if isinstance(typed, str):
            return self._text(value, given)
        if isinstance(typed, int) and not isinstance(typed, bool):
            typed = float(typed)
        return with_origin(typed, Origin(self._path, value.span))

    def _text(self, value: Value, given: Map | None) -> str:
        """Return the text of a scalar with its places, filled in with parameters if any are given."""
        pieces = value.extract().pieces
        text = MarkedText(Fragment(piece.text, Origin(self._path, piece.span)) for piece in pieces)
        return text if given is None else self._tags.filled_in(text, given)

    def _read(self, text: str) -> object:
        return read_yaml(text, self._budget) if not unknown_part(text) else None


def _combined(one: Map, other: Map) -> Map:
    """Return two sets as one; of parameters that both have, the second one's win."""
    made = OpenMap(one) if isinstance(one, OpenMap) or isinstance(other, OpenMap) else Map(one)
    for key, value in other.items():
        current = made.get(key)
        made[key] = _combined(current, value) if isinstance(current, Map) and isinstance(value, Map) else value
    return made


def _items(value: Value | None) -> Sequence[Value]:
    return value.items() if value is not None else ()


def _pairs(value: Value | None) -> Iterator[tuple[str, object, Value]]:
    return value.pairs() if value is not None and value.is_mapping else iter(())


def _as_path_match(pattern: str) -> str:
    """Return a pattern of Go's path.Match, whose wildcards do not cross a ``/``, for `glob_matches`."""
    return _WILDCARDS.sub("*", pattern)


def _as_git_pattern(pattern: str) -> str:
    """Return a pattern of `git ls-files`, whose wildcards cross a ``/``, for `glob_matches`."""
    return _WILDCARDS.sub("**", pattern)

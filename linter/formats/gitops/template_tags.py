"""The two tag syntaxes of ApplicationSet templates: dotted names and Go templates.

By default ``{{path.basename}}`` is the parameter of that name, and nested ones have names with dots. With `goTemplate`,
``{{.path.basename}}`` is a Go template with the functions of sprig, which Helm has too.
"""

from __future__ import annotations

import posixpath
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator

from flink_flint.linter.formats.helm.rendering.go_printing import shown
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, tag
from flink_flint.linter.formats.helm.rendering.limits import Budget, LimitExceeded, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, decided_by, replaced, sliced
from flink_flint.linter.formats.helm.rendering.template_evaluation import Evaluator
from flink_flint.linter.formats.helm.rendering.template_parsing import parse
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Origin

_TAG = regex(r"\{\{([^{}]*)\}\}")
_NOT_NORMAL = regex(r"[^a-z0-9.-]+")
_MAX_NESTING = 40


class Tags(ABC):
    """A syntax for tags that refer to the parameters of an ApplicationSet."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    @abstractmethod
    def filled_in(self, text: str, parameters: Map) -> str:
        """Return `text` with the tags of known parameters replaced; tags of other parameters are kept."""

    @abstractmethod
    def flattened(self, parameters: Map) -> Map:
        """Return parameters under the names by which tags refer to them."""

    @abstractmethod
    def of_place(self, folder: str, prefix: str, file: str = "") -> Map:
        """Return the parameters that a Git generator provides for a folder of the repository, or for a file in it."""


class DottedTags(Tags):
    """Tags that consist of a dotted name, such as ``{{path.basename}}``."""

    def filled_in(self, text: str, parameters: Map) -> str:
        """Return `text` with the tags of known parameters replaced; tags of other parameters are kept."""
        edits = [
            (match.start(), match.end(), decided_by(shown(parameters[name], self._budget), _place(text, match)))
            for match in _TAG.finditer(text) if (name := match[1].strip()) in parameters
        ]  # fmt: skip
        made = replaced(text, edits) if edits else text
        self._budget.text(len(made))
        return made

    def flattened(self, parameters: Map) -> Map:
        """Return parameters with nested maps and lists flattened to dotted names."""
        return Map(self._flat(parameters, "", 0))

    def _flat(self, value: object, name: str, depth: int) -> Iterator[tuple[str, object]]:
        self._budget.spend(1)
        if depth > _MAX_NESTING:
            raise NotRendered("values are nested too deeply")
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from self._flat(inner, f"{name}.{key}" if name else str(key), depth + 1)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                yield from self._flat(inner, f"{name}.{number}", depth + 1)
        else:
            yield name, value

    def of_place(self, folder: str, prefix: str, file: str = "") -> Map:
        """Return the parameters `path`, `path.basename`, ``path[0]``, and so on for a folder, or for a file in it."""
        path = f"{prefix}.path" if prefix else "path"
        base = posixpath.basename(folder)
        made = Map({path: folder, f"{path}.basename": base, f"{path}.basenameNormalized": normalized(base)})
        if file:
            made |= {f"{path}.filename": file, f"{path}.filenameNormalized": normalized(file)}
        made |= {f"{path}[{number}]": part for number, part in enumerate(folder.split("/"))}
        return made


class GoTags(Tags):
    """Tags that are Go templates, such as ``{{.path.basename}}``."""

    def filled_in(self, text: str, parameters: Map) -> str:
        """Return `text` rendered as a Go template with the parameters; if that fails, return a single tag instead."""
        if "{{" not in text:
            return text
        name = "application"
        try:
            templates = {one.name: one for one in parse(name, text)}
            return Evaluator(templates, self._budget).rendered(name, parameters)
        except LimitExceeded:
            raise
        except NotRendered:  # what Helm does not have, such as a function of Argo CD
            return tag("a function of Argo CD")

    def flattened(self, parameters: Map) -> Map:
        """Return the parameters unchanged, since Go templates can refer to nested values."""
        return parameters

    def of_place(self, folder: str, prefix: str, file: str = "") -> Map:
        """Return the parameter `path` for a folder or file, with fields such as `path`, `basename`, and `segments`."""
        base = posixpath.basename(folder)
        place = Map({"path": folder, "basename": base, "basenameNormalized": normalized(base)})
        place["segments"] = List(folder.split("/"))
        if file:
            place |= {"filename": file, "filenameNormalized": normalized(file)}
        made = Map({"path": place})
        return Map({prefix: made}) if prefix else made


def _place(text: str, match: re.Match[str]) -> Origin | None:
    """Return the place of a tag, which decides what has no place of its own, such as the name of a folder."""
    tagged = sliced(text, match.start(), match.end())
    return tagged.origin() if isinstance(tagged, MarkedText) else None


def normalized(text: str) -> str:
    """Return `text` converted to a valid object name, as Argo CD converts it."""
    return _NOT_NORMAL.sub("-", text.lower()).strip("-.")[:253]

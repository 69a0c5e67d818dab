"""Loads helmfiles as helmfile does: their parts in order, their bases, and the values of an environment.

A file ``helmfile.yaml.gotmpl`` is a template, one ``helmfile.yaml`` was until helmfile 1. A part, up to a line ``---``,
is rendered with the environment of the parts before it, and again with the environment that it declares itself. Values
of the command line are unknown; so are those of secrets, and of files outside of the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from flink_flint.linter.formats.chart_uses.helmfile_documents import read_document
from flink_flint.linter.formats.chart_uses.helmfile_templates import Templates, path_inside
from flink_flint.linter.formats.helm.rendering.chart_files import file_text
from flink_flint.linter.formats.helm.rendering.chart_values import overlaid
from flink_flint.linter.formats.helm.rendering.go_globs import glob_matches
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, OpenMap, Struct, Unknown, opened
from flink_flint.linter.formats.helm.rendering.limits import LimitExceeded, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import sliced
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

DEFAULT = "default"
"""The name of the environment that helmfile uses unless another one is named."""
LENIENT = ("Warn", "Info", "Debug")
"""The missing-file handlers that skip a missing file; the default, `Error`, refuses it."""
_SEPARATOR = regex(r"\n---[ \t]*\r?\n")
_KEY = regex(r"^([A-Za-z]\w*)[ \t]*:", re.MULTILINE)
_OTHER_KEYS = frozenset(
    ("releases", "repositories", "hooks", "helmBinary", "helmDefaults", "kubeVersion", "apiVersions", "kubeContext")
)
"""Keys of a helmfile that concern nothing in other files."""
_WILDCARDS = frozenset("*?[{")
_MAX_MATCHES = 100
_REASON = "a value of the environment is not in the repository"


class Environment(NamedTuple):
    """An environment: the values that it declares, the defaults below them, and whether there may be others."""

    name: str
    values: Map
    defaults: Map
    is_whole: bool
    """Whether all files with its values are in the repository."""


class State(NamedTuple):
    """What a helmfile declares for one environment: all parts and bases merged, and the environment."""

    content: Map
    environment: Environment


class Helmfile:
    """One helmfile: its path and text, and the templates of its folder."""

    def __init__(self, path: str, templates: Templates, may_use: Callable[[str, str], bool]) -> None:
        """`may_use` says, for a helmfile's path and text, whether it may have releases that are of interest."""
        self.path, self.templates, self._may_use = path, templates, may_use
        self.folder, self.budget = templates.folder, templates.budget

    def state(self, name: str, overrides: Map | None = None) -> State:
        """Return what the helmfile declares for the environment called `name`; raise `NotRendered` if it is unknown.

        `overrides` are the values that another helmfile passes to this one.
        """
        environment = Environment(name, overrides or Map(), Map(), is_whole=True)
        state = self._loaded(self.path, environment, is_base=False)
        if overrides:
            final = state.environment
            values = overlaid([final.values, overrides], self.budget)
            return state._replace(environment=final._replace(values=values))
        return state

    def environments(self) -> list[str]:
        """Return the names of the environments that the helmfile declares; `default` if it declares none."""
        declared = self.state(DEFAULT).content.get("environments")
        return [str(name) for name in declared] if isinstance(declared, Map) and declared else [DEFAULT]

    def data(self, environment: Environment) -> dict[str, object]:
        """Return what templates see of an environment, without the release."""
        spend = self.budget.spend
        merged = overlaid([environment.defaults, environment.values], self.budget)
        values, own = (
            opened(one, OpenMap(reason=_REASON, keys_are_known=environment.is_whole), spend)
            for one in (merged, environment.values)
        )
        shown = Struct("environment.Environment", {"Name": environment.name, "KubeContext": "", "Values": own})
        return {"Environment": shown, "Namespace": "", "Values": values, "StateValues": values}

    def files(self, pattern: object) -> list[str] | None:
        """Return the files that match a path or pattern; None if they are not in the repository, or unknown."""
        if not isinstance(pattern, str):
            return None
        place = path_inside(self.folder, pattern)
        if place is None:
            return None
        if not _WILDCARDS.isdisjoint(pattern):
            found = (path for path in self.templates.names if glob_matches(place, path, self.budget))
            return sorted(found)[:_MAX_MATCHES]
        return [place] if self.templates.read(place) is not None else []

    def text(self, path: str, data: Mapping[str, object], kind: str) -> str:
        """Return the text of a file, which is rendered if it is a template; raise `NotRendered` if it is not known."""
        text = file_text(path, self.templates.read(path) or b"")
        if not path.endswith(".gotmpl"):
            return text
        return self.templates.rendered(text, Struct(kind, dict(data)), posixpath.dirname(path))

    # -- parts

    def _loaded(self, path: str, environment: Environment, *, is_base: bool) -> State:
        data = self.templates.read(path)
        if data is None:
            raise NotRendered(f"{path} is not in the repository")
        content = Map()
        for part in _parts(file_text(path, data)):
            own, environment = self._part(path, part, environment, is_base=is_base)
            content = overlaid([content, own], self.budget)
        return State(content, environment)

    def _part(self, path: str, part: str, environment: Environment, *, is_base: bool) -> State:
        state = self._rendered(path, part, environment, is_base=is_base)
        if "{{" in part and state.environment != environment:
            return self._rendered(path, part, state.environment, is_base=is_base, below=environment)
        return state

    def _rendered(
        self, path: str, part: str, given: Environment, *, is_base: bool, below: Environment | None = None
    ) -> State:
        kind = "state.EnvironmentTemplateData"
        try:
            made = self.templates.rendered(part, Struct(kind, self.data(given)))
            own = read_document(path, made, self.budget)
        except NotRendered:
            if path.endswith(".gotmpl"):
                raise
            own = read_document(path, part, self.budget)  # as helmfile 1 reads it
        environment = below or given
        layers: list[Map] = []
        if not is_base and own.get("bases"):
            layers, is_known = self._bases(own["bases"], environment)
            environment = environment if is_known else environment._replace(is_whole=False)
        content = own
        if layers:
            content = Map()
            for layer in (*layers, own):
                content = _on_base(content, layer)
        return State(content, self._with_values(content, environment))

    def _bases(self, bases: object, environment: Environment) -> tuple[list[Map], bool]:
        """Return what the bases declare, and whether all of them are known."""
        layers: list[Map] = []
        is_known = isinstance(bases, list)
        for base in _items(bases):
            found = path_inside(self.folder, base) if isinstance(base, str) else None
            try:
                if found is None:
                    raise NotRendered("a base is not in the repository")
                if self._is_needed(found):
                    layers.append(self._loaded(found, environment, is_base=True).content)
            except LimitExceeded:
                raise
            except NotRendered:
                is_known = False
        return layers, is_known

    def _is_needed(self, base: str) -> bool:
        """Return whether a base has more than releases that are of no interest."""
        text = (self.templates.read(base) or b"").decode("utf-8", "replace")
        keys = set(_KEY.findall(text))
        if b"nherit:" not in (self.templates.read(self.path) or b""):
            keys.discard("templates")
        return not keys <= _OTHER_KEYS or self._may_use(base, text)

    def _with_values(self, content: Map, below: Environment) -> Environment:
        """Return the environment with what a helmfile declares of it."""
        declared = content.get("environments")
        own = declared.get(below.name) if isinstance(declared, Map) else None
        is_whole = below.is_whole and not isinstance(own, Unknown)
        values, defaults = below.values, below.defaults
        if isinstance(own, Map):
            handler = own.get("missingFileHandler")
            found, is_known = self._merged(own.get("values"), below, is_lenient=handler in LENIENT, strategy=own)
            values = overlaid([values, found], self.budget)
            is_whole = is_whole and is_known and not own.get("secrets")
        found, is_known = self._merged(content.get("values"), below, is_lenient=False)
        return Environment(below.name, values, overlaid([defaults, found], self.budget), is_whole and is_known)

    def _merged(
        self, entries: object, below: Environment, *, is_lenient: bool, strategy: Map | None = None
    ) -> tuple[Map, bool]:
        """Return the values in a list of files and mappings, and whether all of them are known."""
        is_known = not isinstance(entries, Unknown)
        is_reversed = strategy is not None and strategy.get("mergeStrategy") == "fallback"
        found: list[Map] = []
        for entry in _items(entries):
            if isinstance(entry, Map):
                found.append(entry)
                continue
            files = self.files(entry)
            if files is None or (not files and not is_lenient):
                is_known = False
            for path in files or ():
                try:
                    text = self.text(path, self.data(below), "state.EnvironmentTemplateData")
                    found.append(read_document(path, text, self.budget))
                except NotRendered:  # such as one in another language
                    is_known = False
        return overlaid(reversed(found) if is_reversed else found, self.budget), is_known


def _parts(text: str) -> Iterator[str]:
    done = 0
    for separator in _SEPARATOR.finditer(text):
        yield sliced(text, done, separator.start() + 1)
        done = separator.end()
    yield sliced(text, done, len(text))


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _on_base(base: Map, overlay: Map) -> Map:
    """Return a helmfile merged onto its base: lists are joined, maps are merged, anything else is replaced."""
    made = Map(base, origin=overlay.origin or base.origin)
    for key, value in overlay.items():
        current = made.get(key)
        if isinstance(value, Map) and isinstance(current, Map):
            made.put(key, _on_base(current, value))
        elif isinstance(value, list) and isinstance(current, list):
            made.put(key, List((*current, *value)))
        elif value is not None:
            made.put(key, value)
    return made

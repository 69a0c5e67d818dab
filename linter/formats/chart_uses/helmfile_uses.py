"""Charts of the repository that helmfile installs, in each environment."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile

from flink_flint.linter.formats.chart_uses.chart_use import ChartUse, Read, UnknownValues, local_chart
from flink_flint.linter.formats.chart_uses.helmfile_releases import Release
from flink_flint.linter.formats.chart_uses.helmfile_states import Helmfile, State
from flink_flint.linter.formats.chart_uses.helmfile_templates import Templates
from flink_flint.linter.formats.chart_uses.repository_charts import NamedChart
from flink_flint.linter.formats.helm.rendering.go_globs import glob_matches
from flink_flint.linter.formats.helm.rendering.go_values import Map, Unknown
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered
from flink_flint.linter.text.lazy_regex import regex

OUTSIDE = "values of the release are not in the repository"
OTHER_VERSION = "the release is of another version of the chart"
_STEPS = 4_000_000
"""The steps for all environments of one helmfile."""
_MAX_ENVIRONMENTS = 30
_MAX_NESTING = 5
_LISTED = regex(
    r"(?:^[ \t]*+-[ \t]|[\[,])[ \t]*+(?:path:[ \t]*+)?[\"']?([^\s\"'\[\],#{}]++)(?=[\"']?[ \t]*+(?:#|,|\]|$))",
    re.MULTILINE,
)
_TAG = regex(r"\{\{[ \t]*+`[^`\n]*+`[ \t]*+\}\}|\{\{[^{}\n]*+\}\}")
_CHART = regex(r"\bchart:[ \t]*[\"']?([^\s\"'#]+)")


class Helmfiles:
    """The helmfiles of a repository."""

    def __init__(
        self, names: Sequence[str], read: Read, charts: Mapping[str, NamedChart], wanted: Collection[str] | None
    ) -> None:
        """`names` are the paths of all files, `charts` the repository's charts by their names.

        `wanted` are the names of the charts, and of their folders, that are of interest; None means all.
        """
        self._names, self._read, self._charts, self._wanted = sorted(names), read, charts, wanted
        self._nested: set[tuple[str, str]] = set()
        """The helmfiles that others include, and the environments."""

    def may_use(self, path: str, text: str, depth: int = 0) -> bool:
        """Return whether a helmfile, or one that it includes, may install one of the charts that are of interest."""
        if any("{{" in chart or self._is_wanted(chart.rstrip("/")) for chart in _CHART.findall(text)):
            return True
        if depth >= _MAX_NESTING:
            return False
        names = self._names if "helmfiles:" in text else ()
        if not names and "bases:" not in text:
            return False
        for included in _listed(path, text, names):
            data = self._read(included) or b""
            is_helmfile = b"chart:" in data or b"helmfiles:" in data
            if is_helmfile and self.may_use(included, data.decode("utf-8", "replace"), depth + 1):
                return True
        return False

    def uses(self, path: str) -> Iterator[ChartUse]:
        """Yield the releases of a helmfile whose charts are in the repository and whose values are known."""
        yield from self._uses(path, None, None, 0)

    def values_files(self, path: str, text: str) -> Iterator[str]:
        """Yield the files that a helmfile may pass to a release, whatever is in the place of template tags."""
        for found in _listed(path, text, self._names):
            if found != path:
                yield found

    def _uses(self, path: str, given: str | None, overrides: Map | None, depth: int) -> Iterator[ChartUse]:
        budget = Budget(_STEPS)
        templates = Templates(posixpath.dirname(path), self._names, self._read, budget)
        helmfile = Helmfile(path, templates, self.may_use)
        try:
            names = [given] if given is not None else helmfile.environments()
            for name in names[:_MAX_ENVIRONMENTS]:
                if given is None and (path, name) in self._nested:
                    continue
                try:
                    state = helmfile.state(name, overrides)
                except NotRendered:
                    continue
                yield from self._releases(helmfile, state)
                if depth < _MAX_NESTING:
                    yield from self._included(helmfile, state, depth)
        except (NotRendered, RecursionError):
            return

    def _included(self, helmfile: Helmfile, state: State, depth: int) -> Iterator[ChartUse]:
        """Yield the uses in the helmfiles that one includes."""
        listed = state.content.get("helmfiles")
        for one in listed if isinstance(listed, list) else ():
            pattern = one.get("path") if isinstance(one, Map) else one
            files = helmfile.files(pattern)
            values = one.get("values") if isinstance(one, Map) else None
            overrides = [value for value in values if isinstance(value, Map)] if isinstance(values, list) else []
            for path in files or ():
                self._nested.add((path, state.environment.name))
                if not isinstance(values, Unknown) and (not values or len(overrides) == len(values)):  # type: ignore[arg-type]
                    merged = Map()
                    for values_of in overrides:
                        merged.update(values_of)
                    yield from self._uses(path, state.environment.name, merged, depth + 1)

    def _releases(self, helmfile: Helmfile, state: State) -> Iterator[ChartUse]:
        releases = state.content.get("releases")
        for declared in releases if isinstance(releases, list) else ():
            if not isinstance(declared, Map):
                continue
            try:
                release = Release(helmfile, state, declared)
                found = self._chart(helmfile.folder, release)
                if found is None or not self._is_wanted(found[0], release.chart) or not release.is_installed:
                    continue
                values = tuple(release.values())
            except (UnknownValues, NotRendered):
                continue
            chart, unknown = found
            unknown = unknown if release.is_whole else OUTSIDE
            environment = state.environment.name
            label = release.name if environment == "default" else f"{release.name}, {environment}"
            yield ChartUse(chart, values, helmfile.path, release.name, release.namespace, label, unknown)

    def _is_wanted(self, *names: str) -> bool:
        return self._wanted is None or any(posixpath.basename(name) in self._wanted for name in names)

    def _chart(self, folder: str, release: Release) -> tuple[str, str] | None:
        """Return the folder of the chart, and why what it renders to is not certain; None if it is not here."""
        name = release.chart
        if name.startswith("/"):
            return None
        if (chart := local_chart(folder, name, self._read)) is not None:
            return chart, ""
        if name.startswith(".") or "://" in name or name.count("/") not in (1, 2):
            return None
        named = self._charts.get(posixpath.basename(name))
        if named is None:
            return None
        return named.folder, "" if named.may_be(release.version) else OTHER_VERSION


def _listed(path: str, text: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the files that the lists in a helmfile name, with any text in the place of template tags."""
    folder = posixpath.dirname(path)
    budget = Budget(_STEPS)
    for pattern in _LISTED.findall(_TAG.sub("*", text)):
        if pattern.startswith("/") or not pattern.endswith((".yaml", ".yml", ".gotmpl")):
            continue
        place = posixpath.normpath(posixpath.join(folder, pattern))
        if place.startswith("../"):
            continue
        if "*" not in place:
            yield place
            continue
        start = place[: place.index("*")]
        below = takewhile(partial(_starts, start), islice(names, bisect_left(names, start), None))
        try:
            yield from (name for name in below if glob_matches(place, name, budget))
        except NotRendered:
            return


def _starts(start: str, name: str) -> bool:
    return name.startswith(start)

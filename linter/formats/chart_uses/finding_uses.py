"""Searches the files of a repository, of all supported kinds, for the chart releases that they install."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from flink_flint.linter.formats.chart_uses.argo_and_flux import argo_uses, flux_uses
from flink_flint.linter.formats.chart_uses.chart_use import (
    ChartUse,
    Read,
    UnknownValues,
    Values,
    moved_values,
    text_values,
)
from flink_flint.linter.formats.chart_uses.command_uses import command_uses
from flink_flint.linter.formats.chart_uses.deploying_files import calls_helm, is_helmfile, is_terraform, may_deploy
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.formats.chart_uses.helmfile_uses import Helmfiles

_LARGEST = 1 << 20


class FoundUses(NamedTuple):
    """The releases of the repository's own charts that its files describe."""

    uses: Sequence[ChartUse]
    unseen: frozenset[str]
    """Values files that a helmfile names, but of no release that is known: something unknown uses them with others."""


def find_uses(
    paths: Iterable[str],
    read: Read,
    everything: Sequence[str] = (),
    charts: Collection[str] | None = None,
    manifests: Callable[[], Iterable[str]] | None = None,
) -> FoundUses:
    """Return the releases of the repository's own charts that its files describe.

    `paths` are those of the files that may describe any, `everything` those of all files, which generators of
    ApplicationSets may list. `charts` are the folders of the charts that are of interest; None means all. `manifests`
    returns the files that ConfigMaps may be in, by default `paths`.
    """
    found = _Files(paths, read, everything, charts, manifests)
    uses = [use for path in found.paths for use in found.uses(path)]
    seen = {values.path for use in uses for values in use.values}
    return FoundUses(uses, frozenset(found.values_files - seen))


class _Files:
    """The files of a repository that may describe releases."""

    def __init__(
        self,
        paths: Iterable[str],
        read: Read,
        everything: Sequence[str],
        charts: Collection[str] | None,
        manifests: Callable[[], Iterable[str]] | None,
    ) -> None:
        # A helmfile that includes others comes before them.
        self.paths = sorted(paths, key=lambda path: (path.count("/"), path))
        self.values_files: set[str] = set()
        """The values files that the helmfiles name."""
        self._charts = charts
        self._manifests = manifests or (lambda: self.paths)
        self._everything = everything
        self._read = read
        self._config_maps: dict[tuple[str, str], list[Values]] | None = None

    def uses(self, path: str) -> Iterator[ChartUse]:
        """Yield the uses in one file."""
        data = self._read(path)
        if data is None or len(data) > _LARGEST or not may_deploy(path, data):
            return
        text = _decoded(data)
        if is_terraform(path):
            from flink_flint.linter.formats.chart_uses.terraform_uses import terraform_uses

            yield from terraform_uses(path, text, self._read)
            return
        if calls_helm(data):
            yield from command_uses(path, text, self._read)
        is_release = b"helm.toolkit.fluxcd.io/" in data and b"HelmRelease" in data
        is_application = b"argoproj.io/" in data and b"Application" in data
        has_sets = is_application and b"ApplicationSet" in data and "{{" in text
        if has_sets:
            yield from self._uses_of_sets(path, text)
        for root in _roots(text) if is_release or is_application else ():
            kind = root.string("kind")
            if kind == "ApplicationSet" and has_sets:
                continue
            if kind in ("Application", "ApplicationSet") and is_application:
                yield from argo_uses(path, text, root, self._read)
            elif kind == "HelmRelease" and is_release:
                yield from flux_uses(path, text, root, self._read, self._values_of)
        if is_helmfile(path):
            yield from self._uses_of_helmfile(path, text)

    def _uses_of_helmfile(self, path: str, text: str) -> Iterator[ChartUse]:
        if self._helmfiles.may_use(path, text):
            self.values_files.update(self._helmfiles.values_files(path, text))
            yield from self._helmfiles.uses(path)

    @cached_property
    def _helmfiles(self) -> Helmfiles:
        """The reader of helmfiles."""
        from flink_flint.linter.formats.chart_uses.helmfile_uses import Helmfiles
        from flink_flint.linter.formats.chart_uses.repository_charts import charts_by_name

        named = charts_by_name(self._everything, self._read)
        wanted = None
        if self._charts is not None:
            wanted = {name for name, one in named.items() if one.folder in self._charts}
            wanted.update(map(posixpath.basename, self._charts))
        return Helmfiles(self._everything, self._read, named, wanted)

    def _uses_of_sets(self, path: str, text: str) -> Iterator[ChartUse]:
        """Yield the uses in ApplicationSets, for each set of their parameters."""
        from flink_flint.linter.formats.gitops.application_sets import filled_in_sets
        from flink_flint.linter.formats.gitops.parameter_sets import Repository

        for made in filled_in_sets(path, text, Repository(self._everything, self._read)):
            for root in _roots(made.text):
                for use in argo_uses(path, made.text, root, self._read):
                    yield use._replace(values=tuple(moved_values(one, path, made) for one in use.values))

    def _values_of(self, name: str, key: str) -> Values | None:
        """Return the values under a key of the only ConfigMap with a name; None if there is not exactly one."""
        if self._config_maps is None:
            self._config_maps = {}
            for path in self._manifests():
                data = self._read(path) if path.endswith((".yaml", ".yml")) else None
                if data is not None and len(data) <= _LARGEST and b"onfigMap" in data:
                    self._add_config_maps(path, _decoded(data))
        found = self._config_maps.get((name, key), [])
        return found[0] if len(found) == 1 else None

    def _add_config_maps(self, path: str, text: str) -> None:
        assert self._config_maps is not None
        for root in _roots(text):
            data = root.get("data") if root.string("kind") == "ConfigMap" else None
            if data is not None and data.is_mapping:
                name = root.string("metadata", "name") or ""
                for key, _, value in data.pairs():
                    try:
                        values = text_values(path, value.extract())
                    except UnknownValues:
                        continue
                    self._config_maps.setdefault((name, key), []).append(values)
            generators = root.get("configMapGenerator")
            for generator in generators.items() if generators is not None else ():
                files = generator.get("files")
                for item in files.items() if files is not None else ():
                    key, equals, file = (item.text or "").partition("=")
                    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), file if equals else key))
                    if self._read(place) is not None:
                        named = key if equals else posixpath.basename(key)
                        self._config_maps.setdefault((generator.string("name") or "", named), []).append(
                            Values(place, None)
                        )


def _roots(text: str) -> Iterator[Value]:
    for tree in read_trees(text):
        if tree.root is not None and tree.root.is_mapping:
            yield tree.root


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")

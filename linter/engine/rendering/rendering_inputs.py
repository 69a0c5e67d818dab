"""The repository around the files of a run, in which charts and kustomizations are found.

Only folders inside of the repository are looked at, or, without one, inside of the folder with all files of the run. A
file of the run is read as it was given, which need not be what is on the disk; so are others that are being edited.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property
from itertools import islice
from types import MappingProxyType

from flink_flint.linter.engine.discovery import AnySource, Source
from flink_flint.linter.filesystem.folders import CHART, KUSTOMIZATIONS, absolute_path, names_in, walked
from flink_flint.linter.filesystem.reading import read_inside
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.formats.chart_uses.deploying_files import is_candidate, may_deploy
from flink_flint.linter.formats.purpose import TEST, purpose_of

LARGEST_INPUT = 4 << 20
"""The maximum size, in bytes, of a file that belongs to a chart or kustomization."""

_MAX_FOLDERS = 5_000
_MAX_FILES = 5_000
_MAX_CANDIDATES = 20_000
_MAX_WALKED = 50_000
_MAX_KEPT = 64 << 20
"""The number of bytes of files that are kept, since each kustomization and values file is read several times."""


class ProjectFiles:
    """The files of a repository by their relative paths (with ``/``), including the files of the run."""

    def __init__(
        self,
        sources: Sequence[AnySource],
        unsaved: Mapping[str, bytes] = MappingProxyType({}),
        without_deployments: Mapping[str, Set[str]] = MappingProxyType({}),
    ) -> None:
        """`unsaved` has what is read instead of files of the disk that are not of the run, by their absolute paths.

        Nothing is deployed by the files `without_deployments`: names by the absolute path, without links, of a folder.
        """
        real = cache(os.path.realpath)
        places = {_real(source.path, real): source for source in sources}
        folders = {os.path.dirname(place) for place in places}
        self._common = os.path.commonpath(folders)
        self.top = repository_of(self._common) or self._common
        self._unsaved = {self.inside(_real(path, real)): data for path, data in unsaved.items()}
        self._without_deployments = without_deployments
        self._contents: dict[str, bytes | None] = {}
        self._kept = 0
        self._is_as_named = True
        """Whether only the names of all files, as `names` has them, and contents have been looked at."""
        self.read_paths: set[str] = set()
        """The paths of the files that were read, or that are missing."""
        self._sources = {self.inside(place): source for place, source in places.items()}
        self._is_absolute = all(os.path.isabs(source.path) for source in sources)
        self.folders = sorted({os.path.dirname(path) for path in self._sources})
        """The folders of the files of the run."""

    @property
    def trees(self) -> set[str]:
        """The roots of the repositories that contain the run's files or the current folder, none of them trusted."""
        top = self.top
        found = {repository_of(os.path.join(top, folder)) or top for folder in self.folders}
        here = repository_of(os.path.realpath(os.curdir))
        return found | ({here} if here is not None else set())

    def inside(self, place: str) -> str:
        """Return an absolute path relative to the root of the repository."""
        path = os.path.relpath(place, self.top).replace(os.sep, "/")
        return "" if path == "." else path

    def shown(self, path: str) -> str:
        """Return a file's path as reports show it: as given, otherwise absolute or relative like the given paths."""
        if (source := self._sources.get(path)) is not None:
            return source.path
        place = os.path.join(self.top, *path.split("/"))
        return place if self._is_absolute else os.path.relpath(place)

    def read(self, path: str) -> bytes | None:
        """Return the contents of a file; None if there is none, or it is outside of the repository."""
        self.read_paths.add(path)
        if (source := self._sources.get(path)) is not None:
            return source.data
        if (data := self._unsaved.get(path)) is not None:
            return data
        if path not in self._contents:
            data = read_inside(self.top, path, LARGEST_INPUT)
            self._kept += len(data or b"")
            if self._kept > _MAX_KEPT:
                return data
            self._contents[path] = data
        return self._contents[path]

    def above(self, names: Iterable[str]) -> list[str]:
        """Return the folders of the run's files, and folders above them, that contain a file with one of the names."""
        wanted = frozenset(names)
        found: set[str] = set()
        seen: set[str] = set()
        for start in self.folders:
            folder: str | None = start
            while folder is not None and folder not in seen:
                seen.add(folder)
                if not wanted.isdisjoint(self._names_in(folder)):
                    found.add(folder)
                folder = os.path.dirname(folder) if folder else None
        return sorted(found)

    def below(self, folder: str, limit: int = _MAX_FILES) -> list[str]:
        """Return the paths of at most `limit` files below a folder, without following links to folders."""
        found: list[str] = []
        for prefix, names in self._walked(folder, limit):
            found += [f"{prefix}/{name}" if prefix else name for name in names]
        return found

    def _walked(self, folder: str, limit: int) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the folders at and below one with the names of their files, of at most `limit` files."""
        if folder and folder not in self._walk:
            self._is_as_named = False
        top = len(os.path.join(self.top, ""))
        for place, names in walked(self._place(folder), _MAX_FOLDERS):
            yield place[top:].replace(os.sep, "/"), names[:limit]
            limit -= len(names)
            if limit <= 0:
                return

    @cached_property
    def deploying(self) -> list[str]:
        """The files that may say how charts and kustomizations are deployed, excluding test files."""
        candidates = islice(filter(is_candidate, self._of_unknown_deployments()), _MAX_CANDIDATES)
        deploying = (path for path in candidates if may_deploy(path, self.read(path) or b""))
        return [path for path in deploying if not self._is_for_tests(path)]

    def _of_unknown_deployments(self) -> Iterator[str]:
        given = {path for path, source in self._sources.items() if isinstance(source, Source)}.union(self._unsaved)
        for folder, names in self._walk.items():
            known = self._without_deployments.get(self._place(folder), frozenset())
            for name in names:
                path = f"{folder}/{name}" if folder else name
                if name not in known or path in given:
                    yield path

    def manifests(self) -> Iterator[str]:
        """Yield the paths of at most 5,000 YAML files of the repository, excluding test files."""
        found = (path for path in self.everything if path.endswith((".yaml", ".yml")))
        yield from islice((path for path in found if not self._is_for_tests(path)), _MAX_FILES)

    @cached_property
    def everything(self) -> list[str]:
        """The paths of the files of the repository, at most 50,000 of them."""
        return self.below("", _MAX_WALKED)

    @cached_property
    def _walk(self) -> dict[str, Sequence[str]]:
        """The folders of the repository with the names of their files, at most 50,000 of these."""
        return dict(self._walked("", _MAX_WALKED))

    def names(self) -> Iterable[tuple[str, Sequence[str]]] | None:
        """Return the folders of the repository with the names of their files; None if other ones were looked at."""
        walk = self._walk
        is_whole = len(walk) < _MAX_FOLDERS and sum(map(len, walk.values())) < _MAX_WALKED
        is_whole = is_whole and all(folder in walk for folder in self.folders)
        return walk.items() if is_whole and self._is_as_named else None

    def shown_sources(self) -> Iterable[tuple[str, str]]:
        """Return the paths of the files of the run, each with how it is shown."""
        return sorted((path, source.path) for path, source in self._sources.items())

    def _is_for_tests(self, path: str) -> bool:
        return purpose_of(os.path.join(self.top, *path.split("/"))).name == TEST

    def kustomizations(self) -> list[str]:
        """Return the paths of the repository's kustomizations.

        Empty if there is neither a kustomization nor a chart, which one may render, at or above the run's files. Those
        that only set an image or a namespace are not among the files of a run, so they may be anywhere.
        """
        folders = set(self.above(KUSTOMIZATIONS))
        if not folders and not self.above((CHART,)):
            return []
        found = list(self._walk.items())
        if (common := self.inside(self._common)) or sum(len(names) for _, names in found) == _MAX_WALKED:
            found += self._walked(common, sys.maxsize)
        wanted = frozenset(KUSTOMIZATIONS)
        folders |= {folder for folder, names in found if not wanted.isdisjoint(names)}
        return sorted(
            f"{folder}/{name}" if folder else name
            for folder in folders
            for name in self._names_in(folder).intersection(KUSTOMIZATIONS)
        )

    def _names_in(self, folder: str) -> frozenset[str]:
        return names_in(self._place(folder))

    def _place(self, folder: str) -> str:
        return os.path.join(self.top, *folder.split("/")) if folder else self.top


def _real(path: str, real: Callable[[str], str]) -> str:
    """Return the absolute path, with the links above the file resolved by `real`."""
    folder, name = os.path.split(absolute_path(path))
    return os.path.join(real(folder), name)

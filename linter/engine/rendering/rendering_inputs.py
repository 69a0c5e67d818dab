"""The repository around the files of a run, in which charts and kustomizations are found.

Only folders inside of the repository are looked at, or, without one, inside of the folder with all files of the run. A
file of the run is read as it was given, which need not be what is on the disk; so are others that are being edited.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType

from flink_flint.linter.engine.discovery import AnySource, is_walked
from flink_flint.linter.filesystem.folders import CHART, KUSTOMIZATIONS, names_in
from flink_flint.linter.filesystem.reading import read_inside
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.formats.purpose import TEST, purpose_of

LARGEST_INPUT = 4 << 20
"""The maximum size, in bytes, of a file that belongs to a chart or kustomization."""

_MAX_FOLDERS = 5_000
_MAX_FILES = 5_000
_MAX_WALKED = 50_000


class ProjectFiles:
    """The files of a repository by their relative paths (with ``/``), including the files of the run."""

    def __init__(self, sources: Sequence[AnySource], unsaved: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """`unsaved` has what is read instead of files of the disk that are not of the run, by their absolute paths."""
        places = {_real(source.path): source for source in sources}
        folders = {os.path.dirname(place) for place in places}
        self._common = os.path.commonpath(folders)
        self.top = repository_of(self._common) or self._common
        self._unsaved = {self.inside(_real(path)): data for path, data in unsaved.items()}
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
        if (source := self._sources.get(path)) is not None:
            return source.data
        data = self._unsaved.get(path)
        return read_inside(self.top, path, LARGEST_INPUT) if data is None else data

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
        for place, names in _walk(os.path.join(self.top, *folder.split("/")) if folder else self.top):
            prefix = self.inside(place)
            found += [f"{prefix}/{name}" if prefix else name for name in names]
            if len(found) >= limit:
                break
        return found[:limit]

    def everywhere(self, is_wanted: Callable[[str], bool]) -> list[str]:
        """Return the paths of at most 5,000 files of the repository that `is_wanted` accepts, excluding test files."""
        wanted = filter(is_wanted, self.everything)
        return list(islice((path for path in wanted if not self._is_for_tests(path)), _MAX_FILES))

    @cached_property
    def everything(self) -> list[str]:
        """The paths of the files of the repository, at most 50,000 of them."""
        return self.below("", _MAX_WALKED)

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
        folders |= {posixpath.dirname(path) for path in self.everything if posixpath.basename(path) in KUSTOMIZATIONS}
        for place, names in _walk(self._common):
            if any(name in names for name in KUSTOMIZATIONS):
                folders.add(self.inside(place))
        return sorted(
            f"{folder}/{name}" if folder else name
            for folder in folders
            for name in self._names_in(folder).intersection(KUSTOMIZATIONS)
        )

    def _names_in(self, folder: str) -> frozenset[str]:
        return names_in(os.path.join(self.top, *folder.split("/")) if folder else self.top)


def _real(path: str) -> str:
    """Return the absolute path, with the links above the file resolved."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _walk(top: str) -> Iterator[tuple[str, list[str]]]:
    for number, (place, folders, names) in enumerate(os.walk(top)):
        if number >= _MAX_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if is_walked(name))
        yield place, sorted(names)

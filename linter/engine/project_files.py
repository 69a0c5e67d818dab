"""The project around the named files: its root, its other files, and the findings that involve named files.

Whatever files are named, flint reads those around them: the repository or, outside of one, the folder of the highest
`flint.toml` above them. It reports the findings in which a named file takes part: as their place, as a related place,
or as the file of a value that decided. So checking each file alone finds in sum what checking the whole project finds.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.config.flint_config import FlintConfigFile, flint_config_for, has_flint_config
from flink_flint.linter.engine.discovery import AnySource, Problem, Source, TooMany
from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.project_cache import ProjectCache

MAX_SOURCES = 20_000
"""The maximum number of other Flink files in a project; in a larger project only the named files are read."""

MAX_FILES = 200_000
"""The maximum number of files in a project whose names could be those of Flink files."""

MAX_BYTES = 256 * 1024**2
"""The maximum total size, in bytes, of the files in a project whose names could be those of Flink files."""


def project_root(path: str) -> str | None:
    """Return the root of the project that contains a file or folder, as an absolute path; None if there is none.

    It is the root of the repository or else the highest folder with a `flint.toml`.
    """
    absolute = absolute_path(path)
    folder = absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
    root = repository_of(folder)
    if root is not None:
        return root
    highest = None
    while True:
        if has_flint_config(folder):
            highest = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return highest
        folder = parent


def roots_around(paths: Iterable[str]) -> list[str]:
    """Return the roots of the projects that contain the given paths, except roots at or below one of the paths.

    Absolute paths have absolute roots, others roots that are relative to the current folder.
    """
    paths = list(paths)
    named = {absolute_path(path) for path in paths}
    roots: dict[str, str] = {}
    for path in paths:
        root = project_root(path)
        if root is not None and not any(_is_at_or_below(root, one) for one in named):
            roots.setdefault(root, root if os.path.isabs(path) else _relative(root))
    return list(roots.values())


def _is_at_or_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _relative(folder: str) -> str:
    try:
        return os.path.relpath(folder)
    except ValueError:  # another drive
        return folder


class Around(NamedTuple):
    """The other files of the projects that contain the named files, and the caches of these projects."""

    sources: list[AnySource]
    too_large: list[str]
    """The root folders of the projects that are not read because their files are too many or too large."""
    caches: list[ProjectCache]

    @property
    def without_deployments(self) -> dict[str, frozenset[str]]:
        """The files known to say nothing of how charts or kustomizations are deployed (`Options`)."""
        return {folder: names for cache in self.caches for folder, names in cache.without_deployments.items()}

    def remembered(self, named: Iterable[AnySource | Problem]) -> Iterator[AnySource | Problem]:
        """Yield the named files, which must have been read from the disk, with what the caches know of them."""
        for source in named:
            found: AnySource | Problem = source
            for cache in self.caches:
                if isinstance(found, Source):
                    found = cache.remembered(found)
            yield found

    def save(self) -> None:
        """Write the caches of the projects, for the next run."""
        for cache in self.caches:
            cache.save()


def files_around(
    named: Collection[str],
    places: Iterable[str],
    *,
    flint_config: FlintConfigFile | None = None,
    exclude: Sequence[str] = (),
    uses_cache: bool = True,
    documents: bool = True,
) -> Around:
    """Return the files of the projects around the paths in `places`, without the `named` files (absolute paths).

    `flint_config` is the configuration to use for all of them, by default that of each root. With `uses_cache` the
    user's cache directory is read, and written if that is worthwhile; without `documents` Flink's files are all read.
    Raises `FlintConfigError` for an invalid configuration.
    """
    known = set(named)
    found = Around([], [], [])
    roots = roots_around(places)
    if not roots:
        return found
    from flink_flint.linter.engine.project_cache import ProjectCache

    for root in roots:
        settings = flint_config or flint_config_for(root)
        kinds = settings.values.get("files")
        cache = ProjectCache(root, documents=documents, is_kept=uses_cache)
        sources = others(
            cache.sources(
                known,
                exclude=(*settings.exclude, *exclude),
                base=settings.folder,
                kind_of=settings.kind_of if kinds else None,
                kinds=kinds,
                limit=MAX_FILES,
            ),
            known,
        )
        if sources is None:
            found.too_large.append(root)
            continue
        found.sources.extend(sources)
        found.caches.append(cache)
        known |= {absolute_path(source.path) for source in sources}
    return found


def others(found: Iterable[AnySource | Problem], named: Collection[str]) -> list[AnySource] | None:
    """Return the readable files that are not among the `named` (absolute paths); None if there are too many to read.

    A file of the project that cannot be read is no problem of who names another one.
    """
    sources: list[AnySource] = []
    size = 0
    try:
        for source in found:
            if isinstance(source, Problem) or absolute_path(source.path) in named:
                continue
            sources.append(source)
            size += source.size
            if len(sources) > MAX_SOURCES or size > MAX_BYTES:
                return None
    except TooMany:
        return None
    return sources


class Named:
    """The set of files to report findings for, tested with `in` for a path as shown in reports."""

    def __init__(self, paths: frozenset[str], others: Collection[str] = ()) -> None:
        """Take absolute paths of files and of folders, which end in a separator.

        In these folders, files that are not among the `others` (absolute paths) are named too: those of which a chart
        is made need not be Flink's by themselves.
        """
        self._paths = paths
        self._folders = tuple(path for path in paths if path.endswith(os.sep))
        self.others = others
        self._known: dict[str, bool] = {}

    def __contains__(self, path: object) -> bool:
        assert isinstance(path, str)
        known = self._known.get(path)
        if known is None:
            place = absolute_path(path)
            is_inside = place.startswith(self._folders) and place not in self.others
            known = self._known[path] = is_inside or place in self._paths
        return known

    def takes_part(self, finding: Finding) -> bool:
        """Return whether a finding is in a named file, relates to one, or depends on a value in one."""
        return (
            finding.path in self
            or any(place.path in self for place in finding.related)
            or any(path in self for path in finding.layers)
        )


class _Everything(Named):
    def __init__(self) -> None:
        super().__init__(frozenset())

    def __contains__(self, path: object) -> bool:
        return True

    def takes_part(self, finding: Finding) -> bool:
        return True


EVERYTHING: Named = _Everything()
"""The set of all files, for runs that report the findings of every file that they read."""


def worth_judging(documents: Sequence[Document], relations: Mapping[int, Relation], named: Named) -> frozenset[str]:
    """Return the paths of the files whose documents may have findings that involve a named file.

    A document knows nothing but its layers and the classes it uses, so those that are related to a named file suffice.
    The files of their other layers are judged as well: what both report is reported once.
    """
    paths = {document.path for document in documents if document.path in named}
    for relation in relations.values():
        near = set(_files_of(relation))
        if any(path in named for path in near):
            paths |= near
    for place, relation in relations.items():
        if any(path in named for path in _files_of(relation)):
            paths.add(documents[place].path)
    for place, relation in relations.items():
        if documents[place].path in named:
            paths.update(_files_of(relation))
    return frozenset(paths)


def _files_of(relation: Relation) -> Iterator[str]:
    for document in (*relation.below, *relation.beside, *relation.above, *relation.services):
        yield document.path

"""Caches the contents read from a project's files, so that the next run reads only changed files.

Of each folder that is the names of its files, of each file whether it is Flink's and, if so, its documents. All of it
counts only as long as nothing that it follows from has changed: size and times of the file, the names in its folder,
what around it counts as evidence, the ignore files, and other files that its format looked at. Only the user's cache
directory is believed, and only what flint of the same version wrote there.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.linter import __version__
from flink_flint.linter.engine.discovery import (
    HEAD,
    IGNORES,
    LARGEST_FILE,
    AnySource,
    IgnoreFiles,
    KindOf,
    Listing,
    Problem,
    TooMany,
    Walk,
    from_disk,
    ignores_above,
    is_beside_pipelines,
    opened,
    patterns_of,
)
from flink_flint.linter.filesystem.file_marks import Mark, is_settled, mark_behind, mark_of
from flink_flint.linter.filesystem.folders import absolute_path, recording
from flink_flint.linter.filesystem.reading import LeadsOut, open_found
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.filesystem.user_cache import cache_file, read_cache, write_cache
from flink_flint.linter.formats import format_of_module, module_of_format
from flink_flint.linter.formats.chart_uses.deploying_files import is_candidate, may_deploy
from flink_flint.linter.formats.purpose import set_purpose
from flink_flint.linter.formats.surroundings import around_folder, mounting_files
from flink_flint.linter.model.evidence import NOTHING

if TYPE_CHECKING:
    from flink_flint.linter.engine.discovery import Ignores, Source
    from flink_flint.linter.model.document import Document, FileFormat
    from flink_flint.linter.model.evidence import Evidence

WORTH_SAVING = 10
"""The minimum number of newly read files for which writing the cache is worthwhile."""

_LAYOUT = 18
"""Which layout of the content this module reads and writes; a cache with another one is made anew."""

_ABOVE = 2
"""How many folders above a file's own count as evidence for it."""

_READ_AGAIN = False
"""Stands for documents that plain data cannot describe."""


class _Folder:
    """What is known of a folder."""

    __slots__ = (
        "around",
        "deploying",
        "flinks",
        "folders",
        "has_ignores",
        "key",
        "links",
        "marks",
        "mounting",
        "names",
        "time",
    )

    def __init__(self, time: int, key: str) -> None:
        self.time = time
        """When its names last changed; 0 if they may have changed since."""
        self.key = key
        """The ignore files and other patterns by which its names were chosen."""
        self.has_ignores = False
        self.folders: list[str] = []
        """The names of its folders."""
        self.links: list[str] = []
        """The names of files of which nothing is known: they are links, for example."""
        self.names: list[str] = []
        """The names of the files that are not Flink's."""
        self.marks: list[int] = []
        """Their marks, one after the other."""
        self.flinks: dict[str, list[Any]] = {}
        """By name of each file of Flink's: mark, module of its format, marks of what it looked at, and documents."""
        self.around = ""
        """What counts as evidence for its files (`around_folder`)."""
        self.mounting: list[list[Any]] = []
        """The files, with their marks, whose content counts as such."""
        self.deploying: list[str] = []
        """The names of the files that may say how charts or kustomizations are deployed (`may_deploy`)."""

    def look(self, path: str, head: bytes) -> None:
        """Remember whether a file may say how charts or kustomizations are deployed, by its first bytes."""
        name = os.path.basename(path)
        if is_candidate(name) and name not in self.deploying and (len(head) == HEAD or may_deploy(path, head)):
            self.deploying.append(name)


class RememberedSource:
    """A Flink file of a project, opened only if more than its cached documents is needed."""

    evidence: Evidence = NOTHING

    def __init__(self, path: str, flink: list[Any], data: list[Any] | None, learn: _Learn | None, top: str) -> None:
        self.path = path
        self.size = flink[0][0]
        self._basis = flink
        self._module: str = flink[1]
        self._remembered = data
        self._learn = learn
        self._top = top
        self._data: bytes | None = None

    @property
    def file_format(self) -> FileFormat:
        """The format of the remembered file."""
        return format_of_module(self._module)

    @property
    def data(self) -> bytes:
        """The current bytes of the remembered file; empty if it can no longer be read."""
        if self._data is None:
            try:
                with open_found(self.path, self._top) as stream:
                    self._data = stream.read(LARGEST_FILE + 1)
            except OSError:
                self._data = b""
        return self._data

    def documents(self) -> list[Document]:
        """Return the documents of the file, from the cache if possible."""
        if self._remembered is not None:
            from flink_flint.linter.engine.remembered_documents import decode_documents

            return decode_documents(self._remembered, self.path, self._read, lambda: self)
        if self._learn is None:
            return self._read()
        return self._learn(self, self._read)

    def __eq__(self, other: object) -> bool:
        """Return whether another source has the same path and unchanged contents."""
        return isinstance(other, RememberedSource) and (self.path, self._basis) == (other.path, other._basis)

    def __hash__(self) -> int:
        """Return a hash of the path."""
        return hash(self.path)

    def with_data(self, data: bytes) -> RememberedSource:
        """Set the bytes of the file, which have just been read, and return this source."""
        self._data = data
        return self

    def _read(self) -> list[Document]:
        return self.file_format.read(self.path, self.data)


_Learn = Callable[[RememberedSource, Callable[[], "list[Document]"]], "list[Document]"]
"""Reads the documents of a source and remembers them."""


class ProjectCache:
    """The files of a project below `root`, with a cache of their documents.

    `root` is spelled as paths are shown. Without `documents` all of Flink's files are read. If it is not to be
    `is_kept`, it is neither read nor written.
    """

    def __init__(self, root: str, *, documents: bool = True, is_kept: bool = True) -> None:
        self._root = root
        self._real = os.path.realpath(root)
        self._top = repository_of(self._real) or self._real
        self._documents = documents
        self._file = cache_file(root, __version__) if is_kept else None
        self._earlier: dict[str, _Folder] = {}
        self._git_roots: list[str] = []
        self._kinds = ""
        self._tree = f"{self._real} {root} {_LAYOUT}"
        """What identifies the content of the cache: where the project is, and how the content is laid out."""
        content = None if self._file is None else read_cache(self._file, self._tree)
        if content is not None:
            self._git_roots, self._kinds, folders = content
            self._earlier = {folder: _decoded(record) for folder, record in folders.items()}
        self._now: dict[str, _Folder] = {}
        self._same: set[str] = set()
        """The folders whose names have not changed."""
        self._parents: dict[str, str | None] = {root: None}
        self._marks: dict[str, Mark] = {}
        self._named: dict[str, tuple[_Folder, list[Any] | None]] = {}
        """The folders of the named files (absolute paths), and what is remembered of the unchanged ones."""
        self._learned = 0
        """How many files and folders were read again."""
        self._is_new = content is None

    def sources(
        self,
        named: Iterable[str],
        *,
        exclude: Sequence[str] = (),
        base: str | None = None,
        kind_of: KindOf | None = None,
        kinds: object = None,
        limit: int | None = None,
    ) -> Iterator[AnySource | Problem]:
        """Yield the files of the project except the `named` ones (absolute paths), as `discovery.find` does.

        `kinds` are the declarations that `kind_of` follows. Raises `TooMany` if more than `limit` files may be Flink's.
        """
        excluded = patterns_of(exclude) if exclude else None
        ignore_files = IgnoreFiles(from_disk)
        walk = Walk(
            excluded,
            absolute_path(base or "."),
            lambda skipped: None,
            ignore_files,
            (),
            kind_of or (lambda path: None),
        )
        if repr(kinds) != self._kinds:
            self._earlier, self._kinds = {}, repr(kinds)
        skipped = frozenset(named)
        count = 0
        listed = list(self._folders(walk, repr((exclude, base))))
        self._check_git_roots(folder for folder, _, _ in listed)
        for folder, record, paths in listed:
            count += len(record.names) + len(record.flinks) + len(paths)
            if limit is not None and count > limit:
                raise TooMany
            yield from self._of_folder(folder, record, paths, skipped, kind_of)

    def remembered(self, source: Source) -> AnySource:
        """Return a named file that was read from the disk before `sources`, with what is remembered of it.

        If that is nothing, its documents are remembered for the next run. What is not of the project is returned as is.
        """
        now, flink = self._named.get(absolute_path(source.path), (None, None))
        module = module_of_format(source.file_format)
        if now is None or module is None or not self._documents:
            return source
        if flink is None:
            mark = mark_of(source.path)
            if mark is None or mark[0] != source.size or not is_settled(mark[1]):
                return source
            flink = self._found(now, os.path.basename(source.path), mark, module)
            now.links.remove(os.path.basename(source.path))
        elif flink[1] != module or flink[0][0] != source.size:
            return source
        found = self._source(source.path, flink)
        found.evidence = source.evidence
        return found.with_data(source.data)

    @property
    def without_deployments(self) -> dict[str, frozenset[str]]:
        """The names of the files that say nothing of how something is deployed, by their folder's absolute path."""
        start = len(_prefix(self._root))
        return {
            os.path.join(self._real, folder[start:]) if folder != self._root else self._real:
                frozenset((*now.names, *now.flinks)).difference(now.deploying)
            for folder, now in self._now.items()
        }  # fmt: skip

    # -- folders

    def _folders(self, walk: Walk, patterns: str) -> Iterator[tuple[str, _Folder, list[str]]]:
        """Yield each folder with what is known of it, and the paths of the files of which nothing is known."""
        ignores = ignores_above(self._root, walk.ignore_files)
        if ignores is None:
            return
        key = f"{patterns} {[(folder, self._mark(os.path.join(folder, IGNORES))) for folder, _ in ignores]}"
        stack = [(self._root, key)]
        chains: dict[str, Ignores] = {key: ignores}
        while stack:
            folder, key = stack.pop()
            known = self._earlier.get(folder)
            changed = _time_of_folder(folder)
            inner = self._key_below(folder, key) if known is not None and known.has_ignores else key
            if known is not None and known.time and known.time == changed and known.key == inner:
                self._same.add(folder)
                prefix = _prefix(folder)
                below = [prefix + name for name in known.folders]
                if inner not in chains:
                    chains[inner] = (*chains[key], *walk.ignore_files.of(folder))
                yield folder, known, [prefix + name for name in known.links]
            else:
                listing = walk.listing(folder, chains[key], is_top=folder == self._root)
                if listing is None:
                    continue
                record, paths = self._listed(folder, changed, key, listing, known)
                inner = record.key
                chains[inner] = listing[2]
                below = listing[1]
                yield folder, record, paths
            self._parents.update(dict.fromkeys(below, folder))
            stack.extend((one, inner) for one in reversed(below))

    def _listed(
        self, folder: str, changed: int, key: str, listing: Listing, known: _Folder | None
    ) -> tuple[_Folder, list[str]]:
        """Return what is known of a folder that was listed, and the paths of the files of which nothing is known."""
        self._learned += 1
        has_ignores = os.path.lexists(os.path.join(folder, IGNORES))
        inner = self._key_below(folder, key) if has_ignores else key
        record = _Folder(changed if is_settled(changed) else 0, inner)
        record.has_ignores = has_ignores
        record.folders = [os.path.basename(one) for one in listing[1]]
        paths = listing[0]
        if known is not None:
            record.around, record.mounting, record.deploying = known.around, known.mounting, known.deploying
            marks = dict(zip(known.names, range(0, len(known.marks), 3), strict=True))
            paths = []
            for path in listing[0]:
                name = os.path.basename(path)
                place = marks.get(name)
                if place is not None:
                    record.names.append(name)
                    record.marks += known.marks[place : place + 3]
                elif name in known.flinks:
                    record.flinks[name] = known.flinks[name]
                else:
                    paths.append(path)
        return record, paths

    def _key_below(self, folder: str, key: str) -> str:
        """Return the key of a folder with an ignore file, and of those below it."""
        mark = self._mark(os.path.join(folder, IGNORES))
        return f"{key} {folder} {mark if is_settled(mark[1]) else time.time_ns()}"

    def _check_git_roots(self, folders: Iterable[str]) -> None:
        """Forget everything if repositories have appeared or vanished in the project, since paths count from theirs."""
        roots = [folder for folder in folders if os.path.lexists(os.path.join(folder, ".git"))]
        if roots != self._git_roots:
            self._git_roots = roots
            self._same.clear()
            self._earlier = {}

    # -- files

    def _of_folder(
        self,
        folder: str,
        record: _Folder,
        unknown: Sequence[str],
        named: frozenset[str],
        kind_of: KindOf | None,
    ) -> Iterator[AnySource | Problem]:
        """Yield the files of a folder that are Flink's or cannot be read."""
        now = self._now[folder] = _Folder(record.time, record.key)
        now.folders, now.has_ignores, now.deploying = record.folders, record.has_ignores, list(record.deploying)
        prefix = _prefix(folder)
        paths = list(unknown)
        is_known = bool(self._earlier) and self._is_around_as_before(folder, record, now)
        if not is_known:
            paths += [prefix + name for name in (*record.names, *record.flinks)]
        else:
            paths += self._changed(prefix, record, now)
            for name, flink in record.flinks.items():
                if not self._is_as_before(prefix + name, flink):
                    paths.append(prefix + name)
                    continue
                now.flinks[name] = flink
                if (place := absolute_path(prefix + name)) in named:
                    self._named[place] = now, flink
                    continue
                source = self._remembered(prefix + name, flink)
                if source is not None:
                    yield source
        paths.sort()
        for path in paths:
            if (place := absolute_path(path)) in named:
                now.links.append(os.path.basename(path))
                if kind_of is None or kind_of(path) is None:
                    self._named[place] = now, None
                continue
            source = self._opened(path, kind_of, now)
            if source is not None:
                yield source

    @staticmethod
    def _changed(prefix: str, record: _Folder, now: _Folder) -> list[str]:
        """Return the paths of the files, of those that were not Flink's, that have changed."""
        marks = record.marks
        lstat = os.lstat
        changed: list[int] = []
        for place, name in enumerate(record.names):
            try:
                found = lstat(prefix + name)
            except OSError:
                changed.append(place)
                continue
            at = 3 * place
            if (
                found.st_mtime_ns != marks[at + 1]
                or found.st_size != marks[at]
                or found.st_ctime_ns != marks[at + 2]
                or not stat.S_ISREG(found.st_mode)
            ):
                changed.append(place)
        if not changed:
            now.names, now.marks = record.names, record.marks
            return []
        others = set(changed)
        for place, name in enumerate(record.names):
            if place not in others:
                now.names.append(name)
                now.marks += marks[3 * place : 3 * place + 3]
        return [prefix + record.names[place] for place in changed]

    def _is_as_before(self, path: str, flink: list[Any]) -> bool:
        """Return whether a file of Flink's and what its format looked at have not changed."""
        return mark_of(path) == flink[0] and all(self._mark(one) == mark for one, mark in flink[2])

    def _is_around_as_before(self, folder: str, record: _Folder, now: _Folder) -> bool:
        """Return whether what counts as evidence for the files of a folder is what it was."""
        near: str | None = folder
        for _ in range(1 + _ABOVE):
            if near is None or near not in self._same:
                break
            near = self._parents[near]
        else:
            near = None
        if near is None and all(self._mark(path) == mark for path, mark in record.mounting):
            now.around, now.mounting = record.around, record.mounting
            return True
        self._describe(folder, now)
        return now.around == record.around

    def _describe(self, folder: str, now: _Folder) -> None:
        """Remember what counts as evidence for the files of a folder."""
        absolute = absolute_path(folder)
        now.around = around_folder(absolute)
        now.mounting = [[path, self._mark(path)] for path in mounting_files(absolute)]
        if not all(is_settled(mark[1]) for _, mark in now.mounting):
            now.around = ""

    def _remembered(self, path: str, flink: list[Any]) -> AnySource | Problem | None:
        """Return a file of Flink's of which something is remembered."""
        return self._source(path, flink) if self._documents else opened(path, top=self._top)

    def _source(self, path: str, flink: list[Any]) -> RememberedSource:
        documents = flink[3]
        learn = self._learner(flink) if documents is None else None
        return RememberedSource(path, flink, None if documents is _READ_AGAIN else documents, learn, self._top)

    def _opened(self, path: str, kind_of: KindOf | None, now: _Folder) -> AnySource | Problem | None:
        """Return a file of which nothing is known, and remember what it is."""
        name = os.path.basename(path)
        kind = kind_of(path) if kind_of is not None else None
        mark = mark_of(path)
        if not now.around and not now.mounting:
            self._describe(os.path.dirname(path) or ".", now)
        try:
            source = opened(path, top=self._top, kind=kind, look=now.look)
        except LeadsOut:
            now.links.append(name)
            return None
        if source is not None and is_beside_pipelines(source, self._root):
            source = None
        if mark is None or kind is not None or isinstance(source, Problem) or not is_settled(mark[1]):
            now.links.append(name)
            return source
        if source is None:
            self._learned += 1
            now.names.append(name)
            now.marks += mark
            return None
        module = module_of_format(source.file_format)
        if module is None:
            now.links.append(name)
            return source
        flink = self._found(now, name, mark, module)
        return self._source(path, flink).with_data(source.data) if self._documents else source

    def _found(self, now: _Folder, name: str, mark: Mark, module: str) -> list[Any]:
        """Remember of a file in a folder that it is Flink's."""
        self._learned += 1
        flink = now.flinks[name] = [mark, module, [], None]
        return flink

    def _learner(self, flink: list[Any]) -> _Learn:
        def learn(source: RememberedSource, read: Callable[[], list[Document]]) -> list[Document]:
            from flink_flint.linter.engine.remembered_documents import encode_documents

            with recording() as looked_at:
                documents = read()
            if documents:
                set_purpose(documents)
            here = absolute_path(source.path)
            others = sorted({absolute_path(path) for path in tuple(looked_at)} - {here})
            marks = [(path, self._mark(path)) for path in others]
            if all(is_settled(mark[1]) for _, mark in marks):
                self._learned += 1
                encoded = encode_documents(documents, source)
                flink[2], flink[3] = marks, _READ_AGAIN if encoded is None else encoded
            return documents

        return learn

    def _mark(self, path: str) -> Mark:
        """Return the mark of what a path leads to, which is looked up once in a run."""
        found = self._marks.get(path)
        if found is None:
            found = self._marks[path] = mark_behind(path)
        return found

    def save(self) -> None:
        """Write the cache if it has changed enough to be worth writing."""
        if self._file is None or self._learned < (1 if self._is_new else WORTH_SAVING):
            return
        folders = {folder: _encoded(one) for folder, one in self._now.items()}
        write_cache(self._file, self._tree, [self._git_roots, self._kinds, folders])


def _prefix(folder: str) -> str:
    """Return how the paths of the files of a folder begin."""
    return "" if folder == "." else os.path.join(folder, "")


def _time_of_folder(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def _encoded(folder: _Folder) -> list[Any]:
    return [
        folder.time, folder.key, folder.has_ignores, folder.folders, folder.links, folder.names, folder.marks,
        folder.flinks, folder.around, folder.mounting, folder.deploying,
    ]  # fmt: skip


def _decoded(record: Sequence[Any]) -> _Folder:
    folder = _Folder(record[0], record[1])
    (folder.has_ignores, folder.folders, folder.links, folder.names, folder.marks, folder.flinks, folder.around,
     folder.mounting, folder.deploying) = record[2:]  # fmt: skip
    return folder

"""File discovery: the named files, and those found by walking the named folders.

A walk skips what `.gitignore` files and `exclude` patterns match, hidden folders (of CI, it reads the pipelines),
copies of the sources of Flink's own projects, and symbolic links to folders (so that it ends), and reads no file
through a link that leads out of the repository. A file is selected if a file format recognizes it by its name or its
first characters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.folders import PIPELINE_FOLDERS, is_walked
from flink_flint.linter.filesystem.reading import LARGEST_SIDE_FILE, LeadsOut, open_found, open_named, read_found
from flink_flint.linter.filesystem.repository import folders_up, repository_of
from flink_flint.linter.flink.file_loading import encoding_of
from flink_flint.linter.formats import Recognized, format_of_kind, is_candidate, recognize
from flink_flint.linter.model.document import FileFormat
from flink_flint.linter.model.evidence import NOTHING, Evidence, certain
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from typing import Protocol

    from flink_flint.linter.config.flint_config import ReadFile
    from flink_flint.linter.filesystem.gitignore import Expressions, Patterns
    from flink_flint.linter.model.document import Document

NO_KIND = "none"
"""The file kind that flint's configuration assigns to files that are not Flink files."""

KindOf = Callable[[str], "str | None"]
"""A function that returns the file kind that flint's configuration assigns to a path; None if it assigns none."""

LARGEST_FILE = 10 * 1024 * 1024
"""The maximum size, in bytes, of a file to read; larger files are assumed not to be Flink configuration."""

HEAD = 64 * 1024
"""The number of bytes at the start of a file that are read to recognize its format."""

IGNORES = ".gitignore"
"""The name of ignore files; also the reason reported for skipping the files that they match."""

EXCLUDED = "exclude"
"""The reason reported for skipping a file that flint's configuration or the command line excludes."""


class TooMany(Exception):  # noqa: N818 - it names what there is
    """Raised if more files are found than the limit allows."""


class Problem(NamedTuple):
    """A file that could not be read, and why; the run continues and ends with exit status 2."""

    path: str
    message: str


class Skipped(NamedTuple):
    """A file or folder (with a trailing slash) that is not read, and why."""

    path: str
    reason: str
    """The reason why the file is not read, such as ``.gitignore``, ``exclude`` or a link that leaves the repository."""
    is_unread: bool = False
    """Whether the skipped file is a Flink file that should have been read."""


class Source(NamedTuple):
    """A file to check: its path as shown, its bytes, its file format and the evidence that it is Flink's."""

    path: str
    data: bytes
    file_format: FileFormat
    evidence: Evidence = NOTHING

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return len(self.data)

    def documents(self) -> list[Document]:
        """Return the documents that the format reads from the file."""
        return self.file_format.read(self.path, self.data)


if TYPE_CHECKING:

    class AnySource(Protocol):
        """A file to check, which a cache may know: then it is only opened for what is not remembered of it."""

        @property
        def path(self) -> str:
            """The path as shown."""
            ...

        @property
        def data(self) -> bytes:
            """The bytes of the file."""
            ...

        @property
        def size(self) -> int:
            """The number of its bytes."""
            ...

        @property
        def file_format(self) -> FileFormat:
            """The format of the file."""
            ...

        @property
        def evidence(self) -> Evidence:
            """The evidence that the file is Flink's."""
            ...

        def documents(self) -> list[Document]:
            """Return the documents of the file."""
            ...

else:  # creating a protocol takes a while
    AnySource = Source


def find(
    paths: Sequence[str],
    *,
    exclude: Sequence[str] = (),
    force_exclude: bool = False,
    root: str | None = None,
    skip: Callable[[Skipped], object] | None = None,
    read_ignores: ReadFile | None = None,
    tracked: Collection[str] = (),
    kind_of: KindOf | None = None,
    limit: int | None = None,
) -> Iterator[Source | Problem]:
    """Yield the files to check, each once and in a stable order, with a problem in place of an unreadable file.

    `exclude` are gitignore patterns relative to `root`; they do not apply to named files unless `force_exclude`. `skip`
    is called with what is not read: ignored and excluded files and folders, and links that lead out of the repository.
    `read_ignores` reads `.gitignore` files, for example those of another revision; by default they are read from the
    disk. `tracked` are files (absolute, without links above them) that git tracks and no ignore file hides. `kind_of`
    returns the kind that flint's configuration gives a file. Raises `TooMany` if more than `limit` files may be Flink's
    by their names.
    """
    seen: set[str] = set()
    skipped = skip or _unnoticed
    excluded = patterns_of(exclude) if exclude else None
    base = os.path.abspath(root or ".")
    walk = Walk(excluded, base, skipped, IgnoreFiles(read_ignores or from_disk), tracked, kind_of or _undeclared)
    for path in paths:
        top = None
        if os.path.isdir(path):
            here = os.path.realpath(path)
            top = repository_of(here) or here
            files: Iterable[str] = _walk(path, walk)
        elif force_exclude and excluded and _is_excluded(excluded, path, base):
            skipped(Skipped(path, EXCLUDED))
            files = ()
        else:
            files = (path,)
        for file in files:
            if not _new(file, seen):
                continue
            if limit is not None and len(seen) > limit:
                raise TooMany
            try:
                source = opened(file, top=top, kind=kind_of(file) if kind_of else None)
            except LeadsOut:
                skipped(Skipped(file, "a link that leads out of the repository", is_unread=True))
                continue
            if source is not None and not (top is not None and is_beside_pipelines(source, path)):
                yield source


def _undeclared(path: str) -> None:
    """Return None: no kind is declared for any file."""


def is_beside_pipelines(source: Source | Problem, top: str) -> bool:
    """Return whether a file is in a CI pipeline folder below `top` but contains no commands of a pipeline."""
    if isinstance(source, Problem) or source.file_format.kind == "shell":
        return False
    return not PIPELINE_FOLDERS.isdisjoint(os.path.relpath(source.path, top).split(os.sep)[:-1])


def _unnoticed(skipped: Skipped) -> None:
    """Ignore a skipped file."""


def _new(path: str, seen: set[str]) -> bool:
    key = os.path.abspath(path)
    if key in seen:
        return False
    seen.add(key)
    return True


def open_file(path: str, *, trust_name: bool = False) -> Source | Problem | None:
    """Return the file if a file format recognizes it, a problem if it cannot be read, None if it is not a Flink file.

    With `trust_name` the name alone is enough.
    """
    return opened(path, trust_name=trust_name)


def opened(
    path: str,
    *,
    trust_name: bool = False,
    top: str | None = None,
    kind: str | None = None,
    look: Callable[[str, bytes], object] | None = None,
) -> Source | Problem | None:
    """Read a named file or, with `top`, a file found below that folder; raise `LeadsOut` if a link leads out of it.

    `look` is called with the path and the first bytes (at most `HEAD`) of every file that can be read.
    """
    if kind == NO_KIND:
        return None
    try:
        with open_named(path) if top is None else open_found(path, top) as stream:
            head = stream.read(HEAD)
            if look is not None:
                look(path, head)
            found = _recognized(path, head, trust_name=trust_name, kind=kind)
            if found is None:
                return None
            encoding = encoding_of(head)
            if encoding != "utf-8" and not found.file_format.reads_utf16:
                return Problem(path, wrong_encoding(encoding))
            data = head + stream.read(LARGEST_FILE + 1 - len(head))
    except LeadsOut:
        raise
    except OSError as error:
        return Problem(path, (error.strerror or str(error)).lower())
    return _source(path, data, found)


def source_of(
    path: str, data: bytes, *, kind: str | None = None, recognized: Recognized | None = None
) -> Source | Problem | None:
    """Return a file with the given contents as `open_file` does; pass `recognized` if its format is already known."""
    found = recognized
    if found is None and kind != NO_KIND:
        found = _recognized(path, data[:HEAD], kind=kind)
    if found is None:
        return None
    encoding = encoding_of(data[:HEAD])
    if encoding != "utf-8" and not found.file_format.reads_utf16:
        return Problem(path, wrong_encoding(encoding))
    return _source(path, data, found)


def _recognized(path: str, data: bytes, *, trust_name: bool = False, kind: str | None = None) -> Recognized | None:
    """Return the format of a file by its path and its first bytes, or the declared `kind`."""
    if kind is not None and (declared := format_of_kind(kind, path)) is not None:
        return Recognized(declared, certain("declared in flint's configuration"))
    text = data.decode(encoding_of(data), "replace").removeprefix("\ufeff")
    odd = b"\0" in data or not text.strip()
    return recognize(path, text, trust_name=trust_name or odd)


def _source(path: str, data: bytes, found: Recognized) -> Source | Problem:
    if len(data) > LARGEST_FILE:
        return Problem(path, f"more than {LARGEST_FILE // 1024**2} MiB: too large for a Flink configuration")
    return Source(path, data, found.file_format, found.evidence)


def wrong_encoding(encoding: str) -> str:
    """Return the error message for a file with an unsupported encoding."""
    return f"is {encoding[:6].upper()}; only config.yaml can have this encoding, so save it as UTF-8"


def _walk(top: str, walk: Walk) -> Iterator[str]:
    """Yield the files below a folder in sorted order, without those that git ignores or that are excluded."""
    ignores = ignores_above(top, walk.ignore_files)
    if ignores is None:
        walk.skip(Skipped(os.path.join(top, ""), IGNORES))
        yield from _tracked_below(top, walk)
        return
    stack = [(top, ignores)]
    while stack:
        folder, ignores = stack.pop()
        listing = walk.listing(folder, ignores, is_top=folder == top)
        if listing is None:
            continue
        files, folders, ignores = listing
        yield from files
        stack.extend((one, ignores) for one in reversed(folders))


Ignores = tuple[tuple[str, "Patterns"], ...]
"""The `.gitignore` files that apply to a folder, each as a pair: the folder that contains it, and its patterns."""


Listing = tuple[list[str], list[str], Ignores]
"""The contents of a folder: the files to read, the subfolders to walk, and the ignore files that apply."""


class Walk:
    """Decides which files and folders of a walk are read and which are skipped; `find` describes the parameters."""

    def __init__(
        self,
        excluded: Patterns | None,
        base: str,
        skip: Callable[[Skipped], object],
        ignore_files: IgnoreFiles,
        tracked: Collection[str],
        kind_of: KindOf,
    ) -> None:
        self.excluded = excluded
        self.base = base
        self.skip = skip
        self.ignore_files = ignore_files
        self.tracked = tracked
        self.kind_of = kind_of

    def listing(self, folder: str, ignores: Ignores, *, is_top: bool) -> Listing | None:
        """Return the files and folders to read in a folder, given the ignore files above it.

        None if it cannot be read, or has a copy of the sources of one of Flink's own projects, which is only read if
        the walk starts there (`is_top`).
        """
        try:
            with os.scandir(folder) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.skip(Skipped(os.path.join(folder, ""), (error.strerror or str(error)).lower(), is_unread=True))
            return None
        if not is_top and any(entry.name == "pom.xml" for entry in listing):
            from flink_flint.linter.filesystem.flink_sources import flink_project_in

            project = flink_project_in(os.path.abspath(folder))
            if project is not None:
                self.skip(Skipped(os.path.join(folder, ""), f"the sources of Flink's own {project}"))
                return None
        if self.ignore_files.read is not from_disk or any(entry.name == IGNORES for entry in listing):
            ignores = (*ignores, *self.ignore_files.of(folder))
        files: list[str] = []
        folders: list[str] = []
        for entry in listing:
            path = entry.path if folder != "." else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and not is_walked(entry.name):
                continue
            if not is_folder and not is_candidate(entry.name) and self.kind_of(path) is None:
                continue
            if self.excluded is not None and _is_excluded(self.excluded, path, self.base, is_folder):
                self.skip(Skipped(os.path.join(path, "") if is_folder else path, EXCLUDED))
                continue
            if ignores and _is_ignored(ignores, path, is_folder):
                if is_folder:
                    files += _tracked_below(path, self)
                elif _real_place(path) in self.tracked:
                    if _is_file(entry):
                        files.append(path)
                    continue
                self.skip(Skipped(os.path.join(path, "") if is_folder else path, IGNORES))
                continue
            if is_folder:
                folders.append(path)
            elif _is_file(entry):
                files.append(path)
        return files, folders, ignores


def _tracked_below(folder: str, walk: Walk) -> Iterator[str]:
    """Yield the tracked files below an ignored folder that a walk would read if the folder were not ignored."""
    tracked, excluded, base = walk.tracked, walk.excluded, walk.base
    real = os.path.join(os.path.realpath(folder), "") if tracked else ""
    for place in sorted(one for one in tracked if one.startswith(real)):
        if not os.path.isfile(place):
            continue
        *parents, name = place[len(real) :].split(os.sep)
        if not is_candidate(name) or not all(map(is_walked, parents)):
            continue
        path = os.path.join(folder, *parents, name)
        above = [os.path.join(folder, *parents[: number + 1]) for number in range(len(parents))]
        if excluded is not None and (
            _is_excluded(excluded, path, base)
            or any(_is_excluded(excluded, one, base, is_folder=True) for one in above)
        ):
            walk.skip(Skipped(path, EXCLUDED))
        else:
            yield path


def _real_place(path: str) -> str:
    """Return the path with the links above it resolved."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def ignores_above(top: str, ignore_files: IgnoreFiles) -> tuple[tuple[str, Patterns], ...] | None:
    """Return the `.gitignore` patterns of the folders above `top` in its repository; None if they ignore `top`."""
    folder = os.path.abspath(top)
    if repository_of(folder) is None:
        return ()
    ignores: tuple[tuple[str, Patterns], ...] = ()
    down = list(folders_up(folder))[::-1]
    for parent, below in pairwise(down):
        ignores = (*ignores, *ignore_files.of(parent))
        if _is_ignored(ignores, below, is_folder=True):
            return None
    return ignores


class IgnoreFiles:
    """The `.gitignore` files of one run, which share one budget for matching patterns."""

    def __init__(self, read: ReadFile) -> None:
        self.read = read
        self._expressions: Expressions | None = None

    def of(self, folder: str) -> list[tuple[str, Patterns]]:
        """Return a one-element list of the folder and its ignore file's patterns; empty if it has no ignore file."""
        from flink_flint.linter.filesystem.gitignore import Expressions, read_patterns

        folder = os.path.abspath(folder)
        if (data := self.read(os.path.join(folder, IGNORES))) is None:
            return []
        if self._expressions is None:
            self._expressions = Expressions()
        return [(folder, read_patterns(data, self._expressions))]


def from_disk(path: str) -> bytes | None:
    """Return the contents of a configuration or ignore file on disk; None if it is missing or unreadable."""
    if os.path.basename(path) == IGNORES and os.path.islink(path):  # git does not follow links here either
        return None
    try:
        return read_found(path, LARGEST_SIDE_FILE + 1)
    except OSError:
        return None


def _is_ignored(ignores: tuple[tuple[str, Patterns], ...], path: str, is_folder: bool) -> bool:
    """Return whether git ignores a path in a folder that is not ignored; the innermost matching file decides."""
    absolute = os.path.abspath(path)
    for folder, patterns in reversed(ignores):
        inside = os.fsencode(absolute[len(os.path.join(folder, "")) :].replace(os.sep, "/"))
        if (verdict := patterns.verdict(inside, is_folder=is_folder)) is not None:
            return verdict
    return False


def patterns_of(exclude: Sequence[str]) -> Patterns:
    """Compile the patterns in `exclude`, which have the syntax of `.gitignore`."""
    from flink_flint.linter.filesystem import gitignore

    return gitignore.patterns_of(tuple(exclude))


def _is_excluded(excluded: Patterns, path: str, base: str, is_folder: bool = False) -> bool:
    relative = os.path.relpath(os.path.abspath(path), base)
    if relative == os.pardir or relative.startswith(os.path.join(os.pardir, "")):
        relative = os.path.abspath(path).lstrip(os.sep)
    return excluded.match(relative, is_folder=is_folder)

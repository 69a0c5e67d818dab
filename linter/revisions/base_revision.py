"""The base revision: its files are written to a temporary folder and checked there.

A finding that is not on a changed line still belongs to the change if the base does not have it, or has it less severe:
something else that changed (a deleted line, another file, flint's configuration) caused it.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from tempfile import TemporaryDirectory

from flink_flint.linter.config.flint_config import NAMES, FlintConfigFile, ReadFile
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import LARGEST_FILE, Problem, Source
from flink_flint.linter.engine.judging import Earlier
from flink_flint.linter.engine.project_files import EVERYTHING, Named, others
from flink_flint.linter.engine.rendering.rendering_inputs import LARGEST_INPUT
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.folders import CHART, KUSTOMIZATIONS
from flink_flint.linter.filesystem.reading import is_inside, read_found
from flink_flint.linter.filesystem.writing import write_scratch
from flink_flint.linter.formats import is_candidate
from flink_flint.linter.revisions.base_paths import inside_of
from flink_flint.linter.revisions.changed_lines import LINK, Blob, Changes, contents
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_BESIDE = (*NAMES, ".gitignore", "zoo.cfg", "masters", "workers", "slaves", "requirements.txt", "build.gradle")
_BESIDE_ENDINGS = (".env", ".sbt", ".tfvars", ".template", "kustomization")
"""Extensions of files without a file format of their own that provide values for those with one."""

Gather = Callable[
    [Sequence[str], "FlintConfigFile | None", "str | None", "ReadFile | None"], Iterable[Source | Problem]
]
"""A function that yields the files to check, given paths and flint's configuration.

Its arguments are paths, the named flint configuration, the folder to use as the current one, and a reader of
configuration and ignore files (None: the disk)."""


class Then(NamedTuple):
    """The parameters of a run, for checking the base revision in the same way."""

    changes: Changes
    paths: Sequence[str]
    sources: Sequence[Source]
    """The files of the run, with their current contents."""
    options: Options
    gather: Gather
    reads_project: bool = False
    """Whether the files of the project around `paths` are read too."""


class BeforeUnknown(Exception):  # noqa: N818 - the name says what is wrong
    """Raised if the base revision cannot be checked; the message says why."""


class Before(NamedTuple):
    """The results of checking the base revision in a temporary folder, which no longer exists."""

    report: Report
    folder: str
    lines: Lines
    named: Named = EVERYTHING
    """The files that the user named, if the report also covers the project around them; otherwise all files."""

    @property
    def named_paths(self) -> set[str]:
        """The paths of the named files that were read and checked."""
        return {path for path in self.report.paths if path in self.named}

    def inside(self, path: str) -> str:
        """Return the path of a file in the temporary folder, relative to the repository root, with slashes."""
        return _inside(path, self.folder)


class Lines:
    """Converts spans to line numbers as git counts them: only a line feed ends a line."""

    def __init__(self, report: Report) -> None:
        texts = {one.document.path: one.document.text for one in report.documents}
        self._ends = cache(lambda path: [place for place, character in enumerate(texts[path]) if character == "\n"])

    def of(self, path: str, span: Span) -> tuple[int, int]:
        """Return the numbers of the first and last line that `span` covers in a file."""
        ends = self._ends(path)
        start, end = span
        return bisect_left(ends, start) + 1, bisect_left(ends, max(start, end - 1)) + 1


def check_before(then: Then, processes: int | None) -> Before:
    """Check the base revision with the parameters of a run; raise `BeforeUnknown` if that is impossible."""
    with older_tree() as folder:
        report, named = _check_older(folder, then, processes)
    return Before(report, folder, Lines(report), named)


def earlier_documents(before: Before, then: Then) -> Earlier:
    """Return the base revision's documents for the files of a run, by current path and document name."""
    changes = then.changes
    inside = ((changes.inside(source.path), source.path) for source in then.sources)
    now = {path: current for path, current in inside if path is not None}
    earlier = {}
    for one in before.report.documents:
        path = before.inside(one.document.path)
        if (current := now.get(changes.renamed.get(path, path))) is not None:
            earlier[current, one.document.name] = one
    for one in before.report.rendered:
        place = _place(changes.top, before.inside(one.document.path))
        for path in (place, os.path.relpath(place)):  # as the files of this run are given
            earlier[path, one.document.name] = one
    return earlier


def _check_older(folder: str, then: Then, processes: int | None) -> tuple[Report, Named]:
    """Write the base revision to a folder and check it there; also return the files that the run is about.

    Raises `BeforeUnknown`.
    """
    changes = then.changes
    old_paths = _old_paths(changes, then.paths, then.sources)
    _write_tree(folder, changes, [""] if then.reads_project else old_paths, then.sources)
    named = [place for path in old_paths if os.path.lexists(place := _place(folder, path))]
    try:
        options = _old_flint_config(then.options, changes, folder)
        here = inside_of(os.getcwd(), changes.top)
        root = _place(folder, here or "")
        found = list(then.gather(named, options.flint_config, root, None)) if named else []
        known = {os.path.abspath(source.path) for source in found}
        if not then.reads_project:
            return check(found, options, processes=processes), EVERYTHING
        around = others(then.gather([folder], options.flint_config, root, None), known) or []
        folders = (os.path.join(place, "") for place in named if os.path.isdir(place))
        places = {os.path.abspath(source.path) for source in around}
        report = check([*found, *around], options, processes=processes)
        return report, Named(frozenset({*known, *named, *folders}), places)
    except ValueError as error:
        raise BeforeUnknown(str(error).replace(folder + os.sep, "")) from None


@contextmanager
def older_tree() -> Iterator[str]:
    """Create a temporary folder for files of the base revision and yield its path, absolute and without links."""
    with TemporaryDirectory(prefix="flint-") as temporary:
        folder = os.path.realpath(temporary)
        # flint's configuration and releases are looked up to the root of a repository, so this must look like one.
        os.mkdir(os.path.join(folder, ".git"))
        yield folder


def _place(folder: str, path: str) -> str:
    return os.path.join(folder, *path.split("/")) if path else folder


def _inside(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _old_flint_config(options: Options, changes: Changes, folder: str) -> Options:
    """Return the options, with the named flint configuration relocated to the folder of the base revision."""
    options, named = options._replace(read_config_file=None), options.flint_config
    inside = changes.inside(named.path) if named is not None and named.path is not None else None
    if named is None or inside is None:
        return options
    return options._replace(flint_config=named._replace(path=_place(folder, inside)))


def _old_paths(changes: Changes, paths: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """Return the paths to check in the base revision: the named paths that exist, and the old paths of renamed
    files."""
    named = [_reached(path, changes) for path in paths if os.path.lexists(path)]
    moved = (changes.of(source.path).old for source in sources)
    return list(dict.fromkeys(path for path in (*named, *moved) if path is not None))


def _reached(path: str, changes: Changes) -> str | None:
    """Return a named path from the root of the repository; the root itself for a folder that contains the
    repository."""
    if not os.path.isdir(path):
        return changes.inside(path)
    inside = changes.inside(path, is_folder=True)
    if inside is None and f"{changes.top}{os.sep}".startswith(os.path.join(os.path.realpath(path), "")):
        return ""
    return inside


def _write_tree(folder: str, changes: Changes, old_paths: Sequence[str], sources: Sequence[Source]) -> None:
    """Write the files of the base revision that a check of its paths may read."""
    needed = [blob for blob in _wanted(changes, old_paths) if blob.size <= LARGEST_FILE]
    same = {}
    for source in sources:
        inside = changes.inside(source.path)
        if inside is not None and inside not in changes.files and not changes.of(source.path).whole:
            same[inside] = source.data
    for path, data in same.items():  # including files of submodules, which git does not store
        _write(folder, path, data)
    fetched = []
    for blob in needed:
        if blob.path in same:
            continue
        if blob.path in changes.files or not _copied(folder, changes.top, blob.path):
            fetched.append(blob)
    write_blobs(folder, changes, fetched)


def write_blobs(folder: str, changes: Changes, blobs: Iterable[Blob]) -> None:
    """Write files of the base revision into a folder (absolute, symbolic links resolved), and nothing outside it."""
    for blob, data in contents(changes, blobs):
        if blob.mode == LINK:
            _link(folder, blob.path, os.fsdecode(data))
        else:
            _write(folder, blob.path, data)


def _wanted(changes: Changes, old_paths: Sequence[str]) -> Iterator[Blob]:
    below = tuple(f"{path}/" if path else "" for path in old_paths)
    above = {""}
    for path in old_paths:
        while path:
            path = path.rpartition("/")[0]
            above.add(path)
    rendered = _rendered_folders(changes)
    for path, blob in changes.blobs.items():
        parent, _, name = path.rpartition("/")
        is_read = is_candidate(name) or name in _BESIDE or name.endswith(_BESIDE_ENDINGS)
        is_named = is_read and (parent in above or path.startswith(below))
        if is_named or (blob.size <= LARGEST_INPUT and not rendered.isdisjoint(_folders_above(path))):
            yield blob


def _rendered_folders(changes: Changes) -> frozenset[str]:
    """Return the folders with a chart or kustomization, which may be made of files of any kind."""
    names = (CHART, *KUSTOMIZATIONS)
    return frozenset(path.rpartition("/")[0] for path in changes.blobs if path.rpartition("/")[2] in names)


def _folders_above(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path


def _copied(folder: str, top: str, path: str) -> bool:
    """Copy an unchanged file from the working tree, where git's filters have been applied."""
    source = _place(top, path)
    try:
        if os.path.islink(source):
            return False
        _write(folder, path, read_found(source, LARGEST_FILE))
    except OSError:
        return False
    return True


def _write(folder: str, path: str, data: bytes) -> None:
    place = os.path.abspath(_place(folder, path))
    # git would not create such a path but can list it: outside of the folder, or below one of its own links.
    if is_inside(os.path.dirname(place), folder) and place != folder:
        write_scratch(place, data)


def _link(folder: str, path: str, target: str) -> None:
    """Create a link to another file of the base revision; other links lead out of it and are skipped."""
    place = _place(folder, path)
    reached = os.path.normpath(os.path.join(os.path.dirname(place), target))
    # ".." after a folder name goes up from wherever another link may have led.
    steps = target.split("/")
    climbs = ".." in steps[next((place for place, step in enumerate(steps) if step != ".."), len(steps)) :]
    if os.path.isabs(target) or climbs or not reached.startswith(folder + os.sep):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    try:
        os.symlink(target, place)
    except OSError:  # Windows does not permit every user to create links
        return

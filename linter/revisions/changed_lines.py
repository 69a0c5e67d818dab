"""The lines that a change touches, from the merge base with another revision to the working tree.

The data comes from git, whose lines end at ``\\n`` alone, as do those of this module. Failures of git raise
`ChangesUnknown` with a message that says what to do.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from flink_flint.linter.filesystem import git
from flink_flint.linter.filesystem.git import GitFailed, Repository
from flink_flint.linter.revisions.base_paths import BasePaths
from flink_flint.linter.text.named_tuple import NamedTuple

_REGULAR = ("100644", "100755", "100664")
LINK = "120000"
"""The mode that git assigns to symbolic links."""
_SUBMODULE = "160000"
_MAX_ARGUMENTS = 20_000
"""The largest total length of paths in one git command; Windows limits a command line to about 32,000 characters."""

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.S)
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


class ChangesUnknown(Exception):  # noqa: N818 - the name says what is wrong
    """Raised if git cannot determine what changed; the message says why and what to do."""


class Hunk(NamedTuple):
    """A range of lines of the old file, and the lines of the new file that replace it.

    Counted as in git: from 1; if there are no lines, the start is the line before them.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int


class Change(NamedTuple):
    """The change to one file: its old path and the changed lines."""

    old: str | None
    """The path in the base revision, relative to the repository root, with forward slashes; None if the file is new."""
    hunks: tuple[Hunk, ...] = ()
    whole: bool = False
    """Whether the whole file counts as changed, because it is new or its lines cannot be compared."""

    def touches(self, first: int, last: int) -> bool:
        """Return whether any of the lines from `first` to `last` (inclusive) changed."""
        return self.whole or any(
            hunk.new_start <= last and first < hunk.new_start + hunk.new_count for hunk in self.hunks
        )

    def old_line(self, line: int) -> int | None:
        """Return the number that a line of the new file has in the old file; None if the line changed."""
        if self.whole:
            return None
        shift = 0
        for hunk in self.hunks:
            start = hunk.new_start if hunk.new_count else hunk.new_start + 1
            if line < start:
                break
            if line < start + hunk.new_count:
                return None
            shift += hunk.old_count - hunk.new_count
        return line + shift


class Blob(NamedTuple):
    """A file or link of the base revision, as git lists it."""

    path: str
    mode: str
    object: str
    size: int


class Changes(NamedTuple):
    """The changes in a repository between the merge base and the working tree."""

    paths: BasePaths
    """The mapping from working tree paths to paths in the base revision."""
    base: str
    """The commit hash of the merge base."""
    files: Mapping[str, Change]
    """The changed files by path relative to the root; for files that were not requested, only the old path is known."""
    blobs: Mapping[str, Blob]
    """The files of the base revision, by path relative to the root."""
    of_submodules: frozenset[str]
    """The files in unchanged submodules, as paths relative to the root; git does not store them in this repository."""
    removed: frozenset[str] = frozenset()
    """The files of the base that git no longer tracks, as paths relative to the root."""
    renamed: Mapping[str, str] = MappingProxyType({})
    """The new path of each renamed file, by old path."""

    @property
    def top(self) -> str:
        """The absolute path of the working tree's root, with symbolic links resolved."""
        return self.paths.top

    def inside(self, path: str, *, is_folder: bool = False) -> str | None:
        """Return `path` relative to the repository root, with links resolved as in the base; None if it is outside."""
        return self.paths.inside(path, is_folder=is_folder)

    def of(self, path: str) -> Change:
        """Return the change to a file; `path` is as the user wrote it."""
        inside = self.inside(path)
        if inside is None:
            return Change(None, whole=True)
        if self.paths.is_through_change(path):
            return Change(inside if inside in self.blobs else None, whole=True)
        if (change := self.files.get(inside)) is not None:
            return change
        if inside in self.blobs or inside in self.of_submodules:
            return Change(inside)
        return Change(None, whole=True)

    @property
    def tracked(self) -> frozenset[str]:
        """The absolute paths of the files that the change adds or modifies; git tracks them despite ignore files."""
        return frozenset(os.path.join(self.top, *path.split("/")) for path in self.files.keys() - self.removed)


def changes_since(revision: str, folder: str, files: Iterable[str]) -> Changes:
    """Return the changes in a folder's working tree since the merge base of HEAD and `revision`.

    Lines are determined for `files`. Raises `ChangesUnknown`, and ValueError for an invalid revision.
    """
    if not revision.strip() or revision.startswith("-"):
        raise ValueError(f"{revision!r} is not a revision of git")
    with _asking_git():
        repository = git.repository_at(folder)
        top = repository.top
        base = _merge_base(revision, repository)
        listed = git.run(repository, ["ls-tree", "-r", "-z", "-l", "--full-tree", base])
        tracked = os.fsdecode(git.run(repository, ["ls-files", "-z"])).split("\0")
        blobs, submodules = _tree(listed)
        git.check_attributes(repository, (*blobs, *tracked))
        statuses = dict(_statuses(git.diff(repository, ["--raw", "-z", "--no-abbrev", "-M"], base)))
        links = _links(repository, blobs)
    found = {}
    for path, status in statuses.items():
        old = status.old if status.letter != "A" else None
        found[path] = Change(old, (), not status.is_compared)
    same = frozenset(file for path in submodules - statuses.keys() for file in _unchanged_files(top, path))
    removed = frozenset(path for path, status in statuses.items() if status.letter == "D")
    paths = BasePaths(top, links, _folders(blobs), frozenset(found.keys() - removed))
    renamed = {change.old: path for path, change in found.items() if change.old and change.old != path}
    return with_lines(Changes(paths, base, found, blobs, same, removed, renamed), files)


def with_lines(changes: Changes, files: Iterable[str]) -> Changes:
    """Return `changes` with the changed lines of `files` included; raise `ChangesUnknown` if git fails."""
    requested = {inside for file in files if (inside := changes.inside(file)) is not None}
    olds = {
        path: change.old
        for path in sorted(requested)
        if (change := changes.files.get(path)) is not None and not change.whole and change.old is not None
    }
    if not olds:
        return changes
    with _asking_git():
        hunks = _hunks(git.repository_at(changes.top), changes.base, olds)
    found = {path: changes.files[path]._replace(hunks=tuple(hunks.get(path, ()))) for path in olds}
    return changes._replace(files={**changes.files, **found})


@contextmanager
def _asking_git() -> Iterator[None]:
    try:
        yield
    except GitFailed as failed:
        raise ChangesUnknown(str(failed)) from None


def _unchanged_files(top: str, submodule: str) -> Iterator[str]:
    """Yield the files that a submodule tracks, by path from `top`, if none differs from its commit.

    Submodules within it are compared in the same way. Running git inside the submodule would apply the submodule's
    configuration.
    """
    place = os.path.join(top, *submodule.split("/"))
    if not os.path.lexists(os.path.join(place, ".git")):
        return  # the submodule is not checked out
    try:
        inner = git.repository_at(place)
        if inner.top != os.path.realpath(place):
            return
        rows = os.fsdecode(git.run(inner, ["ls-files", "-z", "--stage"])).split("\0")[:-1]
        tracked = {path: facts for facts, _, path in (row.partition("\t") for row in rows)}
        git.check_attributes(inner, tracked)
        if git.diff(inner, ["--raw", "-z"], "HEAD"):
            return
    except GitFailed:
        return
    for path, facts in tracked.items():
        within: Iterable[str] = _unchanged_files(inner.top, path) if facts.startswith(_SUBMODULE) else (path,)
        yield from (f"{submodule}/{one}" for one in within)


def _merge_base(revision: str, repository: Repository) -> str:
    advice = (
        "get the history first: `fetch-depth: 0` (actions/checkout), `GIT_DEPTH: 0` (GitLab), git fetch --unshallow"
    )
    try:
        return git.run(repository, ["merge-base", "--end-of-options", revision, "HEAD"]).decode().strip()
    except GitFailed as failed:
        if str(failed):
            raise ChangesUnknown(f"{failed}; if the revision is right, {advice}") from None
        shallow = git.run(repository, ["rev-parse", "--is-shallow-repository"]).strip() == b"true"
        why = f"{revision} and HEAD have no common commit" + (" in this shallow clone" if shallow else "")
        raise ChangesUnknown(f"{why}; {advice}" if shallow else why) from None


class _Status(NamedTuple):
    letter: str
    old: str
    modes: tuple[str, str]

    @property
    def is_compared(self) -> bool:
        """Return whether old and new are files whose lines can be compared; one that is not there has no such mode."""
        return all(mode in _REGULAR for mode in self.modes)


def _statuses(raw: bytes) -> Iterator[tuple[str, _Status]]:
    fields = iter(raw.split(b"\0")[:-1])
    for field in fields:
        before, after, _, _, letter = field.decode("ascii").lstrip(":").split(" ")
        old = os.fsdecode(next(fields))
        new = os.fsdecode(next(fields)) if letter[0] == "R" else old
        if letter[0] == "U":  # an unmerged file; the next line compares it
            continue
        yield new, _Status(letter[0], old, (before, after))


def _tree(listing: bytes) -> tuple[dict[str, Blob], set[str]]:
    blobs: dict[str, Blob] = {}
    submodules: set[str] = set()
    for row in listing.split(b"\0")[:-1]:
        facts, _, name = row.partition(b"\t")
        mode, _, identifier, size = facts.decode("ascii").split()
        path = os.fsdecode(name)
        if mode == _SUBMODULE:
            submodules.add(path)
        else:
            if not size.isdigit():
                raise GitFailed(
                    "objects are missing, as in a partial clone, and flint fetches none; "
                    "get them first: git fetch --refetch --no-filter"
                )
            blobs[path] = Blob(path, mode, identifier, int(size))
    return blobs, submodules


def _links(repository: Repository, blobs: Mapping[str, Blob]) -> dict[str, str]:
    """Return the targets of the links in the base, by path."""
    links = [blob for blob in blobs.values() if blob.mode == LINK]
    targets = git.blobs(repository, ((blob.object, blob.path) for blob in links))
    return {blob.path: os.fsdecode(data) for blob, data in zip(links, targets, strict=False) if data is not None}


def _folders(paths: Iterable[str]) -> frozenset[str]:
    """Return the folders above paths."""
    folders: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders.add(path)
    return frozenset(folders)


def _hunks(repository: Repository, base: str, old_paths: Mapping[str, str]) -> dict[str, list[Hunk]]:
    """Return the hunks of files by new path; `old_paths` has the old path of each."""
    options = ["-U0", "--inter-hunk-context=0", "-M", "--text", "--src-prefix=a/", "--dst-prefix=b/"]
    found: dict[str, list[Hunk]] = {}
    batch: dict[str, None] = {}
    for path, old in old_paths.items():
        if sum(map(len, batch)) > _MAX_ARGUMENTS:
            found.update(read_patch(git.diff(repository, options, base, batch)))
            batch = {}
        batch |= {old: None, path: None}
    if batch:
        found.update(read_patch(git.diff(repository, options, base, batch)))
    return found


def read_patch(patch: bytes) -> dict[str, list[Hunk]]:
    """Return the hunks of a patch that has no context lines, by the new path of each file."""
    found: dict[str, list[Hunk]] = defaultdict(list)
    path: str | None = None
    left = 0
    for line in patch.split(b"\n"):
        if left and line[:1] in (b"+", b"-"):
            left -= 1
        elif line.startswith(b"diff --git "):
            path = None
        elif line.startswith(b"+++ "):
            path = _named(line[4:])
        elif path is not None and (match := _HUNK.match(line)):
            old_start, old_count, new_start, new_count = (1 if part is None else int(part) for part in match.groups())
            found[path].append(Hunk(old_start, old_count, new_start, new_count))
            left = old_count + new_count
    return dict(found)


def _named(spelled: bytes) -> str | None:
    """Return the path in a header line of a patch; None if there is no file."""
    if spelled.startswith(b'"'):
        spelled = _ESCAPE.sub(_unescaped, spelled.rstrip(b"\t")[1:-1])
    else:
        spelled = spelled.removesuffix(b"\t")
    return None if spelled == b"/dev/null" else os.fsdecode(spelled.removeprefix(b"b/"))


def _unescaped(match: re.Match[bytes]) -> bytes:
    word = match[1]
    return bytes([int(word, 8)]) if len(word) == 3 else _ESCAPES.get(word, word)


def contents(changes: Changes, blobs: Iterable[Blob]) -> Iterator[tuple[Blob, bytes]]:
    """Yield files of the base with their contents as a checkout would write them, but without applying filters.

    Files that git cannot provide are omitted.
    """
    requested = list(blobs)
    if not requested:
        return
    with _asking_git():
        repository = git.repository_at(changes.top)
        git.check_attributes(repository, (blob.path for blob in requested))
        for blob, data in zip(
            requested, git.blobs(repository, ((one.object, one.path) for one in requested)), strict=False
        ):
            if data is not None:
                yield blob, data

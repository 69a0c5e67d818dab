"""Which files to read: the named ones, and those that a walk of the named folders finds.

A walk keeps away from what `.gitignore` files and `exclude` patterns name, from hidden folders and from
symbolic links to folders (so that a loop of links ends). A file counts when a carrier recognises it by
its name or by its first characters.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from linter.carriers import carrier_of, is_candidate
from linter.document import Carrier
from linter.record import NamedTuple
from linter.repository import folders_up, repository_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LARGEST_FILE = 10 * 1024 * 1024
"""Bytes; a larger file is no configuration of Flink, and reading it would only take time."""

HEAD = 64 * 1024
"""Bytes of a file that are looked at to recognise it."""

SKIPPED_FOLDERS = {"node_modules", "__pycache__", "target", "build", "dist", "venv"}


class Problem(NamedTuple):
    """A file that could not be read, and why; the run goes on and ends with exit status 2."""

    path: str
    message: str


class Source(NamedTuple):
    """A file to check: its path as shown, its bytes and its carrier."""

    path: str
    data: bytes
    carrier: Carrier


def find(
    paths: Sequence[str],
    *,
    exclude: Sequence[str] = (),
    force_exclude: bool = False,
    root: str | None = None,
    note: Callable[[str], None] | None = None,
) -> Iterator[Source | Problem]:
    """The files to check, in a stable order, each once; problems stand where the file would.

    `exclude` are gitignore patterns relative to `root`; named files escape them unless `force_exclude`. A file that
    is read with a library which is not installed is a problem where it was named, else passed over; `note` is then
    told so, once for each library.
    """
    told: set[str] = set()
    seen: set[str] = set()
    excluded = _spec(exclude) if exclude else None
    base = os.path.abspath(root or ".")
    for path in paths:
        if os.path.isdir(path):
            files: Iterable[str] = _walk(path, excluded, base)
        else:
            files = () if force_exclude and excluded and _matches(excluded, path, base) else (path,)
        for file in files:
            if not _new(file, seen):
                continue
            source = _opened(file, named=file == path)
            if isinstance(source, Unreadable):
                if file == path:
                    yield Problem(file, f"needs {source.needs}")
                elif note is not None and source.needs not in told:
                    told.add(source.needs)
                    note(f"passed over {file} and others of its kind, which need {source.needs}")
            elif source is not None:
                yield source


def _new(path: str, seen: set[str]) -> bool:
    key = os.path.abspath(path)
    if key in seen:
        return False
    seen.add(key)
    return True


class Unreadable(NamedTuple):
    """A file of a kind that is read with a library which is not installed."""

    path: str
    needs: str


def open_file(path: str, *, trust_name: bool = False, named: bool = False) -> Source | Problem | None:
    """The file if a carrier recognises it, a problem if it cannot be read, None if it is not Flink's.

    With `trust_name` the name alone is enough. A file that was `named` on the command line is also read if it
    has the name of Flink's file and is broken, since nothing in it can then be recognised.
    """
    opened = _opened(path, trust_name=trust_name, named=named)
    return Problem(path, f"needs {opened.needs}") if isinstance(opened, Unreadable) else opened


def _opened(path: str, *, trust_name: bool = False, named: bool) -> Source | Problem | Unreadable | None:
    try:
        with open(path, "rb") as stream:
            head = stream.read(HEAD)
            text = head.decode("utf-8", "replace")
            odd = b"\0" in head or not text.strip()
            name = os.path.basename(path)
            carrier = carrier_of(name, text, trust_name=trust_name or odd)
            doubtful = carrier is None and named
            if doubtful:
                carrier = carrier_of(name, text, trust_name=True)
            if carrier is None:
                return None
            if (needs := carrier.missing()) is not None:
                return Unreadable(path, needs)
            data = head + stream.read(LARGEST_FILE + 1 - len(head))
    except OSError as error:
        return Problem(path, (error.strerror or str(error)).lower())
    if len(data) > LARGEST_FILE:
        return Problem(path, f"more than {LARGEST_FILE // 1024**2} MiB: too large for a Flink configuration")
    if doubtful and not _is_refused(carrier, path, data):
        return None
    return Source(path, data, carrier)


def _is_refused(carrier: Carrier, path: str, data: bytes) -> bool:
    """Whether Flink would refuse a file that has its name but none of its keys, and no template is to blame.

    A file too large to be read in full counts as well: what nobody has read may hold anything.
    """
    documents = carrier.read(path, data)
    if any(document.is_in_part for document in documents):
        return True
    reasons = [refusal.reason for document in documents for refusal in document.refusals]
    return bool(reasons) and "template" not in reasons


def _walk(top: str, excluded: "GitIgnoreSpec | None", base: str) -> Iterator[str]:
    """Files below a folder by name, sorted, without what git ignores and what is excluded."""
    stack: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [(top, _ignores_above(top))]
    while stack:
        folder, ignores = stack.pop()
        try:
            with os.scandir(folder) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        if any(entry.name == ".gitignore" for entry in listing):
            ignores = (*ignores, *_ignore_file(folder))
        folders = []
        for entry in listing:
            path = entry.path if folder != "." else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and (entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS):
                continue
            if not is_folder and not is_candidate(entry.name):
                continue
            if excluded is not None and _matches(excluded, path, base, is_folder):
                continue
            if any(_matches(spec, path, where, is_folder) for where, spec in ignores):
                continue
            if is_folder:
                folders.append((path, ignores))
            elif entry.is_file():
                yield path
        stack.extend(reversed(folders))


def _ignores_above(top: str) -> "tuple[tuple[str, GitIgnoreSpec], ...]":
    """The `.gitignore` files between a folder and the root of its repository."""
    folder = os.path.abspath(top)
    if repository_of(folder) is None:
        return ()
    _, *above = folders_up(folder)
    return tuple(found for parent in reversed(above) for found in _ignore_file(parent))


def _ignore_file(folder: str) -> "list[tuple[str, GitIgnoreSpec]]":
    try:
        with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace") as stream:
            return [(os.path.abspath(folder), _spec(stream.read().splitlines()))]
    except OSError:
        return []


def _spec(patterns: Sequence[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec as Spec

    return Spec.from_lines(patterns)


def _matches(spec: "GitIgnoreSpec", path: str, base: str, is_folder: bool = False) -> bool:
    relative = os.path.relpath(os.path.abspath(path), base)
    if relative.startswith(".."):
        relative = os.path.abspath(path).lstrip(os.sep)
    return bool(spec.match_file(relative + "/" if is_folder else relative))

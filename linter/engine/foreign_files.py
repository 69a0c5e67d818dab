"""The files of a project that are known not to be Flink's, so that they need not be opened again.

A file is known by its size and its time of modification, and by what around it counts as evidence. Only the user's
cache directory is believed. What it says is checked for its form, and a wrong entry can only hide a file whose size and
time it names exactly.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Any

from flink_flint.linter import __version__
from flink_flint.linter.filesystem.user_cache import cache_file, read_cache, write_cache
from flink_flint.linter.formats.surroundings import around_folder

TOO_RECENT = 2_000_000_000
"""A file that was modified less than this many nanoseconds ago may change again without another time."""

Marks = tuple[int, int]
"""The size of a file in bytes and its time of modification in nanoseconds."""

_Folders = dict[str, tuple[str, dict[str, Marks]]]


class ForeignFiles:
    """What is known of the files below the root of a project, from earlier runs."""

    def __init__(self, root: str) -> None:
        self._root = os.path.abspath(root)
        self._file = cache_file(root, __version__)
        self._earlier: _Folders = _checked(None if self._file is None else read_cache(self._file))
        self._now: _Folders = {}
        self._is_changed = False
        self._marks: Marks | None = None

    def knows(self, path: str) -> bool:
        """Return whether a file is known not to be Flink's; otherwise remember its marks for `add`."""
        self._marks = marks = _marks(path)
        if marks is None:
            return False
        folder, name = self._split(path)
        around, names = self._earlier.get(folder, ("", {}))
        if names.get(name) != marks or around != around_folder(os.path.join(self._root, folder)):
            return False
        self._names(folder)[name] = marks
        return True

    def add(self, path: str) -> None:
        """Remember that the file that `knows` was asked for last is not Flink's."""
        if self._marks is None or time.time_ns() - self._marks[1] < TOO_RECENT:
            return
        folder, name = self._split(path)
        self._names(folder)[name] = self._marks
        self._is_changed = True

    def save(self) -> None:
        """Write what is known now, if it is more than before."""
        if self._is_changed and self._file is not None:
            write_cache(self._file, {folder: [around, names] for folder, (around, names) in self._now.items()})

    def _names(self, folder: str) -> dict[str, Marks]:
        known = self._now.get(folder)
        if known is None:
            known = self._now[folder] = (around_folder(os.path.join(self._root, folder)), {})
        return known[1]

    def _split(self, path: str) -> tuple[str, str]:
        folder, name = os.path.split(os.path.abspath(path))
        return folder.removeprefix(self._root).lstrip(os.sep), name


def _marks(path: str) -> Marks | None:
    """Return the marks of a regular file; None for others and for links, whose targets change on their own."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def _checked(content: Any) -> _Folders:
    """Return the content of a cache file; empty if any of it has another form."""
    try:
        return {
            folder: (
                _text(around),
                {name: (_number(size), _number(changed)) for name, (size, changed) in names.items()},
            )
            for folder, (around, names) in content.items()
        }
    except (AttributeError, TypeError, ValueError):
        return {}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value

"""Caches of folder and file contents for one run, and the file names that identify kinds of folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import count, islice
from typing import ParamSpec, TypeVar

CHART = "Chart.yaml"
"""The name of the file that makes a folder a Helm chart."""

VALUES = "values.yaml"
"""The name of the file with a chart's own values."""

TEMPLATES = "templates"
"""The name of the folder with a chart's templates."""

DOCKERFILES = ("Dockerfile", "dockerfile", "Containerfile")
"""The file names that a Dockerfile may have."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The file names that make a folder a kustomization, in the order in which kustomize looks for them."""

SKIPPED_FOLDERS = ("node_modules", "__pycache__", "target", "build", "dist", "venv", "cdk.out")
"""The names of folders with what is built or installed, which no walk enters."""

PIPELINE_FOLDERS = {".github", ".gitlab", ".circleci", ".buildkite", ".azure-pipelines", ".woodpecker"}
"""The names of hidden folders with the pipelines of CI systems."""

P = ParamSpec("P")
T = TypeVar("T")

_FORGET: list[Callable[[], None]] = []

_recorders: list[set[str]] = []


def looked_at(path: str) -> None:
    """Add a file or folder to the active recordings, because a result depends on it."""
    for recorder in _recorders:
        recorder.add(path)


class recording:  # noqa: N801 - used as a function is
    """Collects the paths of the files and folders that a `with` block reads, including missing ones."""

    def __enter__(self) -> set[str]:
        self._found: set[str] = set()
        _recorders.append(self._found)
        return self._found

    def __exit__(self, *error: object) -> None:
        _recorders.pop()


def is_recording() -> bool:
    """Return whether a recording of accessed files is active, during which no cached result may be used."""
    return bool(_recorders)


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Cache the results of a function that reads files; `forget` clears the cache."""
    cached = cache(function)
    _FORGET.append(cached.cache_clear)
    return cached  # type: ignore[return-value]


def forget() -> None:
    """Clear all caches that depend on files, because a file may have changed."""
    for clear in _FORGET:
        clear()


def absolute_path(path: str) -> str:
    """Return the absolute path that `os.path.abspath` returns, faster where it is asked for again and again."""
    return _absolute(path, os.getcwd())


@remembered
def _absolute(path: str, here: str) -> str:
    return os.path.normpath(os.path.join(here, path))


def is_walked(folder: str) -> bool:
    """Return whether a walk enters folders with the name of `folder`: not those that are hidden or have what is built.

    Of hidden folders it enters those with the pipelines of a CI system.
    """
    return folder in PIPELINE_FOLDERS or not (folder.startswith(".") or folder in SKIPPED_FOLDERS)


class _Tree:
    """The folders that a walk enters, each with the sorted names of its files; listed once, as far as somebody asks."""

    def __init__(self, top: str) -> None:
        self._listed: list[tuple[str, list[str]]] = []
        self._rest = self._walk(top)

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        for number in count():
            if number == len(self._listed):
                self._listed += islice(self._rest, 1)
            if number == len(self._listed):
                return
            yield self._listed[number]

    @staticmethod
    def _walk(top: str) -> Iterator[tuple[str, list[str]]]:
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(filter(is_walked, folders))
            yield folder, sorted(names)


@remembered
def _tree(top: str) -> _Tree:
    return _Tree(top)


def walked(top: str, most: int) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and those below it, up to a number, as a walk enters them; each with the names of its files.

    A folder comes before those in it, and both are in sorted order.
    """
    return islice(_tree(top), most)


def folders_below(top: str, most: int, without: Collection[str] = ()) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and those below it, in sorted order and up to a number, with the names of their files.

    Hidden folders, those that no walk enters, and folders named in `without` are left out.
    """
    left_out: set[str] = set()
    for folder, names in walked(top, most):
        above, _, name = folder.rpartition(os.sep)
        if folder != top and (above in left_out or name[0] == "." or name in without):
            left_out.add(folder)
        else:
            yield folder, names


@remembered
def names_in(folder: str) -> frozenset[str]:
    """Return the names of a folder's files and folders; empty if it cannot be read."""
    looked_at(folder)
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()

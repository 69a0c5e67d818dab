"""Finds the repository that contains a folder by its `.git` folder or, in a linked working tree, its `.git` file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from flink_flint.linter.filesystem.folders import remembered


def repository_of(folder: str) -> str | None:
    """Return the root of the repository that contains `folder`, an absolute path; None if there is none."""
    *_, top = folders_up(folder)
    return top if _is_root(top) else None


def trees_of(paths: Iterable[str]) -> set[str]:
    """Return the roots of the repositories that contain files or the current folder; outside of one, the folder."""
    folders = {os.path.realpath(os.path.dirname(os.path.abspath(path))) for path in paths}
    here = repository_of(os.path.realpath(os.curdir))
    return {repository_of(folder) or folder for folder in folders} | ({here} if here is not None else set())


def folders_up(folder: str) -> Iterator[str]:
    """Yield the folder at an absolute path and its parents, up to the root of the repository or of the file system."""
    yield folder
    while not _is_root(folder) and (parent := os.path.dirname(folder)) != folder:
        folder = parent
        yield folder


def folders_near(folder: str, above: int) -> Iterator[str]:
    """Yield a folder (absolute path) and up to `above` parents in its repository; outside of one, only the folder."""
    return islice(folders_up(folder), 1 if repository_of(folder) is None else 1 + above)


@remembered
def _is_root(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))

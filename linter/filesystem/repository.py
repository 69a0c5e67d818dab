"""Finds the repository that contains a folder, by the `.git` folder or (in a linked working tree) file at its root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice


def repository_of(folder: str) -> str | None:
    """Return the root of the repository that contains an absolute folder; None if there is none."""
    *_, top = folders_up(folder)
    return top if _is_root(top) else None


def folders_up(folder: str) -> Iterator[str]:
    """Yield an absolute folder and its parents, up to the root of the repository or of the file system."""
    yield folder
    while not _is_root(folder) and (parent := os.path.dirname(folder)) != folder:
        folder = parent
        yield folder


def folders_near(folder: str, above: int) -> Iterator[str]:
    """Yield an absolute folder and up to `above` folders above it in its repository; without one the folder alone."""
    return islice(folders_up(folder), 1 if repository_of(folder) is None else 1 + above)


def _is_root(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))

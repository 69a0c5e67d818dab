"""The repository that a folder is in: where git has its own folder, or in a linked working tree its file."""

from __future__ import annotations

import os
from collections.abc import Iterator


def repository_of(folder: str) -> str | None:
    """The root of the repository around an absolute folder; None where there is none."""
    *_, top = folders_up(folder)
    return top if _is_root(top) else None


def folders_up(folder: str) -> Iterator[str]:
    """An absolute folder and those above it, up to the root of its repository, or of the disk where there is none."""
    yield folder
    while not _is_root(folder) and (parent := os.path.dirname(folder)) != folder:
        folder = parent
        yield folder


def _is_root(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))

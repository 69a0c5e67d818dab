"""What a run remembers of folders and files, and the files by which it recognizes a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

CHART = "Chart.yaml"
"""The file that makes a folder a Helm chart."""

DOCKERFILES = ("Dockerfile", "dockerfile", "Containerfile")
"""The names of the file that an image is built from."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names of the file that makes a folder a kustomization, in the order in which kustomize looks for them."""

P = ParamSpec("P")
T = TypeVar("T")

_FORGET: list[Callable[[], None]] = []

_recorders: list[set[str]] = []


def looked_at(path: str) -> None:
    """Record, if somebody records it, that a result depends on a file or on the names in a folder."""
    for recorder in _recorders:
        recorder.add(path)


class recording:  # noqa: N801 - used as a function is
    """Context manager that collects the paths of the files and folders that are looked at, also of missing ones."""

    def __enter__(self) -> set[str]:
        self._found: set[str] = set()
        _recorders.append(self._found)
        return self._found

    def __exit__(self, *error: object) -> None:
        _recorders.pop()


def is_recording() -> bool:
    """Return whether somebody records what is looked at, so that nothing may come from memory."""
    return bool(_recorders)


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Cache the results of a function that depend on files, until `forget` is called."""
    cached = cache(function)
    _FORGET.append(cached.cache_clear)
    return cached  # type: ignore[return-value]


def forget() -> None:
    """Discard what is remembered, because a file may have changed; a run of the command reads each only once."""
    for clear in _FORGET:
        clear()


@remembered
def names_in(folder: str) -> frozenset[str]:
    """Return the names of a folder's files and folders; empty if it cannot be read."""
    looked_at(folder)
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()

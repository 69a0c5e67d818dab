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
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()

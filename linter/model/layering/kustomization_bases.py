"""Which folders and files a kustomization builds on, read from its text alone."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS, remembered
from flink_flint.linter.filesystem.reading import found_text, path_in_repository
from flink_flint.linter.filesystem.repository import repository_of


@remembered
def bases_of(folder: str) -> Collection[str]:
    """Return the folders and files that a kustomization names, directly and through other kustomizations."""
    named: dict[str, None] = {}
    seen: set[str] = set()
    stack = [folder]
    while stack:
        folder = stack.pop()
        if folder in seen or len(seen) > 100:
            continue
        seen.add(folder)
        for resource in _resources(folder):
            if repository_of(folder) is not None and path_in_repository(folder, resource) is None:
                continue  # a file of the repository must not make flint read files outside of it
            path = os.path.normpath(os.path.join(folder, resource))
            named[path] = None
            if os.path.isdir(path):
                stack.append(path)
    return named


@remembered
def _resources(folder: str) -> list[str]:
    """Return the resources, bases and components that the kustomization of a folder lists."""
    for name in KUSTOMIZATIONS:
        if (text := found_text(os.path.join(folder, name))) is None:
            continue
        blocks = re.findall(
            r"^(?:resources|bases|components):[ \t]*\r?\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\r?\n?)*)", text, re.M
        )
        return [
            item.strip().strip("\"'")
            for block in blocks
            for item in re.findall(r"^[ \t]*-[ \t]*([^#\r\n]+)", block, re.M)
        ]
    return []

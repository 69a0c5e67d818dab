"""Finds the kustomizations of a repository that are deployed, rather than included by other kustomizations."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees

if TYPE_CHECKING:
    from flink_flint.linter.formats.kustomize.build import Read

_REFERENCES = ("resources", "bases", "components")
_MAX_REACHED = 1_000


def overlays(paths: Iterable[str], read: Read) -> list[str]:
    """Return the folders of the kustomizations, except components, that no other kustomization includes.

    `paths` are those of the files of a repository, with ``/``. The folder of the repository itself is empty. A
    kustomization that cannot be parsed contains nothing. Kustomizations that contain each other are left out.
    """
    folders = {posixpath.dirname(path): path for path in sorted(paths) if posixpath.basename(path) in KUSTOMIZATIONS}
    contained: set[str] = set()
    for folder, path in folders.items():
        root = _root(read(path))
        if root is None:
            continue
        if root.string("kind") == "Component":
            contained.add(folder)
        contained |= _contained(folder, root)
    return sorted(folder for folder in folders if folder not in contained)


def reached(folder: str, read: Read) -> set[str]:
    """Return `folder` and the folders and files that its kustomization includes, directly or indirectly.

    Among them are the folders of the Helm charts that it renders.
    """
    found = {folder}
    stack = [folder]
    while stack and len(found) < _MAX_REACHED:
        place = stack.pop()
        named = (posixpath.join(place, name) for name in KUSTOMIZATIONS)
        data = next((data for path in named if (data := read(path)) is not None), None)
        root = _root(data)
        more = (_contained(place, root) | _charts(place, root)) - found if root is not None else set[str]()
        found |= more
        stack += sorted(more)
    return found


def _charts(folder: str, root: Value) -> set[str]:
    """Return the folders with the Helm charts of a kustomization."""
    named = root.get("helmCharts")
    home = root.string("helmGlobals", "chartHome") or "charts"
    return {
        posixpath.normpath(posixpath.join(folder, home, item.string("name") or ""))
        for item in (named.items() if named is not None else ())
    }


@lru_cache(maxsize=1_000)
def _root(data: bytes | None) -> Value | None:
    text = (data or b"").decode("utf-8-sig", "replace")
    return next((tree.root for tree in read_trees(text, is_rendered=False) if tree.root is not None), None)


def _contained(folder: str, root: Value) -> set[str]:
    found: set[str] = set()
    for key in _REFERENCES:
        named = root.get(key)
        for item in named.items() if named is not None else ():
            path = posixpath.normpath(posixpath.join(folder, item.text or "."))
            found.add("" if path == "." else path)
    return found - {folder}

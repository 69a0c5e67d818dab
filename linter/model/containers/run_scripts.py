"""Finds the shell scripts of the repository that a container runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element


def scripts_run_by(container: Element, document: Document, scripts: Sequence[Document]) -> list[Document]:
    """Return those of `scripts` that the command line of a container names, by the volume or name of the file.

    A script that no volume contains is found by its name if the run has one file of that name: the build of the image
    copies it.
    """
    found: list[Document] = []
    for argument in container.listed("args"):
        for word in str(argument.value).split():
            path = word.strip("\"';")
            if path.endswith(".sh"):
                found += _at(path, container, document, scripts)
    return found


def _at(path: str, container: Element, document: Document, scripts: Sequence[Document]) -> list[Document]:
    places = set(_places(path, container, document))
    mounted = [one for one in scripts if os.path.abspath(one.path) in places]
    if mounted:
        return mounted
    named = [one for one in scripts if one.file_name == os.path.basename(path)]
    return named if len({one.path for one in named}) == 1 else []


def _places(path: str, container: Element, document: Document) -> Iterator[str]:
    """Yield the paths in the repository of what is at a path in a container."""
    for volume in container.items("volumes"):
        source, target = volume.value("source"), volume.value("target")
        if not (isinstance(source, str) and isinstance(target, str)) or not source.startswith((".", "/")):
            continue
        mounted = target.rstrip("/")
        if path == mounted or path.startswith(f"{mounted}/"):
            yield os.path.abspath(document.absolute(source + path[len(mounted) :]))

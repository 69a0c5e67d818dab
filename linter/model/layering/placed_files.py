"""The files that containers mount or that builds copy into images, under whatever name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.containers.mounts import copies_of
from flink_flint.linter.model.document import Document

_CONFIGURATION = "conf"
"""Part of the path of each folder with configuration; a folder that is copied elsewhere is one of sources."""


def placed_files(files: Sequence[Document], documents: Sequence[Document]) -> frozenset[int]:
    """Return the ids of those of `files` that a container or image of `documents` has from the repository."""
    places = {place for document in documents for place in _places(document)}
    return frozenset(
        id(file)
        for file in files
        for path in (os.path.abspath(file.path),)
        if path in places or os.path.dirname(path) in places
    )


def _places(document: Document) -> Iterator[str]:
    """Yield the absolute paths of what a document mounts or copies: files, and folders of configuration."""
    for element in document.elements_of(("container", "image")):
        placed = [(copy.path, copy.target) for copy in copies_of(document, element)]
        for volume in element.items("volumes"):
            source, target = volume.value("source"), volume.value("target")
            if isinstance(source, str) and isinstance(target, str):
                placed.append((document.absolute(source), target))
        for path, target in placed:
            if _CONFIGURATION in target or os.path.splitext(path)[1] in (".properties", ".xml"):
                yield path.rstrip("/")

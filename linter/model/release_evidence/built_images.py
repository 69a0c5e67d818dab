"""The Dockerfiles of a repository that build the images that its manifests name."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element

_OFFICIAL = ("flink", "")


def dockerfiles_by_image(documents: Iterable[Document]) -> Mapping[str, Document]:
    """Return the document of the Dockerfile that builds an image, by the last segment of the image's name.

    A Compose service with ``image`` and ``build`` says so; otherwise the name of the Dockerfile (``Dockerfile.orders``)
    or of its folder is that of the image. Images that several Dockerfiles may build are left out.
    """
    documents = [document for document in documents if document.kind == "compose"]
    files = {os.path.abspath(one.path): one for one in documents if any(e.kind == "image" for e in one.elements)}
    found: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for element in document.elements:
            dockerfile = element.value("dockerfile")
            if element.kind == "container" and isinstance(dockerfile, str) and (name := image_name(element)):
                found[name].add(os.path.normpath(os.path.join(os.path.abspath(document.directory), dockerfile)))
    for path in files:
        for name in _names_of(path):
            found[name].add(path)
    sole = {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1}
    return {name: files[path] for name, path in sole.items() if path in files}


def image_name(container: Element) -> str | None:
    """Return the last segment of the name of a container's image; None if it is unknown or Flink's own image."""
    image = container.value("image")
    if not isinstance(image, str):
        return None
    name = re.split(r"[:@]", image.rpartition("/")[2])[0]
    return None if name in _OFFICIAL else name


def _names_of(path: str) -> Iterator[str]:
    """Yield the names of images that a Dockerfile builds by its own name or that of its folder."""
    folder, name = os.path.split(path)
    if name in ("Dockerfile", "Containerfile"):
        yield os.path.basename(folder)
        return
    stem, _, ending = name.partition(".")
    yield stem if ending.lower() == "dockerfile" else ending

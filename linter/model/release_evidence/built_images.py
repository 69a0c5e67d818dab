"""The Dockerfiles of a repository that build the images that its manifests name."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from flink_flint.linter.flink.deployment.image_names import repository_name
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element

_OFFICIAL = ("flink", "")


class BuiltImages:
    """The Dockerfiles of a run, by the images that they build."""

    def __init__(self, documents: Iterable[Document]) -> None:
        """Take the documents of the run.

        A Compose service with ``image`` and ``build`` says what builds an image; otherwise the name of the Dockerfile
        (``Dockerfile.orders``) or of its folder is that of the image. Images that several Dockerfiles may build are
        left out.
        """
        documents = [document for document in documents if document.kind == "compose"]
        self._files = {os.path.abspath(one.path): one for one in documents if one.elements_of(("image",))}
        found: dict[str, set[str]] = defaultdict(set)
        for document in documents:
            for container in document.elements_of(("container",)):
                if (path := _named(document, container)) and (name := image_name(container)):
                    found[name].add(path)
        for path in self._files:
            for name in _names_of(path):
                found[name].add(path)
        self._by_name = {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1}

    def dockerfile_of(self, document: Document) -> Document | None:
        """Return the Dockerfile that builds the image of a document's containers; None if missing or ambiguous.

        A Dockerfile of another minor release than the image's name does not build it.
        """
        containers = document.elements_of(("container",))
        paths = {self._path_of(document, container) for container in containers}
        if not containers:
            paths = {self._by_name.get(name) for name in _images_of_resource(document)}
        (path,) = paths if len(paths) == 1 else (None,)
        found = self._files.get(path) if path is not None else None
        return found if found is not None and _may_be_same(document.release, found.release) else None

    def _path_of(self, document: Document, container: Element) -> str | None:
        """Return the path of the Dockerfile that a service names, or that alone builds the image of a container."""
        if container.has("other-build"):
            return None
        if container.has("dockerfile"):
            return _named(document, container)
        name = image_name(container)
        return None if name is None else self._by_name.get(name)


def image_name(container: Element) -> str | None:
    """Return the last segment of the name of a container's image; None if it is unknown or Flink's own image."""
    return _last_segment(container.value("image"))


def _last_segment(image: object) -> str | None:
    if not isinstance(image, str):
        return None
    name = repository_name(image)
    return None if name in _OFFICIAL else name


def _images_of_resource(document: Document) -> Sequence[str]:
    """Return the name of the image that a custom resource states for all of its processes."""
    return [
        name
        for element in document.elements_of(("kubernetes-object",))
        if (name := _last_segment(element.value("spec.image"))) is not None
    ]


def _named(document: Document, container: Element) -> str | None:
    """Return the absolute path of the Dockerfile that a service names."""
    dockerfile = container.value("dockerfile")
    return document.absolute(dockerfile) if isinstance(dockerfile, str) else None


def _may_be_same(one: tuple[str, str] | None, other: tuple[str, str] | None) -> bool:
    """Return whether two releases may be of one minor release; True if either is unknown or a range."""
    if one is None or other is None:
        return True
    try:
        return parse_release(one[0]).name == parse_release(other[0]).name
    except ValueError:
        return True


def _names_of(path: str) -> Iterator[str]:
    """Yield the names of images that a Dockerfile builds by its own name or that of its folder."""
    folder, name = os.path.split(path)
    if name in ("Dockerfile", "Containerfile"):
        yield os.path.basename(folder)
        return
    stem, _, ending = name.partition(".")
    yield stem if ending.lower() == "dockerfile" else ending

"""Finds the configuration files that are written for a Compose file's containers, none of which has them.

Such a file is a leftover: the containers are configured by their variables or by another file, and nothing else in the
repository runs with it. A file for machines or clusters that the repository does not show is none of these: it names
another host, has high availability, or is for YARN or Kubernetes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.flink.deployment import image_names
from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.containers.built_image import image_of, is_official, may_contain, runs_script
from flink_flint.linter.model.containers.mounts import hides_files
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layering.container_layers import ContainerLayers
from flink_flint.linter.model.layering.layer_graph import LayerGraph, upwards
from flink_flint.linter.text.named_tuple import NamedTuple

_ADDRESS = "jobmanager.rpc.address"
_CHANGES = ("entrypoint", "unread-edits")
"""What an image has whose configuration the Dockerfile does not show; only a file that it copies can be part of it."""
_OF_OTHER_CLUSTERS = ("high-availability", "yarn.", "kubernetes.")
"""The starts of keys of files that are for other clusters than the one of a Compose file."""


def files_left_aside(graph: LayerGraph, containers: ContainerLayers) -> list[Document]:
    """Return the configuration files that are for the containers of a Compose file, which run without them."""
    files = [
        document for document in graph.documents
        if document.is_configuration_file and not containers.has(document) and not graph.has_passed_release(document)
    ]  # fmt: skip
    if not files:
        return []
    clusters = _clusters_by_folder(graph.documents, containers)
    return [document for document in files if clusters and _is_for(document, clusters)]


class _Cluster(NamedTuple):
    """The Flink containers of the Compose files in a folder."""

    hosts: set[str]
    """The names of their JobManagers."""
    dockerfiles: list[Document]
    """The Dockerfiles whose images start with something else than Flink's own entrypoint."""


def _is_for(document: Document, clusters: dict[str, _Cluster]) -> bool:
    """Return whether a file's JobManager is one of the containers of a Compose file in its folder or above."""
    settings = document.effective
    address = settings.get(_ADDRESS)
    if address is None or any(key.startswith(_OF_OTHER_CLUSTERS) for key in settings):
        return False
    folders = upwards(absolute_path(document.directory))
    found = next((clusters[folder] for folder in folders if folder in clusters), None)
    if found is None or (address.text not in found.hosts and address.text not in LOCAL_HOSTS):
        return False
    return not any(may_contain(dockerfile, absolute_path(document.path)) for dockerfile in found.dockerfiles)


def _clusters_by_folder(documents: Sequence[Document], containers: ContainerLayers) -> dict[str, _Cluster]:
    """Return the clusters of Compose files, by the folder of the file.

    Folders are left out if a container may have configuration that the repository does not show.
    """
    members: dict[str, list[tuple[Document, Element]]] = defaultdict(list)
    for document in documents:
        if document.kind == "compose":
            for element in document.elements_of(("container",)):
                members[absolute_path(document.directory)].append((document, element))
    return {
        folder: _Cluster(names, list(_changed(found, containers)))
        for folder, found in members.items()
        if (names := _names([element for _, element in found]))
        and all(_is_known(document, element, containers) for document, element in found)
    }


def _changed(members: Sequence[tuple[Document, Element]], containers: ContainerLayers) -> Iterator[Document]:
    """Yield the Dockerfiles of containers whose images may give a file that they contain another place."""
    for document, _ in members:
        dockerfile = containers.dockerfile_of(document)
        if dockerfile is not None and any(map(image_of(dockerfile).has, _CHANGES)):
            yield dockerfile


def _names(elements: Collection[Element]) -> set[str]:
    managers = [one for one in elements if one.value("role") in ("jobmanager", "cluster")]
    return {str(name) for one in managers for name in (one.name, one.value("hostname")) if name}


def _is_known(document: Document, container: Element, containers: ContainerLayers) -> bool:
    """Return whether the repository shows which configuration file a container has."""
    mounts = [one for one in containers.mounts_of(document) if one.container == container.name]
    if any(one.document is None for one in mounts) or (hides_files(container) and not mounts):
        return False
    if any(not isinstance(volume.value("target"), str) for volume in container.items("volumes")):
        return False
    if container.has("other-build") or runs_script(container):
        return False
    dockerfile = containers.dockerfile_of(document)
    if dockerfile is not None:
        return is_official(image_of(dockerfile))
    name = container.value("image")
    return isinstance(name, str) and image_names.is_official(name)

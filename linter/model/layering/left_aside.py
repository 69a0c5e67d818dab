"""Finds the configuration files that are written for a Compose file's containers, none of which has them.

Such a file is a leftover: the containers are configured by their variables or by another file, and nothing else in the
repository runs with it. A file for machines or clusters that the repository does not show is none of these: it names
another host, has high availability, or is for YARN or Kubernetes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Sequence

from flink_flint.linter.flink.deployment import image_names
from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.containers.built_image import image_of, is_official, runs_script
from flink_flint.linter.model.containers.mounts import hides_files
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layering.container_layers import ContainerLayers
from flink_flint.linter.model.layering.layer_graph import LayerGraph, upwards

_ADDRESS = "jobmanager.rpc.address"
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
    hosts = _hosts_by_folder(graph.documents, containers)
    return [document for document in files if hosts and _is_for(document, hosts)]


def _is_for(document: Document, hosts: dict[str, set[str]]) -> bool:
    """Return whether a file's JobManager is one of the containers of a Compose file in its folder or above."""
    settings = document.effective
    address = settings.get(_ADDRESS)
    if address is None or any(key.startswith(_OF_OTHER_CLUSTERS) for key in settings):
        return False
    folders = upwards(os.path.abspath(document.directory))
    found = next((hosts[folder] for folder in folders if folder in hosts), set())
    return bool(found) and (address.text in found or address.text in LOCAL_HOSTS)


def _hosts_by_folder(documents: Sequence[Document], containers: ContainerLayers) -> dict[str, set[str]]:
    """Return the names of the JobManagers of Compose files, by the folder of the file.

    Folders are left out if a container may have configuration that the repository does not show.
    """
    members: dict[str, list[tuple[Document, Element]]] = defaultdict(list)
    for document in documents:
        if document.kind == "compose":
            for element in document.elements_of(("container",)):
                members[os.path.abspath(document.directory)].append((document, element))
    return {
        folder: names
        for folder, found in members.items()
        if (names := _names([element for _, element in found]))
        and all(_is_known(document, element, containers) for document, element in found)
    }


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
        image = image_of(dockerfile)
        return is_official(image) and not image.has("unread-edits") and not image.has("entrypoint")
    name = container.value("image")
    return isinstance(name, str) and image_names.is_official(name)

"""Layers of workloads and Compose services: the images and the configuration in their containers.

A workload or service overrides the configuration files and ConfigMaps it mounts, and its image determines their
release. The image of a Dockerfile does so for the files that are copied into it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from flink_flint.linter.flink.deployment.docker_image import PROPERTIES
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.model.containers.mounts import Container, Copy, Mount, copies_of, key_of, mounts_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layering.layer_graph import LayerGraph, ObjectName, object_name

_FILES = (FLINK_CONF, CONFIG_YAML)
_FROM_MAP, _FROM_KEY = ".configMapRef.name", ".valueFrom.configMapKeyRef.name"
PROCESSES = ("jobmanager", "taskmanager")
"""The roles of containers that start one process of Flink's themselves."""


class ContainerLayers:
    """What the containers of a run have: images that are built in the repository, mounted and copied files."""

    def __init__(self, graph: LayerGraph) -> None:
        self._graph = graph
        self._built: dict[int, Document] = {}
        self._profiles: dict[int, str | None] = {}
        self._started_on: dict[int, str | None] = {}
        self._mounts: dict[int, list[Mount]] = defaultdict(list)
        self._copies_of_images: dict[int, list[Copy]] = {}
        self._wholes: dict[int, tuple[Document, Document]] = {}

    # -- what is known of a document

    def dockerfile_of(self, document: Document) -> Document | None:
        """Return the Dockerfile that builds the image of a document's containers; None if unknown."""
        return self._built.get(id(document))

    def mounts_of(self, document: Document) -> Sequence[Mount]:
        """Return the configuration files that a document's containers mount, or that are copied into their images."""
        return self._mounts.get(id(document), ())

    def has(self, document: Document) -> bool:
        """Return whether containers of the run mount a document, or may have it from their image."""
        return id(document) in self._profiles

    def profile_of(self, document: Document) -> str | None:
        """Return the profile of the containers that have a document; None unless all of them have the same."""
        return self._profiles.get(id(document))

    def started_on(self, document: Document) -> str | None:
        """Return the platform of the JobManagers and TaskManagers in containers that have a document.

        None if there are none, if what they run is unknown, or if they are on several platforms.
        """
        return self._started_on.get(id(document))

    def whole_of(self, layer: Document) -> Document:
        """Return the document of the run of which a layer is a part; mostly the layer itself."""
        return self._wholes[id(layer)][1] if id(layer) in self._wholes else layer

    # -- finding it

    def find_images(self) -> None:
        """Find the Dockerfiles that build the images of workloads, and give the workloads their release."""
        documents = self._graph.documents
        if not any(document.elements_of(("image",)) for document in documents):
            return
        from flink_flint.linter.model.release_evidence.built_images import BuiltImages

        built = BuiltImages(documents)
        for document in documents:
            if (dockerfile := built.dockerfile_of(document)) is not None:
                self._built[id(document)] = dockerfile
                self._graph.build_release(document, dockerfile)

    def layer_contents(self) -> None:
        """Layer workloads and services over their images and the configuration they mount, which gets their release."""
        for document in self._graph.documents:
            self._layer_document(document)
        self._give_releases_to_copies()

    def _layer_document(self, document: Document) -> None:
        placed: set[int] = set()
        for container in document.elements_of(("container",)):
            self._mount_files(document, container, placed)
            for copy in container.items("copies"):
                self._may_copy(document, copy.value("context"))
        objects = [one for one in document.elements_of(("kubernetes-object",)) if one.name != "ConfigMap"]
        for element in objects:
            for name in _config_maps(element):
                self._mount_config_map(document, name, placed)
        properties = [name for element in objects for name in _properties_sources(element)]
        if (dockerfile := self.dockerfile_of(document)) is not None:
            self._layer_image(document, dockerfile, properties)
        for name in properties:
            self._read_properties(document, name)

    def _mount_files(self, document: Document, container: Element, placed: set[int]) -> None:
        """Layer a workload or service over the configuration files in one of its containers; add them to `placed`."""
        dockerfile = self.dockerfile_of(document)
        if dockerfile is None and not (container.has("copies") or container.has("volumes")):
            return
        copies = list(copies_of(document, container))
        if dockerfile is not None:
            from flink_flint.linter.model.containers.built_image import image_of, reads_variables, with_variables

            if not copies and reads_variables(document):
                copies = self.copies_of_build(dockerfile)
            container = with_variables(container, image_of(dockerfile))
        found = Container(document, container, copies, self._graph.release_of(document))
        for mount, why in mounts_of(found, self._graph.files_at, self._config_map):
            self._mounts[id(document)].append(mount)
            if mount.document is not None:
                placed.add(id(mount.document))
                if mount.is_read is not False:
                    self._graph.merge_layers(document, mount.document, why)
                self._use(document, mount.document)
                if container.value("role") in PROCESSES:
                    platform = self._started_on.get(id(mount.document), document.platform)
                    self._started_on[id(mount.document)] = platform if platform == document.platform else None

    def copies_of_build(self, dockerfile: Document) -> list[Copy]:
        """Return what a Dockerfile copies."""
        found = self._copies_of_images.get(id(dockerfile))
        if found is None:
            from flink_flint.linter.model.containers.built_image import copies_of_image

            found = self._copies_of_images[id(dockerfile)] = copies_of_image(dockerfile, self._graph.files_at)
        return found

    def _layer_image(self, document: Document, dockerfile: Document, properties: Sequence[str]) -> None:
        """Layer a workload or service over the settings that its image brings."""
        from flink_flint.linter.model.containers.built_image import settings_of_image

        given = [PROPERTIES] if any(self._has_properties(document, name) for name in properties) else []
        for part in settings_of_image(document, dockerfile, given):
            if part is not dockerfile:
                self._wholes[id(part)] = part, dockerfile
            self._graph.merge_layers(document, part, f"image built by {dockerfile.file_name}")

    def _has_properties(self, document: Document, name: str) -> bool:
        """Return whether FLINK_PROPERTIES are in a ConfigMap."""
        return any(key_of(lower) == PROPERTIES for lower in self._config_map(document, name))

    def _config_map(self, document: Document, name: str) -> Sequence[Document]:
        """Return the documents of the ConfigMap that a document means by a name."""
        own = object_name(document)
        return self._graph.nearest(document, ObjectName("ConfigMap", own.namespace, name)) if own is not None else ()

    def _may_copy(self, document: Document, context: object) -> None:
        """Mark the configuration in the context of a build whose Dockerfile is unknown as used by its containers.

        The containers then show where its paths are; which of its settings count is unknown.
        """
        if not isinstance(context, str):
            return
        base = document.absolute(context)
        for name in _FILES:
            for folder in (base, os.path.join(base, "conf")):
                for lower in self._graph.files_at(os.path.join(folder, name)):
                    self._use(document, lower)

    def _use(self, document: Document, lower: Document) -> None:
        self._graph.pass_release(lower, document)
        profile = self._profiles.get(id(lower), document.profile)
        self._profiles[id(lower)] = profile if profile == document.profile else None

    def _mount_config_map(self, document: Document, name: str, placed: Collection[int]) -> None:
        """Layer a workload over a ConfigMap that it mounts anywhere else: something may copy it from there."""
        for lower in self._config_map(document, name):
            if lower.whole and id(lower) not in placed:
                self._graph.merge_layers(document, lower, f"ConfigMap {name}")
            self._graph.pass_release(lower, document)

    def _read_properties(self, document: Document, name: str) -> None:
        """Layer a workload over the FLINK_PROPERTIES of a ConfigMap that its environment comes from."""
        containers = document.elements_of(("container",))
        is_read = any(not container.has("reads-no-variables") for container in containers)
        for lower in self._config_map(document, name) if is_read or not containers else ():
            if key_of(lower) == PROPERTIES:
                self._graph.merge_layers(document, lower, f"{PROPERTIES} of ConfigMap {name}")
                self._graph.pass_release(lower, document)

    def _give_releases_to_copies(self) -> None:
        """Give the files that a Dockerfile copies into an image the release of the image."""
        for document in self._graph.documents:
            for element in document.elements_of(("image",)) if document.release is not None else ():
                for copy in copies_of(document, element):
                    if "conf" not in copy.target:
                        continue
                    for path in (copy.path, *(os.path.join(copy.path, name) for name in _FILES)):
                        for lower in self._graph.files_at(path):
                            self._graph.pass_release(lower, document)


def _properties_sources(element: Element) -> Iterator[str]:
    """Yield the names of the ConfigMaps from which an object's containers have FLINK_PROPERTIES."""
    for name in element.attributes:
        if not name.endswith((_FROM_MAP, _FROM_KEY)) or not isinstance(map_name := element.value(name), str):
            continue
        if name.endswith(_FROM_MAP) or element.value(f"{name.removesuffix(_FROM_KEY)}.name") == PROPERTIES:
            yield map_name


def _config_maps(element: Element) -> Iterator[str]:
    """Yield the names of the ConfigMaps that an object's pods mount."""
    for name in element.attributes:
        if name.endswith(".configMap.name") and isinstance(map_name := element.value(name), str):
            yield map_name

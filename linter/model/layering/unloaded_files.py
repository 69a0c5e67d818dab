"""Finds the configuration files that no process of Flink loads under their names.

Flink reads `flink-conf.yaml` and `config.yaml` and nothing else. A copy that somebody keeps beside one of them, and a
file that only its keys show to be Flink's, count for nothing unless something gives them Flink's name: a container that
mounts them so, or an image that they are copied into. So does a file in a ConfigMap under a key of its own.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence

from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.flink.deployment.docker_image import PROPERTIES
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, CONFIG_YAML, FLINK_CONF, is_called_flink_conf
from flink_flint.linter.model.containers.mounts import key_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.container_layers import ContainerLayers
from flink_flint.linter.model.layering.layer_graph import LayerGraph

_FILES = (FLINK_CONF, CONFIG_YAML)
_COPIES = frozenset({
    *("bak", "backup", "bkp", "old", "orig", "original", "save", "saved", "copy", "disabled", "unused", "txt"),
    *("rpmsave", "rpmnew", "rpmorig", "dpkg"),
})  # fmt: skip
"""Words in the names of files that are kept, and not read: `flink-conf.yaml.bak`, `flink-conf-old.yaml`."""
_OTHER_PROGRAMS = ".conf"
"""The ending of files that only their keys show to be Flink's; Flink reads none of that name."""


def files_not_loaded(graph: LayerGraph, containers: ContainerLayers) -> list[Document]:
    """Return the configuration files that Flink does not read under their names, and that nothing gives another."""
    found = [one for one in graph.documents if _is_under_another_key(one) and not containers.has(one)]
    files = [one for one in graph.documents if one.is_configuration_file]
    if not files:
        return found
    targets = _targets(graph, containers)
    return found + [
        one for one in files
        if _is_not_loaded(
            one, targets.get(absolute_path(one.path), ()),
            is_in_container=containers.has(one) or graph.has_passed_release(one),
        )
    ]  # fmt: skip


def _is_under_another_key(document: Document) -> bool:
    """Return whether a document is a file in a ConfigMap whose key is no name that Flink or its image reads."""
    if document.syntax == "map" or not (document.name or "").startswith("ConfigMap "):
        return False
    key = key_of(document)
    return key not in (CONFIG_YAML, PROPERTIES) and not is_called_flink_conf(key)


def _is_not_loaded(document: Document, targets: Sequence[str], *, is_in_container: bool) -> bool:
    """Return whether Flink reads no file of a name, given the paths at which containers and images have the file.

    From another folder than Flink's a script may copy it to its place.
    """
    folders = {os.path.dirname(one) for one in targets}
    if folders and folders.issubset(CONF_FOLDERS):
        return not any(os.path.basename(one) in _FILES for one in targets)
    if is_in_container or not document.has_another_name:
        return False
    return _is_copy(document.file_name) or (not targets and document.file_name.endswith(_OTHER_PROGRAMS))


def _is_copy(name: str) -> bool:
    """Return whether a name says that a file is a copy of another one, which somebody keeps."""
    words = name.lower()
    for sign in "_. ":
        words = words.replace(sign, "-")
    return not _COPIES.isdisjoint(words.split("-"))


def _targets(graph: LayerGraph, containers: ContainerLayers) -> dict[str, list[str]]:
    """Return the paths in containers and images that files of the repository get, by the file's absolute path."""
    found: dict[str, list[str]] = defaultdict(list)
    for document in graph.documents:
        for element in document.elements_of(("container",)):
            for volume in element.items("volumes"):
                source, target = volume.value("source"), volume.value("target")
                if isinstance(source, str) and isinstance(target, str):
                    found[document.absolute(source)].append(target)
        if document.elements_of(("image",)):
            for copy in containers.copies_of_build(document):
                name = os.path.basename(copy.path) if copy.target.endswith("/") else ""
                found[copy.path].append(copy.target + name)
    return found

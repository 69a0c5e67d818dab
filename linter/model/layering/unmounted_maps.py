"""Finds the ConfigMaps with Flink's or logging configuration beside deployments of Flink none of which mounts them.

Such a ConfigMap is a leftover, or for something that the repository does not show. A ConfigMap whose name is anywhere
else in the folder or the run is none of these: something may refer to it there. So is one of a folder that Kustomize
reads, whose overlays may mount it. A name in a folder with a ConfigMap of its own under this name means that one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.filesystem.folders import names_in
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.container_layers import PROCESSES, ContainerLayers
from flink_flint.linter.model.layering.layer_graph import LayerGraph, object_name
from flink_flint.linter.text.lazy_regex import regex

_NAME = regex(r"[\w.-]+")
_ENDINGS = (".yaml", ".yml", ".json", ".sh", ".py", ".tf")
"""The endings of files that may refer to a ConfigMap by its name."""
_KUSTOMIZATIONS = {"kustomization.yaml", "kustomization.yml", "Kustomization"}
_OPERATOR = "kubernetes.operator."
"""The start of keys of the configuration of Apache's operator, whose defaults are a ConfigMap."""
_DEPLOYMENTS = ("flinkdeployment", "bluegreen")
_RESOURCES = ("other-cr", "ververica")
"""The kinds of documents for resources of operators, of which those with containers deploy Flink."""
_MAX_FILES = 200
"""The maximum number of files in a folder that are searched for a name; with more, nothing is known of its uses."""


def unmounted_maps(graph: LayerGraph, containers: ContainerLayers) -> Mapping[int, Sequence[Document]]:
    """Return the workloads that run without each ConfigMap that nothing mounts, by the id of the ConfigMap's document.

    They are those in its folder and namespace that could mount it as Flink's configuration; there are none where only
    an operator deploys Flink there, which writes the configuration itself, or for a ConfigMap of logging.
    """
    maps = [document for document in graph.documents if _is_candidate(document) and not containers.has(document)]
    if not maps:
        return {}
    deployments: dict[str, list[Document]] = defaultdict(list)
    for document in graph.documents:
        if object_name(document) is not None and _deploys_flink(document):
            deployments[document.directory].append(document)
    found: dict[int, Sequence[Document]] = {}
    for document in maps:
        name, beside = object_name(document), deployments.get(document.directory, ())
        if beside and name is not None and not _is_named_elsewhere(graph, document, name.name):
            found[id(document)] = [one for one in beside if _could_mount(one, document, name.namespace)]
    return found


def _is_candidate(document: Document) -> bool:
    if document.kind != "configmap" or document.is_variant:
        return False
    if _is_of_logging(document):
        return True
    is_read = document.syntax != "map" and document.whole
    return is_read and not any(key.startswith(_OPERATOR) for key in document.effective)


def _is_of_logging(document: Document) -> bool:
    """Return whether a document is for the logging configuration of a ConfigMap that has nothing else of Flink's."""
    return document.syntax == "map" and bool(document.elements) and not document.entries


def _deploys_flink(document: Document) -> bool:
    is_workload = document.kind == "compose" or document.kind in _RESOURCES
    return document.kind in _DEPLOYMENTS or (is_workload and _starts_flink(document))


def _could_mount(workload: Document, document: Document, namespace: str) -> bool:
    name = object_name(workload)
    is_of_namespace = name is not None and name.namespace == namespace
    return is_of_namespace and workload.kind == "compose" and not _is_of_logging(document)


def _starts_flink(document: Document) -> bool:
    return any(element.value("role") in PROCESSES for element in document.elements_of(("container",)))


def _is_named_elsewhere(graph: LayerGraph, document: Document, name: str) -> bool:
    """Return whether a ConfigMap's name is anywhere but in the metadata of ConfigMaps, or may be."""
    names = names_in(os.path.abspath(document.directory))
    if len(names) > _MAX_FILES or not names.isdisjoint(_KUSTOMIZATIONS):
        return True
    texts = {other.path: other.text for other in graph.documents if other.kind != "source"}
    texts.update(_files_beside(document, names, texts))
    declared = _declarations(graph, name)
    folders = {os.path.dirname(path) for path in declared} - {document.directory}
    return any(
        name in text and _NAME.findall(text).count(name) > declared.get(path, 0)
        for path, text in texts.items()
        if os.path.dirname(path) not in folders
    )


def _declarations(graph: LayerGraph, name: str) -> Mapping[str, int]:
    """Return how often ConfigMaps of a name say it themselves, in their metadata and their data, by file path."""
    found: dict[str, int] = defaultdict(int)
    for document in graph.documents:
        own = object_name(document) if document.kind == "configmap" else None
        if own is None or own.name != name:
            continue
        found.setdefault(document.path, 0)
        for element in document.elements_of(("kubernetes-object",)):
            texts = [one.value for one in element.attributes.values() if isinstance(one.value, str)]
            found[document.path] += sum(_NAME.findall(text).count(name) for text in texts if name in text)
    return found


def _files_beside(document: Document, names: frozenset[str], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in names:
        path = os.path.join(document.directory, name)
        if name.endswith(_ENDINGS) and path not in known:
            yield path, found_text(path) or ""

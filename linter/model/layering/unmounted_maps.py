"""Finds the ConfigMaps with Flink's configuration beside workloads of Flink none of which mounts them.

Such a ConfigMap is a leftover, or for something that the repository does not show. A ConfigMap whose name is anywhere
else in the folder or the run is none of these: something may refer to it there. So is one of a folder that Kustomize
reads, whose overlays may mount it.
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
_MAX_FILES = 200
"""The maximum number of files in a folder that are searched for a name; with more, nothing is known of its uses."""


def workloads_without(graph: LayerGraph, containers: ContainerLayers) -> Mapping[int, Sequence[Document]]:
    """Return the workloads beside each ConfigMap that nothing mounts, by the id of the ConfigMap's document."""
    maps = [document for document in graph.documents if _is_candidate(document) and not containers.has(document)]
    if not maps:
        return {}
    workloads: dict[tuple[str, str], list[Document]] = defaultdict(list)
    for document in graph.documents:
        name = object_name(document)
        if name is not None and document.kind == "compose" and _starts_flink(document):
            workloads[document.directory, name.namespace].append(document)
    found: dict[int, Sequence[Document]] = {}
    for document in maps:
        name = object_name(document)
        beside = workloads.get((document.directory, name.namespace), ()) if name is not None else ()
        if beside and name is not None and not _is_named_elsewhere(graph, document, name.name):
            found[id(document)] = beside
    return found


def _is_candidate(document: Document) -> bool:
    is_read = document.kind == "configmap" and document.syntax != "map" and document.whole
    return is_read and not document.is_variant and not any(key.startswith(_OPERATOR) for key in document.effective)


def _starts_flink(document: Document) -> bool:
    return any(element.value("role") in PROCESSES for element in document.elements_of(("container",)))


def _is_named_elsewhere(graph: LayerGraph, document: Document, name: str) -> bool:
    """Return whether a ConfigMap's name is anywhere but in the metadata of ConfigMaps, or may be."""
    names = names_in(os.path.abspath(document.directory))
    if len(names) > _MAX_FILES or not names.isdisjoint(_KUSTOMIZATIONS):
        return True
    texts = {other.path: other.text for other in graph.documents if other.kind != "source"}
    texts.update(_files_beside(document, names, texts))
    declared = {
        other.path for other in graph.documents
        if other.kind == "configmap" and (found := object_name(other)) is not None and found.name == name
    }  # fmt: skip
    return any(
        name in text and _NAME.findall(text).count(name) > (1 if path in declared else 0)
        for path, text in texts.items()
    )


def _files_beside(document: Document, names: frozenset[str], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in names:
        path = os.path.join(document.directory, name)
        if name.endswith(_ENDINGS) and path not in known:
            yield path, found_text(path) or ""

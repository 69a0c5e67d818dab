"""Layers of programs and scripts: the deployment that runs each, and the files of its module with classes it uses.

A program or script overrides the deployment that a ``[[link]]`` in flint.toml names, or that runs its class, or the
only one of its module.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.build_modules import module_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.layer_graph import LayerGraph

if TYPE_CHECKING:
    from flink_flint.linter.config.flint_config import Link

_PROGRAMS = ("source", "sql")
_CLUSTERS = ("flink-conf", "config.yaml", "flinkdeployment", "bluegreen", "configmap", "compose", "emr", "msf")


class _Clusters:
    """The deployments that may run programs, by the classes they run and by module."""

    def __init__(self, documents: Sequence[Document], left_aside: Sequence[Document]) -> None:
        self.documents = documents
        unused = {id(document) for document in left_aside}
        self.running: dict[str, list[Document]] = defaultdict(list)
        self.of_module: dict[str, list[Document]] = defaultdict(list)
        for cluster in documents:
            for name in _entry_classes(cluster):
                self.running[name].append(cluster)
            if id(cluster) in unused:
                continue
            if (module := module_of(os.path.abspath(cluster.directory))) is not None:
                self.of_module[module].append(cluster)


def layer_programs(
    graph: LayerGraph, links: Sequence[Link], in_jars: Sequence[Document], left_aside: Sequence[Document]
) -> None:
    """Layer programs and scripts over the deployment that runs them.

    Flink does not read the files `in_jars`. Those `left_aside` are bases only of programs that are linked to them.
    """
    programs = [document for document in graph.documents if document.kind in _PROGRAMS]
    if not programs:
        return
    unread = {id(document) for document in in_jars}
    clusters = _Clusters([
        document
        for document in graph.documents
        if document.kind in _CLUSTERS and document.whole and document.profile != "development"
        and not document.is_variant and id(document) not in unread
    ], left_aside)  # fmt: skip
    for document in programs:
        linked = _linked(document, clusters, links)
        if linked is not None:
            graph.merge_layers(document, *linked)


def _linked(document: Document, clusters: _Clusters, links: Sequence[Link]) -> tuple[Document, str] | None:
    for link in links:
        if _matches(link.paths, link.folder, document.path):
            named = [
                cluster
                for cluster in clusters.documents
                if link.to == cluster.name or _matches((link.to,), link.folder, cluster.path)
            ]
            return (named[0], "linked in flint.toml") if named else None
    classes = {element.name for element in document.elements if element.kind == "job"}
    running = [cluster for name in sorted(classes) for cluster in clusters.running.get(name, ())]
    if len(running) == 1:
        return running[0], "runs its class"
    module = module_of(os.path.abspath(document.directory))
    deployments = clusters.of_module.get(module, ()) if module is not None else ()
    return (deployments[0], "the only deployment of its module") if len(deployments) == 1 else None


def _entry_classes(document: Document) -> Iterator[str]:
    for element in document.elements:
        if element.kind == "kubernetes-object":
            entry = element.value("spec.job.entryClass")
            if isinstance(entry, str):
                yield entry.rpartition(".")[2]


def _matches(patterns: Sequence[str], folder: str, path: str) -> bool:
    from flink_flint.linter.filesystem.gitignore import is_among

    return is_among(patterns, path, folder)


def classes_beside(documents: Sequence[Document]) -> Mapping[int, Sequence[Document]]:
    """Return the files of a program's module that declare the functions of its asynchronous calls, by its id."""
    functions: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        for element in document.elements_of(("async-function",)):
            functions[element.name].append(document)
    beside: dict[int, list[Document]] = defaultdict(list)
    for document in documents if functions else ():
        called = {e.value("function") for e in document.elements if e.kind == "async-call"}
        own = {e.name for e in document.elements if e.kind == "async-function"}
        module = module_of(os.path.abspath(document.directory)) if called - own else None
        for name in sorted(name for name in called - own if isinstance(name, str)):
            found = [d for d in functions.get(name, ()) if module_of(os.path.abspath(d.directory)) == module]
            if len(found) == 1 and found[0] not in beside[id(document)]:
                beside[id(document)].append(found[0])
    return beside

"""Layers of programs and scripts: the deployment that runs each, and the files of its module with classes it uses.

A program or script overrides the deployment that a ``[[link]]`` in flint.toml names, or that runs its class or the JAR
of its module, or the only one of its module.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.build_modules import artifact_names, main_classes, module_of
from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.layer_graph import LayerGraph
from flink_flint.linter.text.lazy_regex import regex

if TYPE_CHECKING:
    from flink_flint.linter.config.flint_config import Link
    from flink_flint.linter.model.layering.container_layers import ContainerLayers

LIES_IN_MODULE = "lies in its module"
"""Why a program overrides a configuration file that nothing mounts: it may or may not be what the program runs with."""
RUNS_IT = "its container runs it"
"""Why a script overrides a container whose configuration is known."""
MAY_RUN_IT = "a container runs it, with a configuration that is known in part"
"""Why a script overrides a container whose image may bring more settings."""
_ONLY_ONE = "the only deployment of its module"

_PROGRAMS = ("source", "sql")
_CLUSTERS = ("flink-conf", "config.yaml", "flinkdeployment", "bluegreen", "configmap", "compose", "emr", "msf")
_SESSION_JOB = "flinksessionjob"
_AFTER_NAME = regex(
    r"(?:[-_.](?:v?\d[\w.+]*+|all|shaded|fat|uber|assembly|bundle|SNAPSHOT|(?:jar-)?with-dependencies))*+"
)
"""What follows the name of the artifact in the name of a JAR: the version, and which kind of JAR it is."""
_VERSIONED = regex(r"[-_]v?\d+\.\d")


class _Clusters:
    """The deployments that may run programs, by the classes and JARs they run and by module."""

    def __init__(self, documents: Sequence[Document], left_aside: Sequence[Document]) -> None:
        self.documents = documents
        self._unused = {id(document) for document in left_aside}
        self.running: dict[str, list[Document]] = defaultdict(list)
        self.running_jars: list[tuple[str, Document]] = []
        self.of_module: dict[str, list[Document]] = defaultdict(list)
        self._files: dict[str, list[Document]] = defaultdict(list)
        for cluster in documents:
            entry, jar = _program_of(cluster)
            if entry is not None:
                self.running[entry].append(cluster)
            elif jar is not None:
                self.running_jars.append((jar, cluster))
            if id(cluster) in self._unused or cluster.kind == _SESSION_JOB:
                continue
            folder = absolute_path(cluster.directory)
            if cluster.is_configuration_file:
                self._files[folder].append(cluster)
            if (module := module_of(folder)) is not None:
                self.of_module[module].append(cluster)

    def running_jar_of(self, module: str) -> list[Document]:
        """Return the deployments that run a JAR which the build of a module is named for."""
        names = artifact_names(module) if self.running_jars else ()
        return [
            cluster
            for jar, cluster in self.running_jars
            if any(jar.startswith(name) and _AFTER_NAME.fullmatch(jar, len(name)) for name in names)
        ]

    def beside(self, script: Document) -> list[Document]:
        """Return the configuration files in the folder of a script or its `conf`, or in a `conf` of a folder above."""
        own = absolute_path(script.directory)
        if own in self._files:
            return self._files[own]
        above = list(folders_up(own)) if self._files else ()
        return next((self._files[conf] for one in above if (conf := os.path.join(one, "conf")) in self._files), [])


def layer_programs(
    graph: LayerGraph,
    containers: ContainerLayers,
    links: Sequence[Link],
    in_jars: Sequence[Document],
    left_aside: Sequence[Document],
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
        if ((document.kind in _CLUSTERS and document.whole) or document.kind == _SESSION_JOB)
        and document.profile != "development" and not document.is_variant and id(document) not in unread
    ], left_aside)  # fmt: skip
    for document in programs:
        if any(step.why in (RUNS_IT, MAY_RUN_IT) for step in graph.steps_below(document)):
            continue
        linked = _linked(document, clusters, links)
        if linked is not None:
            deployment, why = linked
            is_loose = deployment.is_configuration_file and not containers.has(deployment)
            graph.merge_layers(document, deployment, LIES_IN_MODULE if why == _ONLY_ONE and is_loose else why)


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
    module = module_of(absolute_path(document.directory))
    deployments = clusters.of_module.get(module, ()) if module is not None else ()
    running = [cluster for name in sorted(classes) for cluster in clusters.running.get(name, ())]
    if running:
        beside = [one for one in running if one in deployments] if len(running) > 1 else running
        return (beside[0], "runs its class") if len(beside) == 1 else None
    if module is None:
        beside = clusters.beside(document) if document.kind == "sql" else []
        return (beside[0], LIES_IN_MODULE) if len(beside) == 1 else None
    mains = main_classes(module)
    running = clusters.running_jar_of(module) if classes and (not mains or mains & classes) else []
    if running:
        return (running[0], "runs the JAR of its module") if len(running) == 1 else None
    if len(deployments) != 1 or (classes and _runs_another(deployments[0], module)):
        return None
    return deployments[0], _ONLY_ONE


def _program_of(document: Document) -> tuple[str | None, str | None]:
    """Return the class that a custom resource runs, without its package, and the name of its JAR without the ending.

    A class of Flink itself, such as the driver of Python programs, is no evidence of which program runs.
    """
    objects = document.elements_of(("kubernetes-object",))
    if not objects:
        return None, None
    entry, jar = objects[0].value("spec.job.entryClass"), objects[0].value("spec.job.jarURI")
    if isinstance(entry, str) and entry.startswith("org.apache.flink."):
        return None, None
    return (
        entry.rpartition(".")[2].removesuffix("Kt") if isinstance(entry, str) else None,
        jar.rpartition("/")[2].removesuffix(".jar") if isinstance(jar, str) else None,
    )


def _runs_another(deployment: Document, module: str) -> bool:
    """Return whether a deployment names a class, or the JAR with a version of another build than that of a module.

    A JAR without a version may be the module's own, which the build of the image has renamed.
    """
    entry, jar = _program_of(deployment)
    return entry is not None or (
        jar is not None and _VERSIONED.search(jar) is not None and bool(artifact_names(module))
    )


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
        module = module_of(absolute_path(document.directory)) if called - own else None
        for name in sorted(name for name in called - own if isinstance(name, str)):
            found = [d for d in functions.get(name, ()) if module_of(absolute_path(d.directory)) == module]
            if len(found) == 1 and found[0] not in beside[id(document)]:
                beside[id(document)].append(found[0])
    return beside

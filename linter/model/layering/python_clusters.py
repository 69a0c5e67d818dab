"""Finds the deployments on which programs in Python may run: their images have PyFlink, or they have such programs.

The functions of these programs run in Python processes, which use managed memory whatever the state backend is
(`python.fn-execution.memory.managed`, which is true by default from Flink 1.12 on).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from flink_flint.linter.filesystem.repository import folders_near
from flink_flint.linter.flink.deployment.image_names import repository_name
from flink_flint.linter.model.containers.built_image import image_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layering.container_layers import ContainerLayers
from flink_flint.linter.model.layering.layer_graph import LayerGraph, upwards

_PYTHON_FLAGS = ("-py", "--python", "-pym", "--pyModule")
_DRIVER = "org.apache.flink.client.python."
_PYTHON_JAR = "flink-python"
_RUN_FLINK = ("container", "neighbor")
_MAX_ABOVE = 10
"""The maximum number of folders between a Dockerfile and the context in which it is built."""


def python_clusters(graph: LayerGraph, containers: ContainerLayers) -> set[int]:
    """Return the ids of the documents of deployments on which Python may run, and of what they read."""
    programs = [
        os.path.abspath(document.path)
        for document in graph.documents
        if document.kind == "source" and document.path.endswith(".py")
    ]
    found: set[int] = set()
    for document in graph.documents:
        if _may_run_python(document, containers, programs):
            _add(graph, document, found)
    # A file that no containers have is for those of a Compose file above it, if for any.
    folders = {os.path.abspath(one.directory) for one in graph.documents if one.kind == "compose" and id(one) in found}
    for document in graph.documents if folders else ():
        is_alone = document.is_configuration_file and not containers.has(document)
        if is_alone and not folders.isdisjoint(upwards(os.path.abspath(document.directory))):
            found.add(id(document))
    return found


def _add(graph: LayerGraph, document: Document, found: set[int]) -> None:
    if id(document) not in found:
        found.add(id(document))
        for step in graph.steps_below(document):
            _add(graph, step.lower, found)


def _may_run_python(document: Document, containers: ContainerLayers, programs: Sequence[str]) -> bool:
    if document.kind == "source":
        return document.path.endswith(".py")
    if document.mentions_python:
        return True
    dockerfile = containers.dockerfile_of(document)
    if dockerfile is not None:
        if image_of(dockerfile).has("pyflink"):
            return True
        if programs and _are_in(programs, _copied(dockerfile)):
            return True
    elements = document.elements_of(("kubernetes-object", *_RUN_FLINK))
    return any(_of_element(document, element, programs) for element in elements)


def _of_element(document: Document, element: Element, programs: Sequence[str]) -> bool:
    if element.kind == "kubernetes-object":
        entry, jar = element.value("spec.job.entryClass"), element.value("spec.job.jarURI")
        return (isinstance(entry, str) and entry.startswith(_DRIVER)) or (isinstance(jar, str) and _PYTHON_JAR in jar)
    image = element.value("image")
    if isinstance(image, str) and "pyflink" in repository_name(image):
        return True
    if any(isinstance(word.value, str) and word.value.startswith(_PYTHON_FLAGS) for word in element.listed("args")):
        return True
    sources = (volume.value("source") for volume in element.items("volumes")) if programs else ()
    return _are_in(programs, (document.absolute(one) for one in sources if isinstance(one, str) and one[:1] in "./"))


def _copied(dockerfile: Document) -> Iterator[str]:
    """Yield the absolute paths that a Dockerfile may copy: in its own folder, or in one above it if it names a folder.

    The context of the build is one of these folders.
    """
    sources = [copy.value("source") for copy in image_of(dockerfile).items("copies") if not copy.has("from")]
    for number, context in enumerate(folders_near(os.path.abspath(dockerfile.directory), _MAX_ABOVE)):
        for source in sources:
            if isinstance(source, str) and (number == 0 or source.strip("./")):
                yield os.path.normpath(os.path.join(context, source.lstrip("/")))


def _are_in(programs: Sequence[str], places: Iterator[str]) -> bool:
    """Return whether one of the paths is one of the places, or in such a folder."""
    return any(path == place or path.startswith(f"{place}/") for place in places if place for path in programs)

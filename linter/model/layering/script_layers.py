"""Layers of SQL scripts: the container whose SQL client runs each, and the script that initializes the session.

A script has the release and the profile of the containers of Flink that mount it, whoever runs it there.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layering.layer_graph import LayerGraph, repository_of_document
from flink_flint.linter.model.layering.program_layers import MAY_RUN_IT, RUNS_IT
from flink_flint.linter.text.named_tuple import NamedTuple

_CLIENTS = ("sql-client.sh", "sql-client")
_FILE, _INIT = ("-f", "--file"), ("-i", "--init")
_ENDS = (";", "&&", "||", "|", "&")
"""The words that end a command."""


class _Run(NamedTuple):
    """A command line of the SQL client: the paths of the scripts that it runs and that initialize the session."""

    files: Sequence[str]
    inits: Sequence[str]


class _Scripts:
    """The SQL scripts of a run, by path, and by repository and name."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._at: dict[str, list[Document]] = defaultdict(list)
        self._named: dict[tuple[str | None, str], list[Document]] = defaultdict(list)
        for document in documents:
            path = os.path.abspath(document.path)
            self._at[path].append(document)
            self._named[repository_of(os.path.dirname(path)), document.file_name].append(document)

    def find(self, source: Document, path: str, volumes: Sequence[Element]) -> list[Document]:
        """Return the script that a command names by a path, in a container or not; none if it may be several.

        A path that leads nowhere counts by its name: the build of an image or another command brings the file there.
        """
        paths = [document for one in _local(source, path, volumes) for document in self._at.get(one, ())]
        if paths:
            return paths
        key = repository_of_document(source), os.path.basename(path)
        found = self._named.get(key, [])
        return found if len(found) == 1 else []


def layer_scripts(graph: LayerGraph) -> Mapping[int, Sequence[Document]]:
    """Layer SQL scripts over the service whose SQL client runs them, and over the scripts that it runs before them.

    Returns the documents whose containers of Flink mount a script, by the id of the script's document.
    """
    scripts = [document for document in graph.documents if document.kind == "sql"]
    if not scripts:
        return {}
    known = _Scripts(scripts)
    for document in graph.documents:
        for element in document.elements_of(("container", "command")):
            volumes = list(element.items("volumes"))
            for run in _runs(element):
                inits = [one for path in run.inits for one in known.find(document, path, volumes)]
                for script in (one for path in run.files for one in known.find(document, path, volumes)):
                    if element.kind == "container":
                        is_complete = document.whole or _is_known(element)
                        graph.merge_layers(script, document, RUNS_IT if is_complete else MAY_RUN_IT)
                    for init in inits:
                        graph.merge_layers(script, init, "initializes its session")
    mounted = _mounted_scripts(graph)
    for script in scripts:
        for document in mounted.get(id(script), ()):
            graph.pass_release(script, document)
    return mounted


def _mounted_scripts(graph: LayerGraph) -> dict[int, list[Document]]:
    scripts = {os.path.abspath(one.path): one for one in graph.documents if one.kind == "sql"}
    found: dict[int, list[Document]] = defaultdict(list)
    for document in graph.documents:
        for container in document.elements_of(("container",)):
            for volume in container.items("volumes"):
                source = volume.value("source")
                if not isinstance(source, str) or not source.startswith((".", "/")):
                    continue  # a volume with a name
                place = os.path.normpath(document.absolute(source))
                for path, script in scripts.items():
                    if path == place or path.startswith(place + os.sep):
                        found[id(script)].append(document)
    return found


def _is_known(container: Element) -> bool:
    """Return whether a container has no other settings than those that are known."""
    image = container.value("image")
    return isinstance(image, str) and is_official(image) and "environment" not in container.attributes


def _runs(element: Element) -> Iterator[_Run]:
    """Yield the command lines of the SQL client in a container or command."""
    if element.kind == "command":
        given = element.value("options.file"), element.value("options.init")
        file, init = ([one] if isinstance(one, str) else [] for one in given)
        if element.name in _CLIENTS and file:
            yield _Run(file, init)
        return
    words = _arguments(element)
    starts = [place for place, word in enumerate(words) if os.path.basename(word.strip("\"'")) in _CLIENTS]
    for start in starts:
        yield _read(words[start + 1 :])


def _arguments(element: Element) -> list[str]:
    """Return the words of a container's command line, and those of a shell's script in it."""
    values = (one.value for name, one in element.attributes.items() if name.startswith("args["))
    return [word for value in values if isinstance(value, str) for word in value.split()]


def _read(words: Sequence[str]) -> _Run:
    found: dict[str, list[str]] = {"f": [], "i": []}
    for place, word in enumerate(words):
        if word in _ENDS:
            break
        option, equals, value = word.partition("=")
        kind = "f" if option in _FILE else "i" if option in _INIT else None
        if kind is not None:
            path = value if equals else words[place + 1] if place + 1 < len(words) else ""
            found[kind].append(path.strip("\"'").rstrip(";"))
    return _Run(found["f"], found["i"])


def _local(source: Document, path: str, volumes: Sequence[Element]) -> Iterator[str]:
    """Yield the absolute paths of the files of the repository that a path may mean."""
    for volume in volumes:
        folder, target = volume.value("source"), volume.value("target")
        if isinstance(folder, str) and isinstance(target, str):
            mounted = target.rstrip("/")
            if path == mounted or path.startswith(mounted + "/"):
                yield source.absolute(folder + path[len(mounted) :])
    if not volumes and not path.startswith("/"):
        yield source.absolute(path)

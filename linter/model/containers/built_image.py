"""The variables, files and edits to files that an image built from a Dockerfile contributes to its containers.

When a container of Flink's official image starts, its entrypoint writes the variables into the configuration file of
the image, which the build may have copied or edited. A container's own variable replaces that of the image, and a
volume the files. If the configuration is mounted read-only, as ConfigMaps are, the entrypoint cannot write it. This is
so in all pods of native Kubernetes and of the operator, which mount a ConfigMap over Flink's configuration directory.

Based on `docker-entrypoint.sh` of apache/flink-docker, releases 1.11 to 2.3, on `FlinkConfMountDecorator` of Flink, and
on the operator, which uses it in both of its modes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from flink_flint.linter.filesystem.repository import folders_near
from flink_flint.linter.flink.deployment import image_names
from flink_flint.linter.flink.deployment.docker_image import PROPERTIES, SETTING_VARIABLES
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.containers.mounts import Copy, FilesAt, hides_files, is_read_only
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element

_FILES = (FLINK_CONF, CONFIG_YAML)
THE_IMAGE = "the image"
"""The name of the layer of settings that the official image contains or that its entrypoint sets."""
_MAX_ABOVE = 10
"""The maximum number of folders between a Dockerfile and the context in which it is built."""


def image_of(dockerfile: Document) -> Element:
    """Return the element that describes the image a Dockerfile builds."""
    return next(element for element in dockerfile.elements if element.kind == "image")


def is_official(image: Element) -> bool:
    """Return whether an image is based on Flink's official image or a mirror of it, whose contents are known."""
    base = image.value("from")
    return isinstance(base, str) and image_names.is_official(base)


def reads_variables(document: Document) -> bool:
    """Return whether an image's entrypoint may write variables into the configuration of a document's containers."""
    return document.platform in ("kubernetes", "compose")


def runs_script(container: Element) -> bool:
    """Return whether an argument of a container is a script, which may write its configuration."""
    return any(" " in str(word.value) or "\n" in str(word.value) for word in container.listed("args"))


def with_variables(container: Element, image: Element) -> Element:
    """Return `container` with the variables of `image` added, except those that the container sets itself."""
    added = {name: value for name, value in image.attributes.items() if name.startswith("environment.")}
    if not added:
        return container
    return Element(container.kind, container.name, container.span, {**added, **container.attributes})


def copies_of_image(dockerfile: Document, files_at: FilesAt) -> list[Copy]:
    """Return the copies that a Dockerfile makes; the source path is empty if the build context is ambiguous.

    The context is the folder of the Dockerfile or one above it in the repository.
    """
    image = image_of(dockerfile)
    contexts = list(folders_near(os.path.abspath(dockerfile.directory), _MAX_ABOVE))
    found: list[Copy] = []
    for copy in image.items("copies"):
        source, where = copy.value("source"), "path" if copy.has("path") else "target"
        target = copy.value(where)
        if not isinstance(target, str):
            continue
        path = ""
        if isinstance(source, str) and not copy.has("from"):
            path = _source_path(source, contexts, files_at)
        shown = str(source) if source is not None else copy.attributes["source"].raw
        if copy.has("from"):
            shown += f" of {copy.value('from')}"
        found.append(Copy(shown, path, target, copy.attributes[where].span, dockerfile))
    return found


def may_contain(dockerfile: Document, path: str) -> bool:
    """Return whether a Dockerfile may copy the file at an absolute path into its image, under whatever name."""
    contexts = list(folders_near(os.path.abspath(dockerfile.directory), _MAX_ABOVE))
    for copy in image_of(dockerfile).items("copies"):
        source = copy.value("source")
        if copy.has("from"):
            continue
        if not isinstance(source, str) or any(sign in source for sign in "*?[$"):
            return True
        for context in contexts:
            place = os.path.normpath(os.path.join(context, source.lstrip("/")))
            if path == place or path.startswith(f"{place}/"):
                return True
    return False


def _source_path(source: str, contexts: Sequence[str], files_at: FilesAt) -> str:
    """Return the absolute path of a source, in the only context in which it is a file of the run; empty if unknown."""
    source = source.lstrip("/")
    is_pattern = any(sign in os.path.basename(source) for sign in "*?[")
    found = []
    for context in contexts:
        path = os.path.normpath(os.path.join(context, source))
        folder = os.path.dirname(path) if is_pattern else path
        if files_at(path) or any(files_at(os.path.join(folder, name)) for name in _FILES):
            found.append(path)
    return found[0] if len(found) == 1 else ""


def settings_of_image(document: Document, dockerfile: Document, given: Collection[str]) -> list[Document]:
    """Return the settings with which a Dockerfile changes a document's configuration, as layers, the lowest first.

    These are parts of the Dockerfile's document. `given` are the variables that the document's containers get from
    elsewhere. A part prevails if it overrides what the document itself sets by a variable or has of the official image.
    """
    if not reads_variables(document):
        return []
    kept = list(_effective_entries(document, dockerfile, given))
    weak = [entry for entry in kept if _source(entry, dockerfile) == PROPERTIES and _is_weaker(document, entry.key)]
    strong = [entry for entry in kept if entry not in weak] if weak else kept
    parts = [_part(dockerfile, entries) for entries in (strong, weak) if entries]
    if weak:
        if parts[-1] is dockerfile:
            parts[-1] = dockerfile.with_entries(weak)
        parts[-1].prevails = True
    return parts


def _part(dockerfile: Document, entries: Sequence[Entry]) -> Document:
    """Return a document of some entries of a Dockerfile; the document itself if they are all of its entries."""
    return dockerfile if len(entries) == len(dockerfile.entries) else dockerfile.with_entries(entries)


def _effective_entries(document: Document, dockerfile: Document, given: Collection[str]) -> Iterator[Entry]:
    """Yield the entries of a Dockerfile that count for the containers of a document."""
    containers = [element for element in document.elements if element.kind == "container"]
    own = {name for container in containers for name, _ in container.under("environment")}.union(given)
    image = image_of(dockerfile)
    merged = [with_variables(container, image) for container in containers]
    is_hidden = any(map(hides_files, merged))
    is_written = not any(map(is_read_only, merged)) and not any(one.has("reads-no-variables") for one in containers)
    for entry in dockerfile.entries:
        variable = _source(entry, dockerfile)
        if (not is_hidden) if variable is None else (is_written and variable not in own):
            yield entry


def _source(entry: Entry, dockerfile: Document) -> str | None:
    """Return the variable of a Dockerfile from which an entry is; None if an edit of the file sets it."""
    if entry.layer in SETTING_VARIABLES:
        return entry.layer
    properties = image_of(dockerfile).attributes.get(f"environment.{PROPERTIES}")
    if properties is None:
        return None
    return PROPERTIES if properties.span[0] <= entry.key_span[0] < properties.span[1] else None


def _is_weaker(document: Document, key: str) -> bool:
    """Return whether FLINK_PROPERTIES of the image override what a document sets: what the entrypoint writes before."""
    entry = document.effective.get(key)
    return entry is not None and entry.layer in (*SETTING_VARIABLES, THE_IMAGE)

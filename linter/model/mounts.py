"""The configuration files in containers: from volumes and ConfigMaps, or copied into the image.

Which of them Flink reads depends on their names in its configuration directory and on the release.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence

from flink_flint.linter.flink.file_loading import CONF_FOLDERS, CONFIG_YAML, FLINK_CONF, pick
from flink_flint.linter.flink.releases import nearest_index, parse_release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_FILES = (FLINK_CONF, CONFIG_YAML)
_OTHER_FILES = (".yaml", ".yml", ".properties", ".xml", ".sh")
"""Endings of files that may be mounted under the path of the configuration directory by mistake, or into it."""


class Mount(NamedTuple):
    """A Flink configuration file in a container, mounted from a volume or copied into the image."""

    container: str
    """The name of the container that has the file."""
    path: str
    """The path of the configuration file in the container."""
    source: str
    """Where the file comes from: ``ConfigMap flink-config``, ``./conf``."""
    span: Span
    """The span, in the container's document, that mounts or copies the file."""
    document: Document | None
    """The document read from the file; None if the file is not part of the run."""
    is_read: bool | None
    """Whether the Flink release reads a file with this name; None if the release is unknown."""
    is_folder: bool
    """Whether a whole folder is mounted, which hides the configuration file in the image."""


FilesAt = Callable[[str], Sequence[Document]]
"""A function from an absolute path to the documents of the file there."""

ConfigMapOf = Callable[[Document, str], Sequence[Document]]
"""A function from a document and a name to the documents of the ConfigMap that the name refers to."""


def mounts_of(
    document: Document, container: Element, files_at: FilesAt, config_map_of: ConfigMapOf
) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration files in a container of a document, each with the reason for its presence."""
    for copy in container.items("copies"):
        yield from _of_path(document, container, copy, files_at, "copied to")
    for volume in container.items("volumes"):
        yield from _of_path(document, container, volume, files_at, "mounted at")
        yield from _of_config_map(document, container, volume, config_map_of)


def _of_path(
    document: Document, container: Element, files: Element, files_at: FilesAt, how: str
) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration in a file or folder that a container mounts, or that is copied into its image."""
    source, target = files.value("source"), files.value("target")
    if not (isinstance(source, str) and isinstance(target, str)):
        return
    base = os.path.normpath(os.path.join(os.path.abspath(document.directory), source))
    folder, folders = target.rstrip("/"), _conf_folders(container)
    is_folder = folder in folders
    if is_folder:
        paths = {name: os.path.join(base, name) for name in _FILES}
    elif folder.rpartition("/")[0] in folders and os.path.basename(folder) in _FILES:
        paths = {os.path.basename(folder): base}
    else:
        return
    found = {name: documents for name, path in paths.items() if (documents := files_at(path))}
    span, why = files.attributes["target"].span, f"{how} {target}"
    is_other_file = is_folder and os.path.splitext(base)[1] in _OTHER_FILES
    if not found and not is_other_file and files.value("kind") not in ("volume", "tmpfs"):
        yield Mount(container.name, target, source, span, None, None, is_folder), why
    for name, documents in found.items():
        is_read = _is_read(name, found, document, is_folder=is_folder)
        path = f"{folder}/{name}" if is_folder else folder
        for lower in documents:
            yield Mount(container.name, path, source, span, lower, is_read, is_folder), why


def _of_config_map(
    document: Document, container: Element, volume: Element, config_map_of: ConfigMapOf
) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration files of a ConfigMap, under the names that they have in a container."""
    name, target = volume.value("config-map"), volume.value("target")
    if not (isinstance(name, str) and isinstance(target, str)):
        return
    folder, folders, sub_path = target.rstrip("/"), _conf_folders(container), volume.value("sub-path")
    is_folder = folder in folders and not volume.has("sub-path")
    if not is_folder and folder.rpartition("/")[0] not in folders:
        return
    why, span = f"ConfigMap {name}", volume.attributes["target"].span
    documents = config_map_of(document, name)
    if not documents:
        yield Mount(container.name, target, why, span, None, None, is_folder), why
        return
    keys = _names_by_key(documents, volume)
    found: dict[str, Document] = {}
    for lower in documents:
        inside = keys.get(_key_of(lower), "")
        if not is_folder:
            inside = os.path.basename(folder) if inside == sub_path else ""
        if inside in _FILES:
            found[inside] = lower
    for inside, lower in found.items():
        path = f"{folder}/{inside}" if is_folder else folder
        is_read = _is_read(inside, found, document, is_folder=is_folder)
        yield Mount(container.name, path, why, span, lower, is_read, is_folder), why


def _conf_folders(container: Element) -> tuple[str, ...]:
    """Return the folders in which a container's Flink may look for its configuration."""
    chosen = container.value("environment.FLINK_CONF_DIR")
    return (chosen.rstrip("/"),) if isinstance(chosen, str) and chosen else CONF_FOLDERS


def _is_read(name: str, present: Collection[str], document: Document, *, is_folder: bool) -> bool | None:
    """Return whether the release of a document's image reads a file of this name; None if the release is unknown.

    Beside a single file that is mounted there is the image's own, which is the one that its release prefers.
    """
    try:
        index = None if document.release is None else nearest_index(parse_release(document.release[0]))
    except ValueError:  # a range
        index = None
    if index is None:
        return None
    return pick(present if is_folder else {name}, index) == name


def _key_of(document: Document) -> str:
    """Return the key of a ConfigMap whose file a document is, or the start of the document's text."""
    return document.text[slice(*document.head)].strip("\"'")


def _names_by_key(documents: Sequence[Document], volume: Element) -> dict[str, str]:
    """Return the names of the files in a volume, by their keys in the ConfigMap."""
    items = {item.value("key"): item.value("path") for item in volume.items("items")}
    if items:
        return {key: path for key, path in items.items() if isinstance(key, str) and isinstance(path, str)}
    return {key: key for key in map(_key_of, documents)}

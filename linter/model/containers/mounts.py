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
_NAMED_VOLUME = "volume"
"""The kind of a volume that Docker fills with the files of the image when it is first mounted."""


class Mount(NamedTuple):
    """A Flink configuration file in a container, mounted from a volume or copied into the image."""

    container: str
    """The name of the container."""
    path: str
    """The path of the file in the container."""
    source: str
    """The origin of the file, such as ``ConfigMap flink-config`` or ``./conf``."""
    span: Span
    """The span that declares the file, in `declared_in` or, if that is None, in the container's own document."""
    document: Document | None
    """The parsed document of the file; None if the file is not among the files of the run."""
    is_read: bool | None
    """Whether the Flink release reads a file with this name; None if the release is unknown."""
    is_folder: bool
    """Whether a whole folder is mounted, which hides the image's own configuration file."""
    declared_in: Document | None = None
    """The Dockerfile that copies the file; None if the container's own document declares it."""


class Copy(NamedTuple):
    """A file or folder that an image build copies into the image."""

    source: str
    """The source path of the copy as written."""
    path: str
    """The absolute path of the source; empty if it is unknown."""
    target: str
    span: Span
    document: Document
    """The document that declares the copy."""


class Container(NamedTuple):
    """A container in which to look for configuration files, with the copies into its image and the image's release."""

    document: Document
    element: Element
    copies: Sequence[Copy]
    release: tuple[str, str] | None
    """The Flink release of the container's image, and the evidence for it; None if the release is unknown."""


FilesAt = Callable[[str], Sequence[Document]]
"""A function that returns the documents of the file at an absolute path."""

ConfigMapOf = Callable[[Document, str], Sequence[Document]]
"""A function that returns the documents of the ConfigMap that a document refers to by name."""


def copies_of(document: Document, container: Element) -> Iterator[Copy]:
    """Yield the copies into a container's image that the container's own document declares."""
    for copy in container.items("copies"):
        source, target = copy.value("source"), copy.value("target")
        if isinstance(source, str) and isinstance(target, str):
            path = document.absolute(source)
            yield Copy(source, path, target, copy.attributes["target"].span, document)


def mounts_of(container: Container, files_at: FilesAt, config_map_of: ConfigMapOf) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration files in a container, each with an explanation of why it is there.

    A file that is copied into the image does not count if a later copy or a volume replaces it.
    """
    copied = {}
    for copy in container.copies:
        for mount, why in _of_copy(container, copy, files_at):
            copied[mount.path] = mount, why
    volumes = container.element.items("volumes")
    for mount, why in copied.values():
        if not any(_hides(volume, mount.path) for volume in volumes):
            yield mount, why
    for volume in volumes:
        yield from _of_volume(container, volume, files_at)
        yield from _of_config_map(container, volume, config_map_of)


def hides_files(container: Element) -> bool:
    """Return whether a volume replaces the configuration in the image of a container."""
    return any(True for _ in _hiding_volumes(container))


def is_read_only(container: Element) -> bool:
    """Return whether a container's configuration is mounted read-only, so that its entrypoint cannot change it."""
    return any(volume.value("kind") in ("config", "secret") for volume in _hiding_volumes(container))


def _hiding_volumes(container: Element) -> Iterator[Element]:
    """Yield the volumes that replace a configuration file in the image of a container."""
    paths = [f"{folder}/{name}" for folder in conf_folders(container) for name in _FILES]
    for volume in container.items("volumes"):
        if any(_hides(volume, path) for path in paths):
            yield volume


def _hides(volume: Element, path: str) -> bool:
    """Return whether a volume is mounted over a file of the image, or over its folder."""
    target = volume.value("target")
    if not isinstance(target, str) or volume.value("kind") == _NAMED_VOLUME:
        return False
    target = target.rstrip("/")
    return path == target or (not volume.has("sub-path") and path.rpartition("/")[0] == target)


def _of_copy(container: Container, copy: Copy, files_at: FilesAt) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration that the build of an image copies into its configuration directory."""
    folder, folders = copy.target.rstrip("/"), conf_folders(container.element)
    base, name = copy.path, os.path.basename(copy.source.rstrip("/"))
    is_folder = False
    if folder not in folders:
        if folder.rpartition("/")[0] not in folders or os.path.basename(folder) not in _FILES:
            return
        paths = {os.path.basename(folder): base}
        folder = folder.rpartition("/")[0]
    elif any(sign in name for sign in "*?["):
        from fnmatch import fnmatchcase  # rarely needed

        paths = {one: os.path.join(os.path.dirname(base), one) for one in _FILES if fnmatchcase(one, name)}
    elif name in _FILES:
        paths = {name: base}
    elif os.path.splitext(name)[1] in _OTHER_FILES:
        return
    else:
        paths, is_folder = {one: os.path.join(base, one) for one in _FILES}, True
    found = {one: documents for one, path in paths.items() if base and (documents := files_at(path))}
    own = None if copy.document is container.document else copy.document
    why = f"copied to {copy.target}"
    if not found and paths:
        yield (
            Mount(container.element.name, copy.target, copy.source, copy.span, None, None, is_folder, own), why,
        )  # fmt: skip
    for one, documents in found.items():
        is_read = _is_read(one, found, container.release, is_folder=is_folder)
        for lower in documents:
            path = f"{folder}/{one}"
            yield Mount(container.element.name, path, copy.source, copy.span, lower, is_read, is_folder, own), why


def _of_volume(container: Container, volume: Element, files_at: FilesAt) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration in a file or folder of the repository that a container mounts."""
    source, target = volume.value("source"), volume.value("target")
    if not (isinstance(source, str) and isinstance(target, str)):
        return
    base = container.document.absolute(source)
    folder, folders, name = target.rstrip("/"), conf_folders(container.element), container.element.name
    is_folder = folder in folders
    if is_folder:
        paths = {one: os.path.join(base, one) for one in _FILES}
    elif folder.rpartition("/")[0] in folders and os.path.basename(folder) in _FILES:
        paths = {os.path.basename(folder): base}
    else:
        return
    found = {one: documents for one, path in paths.items() if (documents := files_at(path))}
    span, why = volume.attributes["target"].span, f"mounted at {target}"
    is_other_file = is_folder and os.path.splitext(base)[1] in _OTHER_FILES
    if not found and not is_other_file and volume.value("kind") not in (_NAMED_VOLUME, "tmpfs"):
        yield Mount(name, target, source, span, None, None, is_folder), why
    for one, documents in found.items():
        is_read = _is_read(one, found, container.release, is_folder=is_folder)
        path = f"{folder}/{one}" if is_folder else folder
        for lower in documents:
            yield Mount(name, path, source, span, lower, is_read, is_folder), why


def _of_config_map(container: Container, volume: Element, config_map_of: ConfigMapOf) -> Iterator[tuple[Mount, str]]:
    """Yield the configuration files of a ConfigMap, under the names that they have in a container."""
    name, target = volume.value("config-map"), volume.value("target")
    if not (isinstance(name, str) and isinstance(target, str)):
        return
    element = container.element
    folder, folders, sub_path = target.rstrip("/"), conf_folders(element), volume.value("sub-path")
    is_folder = folder in folders and not volume.has("sub-path")
    if not is_folder and folder.rpartition("/")[0] not in folders:
        return
    why, span = f"ConfigMap {name}", volume.attributes["target"].span
    documents = config_map_of(container.document, name)
    if not documents:
        yield Mount(element.name, target, why, span, None, None, is_folder), why
        return
    keys = _names_by_key(documents, volume)
    found: dict[str, Document] = {}
    for lower in documents:
        inside = keys.get(key_of(lower), "")
        if not is_folder:
            inside = os.path.basename(folder) if inside == sub_path else ""
        if inside in _FILES:
            found[inside] = lower
    for inside, lower in found.items():
        path = f"{folder}/{inside}" if is_folder else folder
        is_read = _is_read(inside, found, container.release, is_folder=is_folder)
        yield Mount(element.name, path, why, span, lower, is_read, is_folder), why


def conf_folders(container: Element) -> tuple[str, ...]:
    """Return the folders in which a container's Flink may look for its configuration."""
    chosen = container.value("environment.FLINK_CONF_DIR")
    return (chosen.rstrip("/"),) if isinstance(chosen, str) and chosen else CONF_FOLDERS


def _is_read(name: str, present: Collection[str], release: tuple[str, str] | None, *, is_folder: bool) -> bool | None:
    """Return whether the release of an image reads a file of this name; None if the release is unknown.

    Beside a single file that is mounted there is the image's own, which is the one that its release prefers.
    """
    try:
        index = None if release is None else nearest_index(parse_release(release[0]))
    except ValueError:  # a range
        index = None
    if index is None:
        return None
    return pick(present if is_folder else {name}, index) == name


def key_of(document: Document) -> str:
    """Return the key whose value a document is, of a ConfigMap or of values; else the start of the document's text."""
    return document.head_text.strip("\"'")


def _names_by_key(documents: Sequence[Document], volume: Element) -> dict[str, str]:
    """Return the names of the files in a volume, by their keys in the ConfigMap."""
    items = {item.value("key"): item.value("path") for item in volume.items("items")}
    if items:
        return {key: path for key, path in items.items() if isinstance(key, str) and isinstance(path, str)}
    return {key: key for key in map(key_of, documents)}

"""Volumes of a pod that are in memory, and Flink's directories on them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_BACKEND = "state.backend.type"
_DIRECTORIES = {"rocksdb": "state.backend.rocksdb.localdir", "forst": "state.backend.forst.local-dir"}
_MEDIUM = regex(r"(.*?)volumes\[(\d+)\]\.emptyDir\.medium")
_MOUNT = regex(r"(.*\.containers\[\d+\])\.volumeMounts\[\d+\]\.mountPath")


class Mount(NamedTuple):
    """The path at which a container of the pod mounts a volume."""

    path: str
    container: str | None
    """The name of the container; None if it is unknown or an init container."""


class MemoryVolume(NamedTuple):
    """A volume in memory (tmpfs), with its mounts."""

    medium: str
    """The attribute that declares the volume as memory."""
    mounts: list[Mount]

    def holds(self, directories: list[str]) -> bool:
        """Return whether one of the directories is on the volume."""
        return any(_is_in(directory, mount.path) for directory in directories for mount in self.mounts)


def memory_volumes(resource: ElementView) -> Iterator[MemoryVolume]:
    """Yield the memory volumes of a Kubernetes object."""
    attributes = resource.element.attributes
    for name in attributes:
        if resource.text(name) != "Memory" or not (match := _MEDIUM.fullmatch(name)):
            continue
        volume = resource.text(f"{match[1]}volumes[{match[2]}].name")
        mounts = []
        for path, attribute in attributes.items():
            mount = path.removesuffix("mountPath")
            if mount == path or not path.startswith(match[1]) or resource.text(f"{mount}name") != volume:
                continue
            of = _MOUNT.fullmatch(path)
            mounts.append(Mount(str(attribute.value), resource.text(f"{of[1]}.name") if of else None))
        yield MemoryVolume(name, mounts)


def state_directories(config: View) -> tuple[Setting, list[str]] | None:
    """Return the setting and directories of a disk-based state backend; None if they are unknown."""
    own = _DIRECTORIES.get((config.string(_BACKEND) or "").lower())
    if own is None:
        return None
    setting = config.get(own)
    if not setting.is_set:
        setting = config.get("io.tmp.dirs")
    if not setting.is_known:
        return None
    return setting, [directory for directory in re.split(r"[,:|]", setting.text) if directory.startswith("/")]


def _is_in(directory: str, mount: str) -> bool:
    return directory == mount or directory.startswith(f"{mount.rstrip('/')}/")

"""Volumes of a pod that are memory, and what of Flink lies in them."""

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
    """Where a container of the pod has a volume."""

    path: str
    container: str | None
    """The container's name; None where that is not known, or where it is another kind of container."""


class MemoryVolume(NamedTuple):
    """A volume that is a tmpfs."""

    medium: str
    """The attribute that says so."""
    mounts: list[Mount]

    def holds(self, directories: list[str]) -> bool:
        """Whether one of some directories lies in it."""
        return any(_is_in(directory, mount.path) for directory in directories for mount in self.mounts)


def memory_volumes(resource: ElementView) -> Iterator[MemoryVolume]:
    """The volumes of an object of Kubernetes that are memory."""
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
    """Where a state backend that is made for disks keeps its files, with what says so; None where nothing does."""
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

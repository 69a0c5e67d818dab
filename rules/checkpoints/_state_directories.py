"""The directories a job recovers from, where they are on a machine's own disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.uris import Location, locate
from flink_flint.linter.model.process_view import ProcessView
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

OF_HIGH_AVAILABILITY = "high-availability.storageDir"
_WHAT = {
    "execution.checkpointing.dir": "checkpoints",
    "execution.checkpointing.savepoint-dir": "savepoints",
    OF_HIGH_AVAILABILITY: "job graphs and checkpoint pointers of high availability",
    "job-result-store.storage-path": "job results",
}
READS = [*_WHAT]
_SHARED = READS[:2]
"""The directories that JobManager and TaskManagers both write to; the others are the JobManager's."""
OF_STATE = [key for key in READS if key != OF_HIGH_AVAILABILITY]
"""Those whose loss costs state or results; without that of high availability no job recovers at all."""

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "")
"""Addresses that name no host of their own: loopback, and those that only say where to listen."""

_MOUNT = regex(
    r"/(?:mnt|media|net|nfs[\w-]*|efs[\w-]*|fsx\w*|pvc?\w*|nas\w*|san|ceph\w*|gluster\w*|lustre|gpfs|netapp|remote|"
    r"shared?[\w-]*|"
    r"[\w.-]*[-_.](?:nfs|efs|pvc?|shared?|volume|mount))(?:/|$)",
    re.IGNORECASE,
)


class LocalDirectory(NamedTuple):
    """A directory for recovery that is on a local disk or on something mounted there."""

    setting: Setting
    location: Location
    what: str
    """What is stored in it."""


def local_directories(config: View, keys: Sequence[str] = OF_STATE) -> Iterator[LocalDirectory]:
    """Those of the directories that are local; of high availability and job results only where it is on."""
    default = config.get("fs.default-scheme")
    bare_is_local = not default.is_set or locate(default.text).scheme == "file"
    for key in keys:
        setting = config.get(key)
        if not setting.is_set or not setting.is_known:
            continue
        location = locate(setting.text)
        if not location.is_local or not location.path.startswith("/") or not (location.scheme or bare_is_local):
            continue
        if key not in _SHARED and mode(config) in (NONE, UNKNOWN):
            continue
        yield LocalDirectory(setting, location, _WHAT[key])


def looks_mounted(path: str) -> bool:
    """Whether a path is named like a network or persistent volume: ``/mnt``, ``/nfs``, ``/efs``, ``pv``, ``shared``."""
    return _MOUNT.search(path) is not None


def several_machines(config: View) -> str | None:
    """What in the configuration says that the processes do not share one disk; None where nothing does."""
    if config.platform in ("yarn", "emr"):
        return "YARN spreads the containers over machines"
    if config.platform == "kubernetes":
        return "every pod has a disk of its own"
    if mode(config) not in (NONE, UNKNOWN):
        return "high availability means several machines"
    if config.sibling_files is not None:
        hosts = config.sibling_files.hosts("workers") or config.sibling_files.hosts("slaves") or []
        if len(set(hosts)) > 1:
            return f"there are {len(set(hosts))} worker machines"
    address = config.get("jobmanager.rpc.address")
    if address.is_set and address.is_known and address.text not in _LOCAL_HOSTS:
        return f"TaskManagers reach the JobManager as {address.text}, so it is a host of its own"
    return None


# -- containers: which volume a directory is on

_ROLES = ("jobmanager", "taskmanager", "cluster")
_PASSING = ("empty", "tmpfs", "ephemeral", "config", "secret")
"""Volumes that are gone with the container or its pod."""


class LayeredEntry(NamedTuple):
    """Where a directory of one container really is."""

    container: ProcessView | ElementView
    volume: ElementView | None
    """The volume it is on; None where it is in the container itself."""
    target: str
    """Where that volume is mounted."""
    source: str | None
    """What tells the volume from others; None where nothing does."""

    @property
    def is_lasting(self) -> bool:
        """Whether it outlives the container."""
        return self.volume is not None and self.volume.text("kind") not in _PASSING

    @property
    def name(self) -> str:
        """How a message calls the place."""
        if self.volume is None:
            return "nothing"
        if self.volume.text("kind") in _PASSING:
            return "a volume of the container's own"
        return self.source or f"the volume at {self.target}"


def held(container: ProcessView | ElementView, path: str) -> LayeredEntry | None:
    """Where a path of a process, or of a container beside it, is; None where nobody can tell."""
    best: tuple[str, ElementView] | None = None
    for volume in container.volumes() if isinstance(container, ProcessView) else container.items("volumes"):
        if not volume.is_known("target"):
            return None
        target = (volume.text("target") or "").rstrip("/") or "/"
        inside = path == target or path.startswith(f"{target.rstrip('/')}/")
        if inside and (best is None or len(target) > len(best[0])):
            best = target, volume
    if best is None:
        return LayeredEntry(container, None, "", None)
    target, volume = best
    if not volume.is_known("source"):
        return LayeredEntry(container, volume, target, f"what is mounted at {target}")
    source = volume.text("source")
    return LayeredEntry(container, volume, target, None if source is None else source.rstrip("/") + path[len(target) :])


def in_containers(config: View) -> list[ProcessView]:
    """The JobManagers and TaskManagers that a document starts in containers of its own."""
    found = [process for process in config.processes if process.containers and not process.is_requested]
    return [process for process in found if process.role in ("jobmanager", "taskmanager")]


def containers(config: View) -> list[ProcessView | ElementView]:
    """The JobManagers and TaskManagers of the cluster in containers, the document's own first, then those beside it."""
    beside = [part for part in config.elements("neighbor") if part.text("role") in _ROLES]
    return [*in_containers(config), *beside]


def holders(config: View, directory: LocalDirectory) -> list[LayeredEntry] | None:
    """Where each container that uses a directory has it; None where one cannot be told, or there are no containers."""
    found = []
    for container in containers(config):
        role = container.role if isinstance(container, ProcessView) else container.text("role")
        if role == "taskmanager" and directory.setting.key not in _SHARED:
            continue
        place = held(container, directory.location.path)
        if place is None:
            return None
        found.append(place)
    return found or None

"""Directories that a job recovers from but that are on a local disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.flink.uris import Location, locate
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

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
"""The keys of the directories whose loss costs state or results, without the high-availability directory."""

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "")
"""Addresses that name no host of their own: loopback, and those that only say where to listen."""

_TASKMANAGER_ADDRESSES = ("taskmanager.host", "taskmanager.bind-host")

_MOUNT = regex(
    r"/(?:mnt|media|net|nfs[\w-]*|efs[\w-]*|fsx\w*|pvc?\w*|nas\w*|san|ceph\w*|gluster\w*|lustre|gpfs|netapp|remote|"
    r"shared?[\w-]*|"
    r"[\w.-]*[-_.](?:nfs|efs|pvc?|shared?|volume|mount))(?:/|$)",
    re.IGNORECASE,
)


class LocalDirectory(NamedTuple):
    """A recovery directory on a local disk, or on a volume mounted there."""

    setting: Setting
    location: Location
    what: str
    """A description of the directory's contents."""


def local_directories(config: View, keys: Sequence[str] = OF_STATE) -> Iterator[LocalDirectory]:
    """Yield the directories of the given options that are local; some of them count only with high availability."""
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
    """Return whether a path looks like a network or persistent volume: ``/mnt``, ``/nfs``, ``/efs``, ``shared``."""
    return _MOUNT.search(path) is not None


def several_machines(config: View) -> str | None:
    """Return a clause that says why the processes do not share one disk; None if nothing indicates this."""
    if config.platform in ("yarn", "emr"):
        return "YARN spreads the containers over machines"
    if config.platform == "kubernetes":
        return "every pod has a disk of its own"
    if mode(config) not in (NONE, UNKNOWN):
        return "high availability means several machines"
    hosts = set(config.hosts("workers") or config.hosts("slaves"))
    if len(hosts) > 1:
        return f"there are {len(hosts)} worker machines"
    address = config.get("jobmanager.rpc.address")
    of_taskmanagers = {config.get(key).text.strip() for key in _TASKMANAGER_ADDRESSES}
    if address.is_set and address.is_known and address.text.strip() not in (*_LOCAL_HOSTS, *of_taskmanagers):
        return f"TaskManagers reach the JobManager as {address.text}, so it is a host of its own"
    return None


# -- containers: which volume a directory is on

_ROLES = ("jobmanager", "taskmanager", "cluster")
_PASSING = ("empty", "tmpfs", "ephemeral", "config", "secret")
"""Volumes that are gone with the container or its pod."""


class HeldDirectory(NamedTuple):
    """The location of a directory in a container: inside the container, or on a volume."""

    container: ProcessView | ElementView
    volume: ElementView | None
    """The volume with the directory; None if the directory is in the container itself."""
    target: str
    """The path at which the volume is mounted."""
    source: str | None
    """The identity of the directory on the source of the volume; None if it is unknown."""

    @property
    def role(self) -> str | None:
        """The role of the container, such as ``taskmanager``; None if it is unknown."""
        return self.container.text("role") if isinstance(self.container, ElementView) else self.container.role

    @property
    def is_lasting(self) -> bool:
        """Whether the directory outlives the container."""
        return self.volume is not None and self.volume.text("kind") not in _PASSING

    @property
    def survives_reboots(self) -> bool:
        """Whether the directory outlives the container, and is not below a /tmp of the machine."""
        return self.is_lasting and not (self.source or "").startswith(("/tmp", "/var/tmp"))

    @property
    def name(self) -> str:
        """The name that messages give the location: the volume's, or ``nothing`` if the directory is on no volume."""
        if self.volume is None:
            return "nothing"
        if self.volume.text("kind") in _PASSING:
            return "a volume of the container's own"
        return self.source or f"the volume at {self.target}"


def held(container: ProcessView | ElementView, volumes: Sequence[ElementView], path: str) -> HeldDirectory | None:
    """Return the location of a path in a process or another container with some volumes; None if it is unknown."""
    best: tuple[str, ElementView] | None = None
    for volume in volumes:
        if not volume.is_known("target"):
            return None
        target = (volume.text("target") or "").rstrip("/") or "/"
        inside = path == target or path.startswith(f"{target.rstrip('/')}/")
        if inside and (best is None or len(target) > len(best[0])):
            best = target, volume
    if best is None:
        return HeldDirectory(container, None, "", None)
    target, volume = best
    if not volume.is_known("source"):
        return HeldDirectory(container, volume, target, f"what is mounted at {target}")
    source = volume.text("source")
    return HeldDirectory(
        container, volume, target, None if source is None else source.rstrip("/") + path[len(target) :]
    )


def in_containers(config: View) -> list[ProcessView]:
    """Return the JobManagers and TaskManagers that a document starts in containers of its own."""
    found = [process for process in config.processes if process.containers and not process.is_requested]
    return [process for process in found if process.role in ("jobmanager", "taskmanager")]


def on_volume_of_chart(config: View, directory: LocalDirectory) -> bool | None:
    """Return whether all containers of the chart share a lasting volume at a directory; None if that is unknown.

    False unless the directory is set in values of a chart that no rendering of it contains.
    """
    workloads = [part for part in config.workloads or () if part.text("role") in _ROLES]
    if directory.setting.key not in _SHARED:
        workloads = [part for part in workloads if part.text("role") != "taskmanager"]
    places = [held(part, part.items("volumes"), directory.location.path) for part in workloads]
    known = [place for place in places if place is not None]
    if any(not place.is_lasting or _is_of_the_pod(place) for place in known):
        return False
    if len(known) < len(places) or any(place.source is None for place in known):
        return None
    return len({place.source for place in known}) == 1


def _is_of_the_pod(place: HeldDirectory) -> bool:
    """Return whether a directory is on a volume of no kind: one that a StatefulSet claims for each of its pods."""
    return place.volume is not None and not place.volume.has("kind")


def holders(config: View, directory: LocalDirectory) -> list[HeldDirectory] | None:
    """Return the location of a directory in each container that uses it; None if one is unknown or there are none.

    These are the JobManagers and TaskManagers of the cluster, the document's own first.
    """
    beside = [part for part in config.elements("neighbor") if part.text("role") in _ROLES]
    members: list[tuple[ProcessView | ElementView, str | None, Sequence[ElementView]]] = [
        *((process, process.role, process.volumes()) for process in in_containers(config)),
        *((part, part.text("role"), part.items("volumes")) for part in beside),
    ]
    found = []
    for container, role, volumes in members:
        if role == "taskmanager" and directory.setting.key not in _SHARED:
            continue
        place = held(container, volumes, directory.location.path)
        if place is None:
            return None
        found.append(place)
    return found or None

"""RocksDB keeps the state of running tasks on a network file system.

Every access to state waits for the network, and incremental checkpoints fail with `IO error: While hard-linking` or
`Operation not supported` where the file system has no hard links.

## What it does
With the state backend `rocksdb` (or `forst`) it looks for the directory of its files
(`state.backend.rocksdb.localdir`, or `io.tmp.dirs`)

- on an `nfs` volume of a TaskManager's pod,
- on a claim of access mode `ReadWriteMany`, which only network file systems offer,
- below the mount of the local path to which checkpoints go, where the processes are on several machines.

## Why it matters
RocksDB is made for a disk of its own. It reads blocks at random, rewrites files in the background and links them for
a snapshot. On NFS, EFS or Azure Files each of these is a call over the network: throughput falls to a fraction, and
all TaskManagers share what the server can do. SMB and FUSE have no hard links, so that no checkpoint completes. The
files are of no use elsewhere: after a failure Flink restores the state from the checkpoint, and never reads what a
TaskManager left.

## What to do
Set `state.backend.rocksdb.localdir` to a directory on a disk of the node (`emptyDir`, a generic ephemeral volume or a
claim that is `ReadWriteOnce`), and leave the shared volume to checkpoints and savepoints.

## Not when
The directory is on another volume, or it is not known what the volume is.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#rocksdb-state-backend-details>:
  the local directory
- <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes>: which volumes are ReadWriteMany
- <https://github.com/facebook/rocksdb/wiki/Checkpoints>: a snapshot is made of hard links
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.rules.checkpoints._checkpointing import DIRECTORY
from flink_flint.rules.checkpoints._state_directories import held, in_containers, looks_mounted, several_machines
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.storage._memory_volumes import state_directories

_SHARED = "ReadWriteMany"
_READS = ["state.backend.rocksdb.localdir", "state.backend.forst.local-dir", "io.tmp.dirs"]


@rule(
    code="FLK742",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=_READS,
    scope="project",
    compares=[(["element:volume-claim"], _READS)],
    since="0.1",
)
def rocksdb_on_network_volume(project: Project) -> Iterator[Finding]:
    """RocksDB keeps the state of running tasks on a network file system"""
    claims: dict[str, list[ElementView]] = defaultdict(list)
    for config in project.views:
        for claim in config.elements("volume-claim"):
            claims[claim.name].append(claim)
    for config in project.views:
        found = state_directories(config)
        if found is not None and found[0].is_set:
            yield from _on_network(config, *found, claims)


def _on_network(
    config: View, setting: Setting, directories: Sequence[str], claims: Mapping[str, Sequence[ElementView]]
) -> Iterator[Finding]:
    for path in directories:
        for process in in_containers(config):
            place = held(process, process.volumes(), path) if process.role == "taskmanager" else None
            if place is None or place.volume is None:
                continue
            why = _network(place.volume, claims)
            if why is not None:
                yield _finding(setting, path, f"{why}, mounted at {place.target}", place.volume)
                return
        shared = _beside_checkpoints(config, path)
        if shared is not None:
            yield _finding(setting, path, f"{shared}, which all machines share for checkpoints")
            return


def _network(volume: ElementView, claims: Mapping[str, Sequence[ElementView]]) -> str | None:
    """Return what a volume is, if that is a network file system; None otherwise."""
    if volume.text("kind") == "nfs":
        return "an NFS volume"
    named = claims.get(volume.text("source") or "", ()) if volume.text("kind") == "claim" else ()
    if len(named) == 1 and any(mode.text("") == _SHARED for mode in named[0].items("access")):
        return f"the claim {named[0].name}, which is {_SHARED} and so on a network file system"
    return None


def _beside_checkpoints(config: View, path: str) -> str | None:
    """Return the folder that a path shares with local checkpoints, if it is the mount of a shared file system."""
    checkpoints = config.get(DIRECTORY)
    if not checkpoints.is_set or not checkpoints.is_known or several_machines(config) is None:
        return None
    location = locate(checkpoints.text)
    if not location.is_local or not location.path.startswith("/"):
        return None
    shared = posixpath.commonpath([path, location.path])
    return shared if shared.count("/") > 1 and looks_mounted(shared) else None


def _finding(setting: Setting, path: str, where: str, volume: ElementView | None = None) -> Finding:
    return setting.finding(
        f"RocksDB's files in {path} are on {where}: state is accessed over the network, and without hard links there"
        " no incremental checkpoint completes",
        help=f"set {setting.written} to a directory on a disk of the node, and keep checkpoints on the shared volume",
        related=[] if volume is None else [volume.place("target", "on the network")],
    )


_SETTINGS = "state.backend.type: rocksdb\nstate.backend.rocksdb.localdir: /state/db"
_TEMPLATE = """podTemplate:
  spec:
    containers:
      - name: flink-main-container
        volumeMounts: [{name: state, mountPath: /state}]
    volumes:
      - name: state
        %s
"""
_CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: state}
spec:
  accessModes: [%s]
---
"""
_CONF = """jobmanager.rpc.address: jobmanager
state.backend.type: rocksdb
state.backend.rocksdb.localdir: %s
execution.checkpointing.dir: %s
"""


def cases() -> list[Case]:
    nfs, claim = "nfs: {server: a, path: /b}", "persistentVolumeClaim: {claimName: state}"

    def resource(volume: str, settings: str = _SETTINGS) -> str:
        return deployment(settings, spec=_TEMPLATE % volume)

    return [
        bad(resource(nfs), file="orders.yaml", at="/state/db", severity=Severity.WARNING, says="an NFS volume"),
        bad(_CLAIM % "ReadWriteMany" + resource(claim), file="orders.yaml", says="the claim state, which is"),
        bad(
            _CONF % ("/mnt/flink/rocksdb", "file:///mnt/flink/chk"), file="flink-conf.yaml", flink="1.20",
            says="on /mnt/flink, which all machines share",
        ),
        good(resource("emptyDir: {}"), file="orders.yaml"),
        good(_CLAIM % "ReadWriteOnce" + resource(claim), file="orders.yaml"),
        good(resource(claim), file="orders.yaml"),
        good(resource(nfs, _SETTINGS.replace("/state/db", "/local")), file="orders.yaml"),
        good(resource(nfs, _SETTINGS.replace("type: rocksdb", "type: hashmap")), file="orders.yaml"),
        good(_CONF % ("/mnt/disk/rocksdb", "file:///mnt/flink/chk"), file="flink-conf.yaml", flink="1.20"),
        good(_CONF % ("/mnt/flink/rocksdb", "s3://flink/chk"), file="flink-conf.yaml", flink="1.20"),
        good(
            (_CONF % ("/mnt/flink/rocksdb", "file:///mnt/flink/chk")).replace(": jobmanager", ": localhost"),
            file="flink-conf.yaml", flink="1.20",
        ),
        good(_CONF % ("/tmp/flink/rocksdb", "file:///tmp/flink/chk"), file="flink-conf.yaml", flink="1.20"),
    ]  # fmt: skip

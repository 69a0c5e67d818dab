"""The state of RocksDB is on the disk of a node that nobody asked for.

## What it does
In a resource of the operator with the state backend `rocksdb` or `forst`, looks where TaskManagers keep their working
state (`state.backend.rocksdb.localdir`, else `io.tmp.dirs`). It is advice where that is in the container itself or in
an `emptyDir`, and neither `spec.taskManager.resource.ephemeralStorage` nor a pod template says how much
`ephemeral-storage` it takes. The rule is opt-in: on nodes with large disks nothing ever happens.

## Why it matters
Kubernetes places pods by what they request. Without a request all TaskManagers may end on one node, share its disk
with images and logs, and grow. When the disk is nearly full the node evicts pods, those without a request first: the
job restarts, restores its state onto the next node, and fills that one. The logs of Flink show nothing but a lost
TaskManager.

## What to do
Set `spec.taskManager.resource.ephemeralStorage` to about two and a half times the state of a TaskManager, or mount a
volume of its own (a generic ephemeral volume) at the directory.

## Not when
- The directory is on a persistent volume, a generic ephemeral volume or a `hostPath`, or it is a template's.
- The backend is not set, or keeps state on the heap.

## Sources
- <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#local-ephemeral-storage>:
  requests, limits and eviction
- <https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/>: who is evicted first
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/reference/#resource>:
  `ephemeralStorage`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/>: where RocksDB keeps its files
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._state_directories import HeldDirectory, held
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, Resource, resources

_BACKEND = "state.backend.type"
_DIRECTORIES = {"rocksdb": "state.backend.rocksdb.localdir", "forst": "state.backend.forst.local-dir"}
_TEMPORARY = "io.tmp.dirs"
_TEMPLATES = ("podTemplate", "taskManager.podTemplate")


@rule(
    code="FLK734",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_BACKEND],
    only=["element:kubernetes-object"],
    flink=">=1.13",
    of_scale=True,
    pedantic=True,
    since="0.1",
)
def disk_not_requested(config: View) -> Iterator[Finding]:
    """the state of RocksDB is on the disk of a node that nobody asked for"""
    backend, own = config.get(_BACKEND), _DIRECTORIES.get((config.string(_BACKEND) or "").lower())
    resource = next(resources(config, *CLUSTERS), None)
    if own is None or resource is None or not resource.is_whole or _asks(resource):
        return
    setting = config.get(own) if config.is_set(own) else config.get(_TEMPORARY)
    if not setting.is_known:
        return
    directories = re.split("[,:|]", setting.text) if setting.is_set else ["/tmp"]
    container = next((part for part in config.elements("container") if part.text("role") == "taskmanager"), None)
    volumes = [] if container is None else container.items("volumes")
    held_at = [] if container is None else [held(container, volumes, directory) for directory in directories]
    places = [place for place in held_at if place is not None]
    if len(places) < len(held_at) or not any(map(_is_nodes, places)):
        return
    yield backend.finding(
        f"the state of {backend.text} grows in {', '.join(directories)} of the container, and nothing requests"
        " ephemeral-storage for it: a node whose disk fills evicts the TaskManager",
        help="set spec.taskManager.resource.ephemeralStorage to about two and a half times the state of a TaskManager",
        related=[setting] if setting.is_set else [],
    )


def _is_nodes(place: HeldDirectory) -> bool:
    """Whether it is on the disk of the node, where all pods may write."""
    return place.volume is None or place.volume.text("kind") == "empty"


def _asks(resource: Resource) -> bool:
    """Whether it says how much disk a TaskManager takes."""
    if resource.has("taskManager.resource.ephemeralStorage"):
        return True
    openings = tuple(f"{resource.path(template)}." for template in _TEMPLATES)
    return any(
        name.startswith(openings) and name.endswith(".ephemeral-storage") for name in resource.part.element.attributes
    )


_ROCKSDB = "state.backend.type: rocksdb"
_LOCAL = f"{_ROCKSDB}\nstate.backend.rocksdb.localdir: /data/rocksdb"
_MEMORY = "taskManager:\n  resource: {memory: 4g, cpu: 1%s}"
_VOLUME = """
podTemplate:
  spec:
    containers:
      - name: flink-main-container
        volumeMounts:
          - {name: data, mountPath: /data}
    volumes:
      - name: data
        %s
"""
_REQUEST = """
%s:
  %sspec:
    containers:
      - name: flink-main-container
        resources:
          requests: {%s: 10Gi}
"""
_ASKED = _REQUEST % ("podTemplate", "", "ephemeral-storage")


def _with(configuration: str, spec: str) -> str:
    return deployment(configuration, spec=spec)


def _nested(template: str) -> str:
    return "".join(f"  {line}\n" for line in template.strip().splitlines())


_FILE = {"file": "deployment.yaml"}


def cases() -> list[Case]:
    return [
        bad(_with(_ROCKSDB, _MEMORY % ""), **_FILE, at=_BACKEND, severity=Severity.INFO, says="grows in /tmp"),
        bad(_with("state.backend: rocksdb\nio.tmp.dirs: /scratch", _MEMORY % ""), **_FILE, says="grows in /scratch"),
        bad(_with(_LOCAL, _VOLUME % "emptyDir: {}"), **_FILE, says="grows in /data/rocksdb"),
        bad(_with(_LOCAL, _REQUEST % ("podTemplate", "", "memory")), **_FILE),
        good(_with(_LOCAL, _VOLUME % "persistentVolumeClaim: {claimName: data}"), **_FILE),
        good(_with(_LOCAL, _VOLUME % "hostPath: {path: /mnt/ssd}"), **_FILE),
        good(_with(_ROCKSDB, _MEMORY % ", ephemeralStorage: 10Gi"), **_FILE),
        good(_with(_LOCAL, _ASKED), **_FILE),
        good(_with("state.backend.type: hashmap", _MEMORY % ""), **_FILE),
        good(_with("rest.port: '8081'", _MEMORY % ""), **_FILE),
        bad(_with(f"{_ROCKSDB}\nio.tmp.dirs: /data/a,/tmp", _VOLUME % "hostPath: {path: /mnt/ssd}"), **_FILE),
        good(_with(f"{_ROCKSDB}\nio.tmp.dirs: /data/a,/data/b", _VOLUME % "hostPath: {path: /mnt/ssd}"), **_FILE),
        good(_with(_ROCKSDB, "mode: native"), **_FILE),
        good(_with(f"{_ROCKSDB}\nio.tmp.dirs: ${{TMP}}", _MEMORY % ""), **_FILE),
        good(f"{_ROCKSDB}\nrest.port: 8081\n"),
        good(_with("state.backend.type: '{{ backend }}'", _MEMORY % ""), **_FILE),
        good(_with(_LOCAL, "taskManager:\n" + _nested(_ASKED)), **_FILE),
        bad(_with(_LOCAL, _MEMORY % "" + "\njobManager:\n" + _nested(_ASKED)), **_FILE),
        bad(_with(_LOCAL, _MEMORY % "" + "\njobManager:\n" + _nested(_VOLUME % "hostPath: {path: /mnt/ssd}")), **_FILE),
        good(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: taskmanager\nspec:\n  template:\n    spec:\n"
            "      containers:\n        - name: taskmanager\n          image: flink:1.20\n"
            "          args: [taskmanager]\n"
            f"          env:\n            - name: FLINK_PROPERTIES\n              value: '{_ROCKSDB}'\n",
            **_FILE,
        ),
        *cases_in_folders(__file__),
    ]

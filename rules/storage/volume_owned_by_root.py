"""Flink may not write to the volume on which its checkpoints are to lie.

## What it does
Follows the directories of checkpoints, savepoints and high availability to the volume that the container mounts there:

- in Docker Compose, a named volume, or a folder of the host by its whole path, at a path that Flink's image does not
  have;
- in Kubernetes, a claim in a pod whose `securityContext` has `runAsUser` and no `fsGroup`.

## Why it matters
Docker creates a new volume, and a folder that is not there, for `root` with mode 755, unless the image has the path.
Flink's image runs as `flink` (user 9999): `Failed to create directory for shared state`, `Mkdirs failed to create
file:/...`. With a claim it is the same, because only `fsGroup` gives the volume to the user of the pod. The job fails
at its first checkpoint, and with high availability the JobManager does not start.

## What to do
In Compose, create the path in an image of your own (`RUN mkdir -p /data && chown flink:flink /data`), or run a service
before that changes the owner of the volume to 9999. In Kubernetes, set `fsGroup` to the user of the pod.

## Not when
Something in the file changes owners or modes (`chown`, `chmod`, `user:` other than `flink`, an init container), the
image is not Flink's own (Compose), or the path is a folder of Flink in the image, such as `/opt/flink/log`.

## Sources
- <https://docs.docker.com/engine/storage/volumes/#populate-a-volume-using-a-container>: a new volume has what the image
  has at its path
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `gosu flink`
- <https://kubernetes.io/docs/tasks/configure-pod-container/security-context/>: `fsGroup` owns the volumes of a pod
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.checkpoints._state_directories import READS, LocalDirectory, holders, local_directories

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

_CHANGES = regex(
    r"(?m)\b(?:chown|chmod|fsGroup|initContainers|supplementalGroups)\b"
    r"|^[ \t]*user[ \t]*:(?![ \t]*[\"']?(?:flink|9999)\b)|--user\b"
)
_USER = regex(r"\brunAsUser\s*:\s*[1-9]")
_OF_IMAGE = ("/opt/flink", "/opt/flink/log", "/opt/flink/conf", "/opt/flink/lib", "/opt/flink/plugins", "/tmp")
_CLAIM = "without fsGroup it belongs to root"
_MADE_BY_DOCKER = {"volume": "a new volume belongs to root", "bind": "Docker makes the folder for root"}


@rule(
    code="FLK190",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=READS,
    when=["element:container"],
    since="0.1",
)
def volume_owned_by_root(config: View) -> Iterator[Finding]:
    """Flink may not write to the volume of its checkpoints"""
    told: set[str] = set()
    for directory in local_directories(config, READS):
        found = _on_a_volume(config, directory)
        if found is None or found[0] in told:
            continue
        target, why, volume = found
        told.add(target)
        yield directory.setting.finding(
            f"{directory.what} go to the volume at {target}: {why}, and Flink runs as flink (9999): it fails with"
            " 'Failed to create directory'",
            help="set fsGroup: 9999 in the securityContext of the pod"
            if why == _CLAIM
            else f"create {target} in an image of your own, with chown flink:flink",
            related=[volume.place("target", "mounted here")],
        )


def _on_a_volume(config: View, directory: LocalDirectory) -> tuple[str, str, ElementView] | None:
    """The path of the volume that has a directory, why Flink cannot write to it, and the volume."""
    for place in holders(config, directory) or ():
        volume = place.volume
        kind, target = (volume.text("kind"), volume.text("target")) if volume is not None else (None, None)
        if volume is None or kind is None or target is None or volume.has("read-only"):
            continue
        text = volume.document.text
        if _CHANGES.search(text):
            continue
        if kind == "claim":
            if _USER.search(text):
                return target, _CLAIM, volume
        elif kind in _MADE_BY_DOCKER and target.rstrip("/") not in _OF_IMAGE:
            image, source = _image(place.container), volume.text("source") or ""
            if image is not None and is_official(image) and (kind == "volume" or source.startswith("/")):
                return target, _MADE_BY_DOCKER[kind], volume
    return None


def _image(container: ProcessView | ElementView) -> str | None:
    if isinstance(container, ElementView):
        return container.text("image")
    image = container.image
    return image.value if image is not None and isinstance(image.value, str) else None


_COMPOSE = """services:
  jobmanager:
    image: {image}
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        state.checkpoints.dir: file://{target}
    volumes:
      - {source}:{target}
  taskmanager:
    image: {image}
    command: taskmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        state.checkpoints.dir: file://{target}
    volumes:
      - {source}:{target}
{more}"""
_NAMED = "volumes: {checkpoints: {}}\n"
_INIT = """  init:
    image: busybox
    command: chown -R 9999 /data
    volumes: [checkpoints:/data]
"""
_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: jobmanager}}
spec:
  template:
    spec:
      securityContext: {{{security}}}
      containers:
        - name: jobmanager
          image: acme/orders:1
          args: [jobmanager]
          env:
            - name: FLINK_PROPERTIES
              value: |
                jobmanager.rpc.address: jobmanager
                state.checkpoints.dir: file:///data/checkpoints
          volumeMounts: [{{name: data, mountPath: /data}}]
      volumes: [{{name: data, persistentVolumeClaim: {{claimName: data}}}}]
"""


def _compose(target: str = "/data", source: str = "checkpoints", image: str = "flink:1.20", more: str = _NAMED) -> str:
    return _COMPOSE.format(target=target, source=source, image=image, more=more)


def cases() -> list[Case]:
    return [
        bad(
            _compose(), file="docker-compose.yaml", at="execution.checkpointing.dir", times=2,
            severity=Severity.WARNING, says="a new volume belongs to root",
        ),
        bad(_compose("/tmp/checkpoints", "/tmp/checkpoints", more=""), file="docker-compose.yaml", times=2),
        bad(_POD.format(security="runAsUser: 9999"), file="jobmanager.yaml", says="without fsGroup"),
        bad(_compose(more="    user: flink\n" + _NAMED), file="docker-compose.yaml", times=2),
        good(_compose(more="    user: root\n" + _NAMED), file="docker-compose.yaml"),
        good(_compose(more=_INIT + _NAMED), file="docker-compose.yaml"),
        good(_compose("/opt/flink/log"), file="docker-compose.yaml"),
        good(_compose(image="acme/orders:1"), file="docker-compose.yaml"),
        good(_compose(source="./data", more=""), file="docker-compose.yaml"),
        good(_POD.format(security="runAsUser: 9999, fsGroup: 9999"), file="jobmanager.yaml"),
        good(_POD.format(security=""), file="jobmanager.yaml"),
        ]  # fmt: skip

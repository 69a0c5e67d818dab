"""A volume without Flink is mounted over a folder of Flink.

## What it does
Reports containers that mount an empty volume (`emptyDir`, `tmpfs`), a ConfigMap or a Secret at `/opt/flink`,
`/opt/flink/lib` or `/opt/flink/bin`.

## Why it matters
A volume hides what the image has at its path. Without `lib` there is no `flink-dist.jar`: the container ends with
`Error: Could not find or load main class
org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint`, `Flink distribution jar not found in
/opt/flink/lib`, or `exec: "/opt/flink/bin/jobmanager.sh": no such file or directory`. It mostly is meant to add one
jar.

## What to do
Mount a single file by `subPath` (`mountPath: /opt/flink/lib/driver.jar`), mount the volume at `/opt/flink/usrlib` (for
libraries of a job), or copy the jar in an image of your own.

## Not when
- The volume is a claim, a folder of the host or of the repository, or a named volume of Docker, which is filled with
  what the image has: they may contain Flink.
- Something in the file copies Flink's folder to the volume first (`cp -r /opt/flink/lib/. /mnt`).
- `subPath` is given, or the image is not one of Flink.

## Sources
- <https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath>
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/flink-bin/bin/config.sh>:
  `constructFlinkClassPath`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_HOME = "/opt/flink"
_FOLDERS = {
    _HOME: "Flink itself",
    f"{_HOME}/lib": "flink-dist.jar and all libraries of Flink",
    f"{_HOME}/bin": "the scripts that start Flink",
}
_EMPTY = {"empty": "an emptyDir", "tmpfs": "a tmpfs", "ephemeral": "an ephemeral volume", "config": "a ConfigMap",
          "secret": "a Secret"}  # fmt: skip
_COPIED = regex(r"\b(?:cp|rsync|mv|tar)\b[^\r\n]{0,300}(?:/opt/flink|FLINK_HOME)")


@rule(
    code="FLK191",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    since="0.1",
)
def volume_hides_flink(config: View) -> Iterator[Finding]:
    """a volume without Flink is mounted over a folder of Flink"""
    reported: set[object] = set()
    for process in config.processes:
        if process.role not in ("jobmanager", "taskmanager", "cluster", "sql-gateway"):
            continue
        for volume in process.volumes():
            what, kind = _hidden(volume), volume.text("kind") or ""
            place = volume.document.path, volume.span("target")
            if what is None or place in reported or _COPIED.search(volume.document.text) is not None:
                continue
            reported.add(place)
            target = (volume.text("target") or "").rstrip("/")
            yield volume.finding(
                f"{_EMPTY[kind]} at {target} hides {what} in the image: {process.name} ends with 'Could not find or"
                " load main class' or 'no such file'",
                of="target",
                key="mountPath",
                help=f"mount a single file by subPath, such as {_HOME}/lib/driver.jar, or mount it elsewhere",
            )


def _hidden(volume: ElementView) -> str | None:
    """Return what a volume hides of Flink for certain; None if it may contain it."""
    target, kind = volume.text("target"), volume.text("kind")
    if target is None or kind not in _EMPTY or volume.has("sub-path"):
        return None
    return _FOLDERS.get(target.rstrip("/"))


_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  serviceAccount: flink
  podTemplate:
    spec:
      initContainers:
        - name: driver
          image: {image}
          command: [sh, -c, "{command}"]
          volumeMounts: [{{name: extra, mountPath: /extra}}]
      containers:
        - name: flink-main-container
          volumeMounts: [{{name: extra, mountPath: {target}{more}}}]
      volumes:
        - name: extra
          {volume}
  jobManager: {{resource: {{memory: 1600m}}}}
  taskManager: {{resource: {{memory: 2048m}}}}
"""
_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    {volume}
"""


def _resource(
    target: str = "/opt/flink/lib", more: str = "", volume: str = "emptyDir: {}",
    command: str = "wget -P /extra https://example.org/driver.jar", image: str = "busybox",
) -> str:  # fmt: skip
    return _RESOURCE.format(target=target, more=more, volume=volume, command=command, image=image)


def cases() -> list[Case]:
    return [
        bad(_resource(), file="orders.yaml", at="mountPath", severity=Severity.ERROR, times=1,
            says="an emptyDir at /opt/flink/lib hides flink-dist.jar"),
        bad(_resource("/opt/flink/", volume="configMap: {name: jars}"), file="orders.yaml", says="hides Flink itself"),
        bad(_COMPOSE.format(volume="volumes: [{type: tmpfs, target: /opt/flink/lib}]"), file="docker-compose.yaml"),
        good(_resource("/opt/flink/lib/driver.jar", ", subPath: driver.jar"), file="orders.yaml"),
        good(_resource("/opt/flink/usrlib"), file="orders.yaml"),
        good(_resource(volume="persistentVolumeClaim: {claimName: flink}"), file="orders.yaml"),
        good(_resource(command="cp -r /opt/flink/lib/. /extra", image="flink:1.20"), file="orders.yaml"),
        good(_COMPOSE.format(volume='volumes: ["lib:/opt/flink/lib"]'), file="docker-compose.yaml"),
    ]  # fmt: skip

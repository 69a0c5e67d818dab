"""A container may write nowhere, and Flink must.

## What it does
Reports JobManagers and TaskManagers with `readOnlyRootFilesystem: true` and no volume at `/tmp`, unless all directories
that Flink makes there are elsewhere.

## Why it matters
The entrypoint of Flink's image writes the options of `FLINK_PROPERTIES` to a file in `/opt/flink/conf`: `sed: couldn't
open temporary file /opt/flink/conf/sedXXXX: Read-only file system`, and the options are lost. Flink keeps jars, uploads
and temporary files in `/tmp`: `java.io.IOException: Could not create storage directory for BLOB
store`, and the process ends.

## What to do
Mount an `emptyDir` at `/tmp` and at `/opt/flink/log`. Mount the configuration as a ConfigMap, or an `emptyDir` with a
copy of `conf` (made by an init container) where `FLINK_PROPERTIES` sets options.

## Not when
A volume lies at `/tmp`; the pods are those of the operator or native Kubernetes and `io.tmp.dirs` is set, which is what
the directories are made in.

## Sources
- <https://kubernetes.io/docs/tasks/configure-pod-container/security-context/>
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `set_config_option`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#io-tmp-dirs>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View

_READ_ONLY = "readOnlyRootFilesystem"
_TEMPORARY = "io.tmp.dirs"


@rule(
    code="FLK193",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    only=["platform:kubernetes", "platform:operator"],
    since="0.1",
)
def root_file_system_read_only(config: View) -> Iterator[Finding]:
    """a container may write nowhere, and Flink must"""
    if config.is_set(_TEMPORARY):
        return
    for part in config.elements("kubernetes-object"):
        for name, attribute in part.element.attributes.items():
            if not name.endswith(f".{_READ_ONLY}") or attribute.value is not True or "initContainers" in name:
                continue
            process = _process(config, part, name)
            if process is None:
                continue
            targets = [(volume.text("target") or "").rstrip("/") for volume in process]
            if any(not volume.is_known("target") for volume in process) or any(
                target in ("/tmp", "") for target in targets
            ):
                continue
            yield part.finding(
                "the root file system is read-only and no volume lies at /tmp: the JobManager and TaskManager end with"
                " 'Could not create storage directory for BLOB store', and the entrypoint writes no options",
                of=name,
                key=_READ_ONLY,
                help="mount an emptyDir at /tmp and at /opt/flink/log, and the configuration as a ConfigMap",
            )
            return


def _process(config: View, part: ElementView, name: str) -> list[ElementView] | None:
    """Return the volumes of the JobManager or TaskManager that a security context is of; None if it is of another."""
    container = part.text(f"{name.rpartition('.securityContext.')[0]}.name")
    for process in config.processes:
        if process.role not in ("jobmanager", "taskmanager") or not process.containers:
            continue
        if container in (process.name, "flink-main-container"):
            return process.volumes()
    return None


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: jobmanager}}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20
          args: [jobmanager]
          env: [{{name: FLINK_PROPERTIES, value: "jobmanager.rpc.address: jobmanager{more}"}}]
          securityContext: {{readOnlyRootFilesystem: {value}}}
          volumeMounts: [{{name: data, mountPath: {target}}}]
      volumes: [{{name: data, emptyDir: {{}}}}]
"""
_SIDECAR = """        - name: proxy
          image: envoy
          securityContext: {readOnlyRootFilesystem: true}
"""


def _pod(target: str = "/opt/flink/log", value: str = "true", more: str = "") -> str:
    return _POD.format(target=target, value=value, more=more)


def cases() -> list[Case]:
    return [
        bad(_pod(), file="jobmanager.yaml", at=_READ_ONLY, severity=Severity.ERROR, says="no volume lies at /tmp"),
        bad(_pod("/tmp/flink"), file="jobmanager.yaml", at=_READ_ONLY),
        good(_pod("/tmp"), file="jobmanager.yaml"),
        good(_pod(value="false"), file="jobmanager.yaml"),
        good(_pod(more="\\nio.tmp.dirs: /data"), file="jobmanager.yaml"),
        good(_pod(value="false") .replace("      volumes", f"{_SIDECAR}      volumes"), file="jobmanager.yaml"),
    ]  # fmt: skip

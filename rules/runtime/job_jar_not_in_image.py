"""The JAR of a job is not in the image.

## What it does
Follows `local://` of `spec.job.jarURI` into the image of a FlinkDeployment. Reports it where the image is Flink's own,
no volume and no init container brings the path, and it is not one of Flink's examples; and where the Dockerfile beside
the resource moves or deletes the very file.

## Why it matters
`local://` is a path in the container of the JobManager, not on the machine or in the repository. The JobManager ends
with `org.apache.flink.client.program.ProgramInvocationException: JAR file does not exist: /home/ubuntu/orders.jar` or
`java.nio.file.NoSuchFileException`, and the operator starts it again and again.

## What to do
Build an image that has the JAR (`COPY orders.jar /opt/flink/usrlib/`), or mount a volume with it at the path.

## Not when
A volume is mounted at or above the path, the image is not Flink's own (and nothing beside it shows how it is built), or
it is set by what is not in the repository.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/overview/#application-deployments>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#application-mode>:
  `local` means inside of the image
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_SHIPPED = ("/opt/flink/examples/", "/opt/flink/opt/", "/opt/flink/lib/")
_TAKEN_AWAY = regex(r"\b(?:mv|rm)(?:[ \t]+-\w+)*[ \t]+(?P<path>/[\w./-]+\.jar)\b")


@rule(
    code="FLK975",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkDeployment"],
    scope="project",
    compares=["folder"],
    since="0.1",
)
def job_jar_not_in_image(project: Project) -> Iterator[Finding]:
    """the JAR of a job is not in the image"""
    for views in project.directories.values():
        builds = [config for config in views if config.elements("image")]
        for config in views:
            for part in config.elements("kubernetes-object"):
                if part.name == "FlinkDeployment":
                    yield from _judge(config, part, builds)


def _judge(config: View, part: ElementView, builds: list[View]) -> Iterator[Finding]:
    uri = part.text("spec.job.jarURI")
    if uri is None or not uri.startswith("local://") or "$" in uri or "{{" in uri:
        return
    path = "/" + uri.removeprefix("local://").lstrip("/")
    if not _is_without(config, part, path):
        return
    images = {str(process.image.value) for process in config.processes if process.image is not None}
    of_flink = images and all(map(is_official, images)) and all(one.dockerfile is None for one in config.processes)
    if of_flink and not path.startswith(_SHIPPED):
        yield _finding(part, path, f"the image {sorted(images)[0]} is Flink's own and has no {path}, and nothing is"
                       " mounted there", "build an image with it, or mount a volume with it")  # fmt: skip
        return
    for build in builds:
        taken = next((one for one in _TAKEN_AWAY.finditer(build.document.text) if one["path"] == path), None)
        if taken is not None and len(builds) == 1:
            image = build.elements("image")[0]
            yield _finding(part, path, f"{build.document.file_name} takes {path} away ({taken[0].split()[0]})",
                           "name the path that the image has at its end", image)  # fmt: skip


def _finding(part: ElementView, path: str, why: str, remedy: str, image: ElementView | None = None) -> Finding:
    return part.finding(
        f"{why}: the JobManager ends with 'JAR file does not exist: {path}'",
        of="spec.job.jarURI",
        key="spec.job.jarURI",
        help=remedy,
        related=[] if image is None else [image.place("from", "the image of the Dockerfile")],
    )


def _is_without(config: View, part: ElementView, path: str) -> bool:
    """Return whether nothing that the pods mount or run before may bring a path."""
    if not config.document.whole or any("initContainers" in name for name in part.element.attributes):
        return False
    for process in config.processes:
        for volume in process.volumes():
            target = volume.text("target")
            if target is None or f"{path}/".startswith(f"{target.rstrip('/')}/"):
                return False
    return bool(config.processes)


_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: {image}
  flinkVersion: v1_20
  serviceAccount: flink
  {more}
  jobManager: {{resource: {{memory: 1600m}}}}
  taskManager: {{resource: {{memory: 2048m}}}}
  job:
    jarURI: {uri}
"""
_VOLUME = """podTemplate:
    spec:
      containers:
        - name: flink-main-container
          volumeMounts: [{name: jobs, mountPath: /home/ubuntu}]
      volumes: [{name: jobs, hostPath: {path: /home/ubuntu}}]"""
_CDC = "/opt/flink/flink-cdc-3.3.0/lib/flink-cdc-dist-3.3.0.jar"


def _resource(
    uri: str = "local:///home/ubuntu/orders.jar", image: str = "flink:1.20", more: str = "mode: native"
) -> str:
    return _RESOURCE.format(uri=uri, image=image, more=more)


def cases() -> list[Case]:
    build = f"FROM flink:1.20\nADD flink-cdc-3.3.0-bin.tar.gz /opt/flink/\nRUN mv {_CDC} /opt/flink/lib/\n"
    return [
        bad(_resource(), file="orders.yaml", at="spec.job.jarURI", severity=Severity.WARNING,
            says="is Flink's own and has no /home/ubuntu/orders.jar"),
        bad(_resource(f"local://{_CDC}", "acme/cdc:1"), file="orders.yaml", beside={"Dockerfile": build},
            says="Dockerfile takes"),
        good(_resource("local:///opt/flink/examples/streaming/StateMachineExample.jar"), file="orders.yaml"),
        good(_resource(more=_VOLUME), file="orders.yaml"),
        good(_resource(image="acme/orders:1"), file="orders.yaml"),
        good(_resource("https://example.org/orders.jar"), file="orders.yaml"),
        good(_resource("local:///opt/flink/lib/flink-cdc-dist-3.3.0.jar", "acme/cdc:1"), file="orders.yaml",
             beside={"Dockerfile": build}),
    ]  # fmt: skip

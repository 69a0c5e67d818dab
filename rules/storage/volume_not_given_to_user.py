"""A pod runs as a user who does not own the claim of its directories.

## What it does
Looks at pods that run Flink as a user other than root (`runAsUser`), without `fsGroup`, and mount a claim at the path
of a directory that a configuration beside them has: `high-availability.storageDir`, checkpoints, savepoints.

## Why it matters
A new volume belongs to root with mode 755, and only `fsGroup` makes Kubernetes give it to the group of the pod. Flink
cannot create its folder: `java.io.IOException: Mkdirs failed to create file:/nas/flink/recovery/default`, `Failed to
create checkpoint storage at checkpoint coordinator side`. With high availability the JobManager does not start.

## What to do
Set `fsGroup: 9999` in the `securityContext` of the pod. Where the driver of the volume ignores it (NFS), change the
owner in an init container: `chown -R 9999:9999 /nas/flink`.

## Not when
- The pod has `fsGroup`, `supplementalGroups` or an init container, or does not say as whom it runs.
- No configuration in the folder has a directory below the path of the claim. The directories of the container's own
  configuration are the business of `volume-owned-by-root`.

## Sources
- <https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#set-the-security-context-for-a-pod>
- <https://kubernetes.io/docs/concepts/storage/persistent-volumes/>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.checkpoints._state_directories import READS, LocalDirectory, local_directories

_USER = regex(r"(?:.*\.)?securityContext\.runAsUser")
_GIVEN = regex(r".*(?:fsGroup|supplementalGroups|initContainers).*")


@rule(
    code="FLK192",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:container"],
    scope="project",
    compares=["folder"],
    since="0.1",
)
def volume_not_given_to_user(project: Project) -> Iterator[Finding]:
    """a pod runs as a user who does not own the claim of its directories"""
    for views in project.directories.values():
        pods = [(config, found) for config in views if (found := _user(config)) is not None]
        if not pods:
            continue
        directories = [
            directory
            for config in views
            if (config.document.is_configuration_file or config.document.kind == "configmap")
            for directory in local_directories(config, READS)
        ]
        for config, (part, name) in pods:
            yield from _judge(config, part, name, directories)


def _judge(config: View, part: ElementView, name: str, directories: list[LocalDirectory]) -> Iterator[Finding]:
    own = {directory.setting.document for directory in local_directories(config, READS)}
    for container in config.elements("container"):
        if container.text("role") not in ("jobmanager", "taskmanager", "cluster"):
            continue
        for volume in container.items("volumes"):
            target = (volume.text("target") or "").rstrip("/")
            if volume.text("kind") != "claim" or not target or volume.has("read-only"):
                continue
            on_it = [one for one in directories if f"{one.location.path}/".startswith(f"{target}/")]
            if not on_it or any(one.setting.document in own for one in on_it):
                continue
            what = on_it[-1]
            yield part.finding(
                f"{container.name} runs as user {part.value(name)}, and the claim at {target} belongs to root:"
                f" {what.what} are to lie there, and it fails with 'Mkdirs failed to create file:{what.location.path}'",
                of=name,
                key="fsGroup",
                help=f"set fsGroup: {part.value(name)} in the securityContext of the pod, or chown {target} in an init"
                " container",
                related=[volume.place("target", "the claim"), *_place(what)],
            )
            return


def _place(directory: LocalDirectory) -> list[Place]:
    place = directory.setting.place("the directory")
    return [place] if place is not None else []


def _user(config: View) -> tuple[ElementView, str] | None:
    """Return the attribute of an object that says as whom its pods run, if they are given no volumes."""
    if config.platform != "kubernetes":
        return None
    for part in config.elements("kubernetes-object"):
        names = list(part.element.attributes)
        if any(_GIVEN.fullmatch(name) for name in names):
            return None
        for name in names:
            if _USER.fullmatch(name) and str(part.value(name)).isdigit() and str(part.value(name)) != "0":
                return part, name
    return None


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: jobmanager}}
spec:
  template:
    spec:
      {pod}
      containers:
        - name: jobmanager
          image: acme/orders:1
          args: [standalone-job]
          volumeMounts: [{{name: nas, mountPath: /nas/flink}}]
          securityContext: {{{security}}}
      volumes: [{{name: nas, persistentVolumeClaim: {{claimName: flink}}}}]
"""
_CONF = "high-availability: zookeeper\nhigh-availability.storageDir: file:///nas/flink/recovery\n"


def _pod(security: str = "runAsUser: 9999", pod: str = "restartPolicy: Always") -> str:
    return _POD.format(security=security, pod=pod)


def cases() -> list[Case]:
    conf = {"flink-conf.yaml": _CONF}
    init = "initContainers: [{name: chown, image: busybox, command: [chown, '9999', /nas/flink]}]"
    return [
        bad(_pod(), file="jobmanager.yaml", beside=conf, at="fsGroup", severity=Severity.WARNING,
            says="Mkdirs failed to create file:/nas/flink/recovery"),
        bad(_pod("", "securityContext: {runAsUser: 1000}"), file="jobmanager.yaml", beside=conf, at="fsGroup",
            says="runs as user 1000"),
        good(_pod("runAsUser: 9999", "securityContext: {fsGroup: 9999}"), file="jobmanager.yaml", beside=conf),
        good(_pod("runAsUser: 0"), file="jobmanager.yaml", beside=conf),
        good(_pod(""), file="jobmanager.yaml", beside=conf),
        good(_pod(pod=init), file="jobmanager.yaml", beside=conf),
        good(_pod(), file="jobmanager.yaml", beside={"flink-conf.yaml": _CONF.replace("/nas/", "/data/")}),
        good(_pod(), file="jobmanager.yaml"),
    ]  # fmt: skip

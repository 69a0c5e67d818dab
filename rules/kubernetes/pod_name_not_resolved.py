"""A process is to be reached by the name of its pod, for which Kubernetes makes no record.

## What it does
Looks in the pods of Flink for addresses of the form `$(POD_NAME).service`, in arguments and variables, where the
variable is the name of the pod (`fieldRef: metadata.name`). It reports those of

- a StatefulSet without `serviceName`, or with the name of another Service;
- a StatefulSet whose Service is in the project and has an address of its own (no `clusterIP: None`);
- a Deployment, whose pods have no names in DNS.

## Why it matters
Kubernetes makes a record for a pod only if its `subdomain` names a headless Service; a StatefulSet sets that to its
`serviceName`. Without it `taskmanager-0.taskmanager` is no host: TaskManagers register, and whoever connects to them
fails with `java.net.UnknownHostException: flink-taskmanager-0.flink-taskmanager`, or they end themselves as they cannot
bind to the address.

## What to do
Set `spec.serviceName` to the Service in the address, and that Service's `clusterIP: None`; or take the pod's address,
`status.podIP`, which needs no record.

## Not when
The pod template sets `subdomain` itself; the name of the Service is a template's.

## Sources
- <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#stable-network-id>: the names of pods
- <https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-hostname-and-subdomain-fields>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex

_KINDS = ("StatefulSet", "Deployment")
_TRIGGERS = [f"element:kubernetes-object/{kind}" for kind in _KINDS]
_SERVICES = ["element:kubernetes-object/Service"]
_SPEC = "spec.template.spec"
_TEXT = regex(r"spec\.template\.spec\.containers\[(\d+)\]\.(?:(?:args|command)\[\d+\]|env\[\d+\]\.value)")
_ADDRESS = regex(r"\$(?:\(([A-Z_][A-Z0-9_]*)\)|\{([A-Z_][A-Z0-9_]*)\})\.([a-z][a-z0-9-]*)(?![\w-])")


@rule(
    code="FLK794",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=_TRIGGERS,
    scope="project",
    compares=[(_TRIGGERS, _SERVICES)],
    since="0.1",
)
def pod_name_not_resolved(project: Project) -> Iterator[Finding]:
    """a process is to be reached by the name of its pod, which no DNS knows"""
    parts = [part for view in project.views for part in view.elements("kubernetes-object")]
    for view in project.views:
        if not view.elements("container"):
            continue
        for part in view.elements("kubernetes-object"):
            if part.name in _KINDS and not part.has(f"{_SPEC}.subdomain"):
                yield from _judge(part, parts)


def _judge(part: ElementView, parts: list[ElementView]) -> Iterator[Finding]:
    for name, attribute in part.element.attributes.items():
        match = _TEXT.fullmatch(name)
        if match is None or not isinstance(attribute.value, str):
            continue
        address = _ADDRESS.search(attribute.value)
        if address is None or not _is_pod_name(part, match[1], address[1] or address[2]):
            continue
        service = address[3]
        why = _why(part, service, parts)
        if why is None:
            continue
        yield part.finding(
            f"{address[0]} is no host: {why}, so that connections to it fail with UnknownHostException",
            of=name,
            key="serviceName",
            help=f"set serviceName: {service} of a StatefulSet, and clusterIP: None of that Service; or use the"
            " pod's address, status.podIP",
        )
        return


def _is_pod_name(part: ElementView, container: str, variable: str) -> bool:
    return any(
        one.text("name") == variable and one.text("valueFrom.fieldRef.fieldPath") == "metadata.name"
        for one in part.items(f"{_SPEC}.containers[{container}].env")
    )


def _why(part: ElementView, service: str, parts: list[ElementView]) -> str | None:
    """Return why the pods have no names below a Service; None if they have, or if that is not known."""
    if part.name == "Deployment":
        return "pods of a Deployment have no names in DNS"
    if not part.has("spec.serviceName"):
        return "the StatefulSet has no serviceName"
    own = part.text("spec.serviceName")
    if own is not None and own != service:
        return f"the serviceName of the StatefulSet is {own}"
    for one in parts:
        if one.name == "Service" and one.text("metadata.name") == service and own == service:
            address = one.text("spec.clusterIP")
            if address != "None" and (address is not None or not one.has("spec.clusterIP")):
                return f"the Service {service} is not headless"
    return None


_POD = """apiVersion: apps/v1
kind: %s
metadata: {name: flink-taskmanager}
spec:
  replicas: 3
%s  template:
    spec:
      containers:
      - name: taskmanager
        image: flink:1.20
        args: [taskmanager, "-Dtaskmanager.host=$(POD).flink-taskmanager"]
        env:
        - name: POD
          valueFrom: {fieldRef: {fieldPath: %s}}
        - {name: JOB_MANAGER_RPC_ADDRESS, value: flink-jobmanager}
"""
_SERVICE = """apiVersion: v1
kind: Service
metadata: {name: flink-taskmanager}
spec:
  %sselector: {app: flink}
  ports: [{port: 6122}]
"""


def cases() -> list[Case]:
    named = "  serviceName: flink-taskmanager\n"
    sound = _POD % ("StatefulSet", named, "metadata.name")
    return [
        bad(_POD % ("StatefulSet", "", "metadata.name"), file="tm.yaml", says="has no serviceName", at="$(POD)"),
        bad(_POD % ("Deployment", "", "metadata.name"), file="tm.yaml", says="pods of a Deployment"),
        bad(_POD % ("StatefulSet", "  serviceName: flink\n", "metadata.name"), file="tm.yaml", says="is flink,"),
        bad(sound, file="tm.yaml", beside={"service.yaml": _SERVICE % ""}, says="not headless"),
        good(sound, file="tm.yaml", beside={"service.yaml": _SERVICE % "clusterIP: None\n  "}),
        good(sound, file="tm.yaml"),
        good(sound, file="tm.yaml", beside={"service.yaml": (_SERVICE % "").replace("flink-taskm", "other-taskm")}),
        good(sound, file="tm.yaml", beside={"service.yaml": _SERVICE % "clusterIP: {{ .Values.ip }}\n  "}),
        good((_POD % ("StatefulSet", "", "metadata.name")).replace("$(POD)", "$(OTHER)"), file="tm.yaml"),
        good(_POD % ("StatefulSet", "", "status.podIP"), file="tm.yaml"),
        good(_POD % ("StatefulSet", "  serviceName: {{ .Values.name }}\n", "metadata.name"), file="templates/tm.yaml"),
        good(
            (_POD % ("Deployment", "", "metadata.name")).replace(
                "    spec:\n      c", "    spec:\n      subdomain: flink-taskmanager\n      c"
            ),
            file="tm.yaml",
        ),
    ]

"""A policy or Service for Flink's pods wants a label that none of them has.

## What it does
Compares the labels that a NetworkPolicy (`spec.podSelector`) or a Service (`spec.selector`) with Flink's ports selects
with the labels of Flink's pods in the same chart, folder and namespace. It reports a label that they all have with
another value, where the two are alike but for an ending: `app: flink` and `app: flink-taskmanager`.

## Why it matters
A selector without a pod is valid, so that nothing says so. A NetworkPolicy then lets nobody in that another one keeps
out: with a default policy that denies, TaskManagers wait for the JobManager (`Could not resolve ResourceManager
address`). Where it was to restrict Flink, all ports stay open. A Service has no endpoints: `Connection refused`.

## What to do
Select by a label that the pods have, such as `component: taskmanager`; `kubectl get pods -l app=flink` shows whom a
selector finds.

## Not when
A pod has the label, or labels that a template makes as a whole; the values are unlike each other, as the selector may
be for other pods.

## Sources
- <https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors>
- <https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors>
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import belongs_to, differ, labels, written
from flink_flint.rules.kubernetes._resource import CLUSTERS

_SELECTORS = {"NetworkPolicy": "spec.podSelector", "Service": "spec.selector"}
_SELECTING = [f"element:kubernetes-object/{kind}" for kind in _SELECTORS]
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job")
_POD_LABELS = "spec.template.metadata.labels"
_PORT = regex(r"spec\.(?:ports\[\d+\]|ingress\[\d+\]\.ports\[\d+\])\.(?:port|targetPort)")
_FLINK_PORTS = ("6121", "6122", "6123", "6124", "8081")
_CONSEQUENCES = {
    "NetworkPolicy": "the policy applies to none of them",
    "Service": "the Service has no endpoints, and who connects is refused",
}


class _Pods(NamedTuple):
    """The pods of a workload, with their labels as written."""

    part: ElementView
    labels: dict[str, str]


@rule(
    code="FLK793",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_SELECTING,
    scope="project",
    compares=[
        (
            _SELECTING,
            [*_SELECTING, *(f"element:kubernetes-object/{kind}" for kind in (*_WORKLOADS, "Pod", *CLUSTERS))],
        )
    ],
    since="0.1",
)
def selector_without_pods(project: Project) -> Iterator[Finding]:
    """a policy or Service wants a label that none of Flink's pods has"""
    objects = [part for view in project.views for part in view.elements("kubernetes-object")]
    selecting = [part for part in objects if part.name in _SELECTORS and _has_port_of_flink(part)]
    if not selecting:
        return
    others = {written(part, "metadata.name") for part in objects if part.name in (*CLUSTERS, "Pod")}
    for part in selecting:
        space = part.text("metadata.namespace")
        pods = [
            _Pods(one, {name: written(one, f"{_POD_LABELS}.{name}") or "" for name, _ in one.under(_POD_LABELS)})
            for one in objects
            if one.name in _WORKLOADS
            and belongs_to(one.document.path, part.document.path)
            and (None in (space, one.text("metadata.namespace")) or space == one.text("metadata.namespace"))
        ]
        if not pods or others or not all(one.labels for one in pods):
            continue
        yield from _judge(part, pods)


def _has_port_of_flink(part: ElementView) -> bool:
    return any(
        _PORT.fullmatch(name) is not None and str(attribute.value) in _FLINK_PORTS
        for name, attribute in part.element.attributes.items()
    )


def _judge(part: ElementView, pods: Sequence[_Pods]) -> Iterator[Finding]:
    selector = _SELECTORS[part.name]
    for key, value in labels(part, selector).items():
        given = [one.labels.get(key) for one in pods]
        if not value or None in given or not all(one and differ(value, one) for one in given):
            continue
        near = next((one for one in pods if _are_alike(value, one.labels[key])), None)
        if near is None:
            continue
        of = next(
            name for name in (f"{selector}.matchLabels.{key}", f"{selector}.{key}") if name in part.element.attributes
        )
        owner = written(near.part, "metadata.name") or near.part.name
        yield part.finding(
            f"no pod of Flink here has {key}: {value}, as {owner} has {key}: {near.labels[key]}:"
            f" {_CONSEQUENCES[part.name]}",
            of=of,
            help=f"write {key}: {near.labels[key]}, or select by a label that all of Flink's pods have",
            related=[near.part.place(f"{_POD_LABELS}.{key}", "the label of the pods")],
        )
        return


def _are_alike(one: str, other: str) -> bool:
    """Return whether a label is the other with an ending, such as the role of a process."""
    short, long = sorted((one, other), key=len)
    return len(short) > 2 and long.startswith((f"{short}-", f"{short}_"))


_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: flink-session}
spec:
  podSelector: {matchLabels: {app: %s}}
  policyTypes: [Ingress]
  ingress:
  - ports: [{port: %s, protocol: TCP}]
"""
_SERVICE = """apiVersion: v1
kind: Service
metadata: {name: jobmanager}
spec:
  selector: {app: %s}
  ports: [{port: 6123}]
"""
_PODS = """apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-taskmanager}
spec:
  selector: {matchLabels: {app: flink-taskmanager}}
  template:
    metadata: {labels: {app: flink-taskmanager, part: session}}
    spec:
      containers:
      - {name: taskmanager, image: "flink:1.20", args: [taskmanager]}
"""


def cases() -> list[Case]:
    pods = {"taskmanager.yaml": _PODS}
    return [
        bad(_POLICY % ("flink", 6122), file="policy.yaml", beside=pods, at="flink", says="app: flink-taskmanager"),
        bad(_SERVICE % "flink-taskmanager-x", file="service.yaml", beside=pods, says="no endpoints"),
        bad(
            "---\n".join((_POLICY % ("{{ .Release.Name }}-flink", 6123), _PODS)).replace(
                "flink-taskmanager", "{{ .Release.Name }}-flink-tm"
            ),
            file="templates/flink.yaml",
        ),
        good(_POLICY % ("flink-taskmanager", 6122), file="policy.yaml", beside=pods),
        good(_POLICY % ("flink", 9999), file="policy.yaml", beside=pods),
        good(_POLICY % ("shop", 8081), file="policy.yaml", beside=pods),
        good(_POLICY % ("flink", 8081), file="policy.yaml", beside={"pods/taskmanager.yaml": _PODS}),
        good(_POLICY % ("flink", 6122), file="policy.yaml", beside={**pods, "orders.yaml": deployment(name="flink")}),
        good(_POLICY % ("flink", 6122), file="policy.yaml"),
        good(_SERVICE % "flink-taskmanager", file="service.yaml", beside=pods),
        good((_SERVICE % "flink").replace("app: flink", "part: session, owner: flink"), file="s.yaml", beside=pods),
        bad(
            (_SERVICE % "flink").replace("app: flink", "part: session, app: flink"), file="s.yaml", beside=pods, times=1
        ),
        good(
            _SERVICE % "flink",
            file="service.yaml",
            beside={**pods, "jm.yaml": _PODS.replace("flink-taskmanager", "flink").replace("[taskm", "[jobm")},
        ),
        good(
            _SERVICE % "flink",
            file="service.yaml",
            beside={
                **pods,
                "jm.yaml": _PODS.replace("metadata: {labels: {app: flink-taskmanager, part: session}}", "metadata: {}"),
            },
        ),
        good(_SERVICE % "fl", file="service.yaml", beside={"tm.yaml": _PODS.replace("flink-taskm", "fl-taskm")}),
        good(
            (_POLICY % ("flink", 6122)).replace("name: flink-session", "name: flink-session, namespace: a"),
            file="policy.yaml",
            beside={"taskmanager.yaml": _PODS.replace("name: flink-t", "namespace: b, name: flink-t", 1)},
        ),
    ]

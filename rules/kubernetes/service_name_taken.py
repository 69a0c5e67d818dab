"""A Service has the name of one that Flink makes for the same deployment.

## What it does
Compares the names of `Service` objects with those that Flink and the operator make for a `FlinkDeployment` in the same
namespace: `NAME` (the address of the JobManager) and `NAME-rest` (its REST endpoint).

## Why it matters
Two owners then write one object. The operator makes the Service at each deployment, `kubectl apply`, Helm or Argo CD
puts its own fields back: GitOps reports drift for ever, TaskManagers lose the port of the JobManager when the selector
or the ports are replaced, and a deletion of one side takes the Service of the other away.

## What to do
Give the Service another name, such as `NAME-metrics`. The REST endpoint has one already: `NAME-rest`.

## Not when
The names or namespaces differ, or one of them is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/>: Flink
  makes a Service for the REST endpoint
- <https://github.com/apache/flink/blob/release-1.20/flink-kubernetes/src/main/java/org/apache/flink/kubernetes/kubeclient/services/HeadlessClusterIPService.java>:
  and one by the name of the cluster
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources

_SERVICES = ["element:kubernetes-object/Service"]
_DEPLOYMENTS = [f"element:kubernetes-object/{kind}" for kind in CLUSTERS]


@rule(
    code="FLK282",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=_SERVICES,
    scope="project",
    compares=[(_SERVICES, _DEPLOYMENTS)],
    since="0.1",
)
def service_name_taken(project: Project) -> Iterator[Finding]:
    """a Service has the name of one that Flink makes itself"""
    made: dict[str, list[ElementView]] = {}
    for config in project.views:
        for name, part in _deployments(config):
            made.setdefault(name, []).append(part)
            made.setdefault(f"{name}-rest", []).append(part)
    for config in project.views:
        for part in config.elements("kubernetes-object"):
            service = part.text("metadata.name") if part.name == "Service" else None
            owner = next((one for one in made.get(service or "", ()) if _namespace(one) == _namespace(part)), None)
            if owner is None:
                continue
            yield part.finding(
                f"Flink makes a Service {service} for the deployment {owner.text('metadata.name')} itself: two owners"
                " overwrite each other, GitOps reports drift, and TaskManagers may lose the JobManager",
                of="metadata.name",
                help=f"give it another name, such as {owner.text('metadata.name')}-metrics",
                related=[owner.place("metadata.name", "the deployment")],
            )


def _deployments(config: View) -> Iterator[tuple[str, ElementView]]:
    for resource in resources(config, *CLUSTERS):
        name = resource.part.text("metadata.name")
        if name:
            yield name, resource.part


def _namespace(part: ElementView) -> str | None:
    """The namespace of an object; an empty text where none is written."""
    return part.text("metadata.namespace") if part.has("metadata.namespace") else ""


def _service(name: str, namespace: str = "") -> str:
    inside = f", namespace: {namespace}" if namespace else ""
    return (
        "---\napiVersion: v1\nkind: Service\n"
        f"metadata: {{name: {name}{inside}}}\n"
        "spec:\n  selector: {app: flink, component: jobmanager}\n  ports: [{name: rest, port: 8081}]\n"
    )


def cases() -> list[Case]:
    return [
        bad(
            deployment() + _service("orders"), file="orders.yaml", at="orders", severity=Severity.WARNING,
            says="two owners",
        ),
        bad(_service("orders-rest"), file="service.yaml", beside={"orders.yaml": deployment()}),
        good(deployment() + _service("orders-metrics"), file="orders.yaml"),
        good(deployment() + _service("orders", "other"), file="orders.yaml"),
        good(_service("orders"), file="service.yaml"),
    ]  # fmt: skip

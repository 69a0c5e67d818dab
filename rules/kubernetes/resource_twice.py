"""A file has two resources of one name, and the second replaces the first.

## What it does
Compares kind, namespace and name of the operator's resources (FlinkDeployment, FlinkSessionJob,
FlinkBlueGreenDeployment) within one file. A FlinkBlueGreenDeployment named `orders` also takes the names `orders-blue`
and `orders-green` for itself.

## Why it matters
To Kubernetes both are the same object. `kubectl apply` sends one after the other: the first job starts, the operator
upgrades it to the second, and one of the two jobs does not run, without an error anywhere. The second has the state of
the first to start from, of which nothing fits.

## What to do
Give each resource a name of its own, in `metadata.name`: high availability, services and pods are called after it.

## Not when
- The resources are in different namespaces, or one of the names is a template's.
- They are in different files: these may be environments, bases and overlays.
- Both have the comment `# Source:` of one template: they are the output of `helm template`, appended run after run.

## Sources
- <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/>: one object of a kind and name in a
  namespace
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/kubernetes_ha/>: what the cluster id names
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/concepts/bluegreen-controller-flow/>:
  the children of a blue/green deployment
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import CLUSTERS, Resource, resources

_KINDS = (*CLUSTERS, "FlinkSessionJob")
_SOURCE = "# Source: "
"""The start of the comment that `helm template` writes above each object."""


@rule(
    code="FLK735",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=[f"element:kubernetes-object/{kind}" for kind in _KINDS],
    flink=">=1.0",
    scope="project",
    compares=[],
    since="0.1",
)
def resource_twice(project: Project) -> Iterator[Finding]:
    """two resources of one name in a file: the second replaces the first"""
    known: dict[tuple[str, ...], tuple[View, Resource]] = {}
    for config in project.views:
        for resource in resources(config, *_KINDS):
            name = resource.part.text("metadata.name")
            if name is None or not resource.part.is_known("metadata.namespace") or not _is_one(resource):
                continue
            where = (config.document.path, resource.part.text("metadata.namespace") or "")
            for key in _names(resource, name):
                other = known.setdefault((*where, *key), (config, resource))
                if other[0] is config or _is_rendered_again(other, (config, resource)):
                    continue
                yield config.finding(
                    f"the file has two objects that are {key[0]} {key[1]}: to Kubernetes they are one, and what is"
                    " applied later replaces the other",
                    span=resource.part.span("metadata.name"),
                    key="metadata.name",
                    help="give each a metadata.name of its own",
                    related=[other[1].part.place("metadata.name")],
                )
                break


def _is_one(resource: Resource) -> bool:
    """Whether it is a resource of its own, and no patch of one."""
    return resource.is_whole or resource.has("deploymentName")


def _is_rendered_again(one: tuple[View, Resource], other: tuple[View, Resource]) -> bool:
    """Whether Helm wrote both from one template: the output of several runs is in one file, which nobody applies."""
    source = _source(*one)
    return source is not None and source == _source(*other)


def _source(config: View, resource: Resource) -> str | None:
    """The line with which Helm says from which template it made a resource."""
    span = resource.part.span("metadata.name")
    if span is None:
        return None
    text = config.document.text
    head = text[text.rfind("\n---", 0, span.start) + 1 : span.start]
    return next((line for line in head.splitlines() if line.startswith(_SOURCE)), None)


def _names(resource: Resource, name: str) -> list[tuple[str, str]]:
    """The objects that a resource is, and those that the operator makes of it."""
    if resource.kind != "FlinkBlueGreenDeployment":
        return [(resource.kind, name)]
    return [(resource.kind, name), *(("FlinkDeployment", f"{name}-{colour}") for colour in ("blue", "green"))]


def _both(*manifests: str) -> str:
    return "---\n".join(manifests)


_ONE = deployment()
_BLUE_GREEN = deployment(kind="FlinkBlueGreenDeployment")
_JOB = session_job("jarURI: s3://a/b.jar")
_FILE = {"file": "deployment.yaml"}


def cases() -> list[Case]:
    return [
        bad(_both(_ONE, deployment(version="v1_19")), **_FILE, at="metadata.name", severity=Severity.ERROR,
            says="FlinkDeployment orders"),
        bad(_both(_JOB, _ONE, _JOB), **_FILE, says="FlinkSessionJob orders"),
        bad(_both(_ONE, _ONE, _ONE), **_FILE, times=2),
        bad(_both(_BLUE_GREEN, deployment(name="orders-green")), **_FILE, says="FlinkDeployment orders-green"),
        bad(_both(_BLUE_GREEN, _BLUE_GREEN), **_FILE, says="FlinkBlueGreenDeployment orders"),
        good(_both(_ONE, deployment(name="payments")), **_FILE),
        good(_both(_ONE, _JOB, _BLUE_GREEN), **_FILE),
        good(_both(_BLUE_GREEN, deployment(name="orders-red")), **_FILE),
        good(_both(*[deployment(name="${NAME}")] * 2), **_FILE),
        good(_both(_JOB, session_job("parallelism: 4", name="")), **_FILE),
        good(_both("", *[f"# Source: orders/templates/job.yaml\n{_ONE}"] * 2), **_FILE),
        bad(_both("", *[f"# Source: orders/templates/{one}.yaml\n{_ONE}" for one in "ab"]), **_FILE),
        good(_ONE, **_FILE),
        *cases_in_folders(__file__),
    ]  # fmt: skip

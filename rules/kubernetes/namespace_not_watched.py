"""The operator does not watch the namespace of a deployment.

## What it does
Compares the namespace of a `FlinkDeployment` or `FlinkSessionJob` with `watchNamespaces` in the values of the
operator's chart, if the project has them.

## Why it matters
An operator that is given namespaces watches these alone. The API server takes a resource in another one, `kubectl get
flinkdeployment` shows it without a state for ever, and no pod comes. The account `flink` and its role are missing there
as well, since the chart makes them in the watched namespaces.

## What to do
Add the namespace to `watchNamespaces`, or deploy to a watched one.

## Not when
Several values files name namespaces, and one of them has it; `watchNamespaces` is empty, so that the operator watches
all; the namespace is not written in the resource.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/helm/#watching-only-specific-namespaces>:
  the value
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import KINDS, resources

_VALUES = ["element:operator-values"]
_RESOURCES = [f"element:kubernetes-object/{kind}" for kind in KINDS]


@rule(
    code="FLK298",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_VALUES,
    scope="project",
    compares=[(_VALUES, [*_VALUES, *_RESOURCES])],
    since="0.1",
)
def namespace_not_watched(project: Project) -> Iterator[Finding]:
    """the operator does not watch the namespace of a deployment"""
    values = [part for view in project.views for part in view.elements("operator-values")]
    watched: set[object] = set()
    for part in values:
        names = [one.value for one in part.element.listed("watchNamespaces")]
        if None in names or not part.is_known("watchNamespaces"):
            return  # a template gives them
        watched |= set(names)
    # A file that lets it empty may be that of another operator, which watches all namespaces.
    if not watched or any(part.has("watchNamespaces") and not part.items("watchNamespaces") for part in values):
        return
    place = next(part.place("watchNamespaces[0]", "watches these") for part in values if part.items("watchNamespaces"))
    for view in project.views:
        for resource in resources(view):
            space = resource.part.text("metadata.namespace")
            if space is not None and resource.is_whole and space not in watched:
                yield resource.part.finding(
                    f"the operator does not watch the namespace {space}: watchNamespaces has {_listed(watched)} only,"
                    f" so that nothing comes of this {resource.kind}",
                    of="metadata.namespace",
                    help=f"add {space} to watchNamespaces of the operator's chart",
                    related=[place],
                )


def _listed(names: set[object]) -> str:
    shown = sorted(map(str, names))
    return ", ".join(shown) if len(shown) < 4 else f"{', '.join(shown[:3])}, …"


_WATCHED = "image: {repository: apache/flink-kubernetes-operator}\nwatchNamespaces: %s\n"


def cases() -> list[Case]:
    near = deployment().replace("  name: orders\n", "  name: orders\n  namespace: orders\n")
    return [
        bad(near, file="orders.yaml", beside={"values.yaml": _WATCHED % "[a, b]"}, at="orders", says="a, b only"),
        bad(near, file="orders.yaml", beside={"values-a.yaml": _WATCHED % "[a]", "values-b.yaml": _WATCHED % "[b]"}),
        good(near, file="orders.yaml", beside={"values.yaml": _WATCHED % "[a, orders]"}),
        good(near, file="orders.yaml", beside={"values.yaml": _WATCHED % "[]"}),
        good(near, file="orders.yaml", beside={"values.yaml": _WATCHED % "['{{ .Values.a }}']"}),
        good(
            near, file="orders.yaml", beside={"values-a.yaml": _WATCHED % "[a]", "values-b.yaml": _WATCHED % "[orders]"}
        ),
        good(deployment(), file="orders.yaml", beside={"values.yaml": _WATCHED % "[a]"}),
        good(near, file="orders.yaml"),
    ]

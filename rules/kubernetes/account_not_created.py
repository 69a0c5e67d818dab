"""A deployment runs as a service account that nothing creates.

## What it does
Looks for a `FlinkDeployment` with `spec.serviceAccount` in a project that gives the operator its rights by Roles of its
own in the namespaces of the jobs, and has no `ServiceAccount` for the JobManager and no binding to one.

## Why it matters
The chart of the operator creates the account `flink` and its role in its own namespace and in `watchNamespaces` alone.
In another namespace the pods of the JobManager cannot be created: `Error creating: pods "orders-..." is forbidden:
error looking up service account tenant-a/flink: serviceaccount "flink" not found`, and the deployment stays in
DEPLOYING.

## What to do
Create the `ServiceAccount` in the namespace of the deployment, with a Role for pods, ConfigMaps and Deployments, or
list the namespace in `watchNamespaces` of the operator's chart.

## Not when
The project does not write Roles for the operator, makes the account or a binding to it in some file, or has values of
the operator's chart with `watchNamespaces`.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/rbac/>: what the chart makes,
  and where
- <https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/>: accounts of pods
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import written
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, Resource, resources
from flink_flint.rules.kubernetes._roles import ACCOUNT, BINDINGS, ROLES, bindings, bound, roles

_CLUSTERS = [f"element:kubernetes-object/{kind}" for kind in APACHE_CLUSTERS]
_OPERATOR = regex(r"(?i)operator")
_GROUP, _KIND = "flink.apache.org", "flinkdeployments"


@rule(
    code="FLK294",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_CLUSTERS,
    scope="project",
    compares=[(_CLUSTERS, [*ROLES, *BINDINGS, f"element:kubernetes-object/{ACCOUNT}", "element:operator-values"])],
    since="0.1",
)
def account_not_created(project: Project) -> Iterator[Finding]:
    """a deployment runs as a service account that nothing creates"""
    found, is_known = bindings(project.views)
    spaces = _tenants(project.views) if is_known and found else {}
    if not spaces or _chart_makes_accounts(project.views):
        return
    made = [
        written(part, "metadata.name") or ""
        for view in project.views
        for part in view.elements("kubernetes-object")
        if part.name == ACCOUNT
    ]
    others = [name for name in (*made, *(one.account for one in found)) if _OPERATOR.search(name) is None]
    for view in project.views:
        for resource in resources(view, *APACHE_CLUSTERS):
            if _is_missing(resource, others, spaces):
                name = written(resource.part, resource.path("serviceAccount")) or ""
                space, role = next(iter(spaces.items()))
                yield resource.part.finding(
                    f"no file here creates the account {name} or binds a role to it, only the operator's has one:"
                    " without it no pod can be created (serviceaccount not found)",
                    of=resource.path("serviceAccount"),
                    help="create the ServiceAccount in the namespace of the deployment, with a Role for the JobManager",
                    related=[role.place("metadata.name", f"a role for the operator{f' in {space}' if space else ''}")],
                )


def _tenants(views: Sequence[View]) -> dict[str, ElementView]:
    """Return the namespaces in which the project has a role for the operator, each with the role."""
    found, _ = bindings(views)
    spaces: dict[str, ElementView] = {}
    for role in roles(views):
        is_for_operator = role.part.name == "Role" and role.permits(_GROUP, _KIND, "update", "patch")
        near = [one for one in found if one.role is None or any(True for _ in bound(role, [one]))]
        if is_for_operator and any(_OPERATOR.search(one.account) for one in near):
            spaces.setdefault(role.namespace or "", role.part)
    return spaces


def _chart_makes_accounts(views: Sequence[View]) -> bool:
    return any(
        part.items("watchNamespaces") or not part.is_known("watchNamespaces")
        for view in views
        for part in view.elements("operator-values")
    )


def _is_missing(resource: Resource, others: Sequence[str], spaces: dict[str, ElementView]) -> bool:
    name = resource.text("serviceAccount")
    if not resource.has("serviceAccount") or name == "default":
        return False
    space = resource.part.text("metadata.namespace")
    if space is not None and "" not in spaces and space not in spaces:
        return False
    return name not in others if name is not None else not others


_ROLE = """apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: flink-operator, namespace: tenant-a}
rules: [{apiGroups: [flink.apache.org], resources: [flinkdeployments], verbs: [get, list, watch, update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: flink-operator, namespace: tenant-a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: flink-operator}
subjects: [{kind: ServiceAccount, name: flink-kubernetes-operator, namespace: platform}]
"""
_ACCOUNT = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: flink, namespace: tenant-a}\n"


def cases() -> list[Case]:
    app = deployment()
    near = deployment().replace("  name: orders\n", "  name: orders\n  namespace: tenant-a\n")
    values = "image: {repository: apache/flink-kubernetes-operator}\nwatchNamespaces: [tenant-a]\n"
    return [
        bad(app, file="orders.yaml", beside={"rbac.yaml": _ROLE}, at="flink", says="account flink"),
        bad(near, file="orders.yaml", beside={"rbac.yaml": _ROLE}),
        bad(
            app.replace("serviceAccount: flink", "serviceAccount: {{ .Values.account }}"),
            file="orders.yaml",
            beside={"rbac.yaml": _ROLE},
        ),
        good(app, file="orders.yaml", beside={"rbac.yaml": _ROLE + _ACCOUNT}),
        good(app, file="orders.yaml", beside={"rbac.yaml": _ROLE, "values.yaml": values}),
        good(app, file="orders.yaml"),
        good(
            app.replace("serviceAccount: flink", "serviceAccount: default"),
            file="orders.yaml",
            beside={"rbac.yaml": _ROLE},
        ),
        good(near.replace("tenant-a", "tenant-b"), file="orders.yaml", beside={"rbac.yaml": _ROLE}),
        good(app, file="orders.yaml", beside={"rbac.yaml": _ROLE.replace("[get, list, watch, update]", "[get]")}),
        good(
            app,
            file="orders.yaml",
            beside={"rbac.yaml": _ROLE.replace("flink-kubernetes-operator", "'{{ .Values.a }}'")},
        ),
    ]

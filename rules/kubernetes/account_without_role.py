"""Nothing gives the service account of a deployment a role.

## What it does
Looks for a `ServiceAccount` that the files create, that a `FlinkDeployment` of the same namespace runs under, and that
no `RoleBinding` or `ClusterRoleBinding` names.

## Why it matters
The JobManager makes, watches and deletes the pods of its TaskManagers, and ConfigMaps for high availability, as this
account. Without a role the API server refuses all of it: `Received 403 on websocket`, `Forbidden: User
"system:serviceaccount:... cannot watch resource "pods"`. The JobManager restarts with exit code 239, and no TaskManager
comes. The chart of the operator makes an account `flink` with a role in its own namespace and in `watchNamespaces`
alone.

## What to do
Bind a Role for pods, ConfigMaps and Deployments to the account, in the namespace of the deployment, or list the
namespace in `watchNamespaces` of the operator's chart and leave the account to it.

## Not when
A binding names the account, or has subjects that are not known; the account is not created here; the deployment runs
in the mode `standalone` without high availability by Kubernetes.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#rbac>: the
  account of the JobManager needs to create and delete pods
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/rbac/>: what the chart makes,
  and where
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources

_ACCOUNTS = ["element:kubernetes-object/ServiceAccount"]
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_OTHERS = [f"element:kubernetes-object/{kind}" for kind in (*CLUSTERS, *_BINDINGS)]


@rule(
    code="FLK283",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_ACCOUNTS,
    scope="project",
    compares=[(_ACCOUNTS, _OTHERS)],
    since="0.1",
)
def account_without_role(project: Project) -> Iterator[Finding]:
    """nothing gives the service account of a deployment a role"""
    objects = [part for config in project.views for part in config.elements("kubernetes-object")]
    bindings = [part for part in objects if part.name in _BINDINGS]
    if any(_has_unknown_subjects(one) for one in bindings):
        return
    users = [
        resource
        for config in project.views
        for resource in resources(config, *CLUSTERS)
        if resource.text("mode") in (None, "native")
    ]
    for account in objects:
        name = account.text("metadata.name") if account.name == "ServiceAccount" else None
        space = _namespace(account)
        if not name or space is None or any(_names(one, name, space) for one in bindings):
            continue
        user = next(
            (one for one in users if one.text("serviceAccount") == name and _namespace(one.part) == space), None
        )
        if user is None:
            continue
        yield account.finding(
            f"no role is bound to the account {name}{f' in {space}' if space else ''}, as which"
            f" {user.part.text('metadata.name')} runs: its JobManager may not create or watch pods (403 Forbidden)",
            of="metadata.name",
            help="add a RoleBinding of a Role for pods, configmaps and deployments to it",
            related=[user.part.place(user.path("serviceAccount"), "runs as this account")],
        )


def _namespace(part: ElementView) -> str | None:
    """The namespace of an object; empty where none is written, None where it is not known."""
    return part.text("metadata.namespace") if part.has("metadata.namespace") else ""


def _has_unknown_subjects(binding: ElementView) -> bool:
    subjects = binding.items("subjects")
    return not subjects or any(not one.is_known("name") or not one.is_known("kind") for one in subjects)


def _names(binding: ElementView, account: str, space: str) -> bool:
    for subject in binding.items("subjects"):
        kind, name = subject.text("kind"), subject.text("name")
        if kind == "Group":
            return True
        if kind == "ServiceAccount" and name == account and subject.text("namespace") in (None, space):
            return True
        if kind == "ServiceAccount" and name == account and not space:
            return True
    return False


_ACCOUNT = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: flink}\n"
_BINDING = """---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: flink}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: flink}
subjects: [{kind: ServiceAccount, name: %s}]
"""


def cases() -> list[Case]:
    return [
        bad(deployment() + _ACCOUNT, file="orders.yaml", at="flink", severity=Severity.WARNING, says="403 Forbidden"),
        bad(_ACCOUNT + _BINDING % "other", file="rbac.yaml", beside={"orders.yaml": deployment()}),
        good(deployment() + _ACCOUNT + _BINDING % "flink", file="orders.yaml"),
        good(deployment() + _ACCOUNT + _BINDING % "'{{ .Values.account }}'", file="orders.yaml"),
        good(_ACCOUNT, file="rbac.yaml"),
        good(deployment(spec="mode: standalone") + _ACCOUNT, file="orders.yaml"),
    ]

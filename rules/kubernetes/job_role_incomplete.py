"""The role of Flink's service account lacks a permission that the JobManager needs.

## What it does
Adds up the Roles that are bound to the service account of a native `FlinkDeployment`, or to an account called after
Flink whose role is made for its JobManager (pods and Deployments), and reports what they lack: creating `pods`, reading
`deployments`, and updating `deployments/finalizers`.

## Why it matters
The JobManager creates the pods of its TaskManagers as this account, and makes its own Deployment their owner, so that
they go with it. Without the first two, the API server answers `pods is forbidden: User "system:serviceaccount:..."
cannot create resource "pods"`, and no TaskManager comes. Without the third, clusters that check owner references, as
OpenShift does, refuse each pod: `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set
finalizers on`.

## What to do
Grant what the chart of the operator grants: all verbs on `pods` and `configmaps`, and on `deployments` and
`deployments/finalizers` of `apps`.

## Not when
The project does not create the account, since the operator's chart makes one with a role of its own; the account has
another role as well that is not in the project, or a binding or a rule is not written out here; the deployments run in
the mode `standalone`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#rbac>: the
  permissions
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/rbac/>: the role of the chart
- <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement>:
  the check of owner references
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources
from flink_flint.rules.kubernetes._roles import BINDINGS, ROLES, Binding, Role, bindings, bound, created_accounts, roles

_CLUSTERS = [f"element:kubernetes-object/{kind}" for kind in CLUSTERS]
_OF_FLINK, _OF_OPERATOR = regex(r"(?i)flink"), regex(r"(?i)operator")
_WRITES = ("create", "update", "patch", "delete")


@rule(
    code="FLK288",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=ROLES,
    scope="project",
    compares=[(ROLES, [*ROLES, *BINDINGS, *_CLUSTERS])],
    since="0.1",
)
def job_role_incomplete(project: Project) -> Iterator[Finding]:
    """the role of Flink's account lacks what the JobManager needs"""
    all_roles = roles(project.views)
    found, is_known = bindings(project.views)
    if not all_roles or not is_known or any(one.role is None for one in found):
        return
    accounts = dict.fromkeys((one.account, one.account_namespace) for one in found)
    users = {
        resource.text("serviceAccount")
        for view in project.views
        for resource in resources(view, *CLUSTERS)
        if resource.text("mode") in (None, "native")
    }
    made = created_accounts(project.views)
    for account, space in accounts:
        if account not in made:
            continue  # the chart of the operator may make it, with a role of its own
        own = [one for one in found if (one.account, one.account_namespace) == (account, space)]
        granted = [role for role in all_roles if any(one in own for one in bound(role, own))]
        if len(granted) < len({(one.role, one.role_kind) for one in own}) or not all(one.is_known for one in granted):
            continue  # a role that is not here may permit the rest
        is_used = account in users
        if is_used or _is_made_for_jobmanager(account, own, granted):
            yield from _lacking(account, granted, is_used=is_used)


def _is_made_for_jobmanager(account: str, own: Sequence[Binding], granted: Sequence[Role]) -> bool:
    """Return whether an account without a deployment here has the role of a JobManager, judging by names and rules."""
    names = [account, *(one.role or "" for one in own)]
    if not any(map(_OF_FLINK.search, names)) or any(map(_OF_OPERATOR.search, names)):
        return False
    return not any("flink.apache.org" in grant.groups for role in granted for grant in role.grants)


def _lacking(account: str, granted: Sequence[Role], *, is_used: bool) -> Iterator[Finding]:
    lacks = []
    creates_pods = any(role.permits("", "pods", "create") for role in granted)
    reads = any(role.permits("apps", "deployments", "get") for role in granted)
    if is_used and not creates_pods:
        lacks.append("pods")
    if is_used and not reads:
        lacks.append("deployments")
    is_owner = creates_pods and (is_used or any(role.permits("apps", "deployments", *_WRITES) for role in granted))
    if is_owner and not any(role.permits("apps", "deployments/finalizers", "update") for role in granted):
        lacks.append("deployments/finalizers")
    if not lacks:
        return
    role, place = _place(granted)
    if lacks == ["deployments/finalizers"]:
        what = "clusters that check owners (OpenShift) refuse the pods of TaskManagers: cannot set blockOwnerDeletion"
    else:
        what = "the JobManager cannot start TaskManagers (403 Forbidden)"
    yield role.part.finding(
        f"the role of the account {account} lacks {', '.join(lacks)}: {what}",
        of=place,
        help=f"add {' and '.join(lacks)} to the resources of the role, with all verbs",
    )


def _place(granted: Sequence[Role]) -> tuple[Role, str]:
    """Return the role and the attribute to which the permissions belong: those on deployments, or the first ones."""
    for group, resource in (("apps", "deployments"), ("", "pods")):
        for role in granted:
            for grant in role.grants:
                items = role.part.element.attributes
                for name, one in items.items():
                    if name.startswith(f"{grant.path}.resources[") and one.value == resource and group in grant.groups:
                        return role, name
    return granted[0], f"{granted[0].grants[0].path}.resources[0]"


_ROLE = """apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: flink}
rules:
- apiGroups: ['']
  resources: [pods, configmaps]
  verbs: ['*']
"""
_DEPLOYMENTS = "- apiGroups: [apps]\n  resources: [deployments%s]\n  verbs: ['*']\n"
_BINDING = """---
apiVersion: v1
kind: ServiceAccount
metadata: {name: flink}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: flink-role-binding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: flink}
subjects: [{kind: ServiceAccount, name: %s}]
"""


def cases() -> list[Case]:
    complete = _DEPLOYMENTS % ", deployments/finalizers"
    lacking = _ROLE + _DEPLOYMENTS % ""
    used = {"orders.yaml": deployment()}
    edit = _BINDING.replace("kind: Role,", "kind: ClusterRole,").replace("name: flink}", "name: edit}") % "flink"
    return [
        bad(lacking + _BINDING % "flink", file="role.yaml", at="deployments", says="blockOwnerDeletion"),
        bad(lacking + _BINDING % "flink", file="role.yaml", beside=used, at="deployments"),
        bad(_ROLE + _BINDING % "flink", file="role.yaml", beside=used, at="pods", says="403 Forbidden"),
        bad(
            (_ROLE + complete).replace("[pods, configmaps]", "[configmaps]") + _BINDING % "flink",
            file="role.yaml",
            beside=used,
            says="lacks pods",
        ),
        good(_ROLE + complete + _BINDING % "flink", file="role.yaml", beside=used),
        good(
            _ROLE.replace("['']", "['*']").replace("[pods, configmaps]", "['*']") + _BINDING % "flink", file="role.yaml"
        ),
        good(
            lacking + (_BINDING % "flink").replace("kind: ServiceAccount\nmeta", "kind: Secret\nmeta"), file="role.yaml"
        ),
        good(lacking + _BINDING % "flink" + edit, file="role.yaml", beside=used),
        good(lacking + _BINDING % "'{{ .Values.account }}'", file="role.yaml", beside=used),
        good(
            lacking.replace("name: flink", "name: web")
            + (_BINDING % "web").replace("Role, name: flink", "Role, name: web"),
            file="flink-role.yaml",
        ),
        good(_ROLE + _BINDING % "flink", file="role.yaml", beside={"orders.yaml": deployment(spec="mode: standalone")}),
    ]

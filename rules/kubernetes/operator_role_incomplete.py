"""The operator's own role lacks a kind or a status of Flink's resources.

## What it does
Adds up the Roles that are bound to the service account of a Flink operator, if the project makes the account, or takes
the only role on Flink's resources where the project binds none, if it makes Deployments and is named for the operator.
It reports the resources of `flink.apache.org` that they lack: `flinksessionjobs`, and `/status` of each kind; also
`flinkstatesnapshots` and `flinkbluegreendeployments`, where the operator is known to be 1.10 or 1.14 and newer.

## Why it matters
The operator watches all its kinds from the start: without `flinksessionjobs` it ends with
`flinksessionjobs.flink.apache.org is forbidden: User "system:serviceaccount:...:flink-operator" cannot list resource`.
It writes what it has done to the subresource `status`, which is a permission of its own: without
`flinkdeployments/status` each reconciliation fails with `cannot patch resource "flinkdeployments/status"`, and the
resource stays without a state.

## What to do
List each kind with `/status` and `/finalizers` in the role, as the chart of the operator does.

## Not when
The account is made elsewhere, by the chart, say, whose roles count too; a rule or a binding is not written out here.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/rbac/>: the operator's role
- <https://github.com/lyft/flinkk8soperator/pull/163>: the status of another operator
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.deployment.operator import OPERATOR_NAME
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.rules.kubernetes._roles import (
    ACCOUNT,
    BINDINGS,
    ROLES,
    Grant,
    Role,
    bindings,
    bound,
    created_accounts,
    roles,
)

_GROUP = "flink.apache.org"
_KINDS = ("flinkdeployments", "flinksessionjobs")
_LATER_KINDS = {"flinkstatesnapshots": (1, 10), "flinkbluegreendeployments": (1, 14)}
"""The kinds that came later, by the first operator that watches them."""
_WRITES = ("update", "patch")


@rule(
    code="FLK293",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=ROLES,
    scope="project",
    compares=[(ROLES, [*ROLES, *BINDINGS, f"element:kubernetes-object/{ACCOUNT}"])],
    since="0.1",
)
def operator_role_incomplete(project: Project) -> Iterator[Finding]:
    """the operator's role lacks a kind or a status of Flink's resources"""
    all_roles = roles(project.views)
    found, is_known = bindings(project.views)
    if not all_roles or not is_known or any(one.role is None for one in found):
        return
    if not found and (role := _of_operator_alone(all_roles)) is not None:
        yield from _findings(role.name or "", [role], project)
        return
    made = created_accounts(project.views)
    for account in dict.fromkeys(one.account for one in found):
        own = [one for one in found if one.account == account]
        granted = [role for role in all_roles if any(True for _ in bound(role, own))]
        if account not in made or len(granted) < len({(one.role, one.role_kind) for one in own}):
            continue
        if not all(one.is_known for one in granted) or not _is_operators(account, granted):
            continue
        yield from _findings(account, granted, project)


def _findings(owner: str, granted: Sequence[Role], project: Project) -> Iterator[Finding]:
    lacks = list(_lacking(granted, _kinds(project, granted[0])))
    if lacks:
        role, grant = next((one, rule) for one in granted for rule in one.grants if _is_of_flink(rule))
        yield role.part.finding(
            f"the role of the operator's account {owner} lacks {', '.join(lacks)}: the operator is refused"
            " (403 Forbidden) and reconciles nothing",
            of=f"{grant.path}.resources[0]",
            help=f"add {' and '.join(lacks)} to the resources of the rule",
        )


def _of_operator_alone(all_roles: Sequence[Role]) -> Role | None:
    """Return the operator's role in a project that binds none: the only one on Flink's kinds, which makes pods run."""
    on_flink = [role for role in all_roles if any(_GROUP in grant.groups for grant in role.grants)]
    if len(on_flink) != 1 or not on_flink[0].is_known:
        return None
    role = on_flink[0]
    makes = role.permits("apps", "deployments", "create") and role.permits("", "configmaps", "create")
    return role if makes and _is_operators(role.name or "", [role]) else None


def _is_operators(account: str, granted: Sequence[Role]) -> bool:
    named = OPERATOR_NAME.search(account) is not None or any(OPERATOR_NAME.search(one.name or "") for one in granted)
    return named and any(one.permits(_GROUP, _KINDS[0], *_WRITES) for one in granted)


def _is_of_flink(grant: Grant) -> bool:
    return _GROUP in grant.groups and _KINDS[0] in grant.resources


def _kinds(project: Project, role: Role) -> Iterator[str]:
    """Yield the kinds that the operator watches, in the release that the project installs."""
    installed = next((view.installed_operator for view in project.views if view.document is role.part.document), None)
    yield from _KINDS
    yield from (kind for kind, first in _LATER_KINDS.items() if installed is not None and installed >= first)


def _lacking(granted: Sequence[Role], kinds: Iterator[str]) -> Iterator[str]:
    if not any(_is_of_flink(grant) for role in granted for grant in role.grants):
        return
    for kind in kinds:
        if not any(role.permits(_GROUP, kind, "list", "watch") for role in granted):
            yield kind
        if not any(role.permits(_GROUP, f"{kind}/status", *_WRITES) for role in granted):
            yield f"{kind}/status"


_RBAC = """apiVersion: v1
kind: ServiceAccount
metadata: {name: flink-operator}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: flink-operator}
rules:
- apiGroups: [flink.apache.org]
  resources: [%s]
  verbs: ['*']
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: flink-operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: flink-operator}
subjects: [{kind: ServiceAccount, name: flink-operator, namespace: flink}]
"""
_ALL = "flinkdeployments, flinkdeployments/status, flinksessionjobs, flinksessionjobs/status"


def cases() -> list[Case]:
    alone = (_RBAC % "flinkdeployments, flinksessionjobs").split("---\n")[1]
    pods = (
        "- {apiGroups: [apps], resources: [deployments], verbs: ['*']}\n"
        "- {apiGroups: [''], resources: [configmaps], verbs: ['*']}\n"
    )
    return [
        bad(alone + pods, file="role.yaml", says="lacks flinkdeployments/status, flinksessionjobs/status"),
        good(alone, file="role.yaml"),
        good(alone.replace("flink-operator", "flink-editor") + pods, file="role.yaml"),
        bad(_RBAC % "flinkdeployments, flinksessionjobs", file="rbac.yaml", at="flinkdeployments", says="/status"),
        bad(_RBAC % "flinkdeployments, flinkdeployments/status", file="rbac.yaml", says="lacks flinksessionjobs"),
        good(_RBAC % _ALL, file="rbac.yaml"),
        bad(
            _RBAC % _ALL,
            file="rbac.yaml",
            beside={"flint.toml": 'operator-version = "1.14"\n'},
            says="lacks flinkstatesnapshots, flinkstatesnapshots/status, flinkbluegreendeployments, flinkblue",
        ),
        good(_RBAC % _ALL, file="rbac.yaml", beside={"flint.toml": 'operator-version = "1.9"\n'}),
        good(_RBAC % "'*'", file="rbac.yaml"),
        good(_RBAC % "flinkdeployments, flinksessionjobs, '*/status'", file="rbac.yaml"),
        good((_RBAC % "flinkdeployments").replace("['*']", "[get, list]"), file="rbac.yaml"),
        good((_RBAC % "flinkdeployments").replace("kind: ServiceAccount\n", "kind: ConfigMap\n"), file="rbac.yaml"),
        good((_RBAC % "flinkdeployments").replace("flink-operator", "web"), file="rbac.yaml"),
        good((_RBAC % "'{{ .Values.kinds }}'"), file="rbac.yaml"),
    ]

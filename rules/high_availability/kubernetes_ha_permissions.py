"""The JobManager may not do with ConfigMaps what high availability wants.

## What it does
Looks for the service account of a cluster with Kubernetes high availability among the `RoleBinding` and
`ClusterRoleBinding` objects of the run, and adds up what the roles bound to it allow for `configmaps`. Reports what is
missing of `get`, `list`, `watch`, `create`, `update` and `delete`, and, from Flink 1.20 on, `patch`.

It is an error where the run also has the `ServiceAccount` object: then its roles are expected to be there too. An
account that something else creates (the chart of the Flink Kubernetes Operator, another repository) gets its roles
there as well, and the bindings of the run are only some of them. The finding is then advice, and says so.

## Why it matters
The leader's name, the addresses, the jobs and the pointers to checkpoints are in ConfigMaps, which the JobManager
makes, watches, changes and deletes. The API server refuses what no role allows (`Forbidden: User
"system:serviceaccount:... cannot patch resource "configmaps"`). Without `create` or `patch` no leader is ever elected;
without `watch` a loss is not noticed; without `delete` old jobs stay and come back.

## What to do
Add the verbs to the role, or bind Kubernetes' own `ClusterRole` named `edit` in the namespace.

## Not when
A role that is bound is not in the run, comes from a template, or is limited to certain names; no binding names the
account. Namespaces that are not written are taken to be the same.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/kubernetes_ha/#prerequisites>: a service
  account that may create, edit and delete ConfigMaps
- <https://github.com/fabric8io/kubernetes-client/blob/v6.9.2/kubernetes-client-api/src/main/java/io/fabric8/kubernetes/client/extended/leaderelection/resourcelock/ResourceLock.java>:
  the lease is renewed by a patch, in the client of Flink 1.20 and 2.x
- <https://github.com/apache/flink/blob/release-1.20/flink-kubernetes/src/main/java/org/apache/flink/kubernetes/kubeclient/Fabric8FlinkKubeClient.java>:
  the other verbs
"""

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.high_availability._mode import KUBERNETES, mode
from flink_flint.rules.kubernetes._examples import deployment

_VERBS = ("get", "list", "watch", "create", "update", "delete")


_OF_ACCOUNTS = ("Role", "ClusterRole", "ServiceAccount", "RoleBinding", "ClusterRoleBinding")


@rule(
    code="FLK417",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=["high-availability.type"],
    scope="project",
    compares=[([f"element:kubernetes-object/{kind}" for kind in _OF_ACCOUNTS], ["high-availability.type"])],
    flink=">=1.12",
    since="0.1",
)
def kubernetes_ha_permissions(project: Project) -> Iterator[Finding]:
    """the JobManager may not do with ConfigMaps what high availability wants"""
    roles: list[ElementView] = []
    bindings: list[ElementView] = []
    accounts: list[ElementView] = []
    for config in project.views:
        for part in config.elements("kubernetes-object"):
            if part.name in ("Role", "ClusterRole"):
                roles.append(part)
            elif part.name == "ServiceAccount":
                accounts.append(part)
            elif part.name in ("RoleBinding", "ClusterRoleBinding"):
                bindings.append(part)
    for config in project.views:
        if mode(config) != KUBERNETES:
            continue
        account, namespace = _account(config)
        if account is None:
            continue
        allowed = _allowed(account, namespace, bindings, roles)
        if allowed is None or "*" in allowed:
            continue
        wanted = (*_VERBS, "patch") if config.since("1.20") else _VERBS
        missing = [verb for verb in wanted if verb not in allowed]
        if missing:
            is_created = any(_is_account(one, account, namespace) for one in accounts)
            unless = (
                "" if is_created else "; whatever creates the account, which is not in these files, may give it one"
            )
            yield config.get("high-availability.type").finding(
                f"no role {'' if is_created else 'here '}lets the service account {account} {_listed(missing)}"
                f" configmaps, which Kubernetes high availability has to{unless}",
                help="add the verbs to its role, or bind the ClusterRole edit",
                severity=None if is_created else Severity.INFO,
            )


def _listed(verbs: list[str]) -> str:
    return " or ".join((", ".join(verbs[:-1]), verbs[-1])) if len(verbs) > 1 else verbs[0]


def _account(config: View) -> tuple[str | None, str | None]:
    """The JobManager's service account and its namespace, as far as they are written."""
    own = [part for part in config.elements("kubernetes-object") if part.has("metadata.name")]
    process = next((one for one in config.processes if one.role == "jobmanager"), None)
    if process is None or process.service_account is None or not all(one.is_known("metadata.namespace") for one in own):
        return None, None
    account = process.service_account.value
    if not isinstance(account, str) or is_templated(account):
        return None, None
    return account, own[0].text("metadata.namespace") if own else None


def _allowed(
    account: str, namespace: str | None, bindings: list[ElementView], roles: list[ElementView]
) -> set[str] | None:
    """The verbs for ConfigMaps that all bindings of an account give; None where one cannot be told."""
    bound = [one for one in bindings if _names(one, account, namespace)]
    if not bound:
        return None
    verbs: set[str] = set()
    for binding in bound:
        role = next((one for one in roles if _is_meant(one, binding)), None)
        given = _verbs(role) if role is not None else None
        if given is None:
            return None
        verbs |= given
    return verbs


def _names(binding: ElementView, account: str, namespace: str | None) -> bool:
    return any(
        subject.text("kind") == "ServiceAccount"
        and subject.text("name") == account
        and namespace in (None, subject.text("namespace") or namespace)
        for subject in binding.items("subjects")
    )


def _is_account(made: ElementView, account: str, namespace: str | None) -> bool:
    spaces = {made.text("metadata.namespace"), namespace} - {None}
    return made.text("metadata.name") == account and len(spaces) < 2


def _is_meant(role: ElementView, binding: ElementView) -> bool:
    if role.name != binding.text("roleRef.kind") or role.text("metadata.name") != binding.text("roleRef.name"):
        return False
    spaces = {role.text("metadata.namespace"), binding.text("metadata.namespace")} - {None}
    return len(spaces) < 2


def _verbs(role: ElementView) -> set[str] | None:
    """What a role allows for ConfigMaps; None where nobody can tell."""
    if role.has("aggregationRule"):
        return None
    verbs: set[str] = set()
    for one in role.items("rules"):
        lists = [[member.text("") for member in one.items(name)] for name in ("apiGroups", "resources", "verbs")]
        groups, resources, allowed = lists
        if any(None in members for members in lists) or one.has("resourceNames"):
            return None
        if {"", "*"}.intersection(groups) and {"configmaps", "*"}.intersection(resources):
            verbs.update(filter(None, allowed))
    return verbs


_HA = "high-availability.type: kubernetes\nhigh-availability.storageDir: s3://bucket/ha"
_ALL = "get, list, watch, create, update, patch, delete"


def _role(verbs: str, *, resources: str = "configmaps", groups: str = "''", kind: str = "Role", more: str = "") -> str:
    return (
        f"apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata:\n  name: flink\n"
        f"rules:\n  - apiGroups: [{groups}]\n    resources: [pods, {resources}]\n    verbs: [{verbs}]\n{more}---\n"
    )


def _binding(kind: str = "Role", *, account: str = "flink", namespace: str = "", role: str = "flink") -> str:
    space = f", namespace: {namespace}" if namespace else ""
    return (
        f"apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}Binding\nmetadata:\n  name: flink\n"
        f"roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: {role}}}\n"
        f"subjects:\n  - {{kind: ServiceAccount, name: {account}{space}}}\n---\n"
    )


_MADE = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {}\n---\n"
_CLUSTER = deployment(_HA)
_STANDALONE = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: jobmanager\nspec:\n  template:\n    spec:\n"
    "      serviceAccountName: flink\n      containers:\n        - name: jobmanager\n          image: flink:1.18\n"
    "          args: [jobmanager]\n          env:\n            - name: FLINK_PROPERTIES\n              value: |\n"
    "                high-availability: kubernetes\n"
)
_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: jobmanager\nspec:\n  serviceAccountName: flink\n  containers:\n"
    "    - name: jobmanager\n      image: flink:1.18\n      args: [jobmanager]\n      env:\n"
    "        - name: FLINK_PROPERTIES\n          value: |\n            high-availability: kubernetes\n"
)
_NAME = "flink.yaml"


def cases() -> list[Case]:
    return [
        bad(
            _MADE.format("flink") + _role("get, list, watch, create, update, delete") + _binding() + _CLUSTER,
            file=_NAME,
            at="high-availability.type",
            severity=Severity.ERROR,
            says="account flink patch configmaps",
        ),
        bad(
            _MADE.format("other") + _role(_ALL, resources="services") + _binding() + _CLUSTER,
            file=_NAME,
            severity=Severity.INFO,
            says="whatever creates the account",
        ),
        bad(
            _role("get, watch") + _binding() + _STANDALONE, file=_NAME, says="list, create, update or delete configmaps"
        ),
        bad(
            _role(_ALL, resources="services") + _binding() + _CLUSTER,
            file=_NAME,
            says="get, list, watch, create, update",
        ),
        bad(_role(_ALL, groups="apps") + _binding() + _CLUSTER, file=_NAME),
        good(_role(_ALL) + _binding() + _CLUSTER, file=_NAME),
        good(_role("'*'") + _binding() + _CLUSTER, file=_NAME),
        good(_role(_ALL, resources="'*'", groups="'*'") + _binding() + _CLUSTER, file=_NAME),
        good(_role("get, list, watch, create, update, delete") + _binding() + _STANDALONE, file=_NAME),
        good(_role("get", more="    resourceNames: [flink]\n") + _binding() + _CLUSTER, file=_NAME),
        good(
            _role("get", kind="ClusterRole", more="aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}\n")
            + _binding("ClusterRole")
            + _CLUSTER,
            file=_NAME,
        ),
        good(_role("get") + _binding(role="edit") + _CLUSTER, file=_NAME),
        good(_role("get") + _binding("ClusterRole") + _CLUSTER, file=_NAME),
        good(_role("get") + _binding(account="other") + _CLUSTER, file=_NAME),
        good(_role("get") + _CLUSTER, file=_NAME),
        good(_role("get") + _binding() + deployment("rest.port: 8081"), file=_NAME),
        bad(_role("get") + _binding() + _POD, file=_NAME),
        # The option decides, whatever the template of the pods names.
        good(
            _role("get")
            + _binding()
            + deployment(_HA, spec="podTemplate: {spec: {serviceAccountName: flink}}").replace(
                "serviceAccount: flink", "serviceAccount: other"
            ),
            file=_NAME,
        ),
        *cases_in_folders(__file__),
    ]
